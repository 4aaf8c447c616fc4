//! `ubp init`: creates the folders and files of a project.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ubp_core::manifest::{FrontMatterMode, MANIFEST_PATH, Manifest};
use ubp_core::message;
use ubp_core::ports::{Clock, Source};
use ubp_core::{Error, Result};

use super::folders::USUAL;
use super::{Project, UBP_DIR, is_project, refuse_links};
use crate::atomic;
use crate::disk::DiskSource;
use crate::models::choice;

/// Content of `.ubp/.gitignore`.
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
/proposals/
/sessions/
/coediting/
/audit.jsonl
/audit.1.jsonl
/favorites.json
/gaps.json
/memory.jsonl
/models/
/views/
/tokens.json
/*.tmp
";

/// Line in the project's `.gitignore`, which also shows whether UBP has added its lines.
const PROJECT_IGNORE: &str = ".ubp/metadata.db";

/// The next line: temporary files are beside the files that they replace.
const TEMPORARY_IGNORE: &str = ".ubp-*.tmp";

/// Options for starting a project.
#[derive(Debug, Clone, Default)]
pub struct InitOptions {
    /// Pages folder, relative to the project (default: `pages`). `.` uses existing notes.
    pub pages_dir: Option<String>,
    /// Who writes front matter. The default depends on whether there are pages.
    pub frontmatter: Option<FrontMatterMode>,
    /// Change the pages folder even if reviews and decisions refer to its pages by path.
    pub leave_reviews: bool,
}

/// Result of starting a project.
#[derive(Debug, Clone)]
pub struct InitSummary {
    /// The project.
    pub project: Project,
    /// Whether it was a project before.
    pub already: bool,
    /// The former pages folder, if it changed.
    pub moved_from: Option<String>,
    /// Number of existing pages.
    pub existing_pages: usize,
    /// If the pages folder has no pages: Markdown files elsewhere in the project.
    pub notes_elsewhere: usize,
    /// Files and folders that were created, relative to the project; folders end in `/`.
    pub created: Vec<String>,
    /// Files that were changed, relative to the project.
    pub changed: Vec<String>,
    /// The former pages folder, if it was empty and removed.
    pub removed: Option<String>,
    /// The enclosing project, if any.
    pub enclosing: Option<PathBuf>,
}

/// Starts a project in `root`, creates what is missing in a clone (git stores no empty folders), or changes the
/// settings of a project. Does not build the index.
///
/// # Errors
/// [`Error::InvalidParams`] if reviews or decisions would lose their pages with another pages folder;
/// [`Error::Manifest`] if the manifest is invalid; [`Error::OutsideProject`] for a pages folder outside the project;
/// [`Error::Io`].
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
    // The manifest comes last, because it makes the folder a project.
    made.file(MANIFEST_PATH, &manifest.to_json())?;

    let Made { created, changed, .. } = made;
    // Removing fails if the folder is not empty.
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

/// Creates `.ubp`, with its `.gitignore`.
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
    // Normalizes the path of the folder before it is used.
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

/// Files that refer to pages by their paths in the pages folder.
const NAME_PAGES: [&str; 2] = ["refs.lock", "decisions.jsonl"];

/// Applies `options` to the manifest of a project; returns the number of pages.
fn change_settings(manifest: &mut Manifest, root: &Path, options: &InitOptions) -> Result<usize> {
    let asked = options.pages_dir.as_deref();
    let asked = asked
        .map(|dir| Manifest::default_for(dir, manifest.frontmatter, jiff::Timestamp::UNIX_EPOCH))
        .transpose()?
        .map(|asked| asked.pages_dir);
    if let Some(asked) = asked.filter(|asked| *asked != manifest.pages_dir) {
        let named = NAME_PAGES.iter().find(|name| root.join(UBP_DIR).join(name).exists());
        if let Some(name) = named.filter(|_| !options.leave_reviews) {
            return Err(Error::invalid(message!(
                "the pages of this project are in '{pages_dir}', and {ubp_dir}/{name} refers to them by their paths, which \
                would no longer match; --yes changes the pages folder to '{asked}' anyway",
                pages_dir = manifest.pages_dir,
                ubp_dir = UBP_DIR,
                name,
                asked
            )));
        }
        manifest.pages_dir = asked;
        if count_pages(&DiskSource::new(root, &manifest.pages_dir)?)? > 0 {
            // Existing pages are written to only if the user asks for it.
            manifest.frontmatter = FrontMatterMode::Preserved;
        }
    }
    manifest.frontmatter = options.frontmatter.unwrap_or(manifest.frontmatter);
    count_pages(&DiskSource::new(root, &manifest.pages_dir)?)
}

fn count_pages(source: &DiskSource) -> Result<usize> {
    if source.pages_dir().exists() { Ok(source.list()?.pages.len()) } else { Ok(0) }
}

/// Creates missing files and folders, and records them.
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

    /// Adds the lines for the index and temporary files to the project's `.gitignore`, once.
    fn ignore_line(&mut self) -> Result<()> {
        let name = ".gitignore";
        let path = self.root.join(name);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => {}
            // Git does not follow symbolic links here, and `.ubp/.gitignore` also has the rules.
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
