#include "runtimes/fiber/detail/core.hpp"

#include <sched.h>

#include <cerrno>
#include <stdexcept>
#include <string>

#include "runtimes/fiber/detail/futex.hpp"
#include "runtimes/fiber/detail/this_worker.hpp"
#include "runtimes/fiber/error.hpp"

namespace fiber::detail {

namespace {

constexpr std::uint32_t gate_closed = 0;
constexpr std::uint32_t gate_go = 1;
constexpr std::uint32_t gate_give_up = 2;

stack_geometry geometry_of(const options& from) {
  return {from.stack_bytes, from.max_fibers, from.stack_color, from.guard};
}

options completed(options wanted) {
  if (wanted.cpus.empty()) wanted.cpus = allowed_cpus();
  if (wanted.cpus.empty())
    throw error("cannot find out which processors this process may use; set options.cpus");
  if (wanted.places.empty()) wanted.places = read_places(wanted.cpus);
  if (wanted.places.size() != wanted.cpus.size()) {
    throw error("options.places has " + std::to_string(wanted.places.size()) +
                " entries, options.cpus " + std::to_string(wanted.cpus.size()) +
                "; they must describe the same workers");
  }
  if (wanted.service_batch < 1) throw error("options.service_batch must be at least 1");
  if (wanted.ring_entries < 1) throw error("options.ring_entries must be at least 1");
  return wanted;
}

void pin_to(int cpu) {
  const auto bytes = CPU_ALLOC_SIZE(cpu + 1);
  cpu_set_t* set = cpu < 0 ? nullptr : CPU_ALLOC(cpu + 1);
  if (set == nullptr) throw error("options.cpus names processor " + std::to_string(cpu));
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  const int failed = ::sched_setaffinity(0, bytes, set) == 0 ? 0 : errno;
  CPU_FREE(set);
  if (failed != 0) {
    throw error("cannot pin a worker to processor " + std::to_string(cpu) + ": " +
                errno_name(failed) +
                "; it is offline or outside the cpuset of this process (see `taskset -p $$`)");
  }
}

}  // namespace

core::core(const options& wanted)
    : options_(completed(wanted)),
      stacks_(geometry_of(options_)),
      report_(stacks_, options_.report_overflow) {
  const auto count = static_cast<std::uint32_t>(options_.cpus.size());
  workers_.resize(count);
  failures_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    threads_.emplace_back([this, i] { thread_body(i); });
  }
  // ORDER(fiber.start) acquire: pairs with the release in thread_body(); the workers and failures are seen.
  for (std::uint32_t seen; (seen = ready_.load(std::memory_order_acquire)) != count;)
    futex_wait(ready_, seen);
  std::string failure;
  for (const std::string& each : failures_) {
    if (failure.empty()) failure = each;
  }
  // ORDER(fiber.start) release: pairs with the acquire in thread_body(); each worker sees all others.
  gate_.store(failure.empty() ? gate_go : gate_give_up, std::memory_order_release);
  futex_wake_all(gate_);
  if (failure.empty()) return;
  for (std::thread& thread : threads_) thread.join();
  throw error(failure);
}

core::~core() {
  stop();
  for (std::thread& thread : threads_) thread.join();
}

core::visit::visit(core& host) noexcept : host_(host.here() == nullptr ? &host : nullptr) {
  // relaxed: the post that follows makes it visible to the worker, and by way of its last fiber to all others.
  if (host_ != nullptr) host_->visits_.fetch_add(1, std::memory_order_relaxed);
}

core::visit::~visit() {
  // ORDER(fiber.visit) release: pairs with the acquire in ~core().
  if (host_ != nullptr) host_->visits_.fetch_sub(1, std::memory_order_release);
}

void core::stop() noexcept {
  const visit until_all_are_told(*this);
  // ORDER(fiber.stop) release: pairs with the acquire in stopping().
  stopping_.store(true, std::memory_order_release);
  // A message, not only a flag: a worker about to sleep cannot miss a message.
  for (worker* each : workers_) each->post(each->stop_notice());
}

void core::bind_worker(std::uint32_t index) const {
  if (options_.bind) {
    options_.bind(index);
  } else {
    pin_to(options_.cpus[index]);
  }
}

