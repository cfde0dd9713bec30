// Options of a pool.
#pragma once
#include <cstdint>
#include <functional>

namespace heartbeat {

struct options {
  // Threads that compute, the caller of pool::run included: the pool starts workers - 1 threads of
  // its own. When several threads are inside run() at once, each computes. 0: as many as the CPUs
  // that the process may use.
  unsigned workers = 0;

  // About how often an idle worker asks the busy ones to share; at least 1000. Also the age from
  // which a run shares: shorter runs stay on their thread.
  std::int64_t beat_interval_ns = 100'000;

  // Called once in each thread that the pool starts, with its number, 1 .. workers - 1, before it
  // takes work; the constructor waits for all of them. A place to pin the thread. Number 0 is
  // whoever calls run(), and is not announced. If it throws, the constructor of the pool throws the
  // same.
  std::function<void(unsigned worker)> on_worker_start = {};

  // For tests: every fork and every tick() is a beat, whatever the age of the run and whether
  // anybody is idle. So the first fork of a run is always promoted, also with one worker (which
  // then takes it back at the join).
  bool beat_always = false;
};

}  // namespace heartbeat
