//! Installed models and their records. The checksums that identify a model's vectors are computed once, at
//! installation, so that opening reads no weights.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use ubp_core::message::Message;
use ubp_core::word;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use ubp_core::embed::{DESCRIPTION_FILE, ModelDescription, ModelFiles, short_hash};
use ubp_core::message;
use ubp_core::{Error, Result};

use super::places::{Place, Places, is_plain_name, refuse_link};
use super::{damaged, hex, missing};
use crate::atomic;

/// Name of the record in a model's folder.
pub const RECORD_FILE: &str = "install.json";

/// Limit on the bytes of `model.json` and the record.
pub const SMALL_FILE: u64 = 1 << 20;

/// Record of an installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallRecord {
    /// Origin: a folder or the address of a hub.
    pub source: String,
    /// Its files, sorted by name.
    pub files: Vec<RecordedFile>,
}

/// One file of an installed model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedFile {
    /// Its name in the model's folder.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal digits.
    pub sha256: String,
}

impl InstallRecord {
    /// The record of `files`.
    pub fn new(source: String, mut files: Vec<RecordedFile>) -> Self {
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Self { source, files }
    }

    /// The same checksum as [`ModelFiles::checksum`] of the files.
    pub fn checksum(&self) -> String {
        let lines: String =
            self.files.iter().map(|file| format!("{}  {}\n", file.sha256, file.name)).collect();
        short_hash(lines.as_bytes())
    }

    /// Writes it into the model's folder.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, folder: &Path) -> Result<()> {
        let mut text =
            serde_json::to_string_pretty(self).map_err(|error| Error::Internal(error.to_string()))?;
        text.push('\n');
        let path = folder.join(RECORD_FILE);
        atomic::write(&path, text.as_bytes(), &path.to_string_lossy())
    }
}

/// An installed model. Its weights have not been read.
#[derive(Debug, Clone)]
pub struct InstalledModel {
    /// Its folder.
    pub folder: PathBuf,
    /// The place of that folder.
    pub place: Place,
    /// Its record.
    pub record: InstallRecord,
    /// How to use it.
    pub description: ModelDescription,
    /// The content of `model.json`.
    json: Vec<u8>,
}

impl InstalledModel {
    /// Finds the model `name`; the project's places come before the user's.
    ///
    /// # Errors
    /// [`Error::ModelUnavailable`] if it is missing or unusable.
    pub fn find(name: &str, places: &Places) -> Result<Self> {
        let mut first = None;
        for (place, folder) in places.all() {
            match Self::open(name, place, folder) {
                Ok(Some(model)) => return Ok(model),
                Ok(None) => {}
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| missing(name, places)))
    }

    /// Opens the model `name` in the folder of a place; `None` if it has no folder there.
    ///
    /// # Errors
    /// [`Error::ModelUnavailable`] if it is unusable, [`Error::Io`] for symbolic links in a project.
    pub fn open(name: &str, place: Place, folder: &Path) -> Result<Option<Self>> {
        if !is_plain_name(name) {
            return Ok(None);
        }
        let models = folder;
        let folder = models.join(name);
        if place == Place::Project {
            refuse_link(models)?;
            refuse_link(&folder)?;
        }
        if fs::symlink_metadata(&folder).is_err() {
            return Ok(None);
        }
        let wrong = |message: Message| damaged(name, &folder, message);
        let text = small_file(&folder.join(RECORD_FILE)).map_err(|error| {
            wrong(if error.kind() == std::io::ErrorKind::NotFound {
                message!("it was copied there but never checked")
            } else {
                message!("{file} cannot be read: {error}", file = RECORD_FILE, error)
            })
        })?;
        let mut record: InstallRecord = serde_json::from_slice(&text).map_err(|error| {
            wrong(message!("{record_file} is damaged: {error}", record_file = RECORD_FILE, error))
        })?;
        record.files.sort_by(|a, b| a.name.cmp(&b.name));
        for file in &record.files {
            if !is_plain_name(&file.name) {
                return Err(wrong(message!(
                    "{record_file} has an invalid file name '{name}'",
                    record_file = RECORD_FILE,
                    name = file.name
                )));
            }
            let path = folder.join(&file.name);
            if place == Place::Project {
                refuse_link(&path)?;
            }
            let length = fs::metadata(&path).map(|metadata| metadata.len());
            if !matches!(length, Ok(length) if length == file.bytes) {
                return Err(wrong(message!("{name} is not the file that was installed", name = file.name)));
            }
        }
        let json = small_file(&folder.join(DESCRIPTION_FILE)).map_err(|error| {
            wrong(message!(
                "{description_file} cannot be read: {error}",
                description_file = DESCRIPTION_FILE,
                error
            ))
        })?;
        let recorded = record.files.iter().find(|file| file.name == DESCRIPTION_FILE);
        if recorded.is_none_or(|file| file.sha256 != hex(&Sha256::digest(&json))) {
            return Err(wrong(message!(
                "{description_file} was changed after it was installed",
                description_file = DESCRIPTION_FILE
            )));
        }
        let description = ModelDescription::parse(&json)?;
        if description.name != name {
            return Err(wrong(message!(
                "its {description_file} has the name '{name}'",
                description_file = DESCRIPTION_FILE,
                name = description.name
            )));
        }
        Ok(Some(Self { folder, place, record, description, json }))
    }

    /// Its files, for an engine.
    pub fn into_files(self) -> InstalledFiles {
        InstalledFiles { folder: self.folder, record: self.record, json: self.json }
    }
}

/// The content of a file of at most [`SMALL_FILE`] bytes.
///
/// # Errors
/// Any I/O error, or that the file is too large.
pub fn small_file(path: &Path) -> std::io::Result<Vec<u8>> {
    if fs::metadata(path)?.len() > SMALL_FILE {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, word!("it is too large")));
    }
    fs::read(path)
}

/// The files of an installed model, read on demand.
#[derive(Debug)]
pub struct InstalledFiles {
    folder: PathBuf,
    record: InstallRecord,
    json: Vec<u8>,
}

impl InstalledFiles {
    /// Files with a new record.
    ///
    /// # Errors
    /// [`Error::Io`] if `model.json` cannot be read.
    pub fn new(folder: &Path, record: InstallRecord) -> Result<Self> {
        let path = folder.join(DESCRIPTION_FILE);
        let json = small_file(&path).map_err(|error| Error::io(path.to_string_lossy(), error))?;
        Ok(Self { folder: folder.to_path_buf(), record, json })
    }
}

impl ModelFiles for InstalledFiles {
    fn names(&self) -> Vec<String> {
        self.record.files.iter().map(|file| file.name.clone()).collect()
    }

    fn read(&self, name: &str) -> Result<Cow<'static, [u8]>> {
        if name == DESCRIPTION_FILE {
            return Ok(Cow::Owned(self.json.clone()));
        }
        // The graph of a model names its weight files: allow only recorded ones.
        if !self.record.files.iter().any(|file| file.name == name) {
            return Err(Error::Model {
                model: self.folder.file_name().unwrap_or_default().to_string_lossy().into(),
                message: message!(
                    "it refers to a missing file '{name}'; separate weights must be beside model.onnx, \
                    in files whose names start with model.onnx",
                    name
                ),
            });
        }
        let path = self.folder.join(name);
        fs::read(&path).map(Cow::Owned).map_err(|error| Error::io(path.to_string_lossy(), error))
    }

    fn checksum(&self) -> Result<String> {
        Ok(self.record.checksum())
    }
}

#[cfg(test)]
mod tests;
