//! The text of files that are not pages. Only files that listings contain are read: nothing ignored, hidden, of git or of
//! UBP, and nothing outside of the project. The file that a symbolic link leads to must be listed as well.

use schemars::JsonSchema;
use serde::Serialize;

use crate::freshness::file_of;
use crate::globs;
use crate::message;
use crate::message::Message;
use crate::{Context, Error, Result, path};

/// Maximum bytes of a file. Larger ones are not for reading.
pub(crate) const MOST_BYTES: u64 = 1024 * 1024;

/// A file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceText {
    /// Its path relative to the project.
    pub file: String,
    /// Its size in bytes; `None` if it does not exist or must not be read.
    pub size: Option<u64>,
    /// Its text, or why it is not shown.
    pub text: std::result::Result<String, Problem>,
}

/// Why a file is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Problem {
    /// It does not exist.
    Missing,
    /// It is ignored, hidden, of git or of UBP.
    Hidden,
    /// It has more than 1 MB.
    TooLarge,
    /// It is not UTF-8 text.
    Binary,
}

impl SourceText {
    /// Reads the file that `named` leads to: its path relative to the project, also with `#` and a symbol or lines.
    ///
    /// # Errors
    /// [`Error::OutsideProject`] for a path or symbolic link out of the project, [`Error::Io`] if the file cannot be read.
    pub(crate) fn read(context: &Context<'_>, named: &str) -> Result<Self> {
        let file = path::source_entry(named).to_owned();
        if !path::is_inside(&file) {
            return Err(Error::OutsideProject { path: file, folder: "project".into() });
        }
        let file = file_of(context.source, &file)?.to_owned();
        let refused = |problem, size| Ok(Self { file: file.clone(), size, text: Err(problem) });
        // Whether a private or hidden file exists is not told either.
        if is_concealed(&file) {
            return refused(Problem::Hidden, None);
        }
        let Some(real) = context.source.real_source(&file)? else {
            return refused(Problem::Missing, None);
        };
        if is_concealed(&real) {
            return refused(Problem::Hidden, None);
        }
        // The path as given, so that a name that is ignored is refused even if it leads to a file that is not.
        let is_listed =
            |path: &str| Ok::<_, Error>(!context.source.match_sources(&[globs::escaped(path)])?.is_empty());
        if !is_listed(&file)? || !is_listed(&real)? {
            return refused(Problem::Hidden, None);
        }
        let Some(stat) = context.source.stat_source(&real)? else {
            return refused(Problem::Missing, None);
        };
        if stat.size > MOST_BYTES {
            return refused(Problem::TooLarge, Some(stat.size));
        }
        let bytes = context.source.read_source(&real)?;
        let size = Some(bytes.len() as u64);
        if bytes.contains(&0) {
            return refused(Problem::Binary, size);
        }
        let text = String::from_utf8(bytes).map_err(|_| Problem::Binary);
        Ok(Self { file, size, text })
    }

    /// Why the file is not shown, as a sentence.
    pub(crate) fn told(&self, problem: Problem) -> Message {
        let file = &self.file;
        match problem {
            Problem::Missing => message!("{file} does not exist in this project.", file),
            Problem::Hidden => message!(
                "{file} is not shown, because it is hidden, or ignored by .gitignore or .ubpignore.",
                file
            ),
            Problem::TooLarge => message!(
                "{file} is too large to show: it has {size} MB, and at most {most} MB are shown.",
                file,
                size = format!("{:.1}", self.size.unwrap_or_default() as f64 / (1024.0 * 1024.0)),
                most = MOST_BYTES / (1024 * 1024)
            ),
            Problem::Binary => message!("{file} is not shown, because it is not UTF-8 text.", file),
        }
    }
}

/// Whether a file with this path is not shown, whatever it contains.
fn is_concealed(file: &str) -> bool {
    path::is_hidden(file) || !path::is_listed_source(file)
}
