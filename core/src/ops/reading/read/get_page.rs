//! One page with its text, links and freshness.

use crate::message::Message;
use std::collections::BTreeMap;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
#[cfg(not(target_family = "wasm"))]
use crate::excerpt::Excerpts;
use crate::freshness::{self, StaleRef};
use crate::index::questions::links::{self, LinkRow};
use crate::index::questions::names;
use crate::index::questions::pages;
use crate::index::questions::sections::{self, SectionRow};
use crate::message;
use crate::ops::bounds;
use crate::ops::budget::{self, Excess, Omitted};
use crate::ops::code::{self, CodePart};
use crate::ops::page::{IndexState, LinkInfo, PageFields, PageName, fields};
use crate::ops::provenance::{self, Provenance};
use crate::ops::{Facts, Tool};
#[cfg(not(target_family = "wasm"))]
use crate::page::{LinkKind, Value};
use crate::ports::ContentHash;
#[cfg(not(target_family = "wasm"))]
use crate::query::{Queries, Question, base_and_view, questions_in};
#[cfg(not(target_family = "wasm"))]
use crate::render::Attachments;
use crate::show::{Page, Span, counted, title_spans, to_the_second, what_is_wrong};
use crate::{Error, Result, text};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading("Read a page or one section: text, links both ways, freshness.")
    .tool(Tool::Core)
    .quoting_pages()
    .command("get");

/// The page or section to read.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page: path, id, title or alias.
    pub page: Option<String>,
    /// Its path, instead of `page`.
    pub filepath: Option<String>,
    /// Its title, instead of `page`.
    #[schemars(extend("deprecated" = true))]
    pub title: Option<String>,
    /// Its id, instead of `page`.
    #[schemars(extend("deprecated" = true))]
    pub id: Option<String>,
    /// Only this section and those below: a `section_id`.
    pub section: Option<String>,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
    /// Also signatures of symbols it names.
    #[serde(default)]
    pub code: bool,
    /// Whether to answer its queries and to add the code that its blocks show (default: true). Programs that show
    /// `render_page` have both there.
    #[schemars(extend("x-for-programs" = true))]
    pub answers: Option<bool>,
}

/// The page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page's metadata.
    #[serde(flatten)]
    pub page: PageFields,
    /// SHA-256 of the file, for `expected_hash`.
    pub content_hash: String,
    /// The requested section; absent for the whole page.
    pub section: Option<String>,
    /// Text of the sections, without front matter.
    pub content: String,
    /// Its sections in order.
    pub sections: Vec<PageSection>,
    /// Answers of its `ubp` queries and bases, as Markdown.
    pub answers: Vec<String>,
    /// Code that its `ubp-source` blocks show, then with `code` the signatures of symbols that it names.
    #[schemars(extend("x-for-programs" = true))]
    pub code: Vec<CodePart>,
    /// Excerpts of code omitted to fit.
    #[schemars(extend("x-for-programs" = true))]
    pub omitted_code: usize,
    /// Sections omitted to fit; request them with `section`.
    pub omitted_sections: Vec<OmittedSection>,
    /// Front matter as written.
    pub front_matter: serde_json::Map<String, serde_json::Value>,
    /// What its front matter says about its origin, in the Open Knowledge Format; absent if nothing.
    #[schemars(extend("x-for-programs" = true))]
    pub provenance: Option<Provenance>,
    /// Other names of the page.
    pub aliases: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Links from the page, or from the requested section.
    pub outlinks: Vec<LinkInfo>,
    /// Links to the page.
    pub backlinks: Vec<LinkInfo>,
    /// Sources that changed since the page did.
    pub stale_refs: Vec<String>,
    /// The same sources with times and reasons.
    pub stale_ref_details: Vec<StaleRef>,
    /// Parts omitted to fit `max_tokens`.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A section of the page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PageSection {
    /// Id of the section within its page.
    pub section_id: String,
    /// Its heading; empty before the first heading.
    pub heading: String,
    /// 1 to 6; 0 before the first heading.
    pub level: u8,
    /// First and last line in the file, from 1.
    pub lines: [usize; 2],
    /// Its text, including the heading line.
    pub content: String,
}

/// A section whose text was omitted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OmittedSection {
    /// Id of the section within its page.
    pub section_id: String,
    /// First and last line in the file, from 1.
    pub lines: [usize; 2],
    /// Tokens in its text.
    pub tokens: usize,
}

