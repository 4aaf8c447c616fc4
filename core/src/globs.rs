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
}

const SPECIAL: [char; 6] = ['*', '?', '[', ']', '{', '}'];

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
        Ok(Self { text, fixed })
    }

    fn is_match(&self, path: &str) -> bool {
        let begins = path.as_bytes().get(..self.fixed) == self.text.as_bytes().get(..self.fixed);
        begins && fast_glob::glob_match(&self.text, path)
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
    }
}
