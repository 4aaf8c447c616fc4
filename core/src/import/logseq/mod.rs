//! Graphs of Logseq: Markdown files that are outlines. A file has the properties of its page, and blocks with their own
//! properties and ids.

mod block;
mod inline;
mod names;
mod page;

use std::collections::HashMap;

use super::draft::{Draft, Drafts, Line, leave_out, lines};
use super::front_matter::{self, Field, free_key, number};
use super::places::{Places, below, linkable_stem, valid_name, valid_path};
use super::settle::{Meaning, Meant};
use super::tree::Tree;
use super::{Notice, NoticeKind, ReadFile};
use crate::page::{LinkKind, Site, Syntax, decode};
use crate::progress::Cancel;
use crate::{Result, path, text};

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
    /// New path, text and whether it is the page itself, by id.
    blocks: HashMap<String, (String, String, bool)>,
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
                let message = "a page in Org mode, copied as a file: UBP reads Markdown";
                drafts.notices.push(Notice::file(NoticeKind::KeptAsText, file, message));
            }
            names.files.insert(file.clone(), place.clone());
            drafts.files.push((file.clone(), place));
        }
    }
    leave_out(&mut drafts.notices, &left);
    for (file, place, source) in &sources {
        names.add(file, place, source);
    }
    // A page's own name wins over an alias of another.
    for (_, place, source) in &sources {
        for alias in &source.aliases {
            names.pages.entry(text::fold_key(alias)).or_insert_with(|| place.clone());
        }
    }
    let journals = sources.iter().filter(|(file, ..)| file.starts_with("journals/")).count();
    drafts.made_of = vec![("pages", sources.len() - journals), ("journals", journals)];
    for (file, place, source) in sources {
        cancel.check()?;
        let draft = draft(file, &place, source, &names, &mut drafts);
        drafts.pages.push(draft);
    }
    drafts.pages.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((drafts, names))
}

fn reason_to_leave(file: &str) -> Option<&'static str> {
    let first = file.split('/').next().unwrap_or_default();
    match first {
        "logseq" => Some("settings and backups of Logseq"),
        "whiteboards" => Some("a whiteboard: only Logseq can show it"),
        "version-files" => Some("backups of Logseq"),
        _ if file.split('/').any(|part| part.starts_with('.')) => Some("a hidden file"),
        _ if file.split('/').any(|part| matches!(part, "node_modules" | "__MACOSX")) => Some("not notes"),
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
            self.blocks.insert(id.clone(), (place.to_owned(), source.name.clone(), true));
        }
        for (_, _, block) in &source.blocks {
            if let Some(id) = &block.id {
                self.blocks.entry(id.clone()).or_insert_with(|| (place.to_owned(), block.title(), false));
            }
        }
    }
}

impl Graph for Names {
    fn block(&self, id: &str) -> Option<Target> {
        let (place, title, is_page) = self.blocks.get(id)?;
        let page = path::without_page_extension(place);
        let link = if *is_page { page.to_owned() } else { format!("{page}#^{id}") };
        Some(Target { link, shown: title.clone() })
    }

    fn page(&self, name: &str) -> Option<Target> {
        let place = self.pages.get(&text::fold_key(name))?;
        Some(Target { link: path::without_page_extension(place).to_owned(), shown: name.to_owned() })
    }
}

