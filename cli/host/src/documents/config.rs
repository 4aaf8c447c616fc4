//! `config.json`: what it may say, and what is taken for it where it is absent or wrong.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use ubp_core::manifest::{CHUNK_SIZES, MOST_CHUNKS, line_of};

use super::{Level, Log};
use crate::atomic;

/// What a file is that was not there: every setting as it would be without the file.
const TEMPLATE: &str = r#"{
  "documents_dir": "./documents",
  "db_path": "./vectors.db",
  "chunk_size": 500,
  "search_top_k": 5,
  "compute": {
    "device": "auto",
    "fallback_to_cpu": true
  },
  "model": {
    "name": "multilingual-e5-small",
    "dimensions": 384
  }
}
"#;

/// The settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Config {
    /// Folder of the documents, seen from the file's own.
    pub documents_dir: String,
    /// The index, seen from the file's own folder.
    pub db_path: String,
    /// Most characters of a chunk.
    pub chunk_size: usize,
    /// Most chunks of an answer.
    pub search_top_k: usize,
    pub compute: Compute,
    pub model: Model,
}

/// What models run on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Compute {
    pub device: Device,
    /// Whether a GPU that is asked for may be missing.
    pub fallback_to_cpu: bool,
}

/// A kind of processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Device {
    Auto,
    Gpu,
    Cpu,
}

/// The embedding model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Model {
    pub name: String,
    pub dimensions: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            documents_dir: "./documents".into(),
            db_path: "./vectors.db".into(),
            chunk_size: 500,
            search_top_k: 5,
            compute: Compute::default(),
            model: Model::default(),
        }
    }
}

impl Default for Compute {
    fn default() -> Self {
        Self { device: Device::Auto, fallback_to_cpu: true }
    }
}

impl Default for Model {
    fn default() -> Self {
        Self { name: "multilingual-e5-small".into(), dimensions: 384 }
    }
}

/// Why a file is of no use.
#[derive(Debug)]
pub(super) enum Unusable {
    Absent,
    /// In words, with the line where there is one.
    Wrong(String),
}

impl Config {
    /// What the file at `path` says.
    ///
    /// # Errors
    /// [`Unusable`].
    pub(super) fn read(path: &Path) -> Result<Self, Unusable> {
        let text = fs::read_to_string(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Unusable::Absent,
            _ => Unusable::Wrong(format!("{}: {error}", path.display())),
        })?;
        Self::parse(&text)
            .map_err(|(line, what)| Unusable::Wrong(format!("{}:{line}: {what}", path.display())))
    }

    /// The settings in `text`.
    ///
    /// # Errors
    /// The line, and what is wrong there.
    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let wrong = |error: serde_json::Error| (error.line().max(1), without_place(&error));
        let value: Value = serde_json::from_str(text).map_err(wrong)?;
        if !value.is_object() {
            return Err((1, "expected an object: { … }".into()));
        }
        for key in ["compute", "model"] {
            if value.get(key).is_some_and(|inner| !inner.is_object()) {
                return Err((line_of(text, &[key]), format!("{key} must be an object: {{ … }}")));
            }
        }
        let config: Self = serde_json::from_str(text).map_err(wrong)?;
        for (keys, number, (least, most)) in [
            (&["chunk_size"][..], config.chunk_size, CHUNK_SIZES),
            (&["search_top_k"], config.search_top_k, (1, MOST_CHUNKS)),
            (&["model", "dimensions"], config.model.dimensions, (1, 65_536)),
        ] {
            if !(least..=most).contains(&number) {
                let key = keys.join(".");
                let what = format!("{key} is {number}; expected a whole number from {least} to {most}");
                return Err((line_of(text, keys), what));
            }
        }
        for (key, path) in [("documents_dir", &config.documents_dir), ("db_path", &config.db_path)] {
            if path.trim().is_empty() || path.contains('\0') {
                return Err((line_of(text, &[key]), format!("{key} is {path:?}; expected a path")));
            }
        }
        Ok(config)
    }

    /// The same, and what is taken where that fails: the usual settings, written down where there is no file yet.
    pub(super) fn load(path: &Path, log: &Log<'_>) -> Self {
        match Self::read(path) {
            Ok(config) => {
                for key in unknown_keys(path) {
                    log(
                        Level::Warn,
                        &format!("{}: '{key}' is no setting; it is passed over", path.display()),
                    );
                }
                config
            }
            Err(Unusable::Wrong(what)) => {
                log(Level::Warn, &format!("{what}; the default settings are used"));
                Self::default()
            }
            Err(Unusable::Absent) => {
                // A folder that is not there is a mistake in the path.
                let folder = path.parent().map_or(Ok(()), |folder| fs::metadata(folder).map(drop));
                let made = folder.and_then(|()| atomic::create(path, TEMPLATE.as_bytes()));
                let path = path.display();
                match made {
                    Ok(()) => {
                        log(Level::Info, &format!("{path} was not there: made with the default settings"))
                    }
                    Err(error) => {
                        let words = format!("{path} is not there, and cannot be made ({error})");
                        log(Level::Warn, &format!("{words}; the default settings are used"));
                    }
                }
                Self::default()
            }
        }
    }
}

