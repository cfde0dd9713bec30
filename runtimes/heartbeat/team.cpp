#include "team.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <system_error>

#include "pool.hpp"

namespace heartbeat {
namespace detail {
namespace {

// Which worker this thread used last. The id guards against a team that is gone: ids are never used
// twice.
struct visit_hint {
  std::uint64_t team = 0;
  worker* last = nullptr;
};
thread_local constinit visit_hint hint;

std::uint64_t new_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: only uniqueness matters
}

unsigned usable_cpus() noexcept {
  cpu_set_t set;
  const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
  return n > 0 ? static_cast<unsigned>(n) : std::max(1U, std::thread::hardware_concurrency());
}

options completed(options o) {
  if (o.beat_interval_ns < 1000 || o.beat_interval_ns > 1'000'000'000) {
    throw std::invalid_argument("heartbeat: beat_interval_ns is " +
                                std::to_string(o.beat_interval_ns) +
                                "; it must be between 1000 (1 us) and 1000000000 (1 s)");
  }
  if (o.workers == 0) o.workers = usable_cpus();
  return o;
}

}  // namespace

const void* this_thread() noexcept { return &hint; }

team::team(options o)
    : settings(completed(std::move(o))), id_(new_id()), regions_(settings.workers - 1) {
  try {
    start_threads();
  } catch (...) {
    stop_threads();
    throw;
  }
}

team::~team() {
  stop_threads();
  for (worker* w : guests_) {
    // relaxed: all runs have ended and told us so by other means, else this very check fails
    require(!w->claimed.load_relaxed(),
            "a pool is destroyed while a run is going on; end all runs first");
    w->~worker();
  }
}

void team::start_threads() {
  const unsigned count = settings.workers - 1;
  workers_.reserve(count);
  threads_.reserve(count);
  std::latch started(count);
  for (unsigned number = 1; number <= count; ++number) {
    try {
      threads_.emplace_back([this, number, &started] { thread_main(number, started); });
    } catch (const std::system_error& e) {
      started.count_down(count - number + 1);
      started.wait();
      throw std::system_error(
          e.code(), "heartbeat: cannot start worker thread " + std::to_string(number) + " of " +
                        std::to_string(count) +
                        "; use fewer workers or raise the limit (ulimit -u, cgroup pids.max)");
    }
  }
  started.wait();
  if (failure_) std::rethrow_exception(failure_);
}

void team::thread_main(unsigned number, std::latch& started) noexcept {
  prctl(PR_SET_TIMERSLACK, 1UL);  // the default of 50 us would make every beat half a beat late
  pthread_setname_np(pthread_self(), ("heartbeat/" + std::to_string(number)).substr(0, 15).c_str());
  std::byte* const base = regions_[number - 1];
  worker* w = nullptr;
  try {
    if (settings.on_worker_start) settings.on_worker_start(number);
    // Made by its own thread, after it may have been pinned, so that the pages lie near.
    w = ::new (base) worker(*this, number, base);
    add(*w);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  started.count_down();
  if (w != nullptr) w->serve();
}

void team::add(worker& w) {
  const std::lock_guard lock(mutex_);
  workers_.push_back(&w);  // reserved
  members.enlist(w);
}

void team::stop_threads() noexcept {
  members.stop();
  for (std::thread& t : threads_) t.join();
  for (worker* w : workers_) w->~worker();
}

worker& team::enter() {
  worker* w = hint.last;
  if (hint.team != id_ || !members.begin_run(*w)) w = &enter_slowly();
  w->begin_run();
  return *w;
}

void team::leave(worker& w) noexcept {
  w.end_run();
  members.end_run(w);
}

worker& team::enter_slowly() {
  const std::lock_guard lock(mutex_);
  worker* found = nullptr;
  for (worker* w : guests_) {
    if (members.begin_run(*w)) {
      found = w;
      break;
    }
  }
  if (found == nullptr) found = &new_guest();
  hint = {id_, found};
  return *found;
}

worker& team::new_guest() {
  guests_.reserve(guests_.size() + 1);
  std::byte* const base = guest_regions_.emplace_back(1)[0];
  auto* const w = ::new (base) worker(*this, 0, base);
  members.begin_run(*w);
  members.enlist(*w);
  members.announce_run();
  guests_.push_back(w);
  return *w;
}

}  // namespace detail

pool::pool(options o) : team_(std::make_unique<detail::team>(std::move(o))) {}
pool::~pool() = default;
unsigned pool::workers() const noexcept { return team_->settings.workers; }
detail::worker& pool::enter(detail::team& t) { return t.enter(); }
void pool::leave(detail::team& t, detail::worker& w) noexcept { t.leave(w); }

}  // namespace heartbeat
