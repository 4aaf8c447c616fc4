//! Notion's exports in the format "Markdown & CSV". A page is a file whose name ends with its id, and its subpages are in
//! a folder of the same name. A database is a CSV file, and its rows are pages in the folder of that name.

mod blocks;
mod layout;
mod mentions;
pub(super) mod names;
mod page;
mod relations;
mod table;
mod values;
mod views;

use std::collections::{BTreeMap, HashSet};

use super::draft::{Draft, Drafts, Line, leave_out, lines};
use super::settle::{self, Meaning, Meant};
use super::tree::Tree;
use super::{Notice, NoticeKind, ReadFile, front_matter};
use crate::page::{LinkKind, Site as LinkSite, Syntax, decode};
use crate::progress::Cancel;
use crate::{Result, message, path, word};

use layout::{Owners, Paths, Site, key};
use names::{id_in_path, split_id};
use page::Exported;
use table::Table;

/// Notion's title of pages without one.
const UNTITLED: &str = "Untitled";

/// A database: its files and its table.
#[derive(Default)]
struct Database {
    /// Paths of its files in the export: the one with all rows last.
    files: Vec<String>,
    table: Table,
}

/// Converts the export in `tree`; `read` takes paths relative to its root.
pub(super) fn convert(
    tree: &Tree,
    read: &ReadFile<'_>,
    into: &str,
    cancel: &Cancel,
) -> Result<(Drafts, Paths)> {
    let mut drafts = Drafts::default();
    let (mut left, mut others) = (Vec::new(), Vec::new());
    let mut sources: BTreeMap<&str, Vec<Line>> = BTreeMap::new();
    let mut databases: BTreeMap<&str, Database> = BTreeMap::new();
    for file in &tree.files {
        cancel.check()?;
        if file.split('/').any(|part| part.starts_with('.') || matches!(part, "node_modules" | "__MACOSX")) {
            left.push((file.clone(), word!("a hidden file or one of the system")));
        } else if path::is_page(file) {
            sources.insert(file, lines(&decode(&read(file)?).0));
        } else if file.ends_with(".csv") && id_in_path(file).is_some() {
            let database = databases.entry(key(file)).or_default();
            // `_all` sorts after the file with the rows of one view.
            database.table = Table::read(&decode(&read(file)?).0);
            database.files.push(file.clone());
        } else {
            others.push(file);
        }
    }
    leave_out(&mut drafts.notices, &left);
    for database in databases.values() {
        if let (Some(line), Some(file)) = (database.table.damaged, database.files.last()) {
            drafts.notice(NoticeKind::LeftOut, file, line, message!("this row could not be read"));
        }
    }

    let keys = sources.keys().map(|file| key(file)).chain(databases.keys().copied());
    let owners = Owners::new(keys);
    let table_of = |file: &str| {
        owners.of(path::folder(file)).filter(|key| databases.contains_key(key)).map(str::to_owned)
    };
    let mut pages: BTreeMap<String, Exported> = BTreeMap::new();
    let mut rows: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, lines) in sources {
        let of = table_of(file);
        let columns = of
            .as_deref()
            .and_then(|key| databases.get(key))
            .map(|database| database.table.columns.as_slice());
        let name = split_id(path::page_name(file)).0;
        pages.insert(file.to_owned(), Exported::read(name, lines, columns.unwrap_or_default()));
        if let Some(key) = of {
            rows.entry(key).or_default().push(file.to_owned());
        }
    }
    let databases_and_pages = (databases.len(), pages.len());
    let titles: HashSet<String> = pages.values().map(|page| page.title.clone()).collect();
    let all: HashSet<&str> = titles.iter().map(String::as_str).collect();
    for (key, database) in &mut databases {
        let own = rows.entry((*key).to_owned()).or_default();
        settle(database, own, &all, &pages);
        if !own.is_empty() {
            complete(database, own, &[], &mut pages);
        }
    }
    // What each database lists: its own pages, and those of another database that it is a view of.
    let mut listed = rows.clone();
    let shown = views::Shown::new(&databases, &rows, &pages);
    let views: Vec<(&str, views::Found)> = databases
        .iter()
        .filter(|(key, _)| rows.get(**key).is_none_or(Vec::is_empty))
        .map(|(key, database)| (*key, shown.rows(&database.table, &pages)))
        .collect();
    for (key, found) in views {
        let (Some(database), Some(own)) = (databases.get(key), rows.get_mut(key)) else { continue };
        complete(database, own, &found.rows, &mut pages);
        listed.insert(key.to_owned(), own.iter().cloned().chain(found.files).collect());
    }
    for (key, own) in &rows {
        listed.entry(key.clone()).or_default().extend(own.iter().cloned());
    }
    listed.values_mut().for_each(|files| {
        files.sort();
        files.dedup();
    });

    let mut paths = Paths::below(into);
    place(&owners, &pages, &databases, &mut paths);
    for file in others {
        let place = paths.place_file(&owners, file);
        drafts.files.push((file.clone(), place));
    }
    let empty = Table::default();
    for (file, page) in &pages {
        cancel.check()?;
        let of = rows.iter().find(|(_, own)| own.binary_search(file).is_ok()).map(|(key, _)| key.as_str());
        let table = of.and_then(|key| databases.get(key)).map_or(&empty, |database| &database.table);
        // A row without a page is in its table.
        let from = file.split_once(".csv#").map_or(file.as_str(), |(table, _)| &file[..table.len() + 4]);
        let site = Site { from, tree, paths: &paths };
        let fields = page::fields(&page.properties, table, &site, page.line, &mut drafts);
        let mut all = front_matter::block(&fields, page.line);
        all.extend(blocks::converted(page.lines.clone()));
        let place = paths.pages.get(file).cloned().unwrap_or_default();
        let draft = mentions::mended(Draft::new(from, &place, &all), &site);
        let draft = addressed(draft, &site, &mut drafts);
        drafts.pages.push(draft);
    }
    for (key, database) in &databases {
        let own = listed.get(*key).map(Vec::as_slice).unwrap_or_default();
        drafts.pages.extend(page_of(database, own, &pages, &paths));
    }
    let (number, with_file) = databases_and_pages;
    drafts.made_of =
        vec![("pages", with_file), ("databases", number), ("rows without a page", pages.len() - with_file)];
    drafts.pages.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((drafts, paths))
}

