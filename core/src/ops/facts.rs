//! What surfaces need to know about an operation. Each operation declares its facts in its own file, so no surface
//! keeps a list of names.

/// What an operation does to the project's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Changes no file.
    Read,
    /// Writes; can be repeated or undone.
    Write,
    /// Deletes something.
    Destructive,
}

/// Which MCP servers offer an operation as a tool. Only servers that may write offer operations that change
/// something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// All servers, and the set `core`: what agents need to find and read.
    Core,
    /// All servers.
    Always,
    /// Servers that may write, although the operation only reads.
    Writing,
    /// Servers whose clients may only propose changes.
    Proposing,
    /// Servers started with this tool.
    OnRequest,
    /// Servers started with this set.
    Set(&'static str),
    /// None: the operation is for people, or its answers are not for a model.
    Never,
}

/// Facts about an operation, for all surfaces.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// What it does to the project's files.
    pub effect: Effect,
    /// Which servers offer it as an MCP tool.
    pub tool: Tool,
    /// An alias of the tool, known from other servers.
    pub called: Option<&'static str>,
    /// Parameters that only agents must pass.
    pub required_of_agents: &'static [&'static str],
    /// Whether repeating the call changes nothing more.
    pub idempotent: bool,
    /// The command that runs it, without `ubp`; empty if there is none.
    pub command: &'static str,
    /// Its parameters that are positional arguments of the command, in order.
    pub arguments: &'static [&'static str],
    /// What runs it in the viewer, as a noun; empty if nothing does.
    pub button: &'static str,
    /// Whether its answer contains text of pages, which a model must treat as data.
    pub quotes_pages: bool,
    /// Whether it may run while a user types: on the index as it is, without waiting for pending changes.
    pub at_once: bool,
    /// Whether it writes only the index and no file, so there is nothing to undo.
    pub index_only: bool,
    /// Whether it changes a file that is not watched, so programs that show the project must be notified.
    pub unwatched: bool,
    /// Whether a parameter contains a file, so that requests are longer than others.
    pub takes_file: bool,
    /// Whether it changes nothing but comments, so the right to comment is enough.
    #[cfg(not(target_family = "wasm"))]
    pub comments_only: bool,
    /// Text for the instructions of a server that has this tool.
    pub introduction: Option<&'static str>,
}

impl Facts {
    /// An operation that reads.
    pub const fn reading(summary: &'static str) -> Self {
        Self {
            // Browsers tell nobody what there is to call.
            summary: if cfg!(target_family = "wasm") { "" } else { summary },
            effect: Effect::Read,
            tool: Tool::Never,
            called: None,
            required_of_agents: &[],
            idempotent: false,
            command: "",
            arguments: &[],
            button: "",
            quotes_pages: false,
            at_once: false,
            index_only: false,
            unwatched: false,
            takes_file: false,
            #[cfg(not(target_family = "wasm"))]
            comments_only: false,
            introduction: None,
        }
    }

    /// An operation that writes.
    pub const fn writing(summary: &'static str) -> Self {
        Self { effect: Effect::Write, ..Self::reading(summary) }
    }

    /// An operation that deletes something.
    pub const fn destroying(summary: &'static str) -> Self {
        Self { effect: Effect::Destructive, ..Self::reading(summary) }
    }

    /// Offers it as a tool.
    pub const fn tool(self, tool: Tool) -> Self {
        Self { tool, ..self }
    }

    /// Adds an alias of the tool.
    pub const fn called(self, name: &'static str) -> Self {
        Self { called: Some(name), ..self }
    }

    /// Parameters that agents must pass and others may leave out.
    pub const fn required_of_agents(self, names: &'static [&'static str]) -> Self {
        Self { required_of_agents: names, ..self }
    }

    /// Repeating the call changes nothing more.
    pub const fn idempotent(self) -> Self {
        Self { idempotent: true, ..self }
    }

    /// The command that runs it.
    pub const fn command(self, command: &'static str) -> Self {
        Self { command, ..self }
    }

    /// Parameters that are positional arguments of the command.
    pub const fn arguments(self, arguments: &'static [&'static str]) -> Self {
        Self { arguments, ..self }
    }

    /// What runs it in the viewer.
    pub const fn button(self, button: &'static str) -> Self {
        Self { button, ..self }
    }

    /// Its answer contains text of pages.
    pub const fn quoting_pages(self) -> Self {
        Self { quotes_pages: true, ..self }
    }

    /// It may run while a user types.
    pub const fn at_once(self) -> Self {
        Self { at_once: true, ..self }
    }

    /// It writes only the index and no file.
    pub const fn index_only(self) -> Self {
        Self { index_only: true, ..self }
    }

    /// It changes a file that is not watched.
    pub const fn unwatched(self) -> Self {
        Self { unwatched: true, ..self }
    }

    /// A parameter contains a file.
    pub const fn taking_file(self) -> Self {
        Self { takes_file: true, ..self }
    }

    /// It changes nothing but comments.
    #[cfg(not(target_family = "wasm"))]
    pub const fn commenting(self) -> Self {
        Self { comments_only: true, ..self }
    }

    /// Text for the instructions of a server that has this tool.
    pub const fn introducing(self, words: &'static str) -> Self {
        Self { introduction: if cfg!(target_family = "wasm") { None } else { Some(words) }, ..self }
    }

    /// Whether it only reads, so its whole answer can come from one snapshot of the index.
    pub fn reads_only(&self) -> bool {
        self.effect == Effect::Read && !self.index_only
    }

    /// Whether it writes a page and leaves indexing to others, because a user types and waits for it.
    pub fn leaves_index(&self) -> bool {
        self.at_once && self.effect != Effect::Read
    }
}
