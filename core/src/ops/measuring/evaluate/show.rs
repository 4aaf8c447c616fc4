//! Shows an evaluation: tables of measures and differences, and the queries behind them.

use super::{Comparison, NameKind, NameScore, Output, QueryDifference, Run, Setting};
use crate::message;
use crate::message::Message;
use crate::search::SearchMode;
use crate::show::{Page, Span, counted};

/// Maximum characters of a query.
const QUERY_WIDTH: usize = 90;

/// Shows the measurements.
pub fn show(output: &Output, page: &mut dyn Page) {
    let names = Names::of(output);
    let counts = vec![
        counted(output.query_count, "query", "queries"),
        counted(output.page_count, "page", "pages"),
        counted(output.link_count, "link", "links"),
    ];
    page.line(&[Span::said(&Message::joined(counts, ", "))]);
    page.gap();
    show_measures(output, &names, page);
    if !output.names.is_empty() {
        page.gap();
        show_names(output, page);
    }
    if !output.comparisons.is_empty() {
        page.gap();
        show_differences(output, &names, page);
        for comparison in worth_a_look(output) {
            show_queries(output, comparison, &names, page);
        }
    } else if !output.weakest.is_empty() {
        page.gap();
        page.heading(&[Span::strong(&message!("Weakest queries, by nDCG@10"))]);
        for query in &output.weakest {
            page.item(&[Span::Text(&format!("{:.3}  {}", query.score, described(&query.id, &query.text)))]);
        }
    }
    show_what_is_left_out(output, page);
    output.index.show_with_vectors(page);
}

/// Names of settings; depths are included only if they differ.
struct Names {
    depths: bool,
}

impl Names {
    fn of(output: &Output) -> Self {
        let baseline = output.baseline.depth;
        Self { depths: output.settings.iter().any(|run| run.setting.depth != baseline) }
    }

    fn name(&self, setting: Setting) -> Message {
        let mode = match setting.mode {
            SearchMode::Fulltext => message!("full text"),
            SearchMode::Vector => message!("vector"),
            SearchMode::Hybrid => message!("hybrid"),
        };
        let alpha = setting.alpha.map(|alpha| message!("alpha {alpha}", alpha));
        let depth = setting.depth.filter(|_| self.depths).map(|depth| message!("depth {depth}", depth));
        Message::joined([Some(mode), alpha, depth].into_iter().flatten().collect(), ", ")
    }
}

fn show_measures(output: &Output, names: &Names, page: &mut dyn Page) {
    let columns =
        ["", "nDCG@10", "MRR@10", "R@5", "R@10", "R@100", "hit@1", "hit@5", "all@10", "p50 ms", "p95 ms"];
    let columns = columns.map(Message::verbatim);
    let voice = page.voice();
    let modes = ["fulltext", "vector", "hybrid"].into_iter().filter_map(|mode| output.modes.get(mode));
    let is_other = |run: &&Run| !output.settings.iter().any(|other| other.setting == run.setting);
    let row = |run: &Run| {
        let in_use = !output.comparisons.is_empty() && run.setting == output.baseline;
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
        let times = [run.latency_ms.p50, run.latency_ms.p95];
        let name = names.name(run.setting);
        let name = if in_use { message!("{name} (in use)", name) } else { name };
        let mut row = vec![name.told(voice)];
        row.extend(shares.map(|share| format!("{share:.3}")));
        row.extend(times.map(|ms| format!("{ms:.1}")));
        row
    };
    let rows: Vec<Vec<String>> = modes.filter(is_other).chain(&output.settings).map(row).collect();
    page.table(&columns, &rows);
}

fn show_names(output: &Output, page: &mut dyn Page) {
    let voice = page.voice();
    let row = |score: &NameScore| {
        let what = match score.kind {
            NameKind::Title => message!("titles"),
            NameKind::Alias => message!("aliases"),
            NameKind::Heading => message!("headings"),
            NameKind::LinkText => message!("texts of links"),
            NameKind::Word => message!("single words"),
        };
        let m = &score.measures;
        let shares = [m.hit_at_1, m.hit_at_5, m.mrr_at_10].map(|share| format!("{share:.3}"));
        [what.told(voice), score.query_count.to_string()].into_iter().chain(shares).collect()
    };
    let rows: Vec<Vec<String>> = output.names.iter().map(row).collect();
    let [empty, hit_1, hit_5, mrr] = ["", "hit@1", "hit@5", "MRR@10"].map(Message::verbatim);
    page.table(&[empty, message!("queries"), hit_1, hit_5, mrr], &rows);
}

