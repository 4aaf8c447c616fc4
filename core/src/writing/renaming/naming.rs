//! Titles, headings, blocks and aliases that get another name.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use rusqlite::Connection;

use super::{PageEdits, Project, Renamed};
use crate::drafts::Drafts;
use crate::index::questions::{links, sources};
use crate::message;
use crate::page::{Anchors, FrontMatter, Page, front_matter, front_texts, markdown_options, parse};
use crate::ports::Target;
use crate::writing::links::{Edits, Follower, Places, Renaming, keys, spliced};
use crate::writing::titles;
use crate::{Context, Error, Result, path, text};

/// The edits, and the references to headings as sources that become others.
pub(crate) struct Planned {
    pub edits: Vec<PageEdits>,
    /// Entries such as `docs/api.md#Errors`, before and after.
    pub anchors: HashMap<String, String>,
}

/// Plans the rename of something on one page.
///
/// # Errors
/// As [`super::plan_rename`].
pub(crate) fn plan(context: &Context<'_>, renamed: &Renamed, drafts: &Drafts) -> Result<Planned> {
    context.index.read(|db| {
        let project = Project::new(context, db, drafts)?;
        let (path, new) = match renamed {
            Renamed::Title { path, new }
            | Renamed::Heading { path, new, .. }
            | Renamed::Block { path, new, .. }
            | Renamed::Alias { path, new, .. } => (path.as_str(), new.trim()),
            Renamed::Page { .. } | Renamed::Tag { .. } => {
                return Err(Error::Internal("not the name of something on a page".into()));
            }
        };
        if new.is_empty() || new.contains(['\n', '\r']) {
            return Err(Error::invalid(message!("the new name must be one line and not empty")));
        }
        let (number, text) = project.page(db, path)?;
        let was = parse(&text, &project.types);
        let old_title = was.title.clone().unwrap_or_else(|| path::page_name(path).to_owned());
        let (own, mut names) = match renamed {
            Renamed::Heading { line, .. } => {
                let (edit, heading) = heading(path, &text, &was, *line, new)?;
                (vec![edit], (heading, new.to_owned()))
            }
            Renamed::Block { name, .. } => {
                let new = new.trim_start_matches('^');
                (block(path, &text, &was, name, new)?, (name.clone(), new.to_owned()))
            }
            Renamed::Alias { old, .. } => {
                (alias(path, &text, &was, old, new)?, (old.clone(), new.to_owned()))
            }
            _ => {
                let title = crate::ops::edited::usable_title(new)?;
                (titles::edits(path, &text, &old_title, &title, &project.types)?, (old_title.clone(), title))
            }
        };
        let edited = spliced(&text, &own).unwrap_or_default();
        let is = parse(&edited, &project.types);
        let place = Place { path, text: &text, was: &was, edited: &edited, is: &is };
        place.check(renamed)?;
        if let Renamed::Heading { line, .. } = renamed
            && let Some(at) = was.sections.iter().position(|section| section.lines.0 == *line)
            && let Some(section) = is.sections.get(at)
        {
            names.1.clone_from(&section.heading);
        }
        let new_title = is.title.clone().unwrap_or_else(|| path::page_name(path).to_owned());

        let before = project.world(db)?;
        let mut after = before.with_files(context.source);
        after.rename(number, path, &new_title, &is.aliases);
        let mut renaming = Renaming { anchors: place.anchors(&project, db)?, ..Renaming::default() };
        let mut pairs = vec![(old_title.clone(), new_title.clone())];
        if let Renamed::Alias { .. } = renamed {
            pairs.push(names.clone());
        }
        pairs.retain(|(was, is)| was != is);
        renaming.names.insert(number, pairs);
        if !matches!(renamed, Renamed::Alias { .. }) {
            renaming.places = Some(Places {
                page: number,
                before: Anchors::of(&was),
                after: Anchors::of(&is),
                renamed: names,
            });
        }
        let mut keys_of_page = keys(path, &old_title, &was.aliases);
        keys_of_page.extend(keys(path, &new_title, &is.aliases));
        let mut pages: BTreeSet<i64> = links::concerned(db, &keys_of_page)?.into_iter().collect();
        for (page, source) in sources::in_front_matter(db)? {
            if renaming.anchors.contains_key(&source) {
                pages.insert(page);
            }
        }
        let types = &project.types;
        let mut follower = Follower { before, after, renaming: &renaming, types, replaced: HashMap::new() };
        let own = HashMap::from([(number, own)]);
        let edits = project.follow(&mut follower, pages, &own, &HashSet::new())?;
        Ok(Planned { edits, anchors: renaming.anchors })
    })
}

/// A page before and after what is on it has another name.
struct Place<'t> {
    path: &'t str,
    text: &'t str,
    was: &'t Page,
    edited: &'t str,
    is: &'t Page,
}

