//! Links to code: what `accept` and `dismiss` do if the target is a symbol or file of the project instead of a page.

use crate::Context;
use crate::freshness::{Anchor, Targets};
use crate::graph::resolve::Destination;
use crate::hint::Next;
use crate::message;
use crate::ops::accept::{Output, Params};
use crate::ops::link_code::CodeSuggestion;
use crate::ops::page::{self, PageName, to_the_second};
use crate::ops::suggest_links::LinkPlace;
use crate::ops::written::WriteReport;
use crate::page::{Lines, LinkKind, add_to_list, body_start, parse};
use crate::ports::Target;
use crate::suggest::code::{self, CodeSpan, Name};
use crate::suggest::decisions::{self, Decision, Verdict};
use crate::suggest::line_around;
use crate::writing::links::World;
use crate::writing::{Change, Plan, RecordChange, Version, carry_out, expect};
use crate::{Error, Result, path, reported, word};

/// The key of front matter that names code, which decisions about code have as their type.
pub(crate) const KEY: &str = "source_refs";

/// A page, and the code that it should name.
pub(crate) struct Binding {
    page: i64,
    id: String,
    /// Path of the page.
    pub source: String,
    /// Path of the file, with the full name of the symbol after `#`.
    pub target: String,
}

impl Binding {
    /// The binding that is meant; `None` if `target` names a page, or neither a file nor a symbol.
    ///
    /// # Errors
    /// [`Error::PageNotFound`], [`Error::AmbiguousPage`] for the source; [`Error::InvalidParams`] for a symbol that its file
    /// does not define; [`Error::Database`], [`Error::Io`].
    pub(crate) fn find(context: &Context<'_>, source: &str, target: &str) -> Result<Option<Self>> {
        let is_page = context
            .index
            .read(|db| PageName { page: Some(target), ..PageName::default() }.require(db))
            .is_ok();
        let file = target.split('#').next().unwrap_or(target);
        if is_page || path::is_page(file) || !path::is_inside(file) {
            return Ok(None);
        }
        let target = match Anchor::of(context.source, target)? {
            Some(anchor) => match Targets::of([anchor]).target(context, anchor) {
                Some(Target::Symbol(symbol)) => format!("{}#{}", anchor.file, symbol.name),
                _ => {
                    return Err(Error::invalid(message!(
                        "{file} has no symbol '{name}'",
                        file = anchor.file,
                        name = anchor.name
                    )));
                }
            },
            None if context.source.stat_source(target)?.is_some() => target.to_owned(),
            None => return Ok(None),
        };
        let (page, id, source) = context.index.read(|db| {
            let page = PageName { page: Some(source), ..PageName::default() }.require(db)?;
            let fields = page::fields(db, page, None)?;
            Ok((page, fields.doc_id, fields.filepath))
        })?;
        Ok(Some(Self { page, id, source, target }))
    }

    /// The change that records a decision.
    pub(crate) fn decision(&self, context: &Context<'_>, decision: Verdict) -> Result<RecordChange> {
        decisions::change(&Decision {
            decision,
            source_id: self.id.clone(),
            target_id: self.target.clone(),
            link_type: Some(KEY.into()),
            source: self.source.clone(),
            target: self.target.clone(),
            at: to_the_second(context.clock.now()),
        })
    }

