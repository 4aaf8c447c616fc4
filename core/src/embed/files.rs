//! Where a model's files come from. The engine does not read the disk, so the host passes the bytes in, and
//! only when they are needed: full-text search never reads a model.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::message;
use crate::text::hex;
use crate::{Error, Result};

/// Name of the file with the graph of a model.
pub const MODEL_FILE: &str = "model.onnx";
/// Name of the file with the tokenizer, in the format of Hugging Face's tokenizers.
pub const TOKENIZER_FILE: &str = "tokenizer.json";

/// The files of one model: `model.onnx`, `tokenizer.json`, `model.json`, and any other file that
/// `model.onnx` refers to (weights in a separate file).
pub trait ModelFiles: Send + Sync {
    /// Names of all files, relative to the model's folder.
    fn names(&self) -> Vec<String>;

    /// The content of one of them.
    ///
    /// # Errors
    /// [`Error::Model`] or [`Error::Io`] if it is missing or cannot be read.
    fn read(&self, name: &str) -> Result<Cow<'static, [u8]>>;

    /// A short text that changes whenever a file does. The default reads and hashes all files;
    /// a host that stores checksums should use those instead.
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

/// Computes [`ModelFiles::checksum`] from the files' content.
#[derive(Debug, Default)]
pub struct Checksum(String);

impl Checksum {
    /// Adds a file. Files have to be added in the order of their names.
    pub fn add(&mut self, name: &str, bytes: &[u8]) {
        self.0.push_str(&format!("{}  {name}\n", hex(&Sha256::digest(bytes))));
    }

    /// The checksum of all added files.
    pub fn finish(self) -> String {
        short_hash(self.0.as_bytes())
    }
}

/// The first 16 hexadecimal digits of the SHA-256 of `bytes`.
pub fn short_hash(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes).get(..8).unwrap_or_default())
}

/// Files in memory, by name.
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
            message: message!(
                "the file {name} is missing; a model needs model.onnx, tokenizer.json and model.json",
                name
            ),
        })
    }
}
