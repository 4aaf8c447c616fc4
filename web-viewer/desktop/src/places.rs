//! Which project a folder, a file or a link leads to, and what a person has to be asked before.
//!
//! **Invariants**, each tested below
//! - A link opens a project that the person has opened before; any other one only after a question.
//! - Nothing becomes a project without a question, and never the home folder or a folder around it.

use std::fs;
use std::path::{Path, PathBuf};

use ubp_core::Error;
use ubp_core::path;
use ubp_host::Project;
use ubp_host::worktrees::Worktree;

use crate::link::Link;

/// What somebody wants to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// A folder that the person chose.
    Folder(PathBuf),
    /// A Markdown file that the person chose.
    File(PathBuf),
    /// A link; `None` for one that is refused.
    Link(Option<Link>),
}

/// What follows from it.
#[derive(Debug)]
pub enum Outcome {
    /// Show a project, at a page relative to its pages folder.
    Show(PathBuf, Option<String>),
    /// Ask first.
    Ask(Question),
    /// Say why not.
    Refuse(Refusal),
}

/// A question to the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The folder of the project.
    pub folder: PathBuf,
    /// The page to show then.
    pub page: Option<PathBuf>,
    /// Whether the folder has to become a project.
    pub starts: bool,
}

/// Why nothing is opened.
#[derive(Debug)]
pub enum Refusal {
    /// The link is not one that UBP follows.
    BadLink,
    /// There is no such folder or Markdown file.
    NotThere(PathBuf),
    /// A link leads to a folder without a project.
    NoProject(PathBuf),
    /// The home folder, or one around it.
    TooLarge(PathBuf),
    /// The project cannot be read.
    Failed(Error),
}

impl Wanted {
    /// What an argument of the program or the system asks for. `here` is the folder for relative paths.
    pub fn of(argument: &str, here: &Path) -> Self {
        let has_scheme = argument.split_once("://").is_some_and(|(scheme, _)| {
            scheme.len() > 1
                && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        });
        if has_scheme || argument.starts_with("ubp:") {
            let file = tauri::Url::parse(argument).ok().filter(|url| url.scheme() == "file");
            return match file.and_then(|url| url.to_file_path().ok()) {
                Some(path) => Self::at(path),
                None => Self::Link(crate::link::read(argument)),
            };
        }
        Self::at(here.join(argument))
    }

    /// A file or a folder.
    pub fn at(path: PathBuf) -> Self {
        if path.is_dir() { Self::Folder(path) } else { Self::File(path) }
    }

    /// What follows from it. `known` are the projects that the person opened before.
    pub fn outcome(self, known: &[PathBuf], home: Option<&Path>) -> Outcome {
        match self {
            Self::Folder(folder) => chosen(&folder, home),
            Self::File(file) => file_chosen(&file, home),
            Self::Link(None) => Outcome::Refuse(Refusal::BadLink),
            Self::Link(Some(link)) => linked(link, known),
        }
    }
}

fn chosen(folder: &Path, home: Option<&Path>) -> Outcome {
    let Ok(folder) = fs::canonicalize(folder) else {
        return Outcome::Refuse(Refusal::NotThere(folder.to_owned()));
    };
    match Project::find(&folder) {
        Ok(project) => Outcome::Show(project.root, None),
        Err(Error::NoProject { .. }) if is_too_large(&folder, home) => {
            Outcome::Refuse(Refusal::TooLarge(folder))
        }
        Err(Error::NoProject { .. }) => Outcome::Ask(Question { folder, page: None, starts: true }),
        Err(error) => Outcome::Refuse(Refusal::Failed(error)),
    }
}

