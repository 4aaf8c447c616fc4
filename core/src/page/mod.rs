//! One Markdown page as the engine sees it. Parsing is total: whatever the bytes, there is a page,
//! and what could not be understood is a diagnostic with its line.

mod link_types;
mod model;

pub use link_types::LinkTypes;
pub use model::{Block, Diagnostic, FrontMatter, Link, LinkKind, Page, Section, Value};
