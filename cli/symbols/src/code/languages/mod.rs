//! The profiles of all languages.

mod bash;
mod c_family;
mod csharp;
mod ecmascript;
mod go;
mod java;
mod kotlin;
mod php;
mod python;
mod ruby;
mod rust;
mod swift;

use super::rules::Profile;
use crate::grammar::Grammar;

pub fn profile(grammar: Grammar) -> &'static Profile {
    match grammar {
        Grammar::Bash => &bash::PROFILE,
        Grammar::C => &c_family::C,
        Grammar::CSharp => &csharp::PROFILE,
        Grammar::Cpp => &c_family::CPP,
        Grammar::Go => &go::PROFILE,
        Grammar::Java => &java::PROFILE,
        Grammar::JavaScript => &ecmascript::JAVASCRIPT,
        Grammar::Kotlin => &kotlin::PROFILE,
        Grammar::Php => &php::PROFILE,
        Grammar::Python => &python::PROFILE,
        Grammar::Ruby => &ruby::PROFILE,
        Grammar::Rust => &rust::PROFILE,
        Grammar::Swift => &swift::PROFILE,
        Grammar::Tsx => &ecmascript::TSX,
        Grammar::TypeScript => &ecmascript::TYPESCRIPT,
    }
}

/// Constants have names in upper case where the language does not mark them.
fn is_upper_case(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}
