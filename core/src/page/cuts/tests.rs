//! Where readable text is cut.
#![allow(clippy::unwrap_used)]

use super::*;

fn pause(text: &str, before: &str) -> Option<Pause> {
    let at = text.find(before).unwrap();
    cuts(text).cuts.into_iter().find(|cut| cut.at == at).map(|cut| cut.pause)
}

fn blocks(text: &str) -> Vec<&str> {
    cuts(text).blocks.into_iter().map(|block| text[block].trim_end()).collect()
}

#[test]
fn japanese_and_chinese_are_cut_after_their_full_stop() {
    let text = "認証する。確認！（本当？）はい。\n「是。」他说。";
    let sentences: Vec<_> = cuts(text).cuts.into_iter().filter(|cut| cut.pause == Pause::Sentence).collect();
    let expected: Vec<_> = ["確認", "（本当", "はい", "「是", "他说"]
        .map(|word| Cut { at: text.find(word).unwrap(), pause: Pause::Sentence })
        .into();
    assert_eq!(sentences, expected);
}

#[test]
fn code_has_no_sentences_and_a_fence_is_closed_by_the_same_fence() {
    let text = "~~~~\na. B\n~~~\n\nc. D\n~~~~\nAfter. That";
    assert_eq!(pause(text, "B\n"), Some(Pause::Word));
    assert_eq!(pause(text, "c. D"), Some(Pause::Line));
    assert_eq!(pause(text, "D\n"), Some(Pause::Word));
    assert_eq!(pause(text, "After"), Some(Pause::Paragraph));
    assert_eq!(pause(text, "That"), Some(Pause::Sentence));
    assert_eq!(blocks(text), ["~~~~\na. B\n~~~\n\nc. D\n~~~~"]);
}

#[test]
fn the_line_breaks_of_wrapped_prose_are_spaces() {
    let text = "One sentence goes on\nin a second line.\nAnother begins.  \nhard\nsoft\\\nlast";
    assert_eq!(pause(text, "in a"), Some(Pause::Word));
    assert_eq!(pause(text, "Another"), Some(Pause::Sentence));
    assert_eq!(pause(text, "hard"), Some(Pause::Line));
    assert_eq!(pause(text, "soft"), Some(Pause::Word));
    assert_eq!(pause(text, "last"), Some(Pause::Line));
}

#[test]
fn abbreviations_do_not_end_sentences() {
    let text =
        "It was J. Smith, vol. ii. of it, who said 2 sq. m. in all. Then (so he said.) He left! e.g. this";
    let found: Vec<_> = cuts(text).cuts.into_iter().filter(|cut| cut.pause == Pause::Sentence).collect();
    assert_eq!(found.iter().map(|cut| &text[cut.at..cut.at + 2]).collect::<Vec<_>>(), ["Th", "He"]);
}

#[test]
fn lines_of_lists_and_tables_are_not_cut() {
    let text = "Intro\n- one. Item\n  goes on\n- two\n1. three\n\n| a | b |\n|---|---|\n| c | d |\nAfter";
    assert_eq!(pause(text, "- one"), Some(Pause::Line));
    assert_eq!(pause(text, "goes on"), Some(Pause::Word));
    assert_eq!(pause(text, "- two"), Some(Pause::Line));
    assert_eq!(pause(text, "| a"), Some(Pause::Paragraph));
    assert_eq!(pause(text, "| c"), Some(Pause::Line));
    assert_eq!(pause(text, "After"), Some(Pause::Paragraph));
    assert_eq!(
        blocks(text),
        ["- one. Item\n  goes on", "- two", "1. three", "| a | b |\n|---|---|\n| c | d |"]
    );
}

#[test]
fn an_unclosed_fence_reaches_to_the_end() {
    assert_eq!(blocks("text\n```\ncode\n\nmore"), ["```\ncode\n\nmore"]);
}
