//! The checks, one function each.

use crate::message;
use crate::message::Message;
use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::Connection;

#[cfg(not(target_family = "wasm"))]
use super::elsewhere::links_to_projects;
use super::{Finding, Severity, WantedPage};
use crate::Context;
use crate::embed::{MULTILINGUAL, Scripts, is_unfit};
use crate::freshness::{REVIEW_LOCK, ReviewLock};
use crate::graph::{LinkGraph, PipedLinks, Wanted};
use crate::index::questions::links::AnchoredLink;
use crate::index::questions::{links, names, pages, sections};
use crate::manifest::MANIFEST_PATH;
use crate::ops::{bounds, page};
use crate::page::Diagnostic;
use crate::ports::Listing;
use crate::show::counted;
use crate::writing::audit;
use crate::{Result, text};

/// Page types of the specification.
pub(crate) const PAGE_TYPES: [&str; 6] = ["spec", "design", "db-schema", "api", "config", "guide"];

pub(crate) fn finding(severity: Severity, code: &str, message: Message) -> Finding {
    let english = message.to_string();
    let bounded = bounds::sentence(english.clone());
    let message = if bounded == english { message } else { Message::verbatim(bounded) };
    Finding { severity, code: code.into(), filepath: None, line: None, message, hint: None, claim: None }
}

impl Finding {
    pub(crate) fn at(mut self, path: impl Into<String>, line: impl Into<Option<usize>>) -> Self {
        self.filepath = Some(path.into());
        self.line = line.into();
        self
    }

    pub(crate) fn hint(mut self, hint: Message) -> Self {
        self.hint = Some(hint);
        self
    }
}

/// Kind of a link that leads nowhere.
pub(super) const BROKEN_LINK: &str = "unresolved_link";

/// Kind of a link to another project.
pub(super) const LINK_TO_PROJECT: &str = "link_to_project";

/// A link that leads nowhere.
pub(crate) fn broken_link(target: &str) -> Finding {
    finding(Severity::Warning, BROKEN_LINK, message!("broken link to '{target}'", target))
        .hint(message!("create the page, or fix the link"))
}

/// A link that leads to `chosen`, the nearest of several pages.
pub(crate) fn ambiguous_link(target: &str, chosen: &str) -> Finding {
    finding(
        Severity::Info,
        "ambiguous_link",
        message!(
            "the link to '{target}' matches several pages; it leads to the nearest, {chosen}",
            target,
            chosen
        ),
    )
    .hint(message!("write a longer part of the path"))
}

/// A link to a page at `target_path` that does not have this heading or block.
pub(crate) fn missing_heading(target: &str, target_path: &str, anchor: &str) -> Finding {
    let last = anchor.rsplit('#').next().unwrap_or(anchor).trim();
    finding(
        Severity::Info,
        "missing_heading",
        message!(
            "broken link to '{target}': {target_path} has no heading or block '{last}'",
            target,
            target_path,
            last
        ),
    )
    .hint(message!("fix the heading after the #"))
}

pub(super) fn unreadable(listing: &Listing, findings: &mut Vec<Finding>) {
    for entry in &listing.unreadable {
        findings.push(
            finding(
                Severity::Error,
                "unreadable",
                message!("cannot be read: {reason}", reason = entry.reason),
            )
            .at(&entry.path, None)
            .hint(message!("check its permissions and what it points to")),
        );
    }
}

pub(super) fn diagnostics(db: &Connection, findings: &mut Vec<Finding>) -> Result<()> {
    for (path, diagnostics) in pages::diagnostics(db)? {
        for diagnostic in serde_json::from_str::<Vec<Diagnostic>>(&diagnostics).unwrap_or_default() {
            let hint = match diagnostic.code.as_str() {
                Diagnostic::IN_PART => message!("split the page into several, with links between them"),
                _ => message!("the page is indexed as far as it can be read; fix that line"),
            };
            findings.push(
                finding(Severity::Warning, &diagnostic.code, diagnostic.message)
                    .at(&path, diagnostic.line)
                    .hint(hint),
            );
        }
    }
    Ok(())
}