fn file_chosen(file: &Path, home: Option<&Path>) -> Outcome {
    let found = fs::canonicalize(file).ok().filter(|file| file.is_file() && is_markdown(file));
    let Some((file, folder)) = found.and_then(|file| Some((file.clone(), file.parent()?.to_owned()))) else {
        return Outcome::Refuse(Refusal::NotThere(file.to_owned()));
    };
    match Project::find(&folder) {
        Ok(project) => {
            let page = page_in(&project.pages_dir, &file);
            Outcome::Show(project.root, page)
        }
        Err(Error::NoProject { .. }) => {
            let repository = Worktree::of(&folder).map(|worktree| worktree.top);
            let fits = |folder: &PathBuf| !is_too_large(folder, home);
            match repository.filter(fits).or_else(|| Some(folder.clone()).filter(fits)) {
                Some(folder) => Outcome::Ask(Question { folder, page: Some(file), starts: true }),
                None => Outcome::Refuse(Refusal::TooLarge(folder)),
            }
        }
        Err(error) => Outcome::Refuse(Refusal::Failed(error)),
    }
}

fn linked(link: Link, known: &[PathBuf]) -> Outcome {
    let Ok(folder) = fs::canonicalize(&link.folder) else {
        return Outcome::Refuse(Refusal::NotThere(link.folder));
    };
    if known.contains(&folder) {
        return Outcome::Show(folder, link.page);
    }
    match Project::load(&folder) {
        Ok(project) => {
            let page = link.page.map(|page| project.pages_dir.join(page));
            Outcome::Ask(Question { folder: project.root, page, starts: false })
        }
        Err(_) => Outcome::Refuse(Refusal::NoProject(folder)),
    }
}

/// The page at `file`, relative to the folder of the pages; `None` for a file that is not a page.
pub fn page_in(pages: &Path, file: &Path) -> Option<String> {
    let inside = file.strip_prefix(pages).ok()?.to_str()?;
    crate::link::page_of(&inside.replace(std::path::MAIN_SEPARATOR, "/"))
}

fn is_markdown(file: &Path) -> bool {
    file.file_name().and_then(|name| name.to_str()).is_some_and(path::is_page)
}

