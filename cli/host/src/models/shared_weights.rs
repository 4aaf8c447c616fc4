//! Weights that a built-in model has to unpack. One process unpacks them into a file of the user, and all processes map it,
//! so that they are in memory once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ubp_core::Result;
use ubp_core::embed::ModelFiles;
use ubp_core::ports::{Cache, CachedBytes};

use crate::{MappedCache, user_data};

/// The file with the weights.
const WEIGHTS: &str = "model.onnx.data";
/// Start of the names of the shared files.
const PREFIX: &str = "weights";

/// What this process has mapped, by file. An engine uses its weights for as long as it likes, so they stay mapped.
static MAPPED: Mutex<BTreeMap<(PathBuf, String), &'static [u8]>> = Mutex::new(BTreeMap::new());

/// The files of a model. Its weights come from `folder`, if possible.
pub(super) struct SharedWeights<F> {
    files: F,
    folder: Option<PathBuf>,
}

impl<F: ModelFiles> SharedWeights<F> {
    pub fn new(files: F, folder: Option<&Path>) -> Self {
        Self { files, folder: folder.map(Into::into) }
    }

    /// The shared weights, which are written if they are missing. `None` if that is not possible.
    fn shared(&self, folder: &Path) -> Result<Option<&'static [u8]>> {
        let name = self.files.checksum()?;
        let key = (folder.to_owned(), name.clone());
        let mut mapped = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = mapped.get(&key) {
            return Ok(Some(found));
        }
        if user_data::make_private(folder).is_err() {
            return Ok(None);
        }
        let cache = MappedCache::beside(&folder.join(PREFIX)).with_pause(Duration::ZERO);
        let found = match cache.get(&name) {
            Some(found) => Some(found),
            None => {
                let weights = self.files.read(WEIGHTS)?;
                cache.put(&name, &mut |out| out.write_all(&weights))
            }
        };
        Ok(found.map(|found| {
            let kept: &'static CachedBytes = Box::leak(Box::new(found));
            let bytes = (**kept).as_ref();
            mapped.insert(key, bytes);
            bytes
        }))
    }
}

impl<F: ModelFiles> ModelFiles for SharedWeights<F> {
    fn names(&self) -> Vec<String> {
        self.files.names()
    }

    fn read(&self, name: &str) -> Result<Cow<'static, [u8]>> {
        if let (WEIGHTS, Some(folder)) = (name, &self.folder)
            && let Some(weights) = self.shared(folder)?
        {
            return Ok(Cow::Borrowed(weights));
        }
        self.files.read(name)
    }

    fn checksum(&self) -> Result<String> {
        self.files.checksum()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A model that counts how often its weights are unpacked.
    #[derive(Clone)]
    struct Packed {
        checksum: String,
        unpacked: Arc<AtomicUsize>,
    }

    impl Packed {
        fn new(checksum: &str) -> Self {
            Self { checksum: checksum.into(), unpacked: Arc::default() }
        }

        fn count(&self) -> usize {
            self.unpacked.load(Ordering::Relaxed)
        }
    }

    impl ModelFiles for Packed {
        fn names(&self) -> Vec<String> {
            vec![WEIGHTS.into()]
        }

        fn read(&self, name: &str) -> Result<Cow<'static, [u8]>> {
            self.unpacked.fetch_add(usize::from(name == WEIGHTS), Ordering::Relaxed);
            Ok(Cow::Owned(format!("{name} of {}", self.checksum).into_bytes()))
        }

        fn checksum(&self) -> Result<String> {
            Ok(self.checksum.clone())
        }
    }

    fn weights(files: &impl ModelFiles) -> Cow<'static, [u8]> {
        files.read(WEIGHTS).unwrap()
    }

    fn shared_files(folder: &Path) -> Vec<PathBuf> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    /// As another process would: it has mapped nothing yet.
    fn forget() {
        MAPPED.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    #[test]
    fn weights_are_unpacked_once_and_again_if_the_file_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("cache");
        let packed = Packed::new("0123456789abcdef");
        let files = || SharedWeights::new(packed.clone(), Some(&place));
        assert_eq!(*weights(&files()), *b"model.onnx.data of 0123456789abcdef");
        assert!(matches!(weights(&files()), Cow::Borrowed(_)));
        forget();
        assert_eq!(*weights(&files()), *b"model.onnx.data of 0123456789abcdef");
        assert_eq!(packed.count(), 1);
        assert_eq!(*files().read("tokenizer.json").unwrap(), *b"tokenizer.json of 0123456789abcdef");

        let files_now = shared_files(&place);
        let file = files_now.first().unwrap();
        fs::remove_file(file).unwrap();
        fs::write(file, b"x".repeat(100)).unwrap();
        forget();
        assert_eq!(*weights(&files()), *b"model.onnx.data of 0123456789abcdef");
        assert_eq!((packed.count(), shared_files(&place).len()), (2, 1));

        let newer = SharedWeights::new(Packed::new("fedcba9876543210"), Some(&place));
        assert_eq!(*weights(&newer), *b"model.onnx.data of fedcba9876543210");
        assert_eq!(shared_files(&place).len(), 1, "the file of another version goes");
        assert_eq!(*weights(&files()), *b"model.onnx.data of 0123456789abcdef");
    }

    #[test]
    fn without_a_usable_folder_each_process_unpacks_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        for place in [None, Some(file.as_path()), Some(file.join("below").as_path())] {
            let packed = Packed::new("00000000000000aa");
            let files = SharedWeights::new(packed.clone(), place);
            assert!(matches!(weights(&files), Cow::Owned(_)), "{place:?}");
            assert_eq!(*weights(&files), *b"model.onnx.data of 00000000000000aa");
        }
    }
}
