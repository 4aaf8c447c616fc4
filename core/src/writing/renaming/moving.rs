//! Moves of files and folders.

use std::collections::{BTreeSet, HashMap, HashSet};

use rusqlite::Connection;

use super::{Move, PageEdits, Project, reach};
use crate::drafts::Drafts;
use crate::globs;
use crate::index::questions::links::concerned;
use crate::message;
use crate::page::{decode, parse};
use crate::writing::links::{Follower, MovedSource, Moves, Renaming, keys};
use crate::{Context, Error, Result, path, text};

/// What moves, and what changes on pages because of it.
pub(crate) struct Planned {
    pub edits: Vec<PageEdits>,
    /// Old and new paths of the pages that move, relative to the pages folder.
    pub pages: Vec<(String, String)>,
    /// Old and new paths of the other files that move, as far as listings of the project contain them; relative to the
    /// project.
    pub files: Vec<(String, String)>,
    /// Paths of pages that would not be pages any more, relative to the pages folder.
    pub leaving: Vec<String>,
}

/// Plans the moves.
///
/// # Errors
/// As [`super::plan_moves`].
pub(crate) fn plan(context: &Context<'_>, moves: &[Move], drafts: &Drafts) -> Result<Planned> {
    let moves = checked(moves)?;
    context.index.read(|db| Plan::new(context, db, &moves, drafts)?.carried_out(db))
}

/// The moves in normal form.
pub(super) fn checked(moves: &[Move]) -> Result<Moves> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut known: HashMap<String, String> = HashMap::new();
    for Move { from, to } in moves {
        let normal = |written: &str| {
            let path =
                path::join("", written).filter(|path| !written.starts_with('/') && path::is_inside(path));
            path.ok_or_else(|| Error::OutsideProject { path: written.to_owned(), folder: "project".into() })
        };
        let (from, to) = (normal(from)?, normal(to)?);
        if let Some(private) = [&from, &to].into_iter().find(|path| path::is_private(path)) {
            return Err(Error::invalid(message!(
                "'{path}' is in a folder of git or UBP; files cannot be moved there or from there",
                path = private
            )));
        }
        if from != to && path::is_below(&to, &from) {
            return Err(Error::invalid(message!(
                "'{from}' cannot be moved into itself, to '{to}'",
                from,
                to
            )));
        }
        match known.insert(from.clone(), to.clone()) {
            None => pairs.push((from, to)),
            Some(other) if other == to => {}
            Some(other) => {
                return Err(Error::invalid(message!(
                    "'{from}' cannot be moved to '{other}' and to '{to}'",
                    from,
                    other,
                    to
                )));
            }
        }
    }
    Ok(Moves::of(pairs))
}

struct Plan<'a, 'd> {
    context: Context<'a>,
    project: Project<'a, 'd>,
    moves: &'d Moves,
    /// Number, old and new path of the pages that move; no new path if the file is not a page any more.
    pages: Vec<(i64, String, Option<String>)>,
    /// Old and new paths of all files that move, relative to the project.
    files: Vec<(String, String)>,
}

impl<'a, 'd> Plan<'a, 'd> {
    fn new(context: &Context<'a>, db: &Connection, moves: &'d Moves, drafts: &'d Drafts) -> Result<Self> {
        let project = Project::new(context, db, drafts)?;
        let dir = context.pages_dir();
        let file = |page: &str| path::join(dir, page).unwrap_or_default();
        let mut all: Vec<(i64, String)> = crate::index::questions::pages::paths(db)?;
        all.extend(
            project
                .open
                .iter()
                .filter(|(_, number)| **number < 0)
                .map(|(path, number)| (*number, path.clone())),
        );
        let mut pages = Vec::new();
        let mut files: Vec<(String, String)> = Vec::new();
        for (number, path) in &all {
            if let Some(to) = moves.moved(&file(path)) {
                let new = page_path(dir, &to);
                files.push((file(path), to));
                pages.push((*number, path.clone(), new));
            }
        }
        let is_page: HashSet<&str> = files.iter().map(|(from, _)| from.as_str()).collect();
        let mut others = Vec::new();
        for from in moves.sources() {
            let listed = if context.source.stat_source(from)?.is_some() {
                vec![from.to_owned()]
            } else {
                context.source.match_sources(&[format!("{}/**", globs::escaped(from))])?
            };
            let listed = listed.into_iter().filter(|file| !is_page.contains(file.as_str()));
            others.extend(
                listed.filter_map(|file| Some((moves.moved(&file)?, file)).map(|(to, file)| (file, to))),
            );
        }
        others.sort();
        others.dedup();
        files.extend(others);
        let plan = Self { context: *context, project, moves, pages, files };
        plan.check_targets(&all)?;
        Ok(plan)
    }

