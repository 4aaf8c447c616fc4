//! Rust.

use tree_sitter::Node;

use crate::code::rules::{Found, Profile, Rule, text_of};
use crate::definition::Kind;

pub const PROFILE: Profile = Profile {
    rules: &[
        Rule::new("function_item", Kind::Function, "name", "body"),
        Rule::new("function_signature_item", Kind::Function, "name", ""),
        Rule::new("struct_item", Kind::Struct, "name", "body"),
        Rule::new("union_item", Kind::Struct, "name", "body"),
        Rule::new("enum_item", Kind::Enum, "name", "body"),
        Rule::new("enum_variant", Kind::Variant, "name", ""),
        Rule::new("field_declaration", Kind::Field, "name", ""),
        Rule::new("trait_item", Kind::Interface, "name", "body"),
        Rule::by("impl_item", implementation),
        Rule::new("mod_item", Kind::Module, "name", "body"),
        Rule::new("const_item", Kind::Constant, "name", "").not_local(),
        Rule::new("static_item", Kind::Constant, "name", "").not_local(),
        Rule::new("type_item", Kind::Type, "name", "").not_local(),
        Rule::new("associated_type", Kind::Type, "name", ""),
        Rule::new("macro_definition", Kind::Macro, "name", ""),
    ],
    attributes: &["attribute_item"],
    literals: &["string_literal", "raw_string_literal", "char_literal"],
    functions: &["closure_expression", "async_block"],
    tuples: &["tuple_expression", "tuple_type", "tuple_pattern"],
    separated: &["match_arm"],
    ..Profile::EMPTY
};

/// Methods are named `Type.method`. If they are those of a trait, it is `Type.Trait.method`, because a type may have
/// methods of the same name from several traits.
fn implementation(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let Some(owner) = node.child_by_field_name("type").map(|one| type_name(one, text)) else {
        return Vec::new();
    };
    let Some(implemented) = node.child_by_field_name("trait").map(|one| type_name(one, text)) else {
        return vec![Found::scope(vec![owner])];
    };
    let body = node.child_by_field_name("body");
    vec![Found::new(Kind::Implementation, vec![owner, implemented], body)]
}

/// The name of a type without its path and its parameters.
fn type_name(mut node: Node<'_>, text: &[u8]) -> String {
    loop {
        let inner = match node.kind() {
            "generic_type" | "reference_type" | "pointer_type" => node.child_by_field_name("type"),
            "scoped_type_identifier" => node.child_by_field_name("name"),
            "dynamic_type" => node.child_by_field_name("trait"),
            _ => None,
        };
        let Some(inner) = inner else { return text_of(node, text) };
        node = inner;
    }
}
