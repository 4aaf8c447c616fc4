//! Shows the differences between two states.

use crate::message::{Message, Style};

#[cfg(not(target_family = "wasm"))]
use super::BrokenClaim;
use super::{
    AffectedPage, BrokenLink, BrokenReason, ChangedLink, ChangedPage, ChangedSection, ComparedSide, Cycle,
    Output, SectionChange,
};
#[cfg(not(target_family = "wasm"))]
use crate::freshness::TouchedSource;
use crate::graph::impact::SOURCE_REFS;
use crate::message;
#[cfg(not(target_family = "wasm"))]
use crate::ops::touched::TouchedPage;
use crate::ops::way::StepDirection;
use crate::path;
use crate::show::{Page, Span, counted, what_is_wrong};

/// Shows all differences, changed pages first.
pub fn show(output: &Output, page: &mut dyn Page) {
    let sides = message!("{from} -> {to}", from = output.from.name(), to = output.to.name());
    page.line(&[Span::faint(&sides)]);
    let pages = &output.pages;
    for (style, label, pages) in [
        (Style::Strong, message!("added"), &pages.added),
        (Style::Alarm, message!("removed"), &pages.removed),
        (Style::Strong, message!("moved"), &pages.renamed),
        (Style::Strong, message!("changed"), &pages.changed),
    ] {
        pages.iter().for_each(|changed| show_page(Span::Said(style, &label), changed, page));
    }
    for (style, label, links) in [
        (Style::Strong, message!("link +"), &output.links.added),
        (Style::Alarm, message!("link -"), &output.links.removed),
    ] {
        links.iter().for_each(|link| show_link(Span::Said(style, &label), link, page));
    }
    output.broken_links.iter().for_each(|broken| show_broken(broken, page));
    #[cfg(not(target_family = "wasm"))]
    output.broken_claims.iter().for_each(|broken| show_claim(broken, page));
    for mended in &output.mended_links {
        let (label, place) = (message!("fixed"), Span::Path(&mended.filepath));
        let (label, target) = (Span::strong(&label), Span::Code(&mended.target));
        page.line(&[Span::said(&match &mended.leads_to {
            Some(to) => {
                message!("{label}  {place} -> {target}  leads to {to}", label, place, target, to = end(to))
            }
            None => message!("{label}  {place} -> {target}  the link is gone", label, place, target),
        })]);
    }
    for (style, label, cycles) in [
        (Style::Alarm, message!("new cycle"), &output.cycles.added),
        (Style::Strong, message!("cycle gone"), &output.cycles.removed),
    ] {
        cycles.iter().for_each(|cycle| show_cycle(Span::Said(style, &label), cycle, page));
    }
    for stale in &output.staleness.stale {
        for source in &stale.stale_refs {
            page.line(&[Span::said(&message!(
                "{label}  {path} — {file} {wrong}",
                label = Span::alarm(&message!("stale")),
                path = Span::Path(&stale.filepath),
                file = Span::File(&source.file_path),
                wrong = what_is_wrong(source)
            ))]);
        }
    }
    for (style, label, paths) in [
        (Style::Strong, message!("fresh again"), &output.staleness.fresh),
        (Style::Alarm, message!("new orphan"), &output.orphans.added),
        (Style::Strong, message!("no longer an orphan"), &output.orphans.removed),
    ] {
        paths.iter().for_each(|path| {
            page.line(&[Span::Said(style, &label), Span::Text("  "), Span::Path(path)]);
        });
    }
    #[cfg(not(target_family = "wasm"))]
    for touched in &output.touched {
        for source in touched.sources.iter().filter(|_| touched.is_due(true)) {
            show_touched(touched, source, page);
        }
    }
    output.impact.iter().for_each(|affected| show_affected(affected, page));
    page.note(&[Span::said(&output.summary())]);
    output.notes.iter().for_each(|note| page.warn(&[Span::said(note)]));
    if let Some(index) = output.index.as_ref().filter(|index| !index.fresh) {
        index.show(page);
    }
}

