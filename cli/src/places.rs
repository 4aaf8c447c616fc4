//! Paths as they are typed: seen from the current folder, as shells complete them and as answers print them. Answers
//! in JSON and links write paths of pages as seen from the pages folder, so those are understood everywhere, too.
//!
//! **Invariants**
//! - Every command reads the page that is named on its command line by [`Session::page`], so that what one prints the
//!   next one takes, from every folder (`tests/tests/names.rs`).
//! - What lies where it was typed wins: a file of the current folder over one of the same name in the pages folder.

use std::path::{Component, Path, PathBuf};

use ubp_core::{Error, path};

use crate::output::Failure;
use crate::session::{Session, Terminal};

impl Session {
    /// A page that was typed, by the path that the engine knows it by; what is no path stays as it is, for the engine
    /// to find an id, title or alias.
    pub(crate) fn page(&self, terminal: &mut Terminal<'_>, typed: &str) -> String {
        // Answers write lines behind paths.
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
            terminal
                .note(format!("{file} is taken as it is seen from here; for the other one, type {other}"));
        }
        found
    }

    /// Pages that were typed. A folder stands for those of its pages that `list` gives for its path, and `none` is said
    /// where it gives none.
    pub(crate) fn pages<'io>(
        &self,
        terminal: &mut Terminal<'io>,
        typed: &[String],
        none: &str,
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
                return Err(Error::invalid(format!("{name}: {none}")).into());
            }
            pages.extend(listed);
        }
        Ok(pages)
    }

    /// Refuses what lies where it was typed, and outside of the pages folder.
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

    /// Where a page that is not there yet, or no longer, would lie. In the pages folder, paths are seen from the
    /// current folder.
    pub(crate) fn place_of_page(&self, typed: &str) -> String {
        match self.as_seen(typed) {
            Some(place) if typed.ends_with('/') && !place.is_empty() => format!("{place}/"),
            Some(place) if !place.is_empty() => place,
            _ => typed.to_owned(),
        }
    }

    /// A folder of the pages folder that was typed; the folder that pages lie in when it is above it.
    pub(crate) fn folder(&self, typed: &str) -> String {
        match self.folder_of_pages(typed) {
            Some(folder) => folder,
            None if is_seen_from_here(typed) => self.place_of_page(typed),
            None => typed.to_owned(),
        }
    }

    /// The folder that was typed, as seen from the pages folder and empty when it holds that, where it exists.
    fn folder_of_pages(&self, typed: &str) -> Option<String> {
        let pages = &self.project.pages_dir;
        let folder = self.seen(Path::new(typed)).find(|place| place.is_dir())?;
        if pages.starts_with(&folder) && folder.starts_with(&self.project.root) {
            return Some(String::new());
        }
        self.below_pages(&folder)
    }

    /// A file or folder of the project that was typed, as seen from there. What lies elsewhere, and what is not where it
    /// was typed but may well be there when seen from the project, stays as it is.
    pub(crate) fn source(&self, typed: &Path) -> String {
        let places: Vec<PathBuf> = self.seen(typed).collect();
        let place = match places.iter().find(|place| place.exists()) {
            None if self.project.root.join(typed).exists() => None,
            // It may be gone from where it lay.
            None => places.iter().find(|place| place.parent().is_some_and(Path::is_dir)),
            there => there,
        };
        let below = place.and_then(|place| below(&self.project.root, place));
        below.unwrap_or_else(|| typed.to_string_lossy().into_owned())
    }

    /// A path as seen from the current folder, by the path below the pages folder; `None` when it lies elsewhere.
    fn as_seen(&self, typed: &str) -> Option<String> {
        self.seen(Path::new(typed)).find_map(|place| self.below_pages(&place))
    }

    /// Where `typed` may lie: in the folder that `-C` names, and in the current one.
    fn seen<'s>(&'s self, typed: &'s Path) -> impl Iterator<Item = PathBuf> + 's {
        self.here.iter().map(move |here| normal(&here.join(typed)))
    }

    fn below_pages(&self, place: &Path) -> Option<String> {
        below(&self.project.pages_dir, place)
    }
}

/// Whether a path can only be meant as seen from the current folder.
fn is_seen_from_here(typed: &str) -> bool {
    let path = Path::new(typed);
    let first = path.components().next();
    path.is_absolute() || matches!(first, Some(Component::CurDir | Component::ParentDir))
}

/// The path of `place` below `folder`, which may be reached through links; `/` between its parts.
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

/// The path with `.` and `..` taken out.
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
