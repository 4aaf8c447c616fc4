//! Models known by name: where their files are published and how to use them. Revisions and known checksums are pinned,
//! so that a name always means the same vectors.

use ubp_core::embed::{ModelDescription, Pooling, Prefixes, Scripts};

/// Name of the built-in model.
pub const BUNDLED: &str = "all-MiniLM-L6-v2";

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
    /// The graph with its weights.
    pub model: KnownFile,
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

/// All known models, with 8-bit weights, which are faster and take a quarter of the download and memory.
pub const KNOWN: &[KnownModel] = &[
    KnownModel {
        name: "paraphrase-multilingual-MiniLM-L12-v2",
        origin: "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
        repository: "Xenova/paraphrase-multilingual-MiniLM-L12-v2",
        revision: "2c4055b12046f11709e9df2c122e59ffbdc2f900",
        model: KnownFile {
            path: "onnx/model_quantized.onnx",
            bytes: 118_308_126,
            sha256: Some("66fc00f5f29afcaff34092e1bdd20008ca3918265a82fb9695a551e510cc4ebc"),
        },
        tokenizer: KnownFile {
            path: "tokenizer.json",
            bytes: 17_082_913,
            sha256: Some("b60b6b43406a48bf3638526314f3d232d97058bc93472ff2de930d43686fa441"),
        },
        pooling: Pooling::Mean,
        query_prefix: "",
        passage_prefix: "",
        window: 128,
        dimensions: 384,
        scripts: &[
            "Latin",
            "Cyrillic",
            "Greek",
            "Arabic",
            "Hebrew",
            "Armenian",
            "Georgian",
            "Devanagari",
            "Gujarati",
            "Myanmar",
            "Thai",
            "Han",
            "Hiragana",
            "Katakana",
            "Hangul",
        ],
        licence: "Apache-2.0",
        summary: "50 languages, short texts",
    },
    KnownModel {
        name: "multilingual-e5-small",
        origin: "intfloat/multilingual-e5-small",
        repository: "Xenova/multilingual-e5-small",
        revision: "761b726dd34fb83930e26aab4e9ac3899aa1fa78",
        model: KnownFile {
            path: "onnx/model_quantized.onnx",
            bytes: 118_308_185,
            sha256: Some("f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193"),
        },
        tokenizer: KnownFile {
            path: "tokenizer.json",
            bytes: 17_082_730,
            sha256: Some("0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39"),
        },
        pooling: Pooling::Mean,
        query_prefix: "query: ",
        passage_prefix: "passage: ",
        window: 512,
        dimensions: 384,
        scripts: &[],
        licence: "MIT",
        summary: "100 languages, made for search",
    },
    KnownModel {
        name: "ruri-v3-30m",
        origin: "cl-nagoya/ruri-v3-30m",
        repository: "sirasagi62/ruri-v3-30m-ONNX",
        revision: "cdf9391f1ff2198daa8f63f7ccf97d7b3e7415a0",
        model: KnownFile { path: "onnx/model_quantized.onnx", bytes: 37_000_000, sha256: None },
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
        summary: "Japanese, small and made for search",
    },
];

/// The known model with this name or origin.
pub fn known(name: &str) -> Option<&'static KnownModel> {
    KNOWN.iter().find(|model| model.name == name || model.origin == name)
}

impl KnownModel {
    /// Approximate bytes to download.
    pub fn bytes(&self) -> u64 {
        self.model.bytes + self.tokenizer.bytes
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
            for sum in [model.model.sha256, model.tokenizer.sha256].into_iter().flatten() {
                assert!(sum.len() == 64 && sum.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')));
            }
            // The values pass the checks of model.json.
            let json = serde_json::to_vec(&model.description()).unwrap();
            assert_eq!(ModelDescription::parse(&json).unwrap(), model.description());
        }
        assert!(known(BUNDLED).is_none());
    }
}
