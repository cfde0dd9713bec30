// Team: what a pool is made of. Its threads, the workers (its own and its callers'), the crew they
// form.
#pragma once
#include <cstdint>
#include <deque>
#include <exception>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "options.hpp"
#include "region.hpp"
#include "worker.hpp"

namespace heartbeat::detail {

class team {
 public:
  explicit team(options o);
  ~team();

  worker& enter();  // a worker for the calling thread, for one run
  void leave(worker& w) noexcept;

  crew members;
  const options settings;

  void be_patient(bool more) noexcept;

  // How many times the beat interval is doubled, 0 .. patience_max: grows while beats lead to
  // nothing worth while.
  os_platform::word<unsigned> patience{0};
  static constexpr unsigned patience_max = 5;

 private:
  void start_threads();
  void thread_main(unsigned number, std::latch& started) noexcept;
  void add(worker& w);
  worker& enter_slowly();
  worker& new_guest();
  void stop_threads() noexcept;

  const std::uint64_t id_;  // never used twice in a process
  std::mutex mutex_;        // enlisting, guests_, failure_
  region_block regions_;
  std::deque<region_block> guest_regions_;
  std::vector<worker*> workers_;  // of the pool's own threads
  std::vector<worker*> guests_;   // of callers; as many as there ever were runs at once
  std::vector<std::thread> threads_;
  std::exception_ptr failure_;
};

}  // namespace heartbeat::detail
