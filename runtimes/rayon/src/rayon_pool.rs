//! Rayon's pool and join, for bodies that are written in C++.

use std::ffi::c_void;

pub type Call = extern "C" fn(*mut c_void);

/// A pointer of C++ that is handed to another thread and back.
#[derive(Clone, Copy)]
struct Shared(*mut c_void);
// SAFETY: the C++ side hands over only what may be used from several threads at once.
unsafe impl Send for Shared {}
unsafe impl Sync for Shared {}

impl Shared {
    // A method, so that closures capture the whole of it and not the bare pointer.
    fn get(self) -> *mut c_void {
        self.0
    }
}

/// Starts a pool in which thread i has called sit(seats, i); null if Rayon refuses.
#[no_mangle]
pub extern "C" fn bb_rayon_start(
    threads: usize,
    sit: extern "C" fn(*mut c_void, usize),
    seats: *mut c_void,
) -> *mut rayon::ThreadPool {
    let seats = Shared(seats);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .start_handler(move |index| sit(seats.get(), index))
        .build();
    match pool {
        Ok(pool) => {
            pool.broadcast(|_| ()); // every thread runs it, so every start handler has run
            Box::into_raw(Box::new(pool))
        }
        Err(_) => std::ptr::null_mut(),
    }
}

/// # Safety
/// `pool` comes from bb_rayon_start and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn bb_rayon_stop(pool: *mut rayon::ThreadPool) {
    drop(Box::from_raw(pool));
}

/// Calls call(data) in the pool and waits for it.
#[no_mangle]
pub extern "C" fn bb_rayon_install(pool: &rayon::ThreadPool, call: Call, data: *mut c_void) {
    let data = Shared(data);
    pool.install(move || call(data.get()));
}

/// rayon::join; in a pool's thread.
#[no_mangle]
pub extern "C" fn bb_rayon_join(left: Call, left_data: *mut c_void, right: Call, right_data: *mut c_void) {
    let (a, b) = (Shared(left_data), Shared(right_data));
    rayon::join(move || left(a.get()), move || right(b.get()));
}
