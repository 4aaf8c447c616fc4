//! The grammars of tree-sitter, which are unpacked when they are first used.
//!
//! Compiled in as their crates provide them, the tables of these grammars take 29 MB. They are in `grammars/` in a form
//! that takes 1 MB, and need a few milliseconds to unpack. `grammars/README.md` describes how.

mod lexer;
mod native;
mod packed;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use tree_sitter::Language;

use lexer::Lexer;
use packed::Tables;

macro_rules! grammars {
    ($($name:ident $file:literal,)*) => {
        /// A grammar that is contained in the program.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Grammar {
            $(#[doc = concat!("The grammar `", $file, "`.")] $name,)*
        }

        #[cfg(test)]
        impl Grammar {
            /// Every grammar, in the order of the enum.
            pub const ALL: &[Self] = &[$(Self::$name),*];
        }

        const FILES: &[(&str, &[u8])] =
            &[$(($file, include_bytes!(concat!("../../grammars/", $file, ".lzma")))),*];
    };
}

grammars! {
    Bash "bash",
    C "c",
    CSharp "c_sharp",
    Cpp "cpp",
    Go "go",
    Java "java",
    JavaScript "javascript",
    Kotlin "kotlin",
    Php "php",
    Python "python",
    Ruby "ruby",
    Rust "rust",
    Swift "swift",
    Tsx "tsx",
    TypeScript "typescript",
}

/// Number of grammars.
const COUNT: usize = FILES.len();

impl Grammar {
    /// Number of grammars.
    pub const COUNT: usize = COUNT;

    /// Name of its file in `grammars/`.
    #[cfg(test)]
    pub const fn file(self) -> &'static str {
        FILES[self as usize].0
    }

    /// The grammar for a parser, unpacked by the first call. `None` if its file is damaged, which the tests rule out.
    pub fn language(self) -> Option<Language> {
        static LANGUAGES: [OnceLock<Option<Language>>; COUNT] = [const { OnceLock::new() }; COUNT];
        LANGUAGES[self as usize].get_or_init(|| native::load(self, unpacked(self)?)).clone()
    }
}

/// Everything about a grammar but the code of its scanner.
#[derive(Debug, PartialEq, Eq)]
struct Parts {
    tables: Tables,
    lexer: Lexer,
    /// The lexer that tells keywords from other words, in grammars that have one.
    keywords: Option<Lexer>,
}

fn unpacked(grammar: Grammar) -> Option<Parts> {
    packed::read(&packed::inflated(FILES[grammar as usize].1)?)
}
