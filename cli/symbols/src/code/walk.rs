//! Collects definitions and tokens in one pass over a tree.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::rules::{Found, Meaning, Scope, Syntax};
use crate::definition::Kind;
use crate::limits::{Deadline, Unreadable};
use crate::outline::{Draft, Outline};
use crate::tokens::Form;

/// # Errors
/// [`Unreadable::TookTooLong`] and [`Unreadable::TooMany`].
pub fn outline(
    syntax: &Syntax,
    tree: &Tree,
    text: &[u8],
    deadline: &mut Deadline,
) -> Result<Outline, Unreadable> {
    let mut walk = Walk::new(syntax, text);
    let mut cursor = tree.walk();
    walk.levels.push(Level::default());
    if !cursor.goto_first_child() {
        return Ok(walk.out);
    }
    loop {
        deadline.step()?;
        if walk.enter(cursor.node())? && cursor.goto_first_child() {
            continue;
        }
        walk.leave(cursor.node());
        while !cursor.goto_next_sibling() {
            if !walk.ascend() || !cursor.goto_parent() {
                return Ok(walk.out);
            }
            walk.leave(cursor.node());
        }
    }
}

/// Maximum depth of nodes that are visited. What is deeper is compared by its words, which keeps memory bounded.
const DEEPEST: usize = 2_000;

/// What is known about the children of a node.
#[derive(Default, Clone)]
struct Level {
    parent: Meaning,
    /// Length of the path outside of the parent.
    outside: usize,
    /// Whether they are in a function.
    is_local: bool,
    /// Whether they are members of a class, or of an object that is a value.
    are_members: bool,
    /// Whether they are the value of a definition.
    are_value: bool,
    /// Whether they belong to a type.
    in_type: bool,
    /// Whether parentheses among them are layout.
    is_bare: bool,
    /// The start of a definition in them, if it is not its own start.
    outer: Option<Outer>,
    /// The comment before the next child.
    comment: Option<Comment>,
    /// The attributes before the next child.
    attributes: Option<Start>,
}

#[derive(Clone, Copy)]
struct Start {
    byte: usize,
    row: usize,
    token: usize,
}

/// A node that belongs to the definition in it.
#[derive(Clone)]
struct Outer {
    start: Start,
    end: usize,
    end_row: usize,
    doc: Option<Range<usize>>,
    /// The depth at which the definition ends.
    depth: usize,
}

#[derive(Clone, Copy)]
struct Comment {
    start: usize,
    end: usize,
    last_row: usize,
}

struct Walk<'a> {
    syntax: &'a Syntax,
    text: &'a [u8],
    out: Outline,
    path: Vec<String>,
    levels: Vec<Level>,
    /// Definitions whose end was not reached, and the depths of their nodes.
    open: Vec<(usize, usize)>,
    /// The end of the text that is in a token or in a comment.
    done: usize,
}

impl<'a> Walk<'a> {
    fn new(syntax: &'a Syntax, text: &'a [u8]) -> Self {
        Self {
            syntax,
            text,
            out: Outline::default(),
            path: Vec::new(),
            levels: Vec::new(),
            open: Vec::new(),
            done: 0,
        }
    }

    /// The string at the beginning of the body of a definition.
    fn docstring(&self, node: Node<'_>) -> Option<Range<usize>> {
        let body = node.child_by_field_name("body").filter(|_| self.syntax.profile.has_docstrings)?;
        let first = body.named_child(0).filter(|first| first.kind() == "expression_statement")?;
        let only = first.named_child(0).filter(|_| first.named_child_count() == 1)?;
        (only.kind() == "string").then(|| only.byte_range())
    }

    /// Whether the children of the node are to be visited.
    fn enter(&mut self, node: Node<'_>) -> Result<bool, Unreadable> {
        let meaning = self.syntax.meaning(node);
        let Some(level) = self.levels.last_mut() else { return Ok(false) };
        if meaning.is_comment || meaning.is_hollow && is_hollow(self.syntax, node) {
            level.comment = comment(node, self.text, level.comment);
            self.done = self.done.max(node.end_byte());
            return Ok(false);
        }
        let own =
            Start { byte: node.start_byte(), row: node.start_position().row, token: self.out.tokens.len() };
        if meaning.is_attribute {
            level.attributes.get_or_insert(own);
            let level = level.clone();
            self.rest_before(node.start_byte());
            return Ok(self.descend(node, meaning, &level, &[]));
        }
        let attributes = level.attributes.take();
        let comment = level.comment.take();
        let level = Level { comment, attributes, ..level.clone() };
        self.rest_before(node.start_byte());
        let found = self.found(node, meaning, &level);
        for one in &found {
            self.add(node, own, &level, one)?;
        }
        Ok(self.descend(node, meaning, &level, &found))
    }

