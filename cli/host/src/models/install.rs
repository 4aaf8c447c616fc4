//! Installs a model from a folder into a project: copied to a staging folder, checked, and then moved into place, so
//! that an installed model is always complete.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use ubp_core::message;
use ubp_core::message::Message;

use sha2::{Digest, Sha256};
use ubp_core::embed::{DESCRIPTION_FILE, MODEL_FILE, ModelDescription, Pooling, TOKENIZER_FILE};
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result};

use super::installed::{InstallRecord, InstalledFiles, InstalledModel, RecordedFile, small_file};
use super::known::{KNOWN, built_in, known};
use super::places::{Place, Places, is_plain_name};
use super::{check, hex};

/// Files required in every model.
const REQUIRED: [&str; 3] = [MODEL_FILE, TOKENIZER_FILE, DESCRIPTION_FILE];
/// Prefix of temporary folders.
const TEMPORARY: &str = ".tmp-";
/// Older temporary folders were left by a crash.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

/// Installs the model in `source` into the project. A folder that is already in one of the places is checked and
/// recorded there.
///
/// # Errors
/// [`Error::Model`] and [`Error::ModelUnavailable`] for an invalid folder, [`Error::Io`], [`Error::Cancelled`]. No
/// files are left in these cases.
pub fn from_folder(source: &Path, places: &Places, cancel: &Cancel) -> Result<InstalledModel> {
    let shown = source.to_string_lossy().into_owned();
    let source = fs::canonicalize(source).map_err(|error| Error::io(shown.clone(), error))?;
    let description = described(&source, &shown)?;
    let name = description.name.clone();
    for (place, models) in places.all() {
        if fs::canonicalize(models.join(&name)).is_ok_and(|there| there == source) {
            record_in_place(&source, &description, cancel)?;
            return reopened(&name, place, models);
        }
    }
    let models = places.project()?;
    sweep(models);
    let io = |path: &Path, error| Error::io(path.to_string_lossy(), error);
    let staging =
        tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(models).map_err(|error| io(models, error))?;
    let mut files = Vec::new();
    for file in names(&source)? {
        let from = source.join(&file);
        files.push(copy(&from, Some(&staging.path().join(&file)), file, cancel)?);
    }
    let record = InstallRecord::new(shown, files);
    check(Box::new(InstalledFiles::new(staging.path(), record.clone())?), &description)?;
    cancel.check()?;
    record.write(staging.path())?;
    publish(staging.path(), &models.join(&name))?;
    reopened(&name, Place::Project, models)
}

/// Opens the model that was just installed.
pub(super) fn reopened(name: &str, place: Place, models: &Path) -> Result<InstalledModel> {
    InstalledModel::open(name, place, models)?
        .ok_or_else(|| Error::Internal(format!("the model '{name}' is missing after its installation")))
}

/// The description in `model.json`, if the folder has all required files.
fn described(source: &Path, shown: &str) -> Result<ModelDescription> {
    let unusable = |message: Message, remedy: Message| Error::ModelUnavailable {
        model: source.file_name().unwrap_or(source.as_os_str()).to_string_lossy().into(),
        message,
        remedy,
    };
    if !source.is_dir() {
        return Err(unusable(
            message!("{shown} is not a folder", shown),
            message!("use the folder of the model"),
        ));
    }
    let lacking: Vec<&str> = REQUIRED.into_iter().filter(|name| !source.join(name).is_file()).collect();
    if !lacking.is_empty() {
        let remedy = if lacking.contains(&DESCRIPTION_FILE) {
            message!(
                "{description_file} says how to use the model, as in this example:\n{source}",
                description_file = DESCRIPTION_FILE,
                source = example(source)
            )
        } else {
            message!("a model's folder needs {value}", value = REQUIRED.join(", "))
        };
        return Err(unusable(
            message!("{shown} lacks {lacking}", shown, lacking = lacking.join(" and ")),
            remedy,
        ));
    }
    let path = source.join(DESCRIPTION_FILE);
    let json = small_file(&path).map_err(|error| Error::io(path.to_string_lossy(), error))?;
    let description = ModelDescription::parse(&json).map_err(|error| {
        unusable(
            error.message(),
            message!(
                "an example of {description_file}:\n{source}",
                description_file = DESCRIPTION_FILE,
                source = example(source)
            ),
        )
    })?;
    let name = &description.name;
    if built_in(name).is_some() {
        let remedy =
            message!("give it another \"name\" in {description_file}", description_file = DESCRIPTION_FILE);
        return Err(unusable(message!("'{name}' is the name of a built-in model", name), remedy));
    }
    if !is_plain_name(name) {
        let message = message!(
            "{description_file}: the name '{name}' is not a valid folder name",
            description_file = DESCRIPTION_FILE,
            name
        );
        return Err(unusable(message, message!("use ASCII letters, digits, '-', '_' and '.'")));
    }
    Ok(description)
}