/// Finds the column of titles of a database, and the types of all columns. `own` are the files of its pages, `all` the
/// titles of all pages.
fn settle(database: &mut Database, own: &[String], all: &HashSet<&str>, pages: &BTreeMap<String, Exported>) {
    let known: Vec<&Exported> = own.iter().filter_map(|file| pages.get(file)).collect();
    let titles: HashSet<&str> = known.iter().map(|page| page.title.as_str()).collect();
    let properties: Vec<&[(String, String)]> = known.iter().map(|page| page.properties.as_slice()).collect();
    database.table.settle(if own.is_empty() { all } else { &titles }, &properties);
}

/// Adds pages for the rows of a database that have none and are not `elsewhere`. `own` are the files of its pages, in
/// order.
fn complete(
    database: &Database,
    own: &mut Vec<String>,
    elsewhere: &[usize],
    pages: &mut BTreeMap<String, Exported>,
) {
    let known: Vec<&Exported> = own.iter().filter_map(|file| pages.get(file)).collect();
    let titles: Vec<&str> = known.iter().map(|page| page.title.as_str()).collect();
    let table = &database.table;
    let Some(file) = database.files.last() else { return };
    let mut added = Vec::new();
    let missing = table.without_page(&titles).into_iter().filter(|row| !elsewhere.contains(&row.line));
    for (at, row) in missing.enumerate() {
        let title = table.title_of(row);
        let lines =
            vec![Line::new(row.line, format!("# {}", if title.is_empty() { UNTITLED } else { title }))];
        let mut page = Exported::read("", lines, &[]);
        page.properties = table.properties(row);
        page.line = row.line;
        // A path that no file has, as the start of the relative paths in the row, in the order of rows.
        added.push((format!("{file}#{at:06}.md"), page));
    }
    own.extend(added.iter().map(|(file, _)| file.clone()));
    own.sort();
    pages.extend(added);
}

