//! A comparison as a comment on a pull request. Text from pages or git is printed in code spans on one line, so that no
//! title, heading or path is read as Markdown.

use std::fmt::Write as _;

use ubp_core::freshness::{Touch, TouchedSource};
use ubp_core::graph::impact::SOURCE_REFS;
use ubp_core::ops::diff::{BrokenClaim, BrokenLink, BrokenReason, ChangedPage, Cycle, Output};
use ubp_core::ops::{Step, StepDirection, TouchedPage};

use crate::output::counted;

/// Limit on the characters of a comment; GitHub's limit is 65,536.
const MOST: usize = 60_000;
/// Limit on the characters of one name.
const LONGEST: usize = 160;
/// Limit on the sections listed per page.
const SECTIONS: usize = 8;
/// Marks the comment, so that a later run can find and replace it.
const MARK: &str = "<!-- ubp diff -->";

/// The comment; `path` gives the path of a page as seen from the repository.
pub(super) fn comment(output: &Output, path: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    for most in [100, 50, 25, 10, 5, 1] {
        text = written(output, &path, most);
        if text.len() <= MOST {
            break;
        }
    }
    text
}

fn written(output: &Output, path: &dyn Fn(&str) -> String, most: usize) -> String {
    let page = |page: &str| code(&path(page));
    let mut text = format!("{MARK}\n### What this change does to the pages\n\n{}\n", output.summary());
    let _ = writeln!(
        text,
        "\n{} → {}",
        code(&output.from.name().to_string()),
        code(&output.to.name().to_string())
    );

    // What needs attention. Its number is on the last line, for programs that post the comment.
    let is_serious = |touched: &&TouchedPage| touched.is_due(false);
    let due = output.touched.iter().filter(is_serious);
    // What is touched is listed once, also if it made its page stale.
    let is_listed = |path: &str| output.touched.iter().any(|touched| touched.page.filepath == path);
    let stale = output.staleness.stale.iter().filter(|stale| !is_listed(&stale.filepath)).map(|stale| {
        let files: Vec<String> =
            stale.stale_refs.iter().take(SECTIONS).map(|stale| code(&stale.file_path)).collect();
        format!("{}: {}", page(&stale.filepath), files.join(", "))
    });
    let findings: [(&str, Vec<String>); 5] = [
        (
            "❌ New broken links",
            output.broken_links.iter().map(|broken| broken_link(broken, &page)).collect(),
        ),
        (
            "❌ Claims that broke",
            output.broken_claims.iter().map(|broken| broken_claim(broken, &page)).collect(),
        ),
        ("❌ New dependency cycles", output.cycles.added.iter().map(|cycle| round(cycle, &page)).collect()),
        (
            "⚠️ Read again: they describe what changed",
            due.flat_map(|touched| to_read(touched, true, &page)).collect(),
        ),
        ("⚠️ Pages that became stale", stale.collect()),
    ];
    let attention: usize = findings.iter().map(|(_, found)| found.len()).sum();
    for (title, found) in findings {
        list(&mut text, title, found, most, true);
    }

    let bodies = output.touched.iter().filter(|touched| touched.is_due(true) && !touched.is_due(false));
    let bodies = bodies.flat_map(|touched| to_read(touched, false, &page)).collect();
    list(&mut text, "Only bodies changed, no contracts", bodies, most, false);
    let settled = output.touched.iter().filter(|touched| touched.is_changed || touched.is_reviewed);
    let settled = settled.map(|touched| {
        let state = if touched.is_changed { "changed" } else { "reviewed" };
        let sources: Vec<String> =
            touched.sources.iter().take(SECTIONS).map(|source| code(&source.source)).collect();
        format!("{state} {}: {}", page(&touched.page.filepath), sources.join(", "))
    });
    list(
        &mut text,
        "They describe what changed, and were changed or reviewed, too",
        settled.collect(),
        most,
        false,
    );

    let pages = &output.pages;
    let named = |word: &str, pages: &[ChangedPage]| -> Vec<String> {
        pages.iter().map(|changed| format!("{word} {}", changed_page(changed, &page))).collect()
    };
    let mut changes = named("changed", &pages.changed);
    changes.extend(named("added", &pages.added));
    changes.extend(named("removed", &pages.removed));
    changes.extend(named("moved", &pages.renamed));
    list(&mut text, "Pages", changes, most, false);
    let link = |word: &str, link: &ubp_core::ops::diff::ChangedLink| {
        let to = match (&link.to, &link.source_path) {
            (Some(to), _) => page(to),
            (None, Some(file)) => code(file),
            (None, None) => String::new(),
        };
        format!("{word} {} → {to} ({})", page(&link.from), code(&link.link_type))
    };
    let mut links: Vec<String> = output.links.added.iter().map(|added| link("added", added)).collect();
    links.extend(output.links.removed.iter().map(|removed| link("removed", removed)));
    list(&mut text, "Links", links, most, false);
    let mut better: Vec<String> = output
        .mended_links
        .iter()
        .map(|mended| format!("fixed {} → {}", page(&mended.filepath), code(&mended.target)))
        .collect();
    better.extend(output.staleness.fresh.iter().map(|fresh| format!("fresh again: {}", page(fresh))));
    better.extend(output.cycles.removed.iter().map(|cycle| format!("cycle gone: {}", round(cycle, &page))));
    better
        .extend(output.orphans.removed.iter().map(|orphan| format!("no longer an orphan: {}", page(orphan))));
    list(&mut text, "Fixed", better, most, false);
    let orphans = output.orphans.added.iter().map(|orphan| page(orphan)).collect();
    list(&mut text, "New orphans: pages without links", orphans, most, false);
    let impact: Vec<String> = output
        .impact
        .iter()
        .map(|affected| {
            format!("{:.2} {}: {}", affected.score, page(&affected.filepath), way(&affected.path, &page))
        })
        .collect();
    let title = "Affected pages: they depend on what changed";
    list(&mut text, title, impact, most, false);
    for note in &output.notes {
        let _ = writeln!(text, "\n{}", code(&note.to_string()));
    }
    let _ = writeln!(text, "\n<!-- attention: {attention} -->");
    text
}

