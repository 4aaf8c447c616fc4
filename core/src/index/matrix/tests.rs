//! The 8-bit scan compared with plain arithmetic on the exact vectors.
#![allow(clippy::unwrap_used)]

use std::collections::HashSet;

use proptest::prelude::*;
use rusqlite::params;

use super::*;
use crate::index::Index;
use crate::index::rounding::round;

mod sharing;

/// An index with these sections and vectors, all of one model.
fn index(dimensions: usize, vectors: &[(i64, Vec<f32>)]) -> Index {
    let index = Index::in_memory().unwrap();
    index
        .write(|db| {
            db.execute_batch("PRAGMA defer_foreign_keys = ON")?;
            db.execute("INSERT INTO models VALUES (7, 'made-up', ?1)", [dimensions])?;
            for (number, (section, vector)) in vectors.iter().enumerate() {
                let page = page_of(*section);
                db.execute(
                    "INSERT OR IGNORE INTO pages VALUES (?1, ?1, '', NULL, '', '', '', '', 0, x'', '{}', '[]')",
                    [page],
                )?;
                db.execute(
                    "INSERT OR IGNORE INTO sections VALUES (?1, ?2, ?1, ?1, 1, 1, 1, '[]', 7, '')",
                    [section, &page],
                )?;
                let data: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
                let number = i64::try_from(number).unwrap();
                db.execute("INSERT INTO vectors VALUES (?1, 7, ?1, ?2)", params![number, data])?;
                let rounded = round(vector);
                db.execute(
                    "INSERT INTO section_vectors VALUES (?1, ?2, ?2, 0, ?3, 7, ?4, ?5, ?6)",
                    params![
                        section,
                        number,
                        page,
                        rounded.as_ref().map(|r| r.scale),
                        rounded.as_ref().map(|r| r.error),
                        rounded.as_ref().map(|r| &r.numbers),
                    ],
                )?;
            }
            Ok(())
        })
        .unwrap();
    index
}

fn page_of(section: i64) -> i64 {
    section / 3
}

fn closest(index: &Index, query: &[f32], limit: usize, keep: impl Fn(i64) -> bool) -> Vec<Close> {
    let matrix = index.view().vectors("made-up").unwrap();
    index.read(|db| matrix.closest(db, query, limit, keep)).unwrap().sections
}

/// The closest sections and their similarities, computed from the exact vectors.
fn exactly(vectors: &[(i64, Vec<f32>)], query: &[f32], limit: usize) -> Vec<(i64, f32)> {
    let mut sections: Vec<i64> = vectors.iter().map(|(section, _)| *section).collect();
    sections.dedup();
    let mut found: Vec<(i64, f32)> = sections
        .into_iter()
        .map(|section| {
            let own = vectors.iter().filter(|(other, _)| *other == section);
            let similarities = own.map(|(_, vector)| {
                let data: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
                exact(query, &data)
            });
            (section, similarities.fold(f32::NEG_INFINITY, f32::max))
        })
        .collect();
    // The path of a page is its number.
    let place = |section: i64| (page_of(section).to_string(), section);
    found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| place(a.0).cmp(&place(b.0))));
    found.truncate(limit);
    found
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    crate::embed::normalize(&mut vector);
    vector
}

/// Different kinds of vectors: evenly spread, concentrated in one direction, with a single large number, one-hot, zero.
fn vector(dimensions: usize) -> impl Strategy<Value = Vec<f32>> {
    let numbers = |low: f32, high: f32| prop::collection::vec(low..high, dimensions);
    prop_oneof![
        4 => numbers(-1.0, 1.0).prop_map(unit),
        4 => numbers(0.99, 1.0).prop_map(unit),
        2 => (numbers(-0.001, 0.001), 0..dimensions).prop_map(|(mut numbers, at)| {
            numbers[at] = 1.0;
            unit(numbers)
        }),
        1 => (0..dimensions).prop_map(move |at| {
            let mut numbers = vec![0.0; dimensions];
            numbers[at] = -1.0;
            numbers
        }),
        1 => Just(vec![0.0; dimensions]),
    ]
}

