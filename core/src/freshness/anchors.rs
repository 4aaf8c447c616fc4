//! Sources that are a symbol of a file, such as `src/auth/login.ts#Session.refresh`. Browsers know no symbols: there, such a
//! source is its file.

use crate::Result;
use crate::ports::Source;

/// A symbol of a file, as a source names it.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Anchor<'a> {
    /// Path of the file, relative to the project.
    pub file: &'a str,
    /// What follows `#`.
    pub name: &'a str,
}

#[cfg(not(target_family = "wasm"))]
impl<'a> Anchor<'a> {
    /// The anchor that a source is; `None` if there is a file with exactly this path, or none with the path before `#`.
    ///
    /// # Errors
    /// As [`Source::stat_source`].
    pub fn of(source: &dyn Source, named: &'a str) -> Result<Option<Self>> {
        Self::among(|file| Ok(source.stat_source(file)?.is_some()), named)
    }

    /// The same, by whether files exist.
    ///
    /// # Errors
    /// Those of `is_file`.
    pub fn among(mut is_file: impl FnMut(&'a str) -> Result<bool>, named: &'a str) -> Result<Option<Self>> {
        if !named.contains('#') || is_file(named)? {
            return Ok(None);
        }
        // The names of files and folders may contain the character too.
        for (at, _) in named.match_indices('#') {
            if let Some(anchor) = Self::split(named, at)
                && is_file(anchor.file)?
            {
                return Ok(Some(anchor));
            }
        }
        Ok(None)
    }

    /// The same if neither file exists any more.
    pub fn of_deleted(named: &'a str) -> Option<Self> {
        Self::split(named, named.find('#')?)
    }

    fn split(named: &'a str, at: usize) -> Option<Self> {
        let (file, name) = (named.get(..at)?, named.get(at + 1..)?);
        (!file.is_empty() && !name.is_empty()).then_some(Self { file, name })
    }
}

/// The path of the file that a source names, whether or not it exists.
///
/// # Errors
/// As [`Source::stat_source`].
pub fn file_of<'a>(source: &dyn Source, named: &'a str) -> Result<&'a str> {
    if !named.contains('#') || source.stat_source(named)?.is_some() {
        return Ok(named);
    }
    #[cfg(not(target_family = "wasm"))]
    if let Some(anchor) = Anchor::of(source, named)? {
        return Ok(anchor.file);
    }
    Ok(named.split('#').next().filter(|file| !file.is_empty()).unwrap_or(named))
}
