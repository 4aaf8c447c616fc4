//! The servers of a project: MCP for agents, the viewer for browsers, and the language
//! server for editors. They handle access and transport; answers
//! come from the engine.

mod coediting;
mod http;
pub mod lsp;
pub mod mcp;
mod messages;
mod shared;
pub mod sharing;
pub mod viewer;

pub use http::named_tokens;
pub use messages::{MessageStyle, Messages, printable};
pub use shared::{Shared, SharedBuffer};
