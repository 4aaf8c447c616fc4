//! JavaScript and TypeScript.

use tree_sitter::Node;

use crate::code::rules::{Found, Profile, Rule, field, text_of};
use crate::definition::Kind;
use crate::tokens::Form;

macro_rules! rules {
    ($($more:expr,)*) => {
        &[
            Rule::new("function_declaration", Kind::Function, "name", "body"),
            Rule::new("generator_function_declaration", Kind::Function, "name", "body"),
            Rule::new("class_declaration", Kind::Class, "name", "body"),
            Rule::by("method_definition", property).member(),
            Rule::by("pair", property).member(),
            Rule::by("variable_declarator", variable).not_local(),
            Rule::by("assignment_expression", assignment).not_local(),
            Rule::by("export_statement", default_export),
            $($more,)*
        ]
    };
}

const BASE: Profile = Profile {
    wrappers: &["export_statement", "lexical_declaration", "variable_declaration", "expression_statement"],
    attributes: &["decorator"],
    literals: &["string", "template_string", "regex"],
    functions: &["arrow_function", "function_expression", "generator_function"],
    objects: &["object", "class_body"],
    values: &["parenthesized_expression", "class"],
    optional: &[";"],
    keeps: &["for_statement"],
    quotes: Form::Quoted,
    ..Profile::EMPTY
};

pub const JAVASCRIPT: Profile = Profile {
    rules: rules![Rule::by("field_definition", property),],
    prose: &["jsx_text"],
    hollow: &["jsx_expression"],
    bare: JSX,
    ..BASE
};

/// Elements are written in parentheses if they need several lines.
const JSX: &[&str] = &["jsx_element", "jsx_self_closing_element"];

pub const TYPESCRIPT: Profile = Profile {
    rules: rules![
        Rule::new("function_signature", Kind::Function, "name", ""),
        Rule::new("abstract_class_declaration", Kind::Class, "name", "body"),
        Rule::by("public_field_definition", property),
        Rule::by("method_signature", signature),
        Rule::by("abstract_method_signature", signature),
        Rule::by("property_signature", signature),
        Rule::new("interface_declaration", Kind::Interface, "name", "body"),
        Rule::new("type_alias_declaration", Kind::Type, "name", ""),
        Rule::new("enum_declaration", Kind::Enum, "name", "body"),
        Rule::by("enum_assignment", signature),
        Rule::by("property_identifier", variant),
        Rule::by("internal_module", module),
        Rule::by("module", module),
    ],
    wrappers: &[
        "export_statement",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
        "ambient_declaration",
    ],
    values: &["parenthesized_expression", "class", "as_expression", "satisfies_expression"],
    separated: &["interface_body", "object_type"],
    ..BASE
};

pub const TSX: Profile =
    Profile { prose: &["jsx_text"], hollow: &["jsx_expression"], bare: JSX, ..TYPESCRIPT };

/// The kind and the body of a definition with this value.
fn valued(value: Option<Node<'_>>, otherwise: Kind) -> (Kind, Option<Node<'_>>) {
    let mut value = value;
    while let Some(one) = value {
        let body = one.child_by_field_name("body");
        match one.kind() {
            "arrow_function" | "function_expression" | "generator_function" => return (Kind::Function, body),
            "class" => return (Kind::Class, body),
            "parenthesized_expression" | "as_expression" | "satisfies_expression" => {
                value = one.named_child(0)
            }
            _ => break,
        }
    }
    (otherwise, None)
}

/// The name of a property, without the quotes of `'name'` and the brackets of `[name]`.
fn name(node: Node<'_>, text: &[u8]) -> String {
    let name = text_of(node, text);
    match node.kind() {
        "string" => name.trim_matches(['\'', '"']).to_owned(),
        "computed_property_name" => name.trim_start_matches('[').trim_end_matches(']').trim().to_owned(),
        _ => name,
    }
}

