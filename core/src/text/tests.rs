//! Checks the analysis against a real FTS5 table: queries find what is indexed, and nothing else.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rusqlite::Connection;

use super::*;

struct Table(Connection);

impl Table {
    fn of(texts: &[&str]) -> Self {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE VIRTUAL TABLE t USING fts5(body, content='', tokenize='porter unicode61 remove_diacritics 2')",
            )
            .unwrap();
        for (row, text) in texts.iter().enumerate() {
            let mut terms = String::new();
            index_terms(text, &mut terms);
            connection.execute("INSERT INTO t(rowid, body) VALUES (?, ?)", (row as i64, terms)).unwrap();
        }
        Self(connection)
    }

    fn matching(&self, expression: &str) -> rusqlite::Result<Vec<usize>> {
        let mut statement = self.0.prepare_cached("SELECT rowid FROM t WHERE t MATCH ? ORDER BY rowid")?;
        let rows = statement.query_map([expression], |row| row.get::<_, i64>(0))?;
        rows.map(|row| row.map(|id| usize::try_from(id).unwrap())).collect()
    }

    fn search(&self, typed: &str) -> Vec<usize> {
        let expression = Query::parse(typed).match_expression();
        expression.map_or_else(Vec::new, |expression| self.matching(&expression).unwrap())
    }
}

fn finds(text: &str, typed: &str) -> bool {
    !Table::of(&[text]).search(typed).is_empty()
}

#[test]
fn japanese_nouns_are_found_anywhere_in_a_run() {
    let table = Table::of(&["公開鍵認証の設計", "全文検索エンジンを作る", "鍵を回す", "認可の話"]);
    assert_eq!(table.search("認証"), [0]);
    assert_eq!(table.search("鍵"), [0, 2]);
    assert_eq!(table.search("設計"), [0]);
    assert_eq!(table.search("認可"), [3]);
    assert_eq!(table.search("\"全文検索\""), [1]);
    assert_eq!(table.search("\"エンジン\" \"認証\""), [] as [usize; 0]);
    assert_eq!(table.search("公開鍵認証はどう設計されていますか？")[0], 0);
    assert_eq!(table.search("ｴﾝｼﾞﾝ"), [1]);
}

#[test]
fn hiragana_counts_only_in_queries_of_hiragana_alone() {
    let table = Table::of(&["これは認証です", "これはペンです", "すべて"]);
    assert_eq!(table.search("認証です"), [0]);
    assert_eq!(table.search("です"), [0, 1]);
    assert_eq!(table.search("すべて"), [2]);
}

#[test]
fn korean_is_found_with_its_particles() {
    let table = Table::of(&["데이터베이스를 설계한다", "사용자 인증"]);
    assert_eq!(table.search("데이터베이스"), [0]);
    assert_eq!(table.search("인증"), [1]);
}

#[test]
fn accents_width_and_case_make_no_difference() {
    for (text, typed) in [
        ("my résumé", "resume"),
        ("my resume", "résumé"),
        ("my re\u{301}sume\u{301}", "Résumé"),
        ("ＡＰＩ", "api"),
        ("API", "ＡＰＩ"),
        ("Straße", "STRASSE"),
        ("connections", "connected"),
    ] {
        assert!(finds(text, typed), "{text} by {typed}");
    }
}

#[test]
fn identifiers_are_found_in_every_spelling() {
    for typed in [
        "userdb",
        "user db",
        "UserDB",
        "db",
        "user_db",
        "user-db",
        "USERDB",
        "\"user db\"",
        "\"the userdb class\"",
    ] {
        assert!(finds("the UserDB class", typed), "{typed}");
    }
    for typed in
        ["src/auth/login.ts", "login.ts", "auth/login", "login", "\"src/auth/login.ts\"", "auth login"]
    {
        assert!(finds("see src/auth/login.ts here", typed), "{typed}");
    }
    for (text, typed) in [
        ("snake_case_name", "snakeCaseName"),
        ("snakeCaseName", "snake_case_name"),
        ("userdb", "user_db"),
        ("e-mail", "email"),
        ("email", "e-mail"),
        ("node.js", "nodejs"),
        ("nodejs", "node.js"),
        ("HTTPServer2", "server"),
        ("HTTPServer2", "http_server2"),
        ("C++ is old", "c++"),
        ("C# is new", "C#"),
        ("on .NET", ".net"),
        ("release v0.23.9", "v0.23.9"),
        ("release v0.23.9", "0.23.9"),
    ] {
        assert!(finds(text, typed), "{text} by {typed}");
    }
    assert!(!finds("release v1.23.9", "v0.23.9"));
    assert!(!finds("C is a language", "C++"));
    assert!(!finds("C++ is a language", "C#"));
}

