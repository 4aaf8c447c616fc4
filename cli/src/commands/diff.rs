//! `ubp diff`: what a change did to the graph.

use ubp_core::ops::diff::{
    self, BrokenLink, BrokenReason, ChangedLink, ChangedPage, ComparedSide, Cycle, Output, Params,
    SectionChange,
};

use crate::ExitStatus;
use crate::args::{DiffArgs, DiffFormat, FailOn, Global};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal};

mod markdown;

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: DiffArgs,
) -> CommandResult {
    let params = Params { range: args.range, depth: args.depth, limit: args.limit };
    // Two commits do not ask what the index of the working folder says.
    let output = match params.concerns_working_folder()? {
        true => session.read(terminal, global, |context| diff::run(context, params))?,
        false => session.write(terminal, |context| diff::run(context, params))?,
    };
    match args.format {
        _ if terminal.json => terminal.print_json(&output)?,
        Some(DiffFormat::Json) => terminal.print_json(&output)?,
        Some(DiffFormat::Markdown) => {
            let text = markdown::comment(&output, |page| terminal.path(page));
            terminal.line(text)?;
        }
        Some(DiffFormat::Text) | None => print(terminal, &output)?,
    }
    for note in &output.notes {
        terminal.warn(note);
    }
    let fails = |what| args.fail_on.is_empty() || args.fail_on.contains(&what);
    let found = (fails(FailOn::Broken) && !output.broken_links.is_empty())
        || (fails(FailOn::Stale) && !output.staleness.stale.is_empty())
        || (fails(FailOn::Cycles) && !output.cycles.added.is_empty());
    Ok(if args.exit_code && found { ExitStatus::Finding } else { ExitStatus::Success })
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let before = terminal.out.faint(printable(&format!("{} -> {}", side(&output.from), side(&output.to))));
    terminal.line(before)?;
    pages(terminal, output)?;
    links(terminal, output)?;
    let paint = terminal.out;
    for broken in &output.broken_links {
        let place = paint.path(terminal.path(&broken.filepath));
        let line = paint.line(broken.line);
        let why = why(terminal, broken);
        let label = paint.error("broken");
        terminal.line(format!("{label}  {place}:{line} -> {}  {why}", printable(&broken.target)))?;
    }
    for mended in &output.mended_links {
        let place = paint.path(terminal.path(&mended.filepath));
        let now = match &mended.leads_to {
            Some(to) => format!("leads to {}", printable(to)),
            None => "is gone".into(),
        };
        let label = paint.good("mended");
        terminal.line(format!("{label}  {place} -> {}  {now}", printable(&mended.target)))?;
    }
    for (label, cycles) in
        [(paint.error("new cycle"), &output.cycles.added), (paint.good("cycle gone"), &output.cycles.removed)]
    {
        for cycle in cycles {
            terminal.line(format!("{label}  {}", paint.path(round(terminal, cycle))))?;
        }
    }
    for stale in &output.staleness.stale {
        let label = paint.error("stale");
        let place = paint.path(terminal.path(&stale.filepath));
        for source in &stale.stale_refs {
            terminal.line(format!("{label}  {place} — {}", super::stale_ref(source)))?;
        }
    }
    for page in &output.staleness.fresh {
        let place = paint.path(terminal.path(page));
        terminal.line(format!("{}  {place}", paint.good("fresh again")))?;
    }
    for (label, orphans) in [
        (paint.warning("new orphan"), &output.orphans.added),
        (paint.good("no orphan any more"), &output.orphans.removed),
    ] {
        for page in orphans {
            terminal.line(format!("{label}  {}", paint.path(terminal.path(page))))?;
        }
    }
    for affected in &output.impact {
        let place = paint.path(terminal.path(&affected.filepath));
        terminal.line(format!("affected  {:.2}  {place}  {}", affected.score, printable(&affected.title)))?;
        let way: Vec<String> = affected.path.iter().map(|step| super::impact::told(terminal, step)).collect();
        let from = affected.path.first().map(|step| super::impact::place(terminal, &step.from, step));
        terminal.line(format!(
            "        {}",
            paint.faint(format!("{} {}", from.unwrap_or_default(), way.join(" ")))
        ))?;
    }
    let footer = terminal.err.faint(summary(output));
    terminal.note(footer);
    Ok(())
}

