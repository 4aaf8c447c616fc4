//! What every surface has to know of an operation. It stands in the operation's own file, so that no
//! surface keeps a list of names.

/// What an operation does to the project's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It changes no file.
    Read,
    /// It writes, and can be repeated or undone.
    Write,
    /// It takes something away.
    Destructive,
}

/// Whether an operation is an MCP tool. Those that change something are tools only of a server that may
/// write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Of every server, and of the set `core`: what agents need to find and read.
    Core,
    /// Of every server.
    Always,
    /// Of every server that may write, although it only reads.
    Writing,
    /// Of a server that was asked for it.
    OnRequest,
    /// Of a server that was asked for this set, under the name that its users know.
    Set(&'static str),
    /// Never: it is for people, or its answers are not for a model.
    Never,
}

/// What surfaces know of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// What it is for, in a sentence.
    pub summary: &'static str,
    /// What it does to the project's files.
    pub effect: Effect,
    /// Whether it is an MCP tool.
    pub tool: Tool,
    /// The name of that tool, where it is not the usual one.
    pub called: Option<&'static str>,
    /// The command that asks for it, without `ubp`; empty where no command does.
    pub command: &'static str,
    /// Whether its answer holds text of pages, which a model must take for data.
    pub quotes_pages: bool,
    /// Whether it may run while somebody types: on the index as it is, without waiting for changes that are on their
    /// way into it.
    pub at_once: bool,
    /// Whether it writes the index and no file, so that nobody has to take it back.
    pub index_only: bool,
    /// Whether it changes a file that nothing watches, so that whoever shows the project has to be told.
    pub unwatched: bool,
    /// What a model is told of a server that has this tool.
    pub introduction: Option<&'static str>,
}

impl Facts {
    /// Of an operation that reads.
    pub const fn reading(summary: &'static str) -> Self {
        Self {
            summary,
            effect: Effect::Read,
            tool: Tool::Never,
            called: None,
            command: "",
            quotes_pages: false,
            at_once: false,
            index_only: false,
            unwatched: false,
            introduction: None,
        }
    }

    /// Of an operation that writes.
    pub const fn writing(summary: &'static str) -> Self {
        Self { effect: Effect::Write, ..Self::reading(summary) }
    }

    /// Of an operation that takes something away.
    pub const fn destroying(summary: &'static str) -> Self {
        Self { effect: Effect::Destructive, ..Self::reading(summary) }
    }

    /// It is a tool.
    pub const fn tool(self, tool: Tool) -> Self {
        Self { tool, ..self }
    }

    /// As a tool it has a name of its own.
    pub const fn called(self, name: &'static str) -> Self {
        Self { called: Some(name), ..self }
    }

    /// People ask for it with this command.
    pub const fn command(self, command: &'static str) -> Self {
        Self { command, ..self }
    }

    /// Its answer holds text of pages.
    pub const fn quoting_pages(self) -> Self {
        Self { quotes_pages: true, ..self }
    }

    /// It may run while somebody types.
    pub const fn at_once(self) -> Self {
        Self { at_once: true, ..self }
    }

    /// It writes the index and no file.
    pub const fn index_only(self) -> Self {
        Self { index_only: true, ..self }
    }

    /// It changes a file that nothing watches.
    pub const fn unwatched(self) -> Self {
        Self { unwatched: true, ..self }
    }

    /// What a model is told of a server that has this tool.
    pub const fn introducing(self, words: &'static str) -> Self {
        Self { introduction: Some(words), ..self }
    }

    /// Whether it only reads, so that its whole answer can come from one state of the index.
    pub fn reads_only(&self) -> bool {
        self.effect == Effect::Read && !self.index_only
    }

    /// Whether it writes a page and leaves it to others to take that into the index: somebody types, and
    /// waits for it.
    pub fn leaves_index(&self) -> bool {
        self.at_once && self.effect != Effect::Read
    }
}
