//! Sources that name symbols which do not exist, or cannot be told.

use std::collections::BTreeSet;

use super::checks::finding;
use super::{Finding, Severity};
use crate::freshness::{self, Anchor, DeclaredPage, ReviewLock, Sources, Targets};
use crate::message;
use crate::page::decode;
use crate::ports::{Symbol, Target};
use crate::{Context, Result};

/// Maximum symbols whose new place is looked for; each search reads many files.
const MOST_SEARCHES: usize = 20;

pub(super) fn missing(context: &Context<'_>, findings: &mut Vec<Finding>) -> Result<()> {
    let mut declared = context.index.read(|db| freshness::declared(db, None))?;
    for page in declared.values_mut() {
        page.sources.retain(|source| source.contains('#'));
    }
    declared.retain(|_, page| !page.sources.is_empty());
    if declared.is_empty() {
        return Ok(());
    }
    let sources = Sources::expand(context, &declared)?;
    let mut targets = Targets::of_all(&sources);
    let lock = ReviewLock::load(context.source, |_| true)?;
    let mut searches = 0;
    for page in declared.values() {
        context.cancel.check()?;
        let text = context.source.read(&page.path).unwrap_or_default();
        let (text, _) = decode(&text);
        for source in &page.sources {
            let found = match sources.anchor(source) {
                Some(anchor) => {
                    targets.target(context, anchor).and_then(|target| untold(source, anchor, target))
                }
                None => Anchor::of_deleted(source).filter(|_| sources.of(source).is_empty()).map(|anchor| {
                    let message = message!(
                        "the source '{source}' is missing: there is no file {file}",
                        source,
                        file = anchor.file
                    );
                    finding(Severity::Warning, MISSING, message)
                        .hint(message!("correct the entry, or delete it"))
                }),
            };
            let Some(mut found) = found else { continue };
            if found.code == MISSING && searches < MOST_SEARCHES {
                searches += 1;
                if let Some(new) = freshness::moved_to(context, source, reviewed(&lock, page, source))? {
                    found = found.hint(message!("it is now {new}", new));
                }
            }
            let line = text.lines().position(|line| line.contains(source.as_str())).map(|at| at + 1);
            findings.push(found.at(&page.path, line));
        }
    }
    Ok(())
}

const MISSING: &str = "missing_symbol";

/// The hashes of the symbol at the last review.
fn reviewed<'a>(
    lock: &'a ReviewLock,
    page: &DeclaredPage,
    source: &str,
) -> Option<&'a crate::ports::SymbolHashes> {
    lock.page(&page.path)?.get(source)?.iter().find_map(|content| content.symbol.as_ref())
}

/// What is wrong with an anchor to a file that exists.
fn untold(source: &str, anchor: Anchor<'_>, target: &Target) -> Option<Finding> {
    let Anchor { file, name } = anchor;
    Some(match target {
        Target::Symbol(_) => return None,
        Target::Nothing(similar) => {
            let message = message!(
                "the source '{source}' is missing: {file} does not define '{name}'",
                source,
                file,
                name
            );
            let found = finding(Severity::Warning, MISSING, message);
            match similar.first() {
                Some(similar) => found.hint(message!("did you mean {file}#{similar}?", file, similar)),
                None => found.hint(message!("correct the name after the #, or delete the entry")),
            }
        }
        Target::Several(symbols) => {
            let names: BTreeSet<&str> = symbols.iter().map(|Symbol { name, .. }| name.as_str()).collect();
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            let message = message!("the source '{source}' may be any of {names}", source, names);
            finding(Severity::Warning, "ambiguous_symbol", message).hint(message!(
                "write a longer name; until then, every change of {file} makes the page stale",
                file
            ))
        }
        Target::File(whole) => {
            let message =
                message!("the symbols of {file} cannot be told: {reason}", file, reason = whole.reason);
            finding(Severity::Info, "untold_symbol", message)
                .hint(message!("'{source}' is compared as the whole file", source))
        }
    })
}
