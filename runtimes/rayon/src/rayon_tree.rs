//! tree and grain as a user of Rayon would write them, over the arena that C++ has built.

use crate::joiner::{Forks, InTurn, Joiner};

/// bb::tree::node. A null pointer is None.
#[repr(C)]
pub struct Node {
    value: u64,
    left: Option<&'static Node>,
    right: Option<&'static Node>,
}

/// What a node adds to the sum.
trait Work: Copy + Send + Sync {
    fn of(self, value: u64) -> u64;
}

#[derive(Clone, Copy)]
struct Value;
impl Work for Value {
    fn of(self, value: u64) -> u64 {
        value
    }
}

/// bb::grain::hash.
#[derive(Clone, Copy)]
struct Hash {
    rounds: u64,
}
impl Work for Hash {
    fn of(self, value: u64) -> u64 {
        (0..self.rounds).fold(value, |h, _| (h ^ (h >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// Forks at every node with two children.
fn sum<J: Joiner, W: Work>(node: &Node, work: W) -> u64 {
    let own = work.of(node.value);
    match (node.left, node.right) {
        (Some(l), Some(r)) => {
            let (a, b) = J::join(|| sum::<J, W>(l, work), || sum::<J, W>(r, work));
            own.wrapping_add(a).wrapping_add(b)
        }
        (Some(child), None) | (None, Some(child)) => own.wrapping_add(sum::<J, W>(child, work)),
        (None, None) => own,
    }
}

/// bb::tree::input::split: the sizes of the two children of a node of n nodes.
fn split(n: u64, skewed: bool) -> (u64, u64) {
    let rest = n - 1;
    let left = if skewed {
        rest / 10 * 9 + rest % 10 * 9 / 10
    } else {
        rest / 2
    };
    (left, rest - left)
}

/// Forks only where more than `bound` nodes hang below.
fn sum_above<W: Work>(node: &Node, work: W, size: u64, skewed: bool, bound: u64) -> u64 {
    match (node.left, node.right) {
        (Some(l), Some(r)) if size > bound => {
            let own = work.of(node.value);
            let (left, right) = split(size, skewed);
            let (a, b) = rayon::join(
                || sum_above(l, work, left, skewed, bound),
                || sum_above(r, work, right, skewed, bound),
            );
            own.wrapping_add(a).wrapping_add(b)
        }
        _ => sum::<InTurn, W>(node, work),
    }
}

fn start<W: Work>(root: &Node, work: W, size: u64, skewed: bool, bound: u64) -> u64 {
    if bound > 1 {
        sum_above(root, work, size, skewed, bound)
    } else {
        sum::<Forks, W>(root, work)
    }
}

#[no_mangle]
pub extern "C" fn bb_rayon_tree(root: &'static Node, size: u64, skewed: bool, bound: u64) -> u64 {
    start(root, Value, size, skewed, bound)
}

#[no_mangle]
pub extern "C" fn bb_rayon_grain(root: &'static Node, size: u64, rounds: u64, bound: u64) -> u64 {
    start(root, Hash { rounds }, size, false, bound)
}
