//! Ruby.

use tree_sitter::Node;

use crate::code::rules::{Found, Profile, Rule, children, field, text_of};
use crate::definition::Kind;

pub const PROFILE: Profile = Profile {
    rules: &[
        Rule::by("class", |node, text| container(node, text, Kind::Class)),
        Rule::by("module", |node, text| container(node, text, Kind::Module)),
        Rule::new("method", Kind::Function, "name", "body"),
        Rule::new("singleton_method", Kind::Function, "name", "body"),
        Rule::by("assignment", constant).not_local(),
        Rule::by("call", declared).not_local(),
    ],
    literals: &[
        "string",
        "heredoc_body",
        "regex",
        "subshell",
        "string_array",
        "symbol_array",
        "delimited_symbol",
    ],
    functions: &["lambda"],
    optional: &[";"],
    trailing: &["heredoc_body"],
    ..Profile::EMPTY
};

/// `class A::B` is named like `class B` in `module A`.
fn container(node: Node<'_>, text: &[u8], kind: Kind) -> Vec<Found> {
    let names = field(node, "name", text).map(|name| split(&name)).unwrap_or_default();
    vec![Found::new(kind, names, node.child_by_field_name("body"))]
}

fn split(name: &str) -> Vec<String> {
    name.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

fn constant(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let left = node.child_by_field_name("left");
    let name = left.filter(|left| matches!(left.kind(), "constant" | "scope_resolution"));
    name.map(|name| Found::new(Kind::Constant, split(&text_of(name, text)), None)).into_iter().collect()
}

/// Methods that calls define, such as `attr_reader :name`.
fn declared(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let kind = match field(node, "method", text).as_deref() {
        Some("attr_reader" | "attr_writer" | "attr_accessor") => Kind::Field,
        Some("define_method") => Kind::Function,
        Some("alias_method") => Kind::Function,
        _ => return Vec::new(),
    };
    let Some(arguments) = node.child_by_field_name("arguments") else { return Vec::new() };
    let symbols = children(arguments, &["simple_symbol"]);
    let count = if kind == Kind::Field { symbols.len() } else { 1 };
    let name = |symbol: &Node<'_>| text_of(*symbol, text).trim_start_matches(':').to_owned();
    symbols.iter().take(count).map(|symbol| Found::new(kind, vec![name(symbol)], None)).collect()
}