#[test]
fn phrases_are_exact_and_required() {
    let table =
        Table::of(&["the quick brown fox", "the brown quick fox", "a fox", "well-known UserDB table"]);
    assert_eq!(table.search("\"quick brown\""), [0]);
    assert_eq!(table.search("“quick brown” fox"), [0]);
    assert_eq!(table.search("\"quick brown\" absent"), [0]);
    assert_eq!(table.search("\"quick brown\" \"a fox\""), [] as [usize; 0]);
    assert_eq!(table.search("\"well known userdb table\""), [3]);
    // Terms after the barrier are not adjacent to the text nor to each other.
    assert_eq!(table.search("\"table wellknown\""), [] as [usize; 0]);
    assert_eq!(table.search("\"wellknown user\""), [] as [usize; 0]);
    assert_eq!(table.search("\"quick brown"), [0, 1]);
    let relaxed = Query::parse("\"fox quick\"").relaxed_expression().unwrap();
    assert_eq!(table.matching(&relaxed).unwrap(), [0, 1, 2]);
}

#[test]
fn quotes_in_a_long_text_only_emphasise() {
    let words = "which properties of the engine matter most when pages are read by several programs at once";
    let short = Query::parse(&format!("{words} \"page cache\""));
    assert_eq!(short.phrases().len(), 1);
    let long = Query::parse(&format!("{words} \"page cache\" {words} {words}"));
    assert_eq!(long.phrases(), []);
    assert!(long.terms().iter().any(|term| term.text() == "cache"));
    let quoted = Query::parse(&format!("\"{words} {words} {words}\""));
    assert_eq!(quoted.phrases().len(), 1, "what is quoted itself may be long");
}

#[test]
fn phrases_may_begin_or_end_inside_a_japanese_run() {
    let table = Table::of(&["公開鍵 API 設計書", "API 設備"]);
    assert_eq!(table.search("\"鍵 api\""), [0]);
    assert_eq!(table.search("\"api 設\""), [0, 1]);
    assert_eq!(table.search("\"api 設計\""), [0]);
}

#[test]
fn operators_and_punctuation_are_text() {
    let table = Table::of(&["this and that or not", "near the star"]);
    for typed in [
        "AND",
        "OR",
        "NOT",
        "\"",
        "*",
        "(",
        ")",
        "AND OR \" * (",
        "^",
        "body:",
        "{a b}",
        "a\0b",
        "-",
        "'",
        "\"\"",
        "\" \"",
    ] {
        let expression = Query::parse(typed).match_expression();
        assert!(expression.is_none_or(|e| table.matching(&e).is_ok()), "{typed}");
    }
    assert_eq!(table.search("AND"), [0]);
    assert_eq!(table.search("star*"), [1]);
    assert_eq!(table.search("NEAR(star, 2)"), [1]);
}

