//! The columns that SQL queries over pages can use.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::message;
use crate::message::Message;
use crate::ops::budget;
use crate::ops::page::IndexState;
use crate::ops::{Facts, Tool};
use crate::query::Schema;
use crate::show::{Page, Span, counted};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("List the columns that a query can use: front-matter keys with their types and counts.")
        .tool(Tool::Set("query"))
        .command("query --inspect");

/// Selects the pages.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Only pages whose path matches this glob, such as `daily/**/*.md` (default: all).
    pub glob: Option<String>,
    /// Maximum tokens in the answer.
    #[schemars(range(min = 256))]
    pub max_tokens: Option<usize>,
}

/// The columns.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Pages that match.
    pub file_count: usize,
    /// Columns by name.
    pub schema: BTreeMap<String, ColumnInfo>,
    /// Keys that were omitted or are not columns, because others are more common.
    pub omitted_columns: usize,
    /// Why there is no column `embedding`, if there is none.
    pub embedding_absent: Option<Message>,
    /// Whether the index is up to date.
    pub index: IndexState,
}

/// A column.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ColumnInfo {
    /// Type in front matter: `string`, `array`, `object`, or `FLOAT[n]` for vectors. In SQL all but vectors are
    /// text.
    #[serde(rename = "type")]
    pub kind: String,
    /// Pages with this key.
    pub count: usize,
    /// Whether some pages lack it.
    pub nullable: bool,
}

/// Lists the columns.
///
/// # Errors
/// [`crate::Error::InvalidParams`] for an invalid glob; [`crate::Error::Database`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let schema = Schema::read(context, params.glob.as_deref())?;
    let pages = schema.len();
    let column = |kind: &str, count| ColumnInfo { kind: kind.to_owned(), count, nullable: count < pages };
    let mut columns: BTreeMap<String, ColumnInfo> =
        schema.columns.iter().map(|key| (key.name.clone(), column(key.kind, key.count))).collect();
    for name in ["path", "content", "updated_at"] {
        columns.insert(name.into(), column("string", pages));
    }
    if schema.without_vectors.is_none() {
        let info = column(&format!("FLOAT[{}]", schema.dimensions), pages);
        columns.insert("embedding".into(), ColumnInfo { nullable: true, ..info });
    }
    let mut output = Output {
        file_count: pages,
        schema: columns,
        omitted_columns: schema.left_out,
        embedding_absent: schema.without_vectors,
        index: context.index_state()?,
    };
    budget::fit(context, &mut output, params.max_tokens, show, |output, _| {
        let rarest = output.schema.iter().min_by_key(|(_, info)| info.count).map(|(name, _)| name.clone());
        let dropped = rarest.and_then(|name| output.schema.remove(&name)).is_some();
        output.omitted_columns += usize::from(dropped);
        dropped
    })?;
    Ok(output)
}

/// Shows the columns, and which are missing.
pub fn show(output: &Output, page: &mut dyn Page) {
    let row =
        |(name, info): (&String, &ColumnInfo)| vec![name.clone(), info.kind.clone(), info.count.to_string()];
    page.table(
        &[message!("column"), message!("type"), message!("pages")],
        &output.schema.iter().map(row).collect::<Vec<_>>(),
    );
    if let Some(reason) = &output.embedding_absent {
        page.note(&[Span::said(&message!("there is no column embedding: {reason}", reason))]);
    }
    if output.omitted_columns > 0 {
        let left_out = counted(output.omitted_columns, "rarer key", "rarer keys");
        page.note(&[Span::said(&message!("{left_out} left out", left_out))]);
    }
    page.note(&[Span::said(&counted(output.file_count, "page", "pages"))]);
}
