//! Clients that work on one project at the same time.

use std::panic::resume_unwind;
use std::thread;

/// Runs `work` on so many threads at once, each with its number; what they came to, in order.
///
/// # Panics
/// When one of them does.
pub fn at_once<T: Send>(clients: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..clients).map(|client| scope.spawn(move || work(client))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}
