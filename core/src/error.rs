//! The one error type of the engine. Every surface maps it by its stable `code`, shows its message,
//! and offers its `hint`: the way out.
//!
//! No input of a user reaches a panic: lints forbid `unwrap`, `expect` and `panic!` outside of tests. A panic is a
//! defect; servers and the addon catch it and answer with the code `internal`.

use thiserror::Error;

use crate::ports::ContentHash;

/// What went wrong, said so that a person can act on it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument has a value that the operation cannot take.
    #[error("{message}")]
    InvalidParams {
        /// What was given and what was expected.
        message: String,
    },
    /// Nothing in the index goes by this name.
    #[error("no page is called '{page}'")]
    PageNotFound {
        /// The name as it was given.
        page: String,
        /// Pages with similar names, best first.
        similar: Vec<String>,
    },
    /// A name that several pages answer to.
    #[error("'{page}' could be any of: {}", candidates.join(", "))]
    AmbiguousPage {
        /// The name as it was given.
        page: String,
        /// Paths of the pages that answer to it, sorted.
        candidates: Vec<String>,
    },
    /// A path that leads out of the folder it must stay in.
    #[error("{path}: outside of the {folder} folder")]
    OutsideProject {
        /// The path as it was given.
        path: String,
        /// Which folder it must stay in.
        folder: String,
    },
    /// A file that could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder concerned.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A file changed since it was read; nothing was written.
    #[error("{path}: changed on disk since it was read (expected {expected}, found {found})")]
    Conflict {
        /// The page concerned.
        path: String,
        /// Hash that the edit was made from.
        expected: String,
        /// Hash of what is on disk now.
        found: String,
    },
    /// A page that its front matter keeps from agents.
    #[error("{path}: only people may change this page (`agents: read-only` in its front matter)")]
    ReadOnly {
        /// The page concerned.
        path: String,
    },
    /// A name that another page has, or that would change the target of links.
    #[error("{message}")]
    NameTaken {
        /// The name, the pages that have it, and the links.
        message: String,
        /// What to do.
        hint: String,
    },
    /// A file changed after what is to be taken back; nothing was written.
    #[error("{path}: changed since {entry} (left as {left}, found {found})")]
    Undo {
        /// The page concerned.
        path: String,
        /// The entry of the audit log.
        entry: String,
        /// Hash that the entry left.
        left: String,
        /// Hash of what is on disk now.
        found: String,
    },
    /// A change of several files failed on the way and could not be taken back.
    #[error("{message}")]
    HalfDone {
        /// What failed, and which file is in which state.
        message: String,
        /// The group of the audit log.
        entry: String,
    },
    /// No project in a folder or above it.
    #[error("{folder}: no UBP project here or in any folder above")]
    NoProject {
        /// Where the search began.
        folder: String,
    },
    /// The project's manifest cannot be used.
    #[error("{path}:{line}: {message}")]
    Manifest {
        /// The manifest's path.
        path: String,
        /// Line of the problem, from 1.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// An embedding model that cannot be loaded or run.
    #[error("embedding model '{model}': {message}")]
    Model {
        /// The model's name.
        model: String,
        /// What is wrong with it.
        message: String,
    },
    /// An embedding model that this machine lacks, or cannot use as it is installed.
    #[error("embedding model '{model}': {message}")]
    ModelUnavailable {
        /// The model's name.
        model: String,
        /// What is missing or wrong.
        message: String,
        /// How to get it, or what to use instead.
        remedy: String,
    },
    /// Editing front matter would have changed something that nobody asked to change.
    #[error("{path}: the front matter cannot be edited safely: {message}")]
    FrontMatter {
        /// The page concerned.
        path: String,
        /// What stood in the way.
        message: String,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Cancelled,
    /// The index database failed.
    #[error("the index failed: {0}")]
    Database(#[from] rusqlite::Error),
    /// A defect in UBP itself.
    #[error("internal error: {0}")]
    Internal(String),
}

/// Result of everything that can fail in the engine.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A stable name for programs: never changes between releases.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidParams { .. } => "invalid_params",
            Self::PageNotFound { .. } => "page_not_found",
            Self::AmbiguousPage { .. } => "ambiguous_page",
            Self::OutsideProject { .. } => "outside_project",
            Self::Io { .. } => "io",
            Self::Conflict { .. } | Self::Undo { .. } => "conflict",
            Self::ReadOnly { .. } => "read_only",
            Self::NameTaken { .. } => "name_taken",
            Self::HalfDone { .. } => "half_done",
            Self::NoProject { .. } => "no_project",
            Self::Manifest { .. } => "manifest",
            Self::Model { .. } | Self::ModelUnavailable { .. } => "model",
            Self::FrontMatter { .. } => "front_matter",
            Self::Cancelled => "cancelled",
            Self::Database(_) => "database",
            Self::Internal(_) => "internal",
        }
    }

    /// What the reader can do about it, where there is something to do.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::PageNotFound { similar, .. } if !similar.is_empty() => {
                Some(format!("did you mean {}?", similar.join(", ")))
            }
            Self::PageNotFound { .. } => Some("`ubp list` shows every page".into()),
            Self::AmbiguousPage { .. } => Some("name the page by its path".into()),
            Self::OutsideProject { folder, .. } => {
                Some(format!("only files inside the {folder} folder can be used"))
            }
            Self::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::StorageFull => {
                    Some("free some disk space and run the command again".into())
                }
                std::io::ErrorKind::PermissionDenied => Some("check who may read and write it".into()),
                std::io::ErrorKind::AddrInUse => {
                    Some("another program listens there: end it, or name another port".into())
                }
                std::io::ErrorKind::ReadOnlyFilesystem => {
                    Some("this disk can only be read; nothing was changed".into())
                }
                _ => None,
            },
            Self::Conflict { .. } => Some("read the page again and repeat the edit".into()),
            Self::ReadOnly { .. } => Some("tell the person what should change there".into()),
            Self::NameTaken { hint, .. } => Some(hint.clone()),
            Self::Undo { path, entry, .. } => Some(format!(
                "take back later changes first (`ubp audit --page {path}` lists them), or take what you need \
                 from `ubp audit {entry} --json`, which has both texts"
            )),
            Self::HalfDone { entry, .. } => {
                Some(format!("`ubp undo {entry}` takes back the rest once the cause is gone"))
            }
            Self::NoProject { .. } => Some(
                "`ubp init` starts a project in the current folder; in a folder of notes, such as an \
                 Obsidian vault, `ubp init --pages-dir .` takes the notes as they are"
                    .into(),
            ),
            Self::Manifest { .. } => Some("fix the file, or delete it and run `ubp init` again".into()),
            Self::Model { .. } => Some("`ubp model` shows what is installed and what is known".into()),
            Self::ModelUnavailable { remedy, .. } => Some(remedy.clone()),
            Self::FrontMatter { .. } => Some("edit the file by hand".into()),
            Self::Database(error) => match error.sqlite_error_code() {
                Some(rusqlite::ErrorCode::DiskFull) => {
                    Some("free some disk space and run the command again".into())
                }
                Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                    Some("another process is writing the index; try again".into())
                }
                Some(rusqlite::ErrorCode::ReadOnly) => Some("this index can only be read".into()),
                _ => Some("`ubp rebuild` makes the index anew from your files".into()),
            },
            _ => None,
        }
    }

    /// Whether the index turned out to be damaged, so that only a new one helps.
    pub fn is_damaged_index(&self) -> bool {
        let Self::Database(error) = self else { return false };
        matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase)
        )
    }

    /// Whether another process was writing the index for longer than this one waited.
    pub fn is_busy_index(&self) -> bool {
        let Self::Database(error) = self else { return false };
        matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
        )
    }

    /// Whether the index cannot be kept where it should be, because nothing can be written there.
    pub fn is_unwritable_index(&self) -> bool {
        let Self::Database(error) = self else { return false };
        matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::CannotOpen | rusqlite::ErrorCode::ReadOnly)
        )
    }

    /// An [`Error::InvalidParams`].
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::InvalidParams { message: message.into() }
    }

    /// An [`Error::Conflict`] about `path`; `None` stands for no page.
    pub fn conflict(
        path: impl Into<String>,
        expected: Option<ContentHash>,
        found: Option<ContentHash>,
    ) -> Self {
        let name = |hash: Option<ContentHash>| hash.map_or("no page".into(), |hash| hash.to_string());
        Self::Conflict { path: path.into(), expected: name(expected), found: name(found) }
    }

    /// An [`Error::InvalidParams`] about a path at which no page can lie.
    pub fn not_a_page(path: &str) -> Self {
        Self::invalid(format!(
            "'{path}' cannot be a page: its name must end in .md or .markdown, and neither it nor a \
             folder above it may begin with a dot or be node_modules"
        ))
    }

    /// An [`Error::Io`] about `path`.
    pub fn io(path: impl Into<String>, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }
}