/// Sections in ascending order, most with one vector, some with several.
fn stored(dimensions: usize) -> impl Strategy<Value = Vec<(i64, Vec<f32>)>> {
    prop::collection::vec((prop::bool::weighted(0.7), vector(dimensions)), 0..120).prop_map(|vectors| {
        let mut section = 0;
        vectors
            .into_iter()
            .map(|(next, vector)| {
                section += i64::from(next);
                (section, vector)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_closest_sections_are_those_of_an_exact_scan(
        vectors in stored(24), query in vector(24), limit in 1_usize..20,
    ) {
        let index = index(24, &vectors);
        let found: Vec<(i64, f32)> =
            closest(&index, &query, limit, |_| true).iter().map(|c| (c.section, c.similarity)).collect();
        prop_assert_eq!(found, exactly(&vectors, &query, limit));
    }

    #[test]
    fn every_section_is_found_once_and_only_on_pages_that_pass_the_filter(
        vectors in stored(8), query in vector(8), limit in 0_usize..200,
    ) {
        let index = index(8, &vectors);
        let found = closest(&index, &query, limit, |page| page % 2 == 0);
        let sections: HashSet<i64> = found.iter().map(|close| close.section).collect();
        let there: HashSet<i64> =
            vectors.iter().map(|(section, _)| *section).filter(|s| page_of(*s) % 2 == 0).collect();
        prop_assert_eq!(sections.len(), found.len());
        prop_assert_eq!(found.len(), there.len().min(limit));
        prop_assert!(sections.is_subset(&there));
        prop_assert!(found.iter().all(|close| close.page == page_of(close.section)));
    }

    #[test]
    fn the_rounding_error_is_within_its_bound(vector in vector(96), query in vector(96)) {
        let data: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
        let exact = exact(&query, &data);
        let (rounded, query) = (round(&vector).unwrap(), RoundedQuery::new(&query).unwrap());
        let estimate = dot(query.numbers(), &rounded.numbers) as f32 * (query.scale() * rounded.scale);
        prop_assert!((exact - estimate).abs() <= query.error(rounded.error));
        prop_assert!(query.error(rounded.error) < 0.04);
    }

    #[test]
    fn nan_and_infinity_in_vectors_do_not_panic(
        vectors in prop::collection::vec(prop::collection::vec(any::<f32>(), 6), 0..20),
        query in prop::collection::vec(any::<f32>(), 6),
        limit in 0_usize..30,
    ) {
        let vectors: Vec<(i64, Vec<f32>)> = (0..).zip(vectors).collect();
        let index = index(6, &vectors);
        let found = closest(&index, &query, limit, |_| true);
        prop_assert!(found.iter().all(|close| close.similarity.is_finite()));
        prop_assert!(found.len() <= limit);
    }
}

#[test]
fn a_vector_with_nan_does_not_hide_other_vectors() {
    let vectors = vec![(1, vec![f32::NAN, 0.0]), (2, vec![0.6, 0.8]), (3, vec![f32::INFINITY, 1.0])];
    let index = index(2, &vectors);
    let found = closest(&index, &[1.0, 0.0], 5, |_| true);
    assert_eq!(found.iter().map(|close| close.section).collect::<Vec<_>>(), [2]);
    assert!(closest(&index, &[f32::NAN, 0.0], 5, |_| true).is_empty());
}

#[test]
fn sections_with_equal_vectors_are_sorted_by_number() {
    let vectors: Vec<(i64, Vec<f32>)> = (0..500).map(|section| (section, vec![0.6, 0.8])).collect();
    let index = index(2, &vectors);
    let found = closest(&index, &[0.8, 0.6], 4, |_| true);
    assert_eq!(found.iter().map(|close| close.section).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn a_query_with_other_dimensions_finds_nothing() {
    let index = index(2, &[(1, vec![1.0, 0.0])]);
    assert!(closest(&index, &[1.0, 0.0, 0.0], 4, |_| true).is_empty());
    assert!(closest(&index, &[], 4, |_| true).is_empty());
    let matrix = index.view().vectors("made-up").unwrap();
    assert_eq!(matrix.similarity(1, &[1.0]), None);
}

#[test]
fn a_section_is_compared_by_its_closest_vector() {
    let index = index(2, &[(4, vec![1.0, 0.0]), (4, vec![0.0, 1.0]), (9, vec![-1.0, 0.0])]);
    let matrix = index.view().vectors("made-up").unwrap();
    let query = [0.6, 0.8];
    let exact = index.read(|db| matrix.similarities(db, &query, [9, 5, 4])).unwrap();
    assert_eq!(exact, [(9, -0.6), (4, 0.8)]);
    for (section, similarity) in exact {
        assert!((matrix.similarity(section, &query).unwrap() - similarity).abs() < 0.002);
    }
    assert_eq!(matrix.similarity(5, &query), None);
}

#[test]
fn contrast_is_that_of_the_query_relative_to_the_vectors() {
    // Two groups of texts, each about its own subject.
    let about = |subject: usize, own: usize| {
        let mut vector = vec![0.0; 40];
        (vector[subject], vector[2 + own]) = (0.8, 0.6);
        vector
    };
    let vectors: Vec<(i64, Vec<f32>)> =
        (0..30).map(|at| (i64::try_from(at).unwrap() * 3, about(at % 2, at))).collect();
    let index = index(40, &vectors);
    let contrast = |query: &[f32]| {
        let matrix = index.view().vectors("made-up").unwrap();
        index.read(|db| matrix.closest(db, query, 5, |_| true)).unwrap().contrast
    };
    assert!(
        (contrast(&about(0, 35)) - 1.0).abs() < 0.1,
        "about one of the subjects: {}",
        contrast(&about(0, 35))
    );
    let mut foreign = vec![0.0; 40];
    foreign[39] = 1.0;
    assert!(contrast(&foreign) < 0.01, "equally far from all");
}
