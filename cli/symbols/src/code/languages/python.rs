//! Python.

use tree_sitter::Node;

use super::is_upper_case;
use crate::code::rules::{Found, Profile, Rule, text_of};
use crate::definition::Kind;
use crate::tokens::Form;

pub const PROFILE: Profile = Profile {
    rules: &[
        Rule::new("function_definition", Kind::Function, "name", "body"),
        Rule::new("class_definition", Kind::Class, "name", "body"),
        Rule::by("assignment", assignment).not_local(),
        Rule::new("type_alias_statement", Kind::Type, "left", "").not_local(),
    ],
    wrappers: &["decorated_definition", "expression_statement"],
    comments: &["line_continuation"],
    literals: &["string"],
    functions: &["lambda"],
    indented: &["block"],
    tuples: &["tuple", "tuple_pattern", "subscript"],
    optional: &[";"],
    quotes: Form::Quoted,
    has_docstrings: true,
    ..Profile::EMPTY
};

fn assignment(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    let mut names = Vec::new();
    let mut value = Some(node);
    // `a = b = 1` is an assignment in an assignment.
    while let Some(one) = value.filter(|one| one.kind() == "assignment") {
        names.extend(one.child_by_field_name("left").map(targets).unwrap_or_default());
        value = one.child_by_field_name("right");
    }
    let function = value.filter(|value| value.kind() == "lambda");
    let found = names.into_iter().map(|name| {
        let name = text_of(name, text);
        let kind = match function {
            Some(_) => Kind::Function,
            None if is_upper_case(&name) => Kind::Constant,
            None => Kind::Variable,
        };
        Found::new(kind, vec![name], function.and_then(|lambda| lambda.child_by_field_name("body")))
    });
    // The inner assignment is visited too.
    if node.parent().is_some_and(|parent| parent.kind() == "assignment") {
        Vec::new()
    } else {
        found.collect()
    }
}

fn targets(left: Node<'_>) -> Vec<Node<'_>> {
    match left.kind() {
        "identifier" => vec![left],
        "pattern_list" | "tuple_pattern" | "list_pattern" => {
            let mut cursor = left.walk();
            left.named_children(&mut cursor).filter(|child| child.kind() == "identifier").collect()
        }
        _ => Vec::new(),
    }
}
