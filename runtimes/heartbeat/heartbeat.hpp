// heartbeat: fork/join for C++20 whose forks cost next to nothing.
//
//     heartbeat::pool pool{{.workers = 8}};
//
//     std::uint64_t sum(heartbeat::context c, const node* n) {
//       if (!n) return 0;
//       return heartbeat::fork_join(
//           c, [l = n->left](heartbeat::context c) { return sum(c, l); },
//           [r = n->right](heartbeat::context c) { return sum(c, r); },
//           [v = n->value](std::uint64_t l, std::uint64_t r) { return v + l + r; });
//     }
//
//     auto total = pool.run([&](heartbeat::context c) { return sum(c, root); });
//
// A fork only notes what could be shared. About every 100 us an idle worker asks for work (a
// *beat*), and a busy worker then gives away its oldest fork, the largest piece. So there is no
// grain size to choose: fork as fine as you like.
//
//   pool       threads; pool::run(task) enters it (pool.hpp, options.hpp)
//   fork_join  two branches, then both results (fork_join.hpp)
//   context    a task's place, handed down by value; tick() in long stretches without forks
//   (context.hpp)
//
// The idea is Spice's (J. Aasen, github.com/judofyr/spice), after Acar et al., "Heartbeat
// scheduling" (PLDI 2018). DESIGN.md has the whole.
#pragma once
#include "context.hpp"
#include "fork_join.hpp"
#include "options.hpp"
#include "pool.hpp"
