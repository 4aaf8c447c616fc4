//! The language of a file, by its name.

use crate::grammar::Grammar;

/// A language whose definitions are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// Shell scripts, also of other shells that are close to Bash.
    Bash,
    /// C. Header files are read as [`Language::Cpp`], because they may be either.
    C,
    /// C#.
    CSharp,
    /// C++, and header files.
    Cpp,
    /// Go.
    Go,
    /// Java.
    Java,
    /// JavaScript, also with JSX.
    JavaScript,
    /// JSON, also with comments.
    Json,
    /// Kotlin.
    Kotlin,
    /// Markdown: its definitions are sections, named by their headings.
    Markdown,
    /// PHP.
    Php,
    /// Python.
    Python,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
    /// SQL, in any dialect.
    Sql,
    /// Swift.
    Swift,
    /// TOML.
    Toml,
    /// TypeScript with JSX.
    Tsx,
    /// TypeScript.
    TypeScript,
    /// YAML.
    Yaml,
}

/// Extensions in lower case, without the dot.
const EXTENSIONS: &[(&str, Language)] = &[
    ("bash", Language::Bash),
    ("bats", Language::Bash),
    ("c", Language::C),
    ("c++", Language::Cpp),
    ("cc", Language::Cpp),
    ("cjs", Language::JavaScript),
    ("cpp", Language::Cpp),
    ("cs", Language::CSharp),
    ("cts", Language::TypeScript),
    ("cxx", Language::Cpp),
    ("gemspec", Language::Ruby),
    ("go", Language::Go),
    ("h", Language::Cpp),
    ("h++", Language::Cpp),
    ("hh", Language::Cpp),
    ("hpp", Language::Cpp),
    ("hxx", Language::Cpp),
    ("java", Language::Java),
    ("js", Language::JavaScript),
    ("json", Language::Json),
    ("json5", Language::Json),
    ("jsonc", Language::Json),
    ("jsx", Language::JavaScript),
    ("kt", Language::Kotlin),
    ("kts", Language::Kotlin),
    ("markdown", Language::Markdown),
    ("md", Language::Markdown),
    ("mdx", Language::Markdown),
    ("mjs", Language::JavaScript),
    ("mts", Language::TypeScript),
    ("php", Language::Php),
    ("phtml", Language::Php),
    ("py", Language::Python),
    ("pyi", Language::Python),
    ("pyw", Language::Python),
    ("rake", Language::Ruby),
    ("rb", Language::Ruby),
    ("rs", Language::Rust),
    ("ru", Language::Ruby),
    ("sh", Language::Bash),
    ("sql", Language::Sql),
    ("swift", Language::Swift),
    ("toml", Language::Toml),
    ("ts", Language::TypeScript),
    ("tsx", Language::Tsx),
    ("yaml", Language::Yaml),
    ("yml", Language::Yaml),
    ("zsh", Language::Bash),
];

/// Names of files without a telling extension, in lower case.
const NAMES: &[(&str, Language)] = &[
    (".bash_profile", Language::Bash),
    (".bashrc", Language::Bash),
    (".clang-format", Language::Yaml),
    (".eslintrc", Language::Json),
    (".profile", Language::Bash),
    (".zshrc", Language::Bash),
    ("cargo.lock", Language::Toml),
    ("gemfile", Language::Ruby),
    ("pipfile", Language::Toml),
    ("poetry.lock", Language::Toml),
    ("rakefile", Language::Ruby),
    ("uv.lock", Language::Toml),
];

/// Programs in the first line of a script.
const PROGRAMS: &[(&str, Language)] = &[
    ("bash", Language::Bash),
    ("dash", Language::Bash),
    ("deno", Language::TypeScript),
    ("ksh", Language::Bash),
    ("node", Language::JavaScript),
    ("nodejs", Language::JavaScript),
    ("php", Language::Php),
    ("python", Language::Python),
    ("ruby", Language::Ruby),
    ("sh", Language::Bash),
    ("zsh", Language::Bash),
];

impl Language {
    /// The language of a file with this path, or `None` if the path does not tell.
    ///
    /// ```
    /// use ubp_symbols::Language;
    ///
    /// assert_eq!(Language::of("src/auth/login.ts"), Some(Language::TypeScript));
    /// assert_eq!(Language::of("LICENSE"), None);
    /// ```
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next()?.to_lowercase();
        let found = |table: &[(&str, Self)], key: &str| {
            table.binary_search_by(|(known, _)| (*known).cmp(key)).ok().map(|place| table[place].1)
        };
        found(NAMES, &name).or_else(|| found(EXTENSIONS, name.rsplit_once('.')?.1))
    }

    /// The language of a script that names its program in the first line, such as `#!/usr/bin/env bash`.
    pub fn of_script(text: &[u8]) -> Option<Self> {
        let line = text.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
        let line = str::from_utf8(line.get(..200).unwrap_or(line)).ok()?;
        let words = line.split_whitespace().filter(|word| !word.starts_with('-'));
        let mut programs = words.map(|word| word.rsplit('/').next().unwrap_or(word));
        let program = programs.find(|program| *program != "env")?;
        let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        PROGRAMS.iter().find(|(known, _)| *known == program).map(|(_, language)| *language)
    }

    /// The grammar that parses the language, if it needs one.
    pub(crate) fn grammar(self) -> Option<Grammar> {
        Some(match self {
            Self::Bash => Grammar::Bash,
            Self::C => Grammar::C,
            Self::CSharp => Grammar::CSharp,
            Self::Cpp => Grammar::Cpp,
            Self::Go => Grammar::Go,
            Self::Java => Grammar::Java,
            Self::JavaScript => Grammar::JavaScript,
            Self::Kotlin => Grammar::Kotlin,
            Self::Php => Grammar::Php,
            Self::Python => Grammar::Python,
            Self::Ruby => Grammar::Ruby,
            Self::Rust => Grammar::Rust,
            Self::Swift => Grammar::Swift,
            Self::Tsx => Grammar::Tsx,
            Self::TypeScript => Grammar::TypeScript,
            Self::Json | Self::Markdown | Self::Sql | Self::Toml | Self::Yaml => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_for_binary_search() {
        assert!(EXTENSIONS.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(NAMES.is_sorted_by(|(a, _), (b, _)| a < b));
    }

    #[test]
    fn the_language_is_known_from_the_name_of_the_file() {
        assert_eq!(Language::of("a/b.D/Login.TSX"), Some(Language::Tsx));
        assert_eq!(Language::of(r"src\Session.cs"), Some(Language::CSharp));
        assert_eq!(Language::of("deep/Gemfile"), Some(Language::Ruby));
        assert_eq!(Language::of("include/session.h"), Some(Language::Cpp));
        assert_eq!(Language::of("tsconfig.json"), Some(Language::Json));
        for unknown in ["", "rs", ".rs.", "Makefile", "a.vue", "rs/LICENSE"] {
            assert_eq!(Language::of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn the_language_of_a_script_is_in_its_first_line() {
        assert_eq!(Language::of_script(b"#!/bin/sh\n"), Some(Language::Bash));
        assert_eq!(Language::of_script(b"#!/usr/bin/env -S python3.12 -u\nx"), Some(Language::Python));
        assert_eq!(Language::of_script(b"#!/usr/bin/env node"), Some(Language::JavaScript));
        for unknown in [&b""[..], b"#!", b"#! /usr/bin/awk -f", b"\n#!/bin/sh", b"#!/bin/\xFF\n"] {
            assert_eq!(Language::of_script(unknown), None, "{unknown:?}");
        }
    }
}