/// A list under a heading, collapsed unless `open`; nothing if `entries` is empty.
fn list(text: &mut String, title: &str, entries: Vec<String>, most: usize, open: bool) {
    if entries.is_empty() {
        return;
    }
    let count = entries.len();
    let _ = if open {
        write!(text, "\n#### {title}\n\n")
    } else {
        write!(text, "\n<details><summary>{title} ({count})</summary>\n\n")
    };
    for entry in entries.iter().take(most) {
        let _ = writeln!(text, "- {entry}");
    }
    if count > most {
        let _ = writeln!(text, "- and {} more", count - most);
    }
    if !open {
        text.push_str("\n</details>\n");
    }
}

/// A line for each source of a page that was touched, with the sections that describe it.
fn to_read(touched: &TouchedPage, serious: bool, page: &dyn Fn(&str) -> String) -> Vec<String> {
    let sources = touched.sources.iter().filter(|source| source.is_serious() || !serious);
    let line = |source: &TouchedSource| {
        let mut place = page(&touched.page.filepath);
        for (at, section) in source.sections.iter().take(SECTIONS).enumerate() {
            let heading = section.heading_path.last().map_or("", String::as_str);
            let _ = write!(place, "{} {}", if at == 0 { " §" } else { "," }, code(heading));
        }
        format!("{place}: {} {}", code(&source.source), happened(source))
    };
    sources.map(line).collect()
}

fn happened(source: &TouchedSource) -> String {
    let files: Vec<String> = source.files.iter().take(3).map(|file| code(file)).collect();
    let more = match source.file_count.saturating_sub(files.len().max(1)) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match (source.change, &source.moved_to) {
        (Touch::Gone, Some(to)) if source.confidence.is_none() => format!("was moved to {}", code(to)),
        (Touch::Gone, Some(to)) => format!("is gone, probably moved to {}", code(to)),
        (Touch::Gone, None) => "is gone".into(),
        (Touch::ContractChanged, _) => "has another contract".into(),
        (Touch::BodyChanged, _) => "changed, but not its contract".into(),
        (Touch::Added, _) => "is new".into(),
        (Touch::Changed, _) if files.is_empty() => "changed".into(),
        (Touch::Changed, _) => format!("changed: {}{more}", files.join(", ")),
    }
}