/// Whether the links are written label first: most links with a pipe are broken as written, but would lead to pages
/// if the part after the pipe were the target.
pub(super) fn label_first_dialect(db: &Connection, findings: &mut Vec<Finding>) -> Result<bool> {
    let links = PipedLinks::count(db)?;
    if links.are_label_first() {
        let told = links.told();
        findings.push(
            finding(
                Severity::Warning,
                "label_first_links",
                message!(
                    "links appear to be written label first, [[label|target]], as in Dendron: {told}",
                    told
                ),
            )
            .hint(message!("set \"links\": {{\"order\": \"label_first\"}} in .ubp/manifest.json")),
        );
    }
    Ok(links.are_label_first())
}

pub(super) fn unresolved(
    #[cfg_attr(target_family = "wasm", allow(unused_variables))] context: &Context<'_>,
    db: &Connection,
    findings: &mut Vec<Finding>,
) -> Result<Vec<WantedPage>> {
    let unresolved = links::unresolved(db)?;
    #[cfg(not(target_family = "wasm"))]
    let elsewhere = links_to_projects(context, unresolved.iter().map(|(_, _, target)| target.as_str()));
    let mut wanted: BTreeMap<String, WantedPage> = BTreeMap::new();
    let mut asking: HashSet<(String, String)> = HashSet::new();
    for (page, line, target) in unresolved {
        #[cfg(not(target_family = "wasm"))]
        if let Some(told) = elsewhere.get(&target) {
            findings.push(told.clone().at(page, line));
            continue;
        }
        let Wanted { key, name } = Wanted::of(&target);
        let is_first = asking.insert((key.clone(), page.clone()));
        let entry = wanted.entry(key).or_insert_with(|| WantedPage {
            target: bounds::title(name.to_owned()),
            links: 0,
            pages: 0,
        });
        entry.links += 1;
        entry.pages += usize::from(is_first);
        findings.push(broken_link(&target).at(page, line));
    }
    let mut wanted: Vec<WantedPage> = wanted.into_values().collect();
    wanted.sort_by(|a, b| (b.pages, b.links).cmp(&(a.pages, a.links)).then_with(|| a.target.cmp(&b.target)));
    Ok(wanted)
}

pub(super) fn ambiguous(db: &Connection, findings: &mut Vec<Finding>) -> Result<()> {
    for (path, line, target, chosen) in links::ambiguous(db)? {
        findings.push(ambiguous_link(&target, &chosen).at(path, line));
    }
    Ok(())
}

pub(super) fn missing_anchors(db: &Connection, findings: &mut Vec<Finding>) -> Result<()> {
    let found = without_place(db)?.into_iter();
    findings.extend(found.map(|link| {
        missing_heading(&link.target, &link.target_path, &link.anchor).at(&link.path, link.line)
    }));
    Ok(())
}

/// Links to a heading or block that their page does not have.
pub(crate) fn without_place(db: &Connection) -> Result<Vec<AnchoredLink>> {
    let mut found = Vec::new();
    for link in links::anchored(db)? {
        // Obsidian writes nested headings as `A#B`; the last one is the target.
        let last = link.anchor.rsplit('#').next().unwrap_or(&link.anchor).trim();
        let wanted = text::heading_key(last);
        let is_meant =
            |key: &String| text::heading_key(key) == wanted && key.starts_with('^') == last.starts_with('^');
        if !names::anchors(db, link.target_page)?.iter().any(is_meant) {
            found.push(link);
        }
    }
    Ok(found)
}

pub(super) fn contested_ids(db: &Connection, findings: &mut Vec<Finding>) -> Result<()> {
    for (path, id, owner) in pages::contested_ids(db)? {
        findings.push(
            finding(
                Severity::Warning,
                "contested_id",
                message!("duplicate id {id}, also used by {owner}", id, owner),
            )
            .at(path, None)
            .hint(message!("delete the id from one of them; a copied page keeps the id of the original")),
        );
    }
    Ok(())
}

pub(super) fn orphans(db: &Connection, graph: &LinkGraph, findings: &mut Vec<Finding>) -> Result<()> {
    let to_projects = findings.iter().filter(|finding| finding.code == LINK_TO_PROJECT);
    let linking: HashSet<String> = to_projects.filter_map(|finding| finding.filepath.clone()).collect();
    for page in graph.orphans() {
        let path = page::path_of(db, page)?;
        if !linking.contains(&path) {
            findings.push(
                finding(Severity::Info, "orphan_page", message!("it has no links to or from other pages"))
                    .at(path, None)
                    .hint(message!("add a link to it from a related page")),
            );
        }
    }
    Ok(())
}

