//! What completes the text before the cursor: names of pages, headings, blocks, link types, files, symbols, tags, and the keys
//! and values of front matter.

use std::collections::HashMap;
use std::ops::Range;

use super::{OpenPage, Place, places};
use crate::drafts::Drafts;
use crate::graph::resolve::Destination;
use crate::index::questions::{names, pages as questions};
use crate::ops::complete;
use crate::ops::list_files::{self, FileKind};
use crate::ops::list_symbols;
use crate::page::{Anchors, LinkKind};
use crate::templates::Templates;
use crate::text::fold_key;
use crate::{Context, Result, index, path};

/// Candidates for a range of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    /// The bytes that a candidate replaces.
    pub range: Range<usize>,
    /// The candidates, best first.
    pub all: Vec<Candidate>,
    /// Whether typing on may bring others.
    pub is_part: bool,
}

/// A candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What it is.
    pub kind: CandidateKind,
    /// What is shown.
    pub label: String,
    /// What is written.
    pub insert: String,
    /// More about it: a path, a line; empty if there is nothing more.
    pub detail: String,
    /// For a page its path, for a symbol its file.
    pub path: Option<String>,
}

/// What a candidate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateKind {
    /// A page.
    Page,
    /// A heading of a page.
    Heading,
    /// A block with a name.
    Block,
    /// A type of link.
    LinkType,
    /// A file that is not a page.
    File,
    /// A symbol of a file.
    Symbol,
    /// A tag.
    Tag,
    /// A key of front matter.
    Key,
    /// A value of such a key.
    Value,
}

/// Maximum number of pages, files or symbols.
const MOST: usize = 50;

/// Keys of front matter that UBP reads.
const KEYS: [&str; 11] = [
    "title",
    "aliases",
    "tags",
    "type",
    "status",
    "id",
    "source_refs",
    "sources",
    "verified",
    "stale_after",
    "publish",
];

/// What completes the text before the byte `offset`; `None` where nothing does.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Io`].
pub fn candidates(
    context: &Context<'_>,
    drafts: &Drafts,
    open: &OpenPage,
    offset: usize,
) -> Result<Option<Candidates>> {
    let Some(before) = open.text.get(..offset) else { return Ok(None) };
    let start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let line = &before[start..];
    if let Some(at) = line.rfind("[[").filter(|at| !line[*at..].contains("]]")) {
        return in_link(context, drafts, open, start + at + 2, offset).map(Some);
    }
    if open.page.front_matter.range.contains(&offset) || is_unclosed_front_matter(before) {
        return in_front_matter(context, open, before, start, offset);
    }
    if is_in_code(open, before, offset) {
        return Ok(None);
    }
    if let Some(at) = line.rfind("](").filter(|at| !line[*at..].contains(')')) {
        return destination(context, drafts, open, start + at + 2, offset).map(Some);
    }
    let word = line
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + line[at..].chars().next().map_or(1, char::len_utf8));
    match line[word..].strip_prefix('#') {
        // `#` alone begins a heading.
        Some(typed) if !typed.is_empty() || word > 0 => {
            tags(context, typed, offset - typed.len()..offset).map(Some)
        }
        _ => Ok(None),
    }
}