fn draft(file: &str, place: &str, source: Source, names: &Names, drafts: &mut Drafts) -> Draft {
    let view = source.view.iter().chain(source.blocks.iter().flat_map(|(_, _, block)| &block.view));
    for (line, property) in view {
        let message = format!("`{property}`, which only says how Logseq shows the block");
        drafts.notice(NoticeKind::LeftOut, file, *line, message);
    }
    let mut body = source.head.clone();
    for (bullet, origin, block) in source.blocks {
        block.write(&bullet, origin, &mut body);
    }
    let plain = Draft::new(file, place, &body);
    let mut found = Found::default();
    let text = inline::converted(&plain.text, names, &mut found);
    for (line, id) in &found.missing {
        let message = format!("no block has the id {id}");
        drafts.notice(NoticeKind::Broken, file, plain.origin(*line), message);
    }
    for (line, name) in &found.macros {
        let message = format!("the macro {name}, which UBP shows as text");
        drafts.notice(NoticeKind::KeptAsText, file, plain.origin(*line), message);
    }
    for (line, height) in &found.heights {
        let message = format!("the height {height} of a picture without a width");
        drafts.notice(NoticeKind::LeftOut, file, plain.origin(*line), message);
    }
    let fields =
        fields(&source.name, source.is_titled, &source.aliases, &source.properties, &found.tags, names);
    // Front matter that is there stays; properties cannot be beside it.
    let has_own = crate::page::has_front_matter(&text);
    if has_own && !fields.is_empty() {
        let keys: Vec<&str> = fields.iter().map(|(key, _)| key.as_str()).collect();
        let message = format!("{}: the page has front matter of its own", keys.join(", "));
        drafts.notice(NoticeKind::LeftOut, file, 1, message);
    }
    let mut all = if has_own { Vec::new() } else { front_matter::block(&fields, 1) };
    let origins = plain.origins.iter().copied();
    all.extend(text.split_terminator('\n').zip(origins).map(|(line, origin)| Line::new(origin, line)));
    Draft::new(file, place, &all)
}

/// The front matter of a page.
fn fields(
    name: &str,
    is_titled: bool,
    aliases: &[String],
    properties: &[(String, String, usize)],
    tags: &[String],
    names: &Names,
) -> Vec<(String, Field)> {
    let mut fields = Vec::new();
    if is_titled {
        fields.push(("title".to_owned(), Field::Text(name.to_owned())));
    }
    if !aliases.is_empty() {
        fields.push(("aliases".into(), Field::List(aliases.to_vec())));
    }
    let is_tags = |key: &str| matches!(key, "tags" | "tag");
    let own = properties.iter().filter(|(key, ..)| is_tags(key)).flat_map(|(_, value, _)| page::parts(value));
    let own: Vec<String> = own.collect();
    let mut all: Vec<String> = own.iter().map(|name| inline::tag(name)).chain(tags.iter().cloned()).collect();
    let mut seen = std::collections::HashSet::new();
    all.retain(|tag| seen.insert(tag.clone()));
    if !all.is_empty() {
        fields.push(("tags".into(), Field::List(all)));
    }
    // In Logseq, a tag is a link to the page of that name.
    let linked: Vec<String> =
        own.iter().filter(|name| names.page(name).is_some()).map(|name| format!("[[{name}]]")).collect();
    if !linked.is_empty() {
        fields.push(("tag_pages".into(), Field::List(linked)));
    }
    for (key, value, _) in properties.iter().filter(|(key, ..)| !is_tags(key)) {
        let key = free_key(key, "logseq");
        if value.is_empty() || fields.iter().any(|(taken, _)| *taken == key) {
            continue;
        }
        let parts = page::parts(value);
        let is_list = parts.len() > 1
            && value.split(',').all(|part| part.trim().starts_with("[[") && part.trim().ends_with("]]"));
        let field = match number(value) {
            Some(number) => Field::Plain(number),
            None if matches!(value.as_str(), "true" | "false") => Field::Plain(value.clone()),
            None if is_list => Field::List(parts.iter().map(|name| format!("[[{name}]]")).collect()),
            None => Field::Text(value.clone()),
        };
        fields.push((key, field));
    }
    fields
}

impl Meaning for (&Tree, &Names) {
    fn of(&self, draft: &Draft, site: &Site) -> Meant {
        let (tree, names) = self;
        if site.syntax == Syntax::Wiki {
            let named = names.pages.get(&text::fold_key(&site.name));
            return match named.or_else(|| names.by_stem.get(&site.name)) {
                Some(place) => Meant::Page(place.clone()),
                None => Meant::Elsewhere,
            };
        }
        let bare = site.target.split('#').next().unwrap_or(&site.target);
        let folder = path::folder(&draft.from);
        let file = [site.target.as_str(), bare].into_iter().find_map(|target| {
            // Logseq reads a leading slash from the top of the graph.
            tree.from(folder, target).or_else(|| tree.from("", target.trim_start_matches('/')))
        });
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