    fn found(&self, node: Node<'_>, meaning: Meaning, level: &Level) -> Vec<Found> {
        let rule = meaning.rule(self.syntax.profile).filter(|rule| match rule.scope {
            Scope::Anywhere => true,
            Scope::NotLocal => !level.is_local,
            Scope::Member => level.are_members,
        });
        rule.map_or_else(Vec::new, |rule| rule.found(node, self.text))
    }

    fn add(&mut self, node: Node<'_>, own: Start, level: &Level, found: &Found) -> Result<(), Unreadable> {
        let Some(kind) = found.kind else {
            self.out.bodies.extend(found.body);
            return Ok(());
        };
        let kind = match kind {
            Kind::Function if level.in_type => Kind::Method,
            Kind::Variable if level.in_type => Kind::Field,
            kind => kind,
        };
        if !kind.has_members() {
            self.out.bodies.extend(found.body);
        }
        let depth = self.levels.len();
        let outer = level.outer.clone().unwrap_or_else(|| outer(node, own, level, depth));
        let place = self.out.add(
            self.text,
            Draft {
                within: &self.path,
                names: &found.names,
                kind,
                range: outer.start.byte..outer.end,
                body: found.body,
                doc: self.docstring(node).or(outer.doc),
                lines: (outer.start.row + 1, outer.end_row + 1),
                first_token: outer.start.token,
            },
        )?;
        self.open.extend(place.map(|place| (place, outer.depth)));
        Ok(())
    }

    fn descend(&mut self, node: Node<'_>, meaning: Meaning, level: &Level, found: &[Found]) -> bool {
        if node.child_count() == 0 || meaning.is_literal || meaning.is_prose {
            self.leaf(node, meaning, level);
            return false;
        }
        if self.levels.len() >= DEEPEST {
            self.out.tokens.push(node.byte_range(), Form::Prose);
            self.done = self.done.max(node.end_byte());
            return false;
        }
        if meaning.is_indented {
            self.out.tokens.push(node.start_byte()..node.start_byte(), Form::Indent);
        }
        let depth = self.levels.len();
        let own =
            Start { byte: node.start_byte(), row: node.start_position().row, token: self.out.tokens.len() };
        let outside = self.path.len();
        let kind = found.iter().find_map(|one| one.kind);
        if let [one] = found {
            self.path.extend(one.names.iter().cloned());
        }
        let is_local = match kind {
            Some(kind) if kind.is_function() => true,
            Some(kind) if kind.has_members() => false,
            _ => level.is_local || meaning.is_function,
        };
        let wraps = meaning.is_wrapper && wraps_one(self.syntax, node);
        let has_value = found.iter().any(|one| one.is_value) || kind.is_some_and(|kind| kind.has_members());
        self.levels.push(Level {
            parent: meaning,
            outside,
            is_local,
            are_members: meaning.is_object && level.are_value,
            are_value: has_value || meaning.is_value && level.are_value,
            in_type: match kind {
                Some(kind) if kind.has_members() => kind != Kind::Module,
                Some(kind) if kind.is_function() => false,
                _ => level.in_type || found.iter().any(|one| one.kind.is_none() && !one.names.is_empty()),
            },
            is_bare: node.kind() == "parenthesized_expression" && has_bare(self.syntax, node),
            outer: wraps.then(|| level.outer.clone().unwrap_or_else(|| outer(node, own, level, depth))),
            // In some grammars, the comment of the first member stands before all members.
            comment: level.comment.filter(|_| found.is_empty()),
            attributes: None,
        });
        true
    }

    fn leaf(&mut self, node: Node<'_>, meaning: Meaning, level: &Level) {
        let range = node.byte_range();
        self.done = self.done.max(range.end);
        let text = self.text.get(range.clone()).unwrap_or_default();
        let is_separator = level.parent.is_separated && matches!(text, b"," | b";");
        let is_parenthesis = level.is_bare && matches!(text, b"(" | b")");
        let is_layout = is_separator || is_parenthesis || meaning.is_optional && !level.parent.keeps_all;
        if is_layout || text.trim_ascii().is_empty() {
            return;
        }
        if meaning.closes && !node.is_named() {
            self.out.tokens.close(range);
            return;
        }
        let form = match meaning {
            _ if meaning.is_literal => self.syntax.profile.quotes,
            _ if meaning.is_prose => Form::Prose,
            _ if meaning.is_comma && !level.parent.is_tuple => Form::Comma,
            _ => Form::Plain,
        };
        self.out.tokens.push(range, form);
    }

