//! The files of the embedding model in a site.

use std::borrow::Cow;

use ubp_core::Result;
use ubp_core::embed::{DESCRIPTION_FILE, MODEL_FILE, ModelFiles, TOKENIZER_FILE, short_hash};
use ubp_core::export::Semantic;

/// Name of a separate file with weights.
const WEIGHTS_FILE: &str = "model.onnx.data";

/// A file of the model in the site.
pub struct ModelFile {
    /// Path relative to the site.
    pub path: String,
    /// Its content.
    pub bytes: Cow<'static, [u8]>,
}

/// The files of a model, with hashes in their names, and their description for the site. `None` for a model with other
/// files, which browsers cannot run.
///
/// # Errors
/// Those of [`ModelFiles::read`].
pub fn for_browsers(files: &dyn ModelFiles) -> Result<Option<(Semantic, Vec<ModelFile>)>> {
    let names = files.names();
    let known = [MODEL_FILE, WEIGHTS_FILE, TOKENIZER_FILE, DESCRIPTION_FILE];
    if names.iter().any(|name| !known.contains(&name.as_str())) {
        return Ok(None);
    }
    let mut written = Vec::new();
    let mut bytes = 0;
    let mut add = |name: &str, stem: &str, ending: &str| -> Result<String> {
        let content = files.read(name)?;
        let path = format!("data/{stem}.{}.{ending}", short_hash(&content));
        bytes += content.len() as u64;
        written.push(ModelFile { path: path.clone(), bytes: content });
        Ok(path)
    };
    let model = add(MODEL_FILE, "model", "onnx")?;
    let weights = match names.iter().any(|name| name == WEIGHTS_FILE) {
        true => Some(add(WEIGHTS_FILE, "weights", "bin")?),
        false => None,
    };
    let tokenizer = add(TOKENIZER_FILE, "tokenizer", "json")?;
    let description = add(DESCRIPTION_FILE, "model", "json")?;
    Ok(Some((Semantic { model, weights, tokenizer, description, bytes }, written)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use ubp_core::embed::MemoryFiles;

    use super::*;

    #[test]
    fn names_of_model_files_depend_on_their_content() {
        let files = |weights: &'static [u8]| {
            MemoryFiles::new([
                (MODEL_FILE, &b"graph"[..]),
                (WEIGHTS_FILE, weights),
                (TOKENIZER_FILE, b"{}"),
                (DESCRIPTION_FILE, b"{}"),
            ])
        };
        let (one, written) = for_browsers(&files(b"12")).unwrap().unwrap();
        let (two, _) = for_browsers(&files(b"13")).unwrap().unwrap();
        assert_eq!((one.bytes, written.len()), (11, 4));
        assert_eq!(one.model, two.model);
        assert_ne!(one.weights, two.weights);
        let others = MemoryFiles::new([(MODEL_FILE, &b"x"[..]), ("more.bin", b"y")]);
        assert!(for_browsers(&others).unwrap().is_none());
    }
}