void core::thread_body(std::uint32_t index) noexcept {
  std::unique_ptr<worker> self;
  const signal_stack signals(options_.report_overflow);
  try {
    bind_worker(index);
    self = std::make_unique<worker>(*this, index);
    workers_[index] = self.get();
  } catch (const std::exception& failure) {
    failures_[index] = failure.what();
  }
  // ORDER(fiber.start) release: pairs with the acquire in core().
  ready_.fetch_add(1, std::memory_order_release);
  futex_wake_all(ready_);
  std::uint32_t gate;
  // ORDER(fiber.start) acquire: pairs with the release in core().
  while ((gate = gate_.load(std::memory_order_acquire)) == gate_closed)
    futex_wait(gate_, gate_closed);
  if (gate == gate_give_up) return;
  self->loop();
  // Others may still post to this worker or ring it until they have all seen that nothing is left.
  // ORDER(fiber.end) acq_rel: each worker's last access to another comes before any worker is destroyed.
  //   pairs: the acquire below.
  left_.fetch_add(1, std::memory_order_acq_rel);
  futex_wake_all(left_);
  // ORDER(fiber.end) acquire: pairs with the release above.
  for (std::uint32_t seen; (seen = left_.load(std::memory_order_acquire)) != size();)
    futex_wait(left_, seen);
  // ORDER(fiber.visit) acquire: pairs with the release in ~visit(); a visitor's last touch comes before the worker
  //   goes.
  while (visits_.load(std::memory_order_acquire) != 0) ::sched_yield();
}

worker* core::here() noexcept {
  worker* found = this_worker();
  return found != nullptr && &found->group() == this ? found : nullptr;
}

control_block* core::take_block() {
  worker* found = here();
  return found != nullptr ? found->take_block() : stacks_.take(1);
}

void core::launch(control_block& block) noexcept {
  if (worker* found = here(); found != nullptr) {
    block.home = found;
    found->started();
    found->push(block);
    return;
  }
  launch_on(next_target(), block);
}

// Workers in turn, but one that sleeps before one that may be busy.
std::uint32_t core::next_target() noexcept {
  // relaxed: any worker will do
  const std::uint32_t turn = next_worker_.fetch_add(1, std::memory_order_relaxed);
  if (parked() == 0) return turn % size();
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (at((turn + i) % size()).sleeps()) return (turn + i) % size();
  }
  return turn % size();
}

void core::launch_on(std::uint32_t index, control_block& block) noexcept {
  worker& target = at(index);
  block.home = &target;
  // relaxed: whoever sees the fiber finished has seen this, by way of the inbox.
  launched_.fetch_add(1, std::memory_order_relaxed);
  target.post(block);
}

// Invariant: a fiber that is not counted as finished was counted as started by somebody whose finish, if counted
// below, makes the start visible. So reading all `finished` first, then all `started`, cannot miss a running fiber.
bool core::quiescent() const noexcept {
  if (!stopping()) return false;
  std::uint64_t finished = 0;
  for (const worker* each : workers_) {
    // ORDER(fiber.quiet) acquire: the starts made by the fibers counted here are seen below.
    //   pairs: the release in worker::end_of_fiber.  without: the scheduler could stop with fibers left.
    finished += each->counts().finished.load(std::memory_order_acquire);
  }
  // relaxed: ordered by the acquire above
  std::uint64_t started = launched_.load(std::memory_order_relaxed);
  for (const worker* each : workers_) {
    started += each->counts().started.get();
  }
  return started == finished;
}

counters core::totals() const noexcept {
  counters sum;
  sum.started = launched_.load(std::memory_order_relaxed);  // relaxed: statistics
  for (const worker* each : workers_) {
    const worker_counters& from = each->counts();
    const std::uint64_t finished =
        from.finished.load(std::memory_order_relaxed);  // relaxed: statistics
    sum.started += from.started.get();
    sum.finished += finished;
    sum.yields += from.yields.get();
    sum.suspensions += from.returns.get() - finished;
    sum.steals += from.steals.get();
    sum.parks += from.parks.get();
    sum.wakes += from.wakes.get();
    sum.enters += each->enters();
    sum.submits += from.submits.get();
    sum.completions += from.completions.get();
    sum.services += from.services.get();
  }
  return sum;
}

}  // namespace fiber::detail
