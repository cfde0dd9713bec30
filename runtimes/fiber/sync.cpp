#include "runtimes/fiber/sync.hpp"

#include <mutex>

namespace fiber {

namespace detail {

bool sleep_in_queue(wait_queue& queue, spinlock& lock, queue_node& node,
                    std::int64_t deadline_ns) noexcept {
  queue.push_back(node);
  lock.unlock();
  return sleep_queued(queue, lock, node, deadline_ns);
}

bool sleep_queued(wait_queue& queue, spinlock& lock, queue_node& node,
                  std::int64_t deadline_ns) noexcept {
  if (node.who.park(1, deadline_ns)) return true;
  lock.lock();
  const bool granted = !node.linked;
  if (!granted) queue.remove(node);
  lock.unlock();
  if (granted)
    node.who.park();  // who popped the node is about to fire it; until then the frame must stay
  return granted;
}

void fire_chain(queue_node* chain) noexcept {
  while (chain != nullptr) {
    queue_node* next = chain->next;  // the node is gone once fired
    chain->who.fire();
    chain = next;
  }
}

channel_gate::channel_gate(std::size_t capacity) : capacity_(capacity) {
  if (capacity == 0)
    throw error("a channel of capacity 0 could never hold a value; use at least 1");
}

bool channel_gate::begin_send(std::int64_t deadline_ns) noexcept {
  guard_.lock();
  while (used_ == capacity_ && !closed_) {
    queue_node node;
    if (!sleep_in_queue(senders_, guard_, node, deadline_ns)) return false;
    guard_.lock();
  }
  if (!closed_) return true;
  guard_.unlock();
  return false;
}

void channel_gate::sent() noexcept {
  ++used_;
  queue_node* receiver = receivers_.pop_front();
  guard_.unlock();
  if (receiver != nullptr) receiver->who.fire();
}

bool channel_gate::begin_receive(std::int64_t deadline_ns) noexcept {
  guard_.lock();
  while (used_ == 0 && !closed_) {
    queue_node node;
    if (!sleep_in_queue(receivers_, guard_, node, deadline_ns)) return false;
    guard_.lock();
  }
  if (used_ != 0) return true;
  guard_.unlock();
  return false;
}

void channel_gate::received() noexcept {
  first_ = (first_ + 1) % capacity_;
  --used_;
  queue_node* sender = senders_.pop_front();
  guard_.unlock();
  if (sender != nullptr) sender->who.fire();
}

void channel_gate::close() noexcept {
  guard_.lock();
  closed_ = true;
  queue_node* senders = senders_.take_all();
  queue_node* receivers = receivers_.take_all();
  guard_.unlock();
  fire_chain(senders);
  fire_chain(receivers);
}

bool channel_gate::closed() noexcept {
  const std::lock_guard hold(guard_);
  return closed_;
}

}  // namespace detail

// --- mutex

void mutex::lock() noexcept {
  guard_.lock();
  if (!held_) {
    held_ = true;
    guard_.unlock();
    return;
  }
  detail::queue_node node;
  detail::sleep_in_queue(waiters_, guard_, node, no_deadline);  // the lock was handed over
}

bool mutex::try_lock() noexcept {
  const std::lock_guard hold(guard_);
  if (held_) return false;
  held_ = true;
  return true;
}

void mutex::unlock() noexcept {
  guard_.lock();
  detail::queue_node* next = waiters_.pop_front();
  held_ = next != nullptr;
  guard_.unlock();
  if (next != nullptr) next->who.fire();
}

// --- shared_mutex

detail::queue_node* shared_mutex::admit() noexcept {
  if (writer_ || waiters_.empty()) return nullptr;
  if (waiters_.front()->exclusive) {
    if (readers_ != 0) return nullptr;
    writer_ = true;
    detail::queue_node* next = waiters_.pop_front();
    next->next = nullptr;
    return next;
  }
  detail::queue_node* chain = nullptr;
  detail::queue_node** tail = &chain;
  while (!waiters_.empty() && !waiters_.front()->exclusive) {
    ++readers_;
    *tail = waiters_.pop_front();
    tail = &(*tail)->next;
  }
  *tail = nullptr;
  return chain;
}

void shared_mutex::lock() noexcept {
  guard_.lock();
  if (!writer_ && readers_ == 0 && waiters_.empty()) {
    writer_ = true;
    guard_.unlock();
    return;
  }
  detail::queue_node node;
  detail::sleep_in_queue(waiters_, guard_, node, no_deadline);
}

bool shared_mutex::try_lock() noexcept {
  const std::lock_guard hold(guard_);
  if (writer_ || readers_ != 0) return false;
  writer_ = true;
  return true;
}

void shared_mutex::unlock() noexcept {
  guard_.lock();
  writer_ = false;
  detail::queue_node* chain = admit();
  guard_.unlock();
  detail::fire_chain(chain);
}

void shared_mutex::lock_shared() noexcept {
  guard_.lock();
  if (!writer_ && waiters_.empty()) {
    ++readers_;
    guard_.unlock();
    return;
  }
  detail::queue_node node;
  node.exclusive = false;
  detail::sleep_in_queue(waiters_, guard_, node, no_deadline);
}

bool shared_mutex::try_lock_shared() noexcept {
  const std::lock_guard hold(guard_);
  if (writer_ || !waiters_.empty()) return false;
  ++readers_;
  return true;
}

void shared_mutex::unlock_shared() noexcept {
  guard_.lock();
  --readers_;
  detail::queue_node* chain = admit();
  guard_.unlock();
  detail::fire_chain(chain);
}

// --- condition

void condition::notify_one() noexcept {
  guard_.lock();
  detail::queue_node* next = waiters_.pop_front();
  guard_.unlock();
  if (next != nullptr) next->who.fire();
}

void condition::notify_all() noexcept {
  guard_.lock();
  detail::queue_node* chain = waiters_.take_all();
  guard_.unlock();
  detail::fire_chain(chain);
}

bool condition::wait_until(std::unique_lock<mutex>& held, std::int64_t deadline_ns) noexcept {
  detail::queue_node node;
  guard_.lock();
  waiters_.push_back(node);
  guard_.unlock();
  held.unlock();  // only now: a notification that follows it must find the node
  const bool notified = detail::sleep_queued(waiters_, guard_, node, deadline_ns);
  held.lock();
  return notified;
}

// --- semaphore

bool semaphore::acquire_until(std::int64_t deadline_ns) noexcept {
  guard_.lock();
  if (permits_ != 0) {
    --permits_;
    guard_.unlock();
    return true;
  }
  detail::queue_node node;
  return detail::sleep_in_queue(waiters_, guard_, node, deadline_ns);
}

bool semaphore::try_acquire() noexcept {
  const std::lock_guard hold(guard_);
  if (permits_ == 0) return false;
  --permits_;
  return true;
}

void semaphore::release(std::uint64_t permits) noexcept {
  detail::queue_node* chain = nullptr;
  detail::queue_node** tail = &chain;
  guard_.lock();
  for (; permits > 0 && !waiters_.empty(); --permits) {
    *tail = waiters_.pop_front();
    tail = &(*tail)->next;
  }
  *tail = nullptr;
  permits_ += permits;
  guard_.unlock();
  detail::fire_chain(chain);
}

// --- sequencer

namespace {
constexpr std::uintptr_t sequencer_free = 0;
constexpr std::uintptr_t sequencer_busy = 1;
}  // namespace

void sequencer::request::execute() noexcept {
  try {
    call(argument);
  } catch (...) {
    failure = std::current_exception();
  }
}

// True: the caller has the role. False: the request is in line.
bool sequencer::enter(request& mine) noexcept {
  std::uintptr_t old = word_.load(std::memory_order_relaxed);  // relaxed: the exchange decides
  for (;;) {
    const bool is_free = old == sequencer_free;
    mine.next = old <= sequencer_busy ? nullptr : reinterpret_cast<request*>(old);
    const std::uintptr_t wanted =
        is_free ? sequencer_busy : reinterpret_cast<std::uintptr_t>(&mine);
    // ORDER(fiber.sequencer) acq_rel: release shows the request to the combiner; acquire, when free, shows what the
    //   bodies before wrote.  pairs: the acquire and release in take_arrived().
    if (word_.compare_exchange_weak(old, wanted, std::memory_order_acq_rel,
                                    std::memory_order_relaxed))
      return is_free;
  }
}

// Those that came since the last time, oldest first. Null: there were none, and the role is given up.
sequencer::request* sequencer::take_arrived() noexcept {
  std::uintptr_t expected = sequencer_busy;
  // ORDER(fiber.sequencer) release: what the bodies wrote is seen by the next who finds it free.
  //   pairs: the acq_rel in enter().
  if (word_.compare_exchange_strong(expected, sequencer_free, std::memory_order_release,
                                    std::memory_order_relaxed)) {
    return nullptr;
  }
  // ORDER(fiber.sequencer) acquire: the requests are seen whole.  pairs: the acq_rel in enter().
  auto* newest =
      reinterpret_cast<request*>(word_.exchange(sequencer_busy, std::memory_order_acquire));
  request* line = nullptr;
  while (newest != nullptr) {
    request* older = newest->next;
    newest->next = line;
    line = newest;
    newest = older;
  }
  return line;
}

void sequencer::combine(request* line) noexcept {
  for (std::uint32_t count = 0; line != nullptr || (line = take_arrived()) != nullptr; ++count) {
    request& first = *line;
    line = first.next;
    if (count == most_combined) {
      first.rest = line;
      first.must_combine = true;
      first.who.fire();
      return;
    }
    first.execute();
    first.who.fire();
  }
}

void sequencer::run_request(request& mine) noexcept {
  if (!enter(mine)) {
    mine.who.park();
    if (!mine.must_combine) return;
  }
  mine.execute();
  combine(mine.rest);
}

}  // namespace fiber
