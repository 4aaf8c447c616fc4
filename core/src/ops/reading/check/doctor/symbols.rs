//! Sources that name symbols which do not exist, or cannot be told.

use std::collections::BTreeSet;

use super::checks::finding;
use super::{Finding, Severity};
use crate::freshness::{self, Anchor, DeclaredPage, Moves, ReviewLock, Sources, Targets};
use crate::message;
use crate::message::Message;
use crate::page::decode;
use crate::ports::{Symbol, SymbolHashes, Target};
use crate::{Context, Result};

/// Maximum symbols whose new place is looked for; each search reads many files.
const MOST_SEARCHES: usize = 100;

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
    let mut moves = Moves::of(context);
    let mut searches = 0;
    for page in declared.values() {
        context.cancel.check()?;
        let text = context.source.read(&page.path).unwrap_or_default();
        let (text, _) = decode(&text);
        for source in &page.sources {
            let found = match sources.anchor(source) {
                Some(anchor) => {
                    targets.target(context, anchor).and_then(|target| wrong(source, anchor, target))
                }
                None => Anchor::of_deleted(source).filter(|_| sources.of(source).is_empty()).map(|anchor| {
                    let file = anchor.file;
                    Wrong::Missing {
                        told: message!(
                            "the source '{source}' is missing: there is no file {file}",
                            source,
                            file
                        ),
                        similar: None,
                    }
                }),
            };
            let found = match found {
                None => continue,
                Some(Wrong::Otherwise(found)) => found,
                Some(Wrong::Missing { told, similar }) => {
                    searches += 1;
                    let new = match searches <= MOST_SEARCHES {
                        true => moves.moved_to(source, reviewed(&lock, page, source))?.map(|new| new.anchor),
                        false => None,
                    };
                    let told = match (new, similar) {
                        (Some(new), _) => message!("{told}; it is now {new}", told, new),
                        (None, Some(similar)) => message!("{told}; did you mean {similar}?", told, similar),
                        (None, None) => told,
                    };
                    finding(Severity::Warning, "missing_symbol", told)
                        .hint(message!("correct the entry or link, or delete it"))
                }
            };
            let line = text.lines().position(|line| line.contains(source.as_str())).map(|at| at + 1);
            findings.push(found.at(&page.path, line));
        }
    }
    Ok(())
}

/// The hashes of the symbol at the last review.
fn reviewed<'a>(lock: &'a ReviewLock, page: &DeclaredPage, source: &str) -> Option<&'a SymbolHashes> {
    lock.page(&page.path)?.get(source)?.iter().find_map(|content| content.symbol.as_ref())
}

/// What is wrong with an anchor.
enum Wrong {
    Missing {
        told: Message,
        /// The anchor of a symbol with a similar name.
        similar: Option<String>,
    },
    Otherwise(Finding),
}

/// What is wrong with an anchor to a file that exists.
fn wrong(source: &str, Anchor { file, name }: Anchor<'_>, target: &Target) -> Option<Wrong> {
    Some(match target {
        Target::Symbol(_) => return None,
        Target::Nothing(similar) => Wrong::Missing {
            told: message!(
                "the source '{source}' is missing: {file} does not define '{name}'",
                source,
                file,
                name
            ),
            similar: similar.first().map(|similar| format!("{file}#{similar}")),
        },
        Target::Several(symbols) => {
            let names: BTreeSet<&str> = symbols.iter().map(|Symbol { name, .. }| name.as_str()).collect();
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            let message = message!("the source '{source}' may be any of {names}", source, names);
            Wrong::Otherwise(finding(Severity::Warning, "ambiguous_symbol", message).hint(message!(
                "write a longer name; until then, every change of the file makes the page stale"
            )))
        }
        Target::File(whole) => {
            let reason = &whole.reason;
            let message = message!("the symbols of {file} cannot be told: {reason}", file, reason);
            Wrong::Otherwise(
                finding(Severity::Info, "untold_symbol", message)
                    .hint(message!("nothing has to be done: the whole file is compared")),
            )
        }
    })
}
