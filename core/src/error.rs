//! The one error type of the engine. Every surface maps it by its stable `code`, shows its message,
//! and offers its `hint`, which says what to do.
//!
//! User input never causes a panic: lints forbid `unwrap`, `expect` and `panic!` outside of tests. A panic is a
//! defect; servers and the addon catch it and answer with the code `internal`.

use thiserror::Error;

use crate::hint::{Hint, Next};
use crate::ports::ContentHash;

/// What went wrong, in a form that a person can act on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument has a value that the operation does not accept.
    #[error("{message}")]
    InvalidParams {
        /// What was given and what was expected.
        message: String,
        /// What to do, unless `message` says so.
        hint: Option<Box<Hint>>,
    },
    /// No page has this name.
    #[error("no page is called '{page}'")]
    PageNotFound {
        /// The name as given.
        page: String,
        /// Pages with similar names, best first.
        similar: Vec<String>,
    },
    /// Several pages have this name.
    #[error("'{page}' could be any of: {}", candidates.join(", "))]
    AmbiguousPage {
        /// The name as given.
        page: String,
        /// Paths of the pages with this name, sorted.
        candidates: Vec<String>,
    },
    /// A path outside of the folder that it must stay in.
    #[error("{path}: outside of the {folder} folder")]
    OutsideProject {
        /// The path as given.
        path: String,
        /// Which folder it must stay in.
        folder: String,
    },
    /// A file that could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder concerned.
        path: String,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A file changed since it was read; nothing was written.
    #[error("{path}: changed on disk since it was read (expected {expected}, found {found})")]
    Conflict {
        /// The page concerned.
        path: String,
        /// Hash of the version that the edit was based on.
        expected: String,
        /// Hash of the file on disk.
        found: String,
    },
    /// The page's front matter forbids changes by agents.
    #[error("{path}: only people may change this page (`agents: read-only` in its front matter)")]
    ReadOnly {
        /// The page concerned.
        path: String,
    },
    /// A name that another page already has, or that would change the target of links.
    #[error("{message}")]
    NameTaken {
        /// The name, the pages that have it, and the links.
        message: String,
        /// What to do.
        hint: Box<Hint>,
    },
    /// A file changed after the change that is to be undone; nothing was written.
    #[error("{path}: changed since {entry} (left as {left}, found {found})")]
    Undo {
        /// The page concerned.
        path: String,
        /// The audit log entry to undo.
        entry: String,
        /// Hash after that entry.
        left: String,
        /// Hash of the file on disk.
        found: String,
    },
    /// A proposal that later changes of the same lines keep from being accepted; nothing was written.
    #[error("{proposal} conflicts with later changes: {clashes}")]
    ProposalConflict {
        /// The proposal.
        proposal: String,
        /// What clashes, and where.
        clashes: String,
    },
    /// A change to several files failed midway and could not be rolled back.
    #[error("{message}")]
    HalfDone {
        /// What failed, and the state of each file.
        message: String,
        /// The audit log group.
        entry: String,
    },
    /// No project in a folder or above it.
    #[error("{folder}: no UBP project here or in any folder above")]
    NoProject {
        /// Where the search began.
        folder: String,
    },
    /// The project's manifest is invalid.
    #[error("{path}:{line}: {message}")]
    Manifest {
        /// The manifest's path.
        path: String,
        /// Line of the error, from 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// The project was created by a newer version of UBP.
    #[error(
        "{path}:{line}: `schema_version` {layout} needs a newer ubp; this one supports {}",
        crate::manifest::SCHEMA_VERSION
    )]
    NewerProject {
        /// The manifest's path.
        path: String,
        /// Line of its `schema_version`, from 1.
        line: usize,
        /// Its schema version.
        layout: u32,
    },
    /// An embedding model cannot be loaded or run.
    #[error("embedding model '{model}': {message}")]
    Model {
        /// The model's name.
        model: String,
        /// What is wrong with it.
        message: String,
    },
    /// An embedding model is not installed on this machine, or cannot be used as installed.
    #[error("embedding model '{model}': {message}")]
    ModelUnavailable {
        /// The model's name.
        model: String,
        /// What is missing or wrong.
        message: String,
        /// How to get it, or what to use instead.
        remedy: String,
    },
    /// Editing the front matter would have changed more than was asked for.
    #[error("{path}: the front matter cannot be edited safely: {message}")]
    FrontMatter {
        /// The page concerned.
        path: String,
        /// Why it cannot be edited.
        message: String,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Cancelled,
    /// The index database returned an error.
    #[error("the index failed: {0}")]
    Database(#[from] rusqlite::Error),
    /// A bug in UBP.
    #[error("internal error: {0}")]
    Internal(String),
}

/// Result of everything that can fail in the engine.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A stable name for programs; it never changes between releases.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidParams { .. } => "invalid_params",
            Self::PageNotFound { .. } => "page_not_found",
            Self::AmbiguousPage { .. } => "ambiguous_page",
            Self::OutsideProject { .. } => "outside_project",
            Self::Io { .. } => "io",
            Self::Conflict { .. } | Self::Undo { .. } | Self::ProposalConflict { .. } => "conflict",
            Self::ReadOnly { .. } => "read_only",
            Self::NameTaken { .. } => "name_taken",
            Self::HalfDone { .. } => "half_done",
            Self::NoProject { .. } => "no_project",
            Self::Manifest { .. } | Self::NewerProject { .. } => "manifest",
            Self::Model { .. } | Self::ModelUnavailable { .. } => "model",
            Self::FrontMatter { .. } => "front_matter",
            Self::Cancelled => "cancelled",
            Self::Database(_) => "database",
            Self::Internal(_) => "internal",
        }
    }

    /// What the reader can do about it, if anything.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Self::InvalidParams { hint, .. } => hint.as_deref().cloned(),
            Self::PageNotFound { similar, .. } if !similar.is_empty() => {
                Some(format!("did you mean {}?", similar.join(", ")).into())
            }
            Self::PageNotFound { .. } => Some(Hint::ask(Next::call("list_pages")).text(" shows every page")),
            Self::AmbiguousPage { .. } => Some("name the page by its path".into()),
            Self::OutsideProject { folder, .. } => {
                Some(format!("only files inside the {folder} folder can be used").into())
            }
            Self::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::StorageFull => Some("free some disk space, then try again".into()),
                std::io::ErrorKind::PermissionDenied => Some("check who may read and write it".into()),
                std::io::ErrorKind::AddrInUse => {
                    Some("another program is listening there: stop it, or choose another port".into())
                }
                std::io::ErrorKind::ReadOnlyFilesystem => {
                    Some("this disk is read-only; nothing was changed".into())
                }
                _ => None,
            },
            Self::Conflict { .. } => Some("read the page again and repeat the edit".into()),
            Self::ProposalConflict { proposal, .. } => Some(
                Hint::ask(Next::call("get_proposal").with("proposal", proposal.as_str()))
                    .text(" shows it: accept the other hunks, or reject it and say what changed"),
            ),
            Self::ReadOnly { .. } => Some("tell the user what to change there".into()),
            Self::NameTaken { hint, .. } => Some(hint.as_ref().clone()),
            Self::Undo { path, entry, .. } => Some(
                Hint::from("undo later changes first (")
                    .and_ask(Next::call("audit").with("page", path.as_str()))
                    .text(" lists them), or take what you need from ")
                    .and_ask(Next::call("audit").with("entry", entry.as_str()))
                    .text(", whose JSON output has both texts"),
            ),
            Self::HalfDone { entry, .. } => Some(
                Hint::ask(Next::call("undo").with("entry", entry.as_str()))
                    .text(" undoes the rest once the cause is gone"),
            ),
            Self::NoProject { .. } => Some(
                Hint::run("init")
                    .text(" starts a project in the current folder, with the Markdown files that are there"),
            ),
            Self::Manifest { .. } => {
                Some(Hint::from("fix the file, or delete it and run ").and_run("init").text(" again"))
            }
            Self::NewerProject { .. } => {
                Some("install a newer ubp; nothing is wrong with the file, and nothing was changed".into())
            }
            Self::Model { .. } => Some(Hint::run("model").text(" shows the installed and the known models")),
            Self::ModelUnavailable { remedy, .. } => Some(remedy.clone().into()),
            Self::FrontMatter { .. } => Some("edit the file by hand".into()),
            Self::Database(_) if self.is_full_disk() => Some("free some disk space, then try again".into()),
            Self::Database(error) => match error.sqlite_error_code() {
                Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                    Some("another process is writing the index; try again".into())
                }
                Some(rusqlite::ErrorCode::ReadOnly) => Some("this index is read-only".into()),
                _ => Some(Hint::ask(Next::call("rebuild")).text(" builds the index again from your files")),
            },
            _ => None,
        }
    }

    /// Whether the index is damaged and has to be rebuilt.
    pub fn is_damaged_index(&self) -> bool {
        let Self::Database(error) = self else { return false };
        matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
        )
    }

    /// Whether another process held the index's write lock until the timeout.
    pub fn is_busy_index(&self) -> bool {
        let Self::Database(error) = self else { return false };
        matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
        )
    }

    /// Whether the index cannot be stored in its usual place because that is not writable.
    pub fn is_unwritable_index(&self) -> bool {
        let Self::Database(error) = self else { return false };
        matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::ReadOnly)
        )
    }

    /// Whether the disk is full.
    pub fn is_full_disk(&self) -> bool {
        match self {
            Self::Io { source, .. } => source.kind() == std::io::ErrorKind::StorageFull,
            Self::Database(rusqlite::Error::SqliteFailure(error, _)) => {
                use rusqlite::ffi::{SQLITE_FULL, SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE};
                // SQLite reports the latter two when it opens an index: there is no room for the shared-memory file.
                [SQLITE_FULL, SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE].contains(&error.extended_code)
            }
            _ => false,
        }
    }

    /// An [`Error::InvalidParams`].
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::InvalidParams { message: message.into(), hint: None }
    }

    /// An [`Error::InvalidParams`] with a hint.
    pub fn invalid_with_hint(message: impl Into<String>, hint: Hint) -> Self {
        Self::InvalidParams { message: message.into(), hint: Some(Box::new(hint)) }
    }

    /// An [`Error::Conflict`] about `path`; `None` means that there is no page.
    pub fn conflict(
        path: impl Into<String>,
        expected: Option<ContentHash>,
        found: Option<ContentHash>,
    ) -> Self {
        let name = |hash: Option<ContentHash>| hash.map_or("no page".into(), |hash| hash.to_string());
        Self::Conflict { path: path.into(), expected: name(expected), found: name(found) }
    }

    /// An [`Error::InvalidParams`] about a path that cannot be a page.
    pub fn not_a_page(path: &str) -> Self {
        Self::invalid(format!(
            "'{path}' cannot be a page: its name must end in .md or .markdown, and neither it nor a \
             folder above it may begin with a dot or be node_modules"
        ))
    }

    /// An [`Error::InvalidParams`] about a path that cannot be an attachment.
    pub fn not_an_attachment(path: &str) -> Self {
        Self::invalid(format!(
            "'{path}' cannot be an attachment: neither it nor a folder above it may begin with a dot or be \
             node_modules"
        ))
    }

    /// An [`Error::Io`] about `path`.
    pub fn io(path: impl Into<String>, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }
}