fn in_link(
    context: &Context<'_>,
    drafts: &Drafts,
    open: &OpenPage,
    from: usize,
    offset: usize,
) -> Result<Candidates> {
    let typed = open.text.get(from..offset).unwrap_or_default();
    if let Some(at) = typed.rfind('|') {
        let types = context.link_types();
        // Inside of a table the pipe is escaped.
        let start = from + at + 1;
        let part = open.text.get(start..offset).unwrap_or_default();
        if types.is_label_first() {
            return pages(context, open, part, start..offset);
        }
        let key = fold_key(part.trim_start());
        let all = types.iter().filter(|name| fold_key(name).contains(&key));
        let all = all.map(|name| candidate(CandidateKind::LinkType, name, name, "")).collect();
        return Ok(Candidates { range: start..offset, all, is_part: false });
    }
    let Some(at) = typed.find('#') else { return pages(context, open, typed, from..offset) };
    let (name, part) = (&typed[..at], &typed[at + 1..]);
    let range = from + at + 1..offset;
    let place = if name.is_empty() {
        Place::Page(places::PlaceInPage {
            path: open.path.clone(),
            anchor: None,
            line: Some(1),
            ambiguous: false,
        })
    } else {
        places::place_of(context, drafts, open, LinkKind::Wiki, name)?
    };
    let mut all = Vec::new();
    match place {
        Place::Page(place) => {
            let other;
            let target = if place.path == open.path {
                open
            } else {
                other = OpenPage::of(context, drafts, &place.path)?;
                &other
            };
            let key = fold_key(part.trim_start_matches('^'));
            if !part.starts_with('^') {
                let headings = target.page.sections.iter().filter(|section| section.level > 0);
                all.extend(headings.filter(|section| fold_key(&section.heading).contains(&key)).map(
                    |section| {
                        // `#`, `|` and brackets end the name of a heading in a link.
                        let written = section.heading.replace(['#', '|', '[', ']'], " ");
                        let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
                        let detail = section.heading_path.join(" › ");
                        candidate(CandidateKind::Heading, &section.heading, &written, &detail)
                    },
                ));
            }
            let blocks = target.page.blocks.iter().filter(|block| fold_key(&block.name).contains(&key));
            all.extend(blocks.map(|block| {
                let name = format!("^{}", block.name);
                let line = target.text.get(target.line(block.line)).unwrap_or_default();
                candidate(CandidateKind::Block, &name, &name, line)
            }));
        }
        Place::File { path, .. } => {
            let params =
                list_symbols::Params { file: path.clone(), text: part.to_owned(), limit: Some(MOST) };
            let found = list_symbols::run(context, params)?;
            all.extend(found.symbols.into_iter().map(|symbol| Candidate {
                path: Some(path.clone()),
                ..candidate(CandidateKind::Symbol, &symbol.name, &symbol.name, &symbol.kind)
            }));
        }
        Place::Attachment(_) | Place::Nowhere => {}
    }
    Ok(Candidates { range, all, is_part: false })
}

fn pages(context: &Context<'_>, open: &OpenPage, typed: &str, range: Range<usize>) -> Result<Candidates> {
    let mut known = Leads::new();
    let mut all = found_pages(context, typed, |page| spelling(context, open, page, &mut known))?;
    if typed.contains(['/', '.']) && all.len() < MOST {
        all.extend(files(context, typed.trim_start(), None, str::to_owned)?);
    }
    Ok(Candidates { range, all, is_part: true })
}

fn found_pages(
    context: &Context<'_>,
    typed: &str,
    mut spelled: impl FnMut(&complete::Completion) -> Result<String>,
) -> Result<Vec<Candidate>> {
    let params = complete::Params { text: typed.trim().to_owned(), limit: Some(MOST) };
    let pages = complete::run(context, params)?.pages;
    let pages = pages.into_iter().map(|page| {
        Ok(Candidate {
            path: Some(page.filepath.clone()),
            ..candidate(CandidateKind::Page, &page.name, &spelled(&page)?, &page.filepath)
        })
    });
    pages.collect()
}

/// The shortest name under which a link on the open page leads to the page at `path`.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn link_name(context: &Context<'_>, open: &OpenPage, path: &str) -> Result<String> {
    let title = context.index.read(|db| questions::title_at(db, path))?.unwrap_or_default();
    let page =
        complete::Completion { filepath: path.to_owned(), name: title.clone(), title, url: String::new() };
    spelling(context, open, &page, &mut Leads::new())
}

/// Paths of the pages that names lead to, if they lead to one. Many pages may have the same name, such as "index".
type Leads = HashMap<String, Option<String>>;

/// The shortest name under which a link on the page leads to this one.
fn spelling(
    context: &Context<'_>,
    open: &OpenPage,
    page: &complete::Completion,
    known: &mut Leads,
) -> Result<String> {
    let by_path = path::without_page_extension(&page.filepath);
    let file = path::page_name(&page.filepath);
    for name in [page.name.as_str(), page.title.as_str(), file] {
        if name.contains(['#', '|', '[', ']', '^']) || (name == by_path && name != file) {
            continue;
        }
        if !known.contains_key(name) {
            let leads_to = context.index.read(|db| {
                let found =
                    index::destination(db, context.source, LinkKind::Wiki, name, open.origin(context))?;
                let Destination::Page { page, anchor: None, ambiguous: false } = found else {
                    return Ok(None);
                };
                questions::path(db, page).map(Some)
            })?;
            known.insert(name.to_owned(), leads_to);
        }
        if known.get(name).is_some_and(|path| path.as_ref() == Some(&page.filepath)) {
            return Ok(name.to_owned());
        }
    }
    Ok(by_path.to_owned())
}

