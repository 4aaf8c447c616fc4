//! Vectors that all projects of a user share on this machine, so that worktrees and clones of a repository embed each text
//! once. They are in the user's cache folder, readable only by the user: hashes of texts and vectors, no texts.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ubp_core::index::{STORE_VERSION, StoreSize, VectorStore};
use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::ports::{ContentHash, Embedder, ModelInfo, TextKind};
use ubp_core::text::hex;
use ubp_core::{Error, Result};

use crate::file_lock::FileLock;
use crate::{Environment, user_data};

/// Variable with the folder, or `off`.
const FOLDER: &str = "UBP_VECTOR_CACHE";
/// Variable with the maximum size in megabytes.
const MEGABYTES: &str = "UBP_VECTOR_CACHE_MB";
/// The maximum size if the variable is not set: about 600,000 vectors of 384 numbers.
const USUAL_MEGABYTES: u64 = 1_000;
const LOCK: &str = "vectors.lock";
/// Texts of a batch that somebody may be waiting for.
const FEW: usize = 4;
/// How long few texts, or many, wait for another process that embeds: mostly the same texts, if worktrees are opened at
/// once.
const SHORT_WAIT: Duration = Duration::from_millis(150);
const LONG_WAIT: Duration = Duration::from_secs(5);

/// Where the shared vectors are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// Its maximum size in bytes.
    pub limit: u64,
}

impl Place {
    /// By the environment; `None` if they are turned off, or the user has no folder for them.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for a maximum size that is not a number.
    pub fn of(environment: &Environment) -> Result<Option<Self>> {
        let megabytes = match environment.get(MEGABYTES).filter(|text| !text.is_empty()) {
            None => USUAL_MEGABYTES,
            Some(text) => text.trim().parse().map_err(|_| {
                Error::invalid(message!(
                    "{variable}: expected a number, not '{text}'",
                    variable = MEGABYTES,
                    text
                ))
            })?,
        };
        let file = folder(environment).map(|folder| folder.join(format!("vectors-{STORE_VERSION}.db")));
        Ok(file.map(|file| Self { file, limit: megabytes.saturating_mul(1_000_000) }))
    }

    /// Their size; `None` if there are none yet.
    ///
    /// # Errors
    /// [`Error::Database`].
    pub fn size(&self) -> Result<Option<StoreSize>> {
        if self.file.exists() {
            VectorStore::open(&self.file, self.limit)?.size().map(Some)
        } else {
            Ok(None)
        }
    }

    fn open(&self) -> Result<VectorStore> {
        make_private(&self.file).map_err(|error| Error::io(self.file.to_string_lossy(), error))?;
        VectorStore::open(&self.file, self.limit)
    }
}

/// The folder for what projects share; `None` if that is turned off, or the user has no such folder.
pub(crate) fn folder(environment: &Environment) -> Option<PathBuf> {
    match environment.get(FOLDER).filter(|text| !text.is_empty()) {
        Some(text) if ["off", "0", "false"].contains(&text.to_ascii_lowercase().as_str()) => None,
        Some(folder) => std::path::absolute(folder).ok(),
        None => user_data::cache_folder(environment),
    }
}

/// Creates the file, readable only by its owner, and its folder.
fn make_private(file: &std::path::Path) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        user_data::make_private(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    match options.open(file) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            // A link could lead to a file of somebody else.
            if fs::symlink_metadata(file)?.is_file() { Ok(()) } else { Err(ErrorKind::InvalidInput.into()) }
        }
        made => made.map(drop),
    }
}

/// The same embedder with the vectors that projects share, or why they cannot be used. Vectors of models with another
/// `origin` are separate: what a project says about its own model or server may be wrong, and other projects must not get
/// its vectors.
pub(crate) fn sharing(
    embedder: Arc<dyn Embedder>,
    origin: &str,
    environment: &Environment,
) -> (Arc<dyn Embedder>, Option<Message>) {
    let place = match Place::of(environment) {
        Ok(None) => return (embedder, None),
        Ok(Some(place)) => place,
        Err(error) => return (embedder, Some(error.message())),
    };
    let mut key = embedder.model().clone();
    if !origin.is_empty() {
        // A hash, because an address or a path says more than others need to know.
        key.identity = format!("{}@{}", key.identity, hex(&ContentHash::of(origin.as_bytes()).0));
    }
    let opened = place.open().and_then(|store| {
        // A damaged file may open.
        store.find(&key, &[""], today())?;
        Ok(store)
    });
    match opened {
        Ok(store) => {
            let turn = place.file.with_file_name(LOCK);
            (Arc::new(Sharing { embedder, key, store, turn }), None)
        }
        // Another process is busy with it: this one works without, as if there were none.
        Err(error) if error.is_busy_index() => (embedder, None),
        Err(error) => {
            let file = place.file.display();
            let words = message!(
                "the vectors that projects share cannot be used ({error}); delete {file} to start with none, or set {variable}",
                error,
                file,
                variable = FOLDER
            );
            (embedder, Some(words))
        }
    }
}

struct Sharing {
    embedder: Arc<dyn Embedder>,
    /// What its vectors are stored by.
    key: ModelInfo,
    store: VectorStore,
    /// File whose lock is held while passages are embedded.
    turn: PathBuf,
}

impl Sharing {
    fn shared(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        let found = self.store.find(&self.key, texts, today());
        found.unwrap_or_else(|_| vec![None; texts.len()])
    }
}

impl Embedder for Sharing {
    fn model(&self) -> &ModelInfo {
        self.embedder.model()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        if kind != TextKind::Passage {
            return self.embedder.embed(kind, texts);
        }
        let patience = if texts.len() > FEW { LONG_WAIT } else { SHORT_WAIT };
        // Who waited finds the vectors that the other process computed. Without a turn, both compute the same ones.
        let _turn = FileLock::take(&self.turn, patience);
        let known = self.shared(texts);
        let missing: Vec<&str> =
            texts.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(text, _)| *text).collect();
        let computed = if missing.is_empty() { Vec::new() } else { self.embedder.embed(kind, &missing)? };
        let vectors: Vec<_> =
            missing.iter().zip(&computed).map(|(text, vector)| (*text, vector.as_slice())).collect();
        if !vectors.is_empty() {
            // The project has its own copy. Another project computes them again.
            let _ = self.store.keep(&self.key, &vectors, today());
        }
        let mut computed = computed.into_iter();
        Ok(known.into_iter().filter_map(|known| known.or_else(|| computed.next())).collect())
    }

    fn known(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>> {
        Ok(self.shared(texts))
    }

    fn release(&self) {
        self.embedder.release();
    }

    fn rest(&self) {
        self.embedder.rest();
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<Range<usize>>> {
        self.embedder.token_ranges(text)
    }
}

/// Days since 1970.
fn today() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs() / 86_400).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
