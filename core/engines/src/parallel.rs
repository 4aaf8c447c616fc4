//! Runs a function for many items on all cores.
//!
//! Each engine runs a text in its own thread pool. A rayon thread that waits for such a pool would take over another
//! thread's work in the meantime, and leave the other core idle. Plain threads that wait do not.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ubp_core::{Error, Result};

/// Number of cores to use: one in browsers, which have no threads here.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Calls `f(core, item)` for every item, and returns the results in the order of `items`. Calls that run at the same
/// time have different cores, counted from 0. Items are started in order, and none after the first error.
pub(super) fn map<T: Sync, R: Send>(
    items: &[T],
    f: impl Fn(usize, &T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let cores = cores().min(items.len());
    if cores < 2 {
        return items.iter().map(|item| f(0, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let work = |core: usize| -> Result<Vec<(usize, R)>> {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return Ok(done) };
            let result = f(core, item).inspect_err(|_| next.store(items.len(), Ordering::Relaxed))?;
            done.push((index, result));
        }
    };
    let work = &work;
    let mut done = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|core| scope.spawn(move || work(core))).collect();
        let mut done = Vec::with_capacity(items.len());
        for thread in threads {
            done.extend(thread.join().map_err(|_| Error::Internal("an embedding thread panicked".into()))??);
        }
        Ok::<_, Error>(done)
    })?;
    done.sort_unstable_by_key(|&(index, _)| index);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled = map(&items, |_, item| Ok(item * 2)).unwrap();
        assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        assert!(map(&[0_u8; 0], |_, item| Ok(*item)).unwrap().is_empty());
    }

    #[test]
    fn all_cores_work_at_the_same_time_even_if_each_item_waits_for_another_thread() {
        let (running, all) = (Mutex::new(0), Condvar::new());
        let items = vec![(); cores() * 4];
        let most = map(&items, |_, ()| {
            let inner = || {
                let mut count = running.lock().unwrap();
                *count += 1;
                all.notify_all();
                let waited = all.wait_timeout_while(count, Duration::from_secs(10), |count| *count < cores());
                usize::from(!waited.unwrap().1.timed_out())
            };
            Ok(thread::scope(|scope| scope.spawn(inner).join().unwrap()))
        });
        assert_eq!(most.unwrap().iter().sum::<usize>(), items.len());
    }

    #[test]
    fn no_item_is_started_after_an_error() {
        let items: Vec<usize> = (0..10_000).collect();
        let begun = AtomicUsize::new(0);
        let result = map(&items, |_, item| {
            begun.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_micros(100));
            if *item == 10 { Err(Error::Cancelled) } else { Ok(()) }
        });
        assert!(matches!(result, Err(Error::Cancelled)));
        assert!(begun.load(Ordering::Relaxed) < items.len());
    }
}
