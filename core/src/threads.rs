//! Work on several threads. There are none in browsers, where the same work is done in turn.

/// Runs `work` on each core and returns the results; runs it once if there are no threads.
pub(crate) fn on_each_core<T: Send>(work: impl Fn() -> T + Sync) -> Vec<T> {
    if cfg!(target_family = "wasm") {
        return vec![work()];
    }
    std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(&work)).collect();
        let mut made = vec![work()];
        for other in others {
            made.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        made
    })
}

/// Runs `here` on this thread, and `beside` on another at the same time.
pub(crate) fn both<A: Send, B>(beside: impl FnOnce() -> A + Send, here: impl FnOnce() -> B) -> (A, B) {
    if cfg!(target_family = "wasm") {
        return (beside(), here());
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(beside);
        let here = here();
        (other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), here)
    })
}