impl Place<'_> {
    /// Checks that nothing else on the page is read in another way.
    fn check(&self, renamed: &Renamed) -> Result<()> {
        let Self { was, is, .. } = self;
        let levels = |page: &Page| page.sections.iter().map(|section| section.level).collect::<Vec<_>>();
        let names = |page: &Page| page.blocks.iter().map(|block| block.name.clone()).collect::<Vec<_>>();
        let keys =
            |fields: &FrontMatter| fields.fields.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
        let same_blocks = match renamed {
            Renamed::Block { .. } => was.blocks.len() == is.blocks.len(),
            _ => names(was) == names(is),
        };
        let same_keys =
            matches!(renamed, Renamed::Title { .. }) || keys(&was.front_matter) == keys(&is.front_matter);
        let is_title = matches!(renamed, Renamed::Title { .. });
        let same_tags = is_title || was.tags == is.tags || matches!(renamed, Renamed::Heading { .. });
        if levels(was) == levels(is) && same_blocks && same_keys && same_tags {
            return Ok(());
        }
        Err(Error::invalid(message!(
            "{path}: with this name, other parts of the page would be read in another way; choose another one",
            path = self.path
        )))
    }

    /// References to headings of this page as sources, before and after.
    fn anchors(&self, project: &Project<'_, '_>, db: &Connection) -> Result<HashMap<String, String>> {
        let context = &project.context;
        let file = path::join(context.pages_dir(), self.path).unwrap_or_default();
        let prefix = format!("{file}#");
        let mut entries: BTreeSet<String> = sources::in_front_matter(db)?
            .into_iter()
            .map(|(_, source)| source)
            .filter(|source| source.starts_with(&prefix))
            .collect();
        for (_, text) in project.drafts.iter() {
            let listed = crate::index::source_refs(&front_matter(text), text, &mut Vec::new());
            entries.extend(listed.into_iter().filter(|source| source.starts_with(&prefix)));
        }
        let mut changed = HashMap::new();
        if entries.is_empty()
            || self.was.sections.iter().zip(&self.is.sections).all(|(a, b)| a.heading == b.heading)
        {
            return Ok(changed);
        }
        let (old, new) = (self.text.as_bytes(), self.edited.as_bytes());
        let all = (context.symbols.all(&file, old), context.symbols.all(&file, new));
        let leads_to = |bytes: &[u8], name: &str| match context.symbols.find(&file, bytes, &[name]).pop() {
            Some(Target::Symbol(symbol)) => Some(symbol.name),
            _ => None,
        };
        for entry in entries {
            let name = entry.strip_prefix(&prefix).unwrap_or_default();
            let Some(symbol) = leads_to(old, name) else { continue };
            let at = all.0.iter().position(|one| one.name == symbol);
            let Some(now) = at.and_then(|at| all.1.get(at)).filter(|_| all.0.len() == all.1.len()) else {
                continue;
            };
            if leads_to(new, name).as_ref() == Some(&now.name) {
                continue;
            }
            // As many of its names as before, if that is still clear.
            let short = name.len().min(symbol.len());
            let tail = now.name.get(
                now.name.len().saturating_sub(
                    now.name.len().min(short + now.name.len().saturating_sub(symbol.len())),
                )..,
            );
            let last = now.name.rsplit('.').next();
            let candidates = [last.filter(|_| !name.contains('.')), tail, Some(now.name.as_str())];
            let fitting =
                candidates.into_iter().flatten().find(|name| leads_to(new, name).as_ref() == Some(&now.name));
            let Some(fitting) = fitting else {
                return Err(Error::invalid(message!(
                    "the source '{entry}' of other pages would have no clear name any more; choose another heading",
                    entry
                )));
            };
            changed.insert(entry.clone(), format!("{prefix}{fitting}"));
        }
        Ok(changed)
    }
}

