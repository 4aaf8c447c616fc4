//! The properties of a page: of its front matter, of its file, and formulas of the base.

use crate::message;
use crate::message::Message;

/// A property, by its name in a base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Property {
    /// A key of front matter.
    Note(String),
    Formula(String),
    /// The page itself.
    File,
    Name,
    BaseName,
    Path,
    Folder,
    Extension,
    Size,
    Created,
    Modified,
    Tags,
    Links,
    Embeds,
    Backlinks,
    /// All keys of front matter.
    All,
}

impl Property {
    /// The property of a file with this name.
    pub(super) fn of_file(name: &str) -> Option<Self> {
        Some(match name {
            "file" => Self::File,
            "name" | "fullname" => Self::Name,
            "basename" => Self::BaseName,
            "path" => Self::Path,
            "folder" => Self::Folder,
            "ext" | "extension" => Self::Extension,
            "size" => Self::Size,
            "ctime" => Self::Created,
            "mtime" => Self::Modified,
            "tags" => Self::Tags,
            "links" => Self::Links,
            "embeds" => Self::Embeds,
            "backlinks" => Self::Backlinks,
            "properties" => Self::All,
            _ => return None,
        })
    }

    /// The property that a list such as `order` names.
    pub(super) fn named(name: &str) -> Result<Self, Message> {
        let after = |start: &str| name.strip_prefix(start);
        if let Some(field) = after("file.") {
            return Self::of_file(field).ok_or_else(|| unknown(name));
        }
        if let Some(key) = after("formula.") {
            return Ok(Self::Formula(key.into()));
        }
        Ok(Self::Note(after("note.").or_else(|| after("property.")).unwrap_or(name).into()))
    }

    /// The name over its column, unless the base has another.
    pub(super) fn label(name: &str) -> &str {
        let start =
            ["file.", "formula.", "note.", "property."].into_iter().find(|start| name.starts_with(start));
        start.map_or(name, |start| &name[start.len()..])
    }

    /// Whether its value is shown as a link to the page.
    pub(super) fn is_page(&self) -> bool {
        matches!(self, Self::File | Self::Name | Self::BaseName)
    }
}

/// What is wrong with the name of a property.
pub(super) fn unknown(name: &str) -> Message {
    message!("UBP does not know the property `{name}`", name)
}
