//! Pages that break the rules of the template of their type, and templates with errors.

use crate::message;
use std::collections::BTreeSet;

use rusqlite::Connection;

use super::checks::finding;
use super::{Finding, Severity};
use crate::index::questions::{links, pages};
use crate::page::{decode, parse};
use crate::templates::{Templates, breaches};
use crate::{Context, Result};

/// Adds what is wrong with templates.
pub(super) fn templates(templates: &Templates, findings: &mut Vec<Finding>) {
    for broken in &templates.broken {
        let message = message!(
            "{filepath}:{line}: {message}",
            filepath = broken.filepath,
            line = broken.line,
            message = broken.message
        );
        let mut found = finding(Severity::Warning, "template", message);
        found.line = Some(broken.line);
        findings.push(found.hint(message!("correct the template; until then, it is ignored")));
    }
}

/// Adds the breaches of every page whose type has a template.
pub(super) fn pages(
    context: &Context<'_>,
    db: &Connection,
    templates: &Templates,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let types: BTreeSet<&str> = templates.usable.iter().filter_map(|own| own.doc_type.as_deref()).collect();
    let link_types = context.link_types();
    for doc_type in types {
        let own = templates.of_type(doc_type);
        let is_free = |own: &&crate::templates::Template| {
            own.fields.is_empty() && own.headings.is_empty() && own.links.is_empty()
        };
        if own.iter().any(is_free) {
            continue;
        }
        for (page, path) in pages::of_type(db, doc_type)? {
            context.cancel.check()?;
            // A page that was deleted since is no longer of this type.
            let Ok(bytes) = context.source.read(&path) else { continue };
            let text = decode(&bytes).0;
            let links = links::typed(db, page)?;
            for breach in breaches(&own, &text, &parse(&text, &link_types), &links) {
                let found = finding(Severity::Warning, &breach.code, breach.message);
                findings.push(found.at(&path, breach.line).hint(breach.hint));
            }
        }
    }
    Ok(())
}