/// An example of `model.json`: that of the known model with the name of the folder, if any.
fn example(source: &Path) -> String {
    let name = source.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let description =
        known(name).or(KNOWN.iter().find(|model| model.pooling == Pooling::Mean)).map(|model| {
            let mut description = model.description();
            if is_plain_name(name) {
                description.name = name.into();
            }
            description
        });
    serde_json::to_string_pretty(&description).unwrap_or_default()
}

/// The files of the model in `source`: the required ones, and separate files with weights.
fn names(source: &Path) -> Result<Vec<String>> {
    let failed = |error| Error::io(source.to_string_lossy(), error);
    let mut names: Vec<String> = REQUIRED.map(Into::into).into();
    for entry in fs::read_dir(source).map_err(failed)? {
        let Ok(name) = entry.map_err(failed)?.file_name().into_string() else { continue };
        // Weights, such as `model.onnx.data` and `model_quantized.onnx_data`: the graph refers to them by name.
        let weights = name.contains(".onnx") && !name.ends_with(".onnx");
        if weights && is_plain_name(&name) && source.join(&name).is_file() {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn record_in_place(folder: &Path, description: &ModelDescription, cancel: &Cancel) -> Result<()> {
    let mut files = Vec::new();
    for name in names(folder)? {
        files.push(copy(&folder.join(&name), None, name, cancel)?);
    }
    let record = InstallRecord::new(folder.to_string_lossy().into_owned(), files);
    check(Box::new(InstalledFiles::new(folder, record.clone())?), description)?;
    record.write(folder)
}

/// Hashes `from`, and copies it to `to`.
pub(super) fn copy(from: &Path, to: Option<&Path>, name: String, cancel: &Cancel) -> Result<RecordedFile> {
    let reading = |error| Error::io(from.to_string_lossy(), error);
    let mut source = File::open(from).map_err(reading)?;
    let writing = |error| Error::io(to.unwrap_or(from).to_string_lossy(), error);
    let mut target = to.map(File::create_new).transpose().map_err(writing)?;
    let mut hash = Sha256::new();
    let mut bytes = 0;
    let mut buffer = vec![0; 1 << 20];
    loop {
        cancel.check()?;
        let count = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(reading(error)),
        };
        let part = buffer.get(..count).unwrap_or_default();
        hash.update(part);
        if let Some(target) = &mut target {
            target.write_all(part).map_err(writing)?;
        }
        bytes += count as u64;
    }
    if let Some(target) = target {
        target.sync_all().map_err(writing)?;
    }
    Ok(RecordedFile { name, bytes, sha256: hex(&hash.finalize()) })
}

/// Moves the folder `staging` to `place`. An existing folder is deleted only after that.
///
/// # Errors
/// [`Error::Io`]; the existing folder is then restored.
pub(super) fn publish(staging: &Path, place: &Path) -> Result<()> {
    let failed = |error| Error::io(place.to_string_lossy(), error);
    let aside: Option<PathBuf> = match fs::symlink_metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
        Ok(_) => {
            let id = uuid::Uuid::now_v7();
            let aside = place.with_file_name(format!("{TEMPORARY}{id}"));
            fs::rename(place, &aside).map_err(failed)?;
            Some(aside)
        }
    };
    if let Err(error) = fs::rename(staging, place) {
        if let Some(aside) = &aside {
            let _ = fs::rename(aside, place);
        }
        return Err(failed(error));
    }
    if let Some(aside) = aside {
        // If this fails, the folder is deleted later.
        let _ = fs::remove_dir_all(&aside).or_else(|_| fs::remove_file(&aside));
    }
    Ok(())
}

/// Deletes temporary folders of installations that were killed.
fn sweep(models: &Path) {
    let Ok(entries) = fs::read_dir(models) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(TEMPORARY));
        let age = entry.metadata().and_then(|metadata| metadata.modified()).map(|time| time.elapsed());
        if ours && matches!(age, Ok(Ok(age)) if age > ABANDONED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
