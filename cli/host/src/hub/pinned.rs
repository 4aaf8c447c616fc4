//! Documentation of dependencies: a tag of a repository, checked out into the user's cache folder. It is fetched only on
//! request, and read from there afterwards, without a network.
//!
//! **Invariants**
//! - Nothing is written outside of the cache folder, and nothing of the repository is run (`tests/tests/hub/pinned.rs`).
//! - What was fetched stays as it was, even if the tag moves, until somebody asks for its new place.

use std::fs::{self, File, FileTimes};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use ubp_core::manifest::{FrontMatterMode, MANIFEST_PATH, Manifest};
use ubp_core::message;
use ubp_core::ports::ContentHash;
use ubp_core::text::hex;
use ubp_core::{Error, Result};

use crate::disk::DiskSource;
use crate::file_lock::FileLock;
use crate::git::tags::{self, CheckedOut};
use crate::models::choice;
use crate::project::pages_folders;
use crate::{Environment, UBP_DIR, atomic, user_data};

/// Folder in the user's cache folder.
const STORE: &str = "documentation";
/// The folder of a checkout with its files.
const FILES: &str = "files";
/// The file of a checkout that says what it is.
const RECORD: &str = "fetched.json";
/// Beginning of the names of folders that are not finished.
const UNFINISHED: &str = ".fetch-";
/// How long a process waits for another one that fetches.
const LONGEST: Duration = Duration::from_secs(600);
/// The file of reviews, which is kept.
const REVIEWS: &str = "refs.lock";

/// A tag of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// Address of the repository, or its absolute path.
    pub git: String,
    /// The tag.
    pub tag: String,
    /// Folder with the pages; `None` if the project says where they are, or to look for them.
    folder: Option<String>,
    /// Where it is checked out; `None` if the user has no cache folder.
    place: Option<PathBuf>,
}

/// What is checked out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    git: String,
    tag: String,
    object: String,
    commit: String,
    committed_at: Timestamp,
}

/// What fetching a tag did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fetched {
    /// Name of the project.
    pub project: String,
    /// Address of the repository.
    pub git: String,
    /// The tag.
    pub version: String,
    /// What was done.
    pub outcome: Outcome,
    /// Full hash of the commit that is there; absent if none is.
    pub commit: Option<String>,
    /// Why it could not be fetched, or compared with the repository.
    pub error: Option<String>,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was fetched.
    Fetched,
    /// It was there already.
    Unchanged,
    /// It was there already; the repository cannot be reached, so nobody knows whether the tag moved.
    Unchecked,
    /// The tag moved since it was fetched. What is there is from before.
    Moved,
    /// The tag moved, and what is there was replaced.
    Replaced,
    /// It could not be fetched.
    Failed,
}

impl Pin {
    /// The tag `tag` of the repository `git`, a path relative to `base` or an address.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for an address, a tag or a folder that cannot be one.
    pub fn new(
        git: &str,
        tag: &str,
        folder: Option<&str>,
        base: &Path,
        environment: &Environment,
    ) -> Result<Self> {
        if git.is_empty() || git.starts_with('-') || git.contains(char::is_control) || git.contains("::") {
            return Err(Error::invalid(message!("'{git}' cannot be the address of a repository", git)));
        }
        if !is_tag(tag) {
            return Err(Error::invalid(message!("'{tag}' cannot be a tag", tag)));
        }
        let folder = folder.filter(|folder| !["", "."].contains(folder));
        if let Some(folder) = folder
            && !Path::new(folder).components().all(|part| matches!(part, Component::Normal(_)))
        {
            return Err(Error::invalid(message!("'{folder}' is not a folder in the repository", folder)));
        }
        let git = match is_address(git) {
            true => git.to_owned(),
            false => {
                let path = base.join(git);
                fs::canonicalize(&path).unwrap_or(path).to_string_lossy().into_owned()
            }
        };
        let key = [git.as_str(), tag, folder.unwrap_or_default()].join("\0");
        let key = hex(&ContentHash::of(key.as_bytes()).0[..16]);
        let place = user_data::cache_folder(environment).map(|cache| cache.join(STORE).join(key));
        Ok(Self { git, tag: tag.into(), folder: folder.map(Into::into), place })
    }

    /// The name of the repository.
    pub fn name(&self) -> &str {
        let path = self.git.trim_end_matches(['/', '\\']);
        let last = path.rsplit(['/', '\\', ':']).next().unwrap_or(path);
        last.strip_suffix(".git").filter(|name| !name.is_empty()).unwrap_or(last)
    }

