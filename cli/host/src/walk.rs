//! Walks a folder tree by the rules of a project: skips ignored files, skips and reports unreadable ones, and follows
//! symbolic links neither out of the project nor in cycles.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use ubp_core::message;
use ubp_core::message::{Fill, Message};
use ubp_core::ports::Unreadable;

use super::atomic;
use super::ignore_rules::{Broken, Parsed, RULE_FILES, Rules};

/// Parameters of a walk.
pub(super) struct Walk<'a> {
    /// The project, without symbolic links.
    pub(super) root: &'a Path,
    /// The topmost folder whose ignore rules apply.
    pub(super) top: &'a Path,
    /// Ignore files that were parsed before.
    pub(super) parsed: &'a Parsed,
    /// Whether the target of a symbolic link may be read; the error is the reason.
    pub(super) admits: &'a dyn Fn(&Path) -> Result<(), Message>,
    /// Whether a file or folder name is considered at all.
    pub(super) visible: &'a dyn Fn(&str) -> bool,
    /// Whether to enter the folder at a path.
    pub(super) enter: &'a dyn Fn(&str) -> bool,
    /// Whether to return the file at a path.
    pub(super) wanted: &'a dyn Fn(&str) -> bool,
    /// Whether to follow symbolic links to folders; links to files are always followed.
    pub(super) follow_folders: bool,
}

/// Results, unordered.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Paths relative to the start, and metadata of the files.
    pub(super) files: Vec<(String, Metadata)>,
    /// Skipped files and folders, with reasons.
    pub(super) unreadable: Vec<Unreadable>,
    /// Temporary files, abandoned or being written.
    pub(super) unfinished: Vec<PathBuf>,
    /// Visited folders, and folders with targets of symbolic links to wanted files.
    pub(super) folders: Vec<PathBuf>,
}

impl Found {
    fn pass_over(&mut self, path: &str, reason: impl Fill) {
        self.unreadable.push(Unreadable { path: path.into(), reason: message!("{reason}", reason) });
    }
}

/// Files that were listed and whose metadata is read together, on all cores: in a large project, this takes most of the
/// time of a walk.
#[derive(Default)]
struct Batch {
    files: Vec<(String, DirEntry)>,
    /// Number of folders that they are in. As long as an entry exists, its folder is open.
    folders: usize,
}

impl Batch {
    fn is_full(&self) -> bool {
        const FILES: usize = 4_096;
        const FOLDERS: usize = 64;
        self.files.len() >= FILES || self.folders >= FOLDERS
    }

    fn read(&mut self, workers: usize, found: &mut Found) {
        /// Fewer files are not worth a thread.
        const FEW: usize = 128;
        let files = std::mem::take(self).files;
        let read = |files: &[(String, DirEntry)]| -> Vec<io::Result<Metadata>> {
            files.iter().map(|(_, entry)| entry.metadata()).collect()
        };
        let share = files.len().div_ceil(workers).max(FEW);
        let (own, others) = files.split_at(share.min(files.len()));
        let metadata = thread::scope(|scope| {
            let others: Vec<_> = others.chunks(share).map(|files| scope.spawn(move || read(files))).collect();
            let mut all = read(own);
            for other in others {
                all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            all
        });
        for ((path, _), metadata) in files.into_iter().zip(metadata) {
            match metadata {
                Ok(metadata) => take(path, metadata, found),
                // Deleted since the folder was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => found.pass_over(&path, error),
            }
        }
    }
}

/// Symbolic links to folders not yet walked: path and target.
type Links = BTreeMap<String, PathBuf>;

impl Walk<'_> {
    /// Walks `start`, a path without symbolic links.
    ///
    /// # Errors
    /// If `start` cannot be listed.
    pub(super) fn run(&self, start: &Path) -> io::Result<Found> {
        let mut found = Found::default();
        let mut links = Links::new();
        let mut walked = vec![start.to_path_buf()];
        self.tree(start, "", &walked, &mut found, &mut links)?;
        // Each folder is walked at most once, so malicious links cannot cause loops or exponential work.
        while let Some((path, target)) = links.pop_first() {
            if start.starts_with(&target) {
                found.pass_over(&path, message!("a symbolic link to a parent folder"));
            } else if walked.iter().any(|known| target.starts_with(known)) {
                found.pass_over(&path, message!("a symbolic link to a folder that is already listed"));
            } else {
                walked.push(target.clone());
                if let Err(error) = self.tree(&target, &path, &walked, &mut found, &mut links) {
                    found.pass_over(&path, error);
                }
            }
        }
        Ok(found)
    }

    /// Walks `start` except for folders in `walked`. Paths of files start with `prefix`.
    fn tree(
        &self,
        start: &Path,
        prefix: &str,
        walked: &[PathBuf],
        found: &mut Found,
        links: &mut Links,
    ) -> io::Result<()> {
        let mut broken: Vec<Broken> = Vec::new();
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let mut batch = Batch::default();
        let above =
            start.parent().filter(|_| start != self.top).map(|above| Rules::of(self.top, above, self.parsed));
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
            // Check names first, which needs no disk access: most folders have no ignore files.
            let entries: Vec<(OsString, DirEntry)> =
                entries.into_iter().map(|entry| (entry.file_name(), entry)).collect();
            let has_rules =
                entries.iter().any(|(name, _)| RULE_FILES.iter().chain(&[".git"]).any(|rules| name == rules));
            let rules = if has_rules { outer.enter(&folder, self.parsed, &mut broken) } else { outer };
            found.folders.push(folder);
            batch.folders += 1;
            for (name, entry) in entries {
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
                } else if (self.wanted)(&path) && (rules.are_none() || !rules.exclude(&entry.path(), false)) {
                    batch.files.push((path, entry));
                }
            }
            if batch.is_full() {
                batch.read(workers, found);
            }
        }
        batch.read(workers, found);
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

    /// Reports a name that is not Unicode, if the file could be wanted.
    fn report_name(&self, path: &str, entry: &DirEntry, found: &mut Found) {
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let name = ubp_core::path::file_name(path);
        if (self.visible)(name) && if is_dir { (self.enter)(path) } else { (self.wanted)(path) } {
            found.pass_over(path, message!("the name is not valid Unicode"));
        }
    }
}

/// Whether `target` of a symbolic link may be read: it must be inside `root` without hidden names in its path.
///
/// # Errors
/// The reason if not.
pub(super) fn leads_inside(
    root: &Path,
    target: &Path,
    visible: &dyn Fn(&str) -> bool,
) -> Result<(), Message> {
    let inside = target.strip_prefix(root).map_err(|_| message!("a symbolic link out of the project"))?;
    let shown = inside.components().all(|part| part.as_os_str().to_str().is_some_and(visible));
    if shown { Ok(()) } else { Err(message!("a symbolic link into a hidden folder")) }
}

fn take(path: String, metadata: Metadata, found: &mut Found) {
    if !metadata.is_file() {
        found.pass_over(&path, message!("not a regular file"));
    } else if !ubp_core::path::is_inside(&path) {
        found.pass_over(&path, message!("the name is a path out of the folder on other systems; rename it"));
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
