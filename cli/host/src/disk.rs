//! A project's files on disk. The listing decides what a page is: files that it leaves out (hidden, ignored, outside
//! the project) cannot be accessed by their paths either.

use std::fs::{self, Metadata};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ubp_core::globs::Globs;
use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::ports::{
    ContentHash, FileStat, FolderEntry, Listing, PageElsewhere, PageFile, Source, Unreadable, WriteGuard,
};
use ubp_core::word;
use ubp_core::{Error, Result, path as paths};

use super::atomic;
use super::ignore_rules::{self, Parsed, Rules};
use super::sessions;
use super::walk::{Found, Walk, leads_inside};
use super::write_lock::WriteLock;

#[cfg(test)]
mod hostile_tests;
mod moving;
mod prefixes;
mod proposals;
mod stat;
mod state;
#[cfg(test)]
mod tests;
mod unlisted;

use prefixes::Prefixes;
pub(crate) use stat::file_stat;

/// The pages and sources of one project folder.
///
/// Symbolic links are followed if they stay inside the project and out of hidden folders. Links to folders that are
/// listed anyway, and cycles, are reported and skipped. Pages are written only if their real path is inside the pages
/// folder.
#[derive(Debug, Clone)]
pub struct DiskSource {
    root: PathBuf,
    pages: PathBuf,
    top: PathBuf,
    parsed: Arc<Parsed>,
    writers: Arc<WriteLock>,
    /// The folder that symbolic links to pages must not leave.
    limits: PathBuf,
    /// A folder of the pages folder whose files are templates.
    templates: Option<String>,
    /// Whether git sees proposals.
    in_git: bool,
}

impl DiskSource {
    /// The project at `root`, with pages in `pages_dir` (relative, as in the manifest).
    ///
    /// # Errors
    /// [`Error::Io`] if `root` does not exist, [`Error::OutsideProject`] if the pages folder is outside it. A missing
    /// pages folder is not an error yet.
    pub fn new(root: &Path, pages_dir: &str) -> Result<Self> {
        let shown = root.to_string_lossy();
        let root = fs::canonicalize(root).map_err(|error| Error::io(shown, error))?;
        let outside = || Error::OutsideProject { path: pages_dir.into(), folder: "project".into() };
        if !paths::is_inside(pages_dir) {
            return Err(outside());
        }
        let mut pages = root.clone();
        pages.extend(pages_dir.split('/').filter(|part| !matches!(*part, "" | ".")));
        // For a missing folder, check its closest existing parent.
        let (_, real) = real_ancestor(&pages).map_err(|error| Error::io(pages_dir, error))?;
        if !real.starts_with(&root)
            || real.strip_prefix(&root).is_ok_and(|inside| paths::is_private(&inside.to_string_lossy()))
        {
            return Err(outside());
        }
        let pages = fs::canonicalize(&pages).unwrap_or(pages);
        let top = ignore_rules::top(&root).to_path_buf();
        let writers = Arc::new(WriteLock::new(root.join(".ubp")));
        let parsed = Arc::default();
        Ok(Self { limits: root.clone(), root, pages, top, parsed, writers, templates: None, in_git: false })
    }

    /// The same, but symbolic links must not leave the pages folder.
    #[must_use]
    pub fn keeping_to_pages(self) -> Self {
        Self { limits: self.pages.clone(), ..self }
    }

    /// The same, but files in `folder`, relative to the pages folder, are templates.
    #[must_use]
    pub fn with_templates_in(self, folder: Option<&str>) -> Self {
        Self { templates: folder.map(str::to_owned), ..self }
    }

    fn is_template(&self, path: &str) -> bool {
        self.templates.as_deref().is_some_and(|folder| paths::is_below(path, folder))
    }

    /// The pages folder, absolute and without symbolic links.
    pub fn pages_dir(&self) -> &Path {
        &self.pages
    }

