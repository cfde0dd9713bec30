#include "runtimes/fiber/scheduler.hpp"

#include <sched.h>

#include <algorithm>
#include <new>
#include <string>

#include "runtimes/fiber/detail/core.hpp"
#include "runtimes/fiber/detail/misuse.hpp"
#include "runtimes/fiber/detail/parker.hpp"
#include "runtimes/fiber/detail/this_worker.hpp"
#include "runtimes/fiber/fiber.hpp"

namespace fiber {

scheduler::scheduler(const options& wanted) : core_(std::make_unique<detail::core>(wanted)) {}
scheduler::~scheduler() = default;

std::uint32_t scheduler::workers() const noexcept { return core_->size(); }
counters scheduler::totals() const noexcept { return core_->totals(); }
stack_guard scheduler::guard() const noexcept { return core_->stacks().guard(); }

namespace {

// Only the thread of a ring may register with it: a fiber on each worker does it.
template <class Register>
int on_every_ring(scheduler& pool, Register act) {
  int failed = 0;
  for (std::uint32_t i = 0; i < pool.workers() && failed == 0; ++i) {
    future<int> answer;
    pool.launch_on(i, [&] { answer.set(act(detail::this_worker()->ring().raw())); });
    failed = answer.get();
  }
  return failed;
}

}  // namespace

int scheduler::register_files(std::span<const int> descriptors) {
  return on_every_ring(*this, [&](io_uring& ring) {
    return ::io_uring_register_files(&ring, descriptors.data(),
                                     static_cast<unsigned>(descriptors.size()));
  });
}

int scheduler::register_buffers(std::span<const iovec> buffers) {
  return on_every_ring(*this, [&](io_uring& ring) {
    return ::io_uring_register_buffers(&ring, buffers.data(),
                                       static_cast<unsigned>(buffers.size()));
  });
}

void sleep_until(std::int64_t deadline_ns) noexcept {
  detail::parker sleeper;
  sleeper.park(1, deadline_ns);
}

std::uint32_t this_fiber_id() noexcept { return detail::this_worker()->running()->id; }
std::uint32_t this_worker_index() noexcept { return detail::this_worker()->index(); }
void name_this_fiber(const char* name) noexcept { detail::this_worker()->running()->name = name; }

void move_to_worker(std::uint32_t index) noexcept {
  using namespace detail;
  worker& here = *this_worker();
  if (index >= here.group().size()) misuse("move_to_worker: there is no worker of that index");
  if (index == here.index()) return yield();
  struct move {
    control_block* block;
    worker* target;
  } wanted{here.running(), &here.group().at(index)};
  here.suspend(
      [](worker&, void* argument) noexcept {
        const move asked =
            *static_cast<move*>(argument);  // a copy: once posted, the fiber's frame may be gone
        asked.block->home = asked.target;
        asked.target->post(*asked.block);
      },
      &wanted);
}

namespace detail {

void yield_thread() noexcept { ::sched_yield(); }

core& this_core() noexcept {
  worker* here = this_worker();
  if (here == nullptr)
    misuse("fiber::spawn was called outside a fiber; use scheduler.spawn() or scheduler.run()");
  return here->group();
}

control_block& claim_block(core& group, std::size_t closure_bytes) {
  const std::size_t most = group.stacks().stack_bytes() / 2;
  if (closure_bytes > most) {
    throw error("a function object of " + std::to_string(closure_bytes) +
                " bytes does not fit: half a stack is " + std::to_string(most) +
                "; raise options.stack_bytes or pass large data by pointer");
  }
  control_block& block = *group.take_block();
  sanitizer_create(block.sanitizer);
  return block;
}

void return_block(core& group, control_block& block) noexcept {
  sanitizer_destroy(block.sanitizer);
  group.stacks().give(&block, &block);
}

void* closure_place(control_block& block, std::size_t bytes, std::size_t alignment) noexcept {
  const auto unit = std::max<std::uintptr_t>(alignment, 16);
  return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(block.stack_top) - bytes) /
                                 unit * unit);
}

void prepare_block(control_block& block, void* closure, void (*run)(void*)) noexcept {
  block.run = run;
  block.closure = closure;
  block.name = nullptr;
  block.bound = 0;
  ++block.generation;
  block.state = fiber_state::runnable;
  block.ctx = make_context(closure, fiber_main, &block);
}

void launch(core& group, control_block& block) noexcept { group.launch(block); }

void launch_on(core& group, std::uint32_t index, control_block& block) {
  if (index >= group.size()) {
    return_block(group, block);
    throw error("there is no worker " + std::to_string(index) + "; the scheduler has " +
                std::to_string(group.size()));
  }
  ++block.bound;
  group.launch_on(index, block);
}

}  // namespace detail
}  // namespace fiber
