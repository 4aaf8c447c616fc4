//! Go.

use tree_sitter::Node;

use crate::code::rules::{Found, Profile, Rule, field, text_of};
use crate::definition::Kind;

pub const PROFILE: Profile = Profile {
    rules: &[
        Rule::new("function_declaration", Kind::Function, "name", "body"),
        Rule::by("method_declaration", method),
        Rule::by("type_spec", type_spec),
        Rule::new("type_alias", Kind::Type, "name", "").not_local(),
        Rule::by("field_declaration", |node, text| named(node, text, Kind::Field)).not_local(),
        Rule::new("method_elem", Kind::Method, "name", ""),
        Rule::by("const_spec", |node, text| named(node, text, Kind::Constant)).not_local(),
        Rule::by("var_spec", variables).not_local(),
    ],
    wrappers: &["const_declaration", "var_declaration", "type_declaration"],
    literals: &["interpreted_string_literal", "raw_string_literal", "rune_literal"],
    functions: &["func_literal"],
    optional: &[";"],
    keeps: &["for_clause"],
    ..Profile::EMPTY
};

/// A method is named after the type of its receiver.
fn method(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let receiver = node.child_by_field_name("receiver").and_then(|list| list.named_child(0));
    let owner = receiver.and_then(|one| one.child_by_field_name("type")).map(|one| base_name(one, text));
    let names = owner.into_iter().chain(field(node, "name", text)).collect();
    vec![Found::new(Kind::Method, names, node.child_by_field_name("body"))]
}

/// The name of a type without pointer and parameters.
fn base_name(mut node: Node<'_>, text: &[u8]) -> String {
    loop {
        let inner = match node.kind() {
            "pointer_type" | "parenthesized_type" => node.named_child(0),
            "generic_type" => node.child_by_field_name("type"),
            _ => None,
        };
        let Some(inner) = inner else { return text_of(node, text) };
        node = inner;
    }
}

fn type_spec(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let definition = node.child_by_field_name("type");
    let kind = match definition.map_or("", |one| one.kind()) {
        "struct_type" => Kind::Struct,
        "interface_type" => Kind::Interface,
        _ => Kind::Type,
    };
    field(node, "name", text).map(|name| Found::new(kind, vec![name], None)).into_iter().collect()
}

fn named(node: Node<'_>, text: &[u8], kind: Kind) -> Vec<Found> {
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor).filter(Node::is_named);
    names.map(|name| Found::new(kind, vec![text_of(name, text)], None)).collect()
}

/// A variable whose value is a function is a function.
fn variables(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let values = node.child_by_field_name("value");
    let function = values.filter(|list| list.named_child_count() == 1).and_then(|list| list.named_child(0));
    match function.filter(|value| value.kind() == "func_literal") {
        Some(function) => {
            let body = function.child_by_field_name("body");
            field(node, "name", text)
                .map(|name| Found::new(Kind::Function, vec![name], body))
                .into_iter()
                .collect()
        }
        None => named(node, text, Kind::Variable),
    }
}
