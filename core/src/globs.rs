//! Globs, as in `source_refs`: `*` and `?` do not cross `/`, and `**` does.

use crate::message;
use crate::{Error, Result};

/// A set of globs.
#[derive(Debug, Clone, Default)]
pub struct Globs(Vec<Glob>);

#[derive(Debug, Clone)]
struct Glob {
    text: String,
    /// Length of what is before the first special character. Comparing that first is much faster.
    fixed: usize,
    /// Whether it has `?` or a class, which stand for a character.
    by_character: bool,
    /// Its characters beyond ASCII, each once.
    letters: String,
}

const SPECIAL: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// Maximum number of different characters beyond ASCII in a glob with `?` or a class.
const MOST_LETTERS: usize = 63;

impl Globs {
    /// # Errors
    /// [`Error::InvalidParams`] naming the malformed glob.
    pub fn new<T: AsRef<str>>(globs: &[T]) -> Result<Self> {
        globs.iter().map(|glob| Glob::new(glob.as_ref())).collect::<Result<_>>().map(Self)
    }

    /// Whether any of the globs matches `path`.
    pub fn is_match(&self, path: &str) -> bool {
        self.0.iter().any(|glob| glob.is_match(path))
    }
}

impl Glob {
    fn new(glob: &str) -> Result<Self> {
        fast_glob::validate(glob)
            .map_err(|error| Error::invalid(message!("'{glob}' is not a glob: {error}", glob, error)))?;
        let glob = if glob.ends_with("**/") { glob.trim_end_matches('/') } else { glob };
        // To the matcher, this means the opposite of the rest. Here it is the start of a name.
        let text = if glob.starts_with('!') { format!("\\{glob}") } else { glob.to_owned() };
        let fixed = text.find(|c| c == '\\' || SPECIAL.contains(&c)).unwrap_or(text.len());
        let by_character = text.contains(['?', '[']);
        let mut letters = String::new();
        for letter in text.chars().filter(|c| by_character && !c.is_ascii()) {
            if !letters.contains(letter) {
                letters.push(letter);
            }
        }
        if letters.chars().count() > MOST_LETTERS {
            let error = message!("too many different characters for ? or [");
            return Err(Error::invalid(message!("'{glob}' is not a glob: {error}", glob, error)));
        }
        Ok(Self { text, fixed, by_character, letters })
    }

    fn is_match(&self, path: &str) -> bool {
        if path.as_bytes().get(..self.fixed) != self.text.as_bytes().get(..self.fixed) {
            return false;
        }
        // The matcher compares bytes, which is the same if each character is one, or if none stands for another.
        if self.by_character && !(self.letters.is_empty() && path.is_ascii()) {
            fast_glob::glob_match(&*self.encoded(&self.text), &*self.encoded(path))
        } else {
            fast_glob::glob_match(self.text.as_bytes(), path.as_bytes())
        }
    }

    /// `text` with one byte for each character, in the order of the characters. Those that the glob does not have get
    /// bytes that its own do not get.
    fn encoded(&self, text: &str) -> Vec<u8> {
        let byte = |c: char| {
            let before = self.letters.chars().filter(|letter| *letter < c).count() as u8;
            if c.is_ascii() { c as u8 } else { 0x80 + 2 * before + u8::from(self.letters.contains(c)) }
        };
        text.chars().map(byte).collect()
    }
}

/// A glob that matches `path` alone.
pub fn escaped(path: &str) -> String {
    let mut glob = String::with_capacity(path.len());
    for c in path.chars() {
        if c == '\\' || SPECIAL.contains(&c) {
            glob.push('\\');
        }
        glob.push(c);
    }
    glob
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn stars_do_not_cross_folders_and_double_stars_do() {
        for (glob, path, expected) in [
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/deep/a.rs", false),
            ("src/**/*.rs", "src/a.rs", true),
            ("src/**/*.rs", "src/deep/er/a.rs", true),
            ("**", ".github/a.yml", true),
            ("src/**", "srcs/a.rs", false),
            ("src/**/", "src/deep/a.rs", true),
            ("src/?.rs", "src/a.rs", true),
            ("src?a.rs", "src/a.rs", false),
            ("src/[a-c].{rs,ts}", "src/b.ts", true),
            ("src/[!a-c].rs", "src/b.rs", false),
            ("Src/*.rs", "src/a.rs", false),
            ("!important.md", "!important.md", true),
            ("!important.md", "other.md", false),
            ("設計/*.md", "設計/認証.md", true),
            ("設計/?.md", "設計/認.md", true),
            ("設計/?.md", "設計/認証.md", false),
            ("設計?認", "設計/認", false),
            ("?.md", "é.md", true),
            ("[あ-ん].md", "か.md", true),
            ("[あ-ん].md", "カ.md", false),
            ("[!あい].md", "う.md", true),
            ("[!あい].md", "い.md", false),
            ("{é,[ü]}?.md", "üü.md", true),
            ("", "a.rs", false),
        ] {
            assert_eq!(Globs::new(&[glob]).unwrap().is_match(path), expected, "{glob} {path}");
        }
    }

    #[test]
    fn an_escaped_path_matches_itself_alone() {
        for path in ["app/[id]/page.ts", "{a,b}.md", "a*b?.md", "a\\b.md", "!a.md", "plain.md"] {
            let globs = Globs::new(&[escaped(path)]).unwrap();
            assert!(globs.is_match(path), "{path}");
            assert!(
                !globs.is_match("a.md") && !globs.is_match("app/i/page.ts") && !globs.is_match("axby.md"),
                "{path}"
            );
        }
    }

    #[test]
    fn malformed_globs_are_named() {
        for glob in ["src/[a-", "src/{a,b", "src\\"] {
            let error = Globs::new(&["a", glob]).unwrap_err().to_string();
            assert!(error.contains(&format!("'{glob}' is not a glob")), "{error}");
        }
        let letters: String = ('一'..).take(MOST_LETTERS + 1).collect();
        assert!(Globs::new(&[format!("?{letters}")]).is_err());
        assert!(Globs::new(&[format!("*{letters}")]).is_ok());
    }

    proptest::proptest! {
        #[test]
        fn a_question_mark_and_a_class_are_one_character(
            glob in "[aé日]{0,2}(\\?|\\[!?[aé日]-?[aé日]?\\]|\\*){1,2}[aé日]{0,2}",
            path in "[aéb日月]{0,5}",
        ) {
            // Each character as an ASCII character, in the same order.
            let ascii = |text: &str| -> String {
                text.chars().map(|c| match c { 'é' => 'c', '日' => 'd', '月' => 'e', other => other }).collect()
            };
            let expected = Globs::new(&[ascii(&glob)]).unwrap().is_match(&ascii(&path));
            proptest::prop_assert_eq!(Globs::new(&[glob]).unwrap().is_match(&path), expected);
        }
    }
}
