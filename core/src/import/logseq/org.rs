//! Blocks of Org mode within Markdown: `#+BEGIN_…` to `#+END_…`, which may contain other ones, and drawers.

use crate::import::draft::{Code, Line};

/// Follows blocks of Org mode through the lines of a page.
#[derive(Debug, Default)]
pub(super) struct Org {
    /// What the open block is called, in upper case.
    open: Option<String>,
}

impl Org {
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether `line` is part of a block, its first and last line included.
    pub(super) fn takes(&mut self, line: &str) -> bool {
        match &self.open {
            Some(kind) => {
                if ending(line).as_deref() == Some(kind) {
                    self.open = None;
                }
                true
            }
            None => {
                self.open = opening(line);
                self.is_open()
            }
        }
    }
}

/// What the block that `line` opens is called, in upper case.
pub(super) fn opening(line: &str) -> Option<String> {
    marked(line, "#+BEGIN_")
}

/// What the block that `line` closes is called, in upper case.
pub(super) fn ending(line: &str) -> Option<String> {
    marked(line, "#+END_")
}

fn marked(line: &str, mark: &str) -> Option<String> {
    let line = line.trim_start();
    let start = line.get(..mark.len()).filter(|start| start.eq_ignore_ascii_case(mark))?;
    let kind = line.get(start.len()..)?.split_whitespace().next()?;
    line.get(start.len()..)?.starts_with(kind).then(|| kind.to_ascii_uppercase())
}

/// Whether a line has nothing but this word, in upper or lower case.
pub(super) fn is_word(line: &str, word: &str) -> bool {
    line.trim().eq_ignore_ascii_case(word)
}

/// What a block becomes.
enum Shape {
    Quote,
    Code(String),
    Comment,
}

/// The lines with blocks as callouts, quotes and code, and drawers as comments. One line stays one line.
pub(super) fn quoted(lines: Vec<Line>) -> Vec<Line> {
    let mut open: Option<(String, Shape)> = None;
    let mut out = Vec::with_capacity(lines.len());
    let mut code = Code::default();
    for (at, line) in lines.iter().enumerate() {
        let changed = match &open {
            Some((kind, shape)) if closes(&line.text, kind) => {
                let last = match shape {
                    Shape::Code(fence) => fence.clone(),
                    Shape::Comment => "-->".into(),
                    Shape::Quote => String::new(),
                };
                open = None;
                Some(last)
            }
            Some((_, Shape::Quote)) => Some(format!("> {}", line.text).trim_end().to_owned()),
            Some(_) => None,
            None if code.takes(&line.text) => None,
            None => match first_line(&line.text, lines.get(at + 1..).unwrap_or_default()) {
                Some((kind, shape, text)) => {
                    open = Some((kind, shape));
                    Some(text)
                }
                None => None,
            },
        };
        out.push(Line::new(line.origin, changed.unwrap_or_else(|| line.text.clone())));
    }
    // A block without an end ends with the text.
    let origin = out.last().map_or(1, |line| line.origin);
    match open {
        Some((_, Shape::Code(fence))) => out.push(Line::new(origin, fence)),
        Some((_, Shape::Comment)) => out.push(Line::new(origin, "-->")),
        _ => {}
    }
    out
}

fn closes(line: &str, kind: &str) -> bool {
    if kind == DRAWER { is_word(line, ":END:") } else { ending(line).as_deref() == Some(kind) }
}

/// The drawer with the clock of a task; no block has this name.
const DRAWER: &str = ":LOGBOOK:";

/// What the block or drawer that `line` opens is called, what it becomes, and the line to write instead. `rest` are the
/// lines after it.
fn first_line(line: &str, rest: &[Line]) -> Option<(String, Shape, String)> {
    if is_word(line, DRAWER) {
        return Some((DRAWER.into(), Shape::Comment, "<!-- LOGBOOK".into()));
    }
    let kind = opening(line)?;
    let after = line.trim().get("#+BEGIN_".len() + kind.len()..).unwrap_or_default().trim();
    let (shape, text) = match kind.as_str() {
        "NOTE" | "TIP" | "IMPORTANT" | "CAUTION" | "WARNING" => (Shape::Quote, format!("> [!{kind}]")),
        "PINNED" => (Shape::Quote, "> [!IMPORTANT]".into()),
        "QUOTE" | "VERSE" | "CENTER" => (Shape::Quote, ">".into()),
        "COMMENT" => (Shape::Comment, "<!--".into()),
        _ => {
            let language = match kind.as_str() {
                "SRC" | "EXAMPLE" => after.to_owned(),
                other => other.to_ascii_lowercase(),
            };
            let inside = rest.iter().take_while(|line| !closes(&line.text, &kind));
            let fence = fence(inside.map(|line| line.text.as_str()));
            let text = format!("{fence}{language}");
            (Shape::Code(fence), text)
        }
    };
    Some((kind, shape, text))
}

/// A fence that no line of the code closes.
fn fence<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let marks = |line: &str| {
        let line = line.trim_start();
        line.len() - line.trim_start_matches('`').len()
    };
    "`".repeat(lines.map(marks).max().unwrap_or(0).max(2) + 1)
}
