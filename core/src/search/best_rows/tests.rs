//! Compares skipping rows with scoring all of them.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::index::tests::Project;
use crate::text::Query;

fn name(word: usize) -> String {
    let letters = ["b", "d", "g", "k", "m", "p", "z"];
    format!("{}o{}u", letters[word / 7], letters[word % 7])
}

/// Words from very common to very rare: the n-th occurs in about one of n texts.
fn page(number: usize) -> (String, String) {
    let mut text = String::new();
    for part in 0..4 {
        text += &format!("## part {part}\n\n");
        for word in 1..40 {
            let seen = (number * 4 + part) * 7919 + word * 104_729;
            if seen % (word * 1_000) < 1_000 {
                text += &format!("{} ", name(word)).repeat(1 + seen % 3);
            }
        }
        text += "\n\n";
    }
    (format!("{number:04}.md"), text)
}

fn project() -> Project {
    let pages: Vec<(String, String)> = (0..700).map(page).collect();
    let project = Project::with_pages([]);
    pages.iter().for_each(|(path, text)| project.put(path, text));
    project.refresh();
    project
}

type Found = (Vec<Scored>, usize);

fn best(index: &Index, db: &Connection, query: &Query, limit: usize, within: Option<&RowSet>) -> Found {
    let mut best = BestRows::new(db, limit, within, index);
    best.weigh_any(&query.alternatives().unwrap()).unwrap();
    let expressions = best.expressions;
    (best.into_sorted(), expressions)
}

fn all(index: &Index, db: &Connection, query: &Query, limit: usize, within: Option<&RowSet>) -> Vec<Scored> {
    let mut best = BestRows::new(db, limit, within, index);
    best.weigh(&query.match_expression().unwrap(), None).unwrap();
    best.into_sorted()
}

#[test]
fn the_best_rows_are_those_of_scoring_all_rows() {
    let project = project();
    let pages: HashSet<i64> = (0..300).collect();
    let queries = prop::collection::vec(1..45_usize, 1..14);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(200));
    let told_apart = std::cell::Cell::new(0);
    runner
        .run(&(queries, 1..250_usize, proptest::bool::ANY), |(words, limit, narrow)| {
            let words: Vec<String> = words.iter().map(|&word| name(word)).collect();
            let query = Query::parse(&words.join(" "));
            project
                .index
                .read(|db| {
                    let within = narrow.then(|| RowSet::of_pages(db, &pages)).transpose()?;
                    let (found, expressions) = best(&project.index, db, &query, limit, within.as_ref());
                    assert_eq!(found, all(&project.index, db, &query, limit, within.as_ref()), "{words:?}");
                    told_apart.set(told_apart.get() + usize::from(expressions > 1));
                    Ok(())
                })
                .unwrap();
            Ok(())
        })
        .unwrap();
    assert!(told_apart.get() > 20, "only {} of these queries were not weighed whole", told_apart.get());
}

#[test]
fn sums_over_the_lists_of_words_are_the_scores_of_rows() {
    let project = project();
    let pages: HashSet<i64> = (0..300).collect();
    let index = &project.index;
    let add_up = |db: &Connection, query: &Query, within: Option<&RowSet>, otherwise: usize| {
        let mut best = BestRows::new(db, 30, within, index);
        let total = index.all_rows(db).unwrap();
        let words: Vec<Weighed> = query
            .alternatives()
            .unwrap()
            .iter()
            .filter_map(|alternative| best.weighed(alternative, total).unwrap())
            .collect();
        best.add_up(&words, otherwise).unwrap().then(|| best.into_sorted())
    };
    let query =
        |words: &[usize]| Query::parse(&words.iter().map(|&word| name(word)).collect::<Vec<_>>().join(" "));
    index
        .read(|db| {
            let within = RowSet::of_pages(db, &pages)?;
            for words in [&[1][..], &[1, 2], &[3, 1, 20], &[30, 39], &[1, 2, 3, 4, 5, 6, 7, 30]] {
                let query = query(words);
                for within in [None, Some(&within)] {
                    let expected = all(index, db, &query, 30, within);
                    assert!(!expected.is_empty());
                    let found = add_up(db, &query, within, usize::MAX);
                    assert_eq!(found, Some(expected), "{words:?}");
                }
            }
            assert!(add_up(db, &query(&[1]), Some(&within), 0).is_some(), "this list is kept");
            let rows = index.row_count(db, &format!("\"{}\"", name(25)))?;
            assert!(rows > 10);
            let other = query(&[1, 25]);
            for _ in 1..rows.div_ceil(10) {
                assert_eq!(add_up(db, &other, None, 10), None, "reading its rows takes longer");
            }
            assert!(add_up(db, &other, None, 10).is_some(), "it has paid off by now");
            Ok(())
        })
        .unwrap();
    project.put("0000.md", &format!("# New\n\n{}\n", format!("{} ", name(1)).repeat(40)));
    project.refresh();
    index
        .read(|db| {
            assert_eq!(add_up(db, &query(&[1]), None, 0), None, "the list is of an older state");
            let found = add_up(db, &query(&[1]), None, usize::MAX);
            assert_eq!(found, Some(all(index, db, &query(&[1]), 30, None)));
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_limit_of_zero_or_no_words_find_nothing() {
    let project = Project::with_pages([("a.md", "# A\n\nword\n")]);
    project
        .index
        .read(|db| {
            let best = |query: &str, limit| best(&project.index, db, &Query::parse(query), limit, None).0;
            assert_eq!(best("word", 0), []);
            assert_eq!(best("absent nowhere", 5), []);
            assert_eq!(best("absent word", 5).len(), 1);
            Ok(())
        })
        .unwrap();
}

#[test]
fn two_threads_find_what_one_finds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    project().index.write_copy(&path).unwrap();
    let index = Index::open(&path).unwrap().0;
    let pages: HashSet<i64> = (0..300).collect();
    let found = |db: &Connection, query: &str, within: Option<&RowSet>, halves: bool| {
        let mut best = BestRows::new(db, 30, within, &index);
        match halves {
            true => assert!(best.weigh_halves(query).unwrap(), "{query}"),
            false => best.weigh(query, None).unwrap(),
        }
        best.into_sorted()
    };
    index
        .read(|db| {
            let within = RowSet::of_pages(db, &pages)?;
            for query in
                [name(1), format!("{} OR {}", name(3), name(9)), format!("{} NOT {}", name(2), name(4))]
            {
                for within in [None, Some(&within)] {
                    let whole = found(db, &query, within, false);
                    assert!(whole.len() >= 30, "{query}");
                    assert_eq!(found(db, &query, within, true), whole, "{query}");
                }
            }
            index.write(|db| {
                Ok(db.execute("UPDATE meta SET value = value + 1 WHERE key LIKE '%generation'", [])?)
            })?;
            let mut best = BestRows::new(db, 30, None, &index);
            assert!(!best.weigh_halves(&name(1))?, "the other connection sees a newer state");
            best.weigh(&name(1), Some(MANY))?;
            assert_eq!(best.into_sorted(), found(db, &name(1), None, false));
            Ok(())
        })
        .unwrap();
}