    /// Folders that have pages or may get some: those that a listing visits, and those with the targets of symbolic
    /// links to pages. Absolute; empty without a pages folder.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.walk_pages().map(|found| found.folders).unwrap_or_default()
    }

    /// Ignore files above the pages folder that apply to it, whether or not they exist. Absolute.
    pub fn outer_rule_files(&self) -> Vec<PathBuf> {
        let above = self.pages.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.top));
        let mut files: Vec<PathBuf> =
            above.flat_map(|folder| ignore_rules::RULE_FILES.map(|name| folder.join(name))).collect();
        files.push(self.top.join(".git/info/exclude"));
        files
    }

    fn walk_pages(&self) -> io::Result<Found> {
        let walk = Walk {
            root: &self.root,
            top: &self.top,
            parsed: &self.parsed,
            admits: &|target| self.admits_page(target),
            visible: &is_visible,
            enter: &|folder| !self.is_template(folder),
            wanted: &paths::is_page,
            follow_folders: true,
        };
        walk.run(&self.pages)
    }

    /// The real path of the page at `path`; `None` if it would not be listed at `path`.
    fn resolve(&self, path: &str) -> Result<Option<(PathBuf, Metadata)>> {
        confined(path, "pages")?;
        if !paths::can_be_page(path) || self.is_template(path) {
            return Ok(None);
        }
        let lexical = join(&self.pages, path);
        let Some((real, metadata)) = existing(&lexical).map_err(|error| Error::io(path, error))? else {
            return Ok(None);
        };
        if real != lexical {
            if self.admits_page(&real).is_err() {
                return Err(Error::OutsideProject { path: path.into(), folder: "project".into() });
            }
            if self.is_other_spelling(&lexical, &real) {
                return Ok(None);
            }
        }
        Ok(Some((real, metadata)).filter(|(_, metadata)| metadata.is_file()))
    }

    /// Whether the target of a symbolic link may be read as a page.
    fn admits_page(&self, target: &Path) -> std::result::Result<(), Message> {
        let folder = if target.starts_with(&self.pages) { &self.pages } else { &self.limits };
        leads_inside(folder, target, &is_visible)
    }

    /// Whether `lexical` is another spelling of the page that is listed as `real`: in another case or Unicode form, or
    /// through a symbolic link to a folder in the pages folder.
    fn is_other_spelling(&self, lexical: &Path, real: &Path) -> bool {
        let Some(folder) = lexical.parent() else { return false };
        let Ok(real_folder) = fs::canonicalize(folder) else { return false };
        let through_folder = real_folder != folder && real_folder.starts_with(&self.pages);
        let is_link = fs::symlink_metadata(lexical).is_ok_and(|metadata| metadata.is_symlink());
        through_folder || (!is_link && real.file_name() != lexical.file_name())
    }

    /// Whether ignore rules exclude the page at `path`.
    fn is_ignored(&self, path: &str) -> bool {
        let mut file = self.pages.clone();
        let mut rules = Rules::of(&self.top, &self.pages, &self.parsed);
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            file.push(part);
            let is_dir = parts.peek().is_some();
            if rules.exclude(&file, is_dir) {
                return true;
            }
            if is_dir {
                rules = rules.enter(&file, &self.parsed, &mut Vec::new());
            }
        }
        false
    }

    /// The path to write the page at `path` to.
    fn destination(&self, path: &str) -> Result<PathBuf> {
        confined(path, "pages")?;
        if !paths::can_be_page(path) {
            return Err(Error::not_a_page(path));
        }
        if let Some(folder) = self.templates.as_deref().filter(|folder| paths::is_below(path, folder)) {
            return Err(Error::invalid(message!(
                "'{path}' would not become a page, because {folder}/ is the folder of the templates",
                path,
                folder
            )));
        }
        let real = self.place(path)?;
        if self.is_ignored(path) {
            return Err(Error::invalid(message!(
                "'{path}' is excluded by .gitignore or .ubpignore, so it would not become a page",
                path
            )));
        }
        Ok(real)
    }

    /// The path to write the attachment at `path` to.
    fn attachment_destination(&self, path: &str) -> Result<PathBuf> {
        confined(path, "pages")?;
        if !paths::can_be_attachment(path) {
            return Err(Error::not_an_attachment(path));
        }
        self.place(path)
    }

    /// The real path of a file in the pages folder that may not exist yet.
    fn place(&self, path: &str) -> Result<PathBuf> {
        if cfg!(windows) && path.split('/').any(is_reserved_on_windows) {
            return Err(Error::invalid(message!("'{path}' has a name that is reserved on Windows", path)));
        }
        let outside = || Error::OutsideProject { path: path.into(), folder: "pages".into() };
        let failed = |error| Error::io(path, error);
        let lexical = join(&self.pages, path);
        let (folder, real) = real_ancestor(lexical.parent().unwrap_or(&self.pages)).map_err(failed)?;
        if folder != real {
            if !real.starts_with(&self.pages) {
                return Err(outside());
            }
            let listed = real.strip_prefix(&self.pages).unwrap_or(&real).to_string_lossy();
            return Err(Error::invalid(message!(
                "'{path}' is in a folder that is listed as '{listed}'",
                path,
                listed
            )));
        }
        let is_link = fs::symlink_metadata(&lexical).is_ok_and(|metadata| metadata.is_symlink());
        let real = if is_link { fs::canonicalize(&lexical).map_err(failed)? } else { lexical };
        if leads_inside(&self.pages, &real, &is_visible).is_err() {
            return Err(outside());
        }
        Ok(real)
    }

    /// The real path of a file of the project; `None` if it does not exist.
    fn resolve_source(&self, path: &str) -> Result<Option<(PathBuf, Metadata)>> {
        confined(path, "project")?;
        if !paths::is_normal(path) || paths::is_private(path) {
            return Ok(None);
        }
        let lexical = join(&self.root, path);
        let Some((real, metadata)) = existing(&lexical).map_err(|error| Error::io(path, error))? else {
            return Ok(None);
        };
        if real != lexical && leads_inside(&self.root, &real, &is_source_name).is_err() {
            return Err(Error::OutsideProject { path: path.into(), folder: "project".into() });
        }
        Ok(Some((real, metadata)).filter(|(_, metadata)| metadata.is_file()))
    }
}

