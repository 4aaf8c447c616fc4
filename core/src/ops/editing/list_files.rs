//! Files of the project that are not pages: the code that pages describe, and the attachments that they show. Programs
//! fetch them once, and complete paths from them while somebody types.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::freshness;
use crate::graph::resolve;
use crate::message;
use crate::ops::Facts;
use crate::ops::budget;
use crate::path;
use crate::render::url;
use crate::show::{Page, Span, counted};
use crate::text;

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading(
    "List the files and folders of the project, pages excluded, and count the files that entries of source_refs match.",
);

/// Maximum files and maximum folders in one answer.
const MOST: usize = 50_000;

/// The wanted files.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Text that the path contains, ignoring case; empty for all files.
    #[serde(default)]
    pub text: String,
    /// Only files of this kind.
    pub kind: Option<FileKind>,
    /// Maximum number of files, and of folders, 0 to 50,000 (default: 1,000).
    #[schemars(range(min = 0, max = 50_000))]
    pub limit: Option<usize>,
    /// Files, folders and globs as in `source_refs`, whose matching files are counted.
    #[serde(default)]
    pub sources: Vec<String>,
}

/// What a file is to pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// Code, or another file that pages may describe.
    Source,
    /// A picture or another file that pages show or offer for download.
    Attachment,
}

/// The files.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The first files by path. Ignored files, and files of git and UBP, are not listed.
    pub files: Vec<ProjectFile>,
    /// Matching files before `limit`.
    pub total: usize,
    /// The first folders, by path, that contain matching files.
    pub folders: Vec<ProjectFolder>,
    /// Folders before `limit`.
    pub total_folders: usize,
    /// One for each of `sources`, in order: how many files it matches, pages included. 0 means that the entry is broken.
    pub matches: Vec<usize>,
}

/// A file of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProjectFile {
    /// Its path relative to the project.
    pub path: String,
    /// What it is to pages.
    pub kind: FileKind,
    /// Its size in bytes.
    pub size: u64,
    /// The address of an attachment on a site, relative to the site's root, percent-encoded; absent for a source.
    pub url: Option<String>,
}

/// A folder of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProjectFolder {
    /// Its path relative to the project, with a `/` at the end.
    pub path: String,
    /// Number of matching files in it and in its folders.
    pub files: usize,
}

/// Lists the files.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for a `limit` out of range, [`crate::Error::Io`] if the project cannot be
/// listed, [`crate::Error::Cancelled`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = budget::ranged("limit", params.limit, 1_000, 0, MOST)?;
    let listed = context.source.sized_sources(&["**".into()])?;
    context.cancel.check()?;
    let paths = || listed.iter().map(|(file, _)| file.as_str());
    let matches = params.sources.iter().map(|source| freshness::count_among(context, source, paths()));
    let matches = matches.collect::<Result<_>>()?;
    let wanted = text::fold_key(&params.text);
    let mut folders = BTreeMap::<&str, usize>::new();
    let (mut files, mut total) = (Vec::new(), 0);
    for (file, size) in &listed {
        let Some(kind) = kind_of(file, context.pages_dir()) else { continue };
        let is_named = || wanted.is_empty() || text::fold_key(file).contains(&wanted);
        if params.kind.is_some_and(|only| only != kind) || !is_named() {
            continue;
        }
        total += 1;
        for (end, _) in file.match_indices('/') {
            *folders.entry(&file[..=end]).or_default() += 1;
        }
        if files.len() < limit {
            let address = || url::encoded(&url::attachment_file(file, context.pages_dir()));
            let url = (kind == FileKind::Attachment).then(address);
            files.push(ProjectFile { path: file.clone(), kind, size: *size, url });
        }
    }
    let total_folders = folders.len();
    let folder = |(path, files): (&str, usize)| ProjectFolder { path: path.to_owned(), files };
    let folders = folders.into_iter().take(limit).map(folder).collect();
    Ok(Output { files, total, folders, total_folders, matches })
}

/// What a file is to pages; `None` for a page.
fn kind_of(file: &str, pages_dir: &str) -> Option<FileKind> {
    if path::is_page(file) && path::is_below(file, pages_dir) {
        return None;
    }
    let is_shown = resolve::is_attachment(file) && !path::is_hidden(file);
    Some(if is_shown { FileKind::Attachment } else { FileKind::Source })
}

