//! What is made of the index and kept until it changes.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Result;

/// A value made of the index, with the generation that it was made of.
pub(super) struct Kept<T>(Mutex<Option<(i64, Arc<T>)>>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Kept<T> {
    /// The value of `generation`: the one that is kept, or else the one that `load` makes, which is kept unless a
    /// later one is.
    pub(super) fn at(&self, generation: i64, load: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        // Held while the value is made: whoever asks for the same waits, instead of making it twice.
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Some((kept, value)) if *kept == generation => return Ok(value.clone()),
            Some((kept, _)) if *kept > generation => return Ok(Arc::new(load()?)),
            _ => {}
        }
        let value = Arc::new(load()?);
        *slot = Some((generation, value.clone()));
        Ok(value)
    }

    /// The value that is kept, whichever generation it is of.
    pub(super) fn latest(&self) -> Option<Arc<T>> {
        self.entry().map(|(_, value)| value)
    }

    /// The same, with its generation.
    pub(super) fn entry(&self) -> Option<(i64, Arc<T>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts `new` in place of `old`, or nothing, if that is still what is kept.
    pub(super) fn replace(&self, old: &Arc<T>, new: Option<Arc<T>>) {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((generation, _)) = slot.take_if(|(_, kept)| Arc::ptr_eq(kept, old)) {
            *slot = new.map(|new| (generation, new));
        }
    }
}
