//! What is shown of the place that a link leads to, as Markdown.

use super::{OpenPage, PlaceInPage, changed_sources, described};
use crate::drafts::Drafts;
use crate::freshness::{self, Staleness};
use crate::index::questions::links;
use crate::message;
use crate::message::{Language, Message};
use crate::ports::Target;
use crate::show::{counted, what_is_wrong};
use crate::source_text::SourceText;
use crate::{Context, Result};

/// Maximum characters of a page or a piece of code.
const MOST: usize = 1_200;
/// Maximum lines of it.
const MOST_LINES: usize = 30;

/// The beginning of the page, section or block, with its freshness and the number of links to it.
///
/// # Errors
/// [`crate::Error::Database`], [`crate::Error::Io`].
pub fn page_preview(
    context: &Context<'_>,
    drafts: &Drafts,
    place: &PlaceInPage,
    language: Language,
) -> Result<String> {
    let open = OpenPage::of(context, drafts, &place.path)?;
    let mut facts: Vec<Message> = Vec::new();
    if let Some(number) = open.number {
        let assessments = freshness::assess(context, Some(&[number]))?;
        match assessments.get(&number).map(|assessment| assessment.staleness) {
            Some(Staleness::Fresh) => facts.push(message!("up to date")),
            Some(Staleness::Stale | Staleness::PossiblyStale) => {
                let changed = changed_sources(context, &open)?;
                facts.extend(changed.iter().take(3).map(|source| {
                    let (file, wrong) = (&source.stale.file_path, what_is_wrong(&source.stale));
                    message!("{file} {wrong}", file, wrong)
                }));
                if changed.len() > 3 {
                    facts.push(message!("{count} more sources changed", count = changed.len() - 3));
                }
            }
            Some(Staleness::Untracked) | None => {}
        }
        let from = context.index.read(|db| links::to_page(db, number))?;
        facts.push(counted(from.len(), "link from another page", "links from other pages"));
    }
    let start = match place.line {
        Some(line) if place.anchor.is_some() => open.line(line).start,
        // The title is told above.
        _ => {
            match open.page.sections.first().filter(|first| first.level == 1 && open.title() == first.heading)
            {
                Some(first) => open.line(first.lines.0).end,
                None => open.page.front_matter.range.end,
            }
        }
    };
    let is_block = place.anchor.as_deref().is_some_and(|anchor| anchor.contains('^'));
    let rest = open.text.get(start..).unwrap_or_default();
    let body = match open.section_at(start).filter(|_| place.anchor.is_some()) {
        _ if is_block => rest.lines().next().unwrap_or_default(),
        // With the sections below it.
        Some(section) => {
            let below =
                open.page.sections.iter().skip_while(|other| other.range.start <= section.range.start);
            let end =
                below.take_while(|other| other.level > section.level).map(|other| other.range.end).last();
            open.text.get(start..end.unwrap_or(section.range.end)).unwrap_or_default()
        }
        None => rest,
    };
    let told: Vec<String> = facts.iter().map(|fact| fact.in_language(language)).collect();
    let title = format!("**{}** `{}`", escaped(open.title()), place.path);
    Ok(format!("{title}  \n*{}*\n\n---\n\n{}", told.join(" · "), beginning(body.trim())))
}

/// The signature and comment of a symbol, or the beginning of a file, and the pages that describe it.
///
/// # Errors
/// As [`described`].
pub fn source_preview(
    context: &Context<'_>,
    path: &str,
    symbol: Option<&str>,
    language: Language,
) -> Result<String> {
    let read = SourceText::read(context, path)?;
    let fence = path.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    let told = match &read.text {
        Err(problem) => read.told(*problem).in_language(language),
        Ok(text) => {
            let found = symbol.map(|name| context.symbols.find(path, text.as_bytes(), &[name]));
            let part = match found.and_then(|mut found| found.pop()) {
                Some(Target::Symbol(symbol)) => symbol.parts.into_iter().next(),
                _ => None,
            };
            let piece = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().trim_end();
            let code = match &part {
                Some(part) => match part.doc.clone() {
                    Some(doc) if doc.start < part.signature.start => {
                        format!("{}\n{}", piece(doc), piece(part.signature.clone()))
                    }
                    Some(doc) => piece(part.signature.start..doc.end.max(part.signature.end)).to_owned(),
                    None => piece(part.signature.clone()).to_owned(),
                },
                None => text.clone(),
            };
            let code = beginning(&code);
            let marks = "`".repeat(longest_run(&code, '`').max(2) + 1);
            format!("{marks}{fence}\n{code}\n{marks}")
        }
    };
    let name = symbol.map_or_else(|| path.to_owned(), |symbol| format!("{path}#{symbol}"));
    let mut preview = format!("`{name}`\n\n{told}");
    let all = described(context, path, None)?;
    let of_it = all.iter().filter(|described| symbol.is_none() || described.symbol.as_deref() == symbol);
    let mut pages: Vec<String> = of_it.flat_map(|described| &described.sections).map(named).collect();
    pages.dedup();
    if !pages.is_empty() {
        let label = message!("Described in {pages}", pages = pages.join(", ")).in_language(language);
        preview.push_str(&format!("\n\n{label}"));
    }
    Ok(preview)
}

fn named(section: &super::Describing) -> String {
    match &section.heading {
        Some(heading) if *heading != section.title => format!("{} › {heading}", section.title),
        _ => section.title.clone(),
    }
}

fn beginning(text: &str) -> String {
    let mut kept = String::new();
    for (at, line) in text.lines().enumerate() {
        if at >= MOST_LINES || kept.chars().count() + line.chars().count() > MOST {
            if kept.is_empty() {
                kept = line.chars().take(MOST).collect();
            }
            return format!("{}\n…", kept.trim_end());
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept.trim_end().to_owned()
}

fn longest_run(text: &str, wanted: char) -> usize {
    text.split(|c| c != wanted).map(str::len).max().unwrap_or_default()
}

fn escaped(title: &str) -> String {
    let special = |c: char| matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|');
    title.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}
