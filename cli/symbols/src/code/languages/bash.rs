//! Shell scripts.

use tree_sitter::Node;

use crate::code::rules::{Found, Profile, Rule, field};
use crate::definition::Kind;

pub const PROFILE: Profile = Profile {
    rules: &[
        Rule::new("function_definition", Kind::Function, "name", "body"),
        Rule::by("variable_assignment", assignment).not_local(),
    ],
    wrappers: &["declaration_command"],
    literals: &["string", "raw_string", "ansi_c_string", "translated_string", "heredoc_body"],
    optional: &[";"],
    keeps: &["c_style_for_statement"],
    ..Profile::EMPTY
};

fn assignment(node: Node<'_>, text: &[u8]) -> Vec<Found> {
    // `NAME=value command` sets it for the command only.
    let is_for_command = node.parent().is_some_and(|parent| parent.kind() == "command");
    let name = field(node, "name", text).filter(|_| !is_for_command);
    name.map(|name| Found::new(Kind::Variable, vec![name], None)).into_iter().collect()
}
