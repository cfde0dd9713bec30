#pragma once
// core: the workers of one scheduler and what they share. Several may live in one process.
//
//  threads    any; the counts below are atomic, all else is fixed once started.
//  idle       workers without a runnable fiber, sleeping ones included. Owners share work only while it is not 0.
//  watching   one sleeping worker watches the others' steal slots with a short timeout, so that a single fiber left
//             behind a long-running one is found. Nobody watches while all are idle: an idle scheduler uses no CPU.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtimes/fiber/counters.hpp"
#include "runtimes/fiber/detail/hint.hpp"
#include "runtimes/fiber/detail/overflow.hpp"
#include "runtimes/fiber/detail/stack_pool.hpp"
#include "runtimes/fiber/detail/worker.hpp"
#include "runtimes/fiber/options.hpp"

namespace fiber::detail {

class core {
 public:
  explicit core(const options& wanted);  // starts the workers; throws fiber::error
  ~core();                               // waits for all fibers, then stops
  core(const core&) = delete;
  core& operator=(const core&) = delete;

  const options& settings() const noexcept { return options_; }
  stack_pool& stacks() noexcept { return stacks_; }
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(workers_.size()); }
  worker& at(std::uint32_t index) noexcept { return *workers_[index]; }
  counters totals() const noexcept;

  // From any thread: hands `block` to a worker, in turn.
  void launch(control_block& block) noexcept;
  void launch_on(std::uint32_t index, control_block& block) noexcept;
  control_block* take_block();
  // The worker of this core that runs the caller, or null.
  worker* here() noexcept;

  // Hints for sharing and waking; a wrong one is corrected at the next service.
  std::uint32_t idle() const noexcept { return idle_.get(); }
  std::uint32_t parked() const noexcept { return parked_.get(); }
  bool all_idle() const noexcept { return idle() == workers_.size(); }
  bool somebody_searches() const noexcept { return idle() > parked(); }
  bool watched() const noexcept { return watching_.get(); }
  void idle_begins() noexcept { idle_.add(1); }
  void idle_ends() noexcept { idle_.subtract(1); }
  void park_begins() noexcept { parked_.add(1); }
  void park_ends() noexcept { parked_.subtract(1); }
  bool begin_watch() noexcept { return !watching_.swap(true); }
  void end_watch() noexcept { watching_.set(false); }

  // Held by whoever posts from outside: once the message is in the inbox, its fiber may run to the end and the
  // scheduler may be destroyed, while the poster has still to ring the doorbell. No worker goes before such visits
  // have ended.
  class visit {
   public:
    explicit visit(core& host) noexcept;
    ~visit();
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

   private:
    core*
        host_;  // null for workers of the core itself, which outlive its last message (see thread_body)
  };

  bool stopping() const noexcept {
    // ORDER(fiber.stop) acquire: pairs with the release in ~core(); all fibers started before are counted.
    return stopping_.load(std::memory_order_acquire);
  }
  // True once the scheduler stops and no fiber is left.
  bool quiescent() const noexcept;

 private:
  std::uint32_t next_target() noexcept;
  void bind_worker(std::uint32_t index) const;
  void thread_body(std::uint32_t index) noexcept;
  void stop() noexcept;

  options options_;
  stack_pool stacks_;
  overflow_report report_;
  std::vector<worker*> workers_;
  std::vector<std::thread> threads_;
  std::vector<std::string> failures_;

  alignas(64) hint<std::uint32_t> idle_;
  hint<std::uint32_t> parked_;
  hint<bool> watching_;
  alignas(64) std::atomic<std::uint64_t> launched_ = 0;  // from outside
  std::atomic<std::uint32_t> next_worker_ = 0;
  std::atomic<std::uint32_t> visits_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint32_t> ready_ = 0;  // workers that are made, or failed
  std::atomic<std::uint32_t> gate_ = 0;   // start-up: 0 closed, 1 go, 2 give up
  std::atomic<std::uint32_t> left_ = 0;   // workers that will touch no other any more
};

}  // namespace fiber::detail
