//! Kotlin.

use tree_sitter::Node;

use crate::code::rules::{Found, Profile, Rule, child, children, field, text_of};
use crate::definition::Kind;

pub const PROFILE: Profile = Profile {
    rules: &[
        Rule::by("class_declaration", class),
        Rule::by("object_declaration", object),
        Rule::by("companion_object", object),
        Rule::by("function_declaration", function),
        Rule::by("secondary_constructor", constructor),
        Rule::by("property_declaration", property).not_local(),
        Rule::by("class_parameter", parameter),
        Rule::by("enum_entry", entry),
        Rule::by("type_alias", alias),
        Rule::by("getter", accessor),
        Rule::by("setter", accessor),
    ],
    // An annotation with values on the line before a function is read as an expression.
    attributes: &["annotated_expression"],
    literals: &["string_literal", "multiline_string_literal", "character_literal"],
    functions: &["lambda_literal", "anonymous_function", "anonymous_initializer"],
    optional: &[";"],
    ..Profile::EMPTY
};

fn has_token(node: Node<'_>, tokens: &[&str]) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| !child.is_named() && tokens.contains(&child.kind()))
}

fn body(node: Node<'_>) -> Option<Node<'_>> {
    child(node, &["class_body", "enum_class_body", "function_body", "block"])
}

fn identifier(node: Node<'_>, text: &[u8]) -> Option<String> {
    child(node, &["identifier"]).map(|name| text_of(name, text))
}

fn class(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let is_enum = body(node).is_some_and(|body| body.kind() == "enum_class_body");
    let kind = match is_enum {
        true => Kind::Enum,
        false if has_token(node, &["interface"]) => Kind::Interface,
        false => Kind::Class,
    };
    field(node, "name", text).map(|name| Found::new(kind, vec![name], body(node))).into_iter().collect()
}

fn object(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let name = field(node, "name", text).or_else(|| identifier(node, text));
    vec![Found::new(Kind::Class, vec![name.unwrap_or_else(|| "Companion".to_owned())], body(node))]
}

/// An extension is named after the type that it extends.
fn function(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let Some(name) = node.child_by_field_name("name") else { return Vec::new() };
    let mut names = vec![text_of(name, text)];
    names.splice(0..0, receiver(node, name, text));
    vec![Found::new(Kind::Function, names, body(node))]
}

fn receiver(node: Node<'_>, name: Node<'_>, text: &[u8]) -> Option<String> {
    let types = children(node, &["user_type", "nullable_type"]);
    let receiver = types.into_iter().find(|one| one.end_byte() <= name.start_byte())?;
    let receiver =
        if receiver.kind() == "nullable_type" { child(receiver, &["user_type"])? } else { receiver };
    children(receiver, &["identifier"]).last().map(|name| text_of(*name, text))
}

fn constructor(node: Node<'_>, _: &[u8]) -> Vec<Found> {
    vec![Found::new(Kind::Function, vec!["constructor".to_owned()], body(node))]
}

fn property(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let kind = if has_token(node, &["val"]) { Kind::Constant } else { Kind::Variable };
    let several = child(node, &["multi_variable_declaration"]);
    let variables = children(several.unwrap_or(node), &["variable_declaration"]);
    let found = variables.into_iter().filter_map(|variable| {
        let mut names = vec![identifier(variable, text)?];
        names.splice(0..0, receiver(node, variable, text));
        Some(Found::new(kind, names, None))
    });
    found.collect()
}

/// A parameter of the constructor that is a property.
fn parameter(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    if !has_token(node, &["val", "var"]) {
        return Vec::new();
    }
    identifier(node, text).map(|name| Found::new(Kind::Field, vec![name], None)).into_iter().collect()
}

fn entry(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    identifier(node, text).map(|name| Found::new(Kind::Variant, vec![name], None)).into_iter().collect()
}

fn alias(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    identifier(node, text).map(|name| Found::new(Kind::Type, vec![name], None)).into_iter().collect()
}

fn accessor(node: Node<'_>, _: &[u8]) -> Vec<Found> {
    vec![Found { body: body(node).map(crate::code::rules::bytes), ..Found::scope(Vec::new()) }]
}
