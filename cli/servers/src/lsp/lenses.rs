//! Code lenses and inlay hints: who links to a page, and what became of its sources.

use std::collections::BTreeMap;

use lsp_types::{
    CodeLens, CodeLensParams, Command, InlayHint, InlayHintLabel, InlayHintParams, Location, Range, Uri,
};
use serde_json::{Value, json};
use ubp_core::editor::{self, Place, Places, Referred};
use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::show::counted;

use super::code;
use super::commands;
use super::navigation::locations;
use super::projects::Named;
use super::requests::{Answer, Call, Subject};

/// Clients that have this command show places in a list.
const SHOW_REFERENCES: &str = "ubp.showReferences";

pub(super) fn lenses(call: &Call<'_>, params: CodeLensParams) -> Answer<Option<Vec<CodeLens>>> {
    let uri = params.text_document.uri;
    let Some(subject) = call.subject(&uri)? else { return Ok(None) };
    if let Named::File(file) = &subject.named {
        return Ok(Some(of_code(call, &subject, &uri, file)?));
    }
    call.on_page(&uri, |context, subject, open| {
        let lines = call.lines(&open.text);
        let title = open.page.sections.iter().find(|section| section.level > 0);
        let top = lines.range(open.line(title.map_or(1, |section| section.lines.0)));
        let mut found = Vec::new();
        let references = editor::references(context, &subject.drafts, Referred::Page(&open.path))?;
        let from_others: Vec<_> =
            references.into_iter().filter(|reference| reference.path != open.path).collect();
        let told = counted(from_others.len(), "reference", "references");
        let places = locations(call, &subject.served, from_others);
        found.push(lens(call, top, &told, show(call, &uri, top, &places)));
        let mut by_section: BTreeMap<Option<String>, Vec<String>> = BTreeMap::new();
        for source in subject.served.changed_sources(context, open)?.iter() {
            by_section.entry(source.section.clone()).or_default().push(source.stale.file_path.clone());
        }
        for (section, files) in by_section {
            let section =
                open.page.sections.iter().find(|own| own.level > 0 && Some(&own.id) == section.as_ref());
            let at = section.map_or(top, |own| lines.range(open.line(own.lines.0)));
            let told = counted(files.len(), "source changed", "sources changed");
            let heading = section.map(|own| own.heading.clone());
            let review =
                call.server.may_write().then(|| (commands::REVIEW, vec![json!(uri), json!(heading)]));
            found.push(lens(call, at, &told, review));
        }
        Ok(Some(found))
    })
}

fn of_code(call: &Call<'_>, subject: &Subject, uri: &Uri, file: &str) -> Answer<Vec<CodeLens>> {
    let all = code::of_file(call, subject, file)?;
    // What concerns the whole file has no line of its own if nothing is at the top.
    let lenses =
        all.iter().filter(|symbol| symbol.symbol.is_none() || symbol.lines.is_some()).map(|symbol| {
            let at = code::range(symbol);
            let mut titles: Vec<&str> =
                symbol.sections.iter().map(|section| section.title.as_str()).collect();
            titles.dedup();
            let stale = symbol.sections.iter().any(|section| section.reason.is_some());
            let pages = match titles.as_slice() {
                [first, second, rest @ ..] if !rest.is_empty() => {
                    format!("{first}, {second} +{}", rest.len())
                }
                all => all.join(", "),
            };
            let told = if stale {
                message!("Described in {pages} (to be reviewed)", pages)
            } else {
                message!("Described in {pages}", pages)
            };
            let places: Vec<Location> = symbol
                .sections
                .iter()
                .filter_map(|section| code::location(&subject.served, section))
                .collect();
            lens(call, at, &told, show(call, uri, at, &places))
        });
    Ok(lenses.collect())
}

/// The client's command that shows places, if it has it.
fn show(call: &Call<'_>, uri: &Uri, at: Range, places: &[Location]) -> Option<(&'static str, Vec<Value>)> {
    let has = call.server.abilities().has_command(SHOW_REFERENCES) && !places.is_empty();
    has.then(|| (SHOW_REFERENCES, vec![json!(uri), json!(at.start), json!(places)]))
}

/// A lens; without a command it only tells.
fn lens(call: &Call<'_>, range: Range, title: &Message, command: Option<(&str, Vec<Value>)>) -> CodeLens {
    let title = title.in_language(call.server.abilities().language);
    let (command, arguments) = command.unwrap_or_default();
    CodeLens {
        range,
        command: Some(Command { title, command: command.into(), arguments: Some(arguments) }),
        data: None,
    }
}

/// Types of links that do not show them, and links to pages that are not up to date. Off unless the client asks for them.
pub(super) fn hints(call: &Call<'_>, params: InlayHintParams) -> Answer<Option<Vec<InlayHint>>> {
    let abilities = call.server.abilities();
    if !abilities.options.inlay_hints {
        return Ok(None);
    }
    call.on_page(&params.text_document.uri, |context, subject, open| {
        let lines = call.lines(&open.text);
        let within = lines.bytes(params.range);
        let mut found = Vec::new();
        let mut known: BTreeMap<String, bool> = BTreeMap::new();
        let mut places = Places::of(context, &subject.drafts, open);
        for link in open.page.links.iter().filter(|link| within.contains(&link.range.end)) {
            let Place::Page(place) = places.lead(link)? else { continue };
            let is_stale = match known.get(&place.path) {
                Some(known) => *known,
                None => editor::is_stale(context, &place.path)?,
            };
            known.insert(place.path.clone(), is_stale);
            let written = open.text.get(link.range.clone()).unwrap_or_default();
            let shows_type =
                written.contains(&format!("|{}", link.link_type)) || link.link_type == "references";
            let mut told: Vec<String> = Vec::new();
            if !shows_type {
                told.push(link.link_type.clone());
            }
            if is_stale {
                told.push(message!("to be reviewed").in_language(abilities.language));
            }
            if !told.is_empty() {
                found.push(InlayHint {
                    position: lines.position(link.range.end),
                    label: InlayHintLabel::String(told.join(", ")),
                    kind: None,
                    text_edits: None,
                    tooltip: None,
                    padding_left: Some(true),
                    padding_right: None,
                    data: None,
                });
            }
        }
        Ok(Some(found))
    })
}
