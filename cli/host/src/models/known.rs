//! Models known by name: the built-in ones, and others: where their files are published and how to use them. Revisions and
//! known checksums are pinned, so that a name always means the same vectors.

use ubp_core::embed::{ModelDescription, Pooling, Prefixes, Scripts};
use ubp_core::word;

pub use ubp_core::embed::MULTILINGUAL;

/// Name of the built-in model for projects whose pages do not need the other.
pub const BUNDLED: &str = "all-MiniLM-L6-v2";

/// A built-in model.
#[derive(Debug, Clone, Copy)]
pub struct BuiltIn {
    /// The name people use.
    pub name: &'static str,
    /// The repository of its authors, another name for it.
    pub origin: &'static str,
    /// Length of its vectors.
    pub dimensions: usize,
    /// SPDX name of its licence.
    pub licence: &'static str,
    /// Its strengths, in a few words.
    pub summary: &'static str,
}

/// All built-in models.
pub const BUILT_IN: [BuiltIn; 2] = [
    BuiltIn {
        name: BUNDLED,
        origin: "sentence-transformers/all-MiniLM-L6-v2",
        dimensions: 384,
        licence: "Apache-2.0",
        summary: word!("English, fast"),
    },
    BuiltIn {
        name: MULTILINGUAL,
        origin: "intfloat/multilingual-e5-small",
        dimensions: 384,
        licence: "MIT",
        summary: word!("100 languages, also for questions in another language than the page"),
    },
];

/// The built-in model with this name or repository.
pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|model| model.name == name || model.origin == name)
}

/// A file of a published model.
#[derive(Debug, Clone, Copy)]
pub struct KnownFile {
    /// Its path in the repository.
    pub path: &'static str,
    /// Its length in bytes; approximate without a checksum.
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal digits.
    pub sha256: Option<&'static str>,
}

/// A model that can be downloaded by name.
#[derive(Debug, Clone, Copy)]
pub struct KnownModel {
    /// Its usual name.
    pub name: &'static str,
    /// The repository of its authors, accepted as another name.
    pub origin: &'static str,
    /// The repository of its ONNX files.
    pub repository: &'static str,
    /// The commit of that repository.
    pub revision: &'static str,
    /// The graph, with its weights unless they are in a separate file.
    pub model: KnownFile,
    /// The separate file with the weights, if any; the graph refers to it by this name.
    pub weights: Option<KnownFile>,
    /// The tokenizer.
    pub tokenizer: KnownFile,
    /// How the vectors of tokens are combined.
    pub pooling: Pooling,
    /// Prefix of queries.
    pub query_prefix: &'static str,
    /// Prefix of indexed texts.
    pub passage_prefix: &'static str,
    /// Maximum tokens of a text.
    pub window: usize,
    /// Length of its vectors.
    pub dimensions: usize,
    /// Writing systems, by their Unicode names.
    pub scripts: &'static [&'static str],
    /// SPDX name of its licence.
    pub licence: &'static str,
    /// Short description of its purpose.
    pub summary: &'static str,
}

/// The query prefix of some English models.
const SEARCHING: &str = "Represent this sentence for searching relevant passages: ";

