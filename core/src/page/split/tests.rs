//! Properties of the pieces of any text, and which parts are not cut.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

const SIZES: Sizes = Sizes { piece: 120, whole: 160, overlap: 0 };

fn pieces(text: &str, sizes: Sizes) -> Vec<&str> {
    split(text, &Bytes(text.len()), sizes).into_iter().map(|range| &text[range]).collect()
}

/// A part of a page, and whether it must be whole in one piece.
fn part() -> impl Strategy<Value = (String, bool)> {
    let words = |most| prop::collection::vec("[a-z]{1,7}", 1..most).prop_map(|words| words.join(" "));
    prop_oneof![
        // A sentence with a line break.
        words(12).prop_map(|text| (format!("S{}.\n", text.replacen(" m", "\nm", 1)), true)),
        words(12).prop_map(|text| (format!("S{text}? "), true)),
        "[認証設計カナ、]{1,30}".prop_map(|text| (format!("{text}。"), true)),
        "[读写文件，的是]{1,30}".prop_map(|text| (format!("{text}！"), true)),
        words(14).prop_map(|text| (format!("\n- {}\n\n", text.replacen(' ', "\n  ", 1)), true)),
        prop::collection::vec("[a-z]{1,4}( [a-z]{1,4}){0,2}", 1..6)
            .prop_map(|rows| (format!("\n\n| {} |\n\n", rows.join(" |\n| ")), true)),
        prop::collection::vec("[A-Z. a-z]{0,12}", 1..7)
            .prop_map(|code| (format!("\n```rust\n{}\n```\n", code.join("\n")), true)),
        Just(("\n\n".to_owned(), false)),
        Just(("\r\n\r\n".to_owned(), false)),
        "[a-z]{1,300}".prop_map(|word| (word, false)),
        "\\PC{0,6}".prop_map(|text| (text, false)),
    ]
}

proptest! {
    #[test]
    fn pieces_cover_every_byte_in_order_and_fit(parts in prop::collection::vec(part(), 0..40), overlap in 0..30_usize) {
        let text: String = parts.into_iter().map(|(text, _)| text).collect();
        let ranges = split(&text, &Bytes(text.len()), Sizes { overlap, ..SIZES });
        let (mut covered, mut start) = (0, None);
        for range in &ranges {
            prop_assert!(range.start <= covered && range.end > covered && start < Some(range.start), "{ranges:?}");
            prop_assert!(overlap > 0 || range.start == covered, "{ranges:?}");
            let most = if range.end == text.len() { SIZES.whole } else { SIZES.piece };
            // Characters are not cut, even if the pieces are smaller.
            prop_assert!(range.len() <= most + 3, "{ranges:?}");
            covered = range.end;
            start = Some(range.start);
            prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
        }
        prop_assert_eq!(covered, text.len());
    }

    #[test]
    fn parts_that_fit_are_never_cut(
        parts in prop::collection::vec(part().prop_filter("readable", |(_, whole)| *whole), 1..40),
        overlap in 0..30_usize,
    ) {
        let text: String = parts.iter().map(|(text, _)| text.as_str()).collect();
        let pieces = pieces(&text, Sizes { overlap, ..SIZES });
        for (part, _) in &parts {
            let part = part.trim();
            if part.len() <= SIZES.piece - 4 {
                prop_assert!(pieces.iter().any(|piece| piece.contains(part)), "{part:?} in {pieces:#?}");
            }
        }
    }
}

#[test]
fn only_long_sections_are_more_than_one_passage() {
    let sentence = "A sentence of some fifty characters, one of many. ";
    let short = sentence.repeat(60);
    assert_eq!(passages(&short), std::slice::from_ref(&(0..short.len())));
    let long = sentence.repeat(200);
    let found = passages(&long);
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|range| long[range.clone()].starts_with("A sentence")), "{found:?}");
    assert_eq!(passages(""), std::slice::from_ref(&(0..0)));
}
