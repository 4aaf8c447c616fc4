//! Resolves typed paths. They are relative to the current folder, as in shell completion and printed answers. JSON and
//! links have paths relative to the pages folder, so those are accepted from every folder, too.
//!
//! **Invariants**
//! - Every command resolves pages on its command line by [`Session::page`], so that it accepts what other commands
//!   print, in every folder (`tests/tests/names.rs`).
//! - A file in the current folder takes precedence over a file with the same path in the pages folder.

use std::path::{Component, Path, PathBuf};
use ubp_core::message::Message;

use ubp_core::message;
use ubp_core::{Error, path};

use crate::output::Failure;
use crate::session::Session;
use crate::terminal::Terminal;

impl Session {
    /// The path of a typed page relative to the pages folder. Anything else is returned as typed: the engine looks it
    /// up as an id, title or alias.
    pub(crate) fn page(&self, terminal: &mut Terminal<'_>, typed: &str) -> String {
        // Answers print paths with line numbers.
        let file = match typed.rsplit_once(':') {
            Some((page, line)) if path::is_page(page) && line.parse::<usize>().is_ok() => page,
            _ => typed,
        };
        let there = self.seen(Path::new(file)).find(|place| place.is_file());
        let found = match there.and_then(|place| self.below_pages(&place)) {
            Some(found) => Some(found),
            None if is_seen_from_here(file) => self.as_seen(file),
            None => None,
        };
        let Some(found) = found else { return typed.to_owned() };
        if found != file && !is_seen_from_here(file) && self.project.pages_dir.join(file).is_file() {
            let other = terminal.path(file);
            terminal.note(message!(
                "{file} is read as a path from the current folder; for the other page, type {other}",
                file,
                other
            ));
        }
        found
    }

    /// Typed pages. A folder is replaced by the pages that `list` returns for its path; `none` is the error if there
    /// are none.
    pub(crate) fn pages<'io>(
        &self,
        terminal: &mut Terminal<'io>,
        typed: &[String],
        none: Message,
        list: impl Fn(&mut Terminal<'io>, &str) -> Result<Vec<String>, Failure>,
    ) -> Result<Vec<String>, Failure> {
        let mut pages = Vec::new();
        for name in typed {
            let Some(folder) = self.folder_of_pages(name) else {
                pages.push(self.page(terminal, name));
                continue;
            };
            let listed = list(terminal, &folder)?;
            if listed.is_empty() {
                return Err(Error::invalid(message!("{name}: {none}", name, none)).into());
            }
            pages.extend(listed);
        }
        Ok(pages)
    }

    /// Refuses an existing path outside the pages folder.
    ///
    /// # Errors
    /// [`Error::OutsideProject`].
    pub(crate) fn require_inside(&self, typed: &str) -> Result<(), Error> {
        let there: Vec<PathBuf> = self.seen(Path::new(typed)).filter(|place| place.exists()).collect();
        let is_inside =
            |place: &PathBuf| self.below_pages(place).is_some() || self.project.pages_dir.starts_with(place);
        match there.is_empty() || there.iter().any(is_inside) {
            true => Ok(()),
            false => Err(Error::OutsideProject { path: typed.into(), folder: "pages".into() }),
        }
    }

    /// The path of a page that need not exist, relative to the pages folder. Within that folder, `typed` is relative to
    /// the current folder.
    pub(crate) fn place_of_page(&self, typed: &str) -> String {
        match self.as_seen(typed) {
            Some(place) if typed.ends_with('/') && !place.is_empty() => format!("{place}/"),
            Some(place) if !place.is_empty() => place,
            _ => typed.to_owned(),
        }
    }

    /// A typed folder, relative to the pages folder; empty for the pages folder and folders above it.
    pub(crate) fn folder(&self, typed: &str) -> String {
        match self.folder_of_pages(typed) {
            Some(folder) => folder,
            None if is_seen_from_here(typed) => self.place_of_page(typed),
            None => typed.to_owned(),
        }
    }

    /// The path of a typed page or folder relative to the pages folder.
    pub(crate) fn page_or_folder(&self, terminal: &mut Terminal<'_>, typed: &str) -> String {
        match self.page(terminal, typed) {
            page if page != typed => page,
            _ => self.folder(typed),
        }
    }

