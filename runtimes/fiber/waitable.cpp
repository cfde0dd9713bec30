#include "runtimes/fiber/waitable.hpp"

#include <alloca.h>

#include <new>

#include "runtimes/fiber/detail/misuse.hpp"
#include "runtimes/fiber/detail/parker.hpp"

namespace fiber {

namespace {

void fire_all(detail::wait_node* chain) noexcept {
  while (chain != nullptr) {
    detail::wait_node* next = chain->next;  // the node is gone once fired
    chain->who->fire();
    chain = next;
  }
}

}  // namespace

// One sleep over several waitables: a node in each, one parker for all. A node whose waitable was done already, or
// whose waitable was set since, counts as done, even if an event has been reset meanwhile.
class wait_set {
 public:
  struct outcome {
    std::size_t first = none_done;
    std::size_t count = 0;
  };

  wait_set(std::span<waitable* const> what, detail::wait_node* nodes) noexcept
      : what_(what), nodes_(nodes) {
    for (std::size_t i = 0; i < what_.size(); ++i) {
      nodes_[i].who = &parker_;
      if (what_[i]->word_.add(nodes_[i])) continue;
      nodes_[i].who = nullptr;
      ++done_;
    }
  }

  // Sleeps until `wanted` of them are done, then takes the nodes back. Those that a setter holds will fire, and until
  // then the frame must stay.
  outcome sleep(std::size_t wanted, std::int64_t deadline_ns) noexcept {
    if (wanted > done_) parker_.park(static_cast<std::uint32_t>(wanted - done_), deadline_ns);
    // If all have fired there is nothing to take back, and a waitable may be gone by now.
    if (parker_.park(static_cast<std::uint32_t>(what_.size() - done_), 0)) return {0, what_.size()};
    outcome result;
    std::uint32_t fires = 0;
    for (std::size_t i = 0; i < what_.size(); ++i) {
      const bool was_done = nodes_[i].who == nullptr;
      if (!was_done && what_[i]->word_.remove(nodes_[i])) continue;
      if (!was_done) ++fires;
      if (result.count++ == 0) result.first = i;
    }
    parker_.park(fires);
    return result;
  }

 private:
  std::span<waitable* const> what_;
  detail::wait_node* nodes_;
  std::size_t done_ = 0;
  detail::parker parker_;
};

namespace {

wait_set::outcome sleep_until_done(std::span<waitable* const> what, std::size_t wanted,
                                   std::int64_t deadline_ns) noexcept {
  if (what.size() > most_waitables)
    detail::misuse("wait_any or wait_all over more than 1024 waitables; wait in groups");
  auto* nodes = static_cast<detail::wait_node*>(alloca(what.size() * sizeof(detail::wait_node)));
  for (std::size_t i = 0; i < what.size(); ++i) new (&nodes[i]) detail::wait_node{};
  return wait_set(what, nodes).sleep(wanted, deadline_ns);
}

}  // namespace

void waitable::set_done() noexcept { fire_all(word_.set()); }

bool waitable::wait_until(std::int64_t deadline_ns) noexcept {
  if (done()) return true;
  waitable* self = this;
  detail::wait_node node;
  return wait_set({&self, 1}, &node).sleep(1, deadline_ns).count == 1;
}

std::size_t wait_any(std::span<waitable* const> what, std::int64_t deadline_ns) noexcept {
  return what.empty() ? none_done : sleep_until_done(what, 1, deadline_ns).first;
}

bool wait_all(std::span<waitable* const> what, std::int64_t deadline_ns) noexcept {
  return sleep_until_done(what, what.size(), deadline_ns).count == what.size();
}

}  // namespace fiber
