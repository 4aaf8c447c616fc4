//! Latency of answers from a warm index: medians and 95th percentiles, compared with the targets of the design. Run
//! `cargo bench -p ubp-tests --no-default-features --bench answers`; page counts after `--` choose the vaults, for
//! example `answers -- 1000`.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ubp_core::index::Index;
use ubp_core::ports::TextKind;
use ubp_tests::fixture::Fixture;
use ubp_tests::generator::{Random, Vault};

/// Calls per question.
const CALLS: usize = 200;

/// The target in milliseconds: the median and, where the design sets one, the 95th percentile.
type Target = (f64, Option<f64>);

/// An operation, the parameters of each call, and its targets at 1,000 and at 10,000 pages.
struct Question {
    name: &'static str,
    operation: &'static str,
    params: Vec<Value>,
    targets: [Option<Target>; 2],
}

fn questions(vault: Vault) -> Vec<Question> {
    let mut random = Random::new(3);
    let pages: Vec<String> = (0..CALLS).map(|_| vault.path(random.below(vault.pages))).collect();
    let each =
        |texts: Vec<String>, params: fn(String) -> Value| texts.into_iter().map(params).collect::<Vec<_>>();
    let fulltext = |query| json!({ "query": query, "mode": "fulltext" });
    let hybrid = |query| json!({ "query": query });
    let median = |p50: f64| Some((p50, None));
    let large = Some((12.0, Some(35.0)));
    vec![
        Question {
            name: "full text, keywords",
            operation: "search",
            params: each(vault.keywords(CALLS), fulltext),
            targets: [median(5.0), large],
        },
        Question {
            name: "full text, questions",
            operation: "search",
            params: each(vault.questions(CALLS), fulltext),
            targets: [median(5.0), large],
        },
        Question {
            name: "full text, sections",
            operation: "fulltext_search",
            params: each(vault.keywords(CALLS), |query| json!({ "query": query })),
            targets: [median(5.0), large],
        },
        Question {
            name: "hybrid, questions",
            operation: "search",
            params: each(vault.questions(CALLS), hybrid),
            targets: [median(30.0), median(90.0)],
        },
        Question {
            name: "graph, depth 2",
            operation: "get_graph",
            params: each(pages.clone(), |page| json!({ "page": page, "depth": 2 })),
            targets: [median(5.0), median(15.0)],
        },
        Question {
            name: "page with backlinks",
            operation: "get_page",
            params: each(pages, |page| json!({ "page": page })),
            targets: [None, None],
        },
        Question {
            name: "page list",
            operation: "list_pages",
            params: vec![json!({ "limit": 100 }); 40],
            targets: [median(5.0), median(15.0)],
        },
        Question { name: "status", operation: "status", params: vec![json!({}); 20], targets: [None, None] },
        Question { name: "doctor", operation: "doctor", params: vec![json!({}); 10], targets: [None, None] },
    ]
}

/// The time that `work` takes for each item, sorted.
fn times<T>(items: &[T], mut work: impl FnMut(&T)) -> Vec<Duration> {
    let mut times: Vec<Duration> = items
        .iter()
        .map(|item| {
            let begun = Instant::now();
            work(item);
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    times
}

fn report(name: &str, times: &[Duration], target: Option<Target>, remark: &str) {
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    let (median, most) = (at(0.5), at(0.95));
    let verdict = match target {
        None => String::new(),
        Some((p50, p95)) => {
            let holds = median <= p50 && p95.is_none_or(|p95| most <= p95);
            let asked = p95.map_or_else(|| format!("{p50}"), |p95| format!("{p50} and {p95}"));
            format!("  {} {asked}", if holds { "within" } else { "MISSES" })
        }
    };
    println!("  {name:<24} p50 {median:>8.2} ms   p95 {most:>8.2} ms{verdict}{remark}");
}

/// Sources and positions of the links to a page, read from the index directly.
fn backlinks(fixture: &Fixture, pages: &[i64]) -> Vec<Duration> {
    times(pages, |page| {
        let count = fixture.context().index.read(|db| {
            let mut statement =
                db.prepare_cached("SELECT other.path, line FROM links JOIN pages AS other ON other.page = links.page WHERE target_page = ?1")?;
            let rows = statement.query_map([page], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?;
            Ok(rows.count())
        });
        std::hint::black_box(count.unwrap());
    })
}

/// Opens the index as a new process does, and loads all vectors into memory.
fn start(fixture: &Fixture) -> Vec<Duration> {
    let path = fixture.folder().join(".ubp/metadata.db");
    let identity = fixture.context().embedder.unwrap().model().identity.clone();
    times(&[(); 20], |()| {
        let (index, _) = Index::open(&path).unwrap();
        assert!(!index.view().vectors(&identity).unwrap().is_empty());
    })
}

/// The 200 sections closest to the vectors of questions, by vector search only.
fn scans(fixture: &Fixture, questions: &[String]) -> (usize, Vec<Duration>) {
    let context = fixture.context();
    let embedder = context.embedder.unwrap();
    let matrix = context.index.vectors(&embedder.model().identity).unwrap();
    let questions: Vec<&str> = questions.iter().map(String::as_str).collect();
    let vectors = embedder.embed(TextKind::Query, &questions).unwrap();
    let times = times(&vectors, |vector| {
        let close = context.index.read(|db| matrix.closest(db, vector, 200, |_| true)).unwrap();
        std::hint::black_box(close);
    });
    (matrix.len(), times)
}

fn main() {
    let chosen: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    for (pages, page_bytes) in [(1_000, 2_800), (1_000, 7_000), (10_000, 2_800), (10_000, 7_000)] {
        if !chosen.is_empty() && !chosen.contains(&pages) {
            continue;
        }
        let vault = Vault { pages, page_bytes, seed: 1, japanese: false };
        let begun = Instant::now();
        let fixture = Fixture::indexed(vault).unwrap();
        println!(
            "{pages} pages of {:.1} kB, indexed with made-up vectors in {:.1} s",
            page_bytes as f64 / 1e3,
            begun.elapsed().as_secs_f64()
        );
        let large = usize::from(pages > 1_000);
        for question in questions(vault) {
            let ask = |params: &Value| fixture.context().call(question.operation, params.clone()).unwrap();
            question.params.iter().take(3).for_each(|params| drop(ask(params)));
            let mut empty = 0;
            let times = times(&question.params, |params| {
                let answer = ask(params);
                empty += usize::from(answer["results"].as_array().is_some_and(Vec::is_empty));
            });
            let remark = if empty > 0 { format!("  {empty} EMPTY ANSWERS") } else { String::new() };
            report(question.name, &times, question.targets[large], &remark);
        }
        let numbers: Vec<i64> = (1..=200).collect();
        backlinks(&fixture, &numbers[..3]);
        report("backlinks alone", &backlinks(&fixture, &numbers), [None, Some((0.5, None))][large], "");
        report("start, vectors loaded", &start(&fixture), Some((500.0, None)), "");
        let (vectors, times) = scans(&fixture, &vault.questions(CALLS));
        report("closest sections", &times, None, &format!("  of {vectors} vectors"));
    }
}
