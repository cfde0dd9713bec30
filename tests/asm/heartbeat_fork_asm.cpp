// The function whose machine code heartbeat_fork.py looks at: a tree sum, forking at every inner
// node.
#include <cstdint>

#include "runtimes/heartbeat/heartbeat.hpp"

struct node {
  std::uint64_t value;
  node* left;
  node* right;
};

[[gnu::noinline]] std::uint64_t tree_sum(heartbeat::context c, const node* n) {
  if (n->left == nullptr) return n->value;
  return heartbeat::fork_join(
      c, [l = n->left](heartbeat::context c) { return tree_sum(c, l); },
      [r = n->right](heartbeat::context c) { return tree_sum(c, r); },
      [v = n->value](std::uint64_t l, std::uint64_t r) { return v + l + r; });
}

int main() {
  node leaves[2]{{1, nullptr, nullptr}, {2, nullptr, nullptr}};
  node root{3, &leaves[0], &leaves[1]};
  heartbeat::pool pool{{.workers = 1}};
  return pool.run([&](heartbeat::context c) { return tree_sum(c, &root); }) == 6 ? 0 : 1;
}