    /// Makes the link: around the code span, or as an entry of front matter if the type says so.
    ///
    /// # Errors
    /// As [`crate::ops::accept::run`].
    pub(crate) fn accept(&self, context: &Context<'_>, params: &Params) -> Result<Output> {
        let version = Version::read(context.source, &self.source)?;
        expect(context, params.expected_hash.as_deref(), &version)?;
        let Some(before) = version.bytes.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()) else {
            return Err(Error::invalid(message!(
                "{source}: not UTF-8; save it as UTF-8 first",
                source = self.source
            )));
        };
        let (place, link, after) = match params.link_type.as_deref() {
            None => {
                let (place, link, after) = self.linked(context, before, params)?;
                (Some(place), link, after)
            }
            Some(KEY) => {
                let after = add_to_list(&self.source, before, KEY, &self.target)?;
                (None, format!("{KEY}: {}", self.target), after)
            }
            Some(other) => {
                return Err(Error::invalid(message!(
                    "code is named by {key}, not by '{other}'",
                    key = KEY,
                    other
                )));
            }
        };
        let change = Change::edit(version.clone(), after.into_bytes());
        let content_hash = change.after.as_ref().map(|after| after.hash.to_string()).unwrap_or_default();
        let plan = Plan::new("accept", vec![change]).recording(self.decision(context, Verdict::Accepted)?);
        let written = carry_out(context, plan, params.dry_run)?;
        Ok(Output {
            source: self.source.clone(),
            target: self.target.clone(),
            place,
            link,
            content_hash,
            written: WriteReport::of(context, written, params.dry_run),
        })
    }

    /// The place, the link, and the page with it.
    fn linked(
        &self,
        context: &Context<'_>,
        text: &str,
        params: &Params,
    ) -> Result<(LinkPlace, String, String)> {
        let lines = Lines::new(text);
        let fits = |span: &&CodeSpan| {
            !span.heading
                && self.is_named_by(&span.text)
                && params.line.is_none_or(|line| line == lines.line_of(span.range.start))
                && params.text.as_ref().is_none_or(|text| *text == span.text)
        };
        let spans = code::code_spans(text, body_start(text));
        let Some(span) = spans.iter().find(fits) else {
            let expected = match params.line {
                Some(line) => reported!(
                    "a code span with the name of {target} on line {line}",
                    target = self.target,
                    line = line
                ),
                None => reported!(
                    "a code span with the name of {target} outside of headings",
                    target = self.target
                ),
            };
            return Err(Error::Conflict {
                path: self.source.clone(),
                expected,
                found: word!("none there").into(),
            });
        };
        let folder = path::join(context.pages_dir(), path::folder(&self.source)).unwrap_or_default();
        let address = code::destination(&folder, &self.target);
        let types = context.link_types();
        let refused = |link: &str| {
            let target = &self.target;
            Error::invalid(message!("{link} would not lead to {target}", link, target))
        };
        let (after, link) = code::linked(text, span, &address).ok_or_else(|| refused(&address))?;
        let (old, new) = (parse(text, &types), parse(&after, &types));
        let made = new.links.iter().find(|link| link.range.start == span.range.start);
        let file = self.target.split('#').next().unwrap_or_default();
        let leads_there = context.index.read(|db| {
            let Some(made) = made.filter(|made| made.kind == LinkKind::Markdown) else { return Ok(false) };
            let mut world = World::load(db, context.source, context.pages_dir())?;
            let led = world.resolve(made.kind, &made.target, self.page)?;
            Ok(matches!(led, Destination::Source(path) if path == file))
        })?;
        if !leads_there || new.links.len() != old.links.len() + 1 || new.front_matter != old.front_matter {
            return Err(refused(&link));
        }
        let place = LinkPlace {
            line: lines.line_of(span.range.start),
            text: span.text.clone(),
            context: line_around(text, &span.range),
        };
        Ok((place, link, after))
    }

    /// Whether the text of a code span is the name of the target, or the end of it.
    fn is_named_by(&self, text: &str) -> bool {
        match self.target.split_once('#') {
            Some((file, symbol)) => Name::read(text).is_some_and(|name| name.means(file, symbol)),
            None => {
                let text = text.trim().trim_start_matches("./").trim_start_matches("../");
                let before = self.target.strip_suffix(text);
                before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
            }
        }
    }
}

/// The call that accepts a suggestion.
pub(crate) fn accepting(source: &str, target: &str, place: Option<&LinkPlace>) -> Next {
    let accept = Next::call("accept").with("source", source).with("target", target);
    match place {
        Some(_) => accept,
        None => accept.with("type", KEY),
    }
}

/// The call that dismisses a suggestion.
pub(crate) fn dismissing(suggestion: &CodeSuggestion) -> Next {
    Next::call("dismiss")
        .with("source", suggestion.source.as_str())
        .with("target", suggestion.target.as_str())
}
