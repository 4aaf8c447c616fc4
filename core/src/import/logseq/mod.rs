//! Graphs of Logseq: Markdown files that are outlines. A file has the properties of its page, and blocks with their own
//! properties and ids.

mod block;
mod fields;
mod inline;
mod names;
mod org;
mod page;

use std::collections::{BTreeMap, HashMap};

use super::draft::{Draft, Drafts, Line, leave_out, lines};
use super::front_matter;
use super::places::{Places, below, linkable_stem, valid_name, valid_path};
use super::settle::{self, Meaning, Meant};
use super::tree::Tree;
use super::{Notice, NoticeKind, ReadFile};
use crate::page::{LinkKind, Site, Syntax, decode};
use crate::progress::Cancel;
use crate::{Result, message, path, text, word};

use inline::{Found, Graph, Target};
use page::Source;

/// The pages of a graph by what leads to them.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// New path by folded name or alias.
    pages: HashMap<String, String>,
    /// New path by path in the graph, of pages and of other files.
    by_file: HashMap<String, String>,
    /// New path by new path without its ending.
    by_stem: HashMap<String, String>,
    files: HashMap<String, String>,
    /// The same paths the other way round.
    old_files: HashMap<String, String>,
    /// Path in the graph of pages in Org mode, by folded name.
    org_pages: HashMap<String, String>,
    blocks: HashMap<String, Home>,
}

/// Where a block is.
#[derive(Debug)]
enum Home {
    /// On the page at this new path, with this text.
    Block(String, String),
    /// It is the page at this new path, with this name.
    Page(String, String),
    /// In this file of the graph, which is in Org mode, with this name.
    File(String, String),
}

/// Converts the graph in `tree`; `read` takes paths relative to its root.
pub(super) fn convert(
    tree: &Tree,
    read: &ReadFile<'_>,
    into: &str,
    cancel: &Cancel,
) -> Result<(Drafts, Names)> {
    let mut drafts = Drafts::default();
    let mut left = Vec::new();
    let mut places = Places::default();
    let mut names = Names::default();
    let format = match tree.find("logseq/config.edn") {
        Some(config) => names::title_format(&decode(&read(config)?).0),
        None => names::title_format(""),
    };
    let mut sources: Vec<(&str, String, Source)> = Vec::new();
    for file in &tree.files {
        cancel.check()?;
        if let Some(reason) = reason_to_leave(file) {
            left.push((file.clone(), reason));
        } else if path::is_page(file) {
            let mut source = Source::read(file, lines(&decode(&read(file)?).0));
            let place = place(file, &mut source, &format, into, &mut places);
            sources.push((file, place, source));
        } else {
            let folder = below(into, &valid_path(path::folder(file)));
            let place = places.take_file(&folder, path::file_name(file));
            if file.ends_with(".org") {
                let message = message!("a page in Org mode, copied as a file: UBP reads Markdown");
                drafts.notices.push(Notice::file(NoticeKind::KeptAsText, file, message));
                names.add_org(file, &decode(&read(file)?).0, &format);
            }
            names.files.insert(file.clone(), place.clone());
            names.old_files.insert(place.clone(), file.clone());
            drafts.files.push((file.clone(), place));
        }
    }
    leave_out(&mut drafts.notices, &left);
    for (file, place, source) in &sources {
        names.add(file, place, source);
    }
    // A page's own name wins over an alias of another.
    for (_, place, source) in &sources {
        for alias in source.aliases.iter().chain(&source.own_names) {
            names.pages.entry(text::fold_key(alias)).or_insert_with(|| place.clone());
        }
    }
    let journals = sources.iter().filter(|(file, ..)| file.starts_with("journals/")).count();
    drafts.made_of = vec![("pages", sources.len() - journals), ("journals", journals)];
    for (file, place, source) in sources {
        cancel.check()?;
        let seen = Seen { names: &names, tree, from: file };
        let draft = draft(&place, source, seen, &mut drafts);
        drafts.pages.push(draft);
    }
    drafts.pages.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((drafts, names))
}

