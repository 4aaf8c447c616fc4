//! What a source file defines.

use std::fmt;
use std::ops::Range;

/// A named part of a source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name after the names of what contains it, such as `["Session", "refresh"]`. Never empty.
    pub path: Vec<String>,
    /// What it is.
    pub kind: Kind,
    /// Its bytes, with attributes, decorators and keywords such as `export`, without the comment above it.
    pub range: Range<usize>,
    /// The bytes that are its contract: those before the body, or all if there is no body apart from the contract.
    pub signature: Range<usize>,
    /// The bytes of its body: the block of a function, or the members of a class.
    pub body: Option<Range<usize>>,
    /// The comment directly above it, or the string at the beginning of its body that documents it.
    pub doc: Option<Range<usize>>,
    /// First and last line, counted from 1.
    pub lines: (usize, usize),
    /// Its tokens, as places in the tokens of the file.
    pub(crate) tokens: Range<usize>,
}

impl Definition {
    /// The last part of the path.
    pub fn name(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// The path as people write it in an anchor, such as `Session.refresh`.
    pub fn qualified(&self) -> String {
        self.path.join(".")
    }
}

/// What a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A class, or what a language calls so: also objects and actors.
    Class,
    /// A column of a table.
    Column,
    /// A value that has a name.
    Constant,
    /// An enumeration.
    Enum,
    /// A field or a property.
    Field,
    /// A function that belongs to nothing, also one that is the value of a variable.
    Function,
    /// A section of a Markdown file.
    Heading,
    /// Code that gives a type the methods of an interface.
    Implementation,
    /// An index of a table.
    Index,
    /// An interface, a trait or a protocol.
    Interface,
    /// A key of a configuration file.
    Key,
    /// A macro.
    Macro,
    /// A function that belongs to a type.
    Method,
    /// A module or a namespace.
    Module,
    /// A structure, a record or a union.
    Struct,
    /// A table of a database.
    Table,
    /// A trigger of a database.
    Trigger,
    /// A name for a type.
    Type,
    /// A value that can change.
    Variable,
    /// One case of an enumeration.
    Variant,
    /// A view of a database.
    View,
}

/// What the contract of a definition is.
pub enum Contract {
    /// What comes before its body.
    Head,
    /// Everything except the bodies of functions.
    All,
}

impl Kind {
    /// Its name in English, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Column => "column",
            Self::Constant => "constant",
            Self::Enum => "enum",
            Self::Field => "field",
            Self::Function => "function",
            Self::Heading => "heading",
            Self::Implementation => "implementation",
            Self::Index => "index",
            Self::Interface => "interface",
            Self::Key => "key",
            Self::Macro => "macro",
            Self::Method => "method",
            Self::Module => "module",
            Self::Struct => "struct",
            Self::Table => "table",
            Self::Trigger => "trigger",
            Self::Type => "type",
            Self::Variable => "variable",
            Self::Variant => "variant",
            Self::View => "view",
        }
    }

    pub(crate) const fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }

    /// Whether fields and constants in it are definitions even if it is itself in a function.
    pub(crate) const fn has_members(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Enum | Self::Interface | Self::Implementation | Self::Module
        )
    }

    pub(crate) const fn contract(self) -> Contract {
        match self {
            Self::Function
            | Self::Method
            | Self::Class
            | Self::Module
            | Self::Implementation
            | Self::Heading => Contract::Head,
            _ => Contract::All,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