fn show_page(label: Span<'_>, changed: &ChangedPage, page: &mut dyn Page) {
    let mut line = vec![label, Span::Text("  ")];
    if let Some(from) = &changed.previous_filepath {
        line.extend([Span::Path(from), Span::Text(" -> ")]);
    }
    line.extend([Span::Path(&changed.filepath), Span::Text("  "), Span::Text(&changed.title)]);
    let certainty = changed
        .confidence
        .map(|share| message!("  (confidence {confidence})", confidence = format!("{share:.2}")));
    line.extend(certainty.iter().map(Span::faint));
    page.line(&line);
    for section in &changed.sections {
        page.detail(&[Span::Text(section.change.sign()), Span::Text(" "), Span::said(&section.heading())]);
    }
    if !changed.fields.is_empty() {
        page.detail(&[Span::said(&message!("front matter: {fields}", fields = changed.fields.join(", ")))]);
    }
}

fn show_link(label: Span<'_>, link: &ChangedLink, page: &mut dyn Page) {
    let to = match (&link.to, &link.source_path) {
        (Some(path), _) => Span::Path(path),
        (None, Some(file)) => Span::File(file),
        (None, None) => Span::Text(""),
    };
    let link_type = format!("  {}", link.link_type);
    let from = Span::Path(&link.from);
    page.line(&[label, Span::Text("  "), from, Span::Text(" -> "), to, Span::Faint(&link_type)]);
}

fn show_broken(broken: &BrokenLink, page: &mut dyn Page) {
    let (place, target) = (Span::Place(&broken.filepath, broken.line), Span::Code(&broken.target));
    let label = message!("broken");
    let label = Span::alarm(&label);
    let led_to = broken.led_to.as_deref().map(end);
    page.line(&[Span::said(&match (broken.reason, &broken.moved_to, led_to) {
        (BrokenReason::TargetMoved, Some(to), Some(led_to)) => message!(
            "{label}  {place} -> {target}  {led_to} was moved to {to}",
            label,
            place,
            target,
            led_to,
            to = Span::Path(to)
        ),
        (BrokenReason::NameChanged, _, Some(led_to)) => {
            message!(
                "{label}  {place} -> {target}  {led_to} no longer has this name",
                label,
                place,
                target,
                led_to
            )
        }
        (BrokenReason::HeadingMissing, _, Some(led_to)) => {
            message!(
                "{label}  {place} -> {target}  {led_to} does not have this heading or block",
                label,
                place,
                target,
                led_to
            )
        }
        (BrokenReason::TargetRemoved | BrokenReason::TargetMoved, _, Some(led_to)) => {
            message!("{label}  {place} -> {target}  {led_to} was removed", label, place, target, led_to)
        }
        (BrokenReason::TargetRemoved | BrokenReason::TargetMoved, _, None) => {
            message!("{label}  {place} -> {target}  its target was removed", label, place, target)
        }
        (BrokenReason::NewLink | BrokenReason::NameChanged | BrokenReason::HeadingMissing, ..) => {
            message!("{label}  {place} -> {target}  no page has this name", label, place, target)
        }
    })]);
}

#[cfg(not(target_family = "wasm"))]
fn show_claim(broken: &BrokenClaim, page: &mut dyn Page) {
    let label = message!("untrue");
    let (label, place) = (Span::alarm(&label), Span::Place(&broken.filepath, broken.line));
    let claim = Span::Code(&broken.claim.text);
    let told = match (&broken.claim.commit, &broken.claim.subject) {
        (Some(commit), Some(subject)) => message!(
            "{label}  {place} says {claim}  removed in {commit} ({subject})",
            label,
            place,
            claim,
            commit = short(commit),
            subject
        ),
        _ => message!("{label}  {place} says {claim}  removed by this change", label, place, claim),
    };
    page.line(&[Span::Quoted(&match &broken.claim.now {
        Some(new) => message!("{told}; it is now {new}", told, new),
        None => told,
    })]);
}

fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

fn show_cycle(label: Span<'_>, cycle: &Cycle, page: &mut dyn Page) {
    let mut line = vec![label, Span::Text("  ")];
    for (at, path) in cycle.way.iter().chain(cycle.way.first()).enumerate() {
        line.extend((at > 0).then_some(Span::Text(" -> ")));
        line.push(Span::Path(path));
    }
    let more = cycle.page_count.saturating_sub(cycle.way.len());
    let more = message!("(and {more})", more = counted(more, "more page", "more pages"));
    if cycle.page_count > cycle.way.len() {
        line.extend([Span::Text(" "), Span::said(&more)]);
    }
    page.line(&line);
}