fn reason_to_leave(file: &str) -> Option<&'static str> {
    let first = file.split('/').next().unwrap_or_default();
    match first {
        "logseq" => Some(word!("settings and backups of Logseq")),
        "whiteboards" => Some(word!("a whiteboard: only Logseq can show it")),
        "version-files" => Some(word!("backups of Logseq")),
        _ if file.split('/').any(|part| part.starts_with('.')) => Some(word!("a hidden file")),
        _ if file.split('/').any(|part| matches!(part, "node_modules" | "__MACOSX")) => {
            Some(word!("not notes"))
        }
        _ => None,
    }
}

/// The new path of the page in `file`, by its name. A journal gets its date, and its title as an alias.
fn place(file: &str, source: &mut Source, format: &str, into: &str, places: &mut Places) -> String {
    let rest = file.strip_prefix("pages/").unwrap_or(file);
    if let (Some(date), true) = (names::date_of(file), file.starts_with("journals/")) {
        if !source.is_titled {
            source.name = names::formatted(date, format);
        }
        source.aliases.insert(0, source.name.clone());
        source.is_titled = false;
        return places.take(&below(into, "journals"), &date.to_string(), ".md");
    }
    let folder = below(into, &valid_path(path::folder(rest)));
    let mut parts: Vec<&str> =
        source.name.split('/').map(str::trim).filter(|part| !part.is_empty()).collect();
    let name = parts.pop().unwrap_or("untitled");
    let folder = parts.iter().fold(folder, |folder, part| below(&folder, &valid_name(part)));
    let place = places.take(&folder, &linkable_stem(name), ".md");
    let by_path = text::fold_key(path::without_page_extension(&place));
    let key = text::fold_key(&source.name);
    // Otherwise links by the name would not find the page.
    source.is_titled |= by_path != key && !by_path.ends_with(&format!("/{key}"));
    place
}

impl Names {
    fn add(&mut self, file: &str, place: &str, source: &Source) {
        self.pages.entry(text::fold_key(&source.name)).or_insert_with(|| place.to_owned());
        self.by_file.insert(file.to_owned(), place.to_owned());
        self.by_stem.insert(path::without_page_extension(place).to_owned(), place.to_owned());
        if let Some(id) = &source.id {
            self.blocks.insert(id.clone(), Home::Page(place.to_owned(), source.name.clone()));
        }
        for (_, _, block) in &source.blocks {
            if let Some(id) = &block.id {
                let home = || Home::Block(place.to_owned(), block.title());
                self.blocks.entry(id.clone()).or_insert_with(home);
            }
        }
    }

    /// Adds a page in Org mode, which is copied as a file: its names, and the ids in it.
    fn add_org(&mut self, file: &str, text: &str, format: &str) {
        let date = names::date_of(file).filter(|_| file.starts_with("journals/"));
        let name = date.map_or_else(|| names::name_of(file), |date| names::formatted(date, format));
        for line in text.lines().map(str::trim) {
            let value = |key: &str| {
                let start = line.get(..key.len()).filter(|start| start.eq_ignore_ascii_case(key))?;
                line.get(start.len()..).map(str::trim).filter(|value| !value.is_empty())
            };
            if let Some(id) = value(":id:") {
                let home = || Home::File(file.to_owned(), name.clone());
                self.blocks.entry(id.to_ascii_lowercase()).or_insert_with(home);
            } else if let Some(title) = value("#+title:") {
                self.org_pages.entry(text::fold_key(title)).or_insert_with(|| file.to_owned());
            } else if let Some(aliases) = value("#+alias:") {
                for alias in page::parts(aliases) {
                    self.org_pages.entry(text::fold_key(&alias)).or_insert_with(|| file.to_owned());
                }
            }
        }
        self.org_pages.entry(text::fold_key(&name)).or_insert_with(|| file.to_owned());
    }
}

