//! Makes a suggested link: only brackets are added around the words that name the other page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::graph::resolve::Destination;
use crate::index::questions::names;
use crate::message;
#[cfg(not(target_family = "wasm"))]
use crate::ops::bind::Binding;
use crate::ops::page::{self, PageName, to_the_second};
use crate::ops::suggest_links::LinkPlace;
use crate::ops::written::WriteReport;
use crate::ops::{Facts, Tool};
#[cfg(not(target_family = "wasm"))]
use crate::page::{LinkKind, add_to_list};
use crate::page::{LinkTypes, parse};
use crate::show::{Page, Span};
use crate::suggest::decisions::{self, Decision, Verdict};
use crate::suggest::{Names, Place, RunningText};
use crate::writing::links::World;
use crate::writing::{Change, Plan, RecordChange, Version, carry_out, expect};
use crate::{Error, Result, path, reported, text, word};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing("Make a suggested link where the text names the other page.")
    .tool(Tool::Always)
    .unwatched()
    .command("accept")
    .arguments(&["source", "target"])
    .button(word!("“Insert the link”"))
    .idempotent()
    .required_of_agents(&["expected_hash"]);

/// The link to make.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page that should link: path, id, title or alias.
    pub source: String,
    /// The page to link to, or a file or symbol of the project: `path#symbol`.
    pub target: String,
    /// The line of the link, as suggested (default: the best place).
    pub line: Option<usize>,
    /// The words to link, as suggested.
    pub text: Option<String>,
    /// `content_hash` of the linking page as read; agents must pass it.
    pub expected_hash: Option<String>,
    /// Write a link of this type into front matter, under this key, instead of a link in the text.
    #[serde(rename = "type")]
    pub link_type: Option<String>,
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// The new link.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Path of the linking page.
    pub source: String,
    /// Path of the linked page or file.
    pub target: String,
    /// The words that were linked; absent for a type.
    pub place: Option<LinkPlace>,
    /// The link as written.
    pub link: String,
    /// SHA-256 of the page's file after the edit.
    pub content_hash: String,
    /// The write report.
    #[serde(flatten)]
    pub written: WriteReport,
}

/// Makes the link.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`]; [`Error::Conflict`] when the page changed, or no longer
/// contains these words; [`Error::InvalidParams`] when the words cannot be made a link; [`Error::Io`]. On error,
/// the page is unchanged.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    context.refresh(false)?;
    #[cfg(not(target_family = "wasm"))]
    if let Some(binding) = Binding::find(context, &params.source, &params.target)? {
        return binding.accept(context, &params);
    }
    let types = context.link_types();
    let (ends, names, target_name) = context.index.read(|db| {
        let ends = Ends::find(db, &params.source, &params.target)?;
        let names = Names::of(db, ends.target.number)?;
        let file = path::page_name(&ends.target.path);
        let is_enough = names::pages_called(db, &text::fold_key(file))?.len() == 1;
        let name = if is_enough { file } else { path::without_page_extension(&ends.target.path) };
        let name = name.to_owned();
        Ok((ends, names, name))
    })?;
    let source = &ends.source.path;
    let version = Version::read(context.source, source)?;
    expect(context, params.expected_hash.as_deref(), &version)?;
    let Some(before) = version.bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()) else {
        return Err(Error::invalid(message!("{source}: not UTF-8; save it as UTF-8 first", source)));
    };
    #[cfg(not(target_family = "wasm"))]
    if let Some(link_type) = &params.link_type {
        return typed(context, &ends, &version, before, link_type, &target_name, params.dry_run);
    }
    let place = choose(before, &names, &types, source, &params)?;
    let (link, after) = linked(before, &place, &target_name, &types).ok_or_else(|| {
        Error::invalid(message!(
            "{source}:{line}: '{text}' cannot be made a link",
            source,
            line = place.line,
            text = place.text
        ))
    })?;
    let made = parse(&after, &types).links.into_iter().find(|link| link.range.start == place.range.start);
    let leads_there = context.index.read(|db| {
        let Some(made) = made else { return Ok(false) };
        let mut world = World::load(db, context.source, context.pages_dir())?;
        let led = world.resolve(made.kind, &made.target, ends.source.number)?;
        Ok(matches!(led, Destination::Page { page, .. } if page == ends.target.number))
    })?;
    if !leads_there {
        return Err(Error::invalid(message!(
            "{link} would not lead to {target}",
            link,
            target = ends.target.path
        )));
    }
    let change = Change::edit(version, after.into_bytes());
    let content_hash = change.after.as_ref().map(|after| after.hash.to_string()).unwrap_or_default();
    let plan =
        Plan::new("accept", vec![change]).recording(ends.decision(context, Verdict::Accepted, None)?);
    let written = carry_out(context, plan, params.dry_run)?;
    Ok(Output {
        source: source.clone(),
        target: ends.target.path.clone(),
        place: Some(LinkPlace { line: place.line, text: place.text, context: place.context }),
        link,
        content_hash,
        written: WriteReport::of(context, written, params.dry_run),
    })
}

