//! Any query can be parsed, and a snippet can be made for the result.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ubp_core::text::{Query, index_terms, snippet};

fuzz_target!(|input: (String, String)| {
    let (typed, text) = input;
    let query = Query::parse(&typed);
    if let Some(expression) = query.match_expression() {
        assert!(!expression.is_empty());
        assert_eq!(expression.matches('"').count() % 2, 0);
        assert_eq!(expression.matches('(').count(), expression.matches(')').count());
    }
    let found = snippet(&text, &query, 200);
    assert!(found.text.chars().count() <= 200);
    for range in found.highlights {
        assert!(found.text.get(range).is_some_and(|part| !part.is_empty()));
    }
    index_terms(&text, &mut String::new());
});
