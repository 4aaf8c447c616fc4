//! Snippets show the words that matched, within the given length.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

fn cut(text: &str, query: &str, max: usize) -> Snippet {
    snippet(text, &Query::parse(query), max)
}

/// The snippet with its highlights in brackets.
fn shown(text: &str, query: &str, max: usize) -> String {
    let found = cut(text, query, max);
    let mut out = String::new();
    let mut at = 0;
    for range in &found.highlights {
        out += found.text.get(at..range.start).unwrap();
        out += "[";
        out += found.text.get(range.clone()).unwrap();
        out += "]";
        at = range.end;
    }
    out + found.text.get(at..).unwrap()
}

#[test]
fn matches_are_highlighted() {
    assert_eq!(shown("The résumé is here.", "resume", 80), "The [résumé] is here.");
    assert_eq!(
        shown("Caching the caches; run, running.", "cache run", 80),
        "[Caching] the [caches]; [run], [running]."
    );
    assert_eq!(shown("Open UserDB and user_db.", "userdb", 80), "Open [UserDB] and [user_db].");
    assert_eq!(shown("Open UserDB now", "db", 80), "Open User[DB] now");
    assert_eq!(shown("Written in C++ or .NET", "c++ .net", 80), "Written in [C++] or [.NET]");
    assert_eq!(shown("ＡＰＩ docs", "api", 80), "[ＡＰＩ] docs");
    assert_eq!(shown("see login.ts", "src/auth/login.ts", 80), "see [login].[ts]");
    assert_eq!(shown("authentication", "authent*", 80), "[authentication]");
}

#[test]
fn addresses_are_left_out_unless_they_match() {
    let text = "Read [the guide](https://example.com/a?b=c) at https://docs.example.org or <http://x.y>, then go on.";
    assert_eq!(shown(text, "guide", 200), "Read [the [guide]] at or , then go on.");
    assert_eq!(shown(text, "docs", 200), "Read [the guide] at https://[docs].example.org or , then go on.");
    assert_eq!(
        shown(text, "example", 200),
        "Read [the guide] at https://docs.[example].org or , then go on."
    );
    assert_eq!(shown("std://x and a://b", "and", 80), "[and]");
    assert_eq!(
        shown("See ![a map](https://x.y/z.png) and ![](http://a.b) here", "here", 80),
        "See and [here]"
    );
    assert_eq!(shown("://", "x", 80), "://");
}

#[test]
fn japanese_is_highlighted_by_character() {
    assert_eq!(shown("公開鍵認証の設計", "認証", 80), "公開鍵[認証]の設計");
    assert_eq!(shown("公開鍵認証の設計", "鍵", 80), "公開[鍵]認証の設計");
    assert_eq!(shown("ﾃﾞｰﾀの保存", "データ", 80), "[ﾃﾞｰﾀ]の保存");
    assert_eq!(shown("全文検索エンジン", "検索エンジン", 80), "全文[検索エンジン]");
}

#[test]
fn a_phrase_is_highlighted_as_a_whole() {
    let text = "A key. The public key is a key.";
    assert_eq!(shown(text, "\"public key\"", 80), "A key. The [public key] is a key.");
    assert_eq!(shown("a a a b", "\"a a b\"", 80), "a [a a b]");
    // If the phrase is missing, its words are used.
    assert_eq!(shown("A key that is public.", "\"public key\"", 80), "A [key] that is [public].");
}

#[test]
fn the_window_with_most_terms_wins() {
    let filler = "nothing of interest stands in this sentence at all. ".repeat(30);
    let text = format!("alpha {filler}alpha beta gamma {filler}beta");
    let found = cut(&text, "alpha beta gamma", 60);
    assert!(found.text.contains("alpha beta gamma"), "{}", found.text);
    assert!(found.text.starts_with('…') && found.text.ends_with('…'));
    assert_eq!(found.highlights.len(), 3);
}

#[test]
fn lines_are_counted_to_the_match() {
    let text = "# Title\r\n\r\nFirst line.\r\nThe second holds the needle.\r\n";
    assert_eq!(cut(text, "needle", 80).line_offset, 3);
    assert_eq!(cut(text, "absent", 80).line_offset, 0);
    assert_eq!(
        cut("\n\n text", "absent", 80),
        Snippet { text: "text".into(), line_offset: 2, highlights: vec![] }
    );
}

