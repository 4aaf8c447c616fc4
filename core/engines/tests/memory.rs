//! Memory for long texts is proportional to their size, although the tokenizer needs much more per token. This test has
//! its own process, so that the peak is its own.
#![cfg(all(target_os = "linux", feature = "rten", feature = "bundled-model"))]
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use ubp_core::ports::TextKind;
use ubp_engines::bundled;

/// Peak memory of this process in bytes.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

#[test]
fn memory_for_long_texts_and_queries_is_limited() {
    let embedder = bundled().unwrap();
    embedder.embed(TextKind::Query, &["warm"]).unwrap();
    let before = peak();
    let text = "*a".repeat(1_000_000);
    assert_eq!(embedder.token_ranges(&text).unwrap().len(), text.len());
    let taken = peak() - before;
    assert!(taken < 50 * text.len(), "{} MB for the tokens of 2 MB", taken >> 20);

    let before = peak();
    for unit in ["a", "a ", "認"] {
        let text = unit.repeat(20_000_000 / unit.len());
        assert_eq!(embedder.embed(TextKind::Query, &[&text]).unwrap().len(), 1);
    }
    let taken = peak() - before;
    assert!(taken < 50 << 20, "{} MB for a query of 20 MB", taken >> 20);
}
