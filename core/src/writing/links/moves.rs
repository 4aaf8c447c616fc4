//! Where files and folders go when they move.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::globs::Globs;
use crate::ports::{FileStat, Listing, Source};
use crate::{Result, path};

/// Old and new paths of files and folders, relative to the project. A path in a folder moves with it, unless it has a
/// destination of its own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moves {
    to: HashMap<String, String>,
    from: HashMap<String, Vec<String>>,
}

impl Moves {
    /// These moves: pairs of an old and a new path.
    pub(crate) fn of(moves: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut all = Self::default();
        for (from, to) in moves {
            all.from.entry(to.clone()).or_default().push(from.clone());
            all.to.insert(from, to);
        }
        all
    }

    /// The move of one page; paths are relative to the pages folder `pages_dir`.
    pub(crate) fn of_page(pages_dir: &str, from: &str, to: &str) -> Self {
        let file = |page| path::join(pages_dir, page).unwrap_or_default();
        if from == to { Self::default() } else { Self::of([(file(from), file(to))]) }
    }

    /// Whether nothing moves.
    pub(crate) fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// The paths that move.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn sources(&self) -> impl Iterator<Item = &str> {
        self.to.keys().map(String::as_str)
    }

    /// The new path of a file or folder, if it gets another one.
    pub(crate) fn moved(&self, path: &str) -> Option<String> {
        if self.to.is_empty() {
            return None;
        }
        let (to, rest) = with_ancestors(path).find_map(|(above, rest)| Some((self.to.get(above)?, rest)))?;
        Some(format!("{to}{rest}")).filter(|to| to != path)
    }

    /// The new path of a file or folder, or the one it has.
    pub(crate) fn forward(&self, path: &str) -> String {
        self.moved(path).unwrap_or_else(|| path.to_owned())
    }

    /// The paths of which one may be that of the file that will be at `path`.
    pub(crate) fn origins(&self, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (above, rest) in with_ancestors(path) {
            let from = self.from.get(above).into_iter().flatten().map(|from| format!("{from}{rest}"));
            found.extend(from.filter(|from| self.forward(from) == path));
        }
        if self.moved(path).is_none() {
            found.push(path.to_owned());
        }
        found
    }
}

/// A path and the folders above it, each with the rest of the path.
fn with_ancestors(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let cuts = path.rmatch_indices('/').map(|(at, _)| path.split_at(at));
    std::iter::once((path, "")).chain(cuts)
}

/// The files of a project after a move.
pub(crate) struct MovedSource<'a> {
    source: &'a dyn Source,
    moves: &'a Moves,
    listed: OnceLock<Vec<String>>,
}

impl<'a> MovedSource<'a> {
    pub(crate) fn new(source: &'a dyn Source, moves: &'a Moves) -> Self {
        Self { source, moves, listed: OnceLock::new() }
    }

    /// The current path of the file that will be at `path`.
    fn origin(&self, path: &str) -> Result<Option<String>> {
        for origin in self.moves.origins(path) {
            if self.source.stat_source(&origin)?.is_some() {
                return Ok(Some(origin));
            }
        }
        Ok(None)
    }
}

impl Source for MovedSource<'_> {
    fn list(&self) -> Result<Listing> {
        self.source.list()
    }

    fn stat(&self, path: &str) -> Result<Option<FileStat>> {
        self.source.stat(path)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        self.source.read(path)
    }

    fn stat_source(&self, path: &str) -> Result<Option<FileStat>> {
        match self.origin(path)? {
            Some(origin) => self.source.stat_source(&origin),
            None => Ok(None),
        }
    }

    fn read_source(&self, path: &str) -> Result<Vec<u8>> {
        let origin = self.origin(path)?.unwrap_or_else(|| path.to_owned());
        self.source.read_source(&origin)
    }

    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>> {
        let all = match self.listed.get() {
            Some(all) => all,
            None => {
                let files = self.source.match_sources(&["**".into()])?;
                let mut files: Vec<String> = files.iter().map(|file| self.moves.forward(file)).collect();
                files.sort_unstable();
                self.listed.get_or_init(|| files)
            }
        };
        let set = Globs::new(globs)?;
        Ok(all.iter().filter(|file| set.is_match(file)).cloned().collect())
    }

    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.source.read_state(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_path_decides_where_a_file_goes() {
        let moves = [("a", "b"), ("a/x", "y"), ("c.md", "d.md"), ("d.md", "c.md")];
        let moves = Moves::of(moves.map(|(from, to)| (from.to_owned(), to.to_owned())));
        for (from, to) in [
            ("a", Some("b")),
            ("a/1.md", Some("b/1.md")),
            ("a/x/1.md", Some("y/1.md")),
            ("ab", None),
            ("c.md", Some("d.md")),
            ("d.md", Some("c.md")),
        ] {
            assert_eq!(moves.moved(from).as_deref(), to, "{from}");
            if let Some(to) = to {
                assert_eq!(moves.origins(to).first().map(String::as_str), Some(from), "{to}");
            }
        }
        assert_eq!(moves.origins("b/x/1.md"), ["b/x/1.md"], "it moved out of the folder");
        assert_eq!(moves.origins("a/1.md"), [""; 0]);
    }
}
