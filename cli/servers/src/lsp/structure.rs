//! `textDocument/foldingRange`: sections, front matter, and blocks of code.

use lsp_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};
use ubp_core::editor::OpenPage;

use super::position::to_u32;
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
    let lines: Vec<&str> = open.text.lines().collect();
    let front = open.page.front_matter.range.end;
    if front > 0 {
        let last = open.text.get(..front).unwrap_or_default().lines().count();
        add(1, last, None);
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
    let mut opened: Option<(usize, &str)> = None;
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        let fence = ["```", "~~~"].into_iter().find(|fence| trimmed.starts_with(fence));
        match (opened, fence) {
            (None, Some(fence)) => opened = Some((at + 1, fence)),
            (Some((first, open)), Some(fence)) if open == fence => {
                add(first, at + 1, Some(FoldingRangeKind::Region));
                opened = None;
            }
            _ => {}
        }
    }
    found
}
