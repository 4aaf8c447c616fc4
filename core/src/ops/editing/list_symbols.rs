//! The symbols that a file of the project defines, for programs that complete the name of one while somebody types it.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::message;
use crate::ops::budget;
use crate::ops::{Facts, read_source};
use crate::ports::Symbol;
use crate::show::{Page, Span, counted};
use crate::text::fold_key;

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("List the symbols that a file defines: functions, types, constants, keys, headings.")
        .at_once();

/// The file, and what is typed of a name.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The file's path relative to the project.
    pub file: String,
    /// Text that the name contains, ignoring case; empty for all symbols.
    #[serde(default)]
    pub text: String,
    /// Maximum number of symbols, 1 to 1,000 (default: 20).
    #[schemars(range(min = 1, max = 1_000))]
    pub limit: Option<usize>,
}

/// The symbols.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Those whose own name begins with the text come first, otherwise in the order of the file. Empty if its language is
    /// not known, or the file is not shown to readers.
    pub symbols: Vec<FileSymbol>,
    /// Matching symbols before `limit`.
    pub total: usize,
}

/// A symbol of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileSymbol {
    /// Its name after the names of what contains it, such as `Session.refresh`.
    pub name: String,
    /// What it is, in English and lower case: `function`, `class`, `key`.
    pub kind: String,
    /// Its first line, from 1.
    pub line: usize,
}

/// Lists the symbols.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for a `limit` out of range, and as [`read_source::run`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let limit = budget::ranged("limit", params.limit, 20, 1, 1_000)?;
    let read = read_source::run(context, read_source::Params { file: params.file })?;
    let text = read.text.unwrap_or_default();
    let wanted = fold_key(&params.text);
    let mut found: Vec<(Reverse<bool>, FileSymbol)> = context
        .symbols
        .all(&read.file, text.as_bytes())
        .into_iter()
        .filter_map(|symbol| Some((Reverse(begins(&symbol, &wanted)?), listed(symbol)?)))
        .collect();
    found.sort_by_key(|(begins, _)| *begins);
    let total = found.len();
    let symbols = found.into_iter().take(limit).map(|(_, symbol)| symbol).collect();
    Ok(Output { symbols, total })
}

/// Whether the symbol's name, or its own name, begins with the text; `None` if its name does not contain it.
fn begins(symbol: &Symbol, wanted: &str) -> Option<bool> {
    let name = fold_key(&symbol.name);
    let own = name.rsplit('.').next().unwrap_or(&name);
    let begins = name.starts_with(wanted) || own.starts_with(wanted);
    name.contains(wanted).then_some(begins)
}

fn listed(symbol: Symbol) -> Option<FileSymbol> {
    let part = symbol.parts.first()?;
    Some(FileSymbol { kind: part.kind.to_owned(), line: part.lines.0, name: symbol.name })
}

/// Shows the symbols with their lines.
pub fn show(output: &Output, page: &mut dyn Page) {
    for FileSymbol { name, kind, line } in &output.symbols {
        let label = message!("{kind}, line {line}", kind, line);
        page.line(&[Span::Code(name), Span::Text("  "), Span::faint(&label)]);
    }
    let total = counted(output.total, "symbol", "symbols");
    page.note(&[Span::said(&match output.symbols.len() {
        shown if shown == output.total => total,
        shown => message!("{total}; the first {shown} are shown", total, shown),
    })]);
}
