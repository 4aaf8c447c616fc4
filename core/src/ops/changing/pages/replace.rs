//! Finds and replaces text on all pages, as one change.

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::message;
use crate::message::Message;
use crate::ops::places::Places;
use crate::ops::update_page::{unbroken, with_fields};
use crate::ops::written::WriteReport;
use crate::ops::{Facts, Tool};
use crate::page::{in_kind, occurrences, with_replaced};
use crate::ports::ContentHash;
use crate::show::{Page, Span, counted};
use crate::writing::{Change, Plan, Version, carry_out, is_read_only, rights};
use crate::{Caller, Context, Error, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing("Find and replace text on all pages, as one change.")
    .tool(Tool::Always)
    .command("replace")
    .idempotent();

/// Maximum size of a compiled regular expression, in bytes.
const MOST_COMPILED: usize = 1 << 20;

/// What to replace, and where.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Exact text to find, case-sensitive.
    pub old: String,
    /// Replacement.
    pub new: String,
    /// `old` is a regular expression; `$1` in `new` is its first group.
    #[serde(default)]
    pub regex: bool,
    /// Only pages at or below these paths.
    #[serde(default)]
    pub paths: Vec<String>,
    /// `content_hash` from the same call with `dry_run`; agents must pass it.
    pub expected_hash: Option<String>,
    /// Only show what would change.
    #[serde(default)]
    pub dry_run: bool,
}

/// The replacements.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Number of replacements.
    pub replaced_count: usize,
    /// Pages with replacements, sorted by path.
    pub pages: Vec<ReplacedPage>,
    /// Pages that contain the text but were not changed.
    pub skipped: Vec<SkippedPage>,
    /// Hash of the call and of all pages to change, for `expected_hash`.
    pub content_hash: String,
    /// The write report.
    #[serde(flatten)]
    pub written: WriteReport,
}

/// A page with replacements.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReplacedPage {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Number of replacements.
    pub count: usize,
}

/// A page that was not changed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SkippedPage {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// Why it was not changed.
    pub reason: Message,
}

/// The text or pattern to find.
enum Wanted<'a> {
    Text(&'a str),
    Pattern(Regex),
}

impl Wanted<'_> {
    /// Replaces every occurrence. Returns the text and their number.
    fn replaced(&self, text: &str, new: &str) -> (String, usize) {
        match self {
            Self::Text(old) => {
                let places = occurrences(text, old);
                (with_replaced(text, &places, new), places.len())
            }
            Self::Pattern(pattern) => {
                let count = pattern.find_iter(text).count();
                (pattern.replace_all(text, in_kind(new, text)).into_owned(), count)
            }
        }
    }
}

/// Replaces the text.
///
/// # Errors
/// [`Error::InvalidParams`] for an empty text, an invalid expression, an unknown path, or an agent's call without
/// the current hash; [`Error::FrontMatter`] for a page whose front matter would become invalid;
/// [`Error::Conflict`], [`Error::Io`]. On error, nothing is changed.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let wanted = wanted(&params)?;
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    context.refresh(false)?;
    let (mut changes, mut pages, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    for page in among(context, &params.paths)? {
        context.cancel.check()?;
        let version = Version::read(context.source, &page)?;
        let bytes = version.bytes.as_deref().unwrap_or_default();
        let Ok(text) = std::str::from_utf8(bytes) else {
            skipped.push(SkippedPage { filepath: page, reason: message!("not UTF-8") });
            continue;
        };
        let (edited, count) = wanted.replaced(text, &params.new);
        if count == 0 || edited == text {
            continue;
        }
        if context.caller == Caller::Agent && is_read_only(bytes) {
            let reason = message!("only people can change it (`agents: read-only`)");
            skipped.push(SkippedPage { filepath: page, reason });
            continue;
        }
        if let Err(error) = rights::require(context, &page) {
            skipped.push(SkippedPage { filepath: page, reason: error.message() });
            continue;
        }
        unbroken(&page, text, &edited)?;
        let edited = with_fields(context, &page, text, edited, false);
        changes.push(Change::edit(version, edited.into_bytes()));
        pages.push(ReplacedPage { filepath: page, count });
    }
    let hash = hash(&params, &changes);
    match params.expected_hash.as_deref() {
        Some(given) if !hash.is(given)? => {
            return Err(Error::invalid(message!(
                "`expected_hash` does not match: pages changed since the dry run, or the call is different; repeat the dry run"
            )));
        }
        None if context.caller == Caller::Agent && !params.dry_run => {
            return Err(Error::invalid(message!(
                "`expected_hash` is missing: make this call with `dry_run: true` first, and pass the `content_hash` of its answer"
            )));
        }
        _ => {}
    }
    let written = carry_out(context, Plan::new("replace", changes), params.dry_run)?;
    drop(held);
    Ok(Output {
        replaced_count: pages.iter().map(|page| page.count).sum(),
        pages,
        skipped,
        content_hash: hash.to_string(),
        written: WriteReport::of(context, written, params.dry_run),
    })
}

