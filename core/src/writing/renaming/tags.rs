//! Tags that get another name, in texts, front matter, queries and bases.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{PageEdits, Project, Text};
use crate::drafts::Drafts;
use crate::index::questions::names;
use crate::message;
use crate::page::{LinkTypes, Value, decode, front_texts, parse, tags_in_text};
use crate::query::{TagsInQuestions, rename_tags_in_base, rename_tags_in_questions};
use crate::templates::Templates;
use crate::writing::links::{Edits, spliced};
use crate::{Context, Error, Result, path, text};

/// What changes if a tag gets another name.
pub(crate) struct Planned {
    pub edits: Vec<PageEdits>,
    pub left: Vec<LeftName>,
}

/// A line that may name a renamed tag and was not changed, because only a person can tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftName {
    /// Path of the file, relative to the project.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
}

/// Plans the rename of a tag and of the tags below it, on pages, and in queries and bases where it is certain that they mean
/// the tag.
///
/// # Errors
/// As [`super::plan_rename`].
pub(crate) fn plan(context: &Context<'_>, tag: &str, new: &str, drafts: &Drafts) -> Result<Planned> {
    let (old, new) = (tag.trim().trim_start_matches('#'), new.trim().trim_start_matches('#'));
    let types = context.link_types();
    if parse(&format!("#{new}\n"), &types).tags != [new] {
        return Err(Error::invalid(message!(
            "'{new}' cannot be a tag; use letters, digits, `-`, `_` and `/`, and not only digits",
            new
        )));
    }
    let renaming = Tag { key: text::fold_key(old), old, new };
    let mut planned = Planned { edits: Vec::new(), left: Vec::new() };
    context.index.read(|db| {
        let project = Project::new(context, db, drafts)?;
        let world = project.world(db)?;
        let mut tagged: BTreeSet<i64> = project.open.values().copied().collect();
        names::each_tag(db, |page, tag| {
            if renaming.renamed(&tag).is_some() {
                tagged.insert(page);
            }
        })?;
        let mut pages: Vec<(i64, String)> = crate::index::questions::pages::paths(db)?;
        pages.extend(
            project
                .open
                .iter()
                .filter(|(_, number)| **number < 0)
                .map(|(path, number)| (*number, path.clone())),
        );
        pages.sort_by(|(_, a), (_, b)| a.cmp(b));
        let mut is_known = old == new;
        for (number, path) in pages {
            context.cancel.check()?;
            let is_tagged = tagged.contains(&number) && world.path(number).is_some();
            let Some(Text { text, is_guessed }) = project.text(&path)? else { continue };
            if !is_tagged && !may_ask(&text) {
                continue;
            }
            let Edited { edits, left, has_tag } = renaming.edits(&path, &text, &types)?;
            is_known |= has_tag;
            let file = path::join(context.pages_dir(), &path).unwrap_or_default();
            planned.left.extend(left.into_iter().map(|line| LeftName { file: file.clone(), line }));
            if edits.is_empty() {
                continue;
            }
            if is_guessed {
                return Err(crate::ops::read_page::not_utf8(&path));
            }
            planned.edits.push(PageEdits { path, edits });
        }
        match is_known {
            true => Ok(()),
            false => Err(Error::invalid(message!("no page has the tag '{tag}'", tag = old))),
        }
    })?;
    renaming.in_bases(context, drafts, &mut planned)?;
    renaming.in_templates(context, &mut planned.left)?;
    Ok(planned)
}

/// Whether a text may have a query or a base.
fn may_ask(text: &str) -> bool {
    ["```", "~~~"].iter().any(|fence| text.contains(fence))
}

/// What changes on a page.
struct Edited {
    edits: Edits,
    /// Lines that may name the tag in queries.
    left: Vec<usize>,
    has_tag: bool,
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

    /// Files with bases of Obsidian.
    fn in_bases(&self, context: &Context<'_>, drafts: &Drafts, planned: &mut Planned) -> Result<()> {
        let dir = context.pages_dir();
        for file in context.source.match_sources(&["**/*.base".into()])? {
            let below = if dir.is_empty() {
                Some(&*file)
            } else {
                file.strip_prefix(dir).and_then(|file| file.strip_prefix('/'))
            };
            let Some(path) = below.filter(|path| path::can_be_attachment(path)) else { continue };
            let text = super::text(context, drafts, path)?;
            let found = rename_tags_in_base(&text, &|tag| self.renamed(tag));
            planned.left.extend(found.left.into_iter().map(|line| LeftName { file: file.clone(), line }));
            if !found.edits.is_empty() {
                planned.edits.push(PageEdits { path: path.to_owned(), edits: found.edits });
            }
        }
        Ok(())
    }

    /// Templates, which are written by hand.
    fn in_templates(&self, context: &Context<'_>, left: &mut Vec<LeftName>) -> Result<()> {
        let types = context.link_types();
        for template in Templates::load(context)?.usable {
            let bytes = context.source.read_source(&template.filepath)?;
            let (text, _) = decode(&bytes);
            let named = |line: usize| LeftName { file: template.filepath.clone(), line };
            let is_tag = |value: &str| {
                value.split([',', ' ']).any(|tag| self.renamed(tag.trim_start_matches('#')).is_some())
            };
            let in_front = front_texts(&text).into_iter();
            left.extend(
                in_front
                    .filter(|text| matches!(text.nearest.as_str(), "tags" | "tag") && is_tag(&text.value))
                    .map(|text| named(text.line)),
            );
            for (tag, range) in tags_in_text(&text, &types) {
                if self.renamed(&tag).is_some() {
                    left.push(named(text.get(..range.start).unwrap_or_default().matches('\n').count() + 1));
                }
            }
        }
        Ok(())
    }

    fn edits(&self, path: &str, old: &str, types: &LinkTypes) -> Result<Edited> {
        let before = parse(old, types);
        let has_tag = before.tags.iter().any(|tag| self.renamed(tag).is_some());
        let TagsInQuestions { mut edits, left } = rename_tags_in_questions(old, &|tag| self.renamed(tag));
        if !has_tag && edits.is_empty() {
            return Ok(Edited { edits, left, has_tag });
        }
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
        Ok(Edited { edits, left, has_tag })
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
