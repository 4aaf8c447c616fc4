//! `config.json`: its settings, and the defaults if it is missing or invalid.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};
use ubp_core::manifest::settings::{self, Settings};
use ubp_core::manifest::{self, DocumentSettings, EmbeddingModel, Manifest};
use ubp_core::{Error, Result};

use super::{Level, Log};
use crate::atomic;

/// The settings, with their names in the file. [`Config::put_into`] converts them to settings of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Config {
    /// Folder of the documents, relative to the folder of the file.
    #[serde(deserialize_with = "path")]
    pub documents_dir: String,
    /// The index, relative to the folder of the file.
    #[serde(deserialize_with = "path")]
    pub db_path: String,
    #[serde(deserialize_with = "manifest::chunk_size")]
    pub chunk_size: usize,
    #[serde(deserialize_with = "manifest::top_k")]
    pub search_top_k: usize,
    pub compute: Compute,
    pub model: Model,
}

/// The processor for models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Compute {
    pub device: Device,
    /// Whether to use the CPU if a requested GPU is missing.
    pub fallback_to_cpu: bool,
}

/// A kind of processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Device {
    Auto,
    Gpu,
    Cpu,
}

/// The embedding model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Model {
    pub name: String,
    #[serde(deserialize_with = "manifest::dimensions")]
    pub dimensions: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            documents_dir: "./documents".into(),
            db_path: "./vectors.db".into(),
            chunk_size: 500,
            search_top_k: DocumentSettings::default().top_k,
            compute: Compute { device: Device::Auto, fallback_to_cpu: true },
            model: Model {
                name: "multilingual-e5-small".into(),
                dimensions: EmbeddingModel::default().dimensions,
            },
        }
    }
}

fn path<'de, D: Deserializer<'de>>(value: D) -> std::result::Result<String, D::Error> {
    let path = String::deserialize(value)?;
    if path.trim().is_empty() || path.contains('\0') {
        return Err(serde::de::Error::custom(format_args!("expected a path, found {path:?}")));
    }
    Ok(path)
}

impl Config {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Manifest`] for invalid settings.
    pub(super) fn read(path: &Path) -> Result<Settings<Self>> {
        let shown = path.to_string_lossy();
        let text = fs::read_to_string(path).map_err(|error| Error::io(shown.clone(), error))?;
        settings::read(&text, &shown, &Self::default())
    }

    /// Reads the file at `path`, or uses default settings if that fails. A missing file is created with the defaults.
    pub(super) fn load(path: &Path, log: &Log<'_>) -> Self {
        match Self::read(path) {
            Ok(settings) => {
                for unknown in settings.unknown {
                    log(Level::Warn, &format!("{} ({}:{})", unknown.told(), path.display(), unknown.line));
                }
                settings.value
            }
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {
                // A missing folder is a mistake in the path, so it is not created.
                let folder = path.parent().map_or(Ok(()), |folder| fs::metadata(folder).map(drop));
                let made = folder.and_then(|()| atomic::create(path, Self::template().as_bytes()));
                let path = path.display();
                match made {
                    Ok(()) => {
                        log(Level::Info, &format!("{path} not found: created with the default settings"))
                    }
                    Err(error) => {
                        let words = format!("{path} not found and cannot be created ({error})");
                        log(Level::Warn, &format!("{words}; using the default settings"));
                    }
                }
                Self::default()
            }
            Err(error) => {
                log(Level::Warn, &format!("{error}; using the default settings"));
                Self::default()
            }
        }
    }

    /// The content of a file with every setting at its default.
    fn template() -> String {
        serde_json::to_string_pretty(&Self::default()).unwrap_or_else(|_| "{}".into()) + "\n"
    }

    /// Sets the corresponding settings of a manifest.
    pub(super) fn put_into(&self, manifest: &mut Manifest) {
        manifest.embedding_model = EmbeddingModel {
            name: self.model.name.clone(),
            dimensions: self.model.dimensions,
            ..EmbeddingModel::default()
        };
        manifest.documents = DocumentSettings { chunk_size: Some(self.chunk_size), top_k: self.search_top_k };
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::cell::RefCell;

    use super::*;

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

    #[test]
    fn the_template_has_the_default_of_every_setting() {
        assert_eq!(loaded(Some(TEMPLATE)).0, Config::default());
        assert_eq!(loaded(Some("{}")).0, Config::default());
        assert_eq!(loaded(Some("\u{feff}{\"chunk_size\": 300}")).0.chunk_size, 300);
    }

    #[test]
    fn settings_are_converted_to_those_of_a_manifest() {
        let mut manifest = Manifest::default();
        let text =
            r#"{ "chunk_size": 300, "search_top_k": 7, "model": { "name": "mine", "dimensions": 8 } }"#;
        loaded(Some(text)).0.put_into(&mut manifest);
        assert_eq!(manifest.documents, DocumentSettings { chunk_size: Some(300), top_k: 7 });
        assert_eq!(
            (manifest.embedding_model.name.as_str(), manifest.embedding_model.dimensions),
            ("mine", 8)
        );
    }

    /// Loads `text`; returns the settings, the messages, and the file's content afterwards.
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
    fn a_missing_file_is_created() {
        let (config, said, text) = loaded(None);
        assert_eq!(config, Config::default());
        assert_eq!(text.as_deref(), Some(TEMPLATE));
        assert!(said.len() == 1 && said[0].0 == Level::Info, "{said:?}");
    }

    #[test]
    fn an_invalid_file_is_reported_with_its_line_and_kept() {
        for (text, line, what) in [
            ("{\n  \"chunk_size\": 500,\n", 3, "EOF"),
            ("{\n  \"chunk_size\": \"many\"\n}", 2, "a number"),
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
            assert_eq!(kept.as_deref(), Some(text), "the file is not overwritten");
            assert!(said.len() == 1 && said[0].0 == Level::Warn, "{said:?}");
            assert!(said[0].1.contains(&format!("config.json:{line}: ")), "{text}: {said:?}");
            assert!(said[0].1.contains(what) && said[0].1.contains("default"), "{said:?}");
        }
    }

    #[test]
    fn unknown_settings_are_reported() {
        let (config, said, _) = loaded(Some(
            r#"{ "chunk_sise": 300, "compute": { "devise": "cpu", "fallback_to_cpu": false } }"#,
        ));
        assert!(!config.compute.fallback_to_cpu);
        assert_eq!(said.len(), 2);
        assert!(said[0].1.starts_with("unknown setting `chunk_sise`, ignored ("), "{said:?}");
        assert!(said[0].1.ends_with("config.json:1)") && said[1].1.contains("`compute.devise`"), "{said:?}");
    }
}
