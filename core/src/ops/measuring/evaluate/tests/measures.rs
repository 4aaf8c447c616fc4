//! The measures against values calculated by hand, and properties that hold for any ranking.

use proptest::prelude::*;

use crate::ops::evaluate::measures::{Latency, Measures};

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
}

#[test]
fn discounted_gain_matches_a_calculation_by_hand() {
    // 3 + 2/1.5850 + 3/2 + 0 + 1/2.5850 + 2/2.8074 = 6.8611, relative to the best order, 3 + 3/1.5850 + 3/2 +
    // 2/2.3219 + 2/2.5850 + 2/2.8074 + 1/3 = 9.0736.
    let measures = Measures::of(&[3, 2, 3, 0, 1, 2], &[3, 2, 3, 0, 1, 2, 3, 2]);
    near(measures.ndcg_at_10, 6.8611 / 9.0736);
    near(measures.recall_at_5, 4.0 / 7.0);
    near(measures.recall_at_10, 5.0 / 7.0);
}

#[test]
fn only_the_first_ten_pages_count() {
    let mut ranked = vec![0; 10];
    ranked.push(1);
    let measures = Measures::of(&ranked, &[1]);
    assert_eq!((measures.ndcg_at_10, measures.mrr_at_10, measures.recall_at_10), (0.0, 0.0, 0.0));
    assert_eq!((measures.recall_at_100, measures.all_at_10), (1.0, 0.0));
    // The only relevant page, at rank 10, gains 1/log2(11) of its gain at rank 1.
    ranked.remove(0);
    let measures = Measures::of(&ranked, &[1]);
    near(measures.ndcg_at_10, 0.28906);
    near(measures.mrr_at_10, 0.1);
    assert_eq!(measures.all_at_10, 1.0);
}

#[test]
fn all_at_10_requires_every_relevant_page() {
    let measures = Measures::of(&[0, 1, 0, 0, 0, 1], &[1, 1]);
    // (1/1.5850 + 1/2.8074) / (1 + 1/1.5850)
    near(measures.ndcg_at_10, 0.98714 / 1.63093);
    near(measures.mrr_at_10, 0.5);
    assert_eq!((measures.hit_at_1, measures.hit_at_5, measures.all_at_10), (0.0, 1.0, 1.0));
    assert_eq!((measures.recall_at_5, measures.recall_at_10), (0.5, 1.0));
    assert_eq!(Measures::of(&[1], &[1, 1]).all_at_10, 0.0);
    // Ten pages cannot include eleven.
    assert_eq!(Measures::of(&[1; 11], &[1; 11]).all_at_10, 0.0);
}

#[test]
fn pages_judged_not_relevant_count_like_unjudged_pages() {
    assert_eq!(Measures::of(&[-1, 2, 0], &[-1, 2, -5]), Measures::of(&[0, 2, 0], &[2]));
}

#[test]
fn means_are_over_queries() {
    let [good, bad] = [Measures::of(&[1], &[1]), Measures::of(&[0, 0, 1], &[1])];
    let mean = Measures::mean(&[good, bad]);
    assert_eq!(mean.mrr_at_10, 0.6667);
    assert_eq!(mean.ndcg_at_10, 0.75);
    assert_eq!(mean.hit_at_1, 0.5);
    assert_eq!(Measures::mean(&[]), Measures::default());
}

#[test]
fn latency_is_by_nearest_rank() {
    let latency = Latency::of((1..=100).rev().map(|n| n * 1_000).collect());
    assert_eq!((latency.p50, latency.p95), (50.0, 95.0));
    let latency = Latency::of(vec![3_500]);
    assert_eq!((latency.p50, latency.p95), (3.5, 3.5));
    assert_eq!(Latency::of(Vec::new()), Latency::default());
}

fn grades() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(-1..4_i64, 1..30).prop_filter("a relevant one", |g| g.iter().any(|&g| g > 0))
}

fn shares(m: &Measures) -> [f64; 8] {
    [
        m.ndcg_at_10,
        m.mrr_at_10,
        m.recall_at_5,
        m.recall_at_10,
        m.recall_at_100,
        m.hit_at_1,
        m.hit_at_5,
        m.all_at_10,
    ]
}

proptest! {
    #[test]
    fn the_best_order_has_the_highest_measures(ranked in grades()) {
        let of = |ranked: &[i64]| Measures::of(ranked, ranked);
        let mut best = ranked.clone();
        best.sort_unstable_by(|a, b| b.cmp(a));
        let (found, ideal) = (of(&ranked), of(&best));
        prop_assert!((ideal.ndcg_at_10 - 1.0).abs() < 1e-12);
        prop_assert_eq!((ideal.mrr_at_10, ideal.hit_at_1, ideal.hit_at_5, ideal.recall_at_100), (1.0, 1.0, 1.0, 1.0));
        for (found, ideal) in shares(&found).into_iter().zip(shares(&ideal)) {
            prop_assert!((0.0..=1.0 + 1e-12).contains(&found) && found <= ideal + 1e-12);
        }
    }

    #[test]
    fn recall_and_all_at_10_ignore_the_order(ranked in grades(), turn in 0..10_usize) {
        let before = Measures::of(&ranked, &ranked);
        let mut turned = ranked.clone();
        let ten = turned.len().min(10);
        turned[..ten].rotate_left(turn % ten);
        let mut judged = ranked.clone();
        judged.reverse();
        let after = Measures::of(&turned, &judged);
        prop_assert_eq!(before.recall_at_10, after.recall_at_10);
        prop_assert_eq!(before.recall_at_100, after.recall_at_100);
        prop_assert_eq!(before.all_at_10, after.all_at_10);
    }

    #[test]
    fn moving_a_better_page_up_never_lowers_the_gain(ranked in grades(), at in 1..29_usize) {
        let at = at.min(ranked.len() - 1);
        if at > 0 && ranked[at] > ranked[at - 1] {
            let mut moved = ranked.clone();
            moved.swap(at, at - 1);
            let [before, after] = [&ranked, &moved].map(|order| Measures::of(order, &ranked).ndcg_at_10);
            prop_assert!(after >= before);
        }
    }
}
