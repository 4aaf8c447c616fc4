//! What AI clients need to work with a project: the settings that start the server, hooks around their edits, and
//! instructions. Settings are written into files that people keep other things in, so all else in a file stays as it
//! is.

mod consent;
pub(crate) mod hooks;
pub(crate) mod instructions;
mod launch;
pub(crate) mod servers;
mod settings;

pub use consent::Consent;
pub(crate) use launch::Launch;
pub(crate) use settings::{Place, SettingsFile};

use clap::ValueEnum;

/// A client with known settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClientChoice {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// Codex
    Codex,
}

impl ClientChoice {
    /// The client's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::Vscode => "VS Code",
            Self::Codex => "Codex",
        }
    }
}
