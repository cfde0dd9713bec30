//! Workloads without an input in memory: fork, fib, skynet, nqueens, fanout. Each is the body of workloads/NAME.hpp.

use crate::joiner::{Forks, InTurn, Joiner};

fn leaves<J: Joiner>(forks: u64, bound: u64) -> u64 {
    if forks == 0 {
        return 1;
    }
    if J::stops(forks, bound) {
        return leaves::<InTurn>(forks, 0);
    }
    let left = (forks - 1) / 2;
    let (a, b) = J::join(
        || leaves::<J>(left, bound),
        || leaves::<J>(forks - 1 - left, bound),
    );
    a + b
}

/// `calls[n]` is the number of calls that fib(n) makes.
fn fib<J: Joiner>(n: u32, calls: &[u64; 61], bound: u64) -> u64 {
    if n < 2 {
        return n.into();
    }
    if J::stops(calls[n as usize], bound) {
        return fib::<InTurn>(n, calls, 0);
    }
    let (a, b) = J::join(|| fib::<J>(n - 1, calls, bound), || fib::<J>(n - 2, calls, bound));
    a + b
}

fn skynet<J: Joiner>(first: u64, size: u64, bound: u64) -> u64 {
    if size == 1 {
        return first;
    }
    if J::stops(size, bound) {
        return skynet::<InTurn>(first, size, 0);
    }
    children::<J>(first, size / 10, 10, bound)
}

fn children<J: Joiner>(first: u64, size: u64, count: u64, bound: u64) -> u64 {
    if count == 1 {
        return skynet::<J>(first, size, bound);
    }
    let left = count / 2;
    let (a, b) = J::join(
        || children::<J>(first, size, left, bound),
        || children::<J>(first + left * size, size, count - left, bound),
    );
    a + b
}

#[derive(Clone, Copy)]
struct Board {
    all: u32,
    taken: u32,
    falling: u32,
    rising: u32,
}

impl Board {
    fn free(self) -> u32 {
        self.all & !(self.taken | self.falling | self.rising)
    }
    fn with(self, queen: u32) -> Board {
        Board {
            all: self.all,
            taken: self.taken | queen,
            falling: (self.falling | queen) << 1,
            rising: (self.rising | queen) >> 1,
        }
    }
}

fn row(b: Board) -> u64 {
    if b.taken == b.all {
        return 1;
    }
    match b.free() {
        0 => 0,
        free => fields(b, free),
    }
}

fn fields(b: Board, free: u32) -> u64 {
    let first = free & free.wrapping_neg();
    let rest = free ^ first;
    if rest == 0 {
        return row(b.with(first));
    }
    let (x, y) = rayon::join(|| row(b.with(first)), || fields(b, rest));
    x + y
}

fn task(number: u64) -> u64 {
    let h = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h ^ (h >> 29)
}

fn fanout<J: Joiner>(first: u64, count: u64, bound: u64) -> u64 {
    if count == 1 {
        return task(first);
    }
    if J::stops(count, bound) {
        return fanout::<InTurn>(first, count, 0);
    }
    let left = count / 2;
    let (a, b) = J::join(
        || fanout::<J>(first, left, bound),
        || fanout::<J>(first + left, count - left, bound),
    );
    a.wrapping_add(b)
}

#[no_mangle]
pub extern "C" fn bb_rayon_fork(forks: u64, bound: u64) -> u64 {
    leaves::<Forks>(forks, bound)
}

#[no_mangle]
pub extern "C" fn bb_rayon_fib(n: u32, calls: &[u64; 61], bound: u64) -> u64 {
    fib::<Forks>(n, calls, bound)
}

#[no_mangle]
pub extern "C" fn bb_rayon_skynet(leaves: u64, bound: u64) -> u64 {
    skynet::<Forks>(0, leaves, bound)
}

#[no_mangle]
pub extern "C" fn bb_rayon_nqueens(queens: u32) -> u64 {
    row(Board {
        all: (1 << queens) - 1,
        taken: 0,
        falling: 0,
        rising: 0,
    })
}

#[no_mangle]
pub extern "C" fn bb_rayon_fanout(tasks: u64, bound: u64) -> u64 {
    fanout::<Forks>(0, tasks, bound)
}
