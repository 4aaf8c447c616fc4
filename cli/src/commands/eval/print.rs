//! An evaluation for people: tables of measures and of differences, and the queries behind them.

use ubp_core::ops::evaluate::{Comparison, Output, QueryDifference, Run, Setting};
use ubp_core::search::SearchMode;

use crate::output::{Failure, counted, printable};
use crate::session::Terminal;

/// Characters of a query that are shown.
const QUERY_WIDTH: usize = 90;

pub(super) fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let names = Names::of(output);
    terminal.line(format!(
        "{}, {}, {}",
        counted(output.query_count, "query", "queries"),
        counted(output.page_count, "page", "pages"),
        counted(output.link_count, "link", "links")
    ))?;
    terminal.line("")?;
    measures(terminal, output, &names)?;
    if !output.comparisons.is_empty() {
        terminal.line("")?;
        differences(terminal, output, &names)?;
        for comparison in listed(output) {
            queries(terminal, output, comparison, &names)?;
        }
    } else if !output.weakest.is_empty() {
        terminal.line("")?;
        terminal.line(terminal.out.strong("Weakest queries, by nDCG@10"))?;
        for query in &output.weakest {
            terminal.line(format!("  {:.3}  {}", query.score, described(&query.id, &query.text)))?;
        }
    }
    notes(terminal, output);
    Ok(())
}

/// What settings are called: depths are named only where they differ.
struct Names {
    depths: bool,
}

impl Names {
    fn of(output: &Output) -> Self {
        let baseline = output.baseline.depth;
        Self { depths: output.settings.iter().any(|run| run.setting.depth != baseline) }
    }

    fn name(&self, setting: Setting) -> String {
        let mut name = match setting.mode {
            SearchMode::Fulltext => "full text".to_owned(),
            SearchMode::Vector => "vector".to_owned(),
            SearchMode::Hybrid => "hybrid".to_owned(),
        };
        if let Some(alpha) = setting.alpha {
            name += &format!(", alpha {alpha}");
        }
        if let Some(depth) = setting.depth.filter(|_| self.depths) {
            name += &format!(", depth {depth}");
        }
        name
    }
}