impl Source for DiskSource {
    fn list(&self) -> Result<Listing> {
        let found = self.walk_pages().map_err(|error| {
            let missing = error.kind() == io::ErrorKind::NotFound;
            let error = if missing { missing_pages_folder() } else { error };
            Error::io(self.pages.to_string_lossy(), error)
        })?;
        found.unfinished.iter().for_each(|path| atomic::sweep(path));
        let own = fs::read_dir(self.root.join(".ubp")).into_iter().flatten().flatten();
        own.filter(|entry| entry.file_name().to_str().is_some_and(atomic::is_temporary))
            .for_each(|entry| atomic::sweep(&entry.path()));
        let page = |(path, metadata): (String, Metadata)| PageFile { path, stat: file_stat(&metadata) };
        let mut pages: Vec<PageFile> = found.files.into_iter().map(page).collect();
        pages.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let mut unreadable: Vec<Unreadable> = found.unreadable;
        unreadable.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Listing { pages, unreadable })
    }

    fn stat(&self, path: &str) -> Result<Option<FileStat>> {
        let found = self.resolve(path)?.filter(|_| !self.is_ignored(path));
        Ok(found.map(|(_, metadata)| file_stat(&metadata)))
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        let (real, _) = self.resolve(path)?.ok_or_else(|| not_found(path))?;
        fs::read(real).map_err(|error| Error::io(path, error))
    }

    fn page_path(&self, absolute: &str) -> Option<String> {
        let path = Path::new(absolute);
        let goes_up = path.components().any(|part| part == std::path::Component::ParentDir);
        if !path.is_absolute() || goes_up {
            return None;
        }
        // The folder may be reached through a symbolic link; the page is checked like any other.
        let named = || Some(fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?));
        let inside = path.strip_prefix(&self.pages).map(Path::to_path_buf);
        let inside = inside.ok().or_else(|| Some(named()?.strip_prefix(&self.pages).ok()?.to_path_buf()))?;
        let parts: Option<Vec<&str>> = inside.components().map(|part| part.as_os_str().to_str()).collect();
        parts.map(|parts| parts.join("/"))
    }

    fn write(&self, path: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        let _held = self.lock()?;
        let real = self.destination(path)?;
        replace_expected(&real, bytes, expected, path)
    }

    fn create_attachment(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let _held = self.lock()?;
        let real = self.attachment_destination(path)?;
        replace_expected(&real, bytes, None, path)
    }

    fn replace_attachment(&self, path: &str, bytes: &[u8], expected: ContentHash) -> Result<()> {
        let _held = self.lock()?;
        let real = self.attachment_destination(path)?;
        replace_expected(&real, bytes, Some(expected), path)
    }

    fn check_writable(&self, path: &str) -> Result<()> {
        atomic::check_unmarked(&self.destination(path)?, path)
    }

    fn stat_source(&self, path: &str) -> Result<Option<FileStat>> {
        Ok(self.resolve_source(path)?.map(|(_, metadata)| file_stat(&metadata)))
    }

    fn read_source(&self, path: &str) -> Result<Vec<u8>> {
        let (real, _) = self.resolve_source(path)?.ok_or_else(|| not_found(path))?;
        fs::read(real).map_err(|error| Error::io(path, error))
    }

    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>> {
        Ok(self.sized_sources(globs)?.into_iter().map(|(path, _)| path).collect())
    }

    fn sized_sources(&self, globs: &[String]) -> Result<Vec<(String, u64)>> {
        let set = Globs::new(globs)?;
        let prefixes = Prefixes::of(globs);
        let walk = Walk {
            root: &self.root,
            top: &self.top,
            parsed: &self.parsed,
            admits: &|target| leads_inside(&self.root, target, &is_source_name),
            visible: &is_source_name,
            enter: &|folder| prefixes.may_hold_matches(folder),
            wanted: &|path| set.is_match(path),
            follow_folders: false,
        };
        let found = walk.run(&self.root).map_err(|error| Error::io(self.root.to_string_lossy(), error))?;
        let mut files: Vec<(String, u64)> =
            found.files.into_iter().map(|(path, metadata)| (path, metadata.len())).collect();
        files.sort_unstable();
        Ok(files)
    }

    fn real_source(&self, path: &str) -> Result<Option<String>> {
        let Some((real, _)) = self.resolve_source(path)? else { return Ok(None) };
        let inside = real.strip_prefix(&self.root).ok().and_then(Path::to_str);
        Ok(inside.map(|inside| if cfg!(windows) { inside.replace('\\', "/") } else { inside.to_owned() }))
    }

    fn pages_elsewhere(&self, named: &[(String, String)]) -> Vec<Option<PageElsewhere>> {
        crate::hub::pages_elsewhere(&self.root, named)
    }

    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match fs::read(self.state_file(name)?) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io(format!(".ubp/{name}"), error)),
        }
    }

    fn state_lines(&self, name: &str, look: &mut dyn FnMut(&[u8])) -> Result<u64> {
        let failed = |error| Error::io(format!(".ubp/{name}"), error);
        let mut file = match fs::File::open(self.state_file(name)?) {
            Ok(file) => io::BufReader::new(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(failed(error)),
        };
        let (mut line, mut bytes) = (Vec::new(), 0);
        loop {
            line.clear();
            match file.read_until(b'\n', &mut line).map_err(failed)? {
                0 => return Ok(bytes),
                read => bytes += read as u64,
            }
            look(line.strip_suffix(b"\n").unwrap_or(&line));
        }
    }

    fn write_state(&self, name: &str, bytes: &[u8], expected: Option<ContentHash>) -> Result<()> {
        let _held = self.lock()?;
        let file = self.state_file(name)?;
        if paths::is_proposal_file(name) && expected.is_none() {
            self.prepare_proposals()?;
        }
        if paths::session_of_file(name).is_some() {
            sessions::prepare(&self.root)?;
        }
        replace_expected(&file, bytes, expected, &format!(".ubp/{name}"))
    }

    fn proposal_files(&self) -> Result<Vec<String>> {
        self.listed(paths::PROPOSALS, paths::is_proposal_file)
    }

    fn session_files(&self) -> Result<Vec<String>> {
        self.listed(paths::SESSIONS, |name| paths::session_of_file(name).is_some())
    }

    fn remove_session(&self, name: &str) -> Result<()> {
        self.delete_session(name)
    }

    fn remove_proposal(&self, name: &str, expected: ContentHash) -> Result<()> {
        self.delete_proposal(name, expected)
    }

    fn lock(&self) -> Result<Box<dyn WriteGuard + '_>> {
        let name = format!(".ubp/{}", super::write_lock::NAME);
        let folder = self.root.join(".ubp");
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        if is_link(&folder) || is_link(&folder.join(super::write_lock::NAME)) {
            return Err(Error::OutsideProject { path: name, folder: "project".into() });
        }
        Ok(Box::new(self.writers.take().map_err(|error| Error::io(name, error))?))
    }

    fn rename(&self, from: &str, to: &str, expected: ContentHash) -> Result<()> {
        let _held = self.lock()?;
        self.move_page(from, to, expected)
    }

    fn entries(&self, folder: &str) -> Result<Option<Vec<FolderEntry>>> {
        self.all_entries(folder)
    }

    fn move_unlisted(&self, from: &str, to: &str) -> Result<()> {
        let _held = self.lock()?;
        self.move_whole(from, to)
    }

    fn remove_empty_folder(&self, folder: &str) -> Result<()> {
        let _held = self.lock()?;
        self.remove_folder(folder)
    }

    fn discard(&self, path: &str, trash: &str, expected: ContentHash) -> Result<()> {
        let _held = self.lock()?;
        self.discard_page(path, trash, expected)
    }

    fn restore(&self, trash: &str, path: &str, expected: ContentHash) -> Result<()> {
        let _held = self.lock()?;
        self.restore_page(trash, path, expected)
    }

    fn append(&self, name: &str, lines: &[u8]) -> Result<()> {
        paths::require_record_file(name)?;
        let file = self.state_file(name)?;
        let _held = self.lock()?;
        if paths::NOTE_FILES.contains(&name) {
            self.keep_note_out_of_git(&file, name);
        }
        let (rotated, ..) = paths::ROTATED;
        if name == rotated {
            self.rotate(&file)?;
        }
        // It has former text of pages, including secrets that were removed since.
        let readers = if name == rotated { atomic::Readers::Owner } else { atomic::Readers::Usual };
        atomic::append(&file, lines, readers).map_err(|error| Error::io(format!(".ubp/{name}"), error))
    }

    fn note(&self, name: &str, lines: &[u8]) -> Result<()> {
        paths::require_note_file(name)?;
        let file = self.state_file(name)?;
        self.keep_note_out_of_git(&file, name);
        atomic::note(&file, lines).map_err(|error| Error::io(format!(".ubp/{name}"), error))
    }
}

