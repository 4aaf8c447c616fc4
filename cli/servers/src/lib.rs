//! The servers of a project: MCP for agents, and the viewer for browsers. What is true of a project comes from the
//! engine; here is who may ask, and how answers travel.

mod http;
pub mod mcp;
mod messages;
mod shared;
pub mod viewer;

pub use messages::{MessageStyle, Messages, printable};
pub use shared::{Shared, SharedBuffer};
