//! How the allocator of the process gives memory back.

use napi_derive::napi;

/// Buffers of this size or more are mapped separately, and unmapped when they are freed. This is
/// glibc's initial setting. By default glibc raises it to the size of freed buffers, up to 32 MiB;
/// larger buffers then share one heap, which only shrinks at its end, so one small live allocation
/// there keeps the whole heap.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED_BYTES_MIN: i32 = 128 * 1024;

/// What may be free at the end of that heap: enough that it does not grow and shrink at each request.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const FREE_HEAP_BYTES_MAX: i32 = 4 * 1024 * 1024;

/// Gives the memory of large buffers back to the system as soon as they are freed. Returns whether the
/// allocator has such a setting; other systems decide for themselves.
#[napi]
#[must_use]
pub fn return_freed_buffers() -> bool {
    set_thresholds()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn set_thresholds() -> bool {
    use std::ffi::c_int;

    const M_TRIM_THRESHOLD: c_int = -1;
    const M_MMAP_THRESHOLD: c_int = -3;
    unsafe extern "C" {
        fn mallopt(param: c_int, value: c_int) -> c_int;
    }
    let set = |param, value| {
        // SAFETY: mallopt takes two integers, may be called at any time from any thread, as it takes the
        // allocator's own lock, and changes how later calls are served only.
        unsafe { mallopt(param, value) == 1 }
    };
    set(M_MMAP_THRESHOLD, MAPPED_BYTES_MIN) && set(M_TRIM_THRESHOLD, FREE_HEAP_BYTES_MAX)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn set_thresholds() -> bool {
    false
}