/// Reads the page.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`], [`Error::InvalidParams`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    run_with(context, params, |_, _| Ok(()))
}

/// Reads the page, and lets `complete` change what is known about its links; it gets the number of the page.
pub(crate) fn run_with(
    context: &Context<'_>,
    params: Params,
    complete: impl FnOnce(i64, &mut Output) -> Result<()>,
) -> Result<Output> {
    let name = PageName::of(&params.page, &params.filepath, &params.title, &params.id);
    let page = context.index.read(|db| name.require(db))?;
    let mut assessment = freshness::assess(context, Some(&[page]))?.remove(&page);
    if let Some(assessment) = &mut assessment {
        freshness::name_renames(context, [assessment])?;
    }
    let state = context.index_state()?;
    let mut output = context.index.read(|db| {
        let sections = sections(db, page, params.section.as_deref())?;
        let mut outlinks = outlinks(db, page)?;
        if params.section.is_some() {
            outlinks.retain_mut(|link| {
                link.lines.retain(|line| sections.iter().any(|s| (s.lines[0]..=s.lines[1]).contains(line)));
                !link.lines.is_empty()
            });
        }
        let stale_ref_details = assessment.as_ref().map(|a| a.stale_refs.clone()).unwrap_or_default();
        Ok(Output {
            page: fields(db, page, assessment.as_ref())?,
            content_hash: ContentHash(pages::hash(db, page)?).to_string(),
            section: params.section.clone(),
            content: sections.iter().map(|section| section.content.as_str()).collect(),
            sections,
            answers: Vec::new(),
            code: Vec::new(),
            omitted_code: 0,
            omitted_sections: Vec::new(),
            front_matter: serde_json::from_str(&pages::front_matter(db, page)?).unwrap_or_default(),
            provenance: None,
            aliases: names::aliases(db, page)?,
            tags: names::tags(db, page)?,
            outlinks,
            backlinks: backlinks(db, page)?,
            stale_refs: stale_ref_details.iter().map(|stale| stale.file_path.clone()).collect(),
            stale_ref_details,
            omitted: Omitted::default(),
            index: state,
        })
    })?;
    #[cfg(not(target_family = "wasm"))]
    {
        let front_matter = context.index.read(|db| pages::front_matter(db, page))?;
        output.provenance = match serde_json::from_str(&front_matter) {
            Ok(Value::Map(fields)) => Provenance::of(&fields),
            _ => None,
        };
    }
    #[cfg(not(target_family = "wasm"))]
    if params.answers != Some(false) {
        output.answers = answers(context, &output)?;
    }
    #[cfg(not(target_family = "wasm"))]
    {
        let excerpts = Excerpts::new(context);
        let mut found = code::PageCode::default();
        let parts: Vec<code::Part<'_>> =
            output.sections.iter().map(|section| (section.lines, section.content.as_str())).collect();
        if params.answers != Some(false) {
            found.add_blocks(&excerpts, parts.iter().copied())?;
        }
        if params.code {
            let within = params.section.is_some().then_some(parts.as_slice());
            found.add_signatures(context, &excerpts, page, within)?;
        }
        (output.code, output.omitted_code) = (found.parts, found.left_out);
    }
    complete(page, &mut output)?;
    budget::fit(context, &mut output, params.max_tokens, show, shrink)?;
    Ok(output)
}

#[cfg(not(target_family = "wasm"))]
fn answers(context: &Context<'_>, output: &Output) -> Result<Vec<String>> {
    let queries = Queries::new(context);
    let attachments = Attachments::new(context.source, context.pages_dir());
    let page = output.page.filepath.as_str();
    let mut answers = Vec::new();
    for question in output.sections.iter().flat_map(|section| questions_in(&section.content)) {
        let answer = match &question {
            Question::Block { info, text } => queries.block(page, info, text)?,
            Question::Embed(target) => match attachments.find(LinkKind::Embed, target, page)? {
                Some(file) => queries.file(page, &file, base_and_view(target).1)?,
                // A broken link, which `outlinks` lists.
                None => continue,
            },
        };
        answers.push(answer.map_or_else(|reason| format!("{reason}\n"), String::from));
    }
    Ok(answers)
}

