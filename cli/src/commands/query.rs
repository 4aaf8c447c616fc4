//! `ubp query`: pages by SQL.

use std::fmt::Write as _;

use console::measure_text_width;
use serde_json::Value;
use ubp_core::ops::{query, query_inspect};

use crate::args::{Global, QueryArgs};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer_with};

/// Columns of the terminal that a value may take: what is longer is cut for people, never in JSON.
const WIDEST: usize = 60;

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: QueryArgs,
) -> CommandResult {
    let json = terminal.json;
    if args.inspect {
        let params = query_inspect::Params { glob: args.glob, ..Default::default() };
        let output = session.read(terminal, global, |context| query_inspect::run(context, params))?;
        return answer_with(terminal, json, &output, inspected);
    }
    let params = query::Params {
        sql: args.sql.unwrap_or_default(),
        glob: args.glob,
        max_rows: args.max_rows,
        ..Default::default()
    };
    let output = session.read(terminal, global, |context| query::run(context, params))?;
    answer_with(terminal, json, &output, rows)
}

fn inspected(terminal: &mut Terminal<'_>, output: &query_inspect::Output) -> Result<(), Failure> {
    let header = ["column", "type", "pages"].map(str::to_owned).to_vec();
    let lines =
        output.schema.iter().map(|(name, info)| vec![shown(name), shown(&info.kind), info.count.to_string()]);
    table(terminal, header, lines.collect())?;
    if let Some(reason) = &output.embedding_absent {
        terminal.note(format!("there is no column embedding: {reason}"));
    }
    if output.omitted_columns > 0 {
        let left_out = counted(output.omitted_columns, "rarer key", "rarer keys");
        terminal.note(format!("{left_out} left out"));
    }
    terminal.note(counted(output.file_count, "page", "pages"));
    Ok(())
}

fn rows(terminal: &mut Terminal<'_>, output: &query::Output) -> Result<(), Failure> {
    let header = output.columns.iter().map(|name| shown(name)).collect();
    let cell = |value: Option<&Value>| match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => shown(text),
        Some(other) => other.to_string(),
    };
    let lines =
        output.results.iter().map(|row| output.columns.iter().map(|name| cell(row.get(name))).collect());
    table(terminal, header, lines.collect())?;
    let more = if output.truncated { "; there are more, see --max-rows" } else { "" };
    terminal.note(format!("{}{more}", counted(output.row_count, "row", "rows")));
    Ok(())
}

/// Columns side by side, each as wide as its widest value.
fn table(terminal: &mut Terminal<'_>, header: Vec<String>, lines: Vec<Vec<String>>) -> Result<(), Failure> {
    let mut widths: Vec<usize> = header.iter().map(|name| measure_text_width(name)).collect();
    for line in &lines {
        for (width, value) in widths.iter_mut().zip(line) {
            *width = (*width).max(measure_text_width(value));
        }
    }
    let aligned = |line: &[String]| {
        let mut text = String::new();
        for (value, width) in line.iter().zip(&widths) {
            let gap = width.saturating_sub(measure_text_width(value)) + 2;
            let _ = write!(text, "{value}{:gap$}", "");
        }
        text.trim_end().to_owned()
    };
    let heading = terminal.out.faint(aligned(&header));
    terminal.line(heading)?;
    for line in &lines {
        terminal.line(aligned(line))?;
    }
    Ok(())
}

/// On one line, without control characters, and not too long.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    console::truncate_str(&printable(&line), WIDEST, "…").into_owned()
}
