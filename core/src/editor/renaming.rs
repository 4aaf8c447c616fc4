//! What the cursor is on that can be renamed.

use std::ops::Range;

use super::OpenPage;
use super::places::{Place, place};
use crate::drafts::Drafts;
use crate::ops::rename_page::path_for;
use crate::page::{Link, LinkKind, Value, tags_in_text};
use crate::text::fold_key;
use crate::writing::links::spliced;
use crate::writing::renaming::{PageEdits, Renamed, plan_rename};
use crate::{Context, Result, path};

/// Something with a name that can be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renameable {
    /// The bytes of its name where the cursor is.
    pub range: Range<usize>,
    /// Its name now.
    pub name: String,
    what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    /// A page, by its path; whether its title is written in it, or the name of its file.
    Page {
        path: String,
        has_title: bool,
    },
    Heading {
        path: String,
        line: usize,
    },
    Block {
        path: String,
        name: String,
    },
    Tag(String),
    Alias {
        path: String,
        alias: String,
    },
}

impl Renameable {
    /// The rename to `new`.
    pub fn to(&self, new: &str) -> Renamed {
        let new = new.trim().to_owned();
        match self.what.clone() {
            What::Page { path, has_title: true } => Renamed::Title { path, new },
            What::Page { path, has_title: false } => {
                let extension = path.rsplit_once('.').map_or("md", |(_, extension)| extension);
                let folder = path::folder(&path);
                let new = new.strip_suffix(&format!(".{extension}")).unwrap_or(&new);
                let new_path =
                    path::join(folder, &format!("{new}.{extension}")).unwrap_or_else(|| path.clone());
                Renamed::Page { path, new_path }
            }
            What::Heading { path, line } => Renamed::Heading { path, line, new },
            What::Block { path, name } => {
                Renamed::Block { path, name, new: new.trim_start_matches('^').to_owned() }
            }
            What::Tag(tag) => Renamed::Tag { tag, new: new.trim_start_matches('#').to_owned() },
            What::Alias { path, alias } => Renamed::Alias { path, old: alias, new },
        }
    }
}

/// The edits of a title that gets another name, and the new path of its file if that was named after the title.
///
/// # Errors
/// As [`plan_rename`].
pub fn plan_title(
    context: &Context<'_>,
    path: &str,
    new: &str,
    drafts: &Drafts,
) -> Result<(Vec<PageEdits>, Option<String>)> {
    let open = OpenPage::of(context, drafts, path)?;
    let title = Renamed::Title { path: path.to_owned(), new: new.to_owned() };
    let titled = plan_rename(context, &title, drafts)?;
    let new_path = path_for(context, path, open.title(), &open.page, new.trim())?;
    if new_path == path {
        return Ok((titled, None));
    }
    // Moved as if the new title had been typed already.
    let mut typed = drafts.clone();
    for page in &titled {
        let text = drafts.text(context.source, &page.path)?;
        let edited = spliced(&text, &page.edits).unwrap_or_else(|| text.to_string());
        typed.set(page.path.clone(), edited);
    }
    let file = Renamed::Page { path: path.to_owned(), new_path: new_path.clone() };
    let mut edits = titled;
    for moved in plan_rename(context, &file, &typed)? {
        let Some(both) = edits.iter_mut().find(|page| page.path == moved.path) else {
            edits.push(moved);
            continue;
        };
        let text = drafts.text(context.source, &moved.path)?;
        let first = typed.text(context.source, &moved.path)?;
        let last = spliced(&first, &moved.edits).unwrap_or_else(|| first.to_string());
        both.edits = vec![difference(&text, &last)];
    }
    Ok((edits, Some(new_path)))
}

/// The smallest single replacement that makes one text the other.
fn difference(old: &str, new: &str) -> (Range<usize>, String) {
    let same = old.chars().zip(new.chars()).take_while(|(a, b)| a == b);
    let start: usize = same.map(|(c, _)| c.len_utf8()).sum();
    let (left, right) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let same = left.chars().rev().zip(right.chars().rev()).take_while(|(a, b)| a == b);
    let end: usize = same.map(|(c, _)| c.len_utf8()).sum();
    let insert = right.get(..right.len() - end).unwrap_or_default();
    (start..old.len() - end, insert.to_owned())
}

/// What is at the byte `offset` of the open page: the page or place that a link leads to, a heading, a block, a tag, an alias.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Io`].
pub fn renameable(
    context: &Context<'_>,
    drafts: &Drafts,
    open: &OpenPage,
    offset: usize,
) -> Result<Option<Renameable>> {
    if let Some(link) = open.link_at(offset) {
        return in_link(context, drafts, open, link, offset);
    }
    let within = |range: &Range<usize>| range.start <= offset && offset <= range.end;
    if let Some((tag, range)) =
        tags_in_text(&open.text, &context.link_types()).into_iter().find(|(_, range)| within(range))
    {
        return Ok(Some(Renameable { range, name: tag.clone(), what: What::Tag(tag) }));
    }
    if let Some(block) = open.page.blocks.iter().find(|block| within(&open.line(block.line))) {
        let line = open.line(block.line);
        let marker = format!("^{}", block.name);
        let at =
            open.text.get(line.clone()).and_then(|text| text.rfind(&marker)).map(|at| line.start + at + 1);
        let range =
            at.map(|at| at..at + block.name.len()).filter(|range| within(&(range.start - 1..range.end)));
        if let Some(range) = range {
            let what = What::Block { path: open.path.clone(), name: block.name.clone() };
            return Ok(Some(Renameable { range, name: block.name.clone(), what }));
        }
    }
    if open.page.front_matter.range.contains(&offset) {
        return Ok(in_front_matter(open, offset));
    }
    let heading =
        open.page.sections.iter().find(|section| section.level > 0 && within(&open.line(section.lines.0)));
    Ok(heading.map(|section| {
        let line = open.line(section.lines.0);
        let written = open.text.get(line.clone()).unwrap_or_default();
        // Markup in a heading is part of its text.
        let marks = written.len() - written.trim_start_matches('#').trim_start().len();
        let range = line.start + marks..line.end;
        let name = open.text.get(range.clone()).unwrap_or_default().to_owned();
        let is_title = section.level == 1 && open.page.title.as_deref() == Some(&section.heading);
        let path = open.path.clone();
        let what = match is_title {
            true => What::Page { path, has_title: true },
            false => What::Heading { path, line: section.lines.0 },
        };
        Renameable { range, name, what }
    }))
}

