//! Concurrent clients of one project.

use std::panic::resume_unwind;
use std::thread;

/// Runs `work` on this many threads at once, each with its number, and returns the results in order.
///
/// # Panics
/// If one of the threads panics.
pub fn at_once<T: Send>(clients: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..clients).map(|client| scope.spawn(move || work(client))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}
