//! Makes tables of the lexers in the C source of a grammar. Unknown code is an error: a table is exact, or there is none.

use std::collections::HashMap;
use std::rc::Rc;

use crate::grammar::lexer::{ASCII, Lexer, State, Step};

/// Ends the classes of characters: no character is larger.
const LAST: u32 = 0x10_FFFF;

/// The main lexer of `parser.c`, and the one for keywords.
pub fn lexers(source: &str) -> (Lexer, Option<Lexer>) {
    let names = Names::of(source);
    let main = lexer(&names, body(source, "ts_lex").expect("ts_lex"));
    (main, body(source, "ts_lex_keywords").map(|body| lexer(&names, body)))
}

fn body<'a>(source: &'a str, function: &str) -> Option<&'a str> {
    let (_, rest) =
        source.split_once(&format!("static bool {function}(TSLexer *lexer, TSStateId state) {{\n"))?;
    let (body, _) = rest.split_once("\n}\n")?;
    let states =
        body.strip_prefix("  START_LEXER();\n  eof = lexer->eof(lexer);\n  switch (state) {\n").expect(body);
    Some(states.strip_suffix("    default:\n      return false;\n  }").expect("the end of the states"))
}

/// Symbols and sets of characters that a source defines.
struct Names {
    symbols: HashMap<String, u16>,
    sets: HashMap<String, Rc<[(u32, u32)]>>,
}

impl Names {
    fn of(source: &str) -> Self {
        let (_, symbols) = source.split_once("enum ts_symbol_identifiers {\n").unwrap();
        let (symbols, _) = symbols.split_once("};").unwrap();
        let symbols = symbols.lines().map(|line| {
            let (name, number) = line.trim().trim_end_matches(',').split_once(" = ").unwrap();
            (name.to_owned(), number.parse().unwrap())
        });
        let mut symbols: HashMap<String, u16> = symbols.collect();
        symbols.insert("ts_builtin_sym_end".to_owned(), 0);
        let mut sets = HashMap::new();
        for part in source.split("TSCharacterRange ").skip(1) {
            let (name, rest) = part.split_once("[] = {").unwrap();
            let (ranges, _) = rest.split_once("};").unwrap();
            let mut tokens = Tokens::of(ranges);
            let mut set = Vec::new();
            while tokens.accept("{") {
                let first = tokens.character();
                tokens.expect(",");
                set.push((first, tokens.character()));
                tokens.expect("}");
                tokens.accept(",");
            }
            assert!(tokens.rest.is_empty() && set.is_sorted(), "{name}");
            sets.insert(name.to_owned(), set.into());
        }
        Self { symbols, sets }
    }
}

/// A condition of the lexer.
enum Test {
    AtEnd,
    Within(u32, u32),
    /// `lookahead > C`.
    Above(u32),
    Below(u32),
    In(Rc<[(u32, u32)]>),
    Not(Box<Test>),
    All(Vec<Test>),
    Any(Vec<Test>),
}

impl Test {
    fn holds(&self, character: i64, at_end: bool) -> bool {
        let within = |first: u32, last: u32| i64::from(first) <= character && character <= i64::from(last);
        match self {
            Self::AtEnd => at_end,
            Self::Within(first, last) => within(*first, *last),
            Self::Above(limit) => character > i64::from(*limit),
            Self::Below(limit) => character < i64::from(*limit),
            Self::In(ranges) => {
                let before = ranges.partition_point(|(first, _)| i64::from(*first) <= character);
                before.checked_sub(1).is_some_and(|place| within(ranges[place].0, ranges[place].1))
            }
            Self::Not(inner) => !inner.holds(character, at_end),
            Self::All(inner) => inner.iter().all(|one| one.holds(character, at_end)),
            Self::Any(inner) => inner.iter().any(|one| one.holds(character, at_end)),
        }
    }