/// All known models that are not built in, with 8-bit weights if there are any: these are faster and take a quarter of the
/// download and memory.
pub const KNOWN: &[KnownModel] = &[
    KnownModel {
        name: "bge-small-en-v1.5",
        origin: "BAAI/bge-small-en-v1.5",
        repository: "Xenova/bge-small-en-v1.5",
        revision: "ea104dacec62c0de699686887e3f920caeb4f3e3",
        model: KnownFile {
            path: "onnx/model_quantized.onnx",
            bytes: 34_014_426,
            sha256: Some("6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4"),
        },
        weights: None,
        tokenizer: KnownFile {
            path: "tokenizer.json",
            bytes: 711_396,
            sha256: Some("d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"),
        },
        pooling: Pooling::Cls,
        query_prefix: SEARCHING,
        passage_prefix: "",
        window: 512,
        dimensions: 384,
        scripts: &["Latin"],
        licence: "MIT",
        summary: word!("English, ranks better than all-MiniLM-L6-v2"),
    },
    KnownModel {
        name: "snowflake-arctic-embed-s",
        origin: "Snowflake/snowflake-arctic-embed-s",
        repository: "Snowflake/snowflake-arctic-embed-s",
        revision: "e596f507467533e48a2e17c007f0e1dacc837b33",
        model: KnownFile { path: "onnx/model_quantized.onnx", bytes: 34_000_000, sha256: None },
        weights: None,
        tokenizer: KnownFile {
            path: "tokenizer.json",
            bytes: 711_649,
            sha256: Some("91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854"),
        },
        pooling: Pooling::Cls,
        query_prefix: SEARCHING,
        passage_prefix: "",
        window: 512,
        dimensions: 384,
        scripts: &["Latin"],
        licence: "Apache-2.0",
        summary: word!("English, ranks better than all-MiniLM-L6-v2"),
    },
    KnownModel {
        name: "granite-embedding-small-english-r2",
        origin: "ibm-granite/granite-embedding-small-english-r2",
        repository: "onnx-community/granite-embedding-small-english-r2-ONNX",
        revision: "1dc7835ba0cb9c76a3618d0bf0c427c97671b3c8",
        model: KnownFile { path: "onnx/model_quantized.onnx", bytes: 600_000, sha256: None },
        weights: Some(KnownFile { path: "onnx/model_quantized.onnx_data", bytes: 49_000_000, sha256: None }),
        tokenizer: KnownFile {
            path: "tokenizer.json",
            bytes: 3_600_000,
            sha256: Some("feeb83348dcb033bc6b9d2e1f7906ca9eb2d122845000c9416d894d7c2927149"),
        },
        pooling: Pooling::Cls,
        query_prefix: "",
        passage_prefix: "",
        // The model supports more, but shorter sections give more precise results, as with ruri-v3-30m below.
        window: 512,
        dimensions: 384,
        scripts: &["Latin"],
        licence: "Apache-2.0",
        summary: word!("English and code"),
    },
    KnownModel {
        name: "bekko-embedding-v1-a8m",
        origin: "hotchpotch/bekko-embedding-v1-a8m",
        repository: "hotchpotch/bekko-embedding-v1-a8m",
        revision: "c721113d59a1d91b447450324f51c4b3332c924a",
        model: KnownFile { path: "onnx/model.onnx", bytes: 130_000_000, sha256: None },
        weights: None,
        tokenizer: KnownFile { path: "tokenizer.json", bytes: 34_000_000, sha256: None },
        pooling: Pooling::Mean,
        query_prefix: "",
        passage_prefix: "",
        window: 512,
        dimensions: 384,
        scripts: &[],
        licence: "MIT",
        summary: word!("many languages, Japanese above all, fast"),
    },
    KnownModel {
        name: "bekko-embedding-v1-a25m",
        origin: "hotchpotch/bekko-embedding-v1-a25m",
        repository: "hotchpotch/bekko-embedding-v1-a25m",
        revision: "44f0b8af0f487acd0ccf1a7cb7ae7a29a6dfc09c",
        model: KnownFile { path: "onnx/model.onnx", bytes: 200_000_000, sha256: None },
        weights: None,
        tokenizer: KnownFile { path: "tokenizer.json", bytes: 34_000_000, sha256: None },
        pooling: Pooling::Mean,
        query_prefix: "",
        passage_prefix: "",
        window: 512,
        dimensions: 384,
        scripts: &[],
        licence: "MIT",
        summary: word!("many languages, Japanese above all"),
    },
    KnownModel {
        name: "ruri-v3-30m",
        origin: "cl-nagoya/ruri-v3-30m",
        repository: "sirasagi62/ruri-v3-30m-ONNX",
        revision: "cdf9391f1ff2198daa8f63f7ccf97d7b3e7415a0",
        model: KnownFile { path: "onnx/model_quantized.onnx", bytes: 37_000_000, sha256: None },
        weights: None,
        tokenizer: KnownFile { path: "tokenizer.json", bytes: 7_000_000, sha256: None },
        pooling: Pooling::Mean,
        query_prefix: "検索クエリ: ",
        passage_prefix: "検索文書: ",
        // The model supports 8192 tokens, but the cost of attention is quadratic, and search is more precise with
        // shorter texts.
        window: 512,
        dimensions: 256,
        scripts: &["Han", "Hiragana", "Katakana", "Latin"],
        licence: "Apache-2.0",
        summary: word!("Japanese, small and made for search"),
    },
];

/// The known model with this name or origin.
pub fn known(name: &str) -> Option<&'static KnownModel> {
    KNOWN.iter().find(|model| model.name == name || model.origin == name)
}

impl KnownModel {
    /// Approximate bytes to download.
    pub fn bytes(&self) -> u64 {
        self.files().map(|file| file.bytes).sum()
    }

    /// The files to download.
    pub fn files(&self) -> impl Iterator<Item = KnownFile> {
        [self.tokenizer, self.model].into_iter().chain(self.weights)
    }

    /// Its description for `model.json`.
    pub fn description(&self) -> ModelDescription {
        ModelDescription {
            name: self.name.into(),
            pooling: self.pooling,
            prefixes: Prefixes { query: self.query_prefix.into(), passage: self.passage_prefix.into() },
            window: self.window,
            dimensions: self.dimensions,
            scripts: Scripts::only(self.scripts.iter().copied()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::models::places::is_plain_name;

    #[test]
    fn entries_of_known_models_are_valid() {
        for model in KNOWN {
            assert!(is_plain_name(model.name), "{}", model.name);
            assert!(std::ptr::eq(known(model.origin).unwrap(), known(model.name).unwrap()));
            assert_eq!(model.revision.len(), 40, "{}: not a commit", model.name);
            for sum in model.files().filter_map(|file| file.sha256) {
                assert!(sum.len() == 64 && sum.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')));
            }
            // The values pass the checks of model.json.
            let json = serde_json::to_vec(&model.description()).unwrap();
            assert_eq!(ModelDescription::parse(&json).unwrap(), model.description());
        }
        for model in &BUILT_IN {
            assert!(known(model.name).is_none() && known(model.origin).is_none());
            assert!(std::ptr::eq(built_in(model.origin).unwrap(), built_in(model.name).unwrap()));
        }
        assert_eq!(BUILT_IN.map(|model| model.name), [BUNDLED, MULTILINGUAL]);
    }
}