fn changed_page(changed: &ChangedPage, page: &dyn Fn(&str) -> String) -> String {
    let mut text = match &changed.previous_filepath {
        Some(from) => format!("{} → {}", page(from), page(&changed.filepath)),
        None => page(&changed.filepath),
    };
    let mut parts: Vec<String> = changed
        .sections
        .iter()
        .take(SECTIONS)
        .map(|section| format!("{} {}", section.change.sign(), code(&section.heading().to_string())))
        .collect();
    if changed.sections.len() > SECTIONS {
        let more = counted(changed.sections.len() - SECTIONS, "more section", "more sections");
        parts.push(more.to_string());
    }
    if !changed.fields.is_empty() {
        parts.push(format!("front matter {}", code(&changed.fields.join(", "))));
    }
    if !parts.is_empty() {
        let _ = write!(text, ": {}", parts.join(", "));
    }
    text
}

fn broken_link(broken: &BrokenLink, page: &dyn Fn(&str) -> String) -> String {
    let place = format!("{} line {} → {}", page(&broken.filepath), broken.line, code(&broken.target));
    let shown = |led_to| if ubp_core::path::is_page(led_to) { page(led_to) } else { code(led_to) };
    let led_to = broken.led_to.as_deref().map(shown).unwrap_or_default();
    match (broken.reason, &broken.moved_to) {
        (BrokenReason::NewLink, _) => format!("{place}: no page has this name"),
        (BrokenReason::TargetMoved, Some(to)) => format!("{place}: {led_to} was moved to {}", page(to)),
        (BrokenReason::NameChanged, _) => format!("{place}: {led_to} no longer has this name"),
        (BrokenReason::HeadingMissing, _) => format!("{place}: {led_to} does not have this heading or block"),
        _ if led_to.is_empty() => format!("{place}: its target was removed"),
        _ => format!("{place}: {led_to} was removed"),
    }
}

fn broken_claim(broken: &BrokenClaim, page: &dyn Fn(&str) -> String) -> String {
    let claim = &broken.claim;
    let mut text =
        format!("{} line {}: {} was removed", page(&broken.filepath), broken.line, code(&claim.text));
    let _ = match &claim.commit {
        Some(commit) => write!(text, " in {}", commit.get(..10).unwrap_or(commit)),
        None => write!(text, " by this change"),
    };
    if let Some(now) = &claim.now {
        let _ = write!(text, "; it is now {}", code(now));
    }
    text
}

fn round(cycle: &Cycle, page: &dyn Fn(&str) -> String) -> String {
    let way: Vec<String> = cycle.way.iter().chain(cycle.way.first()).map(|path| page(path)).collect();
    let more = cycle.page_count.saturating_sub(cycle.way.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", way.join(" → "))
}

fn way(steps: &[Step], page: &dyn Fn(&str) -> String) -> String {
    let mut text = String::new();
    for (at, step) in steps.iter().enumerate() {
        if at == 0 {
            // A path that starts at a source file begins with a path relative to the project.
            let is_file = step.link_type == SOURCE_REFS || !ubp_core::path::is_page(&step.from);
            text.push_str(&if is_file { code(&step.from) } else { page(&step.from) });
        }
        let arrow = if step.direction == StepDirection::Outgoing { "→" } else { "←" };
        let _ = write!(text, " {arrow} {} ({})", page(&step.to), code(&step.link_type));
    }
    text
}

/// `text` as a code span on one line.
fn code(text: &str) -> String {
    let is_odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut plain: String = text.chars().map(|c| if is_odd(c) { ' ' } else { c }).take(LONGEST + 1).collect();
    if plain.chars().count() > LONGEST {
        plain = plain.chars().take(LONGEST).chain(['…']).collect();
    }
    let longest = plain.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // A span must not begin or end with its own fence, nor be empty.
    let pad =
        if plain.starts_with('`') || plain.ends_with('`') || plain.trim().is_empty() { " " } else { "" };
    if plain.trim().is_empty() { "` `".into() } else { format!("{fence}{pad}{plain}{pad}{fence}") }
}

#[cfg(test)]
mod tests;
