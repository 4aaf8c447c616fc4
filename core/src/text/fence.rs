//! The lines that open and close code blocks.

/// The line that opens a code block.
pub(crate) struct Fence<'t> {
    mark: char,
    length: usize,
    /// The text after the fence, such as a language.
    pub info: &'t str,
}

impl<'t> Fence<'t> {
    /// Reads `line`, without its indentation.
    pub(crate) fn opening(line: &'t str) -> Option<Self> {
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let rest = line.trim_start_matches(mark);
        let length = line.len() - rest.len();
        let info = rest.trim();
        (length >= 3 && (mark == '~' || !info.contains('`'))).then_some(Self { mark, length, info })
    }

    /// Whether `line`, without its indentation, closes the block.
    pub(crate) fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim_end();
        line.len() >= self.length && line.chars().all(|c| c == self.mark)
    }

    /// The line that closes the block.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn closing(&self) -> String {
        self.mark.to_string().repeat(self.length)
    }
}
