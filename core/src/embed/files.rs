//! Where a model's files come from. The engine reads no disk, so the host hands the bytes over, and
//! only when they are needed: an answer from full text alone never reads a model.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::text::hex;
use crate::{Error, Result};

/// Name of the file that holds the graph of a model.
pub const MODEL_FILE: &str = "model.onnx";
/// Name of the file that holds the tokenizer, in the format of Hugging Face's tokenizers.
pub const TOKENIZER_FILE: &str = "tokenizer.json";

/// The files of one model: `model.onnx`, `tokenizer.json`, `model.json`, and whatever else
/// `model.onnx` refers to (weights in a file of their own).
pub trait ModelFiles: Send + Sync {
    /// Names of all files, relative to the model's folder.
    fn names(&self) -> Vec<String>;

    /// The content of one of them.
    ///
    /// # Errors
    /// [`Error::Model`] or [`Error::Io`] when it is missing or cannot be read.
    fn read(&self, name: &str) -> Result<Cow<'static, [u8]>>;

    /// A short text that changes whenever a file does. The default reads and hashes all of them:
    /// a host that keeps checksums should answer from those.
    ///
    /// # Errors
    /// Those of [`ModelFiles::read`].
    fn checksum(&self) -> Result<String> {
        let mut names = self.names();
        names.sort_unstable();
        let mut sums = Checksum::default();
        for name in names {
            sums.add(&name, &self.read(&name)?);
        }
        Ok(sums.finish())
    }
}

/// What [`ModelFiles::checksum`] answers for files that are at hand.
#[derive(Debug, Default)]
pub struct Checksum(String);

impl Checksum {
    /// Adds a file; they come in the order of their names.
    pub fn add(&mut self, name: &str, bytes: &[u8]) {
        self.0.push_str(&format!("{}  {name}\n", hex(&Sha256::digest(bytes))));
    }

    /// The checksum of all that were added.
    pub fn finish(self) -> String {
        short_hash(self.0.as_bytes())
    }
}

/// The first 16 hexadecimal digits of the SHA-256 of `bytes`.
pub fn short_hash(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes).get(..8).unwrap_or_default())
}

/// Files that are in memory, by name.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles(BTreeMap<String, Cow<'static, [u8]>>);

impl MemoryFiles {
    /// These files.
    pub fn new<N: Into<String>, B: Into<Cow<'static, [u8]>>>(
        files: impl IntoIterator<Item = (N, B)>,
    ) -> Self {
        Self(files.into_iter().map(|(name, bytes)| (name.into(), bytes.into())).collect())
    }
}

impl ModelFiles for MemoryFiles {
    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    fn read(&self, name: &str) -> Result<Cow<'static, [u8]>> {
        self.0.get(name).cloned().ok_or_else(|| Error::Model {
            model: "in memory".into(),
            message: format!(
                "the file {name} is missing; a model needs model.onnx, tokenizer.json and model.json"
            ),
        })
    }
}
