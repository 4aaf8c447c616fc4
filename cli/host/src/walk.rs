//! Walking a folder tree by a project's rules: what is ignored stays out, what cannot be read is
//! reported and passed over, and symbolic links lead neither out of the project nor round in
//! circles.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use ubp_core::ports::Unreadable;

use super::atomic;
use super::ignore_rules::{Broken, RULE_FILES, Rules};

/// What to look for.
pub(super) struct Walk<'a> {
    /// The project, without symbolic links.
    pub(super) root: &'a Path,
    /// Where ignore rules begin.
    pub(super) top: &'a Path,
    /// Whether the end of a symbolic link may be read, else why not.
    pub(super) admits: &'a dyn Fn(&Path) -> Result<(), &'static str>,
    /// Whether a name is looked at all.
    pub(super) visible: &'a dyn Fn(&str) -> bool,
    /// Whether a folder is walked, by its path.
    pub(super) enter: &'a dyn Fn(&str) -> bool,
    /// Whether a file is wanted, by its path.
    pub(super) wanted: &'a dyn Fn(&str) -> bool,
    /// Whether links to folders are followed; links to files always are.
    pub(super) follow_folders: bool,
}

/// What was found, in no order.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Paths relative to the start, and the state of the files behind them.
    pub(super) files: Vec<(String, Metadata)>,
    /// What was passed over.
    pub(super) unreadable: Vec<Unreadable>,
    /// Files that were not finished when their writer ended, or that somebody is writing just now.
    pub(super) unfinished: Vec<PathBuf>,
    /// The folders that were looked into, or in which a symbolic link to a wanted file ends.
    pub(super) folders: Vec<PathBuf>,
}

impl Found {
    fn pass_over(&mut self, path: &str, reason: impl ToString) {
        self.unreadable.push(Unreadable { path: path.into(), reason: reason.to_string() });
    }
}

/// Links to folders that are yet to be walked: where they lie, and where they lead.
type Links = BTreeMap<String, PathBuf>;