/// The whole in one line.
fn summary(output: &Output) -> String {
    let pages = &output.pages;
    let links = &output.links;
    let mut parts: Vec<String> = [
        (pages.added.len(), "page added", "pages added"),
        (pages.removed.len(), "page removed", "pages removed"),
        (pages.renamed.len(), "page moved", "pages moved"),
        (pages.changed.len(), "page changed", "pages changed"),
        (links.added.len(), "link added", "links added"),
        (links.removed.len(), "link removed", "links removed"),
        (output.broken_links.len(), "link broke", "links broke"),
        (output.mended_links.len(), "link mended", "links mended"),
        (output.cycles.added.len(), "new dependency cycle", "new dependency cycles"),
        (output.staleness.stale.len(), "page became stale", "pages became stale"),
        (output.staleness.fresh.len(), "page fresh again", "pages fresh again"),
        (output.total_affected, "page affected", "pages affected"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| counted(count, one, many))
    .collect();
    if parts.is_empty() {
        parts.push("the graph is the same".into());
    }
    parts.join(", ")
}

fn pages(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    let changes = &output.pages;
    for (label, pages) in [
        (paint.good("added"), &changes.added),
        (paint.error("removed"), &changes.removed),
        (paint.warning("moved"), &changes.renamed),
        (paint.warning("changed"), &changes.changed),
    ] {
        for page in pages {
            let place = paint.path(terminal.path(&page.filepath));
            let from = page.previous_filepath.as_ref().map(|from| format!("{} -> ", terminal.path(from)));
            let title = printable(&page.title);
            terminal.line(format!("{label}  {}{place}  {title}", from.unwrap_or_default()))?;
            for line in details(page) {
                terminal.line(format!("        {}", printable(&line)))?;
            }
        }
    }
    Ok(())
}

/// What is another on a page, a line each.
fn details(page: &ChangedPage) -> Vec<String> {
    let mut lines: Vec<String> = page
        .sections
        .iter()
        .map(|section| format!("{} {}", sign(section.change), heading(&section.heading_path)))
        .collect();
    if !page.fields.is_empty() {
        lines.push(format!("front matter: {}", page.fields.join(", ")));
    }
    lines
}

fn sign(change: SectionChange) -> &'static str {
    match change {
        SectionChange::Added => "+",
        SectionChange::Changed => "~",
        SectionChange::Removed => "-",
    }
}

fn heading(path: &[String]) -> String {
    if path.is_empty() { "(before the first heading)".into() } else { path.join(" > ") }
}

fn links(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    for (sign, links) in [(paint.good("+"), &output.links.added), (paint.error("-"), &output.links.removed)] {
        for link in links {
            let (from, to) = (terminal.path(&link.from), destination(terminal, link));
            let link_type = paint.faint(printable(&link.link_type));
            terminal.line(format!("link {sign}  {} -> {}  {link_type}", paint.path(from), paint.path(to)))?;
        }
    }
    Ok(())
}

fn destination(terminal: &Terminal<'_>, link: &ChangedLink) -> String {
    match (&link.to, &link.source_path) {
        (Some(page), _) => terminal.path(page),
        (None, Some(file)) => terminal.project_path(file),
        (None, None) => String::new(),
    }
}

fn why(terminal: &Terminal<'_>, broken: &BrokenLink) -> String {
    let shown = |led_to: &str| {
        if ubp_core::path::is_page(led_to) { terminal.path(led_to) } else { terminal.project_path(led_to) }
    };
    let led_to = broken.led_to.as_deref().map(shown).unwrap_or_default();
    match (broken.reason, &broken.moved_to) {
        (BrokenReason::NewLink, _) => "no page is called so".into(),
        (BrokenReason::TargetMoved, Some(to)) => format!("{led_to} moved to {}", terminal.path(to)),
        (BrokenReason::NameChanged, _) => format!("{led_to} is not called so any more"),
        (BrokenReason::TargetRemoved | BrokenReason::TargetMoved, _) if led_to.is_empty() => {
            "it is gone".into()
        }
        (BrokenReason::TargetRemoved | BrokenReason::TargetMoved, _) => format!("{led_to} is gone"),
    }
}

fn round(terminal: &Terminal<'_>, cycle: &Cycle) -> String {
    let way: Vec<String> =
        cycle.way.iter().chain(cycle.way.first()).map(|page| terminal.path(page)).collect();
    let more = cycle.page_count.saturating_sub(cycle.way.len());
    let more =
        if more > 0 { format!(" (and {})", counted(more, "page more", "pages more")) } else { String::new() };
    format!("{}{more}", way.join(" -> "))
}

/// A side as people name it.
fn side(side: &ComparedSide) -> String {
    match (&side.revision, &side.commit) {
        (Some(revision), Some(commit)) if !commit.starts_with(revision.as_str()) => {
            format!("{revision} ({})", commit.get(..10).unwrap_or(commit))
        }
        (_, Some(commit)) => commit.get(..10).unwrap_or(commit).to_owned(),
        (Some(revision), None) => revision.clone(),
        (None, None) => "the working folder".into(),
    }
}
