//! Downloads known models from a hub into the user's folder. Files are downloaded to a staging folder, which is kept if
//! the download is interrupted, and moved into place when the model is complete and checked.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use ubp_core::message::Message;

use ubp_core::embed::{DESCRIPTION_FILE, MODEL_FILE, ModelDescription, TOKENIZER_FILE};
use ubp_core::message;
use ubp_core::progress::Cancel;
use ubp_core::{Error, Result};

use super::install::{copy, publish, reopened};
use super::installed::{InstallRecord, InstalledFiles, InstalledModel, SMALL_FILE, small_file};
use super::known::{KnownFile, KnownModel};
use super::places::{Place, Places};
use super::transfer::{Failure, Order, Route, fetch, is_allowed};
use super::{by_hand, check};
use crate::Environment;
use crate::file_lock::FileLock;

/// The public hub.
const PUBLIC_HUB: &str = "https://huggingface.co";
/// Limit on the bytes of a file: the most that an engine can hold in memory on every supported system.
const LARGEST: u64 = 2 << 30;
/// File with the origin of an unfinished download.
const ORIGIN_FILE: &str = "origin";

/// Progress callback: the file, its bytes so far, and its length if known.
pub type OnProgress<'a> = &'a dyn Fn(&str, u64, Option<u64>);

/// A downloaded model.
pub struct Download {
    /// The installed model.
    pub model: InstalledModel,
    /// Files that differ from the known edition; possible only on a custom hub.
    pub other_edition: Vec<String>,
}

/// Whether `UBP_OFFLINE` forbids network access.
pub fn is_offline(environment: &Environment) -> bool {
    environment.get("UBP_OFFLINE").is_some_and(|value| !matches!(value, "" | "0" | "false"))
}

/// The address of the hub, without a final slash.
///
/// # Errors
/// [`Error::InvalidParams`] if `UBP_HUB` is not an address, or not encrypted.
fn hub(environment: &Environment) -> Result<String> {
    let named = environment.get("UBP_HUB").filter(|value| !value.is_empty()).unwrap_or(PUBLIC_HUB);
    let hub = named.trim_end_matches('/');
    match hub.parse() {
        Ok(uri) if is_allowed(&uri) => Ok(hub.into()),
        _ => Err(Error::invalid(message!(
            "UBP_HUB is '{named}'; expected an https:// address (http:// only for this machine)",
            named
        ))),
    }
}

/// Downloads a model, checks it and installs it for the user.
///
/// # Errors
/// [`Error::ModelUnavailable`] if the network is disabled or unreachable, or the hub does not have the right files;
/// [`Error::Model`] if the model does not work; [`Error::Cancelled`]; [`Error::Io`].
pub fn install(
    known: &KnownModel,
    places: &Places,
    environment: &Environment,
    cancel: &Cancel,
    progress: OnProgress<'_>,
) -> Result<Download> {
    let unavailable = |message: Message| Error::ModelUnavailable {
        model: known.name.into(),
        message,
        remedy: by_hand(known, places),
    };
    if is_offline(environment) {
        return Err(unavailable(message!("UBP_OFFLINE is set, so it was not downloaded")));
    }
    let hub = hub(environment)?;
    let models = places.user()?;
    let lock = models.join(format!(".{}.lock", known.name));
    let _lock = FileLock::take(&lock, Duration::ZERO)
        .map_err(|error| Error::io(lock.to_string_lossy(), error))?
        .ok_or_else(|| unavailable(message!("another process is already downloading it; wait for that")))?;
    let visit =
        Visit { known, public: hub == PUBLIC_HUB, hub, route: Route::of(environment), cancel, progress };
    let staging = visit.staging(models)?;
    let result = visit.fill(&staging).map_err(|problem| match problem {
        Problem::Other(error) => error,
        Problem::Transfer(file, failure) => visit.explain(&file, failure, &unavailable),
    });
    if result.is_err() && fs::read_dir(&staging).is_ok_and(|entries| entries.count() <= 1) {
        // Only the origin file.
        let _ = fs::remove_dir_all(&staging);
    }
    let other_edition = result?;
    let description = ModelDescription::parse(&read_small(&staging.join(DESCRIPTION_FILE))?)?;
    let mut files = Vec::new();
    let weights = known.weights.map(file_name);
    for name in [MODEL_FILE, TOKENIZER_FILE, DESCRIPTION_FILE].into_iter().chain(weights) {
        files.push(copy(&staging.join(name), None, name.into(), cancel)?);
    }
    let record = InstallRecord::new(visit.address(""), files);
    if let Err(error) = check(Box::new(InstalledFiles::new(&staging, record.clone())?), &description) {
        // The files do not work, so do not resume with them.
        let _ = fs::remove_dir_all(&staging);
        return Err(error);
    }
    let _ = fs::remove_file(staging.join(ORIGIN_FILE));
    record.write(&staging)?;
    publish(&staging, &models.join(known.name))?;
    Ok(Download { model: reopened(known.name, Place::User, models)?, other_edition })
}

enum Problem {
    Transfer(String, Failure),
    Other(Error),
}

type Outcome<T> = std::result::Result<T, Problem>;

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// A model on a hub.
struct Visit<'a> {
    known: &'a KnownModel,
    hub: String,
    /// Whether it is the public hub, whose files are known; another hub may have its own edition.
    public: bool,
    route: Route,
    cancel: &'a Cancel,
    progress: OnProgress<'a>,
}

