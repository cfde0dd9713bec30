//! Two branches, by Rayon or one after the other: a body is written once for both sides of its cut-off.

pub trait Joiner {
    fn join<A, B, X, Y>(a: A, b: B) -> (X, Y)
    where
        A: FnOnce() -> X + Send,
        B: FnOnce() -> Y + Send,
        X: Send,
        Y: Send;
    /// Whether a piece of work of this size goes on without forks.
    fn stops(size: u64, bound: u64) -> bool;
}

pub struct Forks;
impl Joiner for Forks {
    fn join<A, B, X, Y>(a: A, b: B) -> (X, Y)
    where
        A: FnOnce() -> X + Send,
        B: FnOnce() -> Y + Send,
        X: Send,
        Y: Send,
    {
        rayon::join(a, b)
    }
    fn stops(size: u64, bound: u64) -> bool {
        size <= bound
    }
}

pub struct InTurn;
impl Joiner for InTurn {
    fn join<A, B, X, Y>(a: A, b: B) -> (X, Y)
    where
        A: FnOnce() -> X + Send,
        B: FnOnce() -> Y + Send,
        X: Send,
        Y: Send,
    {
        (a(), b())
    }
    fn stops(_: u64, _: u64) -> bool {
        false
    }
}