    /// Adds the characters at which the value of the test can change.
    fn limits(&self, out: &mut Vec<u32>) {
        match self {
            Self::AtEnd => {}
            Self::Within(first, last) => out.extend([*first, last + 1]),
            Self::Above(limit) => out.push(limit + 1),
            Self::Below(limit) => out.push(*limit),
            Self::In(ranges) => out.extend(ranges.iter().flat_map(|(first, last)| [*first, last + 1])),
            Self::Not(inner) => inner.limits(out),
            Self::All(inner) | Self::Any(inner) => inner.iter().for_each(|one| one.limits(out)),
        }
    }
}

fn lexer(names: &Names, body: &str) -> Lexer {
    let mut divisions: Vec<Vec<(u32, u16)>> = Vec::new();
    let mut states = Vec::new();
    let mut tokens = Tokens::of(body);
    while !tokens.rest.is_empty() {
        tokens.expect("case");
        assert_eq!(tokens.number() as usize, states.len(), "states are numbered");
        tokens.expect(":");
        let (accepts, rules) = case(&mut tokens, names);
        states.push(state(accepts, &rules, &mut divisions));
    }
    Lexer::new(states, divisions)
}

/// One `case`: the token that it accepts, and its tests with the steps they lead to. The first test that holds counts.
fn case(tokens: &mut Tokens<'_>, names: &Names) -> (u16, Vec<(Test, Step)>) {
    let mut accepts = 0;
    let mut rules = Vec::new();
    loop {
        match tokens.word() {
            "END_STATE" => {
                tokens.all(&["(", ")", ";"]);
                return (accepts, rules);
            }
            "ACCEPT_TOKEN" => {
                assert!(rules.is_empty() && accepts == 0, "a token is accepted before anything else");
                tokens.expect("(");
                accepts = names.symbols[tokens.word()] + 1;
                tokens.all(&[")", ";"]);
            }
            "ADVANCE_MAP" => {
                tokens.expect("(");
                while !tokens.accept(")") {
                    let character = tokens.character();
                    tokens.expect(",");
                    rules.push((Test::Within(character, character), step(tokens.number(), false)));
                    tokens.expect(",");
                }
                tokens.expect(";");
            }
            "if" => {
                tokens.expect("(");
                let test = any(tokens, names);
                tokens.expect(")");
                rules.push((test, target(tokens)));
            }
            other => panic!("unknown code: {other}"),
        }
    }
}

fn target(tokens: &mut Tokens<'_>) -> Step {
    let skips = match tokens.word() {
        "ADVANCE" => false,
        "SKIP" => true,
        other => panic!("unknown code: {other}"),
    };
    tokens.expect("(");
    let state = tokens.number();
    tokens.all(&[")", ";"]);
    step(state, skips)
}

fn step(state: u32, skips: bool) -> Step {
    Step::try_from((state << 1 | u32::from(skips)) + 1).unwrap()
}

fn any(tokens: &mut Tokens<'_>, names: &Names) -> Test {
    let mut tests = vec![all(tokens, names)];
    while tokens.accept("||") {
        tests.push(all(tokens, names));
    }
    Test::Any(tests)
}

fn all(tokens: &mut Tokens<'_>, names: &Names) -> Test {
    let mut tests = vec![one(tokens, names)];
    while tokens.accept("&&") {
        tests.push(one(tokens, names));
    }
    Test::All(tests)
}

fn one(tokens: &mut Tokens<'_>, names: &Names) -> Test {
    if tokens.accept("(") {
        let inner = any(tokens, names);
        tokens.expect(")");
        return inner;
    }
    if tokens.accept("!") {
        return Test::Not(Box::new(one(tokens, names)));
    }
    if tokens.accept("eof") {
        return Test::AtEnd;
    }
    if tokens.accept("set_contains") {
        tokens.expect("(");
        let set = names.sets[tokens.word()].clone();
        tokens.expect(",");
        assert_eq!(tokens.number() as usize, set.len());
        tokens.all(&[",", "lookahead", ")"]);
        return Test::In(set);
    }
    if tokens.accept("lookahead") {
        let operator = tokens.operator();
        let character = tokens.character();
        return match operator {
            "==" => Test::Within(character, character),
            "!=" => Test::Not(Box::new(Test::Within(character, character))),
            ">" => Test::Above(character),
            "<" => Test::Below(character),
            "<=" => Test::Not(Box::new(Test::Above(character))),
            ">=" => Test::Not(Box::new(Test::Below(character))),
            other => panic!("unknown operator {other}"),
        };
    }
    let character = tokens.character();
    let operator = tokens.operator();
    tokens.expect("lookahead");
    match operator {
        "<=" => Test::Not(Box::new(Test::Below(character))),
        "<" => Test::Above(character),
        other => panic!("unknown operator {other}"),
    }
}

