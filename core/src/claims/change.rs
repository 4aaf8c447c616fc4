//! Claims that were true before a change and are not after it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::extract::{Claim, What};
use super::judge::{First, Judge};
use super::past::{Gone, Wanted};
use super::project::is_build_file;
use super::survey::{BrokenLinks, Claiming, said_by_pages, whereabouts};
use super::words::{LARGEST, key};
use super::{Kind, Missing};
use crate::freshness::{Ends, Moves};
use crate::page::decode;
use crate::ports::{FileStat, Listing, Removing, RevisionSource, Source, Target};
use crate::{Context, Result};

/// Maximum bytes of files that are read from a commit because they differ from those of the working folder.
const MOST_READ: u64 = 256 * 1024 * 1024;

/// A change whose consequences are looked for.
pub(crate) struct Change<'a> {
    /// The newer end.
    pub context: &'a Context<'a>,
    /// With the complete history, and the working folder.
    pub whole: &'a Context<'a>,
    pub ends: &'a Ends<'a>,
    /// Full hash of the commit of the older end.
    pub from: &'a str,
    /// The same of the newer end; `None` for the working folder.
    pub to: Option<&'a str>,
    /// The older paths of pages that it moved, by their newer ones.
    pub moved_pages: &'a BTreeMap<String, String>,
}

/// What the judge has to know of a change.
pub(super) struct Changed<'a> {
    context: &'a Context<'a>,
    whole: &'a Context<'a>,
    ends: &'a Ends<'a>,
}

impl Changed<'_> {
    /// Whether the older end has a symbol in a file that the change edited.
    pub(super) fn had_symbol(&self, file: &str, name: &str) -> bool {
        self.ends.changed.contains(file)
            && self.ends.old.read_source(file).is_ok_and(|bytes| {
                let found = self.context.symbols.find(file, &bytes, &[name]);
                matches!(found.first(), Some(Target::Symbol(_)))
            })
    }

    /// Where a file went.
    pub(super) fn moved_file(&self, file: &str) -> Result<Option<String>> {
        Ok(self.ends.moved_file(self.context.source, self.whole.history, file)?.0)
    }
}

/// The claims that a change made untrue, by page and line, except for links. Lines that are new are left out: they speak of
/// the state after the change. `None` if the newer end differs so much from the working folder that it is not read.
///
/// # Errors
/// [`crate::Error::Io`] if files cannot be listed or version control fails, [`crate::Error::Cancelled`].
pub(crate) fn broken_by(change: &Change<'_>) -> Result<Option<Vec<Missing>>> {
    let nearest = match (change.ends.new, change.to) {
        (Some(new), Some(to)) => Some(Nearest::new(new, to, change.whole)),
        _ => None,
    };
    if let Some(nearest) = &nearest {
        nearest.load(is_build_file)?;
    }
    let source = nearest.as_ref().map_or(change.context.source, |nearest| nearest as &dyn Source);
    let context = &Context { source, ..*change.context };
    let (project, pages, _) = said_by_pages(context, &BrokenLinks::new())?;
    let changed = Changed { context, whole: change.whole, ends: change.ends };
    let mut judge = Judge {
        context,
        project: &project,
        found: HashMap::new(),
        moves: RefCell::new(Moves::of(change.whole)),
        change: Some(&changed),
    };
    let all = || pages.iter().flat_map(|page| page.claims.iter().map(move |claim| (page, claim)));
    let mut wanted = Wanted::default();
    all().for_each(|(page, claim)| judge.want(page, claim, &mut wanted));
    wanted.look_up(change.whole, Removing::Between(change.from, change.to))?;
    let symbols = all().filter_map(|(page, claim)| match &claim.what {
        What::Symbol(named, _) => judge.file_of(page, named),
        _ => None,
    });
    change.ends.old.load(symbols.filter(|file| change.ends.changed.contains(*file)))?;
    // Only what the change took away somewhere is looked for in the rest of the project.
    let mut suspects: Vec<(&Claiming, &Claim)> = Vec::new();
    for (page, claim) in all() {
        context.cancel.check()?;
        if judge.gone(page, claim, &wanted)?.is_some() {
            suspects.push((page, claim));
        }
    }
    if suspects.is_empty() {
        return Ok(Some(Vec::new()));
    }
    if nearest.as_ref().is_some_and(|nearest| nearest.size() > MOST_READ) {
        return Ok(None);
    }
    if let Some(nearest) = &nearest {
        nearest.load(|_| true)?;
    }
    judge.found = whereabouts(context, &project, suspects.iter().map(|(_, claim)| *claim))?;
    let mut told = HashSet::new();
    let mut broken = Vec::new();
    for (page, claim) in suspects {
        context.cancel.check()?;
        if matches!(judge.first(page, claim)?, First::Absent)
            && let Some(gone) = judge.gone(page, claim, &wanted)?
            && change.is_older(page, claim)
            // A section says it once.
            && told.insert((&page.page, claim.section, &claim.text))
        {
            broken.push((page, claim, gone));
        }
    }
    let commits = change.commits(&judge, &broken)?;
    let mut missing = Vec::new();
    for (page, claim, gone) in broken {
        missing.push(Missing {
            page: page.page.clone(),
            line: claim.line,
            kind: claim.kind,
            text: claim.text.clone(),
            revision: taken_away(&judge, page, claim, &gone, &commits)?,
            now: judge.now(page, claim, &gone)?,
        });
    }
    missing.sort_by(|a, b| (&a.page, a.line, &a.text).cmp(&(&b.page, b.line, &b.text)));
    Ok(Some(missing))
}

