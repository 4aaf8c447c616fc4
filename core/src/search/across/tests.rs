//! A search over several projects compared with one over a project that has all of their pages.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::hub::{Between, Hub, Project as Member};
use crate::index::tests::Project;
use crate::ops;

const WORDS: [&str; 40] = [
    "harbour",
    "lantern",
    "walrus",
    "copper",
    "market",
    "token",
    "login",
    "session",
    "queue",
    "retry",
    "cache",
    "index",
    "vector",
    "ranking",
    "page",
    "link",
    "graph",
    "export",
    "import",
    "schema",
    "memory",
    "agent",
    "proposal",
    "review",
    "stale",
    "source",
    "symbol",
    "parser",
    "lexer",
    "grammar",
    "budget",
    "limit",
    "rate",
    "quota",
    "tenant",
    "region",
    "backup",
    "restore",
    "灯台の光",
    "港の地図",
];

/// Pages of one project: words that are frequent in it differ from those in others, and so do the lengths.
fn pages(project: usize) -> Vec<(String, String)> {
    let mut state = project as u64 * 7_919 + 17;
    let mut next = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    (0..12 + project * 5)
        .map(|page| {
            let mut text = format!("# {} {}\n\n", WORDS[next(40)], WORDS[next(40)]);
            for section in 0..1 + next(4) {
                if section > 0 {
                    text += &format!("## {}\n\n", WORDS[next(40)]);
                }
                for _ in 0..10 + next(20 + project * 30) {
                    // Each project is mostly about a part of the words.
                    let word = if next(3) == 0 { next(40) } else { (project * 6 + next(9)) % 40 };
                    text += WORDS[word];
                    text += " ";
                }
                text += "\n\n";
            }
            if next(2) == 0 {
                text += &format!("[[d{project}x{}]]\n", next(12));
            }
            (format!("d{project}x{page}.md"), text)
        })
        .collect()
}

fn project(pages: &[(String, String)]) -> Project {
    Project::with_pages(pages.iter().map(|(path, text)| (path.as_str(), text.as_str())))
}

fn hits(answer: &Value) -> Vec<(String, f64)> {
    let results = answer["results"].as_array().unwrap().iter().chain(answer["nearby"].as_array().unwrap());
    let hit = |result: &Value| {
        let path = result["filepath"].as_str().unwrap();
        let path = path.split_once(':').map_or(path, |(_, path)| path);
        (path.to_owned(), result["score"].as_f64().unwrap())
    };
    let mut hits: Vec<(String, f64)> = results.map(hit).collect();
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    hits
}

#[test]
fn several_projects_are_ranked_like_one_with_all_pages() {
    let parts: Vec<_> = (0..6).map(pages).collect();
    let whole = project(&parts.concat());
    let parts: Vec<Project> = parts.iter().map(|pages| project(pages)).collect();
    let names: Vec<String> = (0..parts.len()).map(|part| format!("part{part}")).collect();
    let members: Vec<Member<'_>> = parts
        .iter()
        .zip(&names)
        .map(|(part, name)| Member { name, tags: &[], context: Ok(part.context()) })
        .collect();
    let between = Between::default();
    let hub = Hub::new(members, &between);
    let search = ops::named("search").unwrap();
    let (mut questions, mut same_first, mut overlap, mut asked) = (0, 0, 0, 0);
    for (at, word) in WORDS.iter().enumerate() {
        let (second, third) = (WORDS[(at * 7 + 3) % 40], WORDS[(at * 11 + 5) % 40]);
        for query in [
            (*word).to_owned(),
            format!("{word} {second}"),
            format!("how does the {word} use a {second} with {third}?"),
            format!("\"{word} {second}\" {third}"),
        ] {
            for mode in ["fulltext", "hybrid", "vector"] {
                let params = json!({ "query": query, "mode": mode });
                let expected = hits(&whole.context().call("search", params.clone()).unwrap());
                let found = hits(&hub.call(search, params, None).unwrap());
                questions += 1;
                let first = |hits: &[(String, f64)]| hits.first().map(|(path, _)| path.clone());
                same_first += usize::from(first(&found) == first(&expected));
                asked += expected.len();
                overlap += expected.iter().filter(|hit| found.iter().any(|other| other.0 == hit.0)).count();
                for (path, score) in &expected {
                    if let Some((_, other)) = found.iter().find(|(other, _)| other == path) {
                        assert!((score - other).abs() < 0.02, "{query}, {mode}, {path}: {score} {other}");
                    }
                }
            }
        }
    }
    assert!(same_first * 100 >= questions * 97, "the first page is the same in {same_first} of {questions}");
    assert!(overlap * 100 >= asked * 98, "{overlap} of {asked} pages are the same");
}