#[cfg(not(target_family = "wasm"))]
fn show_touched(touched: &TouchedPage, source: &TouchedSource, page: &mut dyn Page) {
    let label = message!("read again");
    let line = source.sections.first().map(|section| section.line);
    let filepath = &touched.page.filepath;
    let told = message!(
        "{label}  {path} — {file} {wrong}",
        label = if source.is_serious() { Span::alarm(&label) } else { Span::strong(&label) },
        path = line.map_or(Span::Path(filepath), |line| Span::Place(filepath, line)),
        file = Span::File(&source.source),
        wrong = source.what_happened()
    );
    let headings = source.headings();
    page.line(&[Span::Quoted(&match headings.is_empty() {
        true => told,
        false => message!("{told} (in: {sections})", told, sections = headings.join(", ")),
    })]);
}

fn show_affected(affected: &AffectedPage, page: &mut dyn Page) {
    page.line(&[Span::said(&message!(
        "affected  {score}  {path}  {title}",
        score = format!("{:.2}", affected.score),
        path = Span::Path(&affected.filepath),
        title = affected.title
    ))]);
    let mut way = Vec::new();
    for step in &affected.path {
        if way.is_empty() {
            let names_a_file = step.link_type == SOURCE_REFS;
            way.push(if names_a_file { Span::File(&step.from) } else { end(&step.from) });
        }
        let arrow = if step.direction == StepDirection::Outgoing { " -> " } else { " <- " };
        let (to, link_type) = (Span::Path(&step.to), Span::Faint(&step.link_type));
        way.extend([Span::Text(arrow), to, Span::Faint(" ("), link_type, Span::Faint(")")]);
    }
    page.detail(&way);
}

/// The target of a link: a page, or a file of the project.
fn end(at: &str) -> Span<'_> {
    if path::is_page(at) { Span::Path(at) } else { Span::File(at) }
}

impl Output {
    /// A summary in one line.
    pub fn summary(&self) -> Message {
        let (pages, links) = (&self.pages, &self.links);
        let counts = [
            (pages.added.len(), counted(pages.added.len(), "page added", "pages added")),
            (pages.removed.len(), counted(pages.removed.len(), "page removed", "pages removed")),
            (pages.renamed.len(), counted(pages.renamed.len(), "page moved", "pages moved")),
            (pages.changed.len(), counted(pages.changed.len(), "page changed", "pages changed")),
            (links.added.len(), counted(links.added.len(), "link added", "links added")),
            (links.removed.len(), counted(links.removed.len(), "link removed", "links removed")),
            (self.broken_links.len(), counted(self.broken_links.len(), "link broke", "links broke")),
            #[cfg(not(target_family = "wasm"))]
            {
                let untrue = self.broken_claims.len();
                (untrue, counted(untrue, "claim broke", "claims broke"))
            },
            (self.mended_links.len(), counted(self.mended_links.len(), "link fixed", "links fixed")),
            (
                self.cycles.added.len(),
                counted(self.cycles.added.len(), "new dependency cycle", "new dependency cycles"),
            ),
            (
                self.staleness.stale.len(),
                counted(self.staleness.stale.len(), "page became stale", "pages became stale"),
            ),
            (
                self.staleness.fresh.len(),
                counted(self.staleness.fresh.len(), "page fresh again", "pages fresh again"),
            ),
            #[cfg(not(target_family = "wasm"))]
            {
                let due = self.touched.iter().filter(|page| page.is_due(true)).count();
                (due, counted(due, "page to read again", "pages to read again"))
            },
            (self.total_affected, counted(self.total_affected, "page affected", "pages affected")),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<Message> = counts.map(|(_, told)| told).collect();
        if parts.is_empty() { message!("the graph is the same") } else { Message::joined(parts, ", ") }
    }
}

impl ComparedSide {
    /// Its name for people.
    pub fn name(&self) -> Message {
        match (&self.revision, &self.commit) {
            (Some(revision), Some(commit)) if !commit.starts_with(revision.as_str()) => {
                Message::verbatim(format!("{revision} ({})", short(commit)))
            }
            (_, Some(commit)) => Message::verbatim(short(commit)),
            (Some(revision), None) => Message::verbatim(revision),
            (None, None) => message!("the working folder"),
        }
    }
}

impl SectionChange {
    /// The sign before the section in a list.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Added => "+",
            Self::Changed => "~",
            Self::Removed => "-",
        }
    }
}

impl ChangedSection {
    /// Its heading after its parent headings.
    pub fn heading(&self) -> Message {
        match self.heading_path.as_slice() {
            [] => message!("(before the first heading)"),
            path => Message::verbatim(path.join(" > ")),
        }
    }
}
