//! C and C++.

use tree_sitter::Node;

use crate::code::rules::{Found, Profile, Rule, children, field, text_of};
use crate::definition::Kind;

macro_rules! rules {
    ($($more:expr,)*) => {
        &[
            Rule::by("function_definition", function),
            Rule::by("declaration", declaration).not_local(),
            Rule::by("field_declaration", declaration),
            Rule::by("type_definition", type_definition).not_local(),
            Rule::by("struct_specifier", |node, text| specifier(node, text, Kind::Struct)),
            Rule::by("union_specifier", |node, text| specifier(node, text, Kind::Struct)),
            Rule::by("enum_specifier", |node, text| specifier(node, text, Kind::Enum)),
            Rule::new("enumerator", Kind::Variant, "name", ""),
            Rule::new("preproc_def", Kind::Macro, "name", ""),
            Rule::new("preproc_function_def", Kind::Macro, "name", ""),
            $($more,)*
        ]
    };
}

pub const C: Profile = Profile {
    rules: rules![],
    literals: &["string_literal", "char_literal"],
    prose: &["preproc_arg"],
    ..Profile::EMPTY
};

pub const CPP: Profile = Profile {
    rules: rules![
        Rule::by("class_specifier", |node, text| specifier(node, text, Kind::Class)),
        Rule::by("namespace_definition", namespace),
        Rule::new("alias_declaration", Kind::Type, "name", "").not_local(),
        Rule::new("concept_definition", Kind::Type, "name", ""),
    ],
    wrappers: &["template_declaration"],
    literals: &["string_literal", "raw_string_literal", "char_literal"],
    prose: &["preproc_arg"],
    functions: &["lambda_expression"],
    ..Profile::EMPTY
};

/// What a declarator names.
struct Declared {
    names: Vec<String>,
    is_function: bool,
}

/// Finds the name inside of pointers, arrays and parameters.
fn declared(mut node: Node<'_>, text: &[u8]) -> Option<Declared> {
    let mut is_function = false;
    loop {
        let names = match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "operator_name" | "destructor_name" => {
                vec![words(&text_of(node, text))]
            }
            "qualified_identifier" => qualified(node, text),
            "template_function" | "template_method" => vec![field(node, "name", text)?],
            "operator_cast" => vec![words(&format!("operator {}", field(node, "type", text)?))],
            _ => Vec::new(),
        };
        if !names.is_empty() {
            return Some(Declared { names, is_function: is_function || node.kind() == "operator_cast" });
        }
        let is_parameters = node.kind() == "function_declarator";
        let inner = node.child_by_field_name("declarator");
        let inner = inner.or_else(|| {
            node.named_child_count().checked_sub(1).and_then(|last| node.named_child(last as u32))
        });
        node = inner.filter(|inner| inner.end_byte() <= node.end_byte())?;
        // `int (*name)(int)` is a variable.
        is_function |= is_parameters && node.kind() != "parenthesized_declarator";
    }
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The parts of `a::B<int>::c`.
fn qualified(node: Node<'_>, text: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut next = Some(node);
    while let Some(one) = next {
        if one.kind() != "qualified_identifier" {
            names.push(words(&field(one, "name", text).unwrap_or_else(|| text_of(one, text))));
            break;
        }
        let scope = one.child_by_field_name("scope");
        names.extend(scope.map(|scope| field(scope, "name", text).unwrap_or_else(|| text_of(scope, text))));
        next = one.child_by_field_name("name");
    }
    names
}

fn function(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let found = node.child_by_field_name("declarator").and_then(|one| declared(one, text));
    found
        .map(|one| Found::new(Kind::Function, one.names, node.child_by_field_name("body")))
        .into_iter()
        .collect()
}

fn declaration(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let qualifiers = children(node, &["type_qualifier"]);
    let is_constant = qualifiers
        .iter()
        .any(|one| text.get(one.byte_range()).is_some_and(|text| text.starts_with(b"const")));
    let mut cursor = node.walk();
    let found = node.children_by_field_name("declarator", &mut cursor).filter_map(|one| {
        let declared = declared(one, text)?;
        let kind = match declared.is_function {
            true => Kind::Function,
            false if is_constant => Kind::Constant,
            false if node.kind() == "field_declaration" => Kind::Field,
            false => Kind::Variable,
        };
        let lambda = one.child_by_field_name("value").filter(|value| value.kind() == "lambda_expression");
        let kind = if lambda.is_some() { Kind::Function } else { kind };
        Some(Found::new(kind, declared.names, lambda.and_then(|lambda| lambda.child_by_field_name("body"))))
    });
    found.collect()
}

fn type_definition(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let mut cursor = node.walk();
    let declarators = node.children_by_field_name("declarator", &mut cursor);
    declarators.filter_map(|one| Some(Found::new(Kind::Type, declared(one, text)?.names, None))).collect()
}

/// A structure with a body. Without one, it is a use of it, or the declaration before it.
fn specifier(node: Node<'_>, text: &[u8], kind: Kind) -> Vec<Found> {
    let (Some(name), Some(body)) = (node.child_by_field_name("name"), node.child_by_field_name("body"))
    else {
        return Vec::new();
    };
    let names = match name.kind() {
        "qualified_identifier" => qualified(name, text),
        "template_type" => field(name, "name", text).into_iter().collect(),
        _ => vec![text_of(name, text)],
    };
    vec![Found::new(kind, names, Some(body))]
}

fn namespace(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let Some(name) = field(node, "name", text) else { return Vec::new() };
    let names = name.split("::").map(|part| part.trim().to_owned()).collect();
    vec![Found::new(Kind::Module, names, node.child_by_field_name("body"))]
}
