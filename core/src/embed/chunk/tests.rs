//! Properties of all pieces, and where readable text is cut.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::testing::HashEmbedder;

fn pieces<'a>(text: &'a str, path: &[String]) -> Vec<&'a str> {
    chunks(&HashEmbedder::default(), path, text, None)
        .unwrap()
        .into_iter()
        .map(|range| &text[range])
        .collect()
}

fn sentence(number: usize) -> String {
    format!("Sentence number {number} says one thing only. ")
}

#[test]
fn short_texts_stay_whole() {
    assert!(pieces("", &[]).is_empty());
    assert_eq!(pieces("one two", &["Heading".into()]), ["one two"]);
    assert_eq!(pieces(" \n", &[]), [" \n"]);
}

#[test]
fn long_texts_are_cut_between_sentences_and_overlap_by_one() {
    let text: String = (0..40).map(sentence).collect();
    let pieces = pieces(&text, &[]);
    assert!(pieces.len() > 4);
    for (piece, next) in pieces.iter().zip(pieces.iter().skip(1)) {
        assert!(piece.ends_with("only. ") && next.starts_with("Sentence"), "{piece} | {next}");
        let repeated = &piece[piece.len() - next.len().min(piece.len())..];
        assert!(repeated.contains(&next[..next.find(". ").unwrap()]), "{piece} | {next}");
    }
}

#[test]
fn paragraphs_win_over_sentences() {
    let paragraph: String = (0..4).map(sentence).collect();
    let text = format!("{paragraph}\n\n{paragraph}\n\n{paragraph}\n\n{paragraph}");
    for piece in pieces(&text, &[]) {
        assert!(piece.ends_with('\n') || text.ends_with(piece), "{piece}");
    }
}

#[test]
fn code_blocks_stay_whole_when_they_fit() {
    let words = |count| "word ".repeat(count);
    let code = format!("```rust\n{}\n\n{}\n```\n", words(15), words(15));
    let text = format!("{}\n\n{code}\nAfterwards {}", words(40), words(60));
    let pieces = pieces(&text, &[]);
    assert!(pieces.iter().any(|piece| piece.contains(&code)), "{pieces:#?}");
}

#[test]
fn a_passage_includes_its_headings() {
    let embedder = HashEmbedder::default();
    let path = ["Guide".to_owned(), " ".to_owned(), "Install".to_owned()];
    assert_eq!(passage(&embedder, &path, "  Run it. \n").unwrap(), "Guide > Install\n\nRun it.");
    assert_eq!(passage(&embedder, &path, "").unwrap(), "Guide > Install");
    assert_eq!(passage(&embedder, &[], "Run it.").unwrap(), "Run it.");
}

#[test]
fn long_headings_lose_their_outermost_part() {
    let embedder = HashEmbedder::default();
    let long = |name: &str| format!("{name} {}", "very ".repeat(20));
    let path = [long("outer"), "middle".to_owned(), "inner".to_owned()];
    assert_eq!(passage(&embedder, &path, "x").unwrap(), "middle > inner\n\nx");
    let words = passage(&embedder, &["word ".repeat(500)], "x").unwrap();
    assert_eq!(words.split_whitespace().count(), 64 / 4 + 1);
}

fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[a-z]{1,8}[.!?]? ",
        "\\PC{0,6}",
        "[。！？、認証設計カナ]{1,6}",
        Just("\n\n".to_owned()),
        Just("\n```\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("👩‍👩‍👧‍👦 ".to_owned()),
    ];
    prop::collection::vec(part, 0..250).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn every_byte_is_covered_in_pieces_that_fit(text in text(), path in prop::collection::vec("[a-z ]{0,40}", 0..4)) {
        let embedder = HashEmbedder::default();
        let ranges = chunks(&embedder, &path, &text, None).unwrap();
        let mut covered = 0;
        let mut start = None;
        for range in &ranges {
            prop_assert!(range.start <= covered && range.end > covered, "{ranges:?}");
            prop_assert!(start < Some(range.start), "{ranges:?}");
            covered = range.end;
            start = Some(range.start);
            let seen = passage(&embedder, &path, &text[range.clone()]).unwrap();
            prop_assert!(embedder.token_ranges(&seen).unwrap().len() <= embedder.model().window);
        }
        prop_assert_eq!(covered, text.len());
    }

    #[test]
    fn no_chunk_exceeds_its_limit(text in text(), most in 1_usize..200) {
        let embedder = HashEmbedder::default();
        let ranges = chunks(&embedder, &["Heading".into()], &text, Some(most)).unwrap();
        let mut covered = 0;
        for range in &ranges {
            prop_assert!(range.start <= covered && range.end > covered, "{ranges:?}");
            // Slicing panics inside of a character.
            let piece = &text[range.clone()];
            prop_assert!(piece.chars().count() <= most, "{} in {most}", piece.chars().count());
            let seen = passage(&embedder, &["Heading".into()], piece).unwrap();
            prop_assert!(embedder.token_ranges(&seen).unwrap().len() <= embedder.model().window);
            covered = range.end;
        }
        prop_assert_eq!(covered, text.len());
    }

    #[test]
    fn joined_pieces_are_the_text(text in text(), most in prop::option::of(1_usize..200)) {
        let ranges = super::pieces(&text, most);
        let joined: String = ranges.iter().map(|range| &text[range.clone()]).collect();
        prop_assert_eq!(&joined, &text);
        prop_assert!(ranges.iter().all(|range| !range.is_empty()));
    }
}

#[test]
fn chunks_of_a_size_end_where_a_reader_pauses() {
    let paragraph: String = (0..6).map(sentence).collect();
    let text = format!("{paragraph}\n\n{paragraph}\n\n{paragraph}\n");
    let cut = |most: usize| -> Vec<&str> {
        super::pieces(&text, Some(most)).into_iter().map(|range| &text[range]).collect()
    };
    // A paragraph has 246 characters: each is a chunk of its own, and smaller ones end with a sentence.
    for piece in cut(400) {
        assert!(piece.ends_with('\n'), "{piece:?}");
    }
    for piece in cut(100) {
        assert!(piece.trim_end().ends_with("only."), "{piece:?}");
    }
    let japanese = "認証の仕組みを説明する。トークンは一時間で失効する。".repeat(10);
    for range in super::pieces(&japanese, Some(60)) {
        let piece = &japanese[range];
        assert!(piece.ends_with('。') && piece.chars().count() <= 60, "{piece}");
    }
}
