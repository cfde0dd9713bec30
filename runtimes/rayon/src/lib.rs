//! Rust peers of bb behind a C interface; runtimes/rayon.cpp is the other side, and declares the same functions.

mod rayon_pool;
mod rayon_tree;
