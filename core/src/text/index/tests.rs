//! Which words are indexed.
#![allow(clippy::unwrap_used)]

use super::*;

/// The tokens, with `|` for the barrier.
fn terms(text: &str) -> String {
    let mut out = String::new();
    index_terms(text, &mut out);
    out.trim_start().replace('\u{e000}', "|")
}

#[test]
fn prose_is_split_into_words() {
    assert_eq!(terms("The quick, brown fox (jumps)."), "the quick brown fox jumps");
    assert_eq!(terms("Don't read the user's guide; it’s O'Brien's"), "don read the user guide it o brien");
    assert_eq!(terms("Straße, Résumé, naïve, ŁÓDŹ"), "strasse resume naive łodz");
    assert_eq!(terms("1,000 and 3.14"), "1 000 and 3 14");
    assert_eq!(terms(""), "");
    assert_eq!(terms(" \n\t … — !?"), "");
}

#[test]
fn identifiers_are_indexed_whole_and_in_parts() {
    assert_eq!(terms("UserDB"), "userdb | user db");
    assert_eq!(terms("the UserDB class"), "the userdb class | user db");
    assert_eq!(terms("getUserIDs"), "getuserids | get user ids");
    assert_eq!(terms("HTTPServer2"), "httpserver2 | http server 2");
    assert_eq!(terms("snake_case_name"), "snake case name | snakecasename");
    assert_eq!(terms("kebab-case"), "kebab case | kebabcase");
    assert_eq!(terms("node.js"), "node js | nodejs");
    assert_eq!(terms("U.S.A."), "u s a | usa");
    assert_eq!(terms("src/auth/login.ts"), "src auth login ts | logints");
    assert_eq!(terms("src/LoginPage.ts"), "src loginpage ts | login page | loginpagets");
    assert_eq!(terms("src/snake_case.rs"), "src snake case rs | snakecase");
    assert_eq!(terms("lib.user_db"), "lib user db | libuser | userdb");
    assert_eq!(terms("std::fs::File"), "std fs file");
    assert_eq!(terms("_private_ --flag -x"), "private flag x");
}

#[test]
fn abbreviations_are_not_split() {
    assert_eq!(terms("APIs mRNA PhD pH xAxis iOS b12 v2 2nd"), "apis mrna phd ph xaxis ios b12 v2 2nd");
}

#[test]
fn numbers_and_versions_are_not_joined() {
    assert_eq!(terms("1.2.3"), "1 2 3");
    assert_eq!(terms("v0.23.9 v2"), "0 23 9 v2");
    assert_eq!(terms("2026-07-28"), "2026 07 28");
}

#[test]
fn names_with_punctuation_are_words() {
    assert_eq!(terms("C++ and C#, F# or .NET"), "cplusplus and csharp fsharp or dotnet | c | c | f | net");
    assert_eq!(terms("C++17"), "cplusplus 17 | c");
    assert_eq!(terms("ASP.NET page#heading a+b c+++"), "asp net page heading a b c | aspnet");
}

#[test]
fn scripts_without_spaces_become_pairs() {
    assert_eq!(terms("公開鍵"), "公開 開鍵 | 鍵");
    assert_eq!(terms("鍵"), "鍵");
    assert_eq!(terms("APIの設計。全文検索"), "api の設 設計 全文 文検 検索 | 計 索");
    assert_eq!(terms("データ"), "デー ータ | タ");
    assert_eq!(terms("ﾃﾞｰﾀ"), terms("データ"));
    assert_eq!(terms("한국어"), "한국 국어 | 어");
    assert_eq!(terms("\u{1112}\u{1161}\u{11ab}국"), terms("한국"));
    assert_eq!(terms("ＡＰＩ　Ｖ２"), "api v2");
    assert_eq!(terms("㈱ ㌖"), "株 キロ ロメ メー ート トル | ル");
}

#[test]
fn emoji_and_private_use_are_separators() {
    assert_eq!(terms("🎉"), "");
    assert_eq!(terms("ship🚀it 👨‍👩‍👧 1️⃣"), "ship it 1");
    assert_eq!(terms("a\u{e000}b"), "a b");
}

#[test]
fn marks_and_joiners_do_not_split_words() {
    assert_eq!(terms("re\u{301}sume\u{301}"), "resume");
    assert_eq!(terms("co\u{ad}operate"), "cooperate");
    assert_eq!(terms("и\u{306}од"), "йод");
    assert_eq!(terms("が か\u{3099}"), "が が");
}

#[test]
fn very_long_words_are_cut() {
    let out = terms(&"aB".repeat(500_000));
    assert!(out.split(' ').all(|token| token.len() <= MAX_WORD));
    assert_eq!(out.len(), 1_000_000 + 1_000_000 / MAX_WORD - 1);
    let out = terms(&"é".repeat(300_000));
    assert!(out.split(' ').all(|token| token.len() <= MAX_WORD));
    assert!(terms(&format!("a{}", "\u{301}".repeat(1_000_000))).len() == 1);
}
