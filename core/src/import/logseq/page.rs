//! A page of a Logseq graph: its properties, and its outline of blocks.

use std::collections::HashMap;

use super::block::{Block, VIEW, is_heading, property};
use super::names;
use super::org::{Org, ending, opening};
use crate::import::draft::{Code, Line};
use crate::page::{LinkTypes, body_start, has_front_matter, parse};

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
    /// Its title and aliases in front matter of its own.
    pub own_names: Vec<String>,
    /// Lines before the first block: front matter, or text of a page that is no outline.
    pub head: Vec<Line>,
    /// Blocks in order: bullet with its indentation, line, and content.
    pub blocks: Vec<(String, usize, Block)>,
}

impl Source {
    /// Reads the page in `file`.
    pub(super) fn read(file: &str, lines: Vec<Line>) -> Self {
        let mut source = Self { name: names::name_of(file), ..Self::default() };
        let front = front_matter(&lines);
        let own = parse(&joined(&lines[..front]), &LinkTypes::default());
        source.own_names = own.title.into_iter().chain(own.aliases).collect();
        let (mut head, blocks) = outline(lines, front);
        if front == 0 {
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
        source.mark_items();
        source
    }

    /// Gives headings with blocks below them and tasks a bullet, and numbered blocks their number.
    fn mark_items(&mut self) {
        for at in 0..self.blocks.len() {
            let has_children = self.blocks.get(at + 1).is_some_and(|(bullet, ..)| is_deep(bullet));
            let (bullet, _, block) = &mut self.blocks[at];
            if bullet.is_empty() && (has_children || block.is_task()) {
                *bullet = "- ".into();
            }
        }
        // Below a number, two spaces are too few for a block of its own.
        let is_wide = |(bullet, ..): &(String, usize, Block)| {
            bullet.chars().take_while(|c| c.is_whitespace()).all(|c| c == '\t')
        };
        let may_number = self.blocks.iter().all(is_wide);
        let mut counts: Vec<usize> = Vec::new();
        for (bullet, _, block) in &mut self.blocks {
            let depth = bullet.chars().take_while(|c| *c == '\t').count();
            counts.truncate(depth + 1);
            counts.resize(depth + 1, 0);
            let Some(line) = block.numbered else {
                counts[depth] = 0;
                continue;
            };
            if may_number && bullet.ends_with("- ") {
                // A longer number would be as wide as the indentation of blocks below it; readers count on.
                counts[depth] = (counts[depth] + 1).min(99);
                *bullet = format!("{}{}. ", "\t".repeat(depth), counts[depth]);
            } else {
                block.view.push((line, "logseq.order-list-type:: number".into()));
            }
        }
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

/// The number of lines of front matter.
fn front_matter(lines: &[Line]) -> usize {
    if !lines.first().is_some_and(|line| line.text.starts_with("---")) {
        return 0;
    }
    let text = joined(lines);
    if has_front_matter(&text) { text[..body_start(&text)].lines().count() } else { 0 }
}

/// Whether a list item with this indentation would be code if nothing were above it.
fn is_deep(bullet: &str) -> bool {
    bullet.starts_with('\t') || bullet.starts_with("    ")
}

/// The names in a list of pages: `[[a]], #b, c`.
pub(super) fn parts(value: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut depth = 0usize;
    let mut start = 0;
    let mut add = |part: &str| match references(part) {
        Some(names) => found.extend(names.into_iter().map(|(name, _)| name)),
        None => found.push(part.trim().trim_start_matches('#').to_owned()),
    };
    for (at, c) in value.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' | '，' if depth == 0 => {
                add(&value[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    add(&value[start..]);
    found.retain(|name| !name.is_empty());
    found
}

/// The pages that `value` names, if it has nothing but tags and links, and whether each is in brackets:
/// `#a #[[b c]], [[d]]`.
pub(super) fn references(value: &str) -> Option<Vec<(String, bool)>> {
    let mut found = Vec::new();
    let mut rest = value.trim();
    while !rest.is_empty() {
        let tag = rest.strip_prefix('#');
        let (name, after, in_brackets) = match tag.unwrap_or(rest).strip_prefix("[[") {
            Some(inside) => {
                let (name, after) = inside.split_once("]]").filter(|(name, _)| !name.contains('['))?;
                (name, after, true)
            }
            None => {
                let tag = tag?;
                let end = tag.find(|c: char| c.is_whitespace() || ",，#[]".contains(c)).unwrap_or(tag.len());
                let (name, after) = tag.split_at(end);
                (name, after, false)
            }
        };
        let next = after.trim_start_matches([' ', '\t', ',', '，']);
        if name.trim().is_empty() || (next.len() == after.len() && !next.is_empty()) {
            return None;
        }
        found.push((name.trim().to_owned(), in_brackets));
        rest = next;
    }
    (!found.is_empty()).then_some(found)
}

type Items = Vec<(String, usize, Vec<Line>)>;

/// The lines before the first block, and the blocks: bullet with its indentation, line, and the lines of the block without
/// both. Headings are blocks, without a bullet. The first `front` lines are front matter.
fn outline(lines: Vec<Line>, front: usize) -> (Vec<Line>, Items) {
    let mut head = Vec::new();
    let mut blocks: Items = Vec::new();
    let mut code = Code::default();
    let mut org = Org::default();
    // A block of Org mode that does not end is none, or it would take the rest of the page.
    let last_end: HashMap<String, usize> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((ending(&line.text)?, at))).collect();
    for (at, line) in lines.into_iter().enumerate() {
        let ends =
            |text: &str| opening(text).is_some_and(|kind| last_end.get(&kind).is_some_and(|end| *end > at));
        let indent = line.text.len() - line.text.trim_start_matches([' ', '\t']).len();
        let (blank, text) = line.text.split_at(indent);
        if at < front {
            head.push(line);
            continue;
        }
        if org.is_open() {
            org.takes(text);
            append(&mut head, &mut blocks, line);
            continue;
        }
        let first = match text {
            "-" => Some(""),
            text => text.strip_prefix("- "),
        };
        if code.is_open() {
            code.takes(text);
        } else if let Some(first) = first {
            // A bullet may open a code block.
            code.takes(first);
            if ends(first) {
                org.takes(first);
            }
            blocks.push((format!("{blank}- "), line.origin, own_lines(line.origin, first)));
            continue;
        } else if blank.is_empty() && is_heading(text) {
            blocks.push((String::new(), line.origin, vec![line]));
            continue;
        } else if !code.takes(text) && ends(text) {
            org.takes(text);
        }
        append(&mut head, &mut blocks, line);
    }
    (head, blocks)
}

/// Adds a line to the last block, without the indentation of the block.
fn append(head: &mut Vec<Line>, blocks: &mut Items, line: Line) {
    let Some((bullet, _, own)) = blocks.last_mut() else { return head.push(line) };
    if bullet.is_empty() {
        return own.push(line);
    }
    let below = bullet.trim_end_matches("- ");
    let rest = line.text.strip_prefix(below).map(|rest| rest.strip_prefix("  ").unwrap_or(rest));
    own.push(Line::new(line.origin, rest.unwrap_or(line.text.trim_start())));
}

fn own_lines(origin: usize, first: &str) -> Vec<Line> {
    if first.trim().is_empty() { Vec::new() } else { vec![Line::new(origin, first)] }
}
