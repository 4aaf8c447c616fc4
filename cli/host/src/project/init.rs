//! Starting a project: the folders and files that `ubp init` makes, and what it leaves alone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ubp_core::manifest::{FrontMatterMode, MANIFEST_PATH, Manifest};
use ubp_core::ports::{Clock, Source};
use ubp_core::{Error, Result};

use super::folders::USUAL;
use super::{Project, UBP_DIR, is_project, refuse_links};
use crate::atomic;
use crate::disk::DiskSource;
use crate::models::choice;

/// What is not committed of `.ubp`.
const OWN_IGNORE: &str = "\
# What belongs to this machine alone; everything else in this folder is worth a commit.
/metadata.db*
/serve.lock
/serve.state
/write.lock
/serve.ask
/vectors.lock
/mcp-server.*
/trash/
/audit.jsonl
/audit.1.jsonl
/favorites.json
/memory.jsonl
/models/
/*.tmp
";

/// The line in the project's own `.gitignore` that says whether UBP was there.
const PROJECT_IGNORE: &str = ".ubp/metadata.db";

/// The line after it: files that are being written lie beside those that they replace.
const TEMPORARY_IGNORE: &str = ".ubp-*.tmp";

/// How to start a project.
#[derive(Debug, Clone, Default)]
pub struct InitOptions {
    /// Folder of the pages, relative to the project; `pages` unless said. `.` adopts the notes that
    /// are there.
    pub pages_dir: Option<String>,
    /// Who writes front matter; by whether there are pages already, unless said.
    pub frontmatter: Option<FrontMatterMode>,
    /// Give a project another pages folder although reviews and decisions name its pages by their paths.
    pub leave_reviews: bool,
}

/// What starting a project came to.
#[derive(Debug, Clone)]
pub struct InitSummary {
    /// The project.
    pub project: Project,
    /// Whether it was a project before.
    pub already: bool,
    /// The pages folder that it had before, where it has another one now.
    pub moved_from: Option<String>,
    /// Pages that were there.
    pub existing_pages: usize,
    /// Where the pages folder has none: Markdown files elsewhere in the project that could be pages.
    pub notes_elsewhere: usize,
    /// Files and folders that were made, relative to the project; folders end in `/`.
    pub created: Vec<String>,
    /// Files that were changed, relative to the project.
    pub changed: Vec<String>,
    /// The former pages folder, where nothing was in it.
    pub removed: Option<String>,
    /// The project that this one now lies in, if any.
    pub enclosing: Option<PathBuf>,
}

/// Makes the folder `root` a project, or completes what a clone of one lacks (git keeps no empty
/// folders), or gives a project the other settings that `options` ask for. The index is not made here.
///
/// # Errors
/// [`Error::InvalidParams`] when reviews or decisions would lose their pages to another pages folder;
/// [`Error::Manifest`] when its manifest is damaged; [`Error::OutsideProject`] for a pages folder
/// elsewhere; [`Error::Io`] when something cannot be written.
pub fn init(root: &Path, options: &InitOptions, clock: &dyn Clock) -> Result<InitSummary> {
    let shown = root.to_string_lossy();
    let root = fs::canonicalize(root).map_err(|error| Error::io(shown, error))?;
    refuse_links(&root)?;
    let already = is_project(&root);
    let mut moved_from = None;
    let mut made = Made { root: &root, created: Vec::new(), changed: Vec::new() };
    let (manifest, existing_pages) = if already {
        let mut project = Project::load(&root)?;
        let (before, mode) = (project.manifest.pages_dir.clone(), project.manifest.frontmatter);
        let pages = change_settings(&mut project.manifest, &root, options)?;
        moved_from = Some(before).filter(|before| *before != project.manifest.pages_dir);
        if moved_from.is_some() || mode != project.manifest.frontmatter {
            made.folder(&project.manifest.pages_dir)?;
            project.save_manifest()?;
            made.changed.push(MANIFEST_PATH.into());
        }
        (project.manifest, pages)
    } else {
        new_manifest(&root, options, clock)?
    };

    let notes_elsewhere =
        if existing_pages == 0 { DiskSource::new(&root, ".")?.list()?.pages.len() } else { 0 };
    made.folder(&manifest.pages_dir)?;
    made.folder(UBP_DIR)?;
    made.file(".ubp/.gitignore", OWN_IGNORE)?;
    made.ignore_line()?;
    // Last, since the manifest is what makes a folder a project.
    made.file(MANIFEST_PATH, &manifest.to_json())?;

    let Made { created, changed, .. } = made;
    // Only a folder without anything in it can be removed so.
    let removed = moved_from.clone().filter(|former| fs::remove_dir(root.join(former)).is_ok());
    let enclosing = root.ancestors().skip(1).find(|folder| is_project(folder)).map(Path::to_path_buf);
    let project = Project::load(&root)?;
    Ok(InitSummary {
        project,
        already,
        moved_from,
        existing_pages,
        notes_elsewhere,
        created,
        changed,
        removed,
        enclosing,
    })
}

/// Makes the folder that belongs to UBP, kept out of version control.
///
/// # Errors
/// [`Error::Io`].
pub(super) fn own_folder(root: &Path) -> Result<()> {
    let mut made = Made { root, created: Vec::new(), changed: Vec::new() };
    made.folder(UBP_DIR)?;
    made.file(".ubp/.gitignore", OWN_IGNORE)
}

fn new_manifest(root: &Path, options: &InitOptions, clock: &dyn Clock) -> Result<(Manifest, usize)> {
    let pages_dir = options.pages_dir.as_deref().unwrap_or(USUAL);
    // Settles the folder's spelling before the disk is asked about it.
    let mut manifest = Manifest::default_for(pages_dir, FrontMatterMode::Preserved, clock.now())?;
    let pages = count_pages(&DiskSource::new(root, &manifest.pages_dir)?)?;
    let by_pages = if pages == 0 { FrontMatterMode::Managed } else { FrontMatterMode::Preserved };
    let frontmatter = options.frontmatter.unwrap_or(by_pages);
    if frontmatter != manifest.frontmatter {
        manifest = Manifest::default_for(pages_dir, frontmatter, clock.now())?;
    }
    if pages > 0 {
        manifest.embedding_model.name =
            choice::model_for(&DiskSource::new(root, &manifest.pages_dir)?)?.into();
    }
    Ok((manifest, pages))
}

/// Files that name pages by their paths below the pages folder.
const NAME_PAGES: [&str; 2] = ["refs.lock", "decisions.jsonl"];

/// Gives the manifest of a project the settings that `options` ask for; returns how many pages there are then.
fn change_settings(manifest: &mut Manifest, root: &Path, options: &InitOptions) -> Result<usize> {
    let asked = options.pages_dir.as_deref();
    let asked = asked
        .map(|dir| Manifest::default_for(dir, manifest.frontmatter, jiff::Timestamp::UNIX_EPOCH))
        .transpose()?
        .map(|asked| asked.pages_dir);
    if let Some(asked) = asked.filter(|asked| *asked != manifest.pages_dir) {
        let named = NAME_PAGES.iter().find(|name| root.join(UBP_DIR).join(name).exists());
        if let Some(name) = named.filter(|_| !options.leave_reviews) {
            return Err(Error::invalid(format!(
                "the pages of this project are in '{}', and {UBP_DIR}/{name} names them by their paths there, which \
                 would no longer fit; with --yes the pages are taken from '{asked}' all the same",
                manifest.pages_dir
            )));
        }
        manifest.pages_dir = asked;
        if count_pages(&DiskSource::new(root, &manifest.pages_dir)?)? > 0 {
            // Nobody asked for pages that are there already to be written to.
            manifest.frontmatter = FrontMatterMode::Preserved;
        }
    }
    manifest.frontmatter = options.frontmatter.unwrap_or(manifest.frontmatter);
    count_pages(&DiskSource::new(root, &manifest.pages_dir)?)
}

fn count_pages(source: &DiskSource) -> Result<usize> {
    if source.pages_dir().exists() { Ok(source.list()?.pages.len()) } else { Ok(0) }
}

/// Makes what is missing, and keeps count.
struct Made<'a> {
    root: &'a Path,
    created: Vec<String>,
    changed: Vec<String>,
}

impl Made<'_> {
    fn folder(&mut self, path: &str) -> Result<()> {
        let folder = self.root.join(path);
        if !folder.is_dir() {
            fs::create_dir_all(&folder).map_err(|error| Error::io(path, error))?;
            self.created.push(format!("{path}/"));
        }
        Ok(())
    }

    fn file(&mut self, path: &str, text: &str) -> Result<()> {
        match atomic::create(&self.root.join(path), text.as_bytes()) {
            Ok(()) => self.created.push(path.into()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::io(path, error)),
        }
        Ok(())
    }

    /// Keeps the index and unfinished files out of git, once, whatever else the project's `.gitignore` says.
    fn ignore_line(&mut self) -> Result<()> {
        let name = ".gitignore";
        let path = self.root.join(name);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => {}
            // Git reads no links here, and `.ubp/.gitignore` says the same.
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return self.file(name, &format!("{PROJECT_IGNORE}\n{TEMPORARY_IGNORE}\n"));
            }
            Err(error) => return Err(Error::io(name, error)),
        }
        let mut bytes = fs::read(&path).map_err(|error| Error::io(name, error))?;
        let body = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        let says_so = |line: &[u8]| {
            let line = line.trim_ascii();
            let line = line.strip_prefix(b"/").unwrap_or(line);
            line.strip_suffix(b"*").unwrap_or(line) == PROJECT_IGNORE.as_bytes()
        };
        if body.split(|&byte| byte == b'\n').any(says_so) {
            return Ok(());
        }
        let end: &[u8] = if bytes.windows(2).any(|pair| pair == b"\r\n") { b"\r\n" } else { b"\n" };
        if !body.is_empty() && !bytes.ends_with(b"\n") {
            bytes.extend_from_slice(end);
        }
        for line in [PROJECT_IGNORE, TEMPORARY_IGNORE] {
            bytes.extend_from_slice(line.as_bytes());
            bytes.extend_from_slice(end);
        }
        atomic::write(&path, &bytes, name)?;
        self.changed.push(name.into());
        Ok(())
    }
}
