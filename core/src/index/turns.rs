//! Threads that process numbered items in parallel and deliver them in order, so that the same files always give the
//! same index. Each thread holds at most one finished item while it waits.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The number whose turn it is.
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
    /// Waits for the turn of `number`; false if another thread has stopped.
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

    /// Wakes all waiting threads; none has a turn any more.
    pub(super) fn stop(&self) {
        self.lock().stopped = true;
        self.passed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Next> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes the other threads if this one panics.
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
    fn a_thread_that_is_early_waits_for_its_turn() {
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
    fn no_thread_waits_for_one_that_panicked() {
        let turns = Turns::default();
        let ended = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turns.wait_for(7));
            let panicked = scope.spawn(|| {
                let _stop = StopOnPanic(Some(&turns));
                assert!(turns.wait_for(1), "this thread panics");
            });
            turns.stop();
            (waiting.join().unwrap(), panicked.join().is_err())
        });
        assert_eq!(ended, (false, true));
    }
}
