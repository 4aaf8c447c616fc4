//! The same work on many items over all cores, in the order of the items; on one core in browsers,
//! which have no threads here.

#[cfg(not(target_family = "wasm"))]
use std::sync::atomic::{AtomicUsize, Ordering};

#[cfg(not(target_family = "wasm"))]
use crate::Error;
use crate::Result;

/// How many cores there are to use.
#[cfg(any(feature = "rten", not(target_family = "wasm")))]
pub(super) fn core_count() -> usize {
    #[cfg(target_family = "wasm")]
    return 1;
    #[cfg(not(target_family = "wasm"))]
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// `f(lane, item)` for every item, results in the order of `items`; whatever runs at the same time
/// has different lanes, from 0. Items are begun in order, and no more after the first error.
#[cfg(not(target_family = "wasm"))]
pub(super) fn map<T: Sync, R: Send>(
    items: &[T],
    f: impl Fn(usize, &T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let lanes = core_count().min(items.len());
    if lanes < 2 {
        return items.iter().map(|item| f(0, item)).collect();
    }
    let next = AtomicUsize::new(0);
    let work = |lane: usize| -> Result<Vec<(usize, R)>> {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return Ok(done);
            };
            match f(lane, item) {
                Ok(result) => done.push((index, result)),
                Err(error) => {
                    next.store(items.len(), Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    };
    let work = &work;
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..lanes).map(|lane| scope.spawn(move || work(lane))).collect();
        let mut done = work(0)?;
        for other in others {
            let other =
                other.join().map_err(|_| Error::Internal("an embedding thread ended early".into()))?;
            done.extend(other?);
        }
        Ok::<_, Error>(done)
    })?;
    done.sort_unstable_by_key(|&(index, _)| index);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

/// `f(0, item)` for every item.
#[cfg(target_family = "wasm")]
pub(super) fn map<T: Sync, R: Send>(
    items: &[T],
    f: impl Fn(usize, &T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    items.iter().map(|item| f(0, item)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn results_keep_the_order() {
        let items: Vec<usize> = (0..1000).collect();
        assert_eq!(
            map(&items, |_, item| Ok(item * 2)).unwrap(),
            items.iter().map(|i| i * 2).collect::<Vec<_>>()
        );
        assert!(map(&[0_u8; 0], |_, item| Ok(*item)).unwrap().is_empty());
    }

    #[test]
    fn the_first_error_ends_the_work() {
        let items: Vec<usize> = (0..10_000).collect();
        let begun = AtomicUsize::new(0);
        let result = map(&items, |_, item| {
            begun.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_micros(100));
            if *item == 10 { Err(Error::Cancelled) } else { Ok(()) }
        });
        assert!(matches!(result, Err(Error::Cancelled)));
        assert!(begun.load(Ordering::Relaxed) < items.len());
    }
}