    /// Its folder, which exists if it was fetched.
    pub fn root(&self) -> PathBuf {
        self.place.clone().unwrap_or_default().join(FILES)
    }

    /// The commit that was fetched.
    pub fn commit(&self) -> Option<String> {
        self.record().map(|record| record.commit)
    }

    fn record(&self) -> Option<Record> {
        let place = self.place.as_ref()?;
        if !place.join(FILES).join(MANIFEST_PATH).is_file() {
            return None;
        }
        serde_json::from_slice(&fs::read(place.join(RECORD)).ok()?).ok()
    }

    /// That it was not fetched yet.
    pub fn missing(&self) -> Error {
        let Self { git, tag, .. } = self;
        Error::invalid(message!("the tag {tag} of {git} was not fetched yet: run `ubp hub fetch`", tag, git))
    }

    /// Fetches it if it is not there, or with `replace`, if the tag moved.
    pub fn fetch(&self, project: &str, replace: bool) -> Fetched {
        let told = |outcome, commit, error: Option<Error>| Fetched {
            project: project.into(),
            git: self.git.clone(),
            version: self.tag.clone(),
            outcome,
            commit,
            error: error.map(|error| error.to_string()),
        };
        match self.settle(replace) {
            Ok((outcome, commit)) => told(outcome, Some(commit), None),
            Err(error) => match self.commit() {
                Some(commit) => told(Outcome::Unchecked, Some(commit), Some(error)),
                None => told(Outcome::Failed, None, Some(error)),
            },
        }
    }

    /// The error of git with the repository instead of the folder that git ran in.
    fn told(&self, error: Error) -> Error {
        match error {
            Error::Io { source, .. } => Error::io(&self.git, source),
            other => other,
        }
    }

    fn settle(&self, replace: bool) -> Result<(Outcome, String)> {
        let no_cache = || {
            Error::invalid(message!(
                "a tag needs a folder to be kept in: set HOME, or XDG_CACHE_HOME to an absolute path"
            ))
        };
        let place = self.place.as_deref().ok_or_else(no_cache)?;
        let store = place.parent().unwrap_or(place);
        let failed = |error| Error::io(store.to_string_lossy(), error);
        user_data::make_private(store).map_err(failed)?;
        let turn = FileLock::take(&store.join("fetch.lock"), LONGEST).map_err(failed)?;
        let Some(_turn) = turn else {
            return Err(Error::invalid(message!("another process is still fetching")));
        };
        // Left by a process that was killed.
        for entry in fs::read_dir(store).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let before = self.record();
        if let Some(record) = &before {
            match tags::object_of(&self.git, &self.tag, store).map_err(|error| self.told(error))? {
                Some(object) if object == record.object => {
                    return Ok((Outcome::Unchanged, record.commit.clone()));
                }
                _ if !replace => return Ok((Outcome::Moved, record.commit.clone())),
                _ => {}
            }
        }
        let aside = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(store).map_err(failed)?;
        let files = aside.path().join(FILES);
        fs::create_dir(&files).map_err(failed)?;
        let found = tags::check_out(&self.git, &self.tag, &files).map_err(|error| self.told(error))?;
        self.make_project(&files, &found)?;
        let CheckedOut { object, commit, time } = found;
        let record = Record {
            git: self.git.clone(),
            tag: self.tag.clone(),
            object,
            commit: commit.clone(),
            committed_at: time,
        };
        let text = serde_json::to_string_pretty(&record).unwrap_or_default();
        fs::write(aside.path().join(RECORD), text + "\n").map_err(failed)?;
        // A process may have the old files open; they stay until it closes them.
        let old = aside.path().with_extension("old");
        match fs::rename(place, &old) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        fs::rename(aside.path(), place).map_err(failed)?;
        let _ = fs::remove_dir_all(&old);
        Ok((if before.is_some() { Outcome::Replaced } else { Outcome::Fetched }, commit))
    }