fn files(
    context: &Context<'_>,
    typed: &str,
    kind: Option<FileKind>,
    written: impl Fn(&str) -> String,
) -> Result<Vec<Candidate>> {
    let params = list_files::Params { text: typed.to_owned(), kind, limit: Some(MOST), ..Default::default() };
    let found = list_files::run(context, params)?.files;
    Ok(found
        .into_iter()
        .map(|file| Candidate {
            path: Some(file.path.clone()),
            ..candidate(CandidateKind::File, &file.path, &written(&file.path), "")
        })
        .collect())
}

/// The destination of a Markdown link: paths from the folder of the page, percent-encoded, and after `#` headings as
/// fragments.
fn destination(
    context: &Context<'_>,
    drafts: &Drafts,
    open: &OpenPage,
    from: usize,
    offset: usize,
) -> Result<Candidates> {
    let typed = open.text.get(from..offset).unwrap_or_default();
    if let Some((name, part)) = typed.split_once('#') {
        let path = match name {
            "" => Some(open.path.clone()),
            _ => match places::place_of(context, drafts, open, LinkKind::Markdown, name)? {
                Place::Page(place) => Some(place.path),
                _ => None,
            },
        };
        let range = offset - part.len()..offset;
        let all = path.map(|path| fragments(context, drafts, open, &path, part)).transpose()?;
        return Ok(Candidates { range, all: all.unwrap_or_default(), is_part: true });
    }
    let folder = path::folder(&open.path);
    let encode =
        |path: &str| path.replace('%', "%25").replace(' ', "%20").replace('(', "%28").replace(')', "%29");
    let typed = typed.trim_start_matches("./").replace("%20", " ");
    let name = typed.rsplit("../").next().unwrap_or(&typed);
    let mut all = found_pages(context, name, |page| Ok(encode(&path::relative(folder, &page.filepath))))?;
    let here = path::join(context.pages_dir(), folder).unwrap_or_default();
    all.extend(files(context, name, None, |file| encode(&path::relative(&here, file)))?);
    Ok(Candidates { range: from..offset, all, is_part: true })
}

/// The fragments of the headings of a page.
fn fragments(
    context: &Context<'_>,
    drafts: &Drafts,
    open: &OpenPage,
    path: &str,
    typed: &str,
) -> Result<Vec<Candidate>> {
    let other;
    let target = if path == open.path {
        open
    } else {
        other = OpenPage::of(context, drafts, path)?;
        &other
    };
    let (key, anchors) = (fold_key(typed), Anchors::of(&target.page));
    let headings = target.page.sections.iter().filter(|section| section.level > 0).enumerate();
    let found = headings.filter_map(|(number, section)| {
        let fragment = anchors.fragment(number)?;
        let is_typed = fragment.contains(&key) || fold_key(&section.heading).contains(&key);
        let path = section.heading_path.join(" › ");
        is_typed.then(|| candidate(CandidateKind::Heading, &section.heading, &fragment, &path))
    });
    Ok(found.collect())
}

fn tags(context: &Context<'_>, typed: &str, range: Range<usize>) -> Result<Candidates> {
    let key = fold_key(typed);
    let mut counted = std::collections::BTreeMap::<String, usize>::new();
    context.index.read(|db| names::each_tag(db, |_, tag| *counted.entry(tag).or_default() += 1))?;
    let mut found: Vec<(String, usize)> =
        counted.into_iter().filter(|(tag, _)| fold_key(tag).contains(&key)).collect();
    found.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    let all = found
        .iter()
        .take(MOST)
        .map(|(tag, count)| candidate(CandidateKind::Tag, tag, tag, &count.to_string()));
    Ok(Candidates { range, all: all.collect(), is_part: found.len() > MOST })
}

