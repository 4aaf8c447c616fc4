//! Shows the differences between two states.

use std::fmt;

use super::{
    AffectedPage, BrokenLink, BrokenReason, ChangedLink, ChangedPage, ChangedSection, ComparedSide, Cycle,
    Output, SectionChange,
};
use crate::graph::impact::SOURCE_REFS;
use crate::ops::way::StepDirection;
use crate::path;
use crate::show::{Page, Span, counted, what_is_wrong};

/// Shows all differences, changed pages first.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.line(&[Span::Faint(&format!("{} -> {}", output.from, output.to))]);
    let pages = &output.pages;
    for (label, pages) in [
        (Span::Strong("added"), &pages.added),
        (Span::Alarm("removed"), &pages.removed),
        (Span::Strong("moved"), &pages.renamed),
        (Span::Strong("changed"), &pages.changed),
    ] {
        pages.iter().for_each(|changed| show_page(label, changed, page));
    }
    for (label, links) in
        [(Span::Strong("link +"), &output.links.added), (Span::Alarm("link -"), &output.links.removed)]
    {
        links.iter().for_each(|link| show_link(label, link, page));
    }
    output.broken_links.iter().for_each(|broken| show_broken(broken, page));
    for mended in &output.mended_links {
        let (place, target) = (Span::Path(&mended.filepath), Span::Code(&mended.target));
        let mut line = vec![Span::Strong("fixed"), Span::Text("  "), place, Span::Text(" -> "), target];
        match &mended.leads_to {
            Some(to) => line.extend([Span::Text("  leads to "), end(to)]),
            None => line.push(Span::Text("  the link is gone")),
        }
        page.line(&line);
    }
    for (label, cycles) in [
        (Span::Alarm("new cycle"), &output.cycles.added),
        (Span::Strong("cycle gone"), &output.cycles.removed),
    ] {
        cycles.iter().for_each(|cycle| show_cycle(label, cycle, page));
    }
    for stale in &output.staleness.stale {
        for source in &stale.stale_refs {
            let (place, file) = (Span::Path(&stale.filepath), Span::File(&source.file_path));
            let wrong = format!(" {}", what_is_wrong(source));
            let label = Span::Alarm("stale");
            page.line(&[label, Span::Text("  "), place, Span::Text(" — "), file, Span::Text(&wrong)]);
        }
    }
    for (label, paths) in [
        (Span::Strong("fresh again"), &output.staleness.fresh),
        (Span::Alarm("new orphan"), &output.orphans.added),
        (Span::Strong("no longer an orphan"), &output.orphans.removed),
    ] {
        paths.iter().for_each(|path| page.line(&[label, Span::Text("  "), Span::Path(path)]));
    }
    output.impact.iter().for_each(|affected| show_affected(affected, page));
    page.note(&[Span::Text(&output.summary())]);
    output.notes.iter().for_each(|note| page.warn(&[Span::Text(note)]));
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
    page.line(&line);
    for section in &changed.sections {
        page.detail(&[Span::Text(section.change.sign()), Span::Text(" "), Span::Text(&section.heading())]);
    }
    if !changed.fields.is_empty() {
        page.detail(&[Span::Text(&format!("front matter: {}", changed.fields.join(", ")))]);
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
    let mut line = vec![Span::Alarm("broken"), Span::Text("  "), place, Span::Text(" -> "), target];
    line.push(Span::Text("  "));
    line.extend(broken.led_to.as_deref().map(end));
    match (broken.reason, &broken.moved_to) {
        (BrokenReason::NewLink, _) => line.push(Span::Text("no page has this name")),
        (BrokenReason::TargetMoved, Some(to)) => line.extend([Span::Text(" was moved to "), Span::Path(to)]),
        (BrokenReason::NameChanged, _) => line.push(Span::Text(" no longer has this name")),
        (BrokenReason::TargetRemoved | BrokenReason::TargetMoved, _) => {
            let it = if broken.led_to.is_none() { "its target" } else { "" };
            line.extend([Span::Text(it), Span::Text(" was removed")]);
        }
    }
    page.line(&line);
}

fn show_cycle(label: Span<'_>, cycle: &Cycle, page: &mut dyn Page) {
    let mut line = vec![label, Span::Text("  ")];
    for (at, path) in cycle.way.iter().chain(cycle.way.first()).enumerate() {
        line.extend((at > 0).then_some(Span::Text(" -> ")));
        line.push(Span::Path(path));
    }
    let more = cycle.page_count.saturating_sub(cycle.way.len());
    let more = format!(" (and {})", counted(more, "more page", "more pages"));
    if cycle.page_count > cycle.way.len() {
        line.push(Span::Text(&more));
    }
    page.line(&line);
}

fn show_affected(affected: &AffectedPage, page: &mut dyn Page) {
    let score = format!("  {:.2}  ", affected.score);
    let path = Span::Path(&affected.filepath);
    page.line(&[
        Span::Text("affected"),
        Span::Text(&score),
        path,
        Span::Text("  "),
        Span::Text(&affected.title),
    ]);
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
    pub fn summary(&self) -> String {
        let (pages, links) = (&self.pages, &self.links);
        let counts = [
            (pages.added.len(), "page added", "pages added"),
            (pages.removed.len(), "page removed", "pages removed"),
            (pages.renamed.len(), "page moved", "pages moved"),
            (pages.changed.len(), "page changed", "pages changed"),
            (links.added.len(), "link added", "links added"),
            (links.removed.len(), "link removed", "links removed"),
            (self.broken_links.len(), "link broke", "links broke"),
            (self.mended_links.len(), "link fixed", "links fixed"),
            (self.cycles.added.len(), "new dependency cycle", "new dependency cycles"),
            (self.staleness.stale.len(), "page became stale", "pages became stale"),
            (self.staleness.fresh.len(), "page fresh again", "pages fresh again"),
            (self.total_affected, "page affected", "pages affected"),
        ];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        let parts: Vec<String> = counts.map(|(count, one, many)| counted(count, one, many)).collect();
        if parts.is_empty() { "the graph is the same".into() } else { parts.join(", ") }
    }
}

/// The name of this side for people.
impl fmt::Display for ComparedSide {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |commit: &'_ str| commit.get(..10).unwrap_or(commit).to_owned();
        match (&self.revision, &self.commit) {
            (Some(revision), Some(commit)) if !commit.starts_with(revision.as_str()) => {
                write!(out, "{revision} ({})", short(commit))
            }
            (_, Some(commit)) => out.write_str(&short(commit)),
            (Some(revision), None) => out.write_str(revision),
            (None, None) => out.write_str("the working folder"),
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
    pub fn heading(&self) -> String {
        let path = &self.heading_path;
        if path.is_empty() { "(before the first heading)".into() } else { path.join(" > ") }
    }
}