/// Whether a folder is the home folder, a folder around it, or the root of a file system.
fn is_too_large(folder: &Path, home: Option<&Path>) -> bool {
    let home = home.map(|home| fs::canonicalize(home).unwrap_or_else(|_| home.to_owned()));
    folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;
    use ubp_host::{InitOptions, SystemClock, init};

    struct Home {
        _folder: tempfile::TempDir,
        home: PathBuf,
    }

    impl Home {
        /// A home folder with a project in `notes`, a repository in `code`, and loose files.
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let home = fs::canonicalize(folder.path()).unwrap();
            for file in [
                "notes/pages/deep/a.md",
                "notes/README.md",
                "code/.git/HEAD",
                "code/docs/b.md",
                "loose/c.md",
                "d.md",
                "e.txt",
            ] {
                let file = home.join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "# A\n").unwrap();
            }
            init(&home.join("notes"), &InitOptions::default(), &SystemClock::default()).unwrap();
            Self { _folder: folder, home }
        }

        fn outcome(&self, wanted: Wanted, known: &[&str]) -> Outcome {
            let known: Vec<PathBuf> = known.iter().map(|name| self.home.join(name)).collect();
            wanted.outcome(&known, Some(&self.home))
        }

        fn file(&self, name: &str) -> Outcome {
            self.outcome(Wanted::of(name, &self.home), &[])
        }

        fn link(&self, folder: &str, known: &[&str]) -> Outcome {
            let link = Link { folder: self.home.join(folder), page: Some("deep/a.md".into()) };
            self.outcome(Wanted::Link(Some(link)), known)
        }
    }

    #[test]
    fn a_file_opens_its_project_at_its_page() {
        let home = Home::new();
        let Outcome::Show(root, page) = home.file("notes/pages/deep/a.md") else { panic!() };
        assert_eq!((root, page.as_deref()), (home.home.join("notes"), Some("deep/a.md")));
        let Outcome::Show(root, page) = home.file("notes/README.md") else { panic!() };
        assert_eq!((root, page), (home.home.join("notes"), None), "it is not among the pages");
        let url = format!("file://{}", home.home.join("notes/pages/deep/a.md").display());
        let Outcome::Show(_, page) = home.file(&url) else { panic!() };
        assert_eq!(page.as_deref(), Some("deep/a.md"));
    }

    #[test]
    fn a_file_without_a_project_asks_for_its_repository_or_its_folder() {
        let home = Home::new();
        let Outcome::Ask(question) = home.file("code/docs/b.md") else { panic!() };
        assert_eq!(
            question,
            Question {
                folder: home.home.join("code"),
                page: Some(home.home.join("code/docs/b.md")),
                starts: true
            }
        );
        let Outcome::Ask(question) = home.file("loose/c.md") else { panic!() };
        assert_eq!((question.folder, question.starts), (home.home.join("loose"), true));
        assert!(!home.home.join("loose/.ubp").exists(), "a question changes nothing");
    }

    #[test]
    fn the_home_folder_and_those_around_it_never_become_projects() {
        let home = Home::new();
        assert!(matches!(home.file("d.md"), Outcome::Refuse(Refusal::TooLarge(_))));
        for folder in [home.home.clone(), home.home.parent().unwrap().to_owned(), "/".into()] {
            assert!(matches!(
                home.outcome(Wanted::Folder(folder), &[]),
                Outcome::Refuse(Refusal::TooLarge(_))
            ));
        }
        // A repository for the settings in a home folder.
        fs::create_dir(home.home.join(".git")).unwrap();
        fs::write(home.home.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let Outcome::Ask(question) = home.file("loose/c.md") else { panic!() };
        assert_eq!(question.folder, home.home.join("loose"));
    }

    #[test]
    fn what_is_not_there_or_not_markdown_is_refused() {
        let home = Home::new();
        for name in ["none.md", "none", "e.txt", "notes/none.md"] {
            assert!(matches!(home.file(name), Outcome::Refuse(Refusal::NotThere(_))), "{name}");
        }
    }

    #[test]
    fn a_folder_below_a_project_opens_the_project() {
        let home = Home::new();
        let Outcome::Show(root, None) = home.file("notes/pages/deep") else { panic!() };
        assert_eq!(root, home.home.join("notes"));
        assert!(matches!(home.file("loose"), Outcome::Ask(Question { starts: true, .. })));
    }

    #[test]
    fn a_link_opens_only_a_known_project_unasked() {
        let home = Home::new();
        let Outcome::Show(root, page) = home.link("notes", &["notes"]) else { panic!() };
        assert_eq!((root, page.as_deref()), (home.home.join("notes"), Some("deep/a.md")));
        let Outcome::Ask(question) = home.link("notes", &["code"]) else { panic!() };
        assert_eq!((question.folder, question.starts), (home.home.join("notes"), false));
        for folder in ["loose", "code", "notes/pages", "", "none"] {
            let outcome = home.link(folder, &["notes"]);
            let is_refused = matches!(outcome, Outcome::Refuse(Refusal::NoProject(_) | Refusal::NotThere(_)));
            assert!(is_refused, "{folder}: {outcome:?}");
        }
        assert!(matches!(
            home.outcome(Wanted::of("ubp://run?path=/", &home.home), &[]),
            Outcome::Refuse(Refusal::BadLink)
        ));
        assert!(matches!(
            home.outcome(Wanted::of("https://example.org/", &home.home), &[]),
            Outcome::Refuse(Refusal::BadLink)
        ));
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_to_a_known_project_is_that_project_and_no_other() {
        let home = Home::new();
        std::os::unix::fs::symlink(home.home.join("notes"), home.home.join("alias")).unwrap();
        assert!(matches!(home.link("alias", &["notes"]), Outcome::Show(..)));
        std::os::unix::fs::symlink(home.home.join("loose"), home.home.join("other")).unwrap();
        assert!(matches!(home.link("other", &["other"]), Outcome::Refuse(Refusal::NoProject(_))));
    }
}