/// Gives pages and databases their paths: those of a folder before those below it.
fn place(
    owners: &Owners,
    pages: &BTreeMap<String, Exported>,
    databases: &BTreeMap<&str, Database>,
    paths: &mut Paths,
) {
    let from_pages = pages.iter().map(|(file, page)| (file.as_str(), page.title.as_str(), None));
    let from_tables = databases.iter().filter_map(|(key, database)| {
        let name = split_id(path::file_name(key)).0;
        let title = if name.is_empty() { UNTITLED } else { name };
        Some((database.files.first()?.as_str(), title, Some(database)))
    });
    let mut all: Vec<(&str, &str, Option<&Database>)> = from_pages.chain(from_tables).collect();
    // Rows without a page belong below their database, whose path must be known.
    all.sort_by_key(|(file, ..)| (file.matches('/').count(), file.contains(".csv#"), *file));
    for (file, title, database) in all {
        let below = file
            .split_once(".csv#")
            .map(|(table, _)| format!("{}/{}", key(&format!("{table}.csv")), path::file_name(file)));
        let place = paths.place(owners, below.as_deref().unwrap_or(file), &mentions::plain(title));
        paths.alias(file, &place);
        for other in database.iter().flat_map(|database| &database.files) {
            paths.alias(other, &place);
        }
    }
}

/// The page of a database: a list of its rows, in the order of its file.
fn page_of(
    database: &Database,
    own: &[String],
    pages: &BTreeMap<String, Exported>,
    paths: &Paths,
) -> Option<Draft> {
    let file = database.files.last()?;
    let name = split_id(path::file_name(key(file))).0;
    let mut lines =
        vec![Line::new(1, format!("# {}", if name.is_empty() { UNTITLED } else { name })), Line::new(1, "")];
    let order = |file: &str| {
        let title = pages.get(file).map_or("", |page| page.title.as_str());
        let at = |value: &&table::Row| database.table.title_of(value) == title;
        database.table.rows.iter().position(|row| at(&row)).unwrap_or(usize::MAX)
    };
    let mut sorted: Vec<(usize, &String)> = own.iter().map(|file| (order(file), file)).collect();
    sorted.sort();
    for (at, file) in sorted {
        let Some(page) = pages.get(file) else { continue };
        let origin = database.table.rows.get(at).map_or(1, |row| row.line);
        let target = settle::destination(&path::relative(path::folder(database.files.last()?), file));
        let title = mentions::escaped(&mentions::plain(&page.title));
        lines.push(Line::new(origin, format!("- [{title}]({target})")));
    }
    let place = paths.pages.get(file)?;
    Some(Draft::new(file, place, &lines))
}

/// The draft with addresses at Notion of pages in the export replaced by their paths in the export.
fn addressed(draft: Draft, site: &Site<'_>, drafts: &mut Drafts) -> Draft {
    let mut splices = Vec::new();
    for address in settle::addresses(&draft.text) {
        let line = draft.origin(address.line);
        match site.file(&address.url) {
            Some(file) => {
                let target = settle::destination(&path::relative(path::folder(site.from), file));
                splices.push((address.range, target));
            }
            None if names::id_in_url(&address.url).is_some()
                || address.url.contains("notion.soundefined") =>
            {
                let message = message!(
                    "{address} leads to a page of Notion that is not in the export",
                    address = address.url
                );
                drafts.notices.push(Notice {
                    kind: NoticeKind::Broken,
                    file: site.from.into(),
                    line: Some(line),
                    message,
                });
            }
            None => {}
        }
    }
    match crate::writing::links::spliced(&draft.text, &splices) {
        Some(text) => Draft { text, ..draft },
        None => draft,
    }
}

impl Meaning for (&Tree, &Paths) {
    fn of(&self, draft: &Draft, site: &LinkSite) -> Meant {
        let (tree, paths) = self;
        let from = Site { from: &draft.from, tree, paths };
        if site.syntax == Syntax::Wiki {
            // Properties are written with new paths.
            let target = format!("{}.md", site.target);
            return match site.kind {
                LinkKind::FrontMatter if paths.has_page(&target) => Meant::Page(target),
                LinkKind::FrontMatter if paths.has_file(&site.target) => Meant::File(site.target.clone()),
                _ => Meant::Elsewhere,
            };
        }
        match from.file(&site.target) {
            Some(file) => match (paths.pages.get(file), paths.files.get(file)) {
                (Some(place), _) => Meant::Page(place.clone()),
                (_, Some(place)) => Meant::File(place.clone()),
                _ => Meant::Broken,
            },
            None => Meant::Broken,
        }
    }
}
