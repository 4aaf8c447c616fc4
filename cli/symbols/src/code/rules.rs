//! How definitions look in the tree of a language.

use std::sync::OnceLock;

use tree_sitter::{Language, Node};

use super::languages;
use crate::definition::Kind;
use crate::grammar::Grammar;
use crate::tokens::Form;

/// What the kinds of nodes of a language mean.
pub struct Profile {
    pub rules: &'static [Rule],
    /// Nodes around one definition, whose text belongs to it, such as `export`.
    pub wrappers: &'static [&'static str],
    /// Nodes before a definition that belong to it.
    pub attributes: &'static [&'static str],
    /// Comments, besides the nodes with that word in their name.
    pub comments: &'static [&'static str],
    /// Literals that are one token with all that is in them.
    pub literals: &'static [&'static str],
    /// Text for readers, in which all white space is equal.
    pub prose: &'static [&'static str],
    /// Functions without a name. What is in them is local.
    pub functions: &'static [&'static str],
    /// Nodes whose children are members, although they are in a value, such as the object in `const a = { f() {} }`.
    pub objects: &'static [&'static str],
    /// Nodes between a definition and its value.
    pub values: &'static [&'static str],
    /// Blocks that only their indentation shows.
    pub indented: &'static [&'static str],
    /// Nodes in which the comma before the closing bracket has a meaning.
    pub tuples: &'static [&'static str],
    /// Tokens that are layout, except in `keeps`.
    pub optional: &'static [&'static str],
    /// Nodes in which no token is layout.
    pub keeps: &'static [&'static str],
    /// Nodes in which commas and semicolons are layout.
    pub separated: &'static [&'static str],
    /// Nodes that are a comment if there is nothing in them but comments.
    pub hollow: &'static [&'static str],
    /// Nodes for which parentheses around them are layout.
    pub bare: &'static [&'static str],
    /// Nodes that belong to the definition before them.
    pub trailing: &'static [&'static str],
    /// Whether `'` and `"` mean the same.
    pub quotes: Form,
    /// Whether a string at the beginning of a body documents it.
    pub has_docstrings: bool,
}

impl Profile {
    pub const EMPTY: Self = Self {
        rules: &[],
        wrappers: &[],
        attributes: &[],
        comments: &[],
        literals: &[],
        prose: &[],
        functions: &[],
        objects: &[],
        values: &[],
        indented: &[],
        tuples: &[],
        optional: &[],
        keeps: &[],
        separated: &[],
        hollow: &[],
        bare: &[],
        trailing: &[],
        quotes: Form::Literal,
        has_docstrings: false,
    };
}

/// A kind of node that is a definition.
pub struct Rule {
    pub node: &'static str,
    pub find: Find,
    pub scope: Scope,
}

/// Where a node is a definition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Anywhere,
    /// Not in a function, where it is local.
    NotLocal,
    /// Only as a member of a class, or of an object that is a value of a definition.
    Member,
}

/// How to find the parts of a definition.
pub enum Find {
    /// The node has the name and the body in fields. A missing body means that there is none.
    Fields { kind: Kind, name: &'static str, body: &'static str },
    /// A function finds them.
    By(fn(Node<'_>, &[u8]) -> Vec<Found>),
}

/// A definition in a node.
pub struct Found {
    /// Its name, after the names of what contains it within the node. Empty if only the body counts.
    pub names: Vec<String>,
    /// `None` if the node only gives its names to what is in it.
    pub kind: Option<Kind>,
    /// Start and end of its body.
    pub body: Option<(usize, usize)>,
    /// Whether the members of an object in it are definitions.
    pub is_value: bool,
}

impl Found {
    pub fn new(kind: Kind, names: Vec<String>, body: Option<Node<'_>>) -> Self {
        Self { names, kind: Some(kind), body: body.map(bytes), is_value: false }
    }

    pub fn scope(names: Vec<String>) -> Self {
        Self { names, kind: None, body: None, is_value: false }
    }

    pub fn value(self) -> Self {
        Self { is_value: true, ..self }
    }
}

impl Rule {
    pub const fn new(node: &'static str, kind: Kind, name: &'static str, body: &'static str) -> Self {
        Self { node, find: Find::Fields { kind, name, body }, scope: Scope::Anywhere }
    }

    pub const fn by(node: &'static str, find: fn(Node<'_>, &[u8]) -> Vec<Found>) -> Self {
        Self { node, find: Find::By(find), scope: Scope::Anywhere }
    }

    pub const fn not_local(self) -> Self {
        Self { node: self.node, find: self.find, scope: Scope::NotLocal }
    }

    pub const fn member(self) -> Self {
        Self { node: self.node, find: self.find, scope: Scope::Member }
    }

    pub fn found(&self, node: Node<'_>, text: &[u8]) -> Vec<Found> {
        match &self.find {
            Find::Fields { kind, name, body } => {
                let Some(name) = node.child_by_field_name(name) else { return Vec::new() };
                let body = node.child_by_field_name(body);
                vec![Found::new(*kind, vec![text_of(name, text)], body)]
            }
            Find::By(find) => find(node, text),
        }
    }
}

pub fn bytes(node: Node<'_>) -> (usize, usize) {
    (node.start_byte(), node.end_byte())
}

/// The text of a name. Text that is not UTF-8 is shown with replacement characters.
pub fn text_of(node: Node<'_>, text: &[u8]) -> String {
    String::from_utf8_lossy(text.get(node.byte_range()).unwrap_or_default()).into_owned()
}

/// The text of a field.
pub fn field(node: Node<'_>, name: &str, text: &[u8]) -> Option<String> {
    node.child_by_field_name(name).map(|child| text_of(child, text))
}

/// The first child of one of these kinds.
pub fn child<'a>(node: Node<'a>, kinds: &[&str]) -> Option<Node<'a>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()))
}

