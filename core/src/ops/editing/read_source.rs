//! The text of a file that is not a page, to show it beside the pages that describe it.
//!
//! **Invariants**
//! - Only files that listings contain are read: nothing ignored, hidden, of git or of UBP, and nothing outside of the
//!   project. The file that a symbolic link leads to must be listed as well (`cli/host`, `disk/hostile_tests.rs`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::message;
use crate::message::Message;
use crate::ops::Facts;
use crate::show::{Page, Span};
pub use crate::source_text::Problem;
use crate::source_text::SourceText;
use crate::{Error, Result, path};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading("Read a text file of the project that is not a page, such as code.");

/// The file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its path relative to the project; `path#symbol` is read as its file.
    pub file: String,
}

/// Its text, or why it is not shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Output {
    /// Its path relative to the project.
    pub file: String,
    /// Its text; absent if it is not shown.
    pub text: Option<String>,
    /// Its size in bytes; absent if it does not exist or must not be read.
    pub size: Option<u64>,
    /// Why it is not shown; absent if it is.
    pub problem: Option<Problem>,
    /// The problem as a sentence.
    pub message: Option<Message>,
}

/// Reads the file.
///
/// # Errors
/// [`Error::InvalidParams`] without a path, [`Error::OutsideProject`] for a path or symbolic link out of the project,
/// [`Error::Io`] if the file cannot be read.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    if path::source_entry(&params.file).is_empty() {
        return Err(Error::invalid(message!("`file` is missing: a path relative to the project")));
    }
    let found = SourceText::read(context, &params.file)?;
    let problem = found.text.as_ref().err().copied();
    let message = problem.map(|problem| found.told(problem));
    let SourceText { file, size, text } = found;
    Ok(Output { file, text: text.ok(), size, problem, message })
}

/// Shows the text, or why there is none.
pub fn show(output: &Output, page: &mut dyn Page) {
    if let Some(text) = &output.text {
        text.lines().for_each(|line| page.line(&[Span::Text(line)]));
    }
    if let Some(message) = &output.message {
        page.warn(&[Span::said(message)]);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::index::tests::Project;

    fn read(file: &str, bytes: &[u8]) -> Output {
        let project = Project::with_pages([("a.md", "# A\n")]);
        project.source.put_source("src/main.rs", bytes, Timestamp::UNIX_EPOCH);
        for hidden in [".env", ".github/ci.yml", "node_modules/x/index.js"] {
            project.source.put_source(hidden, b"secret", Timestamp::UNIX_EPOCH);
        }
        run(&project.context(), Params { file: file.into() }).unwrap()
    }

    #[test]
    fn text_is_returned_as_it_is() {
        let text = "fn main() {}\r\n// 認証\n";
        let output = read("./src/main.rs", text.as_bytes());
        assert_eq!(output.file, "src/main.rs");
        assert_eq!((output.text.as_deref(), output.problem), (Some(text), None));
        assert_eq!(read("src/main.rs", b"").text.as_deref(), Some(""));
        assert_eq!(read("src/main.rs#main", text.as_bytes()), output, "the file of a symbol");
    }

    #[test]
    fn binary_large_and_missing_files_have_a_message_instead() {
        let problem = |file: &str, bytes: &[u8]| {
            let output = read(file, bytes);
            assert!(output.text.is_none() && output.message.unwrap().to_string().starts_with(file));
            output.problem.unwrap()
        };
        assert_eq!(problem("src/main.rs", b"a\0b"), Problem::Binary);
        assert_eq!(problem("src/main.rs", b"\xff\xfe"), Problem::Binary);
        assert_eq!(problem("src/main.rs", &vec![b'a'; 1024 * 1024 + 1]), Problem::TooLarge);
        assert_eq!(read("src/main.rs", &vec![b'a'; 1024 * 1024]).problem, None);
        assert_eq!(problem("src/none.rs", b""), Problem::Missing);
        assert_eq!(problem("src", b""), Problem::Missing);
    }

    #[test]
    fn hidden_files_are_refused_whether_they_exist_or_not() {
        let hidden = [".env", ".github/ci.yml", "node_modules/x/index.js", ".git/config", ".GIT/config"];
        for file in hidden.into_iter().chain([".ubp/metadata.db", "src/.ubp/x", ".none"]) {
            let output = read(file, b"");
            assert_eq!(
                (output.problem, output.text, output.size),
                (Some(Problem::Hidden), None, None),
                "{file}"
            );
        }
    }

    #[test]
    fn paths_out_of_the_project_are_errors() {
        let project = Project::with_pages([("a.md", "# A\n")]);
        for file in
            ["../x", "src/../../x", "/etc/passwd", "C:/x", "..\\x", "\\\\host\\x", "a\0b", ". /../x/.."]
        {
            let error = run(&project.context(), Params { file: file.into() }).unwrap_err();
            assert!(matches!(error, Error::OutsideProject { .. }), "{file}: {error}");
        }
        let error = run(&project.context(), Params::default()).unwrap_err();
        assert!(matches!(error, Error::InvalidParams { .. }), "{error}");
    }
}