fn in_link(
    context: &Context<'_>,
    drafts: &Drafts,
    open: &OpenPage,
    link: &Link,
    offset: usize,
) -> Result<Option<Renameable>> {
    let Place::Page(place) = place(context, drafts, open, link)? else { return Ok(None) };
    let written = open.text.get(link.range.clone()).unwrap_or_default();
    // The part between the brackets that has the cursor: `page`, `#heading`, or what follows the pipe.
    let (first, last) = match link.kind {
        LinkKind::Markdown => match (written.rfind("]("), written.rfind(')')) {
            (Some(at), Some(end)) => (at + 2, end),
            _ => return Ok(None),
        },
        _ => match (written.find("[["), written.rfind("]]")) {
            (Some(at), Some(end)) => (at + 2, end),
            _ => return Ok(None),
        },
    };
    let inner = written.get(first..last).unwrap_or_default();
    let target = inner.find('|').map_or(inner, |pipe| inner.get(..pipe).unwrap_or_default());
    let start = link.range.start + first;
    let at = offset.saturating_sub(start);
    if at > target.len() || offset < start {
        return Ok(None);
    }
    let hash = target.find('#');
    if let (Some(hash), Some(anchor)) = (hash.filter(|hash| at > *hash), &place.anchor) {
        let Some(line) = place.line else { return Ok(None) };
        let range = start + hash + 1..start + target.len();
        let what = match anchor.rsplit('#').next().unwrap_or(anchor).trim().strip_prefix('^') {
            Some(block) => What::Block { path: place.path, name: block.to_owned() },
            None => What::Heading { path: place.path, line },
        };
        let name = open.text.get(range.clone()).unwrap_or_default().to_owned();
        return Ok(Some(Renameable { range, name, what }));
    }
    let end = hash.unwrap_or(target.len());
    let range = start..start + end;
    let name = open.text.get(range.clone()).unwrap_or_default().to_owned();
    if name.is_empty() {
        return Ok(None);
    }
    let page = OpenPage::of(context, drafts, &place.path)?;
    let key = fold_key(name.trim());
    let alias = page.page.aliases.iter().find(|alias| fold_key(alias) == key);
    let is_file = key == fold_key(path::page_name(&place.path))
        || name.contains('/')
        || link.kind == LinkKind::Markdown;
    let (name, what) = match (alias, is_file) {
        (Some(alias), false) => (alias.clone(), What::Alias { path: place.path, alias: alias.clone() }),
        // The link names the file: it gets another name, and its title stays.
        (_, true) => {
            let name = path::page_name(&place.path).to_owned();
            (name, What::Page { path: place.path, has_title: false })
        }
        (None, false) => (page.title().to_owned(), What::Page { path: place.path, has_title: true }),
    };
    Ok(Some(Renameable { range, name, what }))
}

/// A tag, an alias or the title in front matter.
fn in_front_matter(open: &OpenPage, offset: usize) -> Option<Renameable> {
    let path = || open.path.clone();
    let front = &open.page.front_matter;
    let yaml = open.text.get(front.range.clone())?;
    let at_value = |value: &str| {
        yaml.match_indices(value)
            .map(|(at, _)| front.range.start + at..front.range.start + at + value.len())
            .find(|range| range.start <= offset && offset <= range.end)
    };
    let found = |value: &str, what: What| {
        let range = at_value(value).filter(|_| !value.is_empty())?;
        Some(Renameable { range, name: value.to_owned(), what })
    };
    let line = open.text.get(..offset)?.lines().rev().find(|line| !line.trim_start().starts_with('-'))?;
    let key = line.split(':').next().unwrap_or_default().trim();
    match key {
        "tags" | "tag" => {
            let tags = open.page.tags.iter();
            tags.filter_map(|tag| found(tag, What::Tag(tag.clone()))).max_by_key(|tag| tag.range.len())
        }
        "aliases" | "alias" => {
            let aliases = open.page.aliases.iter();
            let alias = |alias: &String| found(alias, What::Alias { path: path(), alias: alias.clone() });
            aliases.filter_map(alias).max_by_key(|alias| alias.range.len())
        }
        "title" => match front.get("title") {
            Some(Value::Text(title)) => found(title, What::Page { path: path(), has_title: true }),
            _ => None,
        },
        _ => None,
    }
}