impl Walk<'_> {
    /// Walks `start`, a folder without symbolic links above it.
    ///
    /// # Errors
    /// When `start` itself cannot be listed.
    pub(super) fn run(&self, start: &Path) -> io::Result<Found> {
        let mut found = Found::default();
        let mut links = Links::new();
        let mut walked = vec![start.to_path_buf()];
        self.tree(start, "", &walked, &mut found, &mut links)?;
        // Every folder is walked once at most, so hostile links can neither loop nor multiply.
        while let Some((path, target)) = links.pop_first() {
            if start.starts_with(&target) {
                found.pass_over(&path, "a symbolic link that leads back to a folder above it");
            } else if walked.iter().any(|known| target.starts_with(known)) {
                found.pass_over(&path, "a symbolic link to a folder that is listed already");
            } else {
                walked.push(target.clone());
                if let Err(error) = self.tree(&target, &path, &walked, &mut found, &mut links) {
                    found.pass_over(&path, error);
                }
            }
        }
        Ok(found)
    }

    /// Walks `start`, whose files get paths below `prefix`, except for folders in `walked`.
    fn tree(
        &self,
        start: &Path,
        prefix: &str,
        walked: &[PathBuf],
        found: &mut Found,
        links: &mut Links,
    ) -> io::Result<()> {
        let mut broken: Vec<Broken> = Vec::new();
        let above = start.parent().filter(|_| start != self.top).map(|above| Rules::of(self.top, above));
        let mut stack = vec![(start.to_path_buf(), prefix.to_string(), above.unwrap_or_default())];
        while let Some((folder, path, outer)) = stack.pop() {
            let entries = match read_folder(&folder) {
                Ok(entries) => entries,
                Err(error) if folder == start => return Err(error),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    found.pass_over(&path, error);
                    continue;
                }
            };
            // Most folders bring no rules: their names tell, without further questions to the disk.
            let has_rules = entries
                .iter()
                .any(|entry| RULE_FILES.iter().chain(&[".git"]).any(|name| entry.file_name() == *name));
            let rules = if has_rules { outer.enter(&folder, &mut broken) } else { outer };
            found.folders.push(folder);
            for entry in entries {
                let name = entry.file_name();
                let Some(name) = name.to_str() else {
                    self.report_name(&join(&path, &name.to_string_lossy()), &entry, found);
                    continue;
                };
                if atomic::is_temporary(name) {
                    found.unfinished.push(entry.path());
                }
                if !(self.visible)(name) {
                    continue;
                }
                let path = join(&path, name);
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() {
                    let folder = entry.path();
                    let new = !walked.contains(&folder);
                    if new && (self.enter)(&path) && !rules.exclude(&folder, true) {
                        stack.push((folder, path, rules.clone()));
                    }
                } else if kind.is_symlink() {
                    self.link(&entry, path, &rules, found, links);
                } else if (self.wanted)(&path) && !rules.exclude(&entry.path(), false) {
                    match entry.metadata() {
                        Ok(metadata) => take(path, metadata, found),
                        // Deleted since the folder was listed.
                        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                        Err(error) => found.pass_over(&path, error),
                    }
                }
            }
        }
        for (file, reason) in broken {
            let shown = file.strip_prefix(self.root).unwrap_or(&file);
            found.pass_over(&shown.to_string_lossy(), reason);
        }
        Ok(())
    }

    fn link(&self, entry: &DirEntry, path: String, rules: &Rules, found: &mut Found, links: &mut Links) {
        let link = entry.path();
        let wanted = (self.wanted)(&path);
        let (target, metadata) = match fs::canonicalize(&link).and_then(|target| {
            let metadata = fs::metadata(&target)?;
            Ok((target, metadata))
        }) {
            Ok(resolved) => resolved,
            Err(error) => {
                if wanted && !rules.exclude(&link, false) {
                    found.pass_over(&path, error);
                }
                return;
            }
        };
        let is_dir = metadata.is_dir();
        let asked_for = if is_dir { self.follow_folders && (self.enter)(&path) } else { wanted };
        if !asked_for || rules.exclude(&link, is_dir) {
            return;
        }
        match (self.admits)(&target) {
            Err(reason) => found.pass_over(&path, reason),
            Ok(()) if is_dir => {
                links.insert(path, target);
            }
            Ok(()) => {
                found.folders.extend(target.parent().map(Path::to_path_buf));
                take(path, metadata, found);
            }
        }
    }

    /// Reports a name that cannot be said in a path, if it might have mattered.
    fn report_name(&self, path: &str, entry: &DirEntry, found: &mut Found) {
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = ubp_core::path::file_name(path);
        if (self.visible)(name) && if is_dir { (self.enter)(path) } else { (self.wanted)(path) } {
            found.pass_over(path, "the name is not valid Unicode");
        }
    }
}

/// Whether `target`, the end of a symbolic link, may be read: inside `root`, past no hidden name.
///
/// # Errors
/// Why not.
pub(super) fn leads_inside(
    root: &Path,
    target: &Path,
    visible: &dyn Fn(&str) -> bool,
) -> Result<(), &'static str> {
    let inside = target.strip_prefix(root).map_err(|_| "a symbolic link that leads out of the project")?;
    let shown = inside.components().all(|part| part.as_os_str().to_str().is_some_and(visible));
    if shown { Ok(()) } else { Err("a symbolic link that leads into a hidden folder") }
}

fn take(path: String, metadata: Metadata, found: &mut Found) {
    if !metadata.is_file() {
        found.pass_over(&path, "not a regular file");
    } else if !ubp_core::path::is_inside(&path) {
        found.pass_over(&path, "on other systems the name leads out of the folder; rename it");
    } else {
        found.files.push((path, metadata));
    }
}

fn read_folder(folder: &Path) -> io::Result<Vec<DirEntry>> {
    fs::read_dir(folder)?.collect()
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.into() } else { format!("{folder}/{name}") }
}
