//! A stream that several threads write to.

use std::io::{Result, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// A stream shared by all clones.
#[derive(Debug, Default)]
pub struct Shared<W>(pub(crate) Arc<Mutex<W>>);

/// Keeps what was written, for tests.
pub type SharedBuffer = Shared<Vec<u8>>;

impl<W> Clone for Shared<W> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl SharedBuffer {
    /// The text written so far.
    pub fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl<W: Write> Write for Shared<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}