    /// An existing folder in the pages folder, relative to it; `None` for anything else.
    pub(crate) fn folder_below_pages(&self, typed: &str) -> Option<String> {
        let there = self.folder_of_pages(typed);
        let below =
            || self.project.pages_dir.join(typed).is_dir().then(|| typed.trim_end_matches('/').to_owned());
        let is_here = typed.starts_with('/') || typed.split('/').any(|part| matches!(part, "." | ".."));
        there.or_else(|| if is_here { None } else { below() }).filter(|folder| !folder.is_empty())
    }

    /// Whether this is the path of a file that is a page.
    pub(crate) fn is_page(&self, typed: &str) -> bool {
        let is_file = || self.seen(Path::new(typed)).any(|place| place.is_file());
        path::is_page(typed) && (is_file() || self.project.pages_dir.join(typed).is_file())
    }

    /// An existing folder, relative to the pages folder; empty for that folder and folders above it.
    fn folder_of_pages(&self, typed: &str) -> Option<String> {
        let pages = &self.project.pages_dir;
        let folder = self.seen(Path::new(typed)).find(|place| place.is_dir())?;
        if pages.starts_with(&folder) && folder.starts_with(&self.project.root) {
            return Some(String::new());
        }
        self.below_pages(&folder)
    }

    /// A typed file or folder, relative to the project. Returned as typed if it is outside the project, or if it does
    /// not exist and may already be relative to the project.
    pub(crate) fn source(&self, typed: &Path) -> String {
        let places: Vec<PathBuf> = self.seen(typed).collect();
        let place = match places.iter().find(|place| place.exists()) {
            None if self.project.root.join(typed).exists() => None,
            // The file may have been deleted.
            None => places.iter().find(|place| place.parent().is_some_and(Path::is_dir)),
            there => there,
        };
        let below = place.and_then(|place| below(&self.project.root, place));
        below.unwrap_or_else(|| typed.to_string_lossy().into_owned())
    }

    /// The path relative to the pages folder of a path relative to the current one; `None` if it is outside.
    fn as_seen(&self, typed: &str) -> Option<String> {
        self.seen(Path::new(typed)).find_map(|place| self.below_pages(&place))
    }

    /// Candidates for `typed`: in the folder given by `-C`, then in the current one.
    fn seen<'s>(&'s self, typed: &'s Path) -> impl Iterator<Item = PathBuf> + 's {
        self.here.iter().map(move |here| normal(&here.join(typed)))
    }

    fn below_pages(&self, place: &Path) -> Option<String> {
        below(&self.project.pages_dir, place)
    }
}

/// Whether a path is explicitly relative to the current folder, or absolute.
fn is_seen_from_here(typed: &str) -> bool {
    let path = Path::new(typed);
    let first = path.components().next();
    path.is_absolute() || matches!(first, Some(Component::CurDir | Component::ParentDir))
}

/// The path of `place` relative to `folder`, `/`-separated, with symbolic links on the way resolved.
pub(crate) fn below(folder: &Path, place: &Path) -> Option<String> {
    let real = match (place.parent(), place.file_name()) {
        (Some(parent), Some(name)) => std::fs::canonicalize(parent).ok().map(|parent| parent.join(name)),
        _ => None,
    };
    let real = real.as_deref().and_then(|real| real.strip_prefix(folder).ok());
    let below = real.or_else(|| place.strip_prefix(folder).ok())?;
    let parts: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
    Some(parts?.join("/"))
}

/// The path with `.` and `..` resolved lexically.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// The folder with symbolic links resolved.
pub(crate) fn real(folder: &Path) -> PathBuf {
    std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf())
}

/// The relative path from one folder to another, both without symbolic links, with a final `/`.
pub(crate) fn prefix(from: &Path, to: &Path) -> String {
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let mut steps: Vec<String> = from.components().skip(shared).map(|_| "..".into()).collect();
    steps.extend(to.components().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned()));
    steps.iter().map(|step| format!("{step}/")).collect()
}
