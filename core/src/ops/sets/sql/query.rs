//! SQL over the front matter and text of pages.

use crate::message::Message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Context;
use crate::message;
use crate::ops::budget::{self, Excess, Omitted};
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};
use crate::query::{self, Limits, Schema};
use crate::show::{Page, Span, counted};
use crate::{Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Query pages with SQL over front matter, text and meaning, for conditions, sorting and counts: one SELECT over files.")
        .tool(Tool::Set("query"))
        .quoting_pages()
        .command("query");

/// Default number of rows.
const ROWS: usize = 1_000;

/// Maximum bytes of rows.
const BYTES: usize = 4 << 20;

/// Time limit of a statement, in milliseconds.
const MILLIS: u64 = 1_500;

/// The statement.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// One SELECT in SQLite's SQL over files: path, every front-matter key, content, updated_at, embedding. Values
    /// are text; lists are JSON. Also embed('text') and array_cosine_distance(a, b).
    pub sql: String,
    /// Only pages whose path matches this glob, such as `daily/**/*.md` (default: all).
    pub glob: Option<String>,
    /// Maximum number of rows.
    #[schemars(range(min = 1, max = 10000), extend("default" = ROWS))]
    pub max_rows: Option<usize>,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The rows.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Names of the columns, in order.
    pub columns: Vec<String>,
    /// Number of rows in `results`.
    pub row_count: usize,
    /// The rows, by column name. Vectors are represented by their type.
    pub results: Vec<Map<String, Value>>,
    /// Whether there are more rows than allowed.
    pub truncated: bool,
    /// Parts omitted to fit `max_tokens`; `pages` counts rows.
    pub omitted: Omitted,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// Runs the statement.
///
/// # Errors
/// [`Error::InvalidParams`] for a statement that is invalid, does more than read the table, or takes too long.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    if params.sql.trim().is_empty() {
        return Err(Error::invalid(message!(
            "sql is empty: give a statement, such as SELECT path FROM files"
        )));
    }
    let rows = budget::ranged("max_rows", params.max_rows, ROWS, 1, 10_000)?;
    let schema = Schema::read(context, params.glob.as_deref())?;
    let limits = Limits { rows, bytes: BYTES, millis: MILLIS };
    let answer = query::run(context, &schema, &params.sql, limits)?;
    let mut output = Output {
        columns: answer.columns,
        row_count: answer.rows.len(),
        results: answer.rows,
        truncated: answer.truncated,
        omitted: Omitted::default(),
        index: context.index_state()?,
    };
    budget::fit(context, &mut output, params.max_tokens, show, shrink)?;
    Ok(output)
}

/// Removes the last rows.
fn shrink(output: &mut Output, excess: Excess) -> bool {
    let dropped = excess.shorten(&mut output.results);
    output.row_count = output.results.len();
    output.truncated |= dropped > 0;
    output.omitted.pages += dropped;
    dropped > 0
}

/// Shows the rows as a table.
pub fn show(output: &Output, page: &mut dyn Page) {
    let columns: Vec<&str> = output.columns.iter().map(String::as_str).collect();
    let cell = |value: Option<&Value>| match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let rows = output.results.iter().map(|row| columns.iter().map(|name| cell(row.get(*name))).collect());
    page.table(
        &columns.iter().map(|name| Message::verbatim(*name)).collect::<Vec<_>>(),
        &rows.collect::<Vec<_>>(),
    );
    let count = counted(output.row_count, "row", "rows");
    page.note(&[Span::said(&match output.truncated {
        true => message!("{count}; there are more, see max_rows", count),
        false => count,
    })]);
    output.omitted.show(
        |count| counted(count, "row", "rows"),
        message!("a larger max_tokens, fewer columns or LIMIT and OFFSET show the rest"),
        page,
    );
    output.index.show_with_vectors(page);
}
