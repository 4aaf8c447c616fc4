//! The worktrees of a git repository, found in its files, without running git.

use std::fs;
use std::path::{Path, PathBuf};

/// Limit on the bytes of a reference or `.git` file.
const LONGEST: u64 = 4096;

/// A worktree of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// Its top folder.
    pub top: PathBuf,
    /// The folder that all worktrees of the repository share.
    pub common: PathBuf,
}

impl Worktree {
    /// The worktree around `folder`, an existing folder; `None` outside a repository, and in a submodule.
    pub fn of(folder: &Path) -> Option<Self> {
        let folder = fs::canonicalize(folder).ok()?;
        let top = folder.ancestors().find(|folder| fs::symlink_metadata(folder.join(".git")).is_ok())?;
        Self::at(top)
    }

    /// The worktree whose top folder is `top`.
    fn at(top: &Path) -> Option<Self> {
        let entry = top.join(".git");
        if fs::symlink_metadata(&entry).ok()?.is_dir() {
            let is_repository = entry.join("HEAD").is_file();
            return is_repository.then(|| Self { top: top.into(), common: entry });
        }
        let line = first_line(&entry)?;
        let git_dir = fs::canonicalize(top.join(line.strip_prefix("gitdir: ")?)).ok()?;
        // Anybody can write a file that names a repository. Only the repository says that it has this worktree.
        let back = fs::canonicalize(git_dir.join(first_line(&git_dir.join("gitdir"))?)).ok()?;
        let is_known = back == fs::canonicalize(&entry).ok()?;
        let common = fs::canonicalize(git_dir.join(first_line(&git_dir.join("commondir"))?)).ok()?;
        is_known.then(|| Self { top: top.into(), common })
    }

    /// The other worktrees of the repository that exist.
    pub fn others(&self) -> Vec<Self> {
        let main = self.common.parent().map(Path::to_path_buf);
        let entries = fs::read_dir(self.common.join("worktrees")).into_iter().flatten().flatten();
        let linked = entries.filter_map(|entry| {
            let file = entry.path().join(first_line(&entry.path().join("gitdir"))?);
            fs::canonicalize(file.parent()?).ok()
        });
        let found = main.into_iter().chain(linked).filter_map(|top| Self::at(&top));
        found.filter(|other| other.common == self.common && other.top != self.top).collect()
    }
}

/// The first line of a small file.
pub(crate) fn first_line(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(|line| line.trim_end().to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, arguments: &str) {
        let ran = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"])
            .args(arguments.split(' '))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    }

    #[test]
    fn worktrees_know_each_other_and_only_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let main = base.join("main");
        fs::create_dir_all(main.join("docs")).unwrap();
        git(&main, "init -q");
        git(&main, "commit -q --allow-empty -m x");
        git(&main, "worktree add -q ../second");
        git(&main, "worktree add -q ../third");
        git(&base, "clone -q main clone");
        let tops = |of: &Path| {
            let others = Worktree::of(of).unwrap().others();
            let mut tops: Vec<_> = others.into_iter().map(|other| other.top).collect();
            tops.sort();
            tops
        };
        assert_eq!(Worktree::of(&main.join("docs")).unwrap().top, main);
        assert_eq!(tops(&main.join("docs")), [base.join("second"), base.join("third")]);
        assert_eq!(tops(&base.join("second")), [main.clone(), base.join("third")]);
        assert_eq!(tops(&base.join("clone")), Vec::<PathBuf>::new());
        assert_eq!(Worktree::of(&base), None);
        fs::remove_dir_all(base.join("third")).unwrap();
        assert_eq!(tops(&main), [base.join("second")]);
        // A folder that claims to be a worktree.
        let false_one = base.join("false");
        fs::create_dir(&false_one).unwrap();
        fs::copy(base.join("second/.git"), false_one.join(".git")).unwrap();
        assert_eq!(Worktree::of(&false_one), None);
    }
}
