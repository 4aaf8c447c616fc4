//! C#. Namespaces are not part of names, because a file may declare one for all that follows.

use tree_sitter::Node;

use crate::code::rules::{Found, Profile, Rule, bytes, child, children, field};
use crate::definition::Kind;

pub const PROFILE: Profile = Profile {
    rules: &[
        Rule::new("class_declaration", Kind::Class, "name", "body"),
        Rule::new("struct_declaration", Kind::Struct, "name", "body"),
        Rule::new("record_declaration", Kind::Struct, "name", "body"),
        Rule::new("interface_declaration", Kind::Interface, "name", "body"),
        Rule::new("enum_declaration", Kind::Enum, "name", "body"),
        Rule::new("enum_member_declaration", Kind::Variant, "name", ""),
        Rule::new("delegate_declaration", Kind::Type, "name", ""),
        Rule::new("method_declaration", Kind::Function, "name", "body"),
        Rule::new("local_function_statement", Kind::Function, "name", "body"),
        Rule::new("constructor_declaration", Kind::Function, "name", "body"),
        Rule::by("destructor_declaration", destructor),
        Rule::by("operator_declaration", operator),
        Rule::by("indexer_declaration", indexer),
        Rule::by("property_declaration", property),
        Rule::new("event_declaration", Kind::Field, "name", ""),
        Rule::by("field_declaration", fields),
        Rule::by("event_field_declaration", fields),
        Rule::by("accessor_declaration", accessor),
    ],
    comments: &["preproc_region", "preproc_endregion"],
    literals: &[
        "string_literal",
        "verbatim_string_literal",
        "raw_string_literal",
        "interpolated_string_expression",
        "character_literal",
    ],
    functions: &["lambda_expression", "anonymous_method_expression"],
    ..Profile::EMPTY
};

fn destructor(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let name = field(node, "name", text).map(|name| format!("~{name}"));
    let body = node.child_by_field_name("body");
    name.map(|name| Found::new(Kind::Function, vec![name], body)).into_iter().collect()
}

fn operator(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let name = field(node, "operator", text).map(|name| format!("operator {name}"));
    let body = node.child_by_field_name("body");
    name.map(|name| Found::new(Kind::Function, vec![name], body)).into_iter().collect()
}

fn indexer(node: Node<'_>, _: &[u8]) -> Vec<Found> {
    vec![Found::new(Kind::Field, vec!["this".to_owned()], expression(node))]
}

fn property(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let name = field(node, "name", text);
    name.map(|name| Found::new(Kind::Field, vec![name], expression(node))).into_iter().collect()
}

/// The body of a property that is written with an arrow.
fn expression(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("value").filter(|value| value.kind() == "arrow_expression_clause")
}

fn fields(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let modifiers = children(node, &["modifier"]);
    let is_constant = modifiers.iter().any(|one| text.get(one.byte_range()) == Some(b"const"));
    let kind = if is_constant { Kind::Constant } else { Kind::Field };
    let Some(declaration) = child(node, &["variable_declaration"]) else { return Vec::new() };
    let declarators = children(declaration, &["variable_declarator"]).into_iter();
    declarators.filter_map(|one| Some(Found::new(kind, vec![field(one, "name", text)?], None))).collect()
}

fn accessor(node: Node<'_>, _: &[u8]) -> Vec<Found> {
    let body = node.child_by_field_name("body").map(bytes);
    vec![Found { body, ..Found::scope(Vec::new()) }]
}