fn state(accepts: u16, rules: &[(Test, Step)], divisions: &mut Vec<Vec<(u32, u16)>>) -> State {
    let at = |character: i64, at_end: bool| {
        rules.iter().find(|(test, _)| test.holds(character, at_end)).map_or(0, |(_, step)| *step)
    };
    let mut ascii = Box::new([0; ASCII]);
    for (character, step) in (0..).zip(ascii.iter_mut()) {
        *step = at(character, false);
    }
    let mut limits = vec![ASCII as u32];
    rules.iter().for_each(|(test, _)| test.limits(&mut limits));
    limits.retain(|limit| (ASCII as u32..=LAST).contains(limit));
    limits.sort_unstable();
    limits.dedup();
    let mut classes: Vec<Step> = Vec::new();
    let mut runs: Vec<(u32, u16)> = Vec::new();
    for first in limits {
        let step = at(first.into(), false);
        let class = classes.iter().position(|known| *known == step).unwrap_or_else(|| {
            classes.push(step);
            classes.len() - 1
        });
        let class = u16::try_from(class).unwrap();
        if runs.last().is_none_or(|(_, last)| *last != class) {
            runs.push((first, class));
        }
    }
    let division = divisions.iter().position(|known| *known == runs).unwrap_or_else(|| {
        divisions.push(runs);
        divisions.len() - 1
    });
    let division = u16::try_from(division).unwrap();
    State { accepts, at_end: at(0, true), at_invalid: at(-1, false), ascii, division, classes }
}

/// Words, numbers, characters and operators of C.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    fn of(text: &'a str) -> Self {
        Self { rest: text.trim_start() }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest.trim_start();
        token
    }

    fn accept(&mut self, token: &str) -> bool {
        let found = self.rest.starts_with(token) && !(token == "!" && self.rest.starts_with("!="));
        if found {
            self.take(token.len());
        }
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.accept(token), "expected {token} before {:.80}", self.rest);
    }

    fn all(&mut self, tokens: &[&str]) {
        tokens.iter().for_each(|token| self.expect(token));
    }

    fn word(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap();
        self.take(end)
    }

    fn operator(&mut self) -> &'a str {
        let end = self.rest.find(|c: char| !"<>=!".contains(c)).unwrap();
        self.take(end)
    }

    fn number(&mut self) -> u32 {
        let word = self.word();
        let (digits, radix) = word.strip_prefix("0x").map_or((word, 10), |digits| (digits, 16));
        u32::from_str_radix(digits, radix)
            .unwrap_or_else(|_| panic!("expected a number before {:.80}", self.rest))
    }

    /// A character in quotes, or its number.
    fn character(&mut self) -> u32 {
        let Some(quoted) = self.rest.strip_prefix('\'') else { return self.number() };
        let mut inner = quoted.chars();
        let (character, length) = match inner.next().unwrap() {
            '\\' => {
                let escaped = match inner.next().unwrap() {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'v' => '\x0B',
                    'f' => '\x0C',
                    'a' => '\x07',
                    'b' => '\x08',
                    '0' => '\0',
                    other @ ('\'' | '\\' | '"') => other,
                    other => panic!("unknown escape {other}"),
                };
                (escaped, 2)
            }
            other => (other, other.len_utf8()),
        };
        self.take(1 + length);
        self.expect("'");
        u32::from(character)
    }
}