pub(super) fn page_types(db: &Connection, known: &[String], findings: &mut Vec<Finding>) -> Result<()> {
    for (doc_type, count, first) in pages::types(db)? {
        if !known.contains(&doc_type) {
            let have = counted(count, "page has", "pages have");
            let found = finding(
                Severity::Info,
                "own_page_type",
                message!("{have} the type '{doc_type}'", have, doc_type),
            );
            // For a single page, name it.
            let found = if count == 1 { found.at(first, None) } else { found };
            findings.push(found.hint(message!(
                "ignore this if it is intended; the predefined types are {value}",
                value = PAGE_TYPES.join(", ")
            )));
        }
    }
    Ok(())
}

/// A model that is missing, or does not support the script of many pages.
pub(super) fn model(context: &Context<'_>, db: &Connection, findings: &mut Vec<Finding>) -> Result<()> {
    if let Some(embedder) = context.embedder {
        let model = embedder.model();
        if let Some((unread, pages, script)) = other_scripts(db, &model.scripts)?
            && is_unfit(unread, pages)
            && model.name != MULTILINGUAL
        {
            let unread = counted(unread, "page", "pages");
            let message = message!(
                "the model '{name}' does not support the script of {unread} of {pages}: mostly {script}",
                name = model.name,
                unread,
                pages,
                script
            );
            findings.push(
                finding(Severity::Info, "model_script", message)
                    .hint(message!("search finds these pages only by their words, not by meaning")),
            );
        }
    } else {
        let name = &context.manifest.embedding_model.name;
        findings.push(
            finding(
                Severity::Info,
                "model_missing",
                message!("the model '{name}' is not on this machine", name),
            )
            .hint(message!("until it is installed, search uses only words")),
        );
    }
    Ok(())
}

/// How many pages are mostly in other scripts, how many pages there are, and the most frequent of these scripts.
fn other_scripts(db: &Connection, scripts: &Scripts) -> Result<Option<(usize, usize, &'static str)>> {
    let mut pages: HashMap<i64, BTreeMap<Option<&'static str>, usize>> = HashMap::new();
    sections::each_section(db, |page, _, _, text| {
        // Skip sections without letters.
        let other = scripts.other_script_of(text);
        if other.is_some() || scripts.cover(text) {
            *pages.entry(page).or_default().entry(other).or_default() += text.len();
        }
    })?;
    let mut unread: BTreeMap<&'static str, usize> = BTreeMap::new();
    for lengths in pages.values() {
        if let Some((Some(script), _)) = lengths.iter().max_by_key(|(_, length)| **length) {
            *unread.entry(script).or_default() += 1;
        }
    }
    let most = unread.iter().max_by_key(|(_, count)| **count).map(|(script, _)| *script);
    Ok(most.map(|script| (unread.values().sum(), pages.len(), script)))
}

pub(super) fn unknown_settings(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for unknown in &context.manifest.unknown {
        let message = message!(
            "{setting} ({manifest}:{line})",
            setting = unknown.told(),
            manifest = MANIFEST_PATH,
            line = unknown.line
        );
        let mut found = finding(Severity::Info, "unknown_setting", message);
        found.line = Some(unknown.line);
        findings.push(found.hint(message!("correct its name, or leave it if another program needs it")));
    }
}

pub(super) fn review_lock(context: &Context<'_>, findings: &mut Vec<Finding>) -> Result<()> {
    for problem in ReviewLock::load(context.source, |_| true)?.problems {
        let mut found = finding(
            Severity::Warning,
            "review_lock",
            message!(
                ".ubp/{review_lock}:{line}: {message}",
                review_lock = REVIEW_LOCK,
                line = problem.line,
                message = problem.message
            ),
        );
        found.line = Some(problem.line);
        findings.push(found.hint(message!("delete the line; reviewing the page writes its entries again")));
    }
    Ok(())
}

pub(super) fn audit_log(context: &Context<'_>, findings: &mut Vec<Finding>) -> Result<()> {
    if let Some(bytes) = audit::remarkable_size(context.source)? {
        let message = message!(
            "the audit log takes {bytes} MB; it contains the text of every changed page",
            bytes = bytes >> 20
        );
        findings.push(finding(Severity::Info, "large_audit_log", message).hint(message!(
            "delete .ubp/audit.1.jsonl unless you want to undo changes in it; git ignores the file"
        )));
    }
    Ok(())
}
