//! Edits a page: a passage, a section, the end or the whole text.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::manifest::FrontMatterMode;
use crate::message;
use crate::ops::edited::{self, Edited, Subject};
use crate::ops::page::to_the_second;
use crate::ops::read_page::not_utf8;
use crate::ops::{Facts, Tool};
use crate::page::{
    FrontMatter, Lines, LinkTypes, Page, Section, Value, body_start, branch, closest, has_front_matter,
    occurrences, parse, section_range, set_fields, with_appended, with_body, with_replaced, with_section,
};
#[cfg(not(target_family = "wasm"))]
use crate::proposals::proposed_text;
use crate::show::{self, Span, counted};
use crate::writing::{Change, Plan, carry_out, expect};
use crate::{Context, Error, Result, path};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::writing("Edit a page: replace `old` by `new`, replace a section or the whole text, or append.")
        .tool(Tool::Always);

/// Maximum number of line numbers in a message.
const MOST_LINES: usize = 10;

/// Maximum characters of a quoted line in a message.
const MOST_QUOTED: usize = 80;

/// Where the content goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The content replaces everything after the front matter; also the front matter, if it has its own.
    Replace,
    /// The content is added at the end of the page or of `section`.
    Append,
    /// The content replaces `section`.
    ReplaceSection,
}

/// The page, and its new text.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: String,
    /// Exact text to replace; must occur once.
    pub old: Option<String>,
    /// Replacement for `old`.
    pub new: Option<String>,
    /// Replace every occurrence of `old`.
    #[serde(default)]
    pub all: bool,
    /// Markdown to write; see `mode`.
    pub content: Option<String>,
    /// Where `content` goes (default with `section`: `replace_section`).
    pub mode: Option<Mode>,
    /// `section_id`. Keeps its heading unless `content` starts with one, and its subsections unless `content` has
    /// further headings.
    pub section: Option<String>,
    /// Replace the subsections of `section` too.
    #[serde(default)]
    pub replace_subsections: bool,
    /// `content_hash` of the page as read. Agents need it to replace a section or the whole text.
    pub expected_hash: Option<String>,
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// The page after the edit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page.
    #[serde(flatten)]
    pub edited: Edited,
    /// Number of replacements of `old`.
    pub replaced_count: usize,
    /// Ids of the subsections that were kept.
    pub kept_sections: Vec<String>,
    /// Ids of the subsections that were removed.
    pub removed_sections: Vec<String>,
}

/// Edits the page.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`]; [`Error::InvalidParams`] for a section or passage that the
/// page does not have; [`Error::Conflict`], [`Error::ReadOnly`], [`Error::Io`]. On error, the page is unchanged.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    // Another process may append at the same time.
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    context.refresh(false)?;
    #[cfg(not(target_family = "wasm"))]
    let proposed = proposed_text(context, &params.page, params.expected_hash.as_deref())?;
    #[cfg(target_family = "wasm")]
    let proposed = None;
    let version = match proposed {
        Some(proposed) => proposed,
        None => Subject::find(context, &params.page)?.version,
    };
    // `old` identifies the text to replace, and appending replaces nothing.
    let replaces = params.old.is_none() && params.mode != Some(Mode::Append);
    if replaces || params.expected_hash.is_some() {
        expect(context, params.expected_hash.as_deref(), &version)?;
    }
    let path = version.path.clone();
    let old = version.text().ok_or_else(|| not_utf8(&path))?;
    let made = made(&path, old, &params, &parse(old, &context.link_types()))?;
    let Made { text, replaced_count, kept_sections, removed_sections } = made;
    let complete = context.manifest.frontmatter == FrontMatterMode::Managed;
    let new = if text == old { text } else { with_fields(context, &path, old, text, complete) };
    let bytes = new.into_bytes();
    let changes = vec![Change::edit(version, bytes.clone())];
    let written = carry_out(context, Plan::new("update_page", changes).by_hand(), params.dry_run)?;
    drop(held);
    let edited = edited::answer(context, &path, &bytes, written, params.dry_run)?;
    Ok(Output { edited, replaced_count, kept_sections, removed_sections })
}