/// A graph as seen from one of its pages.
#[derive(Clone, Copy)]
struct Seen<'a> {
    names: &'a Names,
    tree: &'a Tree,
    /// Path of the page in the graph.
    from: &'a str,
}

impl<'a> Seen<'a> {
    /// The file of the graph at a path, written as Logseq does: from here, or from the top, with a leading slash or not.
    fn at(&self, target: &str) -> Option<&'a str> {
        let folder = path::folder(self.from);
        self.tree.from(folder, target).or_else(|| self.tree.from("", target.trim_start_matches('/')))
    }

    fn link_to(&self, file: &str, shown: &str) -> Target {
        let link = settle::destination(&path::relative(path::folder(self.from), file));
        Target { link, shown: shown.to_owned(), is_file: true }
    }
}

impl Graph for Seen<'_> {
    fn block(&self, id: &str) -> Option<Target> {
        let found = match self.names.blocks.get(id)? {
            Home::Block(place, title) => {
                let link = format!("{}#^{id}", path::without_page_extension(place));
                Target { link, shown: title.clone(), is_file: false }
            }
            Home::Page(place, name) => {
                let link = path::without_page_extension(place).to_owned();
                Target { link, shown: name.clone(), is_file: false }
            }
            Home::File(file, name) => self.link_to(file, name),
        };
        Some(found)
    }

    fn page(&self, name: &str) -> Option<Target> {
        let place = self.names.pages.get(&text::fold_key(name))?;
        let link = path::without_page_extension(place).to_owned();
        Some(Target { link, shown: name.to_owned(), is_file: false })
    }

    fn file(&self, name: &str) -> Option<Target> {
        let of_page = self.names.org_pages.get(&text::fold_key(name)).map(String::as_str);
        let file = of_page.or_else(|| self.at(name).filter(|file| self.names.files.contains_key(*file)))?;
        Some(self.link_to(file, name))
    }
}

fn draft(place: &str, source: Source, seen: Seen<'_>, drafts: &mut Drafts) -> Draft {
    let file = seen.from;
    tell_view(file, &source, drafts);
    let mut body = source.head.clone();
    let area = source.name.strip_prefix("hls__").map(str::to_owned);
    for (bullet, origin, mut block) in source.blocks {
        for line in &block.queries {
            let message = message!("the query `#+BEGIN_QUERY`, which UBP shows as text");
            drafts.notice(NoticeKind::KeptAsText, file, *line, message);
        }
        if let Some(document) = &area {
            block.show_area(|name| {
                let picture = seen.at(&format!("../assets/{document}/{name}"))?;
                Some(seen.link_to(picture, "").link)
            });
        }
        block.write(&bullet, origin, &mut body);
    }
    let plain = Draft::new(file, place, &body);
    let mut found = Found::default();
    let text = inline::converted(&plain.text, &seen, &mut found);
    tell(file, &found, |line| plain.origin(line), seen, drafts);
    let mut properties = source.properties;
    for (_, value, line) in &mut properties {
        if value.contains("((") {
            let mut found = Found::default();
            *value = inline::converted(value, &seen, &mut found);
            tell(file, &found, |_| *line, seen, drafts);
        }
    }
    // A title or alias in front matter of its own is one already.
    let known =
        |name: &&String| source.own_names.iter().any(|own| text::fold_key(own) == text::fold_key(name));
    let aliases: Vec<String> = source.aliases.iter().filter(|name| !known(name)).cloned().collect();
    let fields = fields::of(&source.name, source.is_titled, &aliases, &properties, &found.tags, seen);
    // Lines of the text come before the front matter that is made.
    let origins = plain.origins.iter().copied();
    let mut all: Vec<Line> =
        text.split_terminator('\n').zip(origins).map(|(line, origin)| Line::new(origin, line)).collect();
    if crate::page::has_front_matter(&text) {
        fields::add_to(&mut all, fields, &text, file, drafts);
    } else {
        all.splice(0..0, front_matter::block(&fields, 1));
    }
    Draft::new(file, place, &all)
}

