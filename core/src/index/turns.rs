//! Threads that work on numbered things at once and hand them over in the order of the numbers, so that the
//! same files always give the same index. Each holds at most one finished thing while it waits.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Whose turn it is.
#[derive(Default)]
pub(super) struct Turns {
    next: Mutex<Next>,
    passed: Condvar,
}

#[derive(Default)]
struct Next {
    number: usize,
    stopped: bool,
}

impl Turns {
    /// Waits for the turn of `number`; false once somebody stopped.
    pub(super) fn wait_for(&self, number: usize) -> bool {
        let mut next = self.lock();
        while next.number != number && !next.stopped {
            next = self.passed.wait(next).unwrap_or_else(PoisonError::into_inner);
        }
        !next.stopped
    }

    /// Ends a turn.
    pub(super) fn pass(&self) {
        self.lock().number += 1;
        self.passed.notify_all();
    }

    /// Nobody needs to wait any more.
    pub(super) fn stop(&self) {
        self.lock().stopped = true;
        self.passed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Next> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps others from waiting for a thread that panics.
pub(super) struct StopOnPanic<'a>(pub Option<&'a Turns>);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.into_iter().for_each(Turns::stop);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn whoever_is_ready_first_waits() {
        let (turns, next) = (Turns::default(), AtomicUsize::new(0));
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let (turns, next, sender) = (&turns, &next, sender.clone());
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= 500 || !turns.wait_for(number) {
                            break;
                        }
                        sender.send(number).unwrap();
                        turns.pass();
                    }
                });
            }
            drop(sender);
        });
        assert_eq!(receiver.iter().collect::<Vec<_>>(), (0..500).collect::<Vec<_>>());
    }

    #[test]
    fn nobody_waits_for_a_thread_that_is_gone() {
        let turns = Turns::default();
        let ended = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.wait_for(7));
            let panicked = scope.spawn(|| {
                let _stop = StopOnPanic(Some(&turns));
                assert!(turns.wait_for(1), "a thread that fails");
            });
            turns.stop();
            (waiting.join().unwrap(), panicked.join().is_err())
        });
        assert_eq!(ended, (false, true));
    }
}
