//! Returns freed memory to the system. The allocator keeps it for reuse, but a server that loaded a model or built an
//! index may not need it again for days.

/// Returns free memory to the system, as far as the allocator can. Takes a few milliseconds.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator is controlled by a function of the C library")]
pub fn give_back() {
    // SAFETY: it has no preconditions, and does not touch memory in use.
    unsafe { libc::malloc_trim(0) };
}

/// Allocators of other systems do this by themselves or not at all.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