    /// Refuses paths that two files get, or that another file has.
    fn check_targets(&self, pages: &[(i64, String)]) -> Result<()> {
        let mut taken: HashMap<String, &str> = HashMap::new();
        for (from, to) in &self.files {
            if let Some(other) = taken.insert(text::fold_key(to), from) {
                return Err(Error::invalid(message!(
                    "'{from}' and '{other}' cannot both be moved to '{to}'",
                    from,
                    other,
                    to
                )));
            }
        }
        let dir = self.context.pages_dir();
        let stays = |file: &str| self.moves.moved(file).is_none();
        for (_, page) in pages {
            let file = path::join(dir, page).unwrap_or_default();
            if stays(&file) && taken.contains_key(&text::fold_key(&file)) {
                return Err(exists(&file));
            }
        }
        for (_, to) in &self.files {
            if stays(to) && self.context.source.stat_source(to).is_ok_and(|stat| stat.is_some()) {
                return Err(exists(to));
            }
        }
        Ok(())
    }

    fn carried_out(self, db: &Connection) -> Result<Planned> {
        let Self { context, project, moves, pages, files } = self;
        let dir = context.pages_dir();
        let before = project.world(db)?;
        let moved_files = MovedSource::new(context.source, moves);
        let mut after = before.with_files(&moved_files);
        let mut renaming = Renaming { moves: moves.clone(), ..Renaming::default() };
        let (mut renamed, mut names) = (Vec::new(), Vec::new());
        for (number, from, to) in &pages {
            let text = project.text(from)?.map(|text| text.text).unwrap_or_default();
            let parsed = parse(&text, &project.types);
            let old_title = parsed.title.clone().unwrap_or_else(|| path::page_name(from).to_owned());
            names.extend(keys(from, &old_title, &parsed.aliases));
            let Some(to) = to else {
                after.remove(*number);
                continue;
            };
            let title = parsed.title.unwrap_or_else(|| path::page_name(to).to_owned());
            names.extend(keys(to, &title, &parsed.aliases));
            if title != old_title {
                renaming.names.entry(*number).or_default().push((old_title, title.clone()));
            }
            renamed.push((*number, to.clone(), title, parsed.aliases));
        }
        after.rename_all(renamed);
        let known: HashSet<&str> = pages.iter().map(|(_, from, _)| from.as_str()).collect();
        let mut unused = -1 - project.open.len() as i64;
        for (from, to) in &files {
            let Some(page) = page_path(dir, to) else { continue };
            if page_path(dir, from).is_some_and(|from| known.contains(from.as_str())) {
                continue;
            }
            let (text, _) = context.source.read_source(from).map(|bytes| {
                let (text, problems) = decode(&bytes);
                (text.into_owned(), problems)
            })?;
            let (title, aliases) = project.named(&page, &text);
            names.extend(keys(&page, &title, &aliases));
            after.add(unused, &page, &title, &aliases);
            unused -= 1;
        }
        let mut concerned_pages: BTreeSet<i64> = concerned(db, &names)?.into_iter().collect();
        concerned_pages.extend(reach::naming_files(db, dir, moves, &files)?);
        // The text of a file that stops to be a page stays as it is.
        let leaving: HashSet<i64> =
            pages.iter().filter(|(.., to)| to.is_none()).map(|(number, ..)| *number).collect();
        concerned_pages.extend(pages.iter().map(|(number, ..)| *number));
        let mut follower =
            Follower { before, after, renaming: &renaming, types: &project.types, replaced: HashMap::new() };
        let edits = project.follow(&mut follower, concerned_pages, &HashMap::new(), &leaving)?;
        let is_page: HashSet<String> =
            pages.iter().filter_map(|(_, from, to)| to.as_ref().and(path::join(dir, from))).collect();
        let files = files.into_iter().filter(|(from, _)| !is_page.contains(from)).collect();
        let gone = pages.iter().filter(|(.., to)| to.is_none());
        let leaving = gone.map(|(_, from, _)| from.clone()).collect();
        let pages = pages.into_iter().filter_map(|(_, from, to)| Some((from, to?))).collect();
        Ok(Planned { edits, pages, files, leaving })
    }
}

/// The path of a file in the pages folder, if it can be that of a page.
pub(super) fn page_path(pages_dir: &str, file: &str) -> Option<String> {
    let below = match pages_dir {
        "" => file,
        dir => file.strip_prefix(dir)?.strip_prefix('/')?,
    };
    path::can_be_page(below).then(|| below.to_owned())
}

fn exists(file: &str) -> Error {
    Error::invalid(message!("'{file}' already exists; choose another path", file))
}