/// A method or a field of a class or an object.
fn property(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let key = ["name", "property", "key"].into_iter().find_map(|field| node.child_by_field_name(field));
    let Some(key) = key else { return Vec::new() };
    let (kind, body) = match node.kind() {
        "method_definition" => (Kind::Function, node.child_by_field_name("body")),
        _ => valued(node.child_by_field_name("value"), Kind::Field),
    };
    let kind = if kind == Kind::Function { Kind::Method } else { kind };
    vec![Found::new(kind, vec![name(key, text)], body).value()]
}

/// A member of a type, which has no body.
fn signature(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let Some(key) = node.child_by_field_name("name") else { return Vec::new() };
    let kind = match node.kind() {
        "property_signature" => Kind::Field,
        "enum_assignment" => Kind::Variant,
        _ => Kind::Method,
    };
    vec![Found::new(kind, vec![name(key, text)], None)]
}

/// A case of an enumeration without a value.
fn variant(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let is_case = node.parent().is_some_and(|parent| parent.kind() == "enum_body");
    if is_case { vec![Found::new(Kind::Variant, vec![text_of(node, text)], None)] } else { Vec::new() }
}

fn module(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let Some(key) = node.child_by_field_name("name") else { return Vec::new() };
    let names = match key.kind() {
        "string" => vec![name(key, text)],
        _ => text_of(key, text).split('.').map(|part| part.trim().to_owned()).collect(),
    };
    vec![Found::new(Kind::Module, names, node.child_by_field_name("body"))]
}

fn variable(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let Some(target) = node.child_by_field_name("name") else { return Vec::new() };
    let keyword = node.parent().and_then(|parent| field(parent, "kind", text));
    let otherwise = if keyword.as_deref() == Some("const") { Kind::Constant } else { Kind::Variable };
    let (kind, body) = valued(node.child_by_field_name("value"), otherwise);
    bound(target, text).into_iter().map(|name| Found::new(kind, vec![name], body).value()).collect()
}

/// The names in `{ a, b: [c] }`.
fn bound(target: Node<'_>, text: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut waiting = vec![target];
    while let Some(node) = waiting.pop() {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => names.push(text_of(node, text)),
            "pair_pattern" => waiting.extend(node.child_by_field_name("value")),
            "assignment_pattern" | "object_assignment_pattern" => {
                waiting.extend(node.child_by_field_name("left"))
            }
            "object_pattern" | "array_pattern" | "rest_pattern" => {
                let mut cursor = node.walk();
                let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
                waiting.extend(children.into_iter().rev());
            }
            _ => {}
        }
    }
    names
}

/// `exports.name = …`, `Type.prototype.method = …` and `Type.method = function …`.
fn assignment(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let Some(left) = node.child_by_field_name("left").filter(|left| left.kind() == "member_expression")
    else {
        return Vec::new();
    };
    let target = text_of(left, text);
    let path: Vec<&str> = target.split('.').map(str::trim).collect();
    let (kind, body) = valued(node.child_by_field_name("right"), Kind::Variable);
    let names: Vec<&str> = match path.as_slice() {
        ["module", "exports"] => return vec![Found::scope(Vec::new()).value()],
        ["module", "exports", names @ ..] | ["exports", names @ ..] => names.to_vec(),
        [owner, "prototype", method] => vec![owner, method],
        ["this" | "window" | "globalThis" | "self", ..] => return Vec::new(),
        [owner, method] if kind != Kind::Variable => vec![owner, method],
        _ => return Vec::new(),
    };
    vec![Found::new(kind, names.into_iter().map(str::to_owned).collect(), body).value()]
}

/// What a file exports without a name of its own is named `default`.
fn default_export(node: Node<'_>, _: &[u8]) -> Vec<Found> {
    let Some(value) = node.child_by_field_name("value").filter(|value| value.kind() != "identifier") else {
        return Vec::new();
    };
    let (kind, body) = valued(Some(value), Kind::Constant);
    vec![Found::new(kind, vec!["default".to_owned()], body).value()]
}
