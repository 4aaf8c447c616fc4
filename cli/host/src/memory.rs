//! Memory that was needed for a moment, and that the allocator keeps for the next time: a server that
//! loaded a model or made an index may not need as much again for days.

/// Gives what is free back to the system, as far as the allocator can: a few milliseconds of work.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the allocator of this system is asked by a call of its C library")]
pub fn give_back() {
    // SAFETY: it has no preconditions, and moves and changes nothing that is in use.
    unsafe { libc::malloc_trim(0) };
}

/// Allocators of other systems do it by themselves, or not at all.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