fn in_front_matter(
    context: &Context<'_>,
    open: &OpenPage,
    before: &str,
    start: usize,
    offset: usize,
) -> Result<Option<Candidates>> {
    let line = &before[start..];
    let item = line.trim_start().strip_prefix("- ");
    let key = match (item, line.split_once(':')) {
        (None, Some((key, _))) => key.trim().to_owned(),
        (Some(_), _) => {
            let above = before[..start].lines().rev();
            let mut keys = above.filter(|line| !line.trim_start().starts_with("- "));
            keys.next()
                .and_then(|line| line.split_once(':'))
                .map(|(key, _)| key.trim().to_owned())
                .unwrap_or_default()
        }
        (None, None) => return keys(context, open, line, start..offset).map(Some),
    };
    let typed = item.or(line.split_once(':').map(|(_, value)| value)).unwrap_or_default();
    let typed =
        typed.rsplit(['[', ',']).next().unwrap_or_default().trim_start().trim_start_matches(['"', '\'']);
    let range = offset - typed.len()..offset;
    match key.as_str() {
        "tags" | "tag" => tags(context, typed.trim_start_matches('#'), range).map(Some),
        "source_refs" | "sourceRefs" | "sources" => {
            if let Some((file, symbol)) = typed.split_once('#') {
                let params = list_symbols::Params {
                    file: file.to_owned(),
                    text: symbol.to_owned(),
                    limit: Some(MOST),
                };
                // The file may not exist.
                let symbols =
                    list_symbols::run(context, params).map(|found| found.symbols).unwrap_or_default();
                let all = symbols
                    .iter()
                    .map(|symbol| candidate(CandidateKind::Symbol, &symbol.name, &symbol.name, &symbol.kind));
                return Ok(Some(Candidates {
                    range: offset - symbol.len()..offset,
                    all: all.collect(),
                    is_part: false,
                }));
            }
            let all = files(context, typed, Some(FileKind::Source), str::to_owned)?;
            Ok(Some(Candidates { range, all, is_part: true }))
        }
        "type" => {
            let templates = Templates::load(context)?;
            let mut types: Vec<&str> =
                templates.usable.iter().filter_map(|own| own.doc_type.as_deref()).collect();
            types.extend(crate::ops::doctor::PAGE_TYPES);
            types.sort_unstable();
            types.dedup();
            let key = fold_key(typed);
            let all = types.iter().filter(|name| fold_key(name).contains(&key));
            let all = all.map(|name| candidate(CandidateKind::Value, name, name, "")).collect();
            Ok(Some(Candidates { range, all, is_part: false }))
        }
        _ => Ok(None),
    }
}

fn keys(context: &Context<'_>, open: &OpenPage, typed: &str, range: Range<usize>) -> Result<Candidates> {
    let templates = Templates::load(context)?;
    let fields = templates.usable.iter().flat_map(|own| &own.fields).map(|field| field.name.as_str());
    let mut names: Vec<&str> = KEYS.into_iter().chain(fields).collect();
    let mut seen = std::collections::BTreeSet::new();
    // Front matter that is not closed yet has no fields.
    let above = open.text.get(..range.start).unwrap_or_default();
    let is_above = |name: &str| {
        above.lines().any(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')))
    };
    names.retain(|name| seen.insert(*name) && open.page.front_matter.get(name).is_none() && !is_above(name));
    let key = fold_key(typed.trim());
    let all = names.into_iter().filter(|name| fold_key(name).contains(&key));
    let all = all.map(|name| candidate(CandidateKind::Key, name, &format!("{name}: "), "")).collect();
    Ok(Candidates { range, all, is_part: false })
}

/// Whether the text is front matter whose second fence is not typed yet.
fn is_unclosed_front_matter(before: &str) -> bool {
    let text = before.trim_start_matches('\u{feff}');
    let mut lines = text.lines();
    lines.next().is_some_and(|first| first.trim_end() == "---") && !lines.any(|line| line.trim_end() == "---")
}

fn is_in_code(open: &OpenPage, before: &str, offset: usize) -> bool {
    let start = open.section_at(offset).map_or(0, |section| section.range.start);
    let fences = before.get(start..).unwrap_or_default().lines();
    let fences =
        fences.filter(|line| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~"));
    fences.count() % 2 == 1
}

fn candidate(kind: CandidateKind, label: &str, insert: &str, detail: &str) -> Candidate {
    Candidate { kind, label: label.into(), insert: insert.into(), detail: detail.into(), path: None }
}
