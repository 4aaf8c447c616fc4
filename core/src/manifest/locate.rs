//! On which line of a JSON text a key stands: people mend manifests by line.

use std::iter::Peekable;
use std::str::CharIndices;

/// Line (from 1) of the value that `keys` lead to, or of the deepest key that is there. `json` has
/// to be valid JSON; of several equal keys the last counts, as it does for the parser.
pub fn line_of(json: &str, keys: &[&str]) -> usize {
    let mut scan = Scan { json, chars: json.char_indices().peekable(), found: 0 };
    scan.value(Some(keys));
    1 + json.get(..scan.found).map_or(0, |before| before.matches('\n').count())
}

struct Scan<'a> {
    json: &'a str,
    chars: Peekable<CharIndices<'a>>,
    found: usize,
}

impl Scan<'_> {
    /// Passes over one value; with `keys`, notes where they lead.
    fn value(&mut self, keys: Option<&[&str]>) {
        self.space();
        match self.chars.peek().map(|&(_, c)| c) {
            Some('{') => self.members(keys),
            Some('[') => {
                self.chars.next();
                while self.inside(']') {
                    self.value(None);
                }
            }
            Some('"') => {
                self.string();
            }
            _ => while self.chars.next_if(|&(_, c)| !matches!(c, ',' | '}' | ']')).is_some() {},
        }
    }

    fn members(&mut self, keys: Option<&[&str]>) {
        self.chars.next();
        while self.inside('}') {
            let start = self.chars.peek().map_or(0, |&(at, _)| at);
            let name = self.string();
            self.space();
            self.chars.next_if(|&(_, c)| c == ':');
            let rest = keys.and_then(|keys| match keys {
                [key, rest @ ..] if *key == name => Some(rest),
                _ => None,
            });
            if rest.is_some() {
                self.found = start;
            }
            self.value(rest);
        }
    }

    /// Whether another element follows before `end`, which is passed over.
    fn inside(&mut self, end: char) -> bool {
        self.space();
        self.chars.next_if(|&(_, c)| c == ',');
        self.space();
        let ended = self.chars.next_if(|&(_, c)| c == end).is_some();
        !ended && self.chars.peek().is_some()
    }

    fn space(&mut self) {
        while self.chars.next_if(|&(_, c)| c.is_ascii_whitespace()).is_some() {}
    }

    /// Passes over a string and decodes it.
    fn string(&mut self) -> String {
        let Some((start, _)) = self.chars.next() else { return String::new() };
        let mut end = start;
        while let Some((at, c)) = self.chars.next() {
            end = at;
            match c {
                '\\' => {
                    self.chars.next();
                }
                '"' => break,
                _ => {}
            }
        }
        let literal = self.json.get(start..=end).unwrap_or_default();
        serde_json::from_str(literal).unwrap_or_default()
    }
}