fn wanted(params: &Params) -> Result<Wanted<'_>> {
    if params.old.is_empty() {
        return Err(Error::invalid(message!("`old` is empty")));
    }
    if !params.regex {
        return Ok(Wanted::Text(&params.old));
    }
    let pattern =
        RegexBuilder::new(&params.old).multi_line(true).crlf(true).size_limit(MOST_COMPILED).build();
    let pattern = pattern.map_err(|error| {
        Error::invalid(message!("`old` is not a valid regular expression: {error}", error))
    })?;
    if pattern.is_match("") {
        return Err(Error::invalid(message!("`old` matches empty text")));
    }
    Ok(Wanted::Pattern(pattern))
}

/// The pages at or below these paths, or all pages.
fn among(context: &Context<'_>, asked: &[String]) -> Result<Vec<String>> {
    let mut pages: Vec<String> = context.source.list()?.pages.into_iter().map(|file| file.path).collect();
    let known: Vec<&str> = pages.iter().map(String::as_str).collect();
    let places = Places::of(context, asked, &known)?;
    pages.retain(|page| places.contain(page));
    Ok(pages)
}

/// A hash of the parameters and of all pages before the change.
fn hash(params: &Params, changes: &[Change]) -> ContentHash {
    let befores = changes.iter().filter_map(|change| change.before.as_ref());
    let lines: String = befores.map(|before| format!("{}\t{}\n", before.path, before.hash)).collect();
    let (old, new) = (ContentHash::of(params.old.as_bytes()), ContentHash::of(params.new.as_bytes()));
    ContentHash::of(format!("{old}\t{new}\t{}\n{lines}", params.regex).as_bytes())
}

/// Shows what was replaced, and which pages were skipped.
pub fn show(output: &Output, page: &mut dyn Page) {
    let proposed = output.written.proposal.is_some();
    let written = !proposed && (!output.written.dry_run || output.written.diff.is_empty());
    if !written && !proposed {
        page.diff(&output.written.diff);
    }
    let occurrences = counted(output.replaced_count, "occurrence", "occurrences");
    let pages = counted(output.pages.len(), "page", "pages");
    let words = match (output.pages.is_empty(), written) {
        (true, _) => message!("Not found, nothing changed"),
        (false, true) => message!("Replaced {occurrences} on {pages}", occurrences, pages),
        (false, false) => message!("Would replace {occurrences} on {pages}", occurrences, pages),
    };
    page.line(&[Span::said(&words)]);
    for replaced in &output.pages {
        page.item(&[Span::Path(&replaced.filepath), Span::Text(&format!(": {}", replaced.count))]);
    }
    for skipped in &output.skipped {
        page.warn(&[Span::said(&message!(
            "{path} skipped: {reason}",
            path = Span::Path(&skipped.filepath),
            reason = skipped.reason
        ))]);
    }
    if output.written.show_proposed(page) {
        return;
    }
    if !written {
        page.note(&[Span::said(&message!("dry run: nothing was written"))]);
        page.content_hash(&output.content_hash);
        return;
    }
    output.written.show_end("", page);
}
