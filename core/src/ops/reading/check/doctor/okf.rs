//! Whether pages follow the Open Knowledge Format 0.2. What it demands are warnings; what it recommends, and what only UBP
//! understands, is worth knowing.

use jiff::civil::Date;
use rusqlite::Connection;

use super::checks::finding;
use super::{Finding, Severity};
use crate::graph::resolve::is_attachment;
use crate::index::questions::{links, pages};
use crate::message;
use crate::message::Message;
use crate::okf::{self, Duration, Fields, STATUSES, get, text};
use crate::page::{self, Diagnostic, LinkTypes, Value};
use crate::{Context, Result, path};

/// Names that are reserved in every folder.
const INDEX: &str = "index.md";
const LOG: &str = "log.md";

pub(super) fn pages(context: &Context<'_>, db: &Connection, findings: &mut Vec<Finding>) -> Result<()> {
    let types = context.link_types();
    let unreadable = unreadable_front_matter(db)?;
    for (_, path) in pages::paths(db)? {
        context.cancel.check()?;
        let Ok(bytes) = context.source.read(&path) else { continue };
        let (text, _) = page::decode(&bytes);
        let mut page = Page { path: &path, text: &text, findings };
        match path::file_name(&path) {
            INDEX => page.index(&types),
            LOG => page.log(&types),
            _ => page.concept(unreadable.contains(&path)),
        }
    }
    for (path, line, target) in links::entries_without_destination(db)? {
        if is_surely_path(&target) {
            let told = message!("`sources` names {target}, which does not exist", target);
            findings.push(
                finding(Severity::Warning, "okf_source", told)
                    .at(path, line)
                    .hint(message!("correct the path: `/` at its start stands for the pages folder")),
            );
        }
    }
    Ok(())
}

/// Pages whose front matter is not valid YAML.
fn unreadable_front_matter(db: &Connection) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (path, diagnostics) in pages::diagnostics(db)? {
        let diagnostics: Vec<Diagnostic> = serde_json::from_str(&diagnostics).unwrap_or_default();
        if diagnostics.iter().any(|one| one.code == "front_matter_syntax") {
            found.push(path);
        }
    }
    Ok(found)
}

/// Whether a resource that leads nowhere must have been meant as a path: names of dashboards have slashes, too.
fn is_surely_path(target: &str) -> bool {
    let is_relative = ["/", "./", "../"].iter().any(|start| target.starts_with(start));
    let name = path::file_name(target.split('#').next().unwrap_or(target));
    let has_extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && (1..=5).contains(&extension.len()) && !extension.contains(' ')
    });
    (is_relative || has_extension) && !is_attachment(name)
}

struct Page<'p, 'f> {
    path: &'p str,
    text: &'p str,
    findings: &'f mut Vec<Finding>,
}

impl Page<'_, '_> {
    fn report(&mut self, severity: Severity, code: &str, line: usize, told: Message, hint: Message) {
        self.findings.push(finding(severity, code, told).at(self.path, line).hint(hint));
    }

    /// Line of a key of front matter.
    fn line(&self, key: &str) -> usize {
        let names =
            |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
        self.text.lines().position(names).map_or(1, |at| at + 1)
    }

    fn concept(&mut self, is_unreadable: bool) {
        let front_matter = page::front_matter(self.text);
        if front_matter.range.is_empty() || is_unreadable {
            let told = message!("the page has no front matter that can be read");
            let hint = message!("begin it with `---`, a line such as `type: guide`, and `---`");
            return self.report(Severity::Warning, "okf_type", 1, told, hint);
        }
        let fields = front_matter.fields.as_slice();
        if get(fields, "type").and_then(text).is_none() {
            let told = message!("front matter has no `type`, the only field that every page must have");
            self.report(Severity::Warning, "okf_type", 1, told, message!("add a line such as `type: guide`"));
        }
        self.sources(fields);
        self.events(fields, "generated");
        self.events(fields, "verified");
        self.lifecycle(fields);
        let is_computation = get(fields, "type").and_then(text) == Some("Attested Computation");
        if is_computation && get(fields, "runtime").and_then(text).is_none() {
            let told = message!("a page of the type `Attested Computation` needs `runtime`");
            let hint = message!("add a line such as `runtime: postgres`");
            self.report(Severity::Warning, "okf_computation", self.line("type"), told, hint);
        }
    }