#[test]
fn adjacent_ordinary_words_are_pairs() {
    let pairs = |typed: &str| Query::parse(typed).neighbours().collect::<Vec<_>>().join(" ");
    assert_eq!(pairs("high speed aircraft"), r#""high speed" "speed aircraft""#);
    assert_eq!(pairs("speed of the aircraft"), "", "other words are between them");
    assert_eq!(pairs("read user_db now"), "", "an identifier is its own phrase");
    assert_eq!(pairs("rename \"high speed\" pages"), "");
    assert_eq!(pairs("全文検索 エンジン"), "");
    assert_eq!(pairs("go go go"), r#""go go""#);
}

#[test]
fn queries_without_terms_have_no_expression() {
    for typed in ["", "   ", "🎉", "…?!", "\"\"", "\u{e000}", "\u{301}"] {
        let query = Query::parse(typed);
        assert!(
            query.is_empty() && query.match_expression().is_none() && query.relaxed_expression().is_none(),
            "{typed}"
        );
    }
}

#[test]
fn stop_words_count_when_alone() {
    let table = Table::of(&["to be or not to be", "aircraft", "the aircraft to be"]);
    assert_eq!(table.search("the aircraft to be"), [1, 2]);
    assert_eq!(table.search("to be"), [0, 2]);
}

#[test]
fn the_last_word_may_be_unfinished() {
    let table = Table::of(&["authentication", "connection pool", "author"]);
    assert_eq!(table.search("authen*"), [0]);
    assert_eq!(table.search("auth*"), [0, 2]);
    for typed in ["connecti*", "connectio*", "connection*", "the conn*"] {
        assert_eq!(table.search(typed), [1], "{typed}");
    }
    for typed in ["auth", "auth *", "*auth", "auth.*", "auth?", "\"auth\"*", "a*"] {
        assert_eq!(table.search(typed), [] as [usize; 0], "{typed}");
    }
}

#[test]
fn terms_have_the_right_class() {
    let query = Query::parse("how does UserDB use src/a-b.ts in 認証です");
    let classes: Vec<_> = query.terms().iter().map(|term| (term.text(), term.class())).collect();
    use TermClass::*;
    let expected = [
        ("how", Stop),
        ("does", Stop),
        ("userdb", Identifier),
        ("user", IdentifierPart),
        ("db", IdentifierPart),
        ("use", Word),
        ("src a b ts", Identifier),
        ("src", IdentifierPart),
        ("a", Stop),
        ("b", Stop),
        ("ts", IdentifierPart),
        ("in", Stop),
        ("認証", Pair),
        ("証で", Pair),
        ("です", WeakPair),
    ];
    assert_eq!(classes, expected);
    assert!(query.terms().iter().all(|term| (0.0..=1.0).contains(&term.weight())));
    assert_eq!(query.active_terms().count(), 9);
}

#[test]
fn long_input_is_bounded() {
    for unit in ["word ", "a/b_c-", "認", "\"a b\" ", "é", "aB3"] {
        let query = Query::parse(&unit.repeat(200_000));
        assert!(query.terms().len() <= MAX_TERMS && query.phrases().len() <= MAX_TERMS);
        let expression = query.match_expression().unwrap();
        Table::of(&["a b"]).matching(&expression).unwrap();
    }
}

#[test]
fn tokens_are_estimated_from_bytes_and_characters() {
    for (text, tokens) in
        [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("認証", 2), ("認証a", 3), ("é", 1), ("🎉ab", 2)]
    {
        assert_eq!(estimate_tokens(text), tokens, "{text}");
    }
}

const TYPED: &str = "(\\PC|[ \"*()^:+{}a-c_./é認証。-]|AND|OR|NOT|NEAR|C\\+\\+|\\x00){0,30}";
const WORD: &str = "[a-zA-Z]{1,9}|[a-z]{1,4}[_./:-][a-zA-Z0-9]{1,4}|[A-Z][a-z]{1,3}[A-Z]{1,3}[0-9]?|v?[0-9]\\.[0-9]{1,2}|認証|公開鍵|鍵|データを|ﾃﾞｰﾀ|résumé|don't|C\\+\\+|한국어는";

proptest! {
    #[test]
    fn any_input_gives_a_valid_expression(typed in TYPED, text in TYPED) {
        let query = Query::parse(&typed);
        let table = Table::of(&[&text]);
        prop_assert_eq!(query.is_empty(), query.match_expression().is_none());
        let alternatives = query.active_alternatives();
        let alternatives = alternatives.iter().map(Alternative::expression);
        for expression in query.match_expression().into_iter().chain(query.relaxed_expression()).chain(alternatives) {
            prop_assert!(table.matching(&expression).is_ok(), "{}", expression);
        }
        for expression in query.terms().iter().map(Term::expression).chain(query.phrases().iter().map(Phrase::expression)) {
            prop_assert!(table.matching(&expression).is_ok(), "{}", expression);
        }
    }

    #[test]
    fn every_word_of_a_text_finds_it(words in prop::collection::vec(WORD, 1..12)) {
        let table = Table::of(&[&words.join(" ")]);
        for word in &words {
            prop_assert_eq!(table.search(word), [0], "{}", word);
        }
    }

    #[test]
    fn adjacent_words_match_as_a_phrase(words in prop::collection::vec(WORD, 1..12), from in 0_usize..12, count in 1_usize..6) {
        let from = from % words.len();
        let some = &words[from..words.len().min(from + count)];
        let phrase = format!("\"{}\"", some.join(" "));
        prop_assert_eq!(Table::of(&[&words.join(" ")]).search(&phrase), [0], "{}", phrase);
    }
}
