//! Tags that get another name, in texts and front matter.

use std::collections::BTreeSet;

use super::{PageEdits, Project, Text};
use crate::drafts::Drafts;
use crate::index::questions::names;
use crate::message;
use crate::page::{LinkTypes, Value, front_texts, parse, tags_in_text};
use crate::writing::links::{Edits, spliced};
use crate::{Context, Error, Result, text};

/// Plans the rename of a tag and of the tags below it.
///
/// # Errors
/// As [`super::plan_rename`].
pub(crate) fn plan(context: &Context<'_>, tag: &str, new: &str, drafts: &Drafts) -> Result<Vec<PageEdits>> {
    let (old, new) = (tag.trim().trim_start_matches('#'), new.trim().trim_start_matches('#'));
    let types = context.link_types();
    if parse(&format!("#{new}\n"), &types).tags != [new] {
        return Err(Error::invalid(message!(
            "'{new}' cannot be a tag; use letters, digits, `-`, `_` and `/`, and not only digits",
            new
        )));
    }
    let renaming = Tag { key: text::fold_key(old), old, new };
    context.index.read(|db| {
        let project = Project::new(context, db, drafts)?;
        let world = project.world(db)?;
        let mut pages: BTreeSet<i64> = project.open.values().copied().collect();
        names::each_tag(db, |page, tag| {
            if renaming.renamed(&tag).is_some() {
                pages.insert(page);
            }
        })?;
        let mut paths: Vec<String> =
            pages.into_iter().filter_map(|page| world.path(page).map(str::to_owned)).collect();
        paths.sort();
        let mut planned = Vec::new();
        for path in paths {
            context.cancel.check()?;
            let Some(Text { text, is_guessed }) = project.text(&path)? else { continue };
            let edits = renaming.edits(&path, &text, &types)?;
            if edits.is_empty() {
                continue;
            }
            if is_guessed {
                return Err(crate::ops::read_page::not_utf8(&path));
            }
            planned.push(PageEdits { path, edits });
        }
        if planned.is_empty() && old != new {
            return Err(Error::invalid(message!("no page has the tag '{tag}'", tag = old)));
        }
        Ok(planned)
    })
}

struct Tag<'a> {
    key: String,
    old: &'a str,
    new: &'a str,
}

impl Tag<'_> {
    /// What `tag` becomes, if it is the tag or one below it.
    fn renamed(&self, tag: &str) -> Option<String> {
        let mut cuts = tag.match_indices('/').map(|(at, _)| at).chain([tag.len()]);
        let cut = cuts.find(|cut| tag.get(..*cut).is_some_and(|above| text::fold_key(above) == self.key))?;
        Some(format!("{}{}", self.new, tag.get(cut..)?)).filter(|renamed| renamed != tag)
    }

    fn edits(&self, path: &str, old: &str, types: &LinkTypes) -> Result<Edits> {
        let before = parse(old, types);
        if !before.tags.iter().any(|tag| self.renamed(tag).is_some()) {
            return Ok(Edits::new());
        }
        let mut edits = Edits::new();
        for text in front_texts(old) {
            if !matches!(text.key.as_str(), "tags" | "tag") || text.nearest != text.key {
                continue;
            }
            // Only a single value is divided.
            let is_list = !matches!(before.front_matter.get(&text.key), Some(Value::Text(_)));
            let value = if is_list { self.in_item(&text.value) } else { self.in_value(&text.value) };
            if value != text.value {
                edits.push((text.range.clone(), text.written(&value)));
            }
        }
        for (tag, range) in tags_in_text(old, types) {
            if let Some(renamed) = self.renamed(&tag) {
                edits.push((range, renamed));
            }
        }
        edits.sort_by_key(|(range, _)| range.start);
        let mut expected: Vec<String> = Vec::new();
        for tag in before.tags {
            let tag = self.renamed(&tag).unwrap_or(tag);
            if !expected.contains(&tag) {
                expected.push(tag);
            }
        }
        let edited = spliced(old, &edits).unwrap_or_default();
        let after = parse(&edited, types);
        let same = |a: &[String], b: &[String]| a.iter().collect::<BTreeSet<_>>() == b.iter().collect();
        if !same(&after.tags, &expected) || after.diagnostics.len() > before.diagnostics.len() {
            let (line, tag) = (1, self.old);
            return Err(Error::invalid(message!(
                "{path}:{line}: the tag '{tag}' cannot be edited on this page; edit it by hand",
                path,
                line,
                tag
            )));
        }
        Ok(edits)
    }

    /// An item of a list in front matter.
    fn in_item(&self, value: &str) -> String {
        let tag = value.trim().trim_start_matches('#');
        self.renamed(tag).map_or_else(|| value.to_owned(), |renamed| value.replacen(tag, &renamed, 1))
    }

    /// A value of front matter, in which tags may be divided by commas and spaces.
    fn in_value(&self, value: &str) -> String {
        let mut renamed = String::with_capacity(value.len());
        let is_divider = |c: char| c == ',' || c.is_whitespace();
        for part in value.split_inclusive(is_divider) {
            let word = part.trim_end_matches(is_divider);
            let marks = word.len() - word.trim_start_matches('#').len();
            let (marks, tag) = word.split_at(marks);
            renamed.push_str(marks);
            renamed.push_str(&self.renamed(tag).unwrap_or_else(|| tag.to_owned()));
            renamed.push_str(part.get(word.len()..).unwrap_or_default());
        }
        renamed
    }
}