fn measures(terminal: &mut Terminal<'_>, output: &Output, names: &Names) -> Result<(), Failure> {
    let header =
        ["", "nDCG@10", "MRR@10", "R@5", "R@10", "R@100", "hit@1", "hit@5", "all@10", "p50 ms", "p95 ms"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    let modes = ["fulltext", "vector", "hybrid"].into_iter().filter_map(|mode| output.modes.get(mode));
    let others = |run: &&Run| !output.settings.iter().any(|other| other.setting == run.setting);
    for run in modes.filter(others).chain(&output.settings) {
        let in_use = !output.comparisons.is_empty() && run.setting == output.baseline;
        let mut row = vec![format!("{}{}", names.name(run.setting), if in_use { " (in use)" } else { "" })];
        let m = &run.measures;
        let shares = [
            m.ndcg_at_10,
            m.mrr_at_10,
            m.recall_at_5,
            m.recall_at_10,
            m.recall_at_100,
            m.hit_at_1,
            m.hit_at_5,
            m.all_at_10,
        ];
        row.extend(shares.map(|share| format!("{share:.3}")));
        row.extend([run.latency_ms.p50, run.latency_ms.p95].map(|ms| format!("{ms:.1}")));
        rows.push(row);
    }
    table(terminal, &rows)
}

fn differences(terminal: &mut Terminal<'_>, output: &Output, names: &Names) -> Result<(), Failure> {
    let first = format!("Against {}", names.name(output.baseline));
    let header = [&first, "nDCG@10", "95 % interval", "p", "better", "worse", "same"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for comparison in &output.comparisons {
        let [low, high] = comparison.interval;
        rows.push(vec![
            names.name(comparison.setting),
            format!("{:+.3}", comparison.difference),
            format!("{low:+.3} to {high:+.3}"),
            match comparison.p_value {
                p if p < 0.0001 => "<0.0001".to_owned(),
                p => format!("{p:.4}"),
            },
            comparison.wins.to_string(),
            comparison.losses.to_string(),
            comparison.ties.to_string(),
        ]);
    }
    table(terminal, &rows)
}

/// The comparisons whose queries are worth a look: those of other modes, and of the best setting.
fn listed(output: &Output) -> impl Iterator<Item = &Comparison> {
    let hybrid = |comparison: &&Comparison| comparison.setting.mode == SearchMode::Hybrid;
    let best = output.comparisons.iter().filter(hybrid).max_by(|a, b| a.difference.total_cmp(&b.difference));
    output.comparisons.iter().filter(move |comparison| !hybrid(comparison)).chain(best)
}

fn queries(
    terminal: &mut Terminal<'_>,
    output: &Output,
    comparison: &Comparison,
    names: &Names,
) -> Result<(), Failure> {
    let (name, baseline) = (names.name(comparison.setting), names.name(output.baseline));
    for (what, queries) in [("better", &comparison.largest_wins), ("worse", &comparison.largest_losses)] {
        if queries.is_empty() {
            continue;
        }
        terminal.line("")?;
        terminal.line(terminal.out.strong(format!("Where {name} is {what} than {baseline}")))?;
        for QueryDifference { id, text, baseline, score } in queries {
            terminal.line(format!("  {baseline:.3} -> {score:.3}  {}", described(id, text)))?;
        }
    }
    Ok(())
}

fn described(id: &str, text: &str) -> String {
    let mut shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = shown.char_indices().nth(QUERY_WIDTH) {
        shown.truncate(end);
        shown.push('…');
    }
    printable(&format!("{id}: {shown}"))
}

/// What the figures leave out.
fn notes(terminal: &mut Terminal<'_>, output: &Output) {
    if output.skipped_query_count > 0 {
        let skipped = counted(output.skipped_query_count, "query was", "queries were");
        terminal.note(format!("{skipped} left out: no page that is there was judged relevant"));
    }
    let unresolved = &output.unresolved_judgements;
    if unresolved.count > 0 {
        terminal.warn(format!(
            "{} not count, because no page goes by that name",
            counted(unresolved.count, "judgement does", "judgements do")
        ));
        for example in unresolved.examples.iter().take(5) {
            let why = match example.candidates[..] {
                [] => String::new(),
                _ => format!(" (could be any of: {})", example.candidates.join(", ")),
            };
            terminal.note(printable(&format!("  {}: {}{why}", example.query, example.page)));
        }
    }
    if output.unknown_query_judgement_count > 0 {
        let count = output.unknown_query_judgement_count;
        terminal.warn(format!(
            "{} not count, because the set has no such query",
            counted(count, "judgement does", "judgements do")
        ));
    }
    if output.unresolved_link_count > 0 {
        let links = counted(output.unresolved_link_count, "link", "links");
        terminal.warn(format!("{links} from or to documents that are not there"));
    }
    // A query that cannot be compared by meaning cannot be in any setting.
    let fallbacks = output.modes.values().map(|run| run.fallbacks).max().unwrap_or(0);
    if fallbacks > 0 {
        let queries = counted(fallbacks, "query was", "queries were");
        terminal.warn(format!(
            "{queries} answered by words where vectors were asked for: there are none to compare"
        ));
    }
    if output.index.pending > 0 {
        let sections = counted(output.index.pending, "section has", "sections have");
        terminal.warn(format!("{sections} no vectors yet; `ubp add` computes them"));
    }
}

/// Columns that end at one place each, the first one at the left.
fn table(terminal: &mut Terminal<'_>, rows: &[Vec<String>]) -> Result<(), Failure> {
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    for (at, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = width(column).unwrap_or(0);
            if column == 0 {
                line += &format!("{cell:<width$}");
            } else {
                line += &format!("  {cell:>width$}");
            }
        }
        if at == 0 {
            line = terminal.out.strong(line);
        }
        terminal.line(line)?;
    }
    Ok(())
}