/// Writes the link into front matter.
#[cfg(not(target_family = "wasm"))]
fn typed(
    context: &Context<'_>,
    ends: &Ends,
    version: &Version,
    text: &str,
    link_type: &str,
    target: &str,
    dry_run: bool,
) -> Result<Output> {
    let is_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
    if link_type.trim().is_empty() || link_type.trim() != link_type || !link_type.chars().all(is_key) {
        return Err(Error::invalid(message!(
            "'{link_type}' cannot be a type: use letters, digits, spaces, - and _",
            link_type
        )));
    }
    let source = &ends.source.path;
    let link = format!("[[{target}]]");
    let after = add_to_list(source, text, link_type, &link)?;
    let led = context.index.read(|db| {
        let mut world = World::load(db, context.source, context.pages_dir())?;
        world.resolve(LinkKind::FrontMatter, target, ends.source.number)
    })?;
    if !matches!(led, Destination::Page { page, .. } if page == ends.target.number) {
        let target = &ends.target.path;
        return Err(Error::invalid(message!("{link} would not lead to {target}", link, target)));
    }
    let change = Change::edit(version.clone(), after.into_bytes());
    let content_hash = change.after.as_ref().map(|after| after.hash.to_string()).unwrap_or_default();
    let decision = ends.decision(context, Verdict::Accepted, Some(link_type))?;
    let written = carry_out(context, Plan::new("accept", vec![change]).recording(decision), dry_run)?;
    Ok(Output {
        source: source.clone(),
        target: ends.target.path.clone(),
        place: None,
        link: format!("{link_type}: {link}"),
        content_hash,
        written: WriteReport::of(context, written, dry_run),
    })
}

fn choose(text: &str, names: &Names, types: &LinkTypes, path: &str, params: &Params) -> Result<Place> {
    let fits = |place: &Place| {
        params.line.is_none_or(|line| line == place.line)
            && params.text.as_ref().is_none_or(|text| *text == place.text)
    };
    let mut found = RunningText::of(text, types).places(names);
    if let Some(at) = found.iter().position(fits) {
        return Ok(found.swap_remove(at));
    }
    if params.line.is_none() && params.text.is_none() {
        return Err(Error::invalid(message!(
            "{path} does not contain the page's name; insert the link by hand",
            path
        )));
    }
    let expected = match (&params.text, params.line) {
        (Some(text), Some(line)) => reported!("the words '{text}' on line {line}"),
        (Some(text), None) => reported!("the words '{text}'"),
        (None, Some(line)) => reported!("words to link on line {line}"),
        (None, None) => word!("words to link").into(),
    };
    Err(Error::Conflict { path: path.into(), expected, found: word!("none there").into() })
}

/// The link, and the page with it. `None` if the link would change the meaning of anything but these words.
fn linked(text: &str, place: &Place, target: &str, types: &LinkTypes) -> Option<(String, String)> {
    let pipe = if place.table { "\\|" } else { "|" };
    let words = &place.text;
    let link = if words == target {
        format!("[[{target}]]")
    } else if types.is_label_first() {
        format!("[[{words}{pipe}{target}]]")
    } else if types.exact(words).is_some() {
        // Words equal to a link type are displayed only after an explicit type.
        format!("[[{target}{pipe}references{pipe}{words}]]")
    } else {
        format!("[[{target}{pipe}{words}]]")
    };
    let after = [text.get(..place.range.start)?, &link, text.get(place.range.end..)?].concat();
    let (old, new) = (parse(text, types), parse(&after, types));
    let added = new.links.iter().find(|new| new.range.start == place.range.start)?;
    let shown = added.text.as_ref().unwrap_or(&added.target);
    // Compare folded names, because links are resolved by them.
    let as_meant = added.range.len() == link.len()
        && text::fold_key(&added.target) == text::fold_key(target)
        && text::fold_key(shown) == text::fold_key(words)
        && added.link_type == "references";
    (as_meant && new.links.len() == old.links.len() + 1 && new.front_matter == old.front_matter)
        .then_some((link, after))
}

/// One page of a suggestion.
pub(crate) struct End {
    pub number: i64,
    pub id: String,
    pub path: String,
}

/// Both pages of a suggestion.
pub(crate) struct Ends {
    pub source: End,
    pub target: End,
}

impl Ends {
    pub(crate) fn find(db: &rusqlite::Connection, source: &str, target: &str) -> Result<Self> {
        let end = |name: &str| -> Result<End> {
            let number = PageName { page: Some(name), ..PageName::default() }.require(db)?;
            let fields = page::fields(db, number, None)?;
            Ok(End { number, id: fields.doc_id, path: fields.filepath })
        };
        let ends = Self { source: end(source)?, target: end(target)? };
        if ends.source.number == ends.target.number {
            return Err(Error::invalid(message!("`source` and `target` are the same page")));
        }
        Ok(ends)
    }

    /// The change that records `decision` about a link between these pages, or about its type.
    pub(crate) fn decision(
        &self,
        context: &Context<'_>,
        decision: Verdict,
        link_type: Option<&str>,
    ) -> Result<RecordChange> {
        let decision = Decision {
            decision,
            source_id: self.source.id.clone(),
            target_id: self.target.id.clone(),
            link_type: link_type.map(str::to_owned),
            source: self.source.path.clone(),
            target: self.target.path.clone(),
            at: to_the_second(context.clock.now()),
        };
        decisions::change(&decision)
    }
}

/// Shows which link was made, and where.
pub fn show(output: &Output, page: &mut dyn Page) {
    let is_unwritten = output.written.show_unwritten(&output.content_hash, page);
    let place = match &output.place {
        Some(place) => Span::Place(&output.source, place.line),
        None => Span::Path(&output.source),
    };
    page.line(&[place, Span::Text(": "), Span::Code(&output.link)]);
    if !is_unwritten {
        output.written.show_end(&output.content_hash, page);
    }
}
