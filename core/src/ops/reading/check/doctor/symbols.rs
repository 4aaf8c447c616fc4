//! Sources that do not exist, and symbols that cannot be told.

use std::collections::BTreeSet;

use super::checks::finding;
use super::{Finding, Severity};
use crate::freshness::{self, Anchor, DeclaredPage, Looked, Lookups, ReviewLock, Sources, Targets};
use crate::message;
use crate::message::Message;
use crate::page::decode;
use crate::ports::{Symbol, SymbolHashes, Target};
use crate::{Context, Result};

pub(super) fn missing(context: &Context<'_>, findings: &mut Vec<Finding>) -> Result<()> {
    let mut declared = context.index.read(|db| freshness::declared(db, None))?;
    declared.retain(|_, page| !page.sources.is_empty());
    if declared.is_empty() {
        return Ok(());
    }
    let sources = Sources::expand(context, &declared)?;
    let mut targets = Targets::of_all(&sources);
    let lock = ReviewLock::load(context.source, |_| true)?;
    let mut lookups = Lookups::new(context);
    // Which sources are left out must not depend on the order of indexing.
    let mut pages: Vec<&DeclaredPage> = declared.values().collect();
    pages.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    for page in pages {
        context.cancel.check()?;
        let text = context.source.read(&page.path).unwrap_or_default();
        let (text, _) = decode(&text);
        for source in &page.sources {
            let found = match sources.anchor(source) {
                Some(anchor) => {
                    targets.target(context, anchor).and_then(|target| wrong(source, anchor, target))
                }
                None if !sources.of(source).is_empty() => None,
                None => Some(match Anchor::of_deleted(source) {
                    Some(Anchor { file, .. }) => Wrong::missing(
                        "missing_symbol",
                        message!("the source '{source}' is missing: there is no file {file}", source, file),
                    ),
                    None => Wrong::missing(
                        "missing_source",
                        message!("the source '{source}' is missing: no file is there", source),
                    ),
                }),
            };
            let found = match found {
                None => continue,
                Some(Wrong::Otherwise(found)) => found,
                Some(Wrong::Missing { code, told, similar }) => {
                    let told = match (lookups.look(source, reviewed(&lock, page, source))?, similar) {
                        (Looked::Found(new), _) => {
                            message!("{told}; it is now {new}", told, new = new.anchor)
                        }
                        (_, Some(similar)) => message!("{told}; did you mean {similar}?", told, similar),
                        (Looked::Nothing, None) => told,
                        (Looked::Not, None) => message!("{told}; its new place was not looked for", told),
                    };
                    finding(Severity::Warning, code, told)
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
        code: &'static str,
        told: Message,
        /// The anchor of a symbol with a similar name.
        similar: Option<String>,
    },
    Otherwise(Finding),
}

impl Wrong {
    fn missing(code: &'static str, told: Message) -> Self {
        Self::Missing { code, told, similar: None }
    }
}

/// What is wrong with an anchor to a file that exists.
fn wrong(source: &str, Anchor { file, name }: Anchor<'_>, target: &Target) -> Option<Wrong> {
    Some(match target {
        Target::Symbol(_) => return None,
        Target::Nothing(similar) => Wrong::Missing {
            code: "missing_symbol",
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
