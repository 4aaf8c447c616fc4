//! Java.

use tree_sitter::Node;

use crate::code::rules::{Found, Profile, Rule, child, field, text_of};
use crate::definition::Kind;

pub const PROFILE: Profile = Profile {
    rules: &[
        Rule::new("class_declaration", Kind::Class, "name", "body"),
        Rule::new("record_declaration", Kind::Struct, "name", "body"),
        Rule::new("interface_declaration", Kind::Interface, "name", "body"),
        Rule::new("annotation_type_declaration", Kind::Interface, "name", "body"),
        Rule::new("enum_declaration", Kind::Enum, "name", "body"),
        Rule::new("enum_constant", Kind::Variant, "name", ""),
        Rule::new("method_declaration", Kind::Function, "name", "body"),
        Rule::new("constructor_declaration", Kind::Function, "name", "body"),
        Rule::new("compact_constructor_declaration", Kind::Function, "name", "body"),
        Rule::new("annotation_type_element_declaration", Kind::Field, "name", ""),
        Rule::by("field_declaration", fields),
        Rule::by("constant_declaration", fields),
    ],
    literals: &["string_literal", "character_literal"],
    functions: &["lambda_expression"],
    ..Profile::EMPTY
};

fn fields(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let modifiers = child(node, &["modifiers"]).map(|one| text_of(one, text)).unwrap_or_default();
    let has = |modifier: &str| modifiers.split_whitespace().any(|word| word == modifier);
    let is_constant = node.kind() == "constant_declaration" || has("static") && has("final");
    let kind = if is_constant { Kind::Constant } else { Kind::Field };
    let mut cursor = node.walk();
    let declarators = node.children_by_field_name("declarator", &mut cursor);
    declarators.filter_map(|one| Some(Found::new(kind, vec![field(one, "name", text)?], None))).collect()
}