/// The edited text, and the answer's fields about the edit.
#[derive(Default)]
struct Made {
    text: String,
    replaced_count: usize,
    kept_sections: Vec<String>,
    removed_sections: Vec<String>,
}

fn made(path: &str, old: &str, params: &Params, page: &Page) -> Result<Made> {
    let whole = match &params.section {
        Some(id) => Some(branch(&page.sections, id).ok_or_else(|| no_section(path, page, id))?),
        None => None,
    };
    let content = match (&params.content, &params.old, &params.new) {
        (Some(content), None, None) => content,
        (None, Some(passage), Some(new)) if params.mode.is_none() => {
            let (text, replaced_count) =
                replaced(path, old, whole.unwrap_or(0..old.len()), passage, new, params.all)?;
            return Ok(Made { text, replaced_count, ..Made::default() });
        }
        (None, None, None) => return Err(Error::invalid(message!("pass `content`, or `old` and `new`"))),
        (None, Some(_), None) => {
            return Err(Error::invalid(message!("`new` is missing: the text that replaces `old`")));
        }
        (None, None, Some(_)) => {
            return Err(Error::invalid(message!("`old` is missing: the text that `new` replaces")));
        }
        (None, Some(_), Some(_)) => {
            return Err(Error::invalid(message!("`mode` is for `content`, not for `old` and `new`")));
        }
        (Some(_), _, _) => {
            return Err(Error::invalid(message!("pass `content`, or `old` and `new`, not both")));
        }
    };
    let mode = params.mode.or(params.section.is_some().then_some(Mode::ReplaceSection));
    let unfit = || {
        Error::invalid(message!(
            "{path}: this content would change the text around it; does it open a code block or a comment without \
             closing it?",
            path
        ))
    };
    let text = match (mode, whole) {
        (None, _) => {
            return Err(Error::invalid(message!("`mode` is missing: replace, append or replace_section")));
        }
        (Some(Mode::Replace), None) => with_body(old, content),
        (Some(Mode::Append), section) => with_appended(old, section, content).ok_or_else(unfit)?,
        (Some(Mode::ReplaceSection), Some(whole)) => {
            let id = params.section.as_deref().unwrap_or_default();
            let alone = !params.replace_subsections && !has_subsections(content);
            let own = section_range(&page.sections, id).filter(|_| alone).unwrap_or_else(|| whole.clone());
            let text = with_section(old, own.clone(), content).ok_or_else(unfit)?;
            let now = parse(&text, &LinkTypes::default());
            let is_below = |section: &&Section| (whole.start + 1..whole.end).contains(&section.range.start);
            let below: Vec<&Section> = page.sections.iter().filter(is_below).collect();
            if alone {
                // The following sections did not change, but their ids contain the headings above them.
                let following = page.sections.iter().filter(|section| section.range.start >= own.end).count();
                let kept =
                    now.sections.iter().skip(now.sections.len().saturating_sub(following)).take(below.len());
                let kept_sections = kept.map(|section| section.id.clone()).collect();
                return Ok(Made { text, kept_sections, ..Made::default() });
            }
            let mut there: Vec<&str> = now.sections.iter().map(|section| section.heading.as_str()).collect();
            let mut removed_sections = Vec::new();
            for section in below {
                let Some(at) = there.iter().position(|heading| *heading == section.heading) else {
                    removed_sections.push(section.id.clone());
                    continue;
                };
                there.swap_remove(at);
            }
            return Ok(Made { text, removed_sections, ..Made::default() });
        }
        (Some(Mode::ReplaceSection), None) => {
            return Err(Error::invalid(message!(
                "`section` is missing; {path} has {page}",
                path,
                page = section_ids(page)
            )));
        }
        (Some(Mode::Replace), Some(_)) => {
            return Err(Error::invalid(message!(
                "`replace` replaces the whole page; to replace `section`, use replace_section"
            )));
        }
    };
    Ok(Made { text, ..Made::default() })
}