/// Maximum number of lines that a notice names.
const MOST_LINES: usize = 8;

/// Names what only says how Logseq shows the page, once for each property.
fn tell_view(file: &str, source: &Source, drafts: &mut Drafts) {
    let mut lines: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (line, property) in
        source.view.iter().chain(source.blocks.iter().flat_map(|(_, _, block)| &block.view))
    {
        lines.entry(property).or_default().push(*line);
    }
    for (property, lines) in lines {
        let Some(first) = lines.first() else { continue };
        let shown: Vec<String> = lines.iter().take(MOST_LINES).map(usize::to_string).collect();
        let rest = if lines.len() > MOST_LINES { ", …" } else { "" };
        let message = match lines.len() {
            1 => message!("`{property}`, which only says how Logseq shows the block", property),
            count => message!(
                "`{property}` on {count} lines ({lines}), which only says how Logseq shows the blocks",
                property,
                count,
                lines = shown.join(", ") + rest
            ),
        };
        drafts.notice(NoticeKind::LeftOut, file, *first, message);
    }
}

/// Names what was found and could not be converted. `origin` is the line in the graph of a line of the text.
fn tell(file: &str, found: &Found, origin: impl Fn(usize) -> usize, seen: Seen<'_>, drafts: &mut Drafts) {
    for (line, id) in &found.missing {
        let message = message!("no block has the id {id}", id);
        drafts.notice(NoticeKind::Broken, file, origin(*line), message);
    }
    for (line, id) in &found.in_files {
        let Some(Home::File(home, _)) = seen.names.blocks.get(id) else { continue };
        let message = message!(
            "the block {id} is in {home}, which is in Org mode: the link leads to the file",
            id,
            home
        );
        drafts.notice(NoticeKind::KeptAsText, file, origin(*line), message);
    }
    for (line, name) in &found.macros {
        let message = message!("the macro {name}, which UBP shows as text", name);
        drafts.notice(NoticeKind::KeptAsText, file, origin(*line), message);
    }
    let mut last = None;
    for line in found.hiccup.iter().map(|line| origin(*line)) {
        if last.replace(line) != Some(line) {
            drafts.notice(NoticeKind::KeptAsText, file, line, message!("Hiccup, which UBP shows as text"));
        }
    }
    for (line, height) in &found.heights {
        let message = message!("the height {height} of a picture without a width", height);
        drafts.notice(NoticeKind::LeftOut, file, origin(*line), message);
    }
}

impl Meaning for (&Tree, &Names) {
    fn of(&self, draft: &Draft, site: &Site) -> Meant {
        let (tree, names) = self;
        if site.syntax == Syntax::Wiki {
            let named = names.pages.get(&text::fold_key(&site.name));
            return match named.or_else(|| names.by_stem.get(&site.name)) {
                Some(place) => Meant::Page(place.clone()),
                // Properties are written with new paths.
                None if names.old_files.contains_key(&site.target) => Meant::File(site.target.clone()),
                None => Meant::Elsewhere,
            };
        }
        let bare = site.target.split('#').next().unwrap_or(&site.target);
        let seen = Seen { names, tree, from: &draft.from };
        let file = [site.target.as_str(), bare].into_iter().find_map(|target| seen.at(target));
        match file {
            Some(file) => match (names.by_file.get(file), names.files.get(file)) {
                (Some(place), _) => Meant::Page(place.clone()),
                (_, Some(place)) => Meant::File(place.clone()),
                _ => Meant::Broken,
            },
            None if site.kind == LinkKind::Markdown && !path::file_name(bare).contains('.') => {
                Meant::Elsewhere
            }
            None => Meant::Broken,
        }
    }
}