/// serde_json's words without the position, which stands before them.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or_else(|| text.clone(), |(message, _)| message.to_owned())
}

/// Keys that mean nothing, such as misspelt ones.
fn unknown_keys(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let read = |text: &str| serde_json::from_str::<Value>(text.strip_prefix('\u{feff}').unwrap_or(text));
    let (Ok(given), Ok(known)) = (read(&text), read(TEMPLATE)) else { return Vec::new() };
    let mut unknown = Vec::new();
    for (key, value) in given.as_object().into_iter().flatten() {
        match known.get(key) {
            None => unknown.push(key.clone()),
            Some(Value::Object(known)) => {
                let inner = value.as_object().into_iter().flatten().map(|(inner, _)| inner);
                unknown.extend(
                    inner.filter(|inner| !known.contains_key(*inner)).map(|inner| format!("{key}.{inner}")),
                );
            }
            Some(_) => {}
        }
    }
    unknown
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn the_template_says_what_is_taken_without_it() {
        assert_eq!(Config::parse(TEMPLATE).unwrap(), Config::default());
        assert_eq!(Config::parse("{}").unwrap(), Config::default());
        assert_eq!(Config::parse("\u{feff}{\"chunk_size\": 300}").unwrap().chunk_size, 300);
    }

    /// What loading `text` gives, and what is said about it.
    fn loaded(text: Option<&str>) -> (Config, Vec<(Level, String)>, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.json");
        if let Some(text) = text {
            fs::write(&path, text).unwrap();
        }
        let said = RefCell::new(Vec::new());
        let config = Config::load(&path, &|level, text| said.borrow_mut().push((level, text.to_owned())));
        (config, said.into_inner(), fs::read_to_string(&path).ok())
    }

    #[test]
    fn a_file_that_is_absent_is_made() {
        let (config, said, text) = loaded(None);
        assert_eq!(config, Config::default());
        assert_eq!(text.as_deref(), Some(TEMPLATE));
        assert!(said.len() == 1 && said[0].0 == Level::Info, "{said:?}");
    }

    #[test]
    fn a_file_that_is_wrong_is_named_with_its_line_and_stays() {
        for (text, line, what) in [
            ("{\n  \"chunk_size\": 500,\n", 3, "EOF"),
            ("{\n  \"chunk_size\": \"many\"\n}", 2, "many"),
            ("{\n\n  \"chunk_size\": 3,\n  \"search_top_k\": 5\n}", 3, "from 50"),
            ("{\n  \"compute\": {\n    \"device\": \"tpu\"\n  }\n}", 3, "tpu"),
            ("{\n  \"search_top_k\": 0\n}", 2, "from 1"),
            ("{\n  \"db_path\": \"\"\n}", 2, "a path"),
            ("[]", 1, "object"),
            ("{\n  \"model\": \"e5\"\n}", 2, "object"),
            ("", 1, "EOF"),
        ] {
            let (config, said, kept) = loaded(Some(text));
            assert_eq!(config, Config::default(), "{text}");
            assert_eq!(kept.as_deref(), Some(text), "nobody's file is written over");
            assert!(said.len() == 1 && said[0].0 == Level::Warn, "{said:?}");
            assert!(said[0].1.contains(&format!("config.json:{line}: ")), "{text}: {said:?}");
            assert!(said[0].1.contains(what) && said[0].1.contains("default"), "{said:?}");
        }
    }

    #[test]
    fn keys_that_mean_nothing_are_named() {
        let (config, said, _) = loaded(Some(
            r#"{ "chunk_sise": 300, "compute": { "devise": "cpu", "fallback_to_cpu": false } }"#,
        ));
        assert!(!config.compute.fallback_to_cpu);
        assert_eq!(said.len(), 2);
        assert!(said[0].1.contains("'chunk_sise'") && said[1].1.contains("'compute.devise'"), "{said:?}");
    }
}
