//! PHP.

use tree_sitter::Node;

use crate::code::rules::{Found, Profile, Rule, child, field, text_of};
use crate::definition::Kind;

pub const PROFILE: Profile = Profile {
    rules: &[
        Rule::new("function_definition", Kind::Function, "name", "body"),
        Rule::new("method_declaration", Kind::Function, "name", "body"),
        Rule::new("class_declaration", Kind::Class, "name", "body"),
        Rule::new("trait_declaration", Kind::Class, "name", "body"),
        Rule::new("interface_declaration", Kind::Interface, "name", "body"),
        Rule::new("enum_declaration", Kind::Enum, "name", "body"),
        Rule::new("enum_case", Kind::Variant, "name", ""),
        Rule::by("const_element", constant).not_local(),
        Rule::by("property_element", |node, text| variable(node, "name", text, Kind::Field)),
        Rule::by("property_promotion_parameter", |node, text| variable(node, "name", text, Kind::Field)),
        Rule::by("assignment_expression", |node, text| variable(node, "left", text, Kind::Variable))
            .not_local(),
        Rule::by("function_call_expression", defined).not_local(),
    ],
    wrappers: &["const_declaration", "property_declaration", "expression_statement"],
    literals: &["string", "encapsed_string", "heredoc", "nowdoc", "shell_command_expression"],
    prose: &["text"],
    functions: &["anonymous_function", "arrow_function"],
    ..Profile::EMPTY
};

fn constant(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let name = child(node, &["name"]).map(|name| text_of(name, text));
    name.map(|name| Found::new(Kind::Constant, vec![name], None)).into_iter().collect()
}

/// Names of variables are used without the dollar sign.
fn variable(node: Node<'_>, name: &str, text: &[u8], kind: Kind) -> Vec<Found> {
    let name = node.child_by_field_name(name).filter(|name| name.kind() == "variable_name");
    let name = name.map(|name| text_of(name, text).trim_start_matches('$').to_owned());
    name.map(|name| Found::new(kind, vec![name], None)).into_iter().collect()
}

/// `define('NAME', value)`.
fn defined(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    if field(node, "function", text).as_deref() != Some("define") {
        return Vec::new();
    }
    let argument = node.child_by_field_name("arguments").and_then(|list| list.named_child(0));
    let string = argument.and_then(|argument| argument.named_child(0));
    let name = string.filter(|one| matches!(one.kind(), "string" | "encapsed_string"));
    let name = name.map(|name| text_of(name, text).trim_matches(['\'', '"']).to_owned());
    name.map(|name| Found::new(Kind::Constant, vec![name], None)).into_iter().collect()
}
