// Worker: the owner of a region of memory, with this header at its base, its entries behind.
//
// Owner: the thread that computes in it. Other threads touch only: `limit` (a beat), `pulse` and
// `seen` (whether a beat makes sense), and the crew's part. Invariants, with `tail` the context of
// the innermost task:
//   `order`     head <= tail: entries below head are promoted, entries in [head, tail) are open.
//   `oldest`    promotion takes the entry at head and moves head up: what is promoted is a prefix.
//   `settled`   a join that finds its entry promoted sets head back to it: after a join nothing at
//               or above its context is promoted.
//   `spare`     the entry at `end` may be written but is never promoted: forks nested deeper than
//               the array reuse it and run one after the other (poll() holds contexts at `end`).
#pragma once
#include <cstddef>
#include <cstdint>

#include "assert.hpp"
#include "crew.hpp"
#include "entry.hpp"
#include "job.hpp"
#include "platform.hpp"

namespace heartbeat::detail {

class team;

using member = basic_member<os_platform, job>;
using crew = basic_crew<os_platform, job>;

struct hot_words {
  // A context above `limit` must go through poll(). Normally the end of the array; a beat is
  // `nullptr`, so the check for a beat and that for the array's end are one compare. Written by
  // anyone, on a line of its own.
  alignas(64) os_platform::word<entry*> limit;
  alignas(64) entry* head;
};

struct worker : hot_words, member {
  worker(team& t, unsigned index, std::byte* region) noexcept;
  ~worker();

  // --- By the owner.
  // The context `next` is above the limit: returns the one to use instead.
  entry* poll(entry* next) noexcept;
  // The entry is promoted: returns its job, done. post: head == tail.
  job& settle(entry* tail) noexcept;
  // As settle(), but drops a job that nobody has begun: null.
  job* call_off(entry* tail) noexcept;
  void begin_run() noexcept;
  void end_run() noexcept;
  // The life of a pool's thread: runs jobs until the team stops.
  void serve() noexcept;

  bool on_owner() const noexcept;
  // relaxed: a heuristic
  bool old() const noexcept { return pulse.load_relaxed() == seen.load_relaxed(); }

  // --- By anyone.
  void beat() noexcept { limit.store_relaxed(nullptr); }  // relaxed: carries no data

  entry* const begin;
  entry* const end;
  team& owner_team;
  const unsigned number;
  const void* thread = nullptr;  // identity of the owner, for assertions
  entry* floor;                  // debug: contexts below are out of date
  job* free_jobs = nullptr;
  unsigned helping = 0;  // jobs of others that are being run, one inside the other

  // Odd while computing, a new value for each run. `seen` is what the beater last saw: equal means
  // that the run is old enough to promote. A stolen job or a run that goes on after a join is old
  // at once.
  alignas(line_size) os_platform::word<std::uint64_t> pulse{0};
  os_platform::word<std::uint64_t> seen{0};
  bool young = false;  // by the holder of the beat: not yet seen to be old

 private:
  // What a look at all runs has shown.
  struct sight {
    bool young = false;  // some run is new since the last look
    bool old = false;    // some run has been beaten
    bool grown = false;  // ... for the first time
    bool deaf = false;   // some run has not heard the last beat: blocked, or without ticks
    bool none() const noexcept { return !young && !old && !deaf; }
  };
  void ready() noexcept;
  void promote() noexcept;
  job* new_job() noexcept;
  job* promoted_at(entry* tail) noexcept;
  bool take_back(job& j) noexcept;
  void wait_for(job& j, entry* context) noexcept;
  void run_stolen(job& j, entry* tail) noexcept;

  // idle.cpp
  struct idler;
  job* find_work(job* target) noexcept;
  job* search(job* target, int turns) noexcept;
  bool over(job* target) const noexcept;
  sight look_round() noexcept;
  void note(std::uint64_t now) noexcept;
  void halt() noexcept;
  void proceed() noexcept;
};

// A stolen job shorter than this is not worth the stealing: the team becomes patient.
inline constexpr std::int64_t worth_while_ns = 10'000;

// Jobs of others run one inside the other by a joiner that helps; deeper ones just wait, so that
// helping cannot eat up the stack.
inline constexpr unsigned helping_max = 32;

// The thread's identity: the address of something thread-local.
const void* this_thread() noexcept;

}  // namespace heartbeat::detail
