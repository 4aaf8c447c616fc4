//! The parts of an explanation add up to the score.

use proptest::prelude::*;

use crate::index::tests::Project;
use crate::ops::search::{self, Output, Params};
use crate::search::SearchMode;

fn explained(project: &Project, query: &str, mode: SearchMode, alpha: f64) -> Output {
    let params = Params {
        query: query.into(),
        mode: Some(mode),
        alpha: Some(alpha),
        explain: true,
        limit: Some(20),
        ..Default::default()
    };
    search::run(&project.context(), params).unwrap()
}

/// Whether `parts` add up to `sum`; each was rounded by up to half of its last decimal.
fn adds_up(sum: f64, parts: &[f64]) -> bool {
    (sum - parts.iter().sum::<f64>()).abs() < 0.000_051 * (parts.len() + 1) as f64
}

const WORDS: [&str; 10] =
    ["login", "session", "token", "user_db", "認証", "the", "how", "\"session token\"", "expires", "sess"];

fn page() -> impl Strategy<Value = String> {
    let word = prop::sample::select(WORDS.map(|word| word.trim_matches('"')).to_vec());
    let link =
        prop::sample::select(vec!["", "", "[[a]]", "[[b|depends_on]]", "[[c]]", "## More\n\n", "\n\n"]);
    prop::collection::vec((word, link), 0..20)
        .prop_map(|words| words.iter().map(|(word, link)| format!("{word} {link} ")).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn the_parts_add_up_to_the_score(
        pages in prop::collection::vec(page(), 4),
        query in prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..5),
        mode in prop::sample::select(vec![SearchMode::Hybrid, SearchMode::Vector, SearchMode::Fulltext]),
        alpha in 0.0..=1.0_f64,
    ) {
        let files = ["a.md", "b.md", "c.md", "d.md"];
        let project = Project::with_pages(files.into_iter().zip(pages.iter().map(String::as_str)));
        for result in explained(&project, &query.join(" "), mode, alpha).results {
            let why = result.explanation.unwrap();
            let parts = why.parts;
            prop_assert!(
                adds_up(result.score, &[parts.meaning, parts.words, parts.further_sections, parts.name, parts.links]),
                "{} {parts:?}", result.score
            );
            prop_assert!(adds_up(why.relevance, &[parts.meaning, parts.words, parts.further_sections, parts.name]));
            for section in &why.sections {
                prop_assert!(adds_up(section.score, &[section.meaning, section.words, section.name]), "{section:?}");
                let terms: Vec<f64> = section.terms.iter().map(|term| term.score).collect();
                prop_assert!(!terms.is_empty() || section.fulltext == 0.0, "{section:?}");
                prop_assert!(terms.is_empty() || adds_up(section.words, &terms), "{section:?}");
            }
            prop_assert!(why.lifted_by.is_some() || result.score_breakdown.graph_proximity <= why.relevance);
            if let Some(lift) = &why.lifted_by {
                prop_assert_eq!(lift.way.len(), lift.hops);
                prop_assert!(lift.passed <= lift.relevance);
                prop_assert_eq!(&lift.way.last().unwrap().filepath, &result.page.filepath);
                prop_assert!(adds_up(parts.links, &[(1.0 - alpha) * lift.passed, (alpha - 1.0) * why.relevance]));
            }
        }
    }
}

#[test]
fn rare_words_weigh_more_and_stop_words_do_not_count() {
    let project = Project::with_pages([
        ("a.md", "The quagga and the session"),
        ("b.md", "The session"),
        ("c.md", "A session of it"),
        ("d.md", "Nothing of the kind"),
        ("e.md", "Nothing else"),
    ]);
    let found = explained(&project, "the quagga sess*", SearchMode::Fulltext, 0.7);
    let why = found.results[0].explanation.clone().unwrap();
    assert_eq!(
        (why.terms, why.ignored_terms),
        (vec!["quagga".into(), "sess".into()], vec!["the".to_owned()])
    );
    let terms = &why.sections[0].terms;
    assert_eq!(terms.iter().map(|term| term.term.as_str()).collect::<Vec<_>>(), ["quagga", "sess*"]);
    assert!(terms[0].score > terms[1].score);
}
