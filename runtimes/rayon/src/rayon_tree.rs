//! The tree workload as a user of Rayon would write it, over the arena that C++ has built.

/// bb::tree::node. A null pointer is None.
#[repr(C)]
pub struct Node {
    value: u64,
    left: Option<&'static Node>,
    right: Option<&'static Node>,
}

fn sum(node: &Node) -> u64 {
    match (node.left, node.right) {
        (Some(l), Some(r)) => {
            let (a, b) = rayon::join(|| sum(l), || sum(r));
            node.value + a + b
        }
        (Some(child), None) | (None, Some(child)) => node.value + sum(child),
        (None, None) => node.value,
    }
}

fn serial(node: &Node) -> u64 {
    node.value + node.left.map_or(0, serial) + node.right.map_or(0, serial)
}

/// bb::tree::input::split: the sizes of the two children of a node of n nodes.
fn split(n: u64, skewed: bool) -> (u64, u64) {
    let rest = n - 1;
    let left = if skewed { rest / 10 * 9 + rest % 10 * 9 / 10 } else { rest / 2 };
    (left, rest - left)
}

fn sum_above(node: &Node, size: u64, skewed: bool, bound: u64) -> u64 {
    match (node.left, node.right) {
        (Some(l), Some(r)) if size > bound => {
            let (left, right) = split(size, skewed);
            let (a, b) = rayon::join(
                || sum_above(l, left, skewed, bound),
                || sum_above(r, right, skewed, bound),
            );
            node.value + a + b
        }
        _ => serial(node),
    }
}

/// Values wrap in C++; here too, since release builds do not check. `bound` 0 joins at every node.
#[no_mangle]
pub extern "C" fn bb_rayon_tree_sum(root: &'static Node, size: u64, skewed: bool, bound: u64) -> u64 {
    if bound > 1 {
        sum_above(root, size, skewed, bound)
    } else {
        sum(root)
    }
}
