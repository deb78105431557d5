//! Configures how the allocator of the process returns memory to the system.

use napi_derive::napi;

/// Buffers of this size or more are mapped separately, and unmapped when they are freed. This is
/// glibc's initial setting. By default glibc raises it to the size of freed buffers, up to 32 MiB;
/// larger buffers then share one heap, which only shrinks at its end, so one small live allocation
/// there keeps the whole heap.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED_BYTES_MIN: i32 = 128 * 1024;

/// Bytes that may be free at the end of that heap: enough that it does not grow and shrink with
/// each request.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const FREE_HEAP_BYTES_MAX: i32 = 4 * 1024 * 1024;

/// Makes the allocator return large buffers to the system as soon as they are freed. Returns
/// whether the allocator has this setting; other systems' allocators decide by themselves.
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
        // SAFETY: mallopt takes two integers and only changes how later calls are served. It may be
        // called at any time from any thread, because it takes the allocator's own lock.
        unsafe { mallopt(param, value) == 1 }
    };
    set(M_MMAP_THRESHOLD, MAPPED_BYTES_MIN) && set(M_TRIM_THRESHOLD, FREE_HEAP_BYTES_MAX)
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn set_thresholds() -> bool {
    false
}
