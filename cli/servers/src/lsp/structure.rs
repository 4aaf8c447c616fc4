//! `textDocument/foldingRange`: sections, front matter, and blocks of code.

use lsp_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};
use ubp_core::editor::OpenPage;

use super::position::{Encoding, Lines, to_u32};
use super::requests::{Answer, Call};

pub(super) fn folding(call: &Call<'_>, params: FoldingRangeParams) -> Answer<Option<Vec<FoldingRange>>> {
    call.on_page(&params.text_document.uri, |_, _, open| Ok(Some(ranges(open))))
}

fn ranges(open: &OpenPage) -> Vec<FoldingRange> {
    let mut found = Vec::new();
    let mut add = |first: usize, last: usize, kind: Option<FoldingRangeKind>| {
        if last > first {
            let (start_line, end_line) = (to_u32(first - 1), to_u32(last - 1));
            found.push(FoldingRange { start_line, end_line, kind, ..Default::default() });
        }
    };
    let all = Lines::of(&open.text, Encoding::Utf8);
    let lines: Vec<&str> = all.all().collect();
    let front = open.page.front_matter.range.end;
    if front > 0 {
        add(1, all.position(front - 1).line as usize + 1, None);
    }
    let sections: Vec<_> = open.page.sections.iter().filter(|section| section.level > 0).collect();
    for (at, section) in sections.iter().enumerate() {
        let next = sections.iter().skip(at + 1).find(|next| next.level <= section.level);
        let mut last = next.map_or(lines.len(), |next| next.lines.0 - 1);
        // Empty lines before the next heading stay visible.
        while last > section.lines.0 && lines.get(last - 1).is_some_and(|line| line.trim().is_empty()) {
            last -= 1;
        }
        add(section.lines.0, last, None);
    }
    let mut opened: Option<(usize, Fence)> = None;
    for (at, line) in lines.iter().enumerate() {
        match (opened, fence(line)) {
            (None, Some((fence, _))) => opened = Some((at + 1, fence)),
            (Some((first, open)), Some((fence, true))) if open.0 == fence.0 && open.1 <= fence.1 => {
                add(first, at + 1, Some(FoldingRangeKind::Region));
                opened = None;
            }
            _ => {}
        }
    }
    found
}

/// The character of a fence around code, and how many there are.
type Fence = (char, usize);

/// The fence that a line begins with, and whether nothing follows it, so that it can be the second.
fn fence(line: &str) -> Option<(Fence, bool)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let length = line.len() - rest.len();
    // Backticks after it make it code within a line.
    let is_fence = length >= 3 && (mark == '~' || !rest.contains('`'));
    is_fence.then(|| ((mark, length), rest.trim().is_empty()))
}