    /// Adds text before `end` that is in no node. Grammars leave out parts of some literals.
    fn rest_before(&mut self, end: usize) {
        let text = self.text.get(self.done..end).unwrap_or_default();
        let optional = self.syntax.profile.optional;
        let is_layout = |byte: &u8| {
            byte.is_ascii_whitespace() || *byte == b'\\' || *byte == b';' && optional.contains(&";")
        };
        if !text.iter().all(is_layout) {
            self.out.tokens.push(self.done..end, Form::Prose);
        }
        self.done = self.done.max(end);
    }

    /// Ends the children of a node. Returns whether it is the node of a child itself.
    fn ascend(&mut self) -> bool {
        if let Some(level) = self.levels.pop() {
            self.path.truncate(level.outside);
        }
        !self.levels.is_empty()
    }

    fn leave(&mut self, node: Node<'_>) {
        let meaning = self.syntax.meaning(node);
        self.rest_before(node.end_byte());
        if meaning.is_indented && node.child_count() > 0 && self.levels.len() < DEEPEST {
            self.out.tokens.push(node.end_byte()..node.end_byte(), Form::Dedent);
        }
        let depth = self.levels.len();
        let ends = |open: &(usize, usize)| open.1 >= depth;
        if self.open.last().is_some_and(ends) && self.continues(node) {
            return;
        }
        while let Some((place, _)) = self.open.pop_if(|open| ends(open)) {
            self.out.close(place);
        }
    }

    /// Whether the next node belongs to the definition that ends with this one, as the text of `A = <<~TEXT` does in Ruby.
    fn continues(&mut self, node: Node<'_>) -> bool {
        let trailing = self.syntax.profile.trailing;
        let next = if trailing.is_empty() { None } else { node.next_sibling() };
        let Some(next) = next.filter(|next| trailing.contains(&next.kind())) else { return false };
        if let Some((place, _)) = self.open.last() {
            self.out.extend(*place, next.end_byte(), last_row(next) + 1);
        }
        true
    }
}

/// Whether there are only comments in `node`.
fn is_hollow(syntax: &Syntax, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.named_child_count() > 0
        && node.named_children(&mut cursor).all(|child| syntax.meaning(child).is_comment)
}

fn has_bare(syntax: &Syntax, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    !syntax.profile.bare.is_empty()
        && node.named_children(&mut cursor).any(|child| syntax.meaning(child).is_bare)
}

/// Whether there is exactly one node in `node` that can be a definition.
fn wraps_one(syntax: &Syntax, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let mut inner = node.named_children(&mut cursor).filter(|child| {
        let meaning = syntax.meaning(*child);
        meaning.is_wrapper || meaning.rule(syntax.profile).is_some()
    });
    inner.next().is_some() && inner.next().is_none()
}

/// The extent of a definition that no other node belongs to.
fn outer(node: Node<'_>, own: Start, level: &Level, depth: usize) -> Outer {
    let start = level.attributes.unwrap_or(own);
    let above =
        level.comment.filter(|comment| comment.last_row + 1 >= start.row && comment.start < start.byte);
    Outer {
        start,
        end: node.end_byte(),
        end_row: last_row(node),
        doc: above.map(|comment| comment.start..comment.end),
        depth,
    }
}

/// The comment, joined with the one before if there is no line between them. `None` if it follows code on its line.
fn comment(node: Node<'_>, text: &[u8], before: Option<Comment>) -> Option<Comment> {
    let start = node.start_position();
    let line = node.start_byte().saturating_sub(start.column)..node.start_byte();
    let is_for_the_system = node.start_byte() == 0 && text.starts_with(b"#!");
    if is_for_the_system || !text.get(line).unwrap_or_default().trim_ascii().is_empty() {
        return None;
    }
    let joined = before.filter(|before| before.last_row + 1 >= start.row);
    let end = node.start_byte() + text.get(node.byte_range()).unwrap_or_default().trim_ascii_end().len();
    Some(Comment {
        start: joined.map_or(node.start_byte(), |before| before.start),
        end,
        last_row: last_row(node),
    })
}

/// The row of its last character. Some nodes include the line break.
fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row }
}