/// Hash of the file at `real`, `None` if it does not exist; `path` is its name in errors.
fn found_at(real: &Path, path: &str) -> Result<Option<ContentHash>> {
    match fs::read(real) {
        Ok(bytes) => Ok(Some(ContentHash::of(&bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path, error)),
    }
}

/// Writes `bytes` to `real` if its content has the expected hash; `path` is its name in errors.
fn replace_expected(real: &Path, bytes: &[u8], expected: Option<ContentHash>, path: &str) -> Result<()> {
    let found = || found_at(real, path);
    let still_expected = || match found()? {
        found if found == expected => Ok(()),
        found => Err(Error::conflict(path, expected, found)),
    };
    still_expected()?;
    if expected.is_some() {
        return atomic::replace(real, bytes, path, still_expected);
    }
    atomic::create(real, bytes).map_err(|error| match (error.kind(), found()) {
        // Without one, a file is where a folder is needed.
        (io::ErrorKind::AlreadyExists, Ok(found @ Some(_))) => Error::conflict(path, expected, found),
        _ => Error::io(path, error),
    })
}

/// Whether pages may have this name, or be in a folder of this name.
pub(crate) fn is_visible(name: &str) -> bool {
    !name.starts_with('.') && name != "node_modules"
}

/// Whether source files may have this name, or be in a folder of this name.
fn is_source_name(name: &str) -> bool {
    paths::is_listed_source(name)
}

/// Names that are devices on Windows, or that it changes silently.
fn is_reserved_on_windows(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_uppercase();
    let numbered =
        |device: &str| stem.strip_prefix(device).is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']));
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || numbered("COM")
        || numbered("LPT")
        || name.ends_with(['.', ' '])
        || name.contains(['<', '>', ':', '"', '|', '?', '*'])
        || name.chars().any(|c| c.is_ascii_control())
}

fn confined(path: &str, folder: &str) -> Result<()> {
    let outside = || Error::OutsideProject { path: path.into(), folder: folder.into() };
    paths::is_inside(path).then_some(()).ok_or_else(outside)
}

fn join(folder: &Path, path: &str) -> PathBuf {
    let mut joined = folder.to_path_buf();
    joined.extend(path.split('/'));
    joined
}

/// The real path of the file at `path`, with symbolic links resolved; `None` if it does not exist.
fn existing(path: &Path) -> io::Result<Option<(PathBuf, Metadata)>> {
    // Resolving a path takes a call for each of its parts, so a file that does not exist is noticed first.
    let found = fs::symlink_metadata(path).and_then(|_| fs::canonicalize(path)).and_then(|real| {
        let metadata = fs::metadata(&real)?;
        Ok((real, metadata))
    });
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
                Ok(None)
            }
            _ => Err(error),
        },
    }
}

/// The deepest existing folder of `path`, and its real path.
fn real_ancestor(path: &Path) -> io::Result<(&Path, PathBuf)> {
    for ancestor in path.ancestors() {
        match fs::symlink_metadata(ancestor) {
            Ok(_) => return Ok((ancestor, fs::canonicalize(ancestor)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

fn not_found(path: &str) -> Error {
    Error::io(path, io::ErrorKind::NotFound.into())
}

fn missing_pages_folder() -> io::Error {
    let words = word!("this folder does not exist: create it, or correct pages_dir in .ubp/manifest.json");
    io::Error::new(io::ErrorKind::NotFound, words)
}