/// Shows the files with their sizes.
pub fn show(output: &Output, page: &mut dyn Page) {
    for file in &output.files {
        page.line(&[Span::said(&message!(
            "{file}{label}",
            file = Span::File(&file.path),
            label = Span::faint(&message!("  {size} bytes", size = file.size))
        ))]);
    }
    let total = counted(output.total, "file", "files");
    let folders = counted(output.total_folders, "folder", "folders");
    page.note(&[Span::said(&match output.files.len() {
        shown if shown == output.total => message!("{total} in {folders}", total, folders),
        shown => message!("{total} in {folders}; the first {shown} are shown", total, folders, shown),
    })]);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::index::tests::Project;

    fn project() -> Project {
        let project = Project::with_pages([("auth/login.md", "# Login\n"), ("db.md", "# Database\n")]);
        let files = [
            "pages/auth/login.md",
            "pages/auth/Shot 1.png",
            "src/main.rs",
            "src/auth/login.ts",
            ".github/ci.yml",
            ".github/logo.png",
            "README.md",
        ];
        for file in files {
            project.source.put_source(file, file.as_bytes(), Timestamp::UNIX_EPOCH);
        }
        project
    }

    fn listed(params: Params) -> Output {
        run(&project().context(), params).unwrap()
    }

    fn paths(output: &Output) -> Vec<&str> {
        output.files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn files_that_are_not_pages_are_listed_with_size_kind_and_folders() {
        let output = listed(Params::default());
        let sources = [".github/ci.yml", ".github/logo.png", "README.md"];
        assert_eq!(paths(&output)[..3], sources);
        assert_eq!(paths(&output)[3..], ["pages/auth/Shot 1.png", "src/auth/login.ts", "src/main.rs"]);
        let shot = &output.files[3];
        assert_eq!((shot.kind, shot.size), (FileKind::Attachment, 21));
        assert_eq!(shot.url.as_deref(), Some("auth/Shot%201.png"));
        assert_eq!(output.files[1].kind, FileKind::Source, "a hidden picture has no address");
        let folders: Vec<_> = output.folders.iter().map(|f| (f.path.as_str(), f.files)).collect();
        assert_eq!(
            folders,
            [(".github/", 2), ("pages/", 1), ("pages/auth/", 1), ("src/", 2), ("src/auth/", 1)]
        );
    }

    #[test]
    fn text_and_kind_narrow_the_list() {
        let text = listed(Params { text: "LOGIN".into(), ..Params::default() });
        assert_eq!(paths(&text), ["src/auth/login.ts"]);
        let kind = listed(Params { kind: Some(FileKind::Attachment), ..Params::default() });
        assert_eq!(paths(&kind), ["pages/auth/Shot 1.png"]);
        assert_eq!(listed(Params { text: "nothing".into(), ..Params::default() }).total, 0);
    }

    #[test]
    fn the_limit_does_not_change_the_totals() {
        let output = listed(Params { limit: Some(2), ..Params::default() });
        assert_eq!((output.files.len(), output.total), (2, 6));
        assert_eq!((output.folders.len(), output.total_folders), (2, 5));
        let none = listed(Params { limit: Some(0), ..Params::default() });
        assert_eq!((none.files.len(), none.total), (0, 6));
        assert!(run(&project().context(), Params { limit: Some(50_001), ..Params::default() }).is_err());
    }

    #[test]
    fn matching_files_are_counted_for_each_entry_of_source_refs() {
        let entries = [
            ("src/main.rs", 1),
            ("./src/main.rs", 1),
            ("src", 2),
            ("src/", 2),
            ("src/**/*.ts", 1),
            ("pages/**/*.md", 1),
            ("src/*.py", 0),
            ("lib/", 0),
            ("src/none.rs", 0),
            ("src/[", 0),
            ("../secret", 0),
            ("/etc/passwd", 0),
            ("", 0),
        ];
        let sources = entries.map(|(entry, _)| entry.to_owned()).to_vec();
        let output = listed(Params { sources, limit: Some(0), ..Params::default() });
        assert_eq!(output.matches, entries.map(|(_, count)| count));
    }
}