/// All children of one of these kinds.
pub fn children<'a>(node: Node<'a>, kinds: &[&str]) -> Vec<Node<'a>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| kinds.contains(&child.kind())).collect()
}

/// What the kinds of nodes of a grammar mean, by their number.
pub struct Syntax {
    pub language: Language,
    pub profile: &'static Profile,
    meanings: Vec<Meaning>,
}

/// What a kind of node means.
#[derive(Debug, Clone, Copy, Default)]
pub struct Meaning {
    /// One more than its rule, 0 if it has none.
    rule: u8,
    pub is_wrapper: bool,
    pub is_attribute: bool,
    pub is_comment: bool,
    pub is_literal: bool,
    pub is_prose: bool,
    pub is_function: bool,
    pub is_object: bool,
    pub is_value: bool,
    pub is_indented: bool,
    pub is_tuple: bool,
    pub is_optional: bool,
    pub keeps_all: bool,
    pub is_separated: bool,
    pub is_hollow: bool,
    pub is_bare: bool,
    pub closes: bool,
    pub is_comma: bool,
}

impl Meaning {
    pub fn rule(self, profile: &'static Profile) -> Option<&'static Rule> {
        profile.rules.get(usize::from(self.rule.checked_sub(1)?))
    }
}

impl Syntax {
    /// `None` if the grammar cannot be loaded.
    pub fn of(grammar: Grammar) -> Option<&'static Self> {
        static ALL: [OnceLock<Option<Syntax>>; Grammar::COUNT] = [const { OnceLock::new() }; Grammar::COUNT];
        ALL[grammar as usize]
            .get_or_init(|| Some(Self::new(grammar.language()?, languages::profile(grammar))))
            .as_ref()
    }

    fn new(language: Language, profile: &'static Profile) -> Self {
        let kinds = 0..u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let meaning = |kind: u16| {
            let name = language.node_kind_for_id(kind).unwrap_or_default();
            let is_named = language.node_kind_is_named(kind);
            let is_in = |list: &[&str]| is_named && list.contains(&name);
            let rule = profile.rules.iter().position(|rule| is_named && rule.node == name);
            Meaning {
                rule: rule.map_or(0, |place| u8::try_from(place + 1).unwrap_or(0)),
                is_wrapper: is_in(profile.wrappers),
                is_attribute: is_in(profile.attributes),
                is_comment: is_in(profile.comments) || is_named && name.ends_with("comment"),
                is_literal: is_in(profile.literals),
                is_prose: is_in(profile.prose),
                is_function: is_in(profile.functions),
                is_object: is_in(profile.objects),
                is_value: is_in(profile.values),
                is_indented: is_in(profile.indented),
                is_tuple: is_in(profile.tuples),
                is_optional: !is_named && profile.optional.contains(&name),
                keeps_all: is_in(profile.keeps),
                is_separated: is_in(profile.separated),
                is_hollow: is_in(profile.hollow),
                is_bare: is_in(profile.bare),
                closes: matches!(name, ")" | "]" | "}" | ">"),
                is_comma: name == ",",
            }
        };
        let meanings = kinds.map(meaning).collect();
        Self { language, profile, meanings }
    }

    pub fn meaning(&self, node: Node<'_>) -> Meaning {
        self.meanings.get(usize::from(node.kind_id())).copied().unwrap_or_default()
    }
}

/// Names in a profile that are no nodes of its grammar.
#[cfg(test)]
pub fn unknown_names(grammar: Grammar) -> Vec<&'static str> {
    let Some(syntax) = Syntax::of(grammar) else { return vec!["the grammar"] };
    let p = syntax.profile;
    let lists = [
        p.wrappers,
        p.attributes,
        p.comments,
        p.literals,
        p.prose,
        p.functions,
        p.objects,
        p.values,
        p.indented,
        p.tuples,
        p.keeps,
        p.separated,
        p.hollow,
        p.bare,
        p.trailing,
    ];
    let named = lists.concat().into_iter().chain(p.rules.iter().map(|rule| rule.node));
    let is_known = |name: &str, named| syntax.language.id_for_node_kind(name, named) != 0;
    let unknown = named.filter(|name| !is_known(name, true));
    unknown.chain(p.optional.iter().copied().filter(|name| !is_known(name, false))).collect()
}
