//! The model in the binary: all-MiniLM-L6-v2. Its weights are used directly from the mapped binary, so that processes
//! share them.

use std::borrow::Cow;

use ubp_core::embed::{DESCRIPTION_FILE, MODEL_FILE, ModelFiles, TOKENIZER_FILE, short_hash};
use ubp_core::{Error, Result};

use super::packed::{inflated, packed};

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../models/all-MiniLM-L6-v2/", $name))
    };
}

/// Bytes aligned for numbers of any type.
#[repr(C, align(64))]
struct Aligned<B: ?Sized>(B);

static WEIGHTS: &Aligned<[u8]> = &Aligned(*file!("model.onnx.data"));
static MODEL: &[u8] = packed!("all-MiniLM-L6-v2", "model.onnx");
static TOKENIZER: &[u8] = packed!("all-MiniLM-L6-v2", "tokenizer.json");
static DESCRIPTION: &[u8] = file!("model.json");
static SUMS: &[u8] = file!("SHA256SUMS");

/// The files of the model in the binary.
#[derive(Debug, Clone, Copy, Default)]
pub struct BundledFiles;

impl ModelFiles for BundledFiles {
    fn names(&self) -> Vec<String> {
        [MODEL_FILE, "model.onnx.data", TOKENIZER_FILE, DESCRIPTION_FILE].map(Into::into).into()
    }

    fn read(&self, name: &str) -> Result<Cow<'static, [u8]>> {
        Ok(match name {
            MODEL_FILE => inflated(MODEL, name)?,
            "model.onnx.data" => Cow::Borrowed(&WEIGHTS.0),
            TOKENIZER_FILE => inflated(TOKENIZER, name)?,
            DESCRIPTION_FILE => Cow::Borrowed(DESCRIPTION),
            _ => return Err(Error::Internal(format!("the model in the binary has no file {name}"))),
        })
    }

    /// The hash of the list of checksums, which a test compares with the files.
    fn checksum(&self) -> Result<String> {
        Ok(short_hash(SUMS))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use ubp_core::embed::MemoryFiles;

    #[test]
    fn the_checksums_match_the_files() {
        let files = BundledFiles;
        let copies = MemoryFiles::new(files.names().into_iter().map(|name| {
            let bytes = files.read(&name).unwrap();
            (name, bytes)
        }));
        assert_eq!(files.checksum().unwrap(), copies.checksum().unwrap());
    }

    #[test]
    fn weights_are_aligned() {
        assert_eq!(WEIGHTS.0.as_ptr() as usize % 64, 0);
    }
}
