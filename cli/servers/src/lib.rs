//! The servers of a project: MCP for agents, and the viewer for browsers. They handle access and transport; answers
//! come from the engine.

mod http;
pub mod mcp;
mod messages;
mod shared;
pub mod viewer;

pub use http::named_tokens;
pub use messages::{MessageStyle, Messages, printable};
pub use shared::{Shared, SharedBuffer};