/// The edit of the heading on this line, and the text that it has.
fn heading(
    path: &str,
    text: &str,
    page: &Page,
    line: usize,
    new: &str,
) -> Result<((Range<usize>, String), String)> {
    let section = page.sections.iter().find(|section| section.level > 0 && section.lines.0 == line);
    let section = section.ok_or_else(|| {
        Error::invalid(message!("{path}:{line}: there is no heading on this line", path, line))
    })?;
    let source = text.get(section.range.clone()).unwrap_or_default();
    let mut content: Option<Range<usize>> = None;
    let mut end = 0;
    for (event, range) in Parser::new_ext(source, markdown_options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => {}
            Event::End(TagEnd::Heading(_)) => {
                end = range.end;
                break;
            }
            _ => {
                let start = content.as_ref().map_or(range.start, |content| content.start.min(range.start));
                content = Some(start..content.map_or(range.end, |content| content.end.max(range.end)));
            }
        }
    }
    let place = match content {
        Some(content) => content,
        // A heading without text.
        None => {
            let marks = source.get(..end).unwrap_or_default();
            let at = marks.trim_end().trim_end_matches('#').len().max(marks.find('#').unwrap_or(0));
            let at = at + marks.get(at..).unwrap_or_default().chars().take_while(|c| *c == '#').count();
            at..at
        }
    };
    let written = source.get(place.clone()).unwrap_or_default();
    // The name of the block stays.
    let block = page.blocks.iter().find(|block| block.line == line).map(|block| format!("^{}", block.name));
    let block =
        block.filter(|block| written.trim_end().ends_with(block.as_str()) && !new.ends_with(block.as_str()));
    let insert = match (&block, place.is_empty()) {
        (Some(block), _) => format!("{new} {block}"),
        (None, true) => format!(" {new}"),
        (None, false) => new.to_owned(),
    };
    let edit = (section.range.start + place.start..section.range.start + place.end, insert);
    let edited = spliced(text, std::slice::from_ref(&edit)).unwrap_or_default();
    let now = parse(&edited, &crate::page::LinkTypes::default());
    let at = page.sections.iter().position(|one| one.id == section.id);
    let reads = at.and_then(|at| now.sections.get(at)).map(|section| section.heading.as_str());
    let without_block =
        |heading: &str| block.as_ref().map_or(heading.to_owned(), |block| heading.replace(block, ""));
    let is_read = reads.is_some_and(|heading| {
        let heading = without_block(heading);
        text::heading_key(&heading) == text::heading_key(new) && !text::heading_key(new).is_empty()
    });
    if !is_read {
        return Err(Error::invalid(message!(
            "{path}:{line}: '{new}' would not be read as this heading; choose another one",
            path,
            line,
            new
        )));
    }
    Ok((edit, section.heading.clone()))
}

/// The edits of the names of a block.
fn block(path: &str, text: &str, page: &Page, name: &str, new: &str) -> Result<Edits> {
    let (name, new) = (name.trim_start_matches('^'), new.trim_start_matches('^'));
    if !new.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Err(Error::invalid(message!(
            "'{new}' cannot be the name of a block; use letters, digits and hyphens of ASCII",
            new
        )));
    }
    let key = text::fold_key(name);
    if text::fold_key(new) != key
        && page.blocks.iter().any(|block| text::fold_key(&block.name) == text::fold_key(new))
    {
        return Err(Error::invalid(message!("{path} already has a block ^{new}", path, new)));
    }
    let line = page.blocks.iter().find(|block| text::fold_key(&block.name) == key).map(|block| block.line);
    let line = line.ok_or_else(|| Error::invalid(message!("{path} has no block ^{name}", path, name)))?;
    let start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let written = text.get(start..).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
    let marker = format!("^{name}");
    let folded =
        |at: usize| written.get(at..at + marker.len()).is_some_and(|part| part.eq_ignore_ascii_case(&marker));
    let at = (0..written.len()).rev().find(|at| written.is_char_boundary(*at) && folded(*at));
    let at = at.ok_or_else(|| {
        Error::invalid(message!(
            "{path}:{line}: the name ^{name} cannot be edited; edit it by hand",
            path,
            line,
            name
        ))
    })?;
    let at = start + at + 1;
    Ok(vec![(at..at + name.len(), new.to_owned())])
}

/// The edits of an alias in front matter.
fn alias(path: &str, text: &str, page: &Page, old: &str, new: &str) -> Result<Edits> {
    let missing = || Error::invalid(message!("{path} has no alias '{old}'", path, old));
    let key = text::fold_key(old);
    let is_alias = |value: &str| text::fold_key(value) == key;
    if !page.aliases.iter().any(|alias| is_alias(alias)) {
        return Err(missing());
    }
    if text::fold_key(new) != key
        && page.aliases.iter().any(|alias| text::fold_key(alias) == text::fold_key(new))
    {
        return Err(Error::invalid(message!("{path} already has the alias '{new}'", path, new)));
    }
    let texts = front_texts(text).into_iter().filter(|text| {
        matches!(text.key.as_str(), "aliases" | "alias")
            && text.nearest == text.key
            && is_alias(text.value.trim())
    });
    let edits: Edits = texts.map(|text| (text.range.clone(), text.written(new))).collect();
    let edited = spliced(text, &edits).unwrap_or_default();
    let expected: Vec<String> = page
        .aliases
        .iter()
        .map(|alias| if is_alias(alias) { new.to_owned() } else { alias.clone() })
        .collect();
    if edits.is_empty() || parse(&edited, &crate::page::LinkTypes::default()).aliases != expected {
        return Err(Error::invalid(message!(
            "{path}: the alias '{old}' cannot be edited; edit it by hand",
            path,
            old
        )));
    }
    Ok(edits)
}
