//! A page of a Logseq graph: its properties, and its outline of blocks.

use super::block::{Block, VIEW, property};
use super::names;
use crate::import::draft::{Code, Line};
use crate::page::has_front_matter;

/// A page as it is in the graph.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Its name: what links call it.
    pub name: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its properties except title, aliases and id: key, value and line.
    pub properties: Vec<(String, String, usize)>,
    /// Whether `title::` gives it another name than its file.
    pub is_titled: bool,
    /// Its id, if blocks refer to the page itself.
    pub id: Option<String>,
    /// Properties that only say how Logseq shows the page.
    pub view: Vec<(usize, String)>,
    /// Lines before the first block: front matter, or text of a page that is no outline.
    pub head: Vec<Line>,
    /// Blocks in order: bullet with its indentation, line, and content.
    pub blocks: Vec<(String, usize, Block)>,
}

impl Source {
    /// Reads the page in `file`.
    pub(super) fn read(file: &str, lines: Vec<Line>) -> Self {
        let mut source = Self { name: names::name_of(file), ..Self::default() };
        let text: String = lines.iter().take(1).map(|line| format!("{}\n", line.text)).collect();
        let (mut head, blocks) = outline(lines);
        if !text.starts_with("---") || !has_front_matter(&joined(&head)) {
            head = source.take_properties(head);
        }
        while head.first().is_some_and(|line| line.text.trim().is_empty()) {
            head.remove(0);
        }
        source.head = head;
        let mut is_first = source.head.is_empty();
        for (bullet, origin, lines) in blocks {
            // The first block may have nothing but the properties of the page.
            let is_properties = std::mem::take(&mut is_first)
                && !lines.is_empty()
                && lines.iter().all(|line| property(&line.text).is_some());
            if is_properties && source.properties.is_empty() {
                source.take_properties(lines);
                continue;
            }
            source.blocks.push((bullet, origin, Block::read(lines)));
        }
        source
    }

    /// Takes the properties at the start of `lines`, and returns the rest.
    fn take_properties(&mut self, lines: Vec<Line>) -> Vec<Line> {
        let mut rest = lines.into_iter().peekable();
        while let Some(line) = rest.next_if(|line| property(&line.text).is_some()) {
            let Some((key, value)) = property(&line.text) else { continue };
            match key.to_lowercase().as_str() {
                "title" if !value.is_empty() => {
                    self.is_titled = self.name != value;
                    self.name = value.into();
                }
                "alias" | "aliases" => self.aliases.extend(parts(value)),
                "id" => self.id = Some(value.to_ascii_lowercase()),
                key if VIEW.contains(&key) => self.view.push((line.origin, line.text.trim().into())),
                key => self.properties.push((key.into(), value.into(), line.origin)),
            }
        }
        rest.collect()
    }
}

fn joined(lines: &[Line]) -> String {
    lines.iter().map(|line| format!("{}\n", line.text)).collect()
}

/// The names in a list of pages: `[[a]], #b, c`.
pub(super) fn parts(value: &str) -> Vec<String> {
    let name = |part: &str| {
        let part = part.trim().trim_start_matches('#');
        let part = part.strip_prefix("[[").and_then(|part| part.strip_suffix("]]")).unwrap_or(part);
        part.trim().to_owned()
    };
    let mut found: Vec<String> = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    for (at, c) in value.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' | '，' if depth == 0 => {
                found.push(name(&value[start..at]));
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    found.push(name(&value[start..]));
    found.retain(|name| !name.is_empty());
    found
}

type Items = Vec<(String, usize, Vec<Line>)>;

/// The lines before the first block, and the blocks: bullet with its indentation, line, and the lines of the block without
/// both.
fn outline(lines: Vec<Line>) -> (Vec<Line>, Items) {
    let mut head = Vec::new();
    let mut blocks: Items = Vec::new();
    let mut code = Code::default();
    let mut in_org = false;
    for line in lines {
        let indent = line.text.len() - line.text.trim_start_matches([' ', '\t']).len();
        let (blank, text) = line.text.split_at(indent);
        if in_org {
            in_org = !is_org(text, "#+END_");
            append(&mut head, &mut blocks, line);
            continue;
        }
        let first = match text {
            "-" => Some(""),
            text => text.strip_prefix("- "),
        };
        // A bullet may open a code block.
        let mut of_block = Code::default();
        if code.is_open() {
            code.takes(text);
        } else if let Some(first) = first {
            of_block.takes(first);
            code = of_block;
            in_org = is_org(first, "#+BEGIN_");
            blocks.push((format!("{blank}- "), line.origin, own_lines(line.origin, first)));
            continue;
        } else {
            in_org = !code.takes(text) && is_org(text, "#+BEGIN_");
        }
        append(&mut head, &mut blocks, line);
    }
    (head, blocks)
}

/// Whether a line opens or closes a block in the syntax of Org mode, in which a bullet is text.
fn is_org(line: &str, mark: &str) -> bool {
    line.trim_start().get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark))
}

/// Adds a line to the last block, without the indentation of the block.
fn append(head: &mut Vec<Line>, blocks: &mut Items, line: Line) {
    let Some((bullet, _, own)) = blocks.last_mut() else { return head.push(line) };
    let below = bullet.trim_end_matches("- ");
    let rest = line.text.strip_prefix(below).map(|rest| rest.strip_prefix("  ").unwrap_or(rest));
    own.push(Line::new(line.origin, rest.unwrap_or(line.text.trim_start())));
}

fn own_lines(origin: usize, first: &str) -> Vec<Line> {
    if first.trim().is_empty() { Vec::new() } else { vec![Line::new(origin, first)] }
}