fn sections(db: &Connection, page: i64, wanted: Option<&str>) -> Result<Vec<PageSection>> {
    let section = |row: SectionRow| PageSection {
        section_id: row.section_id,
        heading: bounds::title(row.heading_path.last().cloned().unwrap_or_default()),
        level: row.level,
        lines: row.lines.into(),
        content: row.text,
    };
    let all: Vec<PageSection> = sections::of_page(db, page)?.into_iter().map(section).collect();
    let Some(wanted) = wanted else { return Ok(all) };
    let below = format!("{wanted}/");
    let known: Vec<String> = all.iter().map(|section| section.section_id.clone()).collect();
    let chosen: Vec<PageSection> = all
        .into_iter()
        .filter(|section| section.section_id == wanted || section.section_id.starts_with(&below))
        .collect();
    if chosen.is_empty() {
        return Err(Error::invalid(message!(
            "the page has no section '{wanted}'; it has {known}",
            wanted,
            known = known.join(", ")
        )));
    }
    Ok(chosen)
}

/// Links of the page, one per target and type, in order of appearance.
pub(crate) fn outlinks(db: &Connection, page: i64) -> Result<Vec<LinkInfo>> {
    Ok(link_infos(links::from_page(db, page)?))
}

/// Links to the page, one per source and type, by the source's path.
pub(crate) fn backlinks(db: &Connection, page: i64) -> Result<Vec<LinkInfo>> {
    Ok(link_infos(links::to_page(db, page)?))
}

fn link_infos(links: Vec<LinkRow>) -> Vec<LinkInfo> {
    let mut infos: Vec<LinkInfo> = Vec::new();
    let mut places: BTreeMap<(Option<String>, String, String), usize> = BTreeMap::new();
    for link in links {
        let key = (link.path.clone(), link.title.clone(), link.link_type.clone());
        match places.get(&key) {
            Some(&at) => infos[at].lines.push(link.line),
            None => {
                places.insert(key, infos.len());
                infos.push(LinkInfo {
                    doc_id: link.doc_id,
                    filepath: link.path,
                    source_path: link.source,
                    title: bounds::title(link.title),
                    link_type: link.link_type,
                    link_context: link.context,
                    lines: vec![link.line],
                });
            }
        }
    }
    infos
}

/// Omits first what can be requested separately: the second copy of the text, the ends of long lists, and whole
/// sections, whose ids stay. Text is cut last.
fn shrink(output: &mut Output, excess: Excess) -> bool {
    /// A text of this many tokens is worth more than the lists.
    const TEXT: usize = 100;
    let excess = excess.tokens();
    // The answer contains the text twice, so the joined copy is dropped first.
    if !output.content.is_empty() && output.sections.len() > 1 {
        output.content.clear();
        output.omitted.text_cut = true;
        return true;
    }
    if code::leave_out(&mut output.code, &mut output.omitted_code, excess, false) {
        return true;
    }
    for links in [&mut output.backlinks, &mut output.outlinks] {
        if halve(links, 10) {
            return true;
        }
    }
    if halve(&mut output.answers, 1)
        || code::leave_out(&mut output.code, &mut output.omitted_code, excess, true)
    {
        return true;
    }
    if output.sections.len() > 1 {
        leave_out_sections(output, excess);
        return true;
    }
    output.omitted.text_cut |= !output.content.is_empty();
    output.content.clear();
    let shortened = halve(&mut output.answers, 0)
        || halve(&mut output.stale_ref_details, 3)
        || halve(&mut output.omitted_sections, 40)
        || halve(&mut output.backlinks, 3)
        || halve(&mut output.outlinks, 3);
    if shortened {
        return true;
    }
    let text = output.sections.first().map_or(0, |section| text::estimate_tokens(&section.content));
    if let Some(section) = output.sections.first_mut().filter(|_| text > excess + TEXT) {
        output.omitted.text_cut = true;
        return budget::cut(&mut section.content, excess);
    }
    let shortened = halve(&mut output.omitted_sections, 0)
        || halve(&mut output.backlinks, 0)
        || halve(&mut output.outlinks, 0)
        || halve(&mut output.stale_ref_details, 0)
        || halve(&mut output.stale_refs, 0)
        || halve(&mut output.aliases, 0)
        || halve(&mut output.tags, 0);
    if shortened {
        return true;
    }
    if !output.front_matter.is_empty() {
        output.provenance = None;
        output.front_matter.clear();
        output.omitted.text_cut = true;
        return true;
    }
    if let Some(section) = output.sections.first_mut() {
        output.omitted.text_cut = true;
        if budget::cut(&mut section.content, excess) {
            return true;
        }
    }
    let sections = std::mem::take(&mut output.sections);
    output.omitted.sections += sections.len();
    !sections.is_empty()
}

