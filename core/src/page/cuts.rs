//! Where a Markdown text may be cut, how strong the pause is there, and which parts should not be cut.

use std::ops::Range;

use crate::text::Fence;

/// How strong a pause is, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pause {
    /// Between paragraphs, and around code blocks and tables.
    Paragraph,
    /// Between lines that are separate on purpose: list items, table rows, code, hard breaks.
    Line,
    /// Between sentences.
    Sentence,
    /// Between words, including line breaks inside a paragraph.
    Word,
}

/// A place where a text may be cut: before byte `at`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cut {
    pub at: usize,
    pub pause: Pause,
}

/// Where a text may be cut.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    /// In order, without the two ends of the text.
    pub cuts: Vec<Cut>,
    /// Fenced code blocks, tables and list items, in order; cuts inside them are to be avoided.
    pub blocks: Vec<Range<usize>>,
}

/// The kind of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Code,
    Row,
    Item,
    /// A line that stands alone: a heading, or indented by a tab or four spaces.
    Line,
    Prose,
}

/// All places where `text` may be cut. Takes linear time.
pub(crate) fn cuts(text: &str) -> Cuts {
    let mut found = Cuts::default();
    let mut fence: Option<Fence<'_>> = None;
    let mut open: Option<(Kind, usize)> = None;
    let mut before = Kind::Blank;
    let mut sentence = Ending::default();
    let mut hard_break = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let opens = fence.is_none();
        let closes = fence.as_ref().is_some_and(|fence| fence.is_closed_by(line.trim()));
        if opens {
            fence = Fence::opening(line.trim());
        }
        let kind = if fence.is_some() { Kind::Code } else { kind(line) };
        if closes {
            fence = None;
        }
        let opens = opens && kind == Kind::Code;
        // Adjacent lines of code are one block only while the fence is open.
        let begins_block = opens || (kind == Kind::Row && before != Kind::Row) || kind == Kind::Item;
        let ends_block = match open {
            Some((Kind::Code, _)) => opens || kind != Kind::Code,
            Some((Kind::Row, _)) => kind != Kind::Row,
            Some((_, _)) => !matches!(kind, Kind::Prose | Kind::Line),
            None => false,
        };
        if ends_block && let Some((_, from)) = open.take() {
            found.blocks.push(from..at);
        }
        if begins_block {
            open = Some((kind, at));
        }
        if at > 0 && kind != Kind::Blank {
            let around = opens
                || (kind == Kind::Row) != (before == Kind::Row)
                || (before == Kind::Code && kind != Kind::Code);
            let pause = match (before, kind) {
                (Kind::Code, Kind::Code) if !opens => Pause::Line,
                (Kind::Blank, _) => Pause::Paragraph,
                _ if around => Pause::Paragraph,
                (Kind::Prose | Kind::Item, Kind::Prose) if !hard_break => {
                    match line.chars().find(|c| !c.is_whitespace() && *c != '>') {
                        Some(next) if sentence.ends_before(next, true) => Pause::Sentence,
                        _ => Pause::Word,
                    }
                }
                _ => Pause::Line,
            };
            found.cuts.push(Cut { at, pause });
        }
        sentence = inside_line(line, at, kind == Kind::Code, &mut found.cuts);
        hard_break = line.trim_end_matches(['\r', '\n']).ends_with("  ")
            || line.trim_end().ends_with('\\')
            || line.trim_end().ends_with("<br>");
        // A blank line in code is no stronger pause than any other line.
        before = kind;
        at += line.len();
    }
    if let Some((_, from)) = open {
        found.blocks.push(from..text.len());
    }
    found
}

fn kind(line: &str) -> Kind {
    let unquoted = line.trim_start_matches(['>', ' ']);
    let text = unquoted.trim();
    if text.is_empty() {
        return Kind::Blank;
    }
    let digits = text.bytes().take(9).take_while(u8::is_ascii_digit).count();
    let spaced = |at: usize| text.as_bytes().get(at).is_some_and(|byte| matches!(byte, b' ' | b'\t'));
    match text.as_bytes() {
        [b'|', ..] => Kind::Row,
        [b'-' | b'*' | b'+', ..] if spaced(1) => Kind::Item,
        [b'0'..=b'9', ..]
            if matches!(text.as_bytes().get(digits), Some(b'.' | b')')) && spaced(digits + 1) =>
        {
            Kind::Item
        }
        [b'#', ..] => Kind::Line,
        _ if line.starts_with("    ") || line.starts_with('\t') => Kind::Line,
        _ => Kind::Prose,
    }
}

/// What precedes a place, to detect the end of a sentence.
#[derive(Clone, Copy, Default)]
struct Ending {
    /// A full stop, possibly followed by closing brackets.
    ended: bool,
    /// The same in a script without spaces, where a space need not follow.
    full_width: bool,
}

impl Ending {
    /// Whether a sentence ends here if `next` follows.
    fn ends_before(self, next: char, space: bool) -> bool {
        let begins = !next.is_lowercase();
        !is_closing(next) && ((self.ended && space && begins) || (self.full_width && !is_full_stop(next)))
    }
}

/// Adds the cuts between the sentences and words of one line, which starts at byte `offset`; returns its ending.
fn inside_line(line: &str, offset: usize, code: bool, cuts: &mut Vec<Cut>) -> Ending {
    let mut ending = Ending::default();
    let mut space = true;
    // The last word so far: its length in characters, and its first character.
    let (mut length, mut first) = (0, ' ');
    for (at, c) in line.char_indices() {
        if c.is_whitespace() {
            space = true;
            continue;
        }
        if at > 0 {
            if !code && ending.ends_before(c, space) {
                cuts.push(Cut { at: offset + at, pause: Pause::Sentence });
            } else if space {
                cuts.push(Cut { at: offset + at, pause: Pause::Word });
            }
        }
        if space {
            length = 0;
        }
        let closing = is_closing(c);
        ending = Ending {
            // `J. Smith`: an initial does not end a sentence.
            ended: matches!(c, '!' | '?' | '…')
                || (c == '.' && !(length == 1 && first.is_uppercase()))
                || (ending.ended && closing && !space),
            // A closing bracket after a full-width full stop still belongs to the sentence.
            full_width: is_full_stop(c) || (closing && ending.full_width),
        };
        if c.is_alphanumeric() {
            if length == 0 {
                first = c;
            }
            length += 1;
        }
        space = false;
    }
    ending
}

fn is_full_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '．' | '｡')
}

fn is_closing(c: char) -> bool {
    matches!(c, ')' | ']' | '"' | '\'' | '”' | '’' | '»' | '」' | '』' | '）' | '】')
}

#[cfg(test)]
mod tests;
