//! What Rust source says to people: the templates of messages, and sentences that are in none.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, Literal, TokenStream, TokenTree};

/// The texts in a file, without those of its unit tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Texts {
    /// Templates of `message!`, `word!` and `counted`.
    pub told: BTreeSet<String>,
    /// Templates of `reported!`.
    pub stored: BTreeSet<String>,
    /// Other texts that read like sentences, with their lines.
    pub others: Vec<(usize, String)>,
}

/// Calls and macros whose texts are for programmers, are compared with other texts, or are names.
const FOR_PROGRAMS: &[&str] = &[
    "panic",
    "assert",
    "assert_eq",
    "assert_ne",
    "unreachable",
    "expect",
    // Bugs, and the facts and names of operations and commands.
    "Internal",
    "internal_error",
    "reading",
    "writing",
    "destroying",
    "introducing",
    "command",
    "Run",
    // Comparisons.
    "contains",
    "ends_with",
    "find",
    "replace",
    "rfind",
    "rsplit_once",
    "split_once",
    "starts_with",
    "strip_prefix",
    "strip_suffix",
    // SQL.
    "prepare",
    "prepare_cached",
    "execute",
    "execute_batch",
    "query_row",
];

/// The texts of `source`.
pub(super) fn texts(source: &str) -> Texts {
    let mut texts = Texts::default();
    let tokens: TokenStream = source.parse().expect("the source is valid");
    texts.walk(tokens, true);
    texts
}

impl Texts {
    /// Reads `tokens`, whose literals are for people if `is_shown`.
    fn walk(&mut self, tokens: TokenStream, is_shown: bool) {
        let mut before: Vec<TokenTree> = Vec::new();
        let mut is_test = false;
        for token in tokens {
            match &token {
                TokenTree::Group(group) if is_attribute(&before, group) => {
                    is_test |= group.stream().to_string() == "cfg (test)";
                }
                TokenTree::Group(group) if is_test => {
                    is_test = group.delimiter() != Delimiter::Brace;
                }
                TokenTree::Group(group) => self.group(&name_of(&before), group, is_shown),
                TokenTree::Literal(literal) if is_shown && !is_test => self.other(literal),
                TokenTree::Punct(mark) if mark.as_char() == ';' => is_test = false,
                _ => {}
            }
            before.push(token);
        }
    }

    fn group(&mut self, name: &str, group: &Group, is_shown: bool) {
        let arguments = arguments(group.stream());
        let text = |at: usize| arguments.get(at).and_then(|tokens| text_of(tokens));
        match (name, text(0), text(1)) {
            ("message" | "word", Some(template), _) => _ = self.told.insert(template),
            ("reported", Some(template), _) => _ = self.stored.insert(template),
            ("counted", _, Some(noun)) => _ = self.told.insert(format!("{{number}} {noun}")),
            _ => {
                let is_code = matches!(group.delimiter(), Delimiter::Brace | Delimiter::Bracket);
                return self.walk(group.stream(), is_code || is_shown && !FOR_PROGRAMS.contains(&name));
            }
        }
        // The values may be messages, or words that are in no template.
        let texts = if name == "counted" { 1..3 } else { 0..1 };
        let values = arguments.into_iter().enumerate().filter(|(at, _)| !texts.contains(at));
        values.for_each(|(_, tokens)| self.walk(tokens.into_iter().collect(), is_shown));
    }

    fn other(&mut self, literal: &Literal) {
        let Some(text) = unquoted(literal).filter(|text| reads_like_a_sentence(text)) else { return };
        self.others.push((literal.span().start().line, text));
    }
}

/// Whether `group` is that of an attribute, such as a comment for documentation.
fn is_attribute(before: &[TokenTree], group: &Group) -> bool {
    let mut marks = before.iter().rev().map_while(|token| match token {
        TokenTree::Punct(mark) => Some(mark.as_char()),
        _ => None,
    });
    let first = marks.next();
    let is_marked = first == Some('#') || first == Some('!') && marks.next() == Some('#');
    group.delimiter() == Delimiter::Bracket && is_marked
}

/// The name of the macro or function whose arguments follow; empty if there is none.
fn name_of(before: &[TokenTree]) -> String {
    let mut before = before.iter().rev();
    let mut last = before.next();
    if matches!(last, Some(TokenTree::Punct(mark)) if mark.as_char() == '!') {
        last = before.next();
    }
    match last {
        Some(TokenTree::Ident(name)) => name.to_string(),
        _ => String::new(),
    }
}

/// `tokens`, split at commas.
fn arguments(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut all = vec![Vec::new()];
    for token in tokens {
        match &token {
            TokenTree::Punct(mark) if mark.as_char() == ',' => all.push(Vec::new()),
            _ => all.last_mut().expect("it has one").push(token),
        }
    }
    all
}

/// The text of an argument that is a literal.
fn text_of(argument: &[TokenTree]) -> Option<String> {
    match argument {
        [TokenTree::Literal(literal)] => unquoted(literal),
        _ => None,
    }
}

/// The text of a literal; `None` for a number, a character or bytes.
fn unquoted(literal: &Literal) -> Option<String> {
    syn::parse_str::<syn::LitStr>(&literal.to_string()).ok().map(|text| text.value())
}

/// Whether a text has two words with a space between them, and is not code.
fn reads_like_a_sentence(text: &str) -> bool {
    const CODE: [&str; 21] = [
        ":root {",
        "EXISTS",
        "coalesce(",
        "SELECT",
        "INSERT",
        "UPDATE",
        "DELETE",
        "CREATE",
        "WITH",
        "PRAGMA",
        "DROP",
        "ALTER",
        "BEGIN",
        "AND",
        "FROM",
        "WHERE",
        "ORDER",
        "JOIN",
        "HTTP/1.1",
        "default-src",
        "<!doctype",
    ];
    let text = text.trim_start();
    let is_markup = ["=\"", "</", "<meta"].iter().any(|part| text.contains(part));
    if is_markup || CODE.iter().any(|start| text.starts_with(start)) {
        return false;
    }
    let is_word = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
    let is_first = |word: &str| {
        let word = word.trim_end_matches([',', ';', ':', '.']);
        word.len() > 1 && word.chars().all(|c| c.is_ascii_alphabetic())
    };
    let words: Vec<&str> = text.split([' ', '\n']).collect();
    words.windows(2).any(|pair| is_first(pair[0]) && is_word(pair[1].trim_end_matches([',', ';', ':', '.'])))
}

#[test]
fn templates_and_other_sentences_are_told_apart() {
    let source = r##"
        //! Not said.
        const GONE: &str = "it is gone";
        fn f(n: usize) -> String {
            let label = message!("{count} found, {why}", count = n, why = "because of this");
            let more = message!("gone \"{{x}}\" \
                now {times}", times = counted(n, "time over", "times over"));
            let stored = reported!("the key `{key}` is repeated");
            assert!(n > 0, "not for people");
            if stored.starts_with("the key") { return word!("a word").into() }
            format!("SELECT no words FROM {n}")
        }
        #[cfg(test)]
        mod tests { fn g() { let text = "only a test"; } }
    "##;
    let texts = texts(source);
    let told = ["a word", "gone \"{{x}}\" now {times}", "{count} found, {why}", "{number} time over"];
    assert_eq!(texts.told, BTreeSet::from(told.map(str::to_owned)));
    assert_eq!(texts.stored, BTreeSet::from(["the key `{key}` is repeated".to_owned()]));
    let others: Vec<(usize, &str)> = texts.others.iter().map(|(line, text)| (*line, text.as_str())).collect();
    assert_eq!(others, [(3, "it is gone"), (5, "because of this")]);
}