/// Removes the second half of a list, but keeps at least `least` items.
fn halve<T>(list: &mut Vec<T>, least: usize) -> bool {
    if list.len() <= least {
        return false;
    }
    list.truncate(least.max(list.len() / 2));
    true
}

/// Replaces sections by their ids, from the end, until the excess is saved; the first one stays.
fn leave_out_sections(output: &mut Output, excess: usize) {
    let mut saved = 0;
    while saved < excess.max(1) && output.sections.len() > 1 {
        let Some(section) = output.sections.pop() else { break };
        let tokens = text::estimate_tokens(&section.content);
        saved += tokens;
        output.omitted.sections += 1;
        let PageSection { section_id, lines, .. } = section;
        output.omitted_sections.insert(0, OmittedSection { section_id, lines, tokens });
    }
}

/// Shows a page with its links.
pub fn show(output: &Output, page: &mut dyn Page) {
    let fields = &output.page;
    page.heading(&title_spans(&fields.filepath, &fields.title, fields.staleness));
    let updated = to_the_second(&fields.updated_at);
    let kind = Span::Label(&fields.doc_type);
    page.line(&[Span::faint(&message!("{kind} · updated {updated}", kind, updated))]);
    if !output.tags.is_empty() {
        page.line(&[Span::said(&message!(
            "{label} {tags}",
            label = Span::faint(&message!("tags:")),
            tags = Span::Label(&bounds::tag_line(&output.tags))
        ))]);
    }
    if let Some(provenance) = &output.provenance {
        provenance::show(provenance, page);
    }
    page.content_hash(&output.content_hash);
    for stale in &output.stale_ref_details {
        page.line(&[Span::alarm(&message!(
            "{file} {wrong}",
            file = Span::File(&stale.file_path),
            wrong = what_is_wrong(stale)
        ))]);
    }
    page.gap();
    for section in &output.sections {
        page.handle("section", &section.section_id);
        page.text(&section.content);
        page.gap();
    }
    for (number, answer) in output.answers.iter().enumerate() {
        page.heading(&[Span::strong(&message!("Answer of query {number}", number = number + 1))]);
        page.text(answer);
        page.gap();
    }
    code::show(&output.code, output.omitted_code, page);
    if !output.omitted_sections.is_empty() {
        page.heading(&[Span::strong(&message!("More sections"))]);
    }
    for section in &output.omitted_sections {
        let [first, last] = section.lines;
        page.item(&[Span::said(&message!(
            "{section}, lines {first}-{last}, {tokens} tokens",
            section = Span::Code(&section.section_id),
            first,
            last,
            tokens = section.tokens
        ))]);
    }
    show_links(&message!("Links to"), &output.outlinks, page);
    match (&output.section, output.backlinks.len()) {
        (None, _) => show_links(&message!("Linked from"), &output.backlinks, page),
        (Some(_), 0) => {}
        (Some(_), count) => {
            let pages = counted(count, "link leads", "links lead");
            page.note(&[Span::said(&message!("{pages} to this page; the whole page lists them", pages))]);
        }
    }
    output.omitted.show(
        |count| counted(count, "page", "pages"),
        message!("`section` reads a part of the page"),
        page,
    );
    output.index.show(page);
}

fn show_links(title: &Message, links: &[LinkInfo], page: &mut dyn Page) {
    if links.is_empty() {
        return;
    }
    page.heading(&[Span::strong(&message!("{title} ({count})", title, count = links.len()))]);
    for link in links {
        let place = match (&link.filepath, &link.source_path) {
            (Some(path), _) => Span::Path(path),
            (None, Some(source)) => Span::File(source),
            (None, None) => Span::Words(&link.title),
        };
        let is_broken = link.filepath.is_none() && link.source_path.is_none();
        let broken = match is_broken {
            true => message!(" (no such page)"),
            false => Message::verbatim(""),
        };
        let kind = format!(" ({})  ", link.link_type);
        page.item(&[place, Span::alarm(&broken), Span::Faint(&kind), Span::Words(&link.link_context)]);
    }
}