/// Whether the content of a section has subsections: a heading after its start.
fn has_subsections(content: &str) -> bool {
    let page = parse(content, &LinkTypes::default());
    let leads = |at: usize| content.get(..at).is_some_and(|before| before.trim().is_empty());
    page.sections.iter().any(|section| section.level > 0 && !leads(section.range.start))
}

/// Replaces a passage in a part of the text. Returns the text and the number of replacements.
fn replaced(
    path: &str,
    text: &str,
    part: std::ops::Range<usize>,
    passage: &str,
    new: &str,
    all: bool,
) -> Result<(String, usize)> {
    if passage.is_empty() {
        return Err(Error::invalid(message!("`old` is empty")));
    }
    let mut places = occurrences(text.get(part.clone()).unwrap_or_default(), passage);
    places.iter_mut().for_each(|place| *place = place.start + part.start..place.end + part.start);
    let lines = Lines::new(text);
    if places.is_empty() {
        let quoted = |line: &str| line.chars().take(MOST_QUOTED).collect::<String>();
        let elsewhere = occurrences(text, passage);
        let message = match (elsewhere.first(), closest(text, passage)) {
            (Some(place), _) => message!(
                "{path}: `old` was not found in this section; it occurs on line {line}",
                path,
                line = lines.line_of(place.start)
            ),
            (None, Some((number, line, wanted))) => message!(
                "{path}: `old` was not found; the closest match is line {number}: found '{line}', expected '{wanted}'",
                path,
                number,
                line = quoted(&line),
                wanted = quoted(&wanted)
            ),
            (None, None) => message!("{path}: `old` was not found, and no line is similar", path),
        };
        return Err(Error::invalid(message));
    }
    if places.len() > 1 && !all {
        let numbers: Vec<String> =
            places.iter().take(MOST_LINES).map(|place| lines.line_of(place.start).to_string()).collect();
        let more = if places.len() > MOST_LINES { ", …" } else { "" };
        return Err(Error::invalid(message!(
            "{path}: `old` occurs {places} times, on lines {numbers}; pass a longer passage that occurs once, or `all: true`",
            path,
            places = places.len(),
            numbers = numbers.join(", ") + more
        )));
    }
    let edited = with_replaced(text, &places, new);
    unbroken(path, text, &edited)?;
    Ok((edited, places.len()))
}

/// Refuses an edit that makes valid front matter invalid.
pub(crate) fn unbroken(path: &str, old: &str, new: &str) -> Result<()> {
    let broken = |text: &str| {
        let page = parse(text, &LinkTypes::default());
        page.diagnostics.into_iter().find(|found| found.code.starts_with("front_matter"))
    };
    match broken(new) {
        Some(found) if broken(old).is_none() => {
            let message = message!(
                "line {line} would be invalid: {message}",
                line = found.line,
                message = found.message
            );
            Err(Error::FrontMatter { path: path.to_owned(), message })
        }
        _ => Ok(()),
    }
}

fn no_section(path: &str, page: &Page, id: &str) -> Error {
    Error::invalid(message!(
        "{path} has no section '{id}'; it has {page}",
        path,
        id,
        page = section_ids(page)
    ))
}

fn section_ids(page: &Page) -> String {
    let ids: Vec<&str> = page.sections.iter().map(|section| section.id.as_str()).collect();
    if ids.is_empty() { "none".into() } else { ids.join(", ") }
}