    fn sources(&mut self, fields: &Fields) {
        let Some(sources) = get(fields, "sources") else { return };
        let is_entry = |item: &Value| match item {
            Value::Map(entry) => get(entry, "resource").and_then(text).is_some(),
            _ => false,
        };
        let is_valid = match sources {
            Value::List(items) => items.iter().all(is_entry),
            Value::Map(_) | Value::Text(_) => false,
        };
        if !is_valid {
            let told = message!("`sources` is not a list of entries with a `resource` each");
            let hint = message!("write each entry as `- resource: PATH or URL`");
            self.report(Severity::Warning, "okf_sources", self.line("sources"), told, hint);
        }
    }

    fn events(&mut self, fields: &Fields, key: &'static str) {
        let Some(value) = get(fields, key) else { return };
        let events = okf::maps(value);
        let is_list = matches!(value, Value::List(_));
        let count = match value {
            Value::List(items) => items.len(),
            _ => 1,
        };
        let is_valid = |event: &&Fields| {
            let is_actor = get(event, "by").and_then(text).is_some_and(|by| by.contains([':', '/']));
            let time = get(event, "at").and_then(text);
            let needs_time = key == "verified";
            is_actor && time.map_or(!needs_time, |time| okf::time(time).is_some())
        };
        if events.len() == count && events.iter().all(is_valid) && (key == "verified" || !is_list) {
            return;
        }
        let told = message!("`{key}` does not say who (`by`) and when (`at`)", key);
        let hint = message!(
            "write `{{ by: human:NAME, at: 2026-01-31T09:00:00Z }}`; instead of `human:NAME` also `process:NAME` or \
             `PROGRAM/VERSION`"
        );
        self.report(Severity::Warning, "okf_event", self.line(key), told, hint);
    }

    fn lifecycle(&mut self, fields: &Fields) {
        if let Some(status) = get(fields, "status").and_then(text).filter(|status| !STATUSES.contains(status))
        {
            let told = message!("`status` is {status}, which other programs may not know", status);
            let hint = message!("the format has `draft`, `stable` and `deprecated`");
            self.report(Severity::Info, "okf_status", self.line("status"), told, hint);
        }
        let Some(value) = get(fields, "stale_after") else { return };
        let line = self.line("stale_after");
        let written = text(value).unwrap_or_default();
        let hint = message!("write a date, such as `stale_after: 2026-12-31`");
        if okf::time(written).is_some() {
            return;
        }
        if Duration::parse(written).is_none() {
            let told = message!("`stale_after` is neither a date nor a duration");
            self.report(Severity::Warning, "okf_stale_after", line, told, hint);
        } else if okf::expiry(fields).is_none() {
            let told = message!("`stale_after` is a duration, but nothing says when the page was verified");
            let hint = message!("add `verified`, or write a date");
            self.report(Severity::Warning, "okf_stale_after", line, told, hint);
        } else {
            let told = message!("`stale_after` is a duration, which only UBP understands");
            self.report(Severity::Info, "okf_stale_after", line, told, hint);
        }
    }

    fn index(&mut self, types: &LinkTypes) {
        let parsed = page::parse(self.text, types);
        let is_root = self.path == INDEX;
        let others = parsed.front_matter.fields.iter().any(|(key, _)| !is_root || key != "okf_version");
        if others {
            let told =
                message!("an index.md has no front matter, except for `okf_version` in the pages folder");
            let hint = message!("move the page to another name, or delete its front matter");
            self.report(Severity::Warning, "okf_index", 1, told, hint);
        }
        let has_heading = parsed.sections.iter().any(|section| section.level > 0);
        let is_listed = |line: &str| line.trim_start().starts_with(['*', '-', '+']) && line.contains('[');
        if !has_heading || !self.text.lines().any(is_listed) {
            let told = message!("an index.md lists pages below headings");
            let hint = message!("write entries as `* [Title](page.md) - what it is about`");
            self.report(Severity::Warning, "okf_index", 1, told, hint);
        }
    }

    fn log(&mut self, types: &LinkTypes) {
        let parsed = page::parse(self.text, types);
        let mut before: Option<Date> = None;
        for section in parsed.sections.iter().filter(|section| section.level == 2) {
            let date = section.heading.get(..10).and_then(|date| date.parse::<Date>().ok());
            let told = match date {
                None => message!("the heading '{heading}' of a log is not a date", heading = section.heading),
                Some(date) if before.is_some_and(|before| before < date) => {
                    message!("the entries of a log are not in order, the newest first")
                }
                Some(date) => {
                    before = Some(date);
                    continue;
                }
            };
            let hint = message!("write `## 2026-12-31` above the entries of a day, the newest day first");
            return self.report(Severity::Warning, "okf_log", section.lines.0, told, hint);
        }
    }
}
