//! Rust peers of bb behind a C interface; runtimes/rayon.cpp is the other side, and declares the same functions.

mod joiner;
mod rayon_kernels;
mod rayon_pool;
mod rayon_tree;