/// Keeps `id` and `created_at`, updates `updated_at` if the text changed, and with `complete` adds missing fields. Front
/// matter that cannot be edited safely is not changed.
pub(crate) fn with_fields(
    context: &Context<'_>,
    path: &str,
    old: &str,
    new: String,
    complete: bool,
) -> String {
    let types = context.link_types();
    let (was, is) = (parse(old, &types), parse(&new, &types));
    let broken = |page: &Page| page.diagnostics.iter().any(|found| found.code.starts_with("front_matter"));
    if broken(&is) {
        return new;
    }
    let now = to_the_second(context.clock.now());
    let mut fields: Vec<(&str, String)> = Vec::new();
    for key in ["id", "created_at"] {
        if let (Some(value), None) = (scalar(&was.front_matter, key), is.front_matter.get(key)) {
            fields.push((key, value.to_owned()));
        }
    }
    if complete {
        let title = is.title.clone().unwrap_or_else(|| path::page_name(path).to_owned());
        let is_known = [&was, &is].into_iter().any(|page| scalar(&page.front_matter, "created_at").is_some());
        let created = if is_known { String::new() } else { to_the_second(created(context, path)) };
        for (key, value) in
            [("id", context.clock.new_id().to_string()), ("title", title), ("created_at", created)]
        {
            let there =
                scalar(&is.front_matter, key).is_some() || fields.iter().any(|(known, _)| *known == key);
            if !there && is.front_matter.get(key).is_none_or(|value| *value == Value::Text(String::new())) {
                fields.push((key, value));
            }
        }
    }
    let body = |text: &str| text.get(body_start(text)..).map(str::to_owned);
    if body(old) != body(&new) || has_front_matter(old) != has_front_matter(&new) {
        let known = ["updated_at", "updatedAt", "updated"].into_iter();
        let key = known.into_iter().find(|key| is.front_matter.get(key).is_some());
        let untouched = key.is_some_and(|key| is.front_matter.get(key) == was.front_matter.get(key));
        match key {
            Some(key) if untouched => fields.push((key, now)),
            None if complete => fields.push(("updated_at", now)),
            _ => {}
        }
    }
    let borrowed: Vec<(&str, &str)> = fields.iter().map(|(key, value)| (*key, value.as_str())).collect();
    set_fields(path, &new, &borrowed).unwrap_or(new)
}

/// When the page was created: its first commit, or the modification time of the file.
fn created(context: &Context<'_>, path: &str) -> Timestamp {
    let file = path::join(context.pages_dir(), path).unwrap_or_default();
    let first = context.history.first_commits(std::slice::from_ref(&file)).ok();
    let first = first.and_then(|mut first| first.remove(&file));
    let modified = || context.source.stat(path).ok().flatten().map(|stat| stat.modified);
    first.or_else(modified).unwrap_or_else(|| context.clock.now())
}

fn scalar<'a>(front_matter: &'a FrontMatter, key: &str) -> Option<&'a str> {
    match front_matter.get(key) {
        Some(Value::Text(text)) if !text.trim().is_empty() => Some(text),
        _ => None,
    }
}

/// Shows what changed on the page.
pub fn show(output: &Output, page: &mut dyn show::Page) {
    let edited = &output.edited;
    let written = !edited.show_unwritten(page);
    let path = Span::Path(&edited.page.filepath);
    if written && edited.written.changed.is_empty() {
        page.line(&[Span::said(&message!("{path} already has this text; nothing was written", path))]);
    } else if written {
        page.line(&[Span::said(&match output.replaced_count {
            0 | 1 => message!("Updated {path}", path),
            count => message!(
                "Updated {path}: {occurrences} replaced",
                path,
                occurrences = counted(count, "occurrence", "occurrences")
            ),
        })]);
        page.diff(&edited.written.diff);
    }
    if !output.kept_sections.is_empty() {
        let kept = output.kept_sections.join(", ");
        page.note(&[Span::said(&message!(
            "Kept its subsections: {kept} (`replace_subsections` replaces them)",
            kept = Span::Code(&kept)
        ))]);
    }
    if !output.removed_sections.is_empty() {
        let removed = output.removed_sections.join(", ");
        page.warn(&[Span::said(&message!("removed subsections: {removed}", removed = Span::Code(&removed)))]);
    }
    if written {
        edited.show_end(page);
    }
}
