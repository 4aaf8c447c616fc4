//! The same work on many items over all cores.
//!
//! An engine runs a text in a thread pool of its own. A rayon thread that waits for such a pool takes over the share of another
//! one in the meantime, and the other core has nothing left to do. Threads that only wait do not.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ubp_core::{Error, Result};

/// How many cores there are to use: one in browsers, which have no threads here.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// `f(core, item)` for every item, results in the order of `items`. What runs at the same time has different cores, counted from
/// 0. Items are begun in order, and none after the first error.
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
    fn all_cores_work_at_the_same_time_even_where_each_item_waits_for_another_thread() {
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
    fn nothing_is_begun_after_an_error() {
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