/// The commit of a change that took a thing away.
fn taken_away(
    judge: &Judge<'_>,
    page: &Claiming,
    claim: &Claim,
    gone: &Gone,
    commits: &Wanted,
) -> Result<Option<crate::ports::Revision>> {
    let found = match (&claim.what, claim.kind) {
        (What::Symbol(_, name), Kind::Symbol) => {
            let found = commits.gone_name(&last_name(name)).cloned();
            found.filter(|found| found.file == gone.file).or(judge.gone(page, claim, commits)?)
        }
        _ => judge.gone(page, claim, commits)?,
    };
    Ok(found.and_then(|found| found.revision))
}

/// The key of the last part of the name of a symbol.
fn last_name(name: &str) -> String {
    key(name.rsplit('.').next().unwrap_or(name))
}

impl Change<'_> {
    /// Whether the line of a claim stood on the page before.
    fn is_older(&self, page: &Claiming, claim: &Claim) -> bool {
        let line = |text: &str| text.lines().nth(claim.line - 1).map(|line| line.trim().to_owned());
        let old = self.moved_pages.get(&page.page).unwrap_or(&page.page);
        let (Ok(now), Ok(then)) = (self.context.source.read(&page.page), self.ends.old.read(old)) else {
            return false;
        };
        let ((now, _), (then, _)) = (decode(&now), decode(&then));
        line(&now).is_some_and(|line| then.lines().any(|old| old.trim() == line))
    }

    /// Which commits of the change took things away. What is not committed is known without a commit.
    fn commits(&self, judge: &Judge<'_>, broken: &[(&Claiming, &Claim, Gone)]) -> Result<Wanted> {
        let mut commits = Wanted::default();
        for (page, claim, _) in broken {
            judge.want(page, claim, &mut commits);
            if let What::Symbol(_, name) = &claim.what {
                commits.name(&last_name(name));
            }
        }
        if self.to.is_none()
            && let Some(head) = self.whole.history.head()?
        {
            commits.look_up(self.whole, Removing::Between(&head, None))?;
        }
        commits.look_up(self.whole, Removing::Commits(self.from, self.to))?;
        Ok(commits)
    }
}

/// The files of a commit, read from the working folder where they are the same.
struct Nearest<'a> {
    commit: &'a RevisionSource<'a>,
    disk: &'a dyn Source,
    /// The files of the commit that differ from those of the working folder.
    differing: BTreeSet<&'a str>,
}

impl<'a> Nearest<'a> {
    fn new(commit: &'a RevisionSource<'a>, id: &str, whole: &'a Context<'a>) -> Self {
        // Without a working folder, everything differs.
        let differing = whole.history.changed_since(id).ok();
        let differs = |file: &&String| differing.as_ref().is_none_or(|differing| differing.contains(*file));
        let files = commit.files().iter().filter(|(file, stat)| differs(file) && stat.size <= LARGEST);
        Self { commit, disk: whole.source, differing: files.map(|(file, _)| file.as_str()).collect() }
    }

    /// In bytes, what has to be read from the commit.
    fn size(&self) -> u64 {
        self.differing.iter().filter_map(|file| self.commit.files().get(*file)).map(|file| file.size).sum()
    }

    /// Reads those files in one step.
    fn load(&self, is_wanted: impl Fn(&str) -> bool) -> Result<()> {
        self.commit.load(self.differing.iter().copied().filter(|file| is_wanted(file)))
    }
}

impl Source for Nearest<'_> {
    fn list(&self) -> Result<Listing> {
        self.commit.list()
    }

    fn stat(&self, path: &str) -> Result<Option<FileStat>> {
        self.commit.stat(path)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>> {
        self.commit.read(path)
    }

    fn stat_source(&self, path: &str) -> Result<Option<FileStat>> {
        self.commit.stat_source(path)
    }

    fn read_source(&self, path: &str) -> Result<Vec<u8>> {
        match self.differing.contains(path) || !self.commit.files().contains_key(path) {
            true => self.commit.read_source(path),
            false => self.disk.read_source(path).or_else(|_| self.commit.read_source(path)),
        }
    }

    fn match_sources(&self, globs: &[String]) -> Result<Vec<String>> {
        self.commit.match_sources(globs)
    }

    fn read_state(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.commit.read_state(name)
    }
}
