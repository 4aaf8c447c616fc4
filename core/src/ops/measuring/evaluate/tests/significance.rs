//! The test and the interval against known results.

use crate::ops::evaluate::significance::Significance;
use crate::progress::Cancel;

fn of(differences: &[f64]) -> Significance {
    Significance::of(differences, &Cancel::default()).unwrap()
}

#[test]
fn the_test_matches_the_count_by_fisher() {
    // Darwin's maize, 15 pairs, in eighths of an inch: Fisher (1935) counted 1,726 of the 32,768 sign combinations.
    let maize = [49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0];
    assert_eq!(of(&maize).p_value, 1_726.0 / 32_768.0);
    assert_eq!(of(&maize.map(|difference| -difference)).p_value, 1_726.0 / 32_768.0);
}

#[test]
fn equal_scores_do_not_affect_the_test() {
    let five = of(&[0.2; 5]);
    assert_eq!(five.p_value, 2.0 / 32.0);
    let mut more = vec![0.0; 40];
    more.extend([0.2; 5]);
    assert_eq!(of(&more).p_value, five.p_value);
    assert!(of(&more).mean < five.mean);
    assert_eq!(of(&[0.0; 3]).p_value, 1.0);
    assert_eq!(of(&[]).p_value, 1.0);
    assert_eq!(of(&[]).interval, [0.0, 0.0]);
}

#[test]
fn many_differences_are_sampled() {
    assert!(of(&[0.1; 30]).p_value < 0.001);
    let balanced: Vec<f64> = (0..60).map(|n| if n % 2 == 0 { 0.1 } else { -0.1 }).collect();
    assert_eq!(of(&balanced).p_value, 1.0);
    // 40 against 20 of equal size: the binomial sign test gives 0.0135.
    let uneven: Vec<f64> = (0..60).map(|n| if n < 40 { 0.1 } else { -0.1 }).collect();
    let p = of(&uneven).p_value;
    assert!((0.009..0.018).contains(&p), "{p}");
}

#[test]
fn the_width_of_the_interval_matches_the_standard_error() {
    // Mean 0.5, standard error sqrt(0.25 / 400) = 0.025: 0.5 -+ 1.96 * 0.025.
    let differences: Vec<f64> = (0..400).map(|n| f64::from(n % 2)).collect();
    let [low, high] = of(&differences).interval;
    assert!((low - 0.451).abs() < 0.006 && (high - 0.549).abs() < 0.006, "{low} {high}");
    assert_eq!(of(&[0.25; 8]).interval, [0.25, 0.25]);
}

#[test]
fn equal_scores_give_equal_results() {
    let differences: Vec<f64> = (0..50).map(|n| f64::from(n * 37 % 11) / 10.0 - 0.4).collect();
    assert_eq!(of(&differences), of(&differences));
}

#[test]
fn cancelling_stops_it() {
    let cancel = Cancel::default();
    cancel.request();
    assert!(Significance::of(&[0.1; 30], &cancel).is_err());
}
