//! Swift.

use tree_sitter::Node;

use crate::code::rules::{Found, Profile, Rule, child, field, text_of};
use crate::definition::Kind;

pub const PROFILE: Profile = Profile {
    rules: &[
        Rule::by("class_declaration", type_declaration),
        Rule::new("protocol_declaration", Kind::Interface, "name", "body"),
        Rule::new("function_declaration", Kind::Function, "name", "body"),
        Rule::new("protocol_function_declaration", Kind::Function, "name", ""),
        Rule::by("init_declaration", |node, _| named_by_keyword(node, "init")),
        Rule::by("deinit_declaration", |node, _| named_by_keyword(node, "deinit")),
        Rule::by("subscript_declaration", |node, _| named_by_keyword(node, "subscript")),
        Rule::by("property_declaration", properties).not_local(),
        Rule::by("protocol_property_declaration", properties),
        Rule::by("enum_entry", entries),
        Rule::new("typealias_declaration", Kind::Type, "name", "").not_local(),
        Rule::new("associatedtype_declaration", Kind::Type, "name", ""),
        Rule::new("macro_declaration", Kind::Macro, "name", ""),
    ],
    literals: &["line_string_literal", "multi_line_string_literal", "raw_string_literal", "regex_literal"],
    functions: &["lambda_literal"],
    optional: &[";"],
    ..Profile::EMPTY
};

/// What is in an extension is named like what is in the type.
fn type_declaration(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let Some(name) = node.child_by_field_name("name") else { return Vec::new() };
    let name = type_name(name, text);
    let kind = match field(node, "declaration_kind", text).as_deref() {
        Some("extension") => return vec![Found::scope(vec![name])],
        Some("struct") => Kind::Struct,
        Some("enum") => Kind::Enum,
        _ => Kind::Class,
    };
    vec![Found::new(kind, vec![name], node.child_by_field_name("body"))]
}

/// The name of a type without its module and its parameters.
fn type_name(node: Node<'_>, text: &[u8]) -> String {
    let mut cursor = node.walk();
    let parts = node.named_children(&mut cursor).filter(|child| child.kind() == "type_identifier");
    let name = parts.last().unwrap_or(node);
    text_of(name, text)
}

fn named_by_keyword(node: Node<'_>, name: &str) -> Vec<Found> {
    let body = node.child_by_field_name("body").or_else(|| child(node, &["computed_property"]));
    vec![Found::new(Kind::Function, vec![name.to_owned()], body)]
}

fn properties(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let is_constant = child(node, &["value_binding_pattern"])
        .and_then(|binding| field(binding, "mutability", text))
        .is_some_and(|mutability| mutability == "let");
    let kind = if is_constant { Kind::Constant } else { Kind::Variable };
    let mut cursor = node.walk();
    let patterns = node.children_by_field_name("name", &mut cursor).filter(Node::is_named);
    let names = patterns.filter_map(|pattern| field(pattern, "bound_identifier", text));
    let body = node.child_by_field_name("computed_value");
    names.map(|name| Found::new(kind, vec![name], body)).collect()
}

fn entries(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let mut cursor = node.walk();
    let names =
        node.children_by_field_name("name", &mut cursor).filter(|name| name.kind() == "simple_identifier");
    names.map(|name| Found::new(Kind::Variant, vec![text_of(name, text)], None)).collect()
}