    /// Makes a project of the files: with its own settings of links, but without those that could send text to a server,
    /// and with the time of the commit, because all files of a tag are of one time.
    fn make_project(&self, files: &Path, found: &CheckedOut) -> Result<()> {
        let failed = |error| Error::io(files.to_string_lossy(), error);
        let theirs =
            own_text(files, MANIFEST_PATH).and_then(|text| Manifest::parse(&text, MANIFEST_PATH).ok());
        let reviews = own_text(files, &format!("{UBP_DIR}/{REVIEWS}"));
        let state = files.join(UBP_DIR);
        match fs::symlink_metadata(&state) {
            Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(&state).map_err(failed)?,
            Ok(_) => fs::remove_file(&state).map_err(failed)?,
            Err(_) => {}
        }
        let pages = match (&self.folder, &theirs) {
            (Some(folder), _) => folder.clone(),
            (None, Some(theirs)) => theirs.pages_dir.clone(),
            (None, None) => pages_folders(files)?.into_iter().next().map_or(".".into(), |folder| folder.dir),
        };
        let inside = fs::canonicalize(files.join(&pages)).is_ok_and(|real| {
            real.is_dir() && fs::canonicalize(files).is_ok_and(|files| real.starts_with(files))
        });
        if !inside {
            let Self { git, tag, .. } = self;
            return Err(Error::invalid(message!(
                "the tag {tag} of {git} has no folder '{pages}'",
                tag,
                git,
                pages
            )));
        }
        let mut manifest = Manifest::default_for(&pages, FrontMatterMode::Preserved, found.time)?;
        if let Some(theirs) = theirs {
            manifest.links = theirs.links;
        }
        manifest.embedding_model.name =
            choice::model_for(&DiskSource::new(files, &manifest.pages_dir)?)?.into();
        date(files, found.time.into());
        fs::create_dir(&state).map_err(failed)?;
        if let Some(reviews) = reviews {
            fs::write(state.join(REVIEWS), reviews).map_err(failed)?;
        }
        atomic::write(&files.join(MANIFEST_PATH), manifest.to_json().as_bytes(), MANIFEST_PATH)
    }
}

/// The text of a file of the checkout that is not a symbolic link, nor in a folder that is one.
fn own_text(files: &Path, path: &str) -> Option<String> {
    let file = files.join(path);
    let is_own = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_symlink());
    if is_own(file.parent()?) && is_own(&file) { fs::read_to_string(file).ok() } else { None }
}

/// Gives every file this time, as far as the system allows.
fn date(folder: &Path, time: SystemTime) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => date(&entry.path(), time),
            Ok(kind) if kind.is_file() => {
                if let Ok(file) = File::options().write(true).open(entry.path()) {
                    let _ = file.set_times(FileTimes::new().set_modified(time));
                }
            }
            _ => {}
        }
    }
}

/// Whether it is an address, such as `https://…` or `git@host:path`, and not a path.
fn is_address(text: &str) -> bool {
    let scp = |text: &str| {
        text.split_once(':').is_some_and(|(host, _)| host.len() > 1 && !host.contains(['/', '\\']))
    };
    text.contains("://") || scp(text)
}

/// Whether git would take it for the name of a tag.
fn is_tag(tag: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
    !tag.starts_with('-')
        && !tag.ends_with('.')
        && !tag.contains("..")
        && !tag.contains("@{")
        && !tag.contains(|c: char| c.is_control() || " ~^:?*[\\".contains(c))
        && tag.split('/').all(is_part)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn pin(git: &str, tag: &str, folder: Option<&str>) -> Result<Pin> {
        let environment = Environment::with([("HOME", "/home/me"), ("LOCALAPPDATA", "C:\\me")]);
        Pin::new(git, tag, folder, Path::new("/base"), &environment)
    }

    #[test]
    fn addresses_and_paths_are_told_apart() {
        let of = |git: &str| pin(git, "v1", None).unwrap();
        for address in
            ["https://example.org/a/lib.git", "git@example.org:a/lib.git", "ssh://example.org/lib/"]
        {
            assert_eq!((of(address).git.as_str(), of(address).name()), (address, "lib"));
        }
        let path = of("../lib");
        assert!(path.git.starts_with("/base") || cfg!(windows), "{}", path.git);
        assert_eq!(path.name(), "lib");
        assert_ne!(of("a").root(), of("b").root());
    }

    #[test]
    fn what_could_be_an_option_or_leave_the_repository_is_refused() {
        for git in ["", "--upload-pack=touch x", "ext::sh -c x"] {
            assert!(pin(git, "v1", None).is_err(), "{git}");
        }
        for tag in ["", "-v", "v1..v2", "v 1", "v1:x", "v1^{}", "a//b", ".a", "a.lock", "v@{1}", "*"] {
            assert!(pin("lib", tag, None).is_err(), "{tag}");
        }
        for folder in ["../x", "/etc", "a/../../b", ""] {
            assert_eq!(pin("lib", "v1", Some(folder)).is_err(), !folder.is_empty(), "{folder}");
        }
        for tag in ["v1.2.3", "release/2026-11", "lib@1.0"] {
            assert!(pin("lib", tag, Some("docs/en")).is_ok(), "{tag}");
        }
    }
}
