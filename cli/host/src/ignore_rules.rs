//! Ignored paths of a project, by `.gitignore` and `.ubpignore`. Deeper files override shallower ones, and `.ubpignore`
//! overrides `.gitignore`. The user's global ignore file does not apply, because all clones of a project must have the
//! same pages.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use ubp_core::message::Message;
use ubp_core::ports::FileStat;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::disk::file_stat;

/// Names of ignore files.
pub(super) const RULE_FILES: [&str; 2] = [".ubpignore", ".gitignore"];

/// Whether this is the name of an ignore file.
pub(crate) fn is_rule_file(name: &str) -> bool {
    RULE_FILES.contains(&name)
}

/// The rules that apply in a folder: its own and those of the folders above it.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules(Option<Arc<Level>>);

#[derive(Debug)]
struct Level {
    ubp: Arc<Gitignore>,
    git: Arc<Gitignore>,
    exclude: Arc<Gitignore>,
    is_repository: bool,
    above: Rules,
}

/// An ignore file with an error.
pub(super) type Broken = (PathBuf, Message);

/// Ignore files that were parsed before, so that asking about one file after another does not parse them each time.
#[derive(Debug, Default)]
pub(super) struct Parsed(Mutex<HashMap<PathBuf, ParsedFile>>);

#[derive(Debug, Clone)]
struct ParsedFile {
    stat: FileStat,
    rules: Arc<Gitignore>,
    errors: Vec<Message>,
}

/// A file that was written so recently may be written again without a visible change of its state.
const SETTLED: Duration = Duration::from_secs(2);

impl Parsed {
    /// The rules of a file, relative to `folder`; empty if the file does not exist.
    fn read(&self, folder: &Path, file: &str, broken: &mut Vec<Broken>) -> Arc<Gitignore> {
        let path = folder.join(file);
        // Not symbolic links, which git does not follow either, and not pipes.
        let Some(metadata) = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file) else {
            return Arc::new(Gitignore::empty());
        };
        let stat = file_stat(&metadata);
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = files.get(&path).filter(|known| known.stat == stat).cloned();
        let parsed = known.unwrap_or_else(|| {
            let parsed = ParsedFile::read(folder, &path, stat);
            let age = metadata.modified().ok().and_then(|at| SystemTime::now().duration_since(at).ok());
            if age.is_some_and(|age| age > SETTLED) {
                files.insert(path.clone(), parsed.clone());
            }
            parsed
        });
        broken.extend(parsed.errors.into_iter().map(|error| (path.clone(), error)));
        parsed.rules
    }
}

impl ParsedFile {
    fn read(folder: &Path, path: &Path, stat: FileStat) -> Self {
        let mut builder = GitignoreBuilder::new(folder);
        let mut errors: Vec<_> = builder.add(path).into_iter().collect();
        let rules = builder.build().unwrap_or_else(|error| {
            errors.push(error);
            Gitignore::empty()
        });
        let errors = errors.into_iter().map(|error| Message::reported(error.to_string())).collect();
        Self { stat, rules: Arc::new(rules), errors }
    }
}

/// The topmost folder whose rules apply: the repository of `root`, otherwise `root`.
pub(super) fn top(root: &Path) -> &Path {
    root.ancestors().find(|folder| fs::symlink_metadata(folder.join(".git")).is_ok()).unwrap_or(root)
}

impl Rules {
    /// The rules that apply in `folder`, starting from `top`.
    pub(super) fn of(top: &Path, folder: &Path, parsed: &Parsed) -> Self {
        let mut folders: Vec<&Path> =
            folder.ancestors().take_while(|ancestor| ancestor.starts_with(top)).collect();
        folders.reverse();
        let enter = |rules: Self, folder| rules.enter(folder, parsed, &mut Vec::new());
        folders.into_iter().fold(Self::default(), enter)
    }

    /// The rules that apply in `folder`, a direct subfolder.
    pub(super) fn enter(&self, folder: &Path, parsed: &Parsed, broken: &mut Vec<Broken>) -> Self {
        let [ubp, git] = RULE_FILES.map(|name| parsed.read(folder, name, broken));
        let is_repository = fs::symlink_metadata(folder.join(".git")).is_ok();
        if ubp.is_empty() && git.is_empty() && !is_repository {
            return self.clone();
        }
        let exclude = parsed.read(folder, ".git/info/exclude", broken);
        Self(Some(Arc::new(Level { ubp, git, exclude, is_repository, above: self.clone() })))
    }

    /// Whether there are none, so nothing is ignored.
    pub(super) fn are_none(&self) -> bool {
        self.0.is_none()
    }

    /// Whether `path`, directly in the folder of these rules, is ignored.
    pub(super) fn exclude(&self, path: &Path, is_dir: bool) -> bool {
        let decision = |rules: &Gitignore| match rules.matched(path, is_dir) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        };
        // Rules of a repository do not apply in a nested one.
        let mut exclude = None;
        let mut git = None;
        for level in self.levels() {
            git = decision(&level.git);
            if level.is_repository {
                exclude = decision(&level.exclude);
            }
            if git.is_some() || level.is_repository {
                break;
            }
        }
        self.levels().find_map(|level| decision(&level.ubp)).or(git).or(exclude).unwrap_or(false)
    }

    fn levels(&self) -> impl Iterator<Item = &Level> {
        std::iter::successors(self.0.as_deref(), |level| level.above.0.as_deref())
    }
}

/// The rules of a commit, by folder. Paths are relative to the repository.
#[derive(Debug, Default)]
pub(super) struct CommittedRules(BTreeMap<String, CommittedLevel>);