fn show_differences(output: &Output, names: &Names, page: &mut dyn Page) {
    let voice = page.voice();
    let columns = [
        message!("Against {name}", name = names.name(output.baseline)),
        Message::verbatim("nDCG@10"),
        message!("95 % interval"),
        Message::verbatim("p"),
        message!("better"),
        message!("worse"),
        message!("same"),
    ];
    let row = |comparison: &Comparison| {
        let [low, high] = comparison.interval;
        vec![
            names.name(comparison.setting).told(voice),
            format!("{:+.3}", comparison.difference),
            message!("{low} to {high}", low = format!("{low:+.3}"), high = format!("{high:+.3}")).told(voice),
            match comparison.p_value {
                p if p < 0.0001 => "<0.0001".to_owned(),
                p => format!("{p:.4}"),
            },
            comparison.wins.to_string(),
            comparison.losses.to_string(),
            comparison.ties.to_string(),
        ]
    };
    page.table(&columns, &output.comparisons.iter().map(row).collect::<Vec<_>>());
}

/// The comparisons whose queries are shown: with the other modes, and with the best setting.
fn worth_a_look(output: &Output) -> impl Iterator<Item = &Comparison> {
    let hybrid = |comparison: &&Comparison| comparison.setting.mode == SearchMode::Hybrid;
    let best = output.comparisons.iter().filter(hybrid).max_by(|a, b| a.difference.total_cmp(&b.difference));
    output.comparisons.iter().filter(move |comparison| !hybrid(comparison)).chain(best)
}

fn show_queries(output: &Output, comparison: &Comparison, names: &Names, page: &mut dyn Page) {
    let (name, baseline) = (names.name(comparison.setting), names.name(output.baseline));
    for (is_better, queries) in [(true, &comparison.largest_wins), (false, &comparison.largest_losses)] {
        if queries.is_empty() {
            continue;
        }
        page.gap();
        page.heading(&[Span::strong(&match is_better {
            true => message!("Where {name} is better than {baseline}", name, baseline),
            false => message!("Where {name} is worse than {baseline}", name, baseline),
        })]);
        for QueryDifference { id, text, baseline, score } in queries {
            page.item(&[Span::Text(&format!("{baseline:.3} -> {score:.3}  {}", described(id, text)))]);
        }
    }
}

fn described(id: &str, text: &str) -> String {
    let mut shown: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = shown.char_indices().nth(QUERY_WIDTH) {
        shown.truncate(end);
        shown.push('…');
    }
    format!("{id}: {shown}")
}

fn show_what_is_left_out(output: &Output, page: &mut dyn Page) {
    if output.skipped_query_count > 0 {
        let skipped = counted(output.skipped_query_count, "query was", "queries were");
        page.note(&[Span::said(&message!(
            "{skipped} left out: no existing page was judged relevant",
            skipped
        ))]);
    }
    let judgements = |count| counted(count, "judgement does", "judgements do");
    let unresolved = &output.unresolved_judgements;
    if unresolved.count > 0 {
        let count = judgements(unresolved.count);
        page.warn(&[Span::said(&message!("{count} not count, because no page has that name", count))]);
        for example in unresolved.examples.iter().take(5) {
            let (query, name) = (&example.query, &example.page);
            page.note(&[Span::said(&match example.candidates[..] {
                [] => message!("  {query}: {name}", query, name),
                _ => message!(
                    "  {query}: {name} (could be any of: {candidates})",
                    query,
                    name,
                    candidates = example.candidates.join(", ")
                ),
            })]);
        }
    }
    if output.unknown_query_judgement_count > 0 {
        let count = judgements(output.unknown_query_judgement_count);
        page.warn(&[Span::said(&message!("{count} not count, because the set has no such query", count))]);
    }
    if output.unresolved_link_count > 0 {
        let links = counted(output.unresolved_link_count, "link", "links");
        page.warn(&[Span::said(&message!("{links} from or to documents that do not exist", links))]);
    }
    let unanswered = output.modes.values().map(|run| run.unanswered).max().unwrap_or(0);
    if unanswered > 0 {
        page.note(&[Span::said(&message!(
            "{unanswered} found nothing",
            unanswered = counted(unanswered, "query", "queries")
        ))]);
    }
    // A query that cannot be compared by meaning falls back in every setting.
    let fallbacks = output.modes.values().map(|run| run.fallbacks).max().unwrap_or(0);
    if fallbacks > 0 {
        let queries = counted(fallbacks, "query was", "queries were");
        page.warn(&[Span::said(&message!(
            "{queries} searched by words alone: there are no vectors to compare",
            queries
        ))]);
    }
}