impl Visit<'_> {
    fn address(&self, file: &str) -> String {
        let address = format!("{}/{}/resolve/{}", self.hub, self.known.repository, self.known.revision);
        if file.is_empty() { address } else { format!("{address}/{file}") }
    }

    /// The staging folder; files from another origin are deleted.
    fn staging(&self, models: &Path) -> Result<PathBuf> {
        let staging = models.join(format!(".{}.part", self.known.name));
        let failed = |error| Error::io(staging.to_string_lossy(), error);
        let origin = self.address("");
        if fs::read_to_string(staging.join(ORIGIN_FILE)).ok().as_deref() != Some(origin.as_str()) {
            if staging.exists() {
                fs::remove_dir_all(&staging).map_err(failed)?;
            }
            fs::create_dir_all(&staging).map_err(failed)?;
            fs::write(staging.join(ORIGIN_FILE), origin).map_err(failed)?;
        }
        Ok(staging)
    }

    /// Downloads every missing file; returns the files that differ from the known edition.
    fn fill(&self, staging: &Path) -> Outcome<Vec<String>> {
        let mut other_edition = Vec::new();
        let weights = self.known.weights.map(|file| (file, file_name(file)));
        let files = [(self.known.tokenizer, TOKENIZER_FILE), (self.known.model, MODEL_FILE)];
        for (file, name) in files.into_iter().chain(weights) {
            let sha256 = self.get(file, &staging.join(name))?;
            if file.sha256.is_some_and(|known| known != sha256) {
                other_edition.push(name.to_owned());
            }
        }
        self.describe(&staging.join(DESCRIPTION_FILE))?;
        Ok(other_edition)
    }

    /// Downloads a file unless it exists, and returns its SHA-256.
    fn get(&self, file: KnownFile, target: &Path) -> Outcome<String> {
        let pinned = file.sha256.filter(|_| self.public);
        if target.exists() {
            let there = copy(target, None, file.path.into(), self.cancel)?;
            if pinned.is_none_or(|known| known == there.sha256) {
                return Ok(there.sha256);
            }
            fs::remove_file(target).map_err(|error| Error::io(target.to_string_lossy(), error))?;
        }
        let order = Order { url: self.address(file.path), target, sha256: pinned, limit: LARGEST };
        let progress = |done, total| (self.progress)(file.path, done, total);
        fetch(&order, &self.route, self.cancel, &progress)
            .map_err(|failure| Problem::Transfer(file.path.into(), failure))
    }

    /// Writes `model.json`. A custom hub may provide its own.
    fn describe(&self, target: &Path) -> Outcome<()> {
        let write = |bytes: &[u8]| {
            fs::write(target, bytes).map_err(|error| Error::io(target.to_string_lossy(), error))
        };
        if !self.public {
            let order =
                Order { url: self.address(DESCRIPTION_FILE), target, sha256: None, limit: SMALL_FILE };
            let _ = fs::remove_file(target);
            match fetch(&order, &self.route, self.cancel, &|_, _| {}) {
                Ok(_) => {
                    let description = ModelDescription::parse(&read_small(target)?)?;
                    if description.name == self.known.name {
                        return Ok(());
                    }
                    let message = message!(
                        "the hub's {description_file} has the name '{name}'",
                        description_file = DESCRIPTION_FILE,
                        name = description.name
                    );
                    return Err(Problem::Other(Error::Model { model: self.known.name.into(), message }));
                }
                Err(Failure::Status(404 | 410)) => {}
                Err(failure) => return Err(Problem::Transfer(DESCRIPTION_FILE.into(), failure)),
            }
        }
        let mut json = serde_json::to_vec_pretty(&self.known.description())
            .map_err(|error| Error::Internal(error.to_string()))?;
        json.push(b'\n');
        Ok(write(&json)?)
    }

    fn explain(&self, file: &str, failure: Failure, unavailable: &dyn Fn(Message) -> Error) -> Error {
        let address = self.address(file);
        match failure {
            Failure::Cancelled => Error::Cancelled,
            Failure::Disk(path, error) => Error::io(path.to_string_lossy(), error),
            Failure::Connection { reason, kept: 0 } => {
                unavailable(message!("the hub cannot be reached: {reason}", reason))
            }
            Failure::Connection { reason, kept } => unavailable(message!(
                "the connection broke after {kept}: {reason}; run the same command to resume",
                kept = super::megabytes(kept),
                reason
            )),
            Failure::Status(status) => {
                unavailable(message!("{address}: the hub returned status {status}", address, status))
            }
            Failure::Insecure(to) => unavailable(message!(
                "{address}: refused a redirect to '{to}', which is not encrypted",
                address,
                to
            )),
            Failure::TooLarge => unavailable(message!("{address}: the file is too large; removed", address)),
            Failure::Checksum { expected, found } => unavailable(message!(
                "{address}: the checksum is wrong (expected {expected}, found {found}); the file was removed",
                address,
                expected,
                found
            )),
        }
    }
}

/// The name by which a graph refers to its weights.
fn file_name(file: KnownFile) -> &'static str {
    file.path.rsplit('/').next().unwrap_or(file.path)
}

fn read_small(path: &Path) -> Result<Vec<u8>> {
    small_file(path).map_err(|error| Error::io(path.to_string_lossy(), error))
}