#[derive(Debug)]
struct CommittedLevel {
    ubp: Gitignore,
    git: Gitignore,
}

impl CommittedRules {
    /// Adds the ignore file at `path`.
    pub(super) fn add(&mut self, path: &str, text: &[u8]) {
        let folder = ubp_core::path::folder(path);
        let mut builder = GitignoreBuilder::new(folder);
        for line in String::from_utf8_lossy(text).trim_start_matches('\u{feff}').lines() {
            // An invalid line is ignored; the listing of files on disk reports it.
            let _ = builder.add_line(None, line);
        }
        let rules = builder.build().unwrap_or_else(|_| Gitignore::empty());
        let empty = || CommittedLevel { ubp: Gitignore::empty(), git: Gitignore::empty() };
        let level = self.0.entry(folder.to_owned()).or_insert_with(empty);
        let slot = if path.ends_with(RULE_FILES[0]) { &mut level.ubp } else { &mut level.git };
        *slot = rules;
    }

    /// The topmost ignored folder of the file at `path`, or the file itself.
    pub(super) fn ignored<'p>(&self, path: &'p str) -> Option<&'p str> {
        if self.0.is_empty() {
            return None;
        }
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.filter_map(|end| path.get(..end)).find(|place| self.exclude(place, place.len() < path.len()))
    }

    fn exclude(&self, path: &str, is_dir: bool) -> bool {
        let decision = |rules: &Gitignore| match rules.matched(path, is_dir) {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        };
        let mut folder = path;
        let (mut ubp, mut git) = (None, None);
        while !folder.is_empty() {
            folder = ubp_core::path::folder(folder);
            if let Some(level) = self.0.get(folder) {
                ubp = ubp.or_else(|| decision(&level.ubp));
                git = git.or_else(|| decision(&level.git));
            }
        }
        ubp.or(git).unwrap_or(false)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn deeper_files_override_shallower_ones_and_ubpignore_overrides_gitignore() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join(".gitignore"), "*.tmp.md\n/only-top.md\nout/\n").unwrap();
        fs::write(root.join("a/.gitignore"), "!kept.tmp.md\n").unwrap();
        fs::write(root.join(".ubpignore"), "!out/\nprivate.md\n").unwrap();
        let parsed = Parsed::default();
        let rules = Rules::of(root, &root.join("a/b"), &parsed);
        let excludes = |path: &str, is_dir| rules.exclude(&root.join("a/b").join(path), is_dir);
        assert!(excludes("x.tmp.md", false));
        assert!(!excludes("kept.tmp.md", false));
        assert!(!excludes("only-top.md", false));
        assert!(excludes("private.md", false));
        assert!(!excludes("out", true));
        assert!(Rules::of(root, root, &parsed).exclude(&root.join("only-top.md"), false));

        let mut committed = CommittedRules::default();
        for path in [".gitignore", "a/.gitignore", ".ubpignore"] {
            committed.add(path, &fs::read(root.join(path)).unwrap());
        }
        for (path, expected) in [
            ("a/b/x.tmp.md", Some("a/b/x.tmp.md")),
            ("a/b/kept.tmp.md", None),
            ("only-top.md", Some("only-top.md")),
            ("a/only-top.md", None),
            ("a/private.md/deep/x.md", Some("a/private.md")),
            ("out/x.md", None),
        ] {
            assert_eq!(committed.ignored(path), expected, "{path}");
        }
    }

    #[test]
    fn an_inner_repository_has_its_own_rules() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::create_dir_all(root.join(".git/info")).unwrap();
        fs::create_dir_all(root.join("sub/.git")).unwrap();
        fs::write(root.join(".gitignore"), "a.md\n").unwrap();
        fs::write(root.join(".git/info/exclude"), "b.md\nc.md\n").unwrap();
        assert_eq!(top(&root.join("sub")), root.join("sub"));
        let parsed = Parsed::default();
        let (outer, inner) = (Rules::of(root, root, &parsed), Rules::of(root, &root.join("sub"), &parsed));
        for name in ["a.md", "b.md"] {
            assert!(outer.exclude(&root.join(name), false));
            assert!(!inner.exclude(&root.join("sub").join(name), false));
        }
    }
    #[test]
    fn a_changed_file_is_parsed_again_and_an_error_is_told_each_time() {
        let dir = tempfile::tempdir().unwrap();
        let (root, file) = (dir.path(), dir.path().join(".gitignore"));
        let parsed = Parsed::default();
        let written = |text: &str, seconds_ago: u64| {
            fs::write(&file, text).unwrap();
            let at = SystemTime::now() - Duration::from_secs(seconds_ago);
            fs::File::options().append(true).open(&file).unwrap().set_modified(at).unwrap();
        };
        let asked = |name: &str| {
            let mut broken = Vec::new();
            let rules = Rules::default().enter(root, &parsed, &mut broken);
            (rules.exclude(&root.join(name), false), broken.len())
        };
        written("a.md\n[z-a]\n", 60);
        assert_eq!([asked("a.md"), asked("a.md"), asked("b.md")], [(true, 1), (true, 1), (false, 1)]);
        assert_eq!(parsed.0.lock().unwrap().len(), 1);
        written("b.md\n", 30);
        assert_eq!([asked("a.md"), asked("b.md")], [(false, 0), (true, 0)]);
        // Same size, and possibly the same time.
        written("c.md\n", 0);
        assert_eq!(asked("c.md"), (true, 0));
        written("d.md\n", 0);
        assert_eq!([asked("c.md"), asked("d.md")], [(false, 0), (true, 0)]);
        fs::remove_file(&file).unwrap();
        assert_eq!(asked("d.md"), (false, 0));
    }
}
