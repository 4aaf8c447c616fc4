//! Where a text may be cut, and how strong the pause is there.

/// How strong a pause is, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pause {
    /// Between paragraphs, and around code blocks.
    Paragraph,
    /// Between lines.
    Line,
    /// Between sentences.
    Sentence,
    /// Between words.
    Word,
}

impl Pause {
    /// Fewest tokens that a piece must have to be worth ending here.
    pub fn least_fill(self, budget: usize) -> usize {
        match self {
            // A code block may start late in a piece; better a short piece than a block in two.
            Self::Paragraph => budget / 3,
            Self::Line | Self::Sentence => budget / 2,
            Self::Word => budget * 3 / 4,
        }
    }
}

/// A place where a text may be cut: before byte `at`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub at: usize,
    pub pause: Pause,
}

/// All places where `text` may be cut, in order, its two ends excluded. Inside a fenced code block
/// there are only lines and words.
pub(super) fn cuts(text: &str) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let mut fence: Option<(u8, usize)> = None;
    let mut after_blank = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let blank = line.trim().is_empty();
        let was_inside = fence.is_some();
        let mark = fence_mark(line);
        match (fence, mark) {
            (None, Some(mark)) => fence = Some((mark.0, mark.1)),
            (Some((kind, length)), Some(mark)) if mark.0 == kind && mark.1 >= length && mark.2 => {
                fence = None
            }
            _ => {}
        }
        if at > 0 && !blank {
            let opens = !was_inside && fence.is_some();
            let paragraph = !was_inside && (after_blank || opens);
            cuts.push(Cut { at, pause: if paragraph { Pause::Paragraph } else { Pause::Line } });
        }
        inside_line(line, at, was_inside || fence.is_some(), &mut cuts);
        // The line behind a block begins a paragraph, with or without a blank line between.
        after_blank = fence.is_none() && (blank || was_inside);
        at += line.len();
    }
    cuts
}

/// Kind and length of a code fence, and whether nothing stands behind it, so that it can close.
fn fence_mark(line: &str) -> Option<(u8, usize, bool)> {
    let line = line.trim();
    let kind = *line.as_bytes().first()?;
    if kind != b'`' && kind != b'~' {
        return None;
    }
    let length = line.bytes().take_while(|&byte| byte == kind).count();
    let rest = line.get(length..)?;
    (length >= 3 && !(kind == b'`' && rest.contains('`'))).then_some((kind, length, rest.is_empty()))
}

/// The cuts between the sentences and words of one line that starts at byte `offset`.
fn inside_line(line: &str, offset: usize, code: bool, cuts: &mut Vec<Cut>) {
    let mut before = ' ';
    let mut ended = false;
    let mut space = true;
    for (at, c) in line.char_indices() {
        let begins = !c.is_whitespace();
        if begins && at > 0 {
            let full_width = matches!(before, '。' | '！' | '？' | '．' | '｡');
            if !code && !is_closing(c) && ((ended && space) || (full_width && !is_full_stop(c))) {
                cuts.push(Cut { at: offset + at, pause: Pause::Sentence });
            } else if space {
                cuts.push(Cut { at: offset + at, pause: Pause::Word });
            }
        }
        if begins {
            ended = matches!(c, '.' | '!' | '?' | '…') || (ended && is_closing(c) && !space);
            // A closing bracket behind a full-width full stop still belongs to the sentence.
            before = if is_closing(c) && is_full_stop(before) { before } else { c };
        }
        space = !begins;
    }
}

fn is_full_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '．' | '｡')
}

fn is_closing(c: char) -> bool {
    matches!(c, ')' | ']' | '"' | '\'' | '”' | '’' | '»' | '」' | '』' | '）' | '】')
}
