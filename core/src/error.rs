//! The one error type of the engine. Every surface maps it by its stable `code`, shows its message,
//! and offers its `hint`, which says what to do.
//!
//! User input never causes a panic: lints forbid `unwrap`, `expect` and `panic!` outside of tests. A panic is a
//! defect; servers and the addon catch it and answer with the code `internal`.

use std::fmt;

use thiserror::Error;

use crate::hint::Next;
use crate::message::{Message, Value};
use crate::ports::ContentHash;
use crate::{message, word};

/// What went wrong, in a form that a person can act on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument has a value that the operation does not accept.
    InvalidParams {
        /// What was given and what was expected.
        message: Message,
        /// What to do, unless `message` says so.
        hint: Option<Box<Message>>,
    },
    /// No page has this name.
    PageNotFound {
        /// The name as given.
        page: String,
        /// Pages with similar names, best first.
        similar: Vec<String>,
    },
    /// Several pages have this name.
    AmbiguousPage {
        /// The name as given.
        page: String,
        /// Paths of the pages with this name, sorted.
        candidates: Vec<String>,
    },
    /// A path outside of the folder that it must stay in.
    OutsideProject {
        /// The path as given.
        path: String,
        /// Which folder it must stay in.
        folder: String,
    },
    /// A file that could not be read or written.
    Io {
        /// The file or folder concerned.
        path: String,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A file changed since it was read; nothing was written.
    Conflict {
        /// The page concerned.
        path: String,
        /// Hash of the version that the edit was based on.
        expected: String,
        /// Hash of the file on disk.
        found: String,
    },
    /// The page's front matter forbids changes by agents.
    ReadOnly {
        /// The page concerned.
        path: String,
    },
    /// The rights of an agent do not allow the change.
    #[cfg(not(target_family = "wasm"))]
    Forbidden {
        /// Which file, and what the agent may do there.
        message: Message,
    },
    /// A name that another page already has, or that would change the target of links.
    NameTaken {
        /// The name, the pages that have it, and the links.
        message: Message,
        /// What to do.
        hint: Box<Message>,
    },
    /// A file changed after the change that is to be undone; nothing was written.
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
    ProposalConflict {
        /// The proposal.
        proposal: String,
        /// What clashes, and where.
        clashes: Message,
    },
    /// A change to several files failed midway and could not be rolled back.
    HalfDone {
        /// What failed, and the state of each file.
        message: Message,
        /// The audit log group.
        entry: String,
    },
    /// No project in a folder or above it.
    NoProject {
        /// Where the search began.
        folder: String,
    },
    /// The project's manifest is invalid.
    Manifest {
        /// The manifest's path.
        path: String,
        /// Line of the error, from 1.
        line: usize,
        /// What is wrong there.
        message: Message,
    },
    /// The project was created by a newer version of UBP.
    NewerProject {
        /// The manifest's path.
        path: String,
        /// Line of its `schema_version`, from 1.
        line: usize,
        /// Its schema version.
        layout: u32,
    },
    /// An embedding model cannot be loaded or run.
    Model {
        /// The model's name.
        model: String,
        /// What is wrong with it.
        message: Message,
    },
    /// An embedding model is not installed on this machine, or cannot be used as installed.
    ModelUnavailable {
        /// The model's name.
        model: String,
        /// What is missing or wrong.
        message: Message,
        /// How to get it, or what to use instead.
        remedy: Message,
    },
    /// Editing the front matter would have changed more than was asked for.
    FrontMatter {
        /// The page concerned.
        path: String,
        /// Why it cannot be edited.
        message: Message,
    },
    /// A project of a hub that cannot be read.
    #[cfg(not(target_family = "wasm"))]
    UnreadableProject {
        /// Its name in the hub.
        project: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// The index that several projects share cannot be reached or used.
    #[cfg(not(target_family = "wasm"))]
    SharedIndex {
        /// Which index, and what is wrong.
        message: Message,
        /// What to do, unless `message` says so.
        hint: Option<Box<Message>>,
    },
    /// The caller asked to stop.
    Cancelled,
    /// The index database returned an error.
    Database(#[from] rusqlite::Error),
    /// A bug in UBP.
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
            #[cfg(not(target_family = "wasm"))]
            Self::Forbidden { .. } => "forbidden",
            Self::NameTaken { .. } => "name_taken",
            Self::HalfDone { .. } => "half_done",
            Self::NoProject { .. } => "no_project",
            Self::Manifest { .. } | Self::NewerProject { .. } => "manifest",
            Self::Model { .. } | Self::ModelUnavailable { .. } => "model",
            Self::FrontMatter { .. } => "front_matter",
            #[cfg(not(target_family = "wasm"))]
            Self::UnreadableProject { .. } => "unreadable_project",
            #[cfg(not(target_family = "wasm"))]
            Self::SharedIndex { .. } => "shared_index",
            Self::Cancelled => "cancelled",
            Self::Database(_) => "database",
            Self::Internal(_) => "internal",
        }
    }

    /// What went wrong.
    pub fn message(&self) -> Message {
        match self {
            Self::InvalidParams { message, .. }
            | Self::NameTaken { message, .. }
            | Self::HalfDone { message, .. } => message.clone(),
            #[cfg(not(target_family = "wasm"))]
            Self::Forbidden { message } | Self::SharedIndex { message, .. } => message.clone(),
            #[cfg(not(target_family = "wasm"))]
            Self::UnreadableProject { project, reason } => {
                message!("project '{name}' cannot be read: {error}", name = project, error = reason)
            }
            Self::PageNotFound { page, .. } => message!("no page is called '{page}'", page),
            Self::AmbiguousPage { page, candidates } => {
                message!("'{page}' could be any of: {candidates}", page, candidates = candidates.join(", "))
            }
            Self::OutsideProject { path, folder } => {
                message!("{path}: outside of the {folder} folder", path, folder)
            }
            Self::Io { path, source } => message!("{path}: {error}", path, error = source),
            Self::Conflict { path, expected, found } => message!(
                "{path}: changed on disk since it was read (expected {expected}, found {found})",
                path,
                expected = Message::reported(expected.as_str()),
                found = Message::reported(found.as_str())
            ),
            Self::ProposalConflict { proposal, clashes } => {
                message!("{proposal} conflicts with later changes: {clashes}", proposal, clashes)
            }
            Self::ReadOnly { path } => message!(
                "{path}: only people may change this page (`agents: read-only` in its front matter)",
                path
            ),
            Self::Undo { path, entry, left, found } => message!(
                "{path}: changed since {entry} (left as {left}, found {found})",
                path,
                entry,
                left = Message::reported(left.as_str()),
                found = Message::reported(found.as_str())
            ),
            Self::NoProject { folder } => {
                message!("{folder}: no UBP project here or in any folder above", folder)
            }
            Self::Manifest { path, line, message } => {
                message!("{path}:{line}: {message}", path, line, message)
            }
            Self::NewerProject { path, line, layout } => message!(
                "{path}:{line}: `schema_version` {layout} needs a newer ubp; this one supports {supported}",
                path,
                line,
                layout,
                supported = crate::manifest::SCHEMA_VERSION
            ),
            Self::Model { model, message } | Self::ModelUnavailable { model, message, .. } => {
                message!("embedding model '{model}': {message}", model, message)
            }
            Self::FrontMatter { path, message } => {
                message!("{path}: the front matter cannot be edited safely: {message}", path, message)
            }
            Self::Cancelled => message!("interrupted"),
            Self::Database(error) => message!("the index failed: {error}", error),
            Self::Internal(error) => {
                message!("internal error: {error}", error = Message::reported(error.as_str()))
            }
        }
    }

    /// What the reader can do about it, if anything.
    pub fn hint(&self) -> Option<Message> {
        match self {
            Self::InvalidParams { hint, .. } => hint.as_deref().cloned(),
            Self::PageNotFound { similar, .. } if !similar.is_empty() => {
                Some(message!("did you mean {similar}?", similar = similar.join(", ")))
            }
            Self::PageNotFound { .. } => {
                Some(message!("{list_pages} shows every page", list_pages = Next::call("list_pages")))
            }
            Self::AmbiguousPage { .. } => Some(message!("name the page by its path")),
            #[cfg(not(target_family = "wasm"))]
            Self::UnreadableProject { .. } => Some(message!("leave it out: the other projects can be asked")),
            #[cfg(not(target_family = "wasm"))]
            Self::SharedIndex { hint, .. } => hint.as_deref().cloned(),
            Self::OutsideProject { folder, .. } => {
                Some(message!("only files inside the {folder} folder can be used", folder))
            }
            Self::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::StorageFull => Some(message!("free some disk space, then try again")),
                std::io::ErrorKind::PermissionDenied => Some(message!("check who may read and write it")),
                std::io::ErrorKind::AddrInUse => {
                    Some(message!("another program is listening there: stop it, or choose another port"))
                }
                std::io::ErrorKind::ReadOnlyFilesystem => {
                    Some(message!("this disk is read-only; nothing was changed"))
                }
                _ => None,
            },
            Self::Conflict { .. } => Some(message!("read the page again and repeat the edit")),
            Self::ProposalConflict { proposal, .. } => Some(message!(
                "{show} shows it: accept the other hunks, or reject it and say what changed",
                show = Next::call("get_proposal").with("proposal", proposal.as_str())
            )),
            #[cfg(not(target_family = "wasm"))]
            Self::Forbidden { .. } => Some(message!("tell the user what to change there")),
            Self::ReadOnly { .. } => Some(message!("tell the user what to change there")),
            Self::NameTaken { hint, .. } => Some(hint.as_ref().clone()),
            Self::Undo { path, entry, .. } => Some(message!(
                "undo later changes first ({audit} lists them), or take what you need from {audit_2}, whose JSON output has both texts",
                audit = Next::call("audit").with("page", path.as_str()),
                audit_2 = Next::call("audit").with("entry", entry.as_str())
            )),
            Self::HalfDone { entry, .. } => Some(message!(
                "{undo} undoes the rest once the cause is gone",
                undo = Next::call("undo").with("entry", entry.as_str())
            )),
            Self::NoProject { .. } => Some(message!(
                "{init} starts a project in the current folder, with the Markdown files that are there",
                init = Value::Run("init".into())
            )),
            Self::Manifest { .. } => Some(message!(
                "fix the file, or delete it and run {init} again",
                init = Value::Run("init".into())
            )),
            Self::NewerProject { .. } => {
                Some(message!("install a newer ubp; nothing is wrong with the file, and nothing was changed"))
            }
            Self::Model { .. } => Some(message!(
                "{model} shows the installed and the known models",
                model = Value::Run("model".into())
            )),
            Self::ModelUnavailable { remedy, .. } => Some(remedy.clone()),
            Self::FrontMatter { .. } => Some(message!("edit the file by hand")),
            Self::Database(_) if self.is_full_disk() => {
                Some(message!("free some disk space, then try again"))
            }
            Self::Database(error) => match error.sqlite_error_code() {
                Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                    Some(message!("another process is writing the index; try again"))
                }
                Some(rusqlite::ErrorCode::ReadOnly) => Some(message!("this index is read-only")),
                _ => Some(message!(
                    "{rebuild} builds the index again from your files",
                    rebuild = Next::call("rebuild")
                )),
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
    pub fn invalid(message: Message) -> Self {
        Self::InvalidParams { message, hint: None }
    }

    /// An [`Error::InvalidParams`] with a hint.
    pub fn invalid_with_hint(message: Message, hint: Message) -> Self {
        Self::InvalidParams { message, hint: Some(Box::new(hint)) }
    }

    /// An [`Error::Conflict`] about `path`; `None` means that there is no page.
    pub fn conflict(
        path: impl Into<String>,
        expected: Option<ContentHash>,
        found: Option<ContentHash>,
    ) -> Self {
        let name = |hash: Option<ContentHash>| hash.map_or(word!("no page").into(), |hash| hash.to_string());
        Self::Conflict { path: path.into(), expected: name(expected), found: name(found) }
    }

    /// An [`Error::InvalidParams`] about a path that cannot be a page.
    pub fn not_a_page(path: &str) -> Self {
        Self::invalid(message!(
            "'{path}' cannot be a page: its name must end in .md or .markdown, and neither it nor a \
             folder above it may begin with a dot or be node_modules",
            path
        ))
    }

    /// An [`Error::InvalidParams`] about a path that cannot be an attachment.
    pub fn not_an_attachment(path: &str) -> Self {
        Self::invalid(message!(
            "'{path}' cannot be an attachment: neither it nor a folder above it may begin with a dot or be \
             node_modules",
            path
        ))
    }

    /// An [`Error::Io`] about `path`.
    pub fn io(path: impl Into<String>, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }
}

/// English, for programs and agents.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}
