//! A cache for values derived from the index, valid until the index changes.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Result;

/// A value derived from the index, with the generation that it was derived from.
pub(super) struct Kept<T>(Mutex<Option<(i64, Arc<T>)>>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Kept<T> {
    /// The value for `generation`: the cached one, or one that `load` computes, which receives a cached one of an earlier
    /// generation. The new value is cached unless the cached one is of a later generation.
    pub(super) fn at(
        &self,
        generation: i64,
        load: impl FnOnce(Option<(i64, &T)>) -> Result<T>,
    ) -> Result<Arc<T>> {
        // Locked while the value is computed, so that other threads wait for it instead of computing it again.
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Some((kept, value)) if *kept == generation => return Ok(value.clone()),
            Some((kept, _)) if *kept > generation => return Ok(Arc::new(load(None)?)),
            _ => {}
        }
        let before = slot.as_ref().map(|(generation, value)| (*generation, &**value));
        let value = Arc::new(load(before)?);
        *slot = Some((generation, value.clone()));
        Ok(value)
    }

    /// The cached value and its generation.
    pub(super) fn entry(&self) -> Option<(i64, Arc<T>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces `old` with `new` if `old` is still cached; `None` empties the cache.
    pub(super) fn replace(&self, old: &Arc<T>, new: Option<Arc<T>>) {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((generation, _)) = slot.take_if(|(_, kept)| Arc::ptr_eq(kept, old)) {
            *slot = new.map(|new| (generation, new));
        }
    }
}