#[test]
fn markers_are_removed_and_lines_joined() {
    assert_eq!(shown("## Login\n\nUse   the\tform", "form", 80), "Login Use the [form]");
    assert_eq!(shown("- item one", "item", 80), "[item] one");
    assert_eq!(shown("12. twelfth", "twelfth", 80), "[twelfth]");
    assert_eq!(shown("#hashtag", "hashtag", 80), "#[hashtag]");
    assert_eq!(shown("a\u{1b}[31mred", "red", 80), "a [31mred");
}

#[test]
fn layout_is_removed_and_items_are_separated() {
    let list = "Kinds:\n\n- red,\n  dark\n- [ ] green\n\n1. blue\n\nNo colour.\n> - grey";
    assert_eq!(shown(list, "green", 80), "Kinds: red, dark · [green] · blue No colour. grey");
    let table = "Before.\n\n| colour | use |\n|:--|---|\n| red | `a|b` |\n|green|\n\nAfter.";
    assert_eq!(shown(table, "red", 80), "Before. colour · use · [red] · `a|b` · green After.");
    assert_eq!(shown("a|b\n-|-\nc|d", "d", 80), "a|b -|- c|[d]");
    let callouts = "> [!tip]- Faster [x]\n> one\n\n> [!note]\n> two\n\n[!no] quote";
    assert_eq!(shown(callouts, "two", 80), "Faster [x] one [two] [!no] quote");
    assert_eq!(shown(callouts, "note", 80), "Faster [x] one [![note]] two [!no] quote");
    assert_eq!(shown("Title\n=====\n\none\n\n* * *\n\ntwo\n---", "two", 80), "Title one [two]");
}

#[test]
fn code_is_left_unchanged() {
    let text = "Run\n\n```sh\n# first\n- x\n| cat\n```\n\n~~~\n---\n~~~\n# End";
    assert_eq!(shown(text, "first", 80), "Run # [first] - x | cat --- End");
    assert_eq!(shown(text, "sh", 80), "Run [sh] # first - x | cat --- End");
    // The excerpt starts after the line that opened the code block.
    let long = format!("```\n{}\n# needle\n```\n", "word ".repeat(60));
    assert!(cut(&long, "needle", 40).text.ends_with("# needle"));
}

#[test]
fn cuts_keep_words_and_characters_whole() {
    assert_eq!(cut("several words that are too many", "absent", 16).text, "several words…");
    assert_eq!(cut(&"x".repeat(50), "absent", 12).text, format!("{}…", "x".repeat(10)));
    assert_eq!(cut("", "any", 10), Snippet::default());
    assert_eq!(cut("any text", "any", 0).text, "");
    // An emoji sequence is kept whole or left out.
    assert_eq!(cut("👨‍👩‍👧👨‍👩‍👧", "absent", 8).text, "👨‍👩‍👧…");
}

#[test]
fn the_start_of_a_line_is_preferred_to_the_middle_of_an_earlier_one() {
    let text = format!(
        "{}\nHere the needle lies. {}",
        "Before it stands another line. ".repeat(9),
        "After. ".repeat(50)
    );
    assert!(cut(&text, "needle", 90).text.starts_with("…Here the needle lies."));
}

proptest! {
    #[test]
    fn any_text_and_query_give_a_valid_snippet(text in "(\\PC|[ \n#|>`*1.a-c\"é認証ｶﾞ-]){0,200}", query in "(\\PC|[ a-c\"é認証ｶﾞ]){0,20}", max in 0_usize..60) {
        let found = cut(&text, &query, max);
        prop_assert!(found.text.chars().count() <= max);
        prop_assert!(!found.text.contains('\n'));
        prop_assert!(found.line_offset <= text.matches('\n').count());
        let mut at = 0;
        for range in found.highlights {
            prop_assert!(range.start >= at && range.start < range.end);
            prop_assert!(found.text.get(range.clone()).is_some());
            at = range.end;
        }
    }

    #[test]
    fn a_word_of_the_text_is_highlighted(words in prop::collection::vec("[a-z]{2,8}", 1..60), pick in any::<prop::sample::Index>()) {
        let text = words.join(" ");
        let found = cut(&text, &words[pick.index(words.len())], 60);
        prop_assert!(!found.highlights.is_empty(), "{}", found.text);
    }
}
