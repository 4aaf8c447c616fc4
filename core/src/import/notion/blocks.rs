//! Blocks that Notion exports as HTML: callouts (`<aside>`) become callouts of Markdown, toggles (`<details>`) get the
//! blank lines without which Markdown inside of them is not read, and pictures become pictures of Markdown. Equations lose
//! the blank lines that end them in Markdown.

use crate::import::draft::{Code, Line};

/// Nested deeper, callouts stay as they are.
const DEEPEST: usize = 16;

/// The lines with their blocks converted.
pub(super) fn converted(lines: Vec<Line>) -> Vec<Line> {
    let mut code = Code::default();
    let is_code: Vec<bool> = lines.iter().map(|line| code.takes(&line.text)).collect();
    let mut out = Vec::with_capacity(lines.len() + 8);
    convert(&lines, &is_code, "", DEEPEST, &mut out);
    out
}

/// Appends the converted `lines`, each after `prefix`.
fn convert(lines: &[Line], is_code: &[bool], prefix: &str, depth: usize, out: &mut Vec<Line>) {
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let text = line.text.trim();
        if is_code.get(at) == Some(&true) {
            push(out, prefix, line.origin, &line.text);
        } else if let Some(end) = aside(text, &lines[at..], &is_code[at..]).filter(|_| depth > 0) {
            callout(&lines[at..=at + end], &is_code[at..=at + end], prefix, depth, out);
            at += end;
        } else if let Some(end) = equation(text, &lines[at..]) {
            for line in lines[at..=at + end].iter().filter(|line| !line.text.trim().is_empty()) {
                push(out, prefix, line.origin, &line.text);
            }
            at += end;
        } else if text.starts_with("<details")
            || (text.starts_with("<summary") && text.ends_with("</summary>"))
        {
            push(out, prefix, line.origin, &line.text);
            let next = lines.get(at + 1).map(|next| next.text.trim());
            if next.is_some_and(|next| !next.is_empty() && !next.starts_with("<summary")) {
                push(out, prefix, line.origin, "");
            }
        } else if text == "</details>" {
            if out.last().is_some_and(|last| last.text.trim() != prefix.trim()) {
                push(out, prefix, line.origin, "");
            }
            push(out, prefix, line.origin, &line.text);
            if lines.get(at + 1).is_some_and(|next| !next.text.trim().is_empty()) {
                push(out, prefix, line.origin, "");
            }
        } else {
            push(out, prefix, line.origin, &with_pictures(&line.text));
        }
        at += 1;
    }
}

fn push(out: &mut Vec<Line>, prefix: &str, origin: usize, text: &str) {
    let text = if text.trim().is_empty() { prefix.trim_end().to_owned() } else { format!("{prefix}{text}") };
    out.push(Line::new(origin, text));
}

/// If `text`, the first of `lines`, opens a callout: how many lines later it is closed.
fn aside(text: &str, lines: &[Line], is_code: &[bool]) -> Option<usize> {
    if !text.starts_with("<aside>") {
        return None;
    }
    let mut depth = 0usize;
    for (at, line) in lines.iter().enumerate() {
        if is_code.get(at) == Some(&true) {
            continue;
        }
        let line = line.text.trim();
        depth += usize::from(line.starts_with("<aside>"));
        if line.ends_with("</aside>") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// If `text`, the first of `lines`, opens an equation: how many lines later it is closed.
fn equation(text: &str, lines: &[Line]) -> Option<usize> {
    let rest = lines.get(1..).filter(|_| text == "$$")?;
    let end = rest.iter().position(|line| line.text.trim() == "$$")?;
    // A fence or heading within shows that something else was meant.
    let is_other = |line: &Line| line.text.trim_start().starts_with(['#', '`', '<']);
    (!rest[..end].iter().any(is_other)).then_some(end + 1)
}

/// Appends a callout: its lines start with `<aside>` and end with `</aside>`.
fn callout(lines: &[Line], is_code: &[bool], prefix: &str, depth: usize, out: &mut Vec<Line>) {
    let Some(first) = lines.first() else { return };
    let indent: String = first.text.chars().take_while(|c| c.is_whitespace()).collect();
    let mut inner: Vec<Line> = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let mut text = line.text.strip_prefix(&indent).unwrap_or(line.text.trim_start());
        if at == 0 {
            text = text.trim_start().strip_prefix("<aside>").unwrap_or(text).trim_start();
        }
        if at + 1 == lines.len() {
            text = text.trim_end().strip_suffix("</aside>").unwrap_or(text);
        }
        inner.push(Line::new(line.origin, text));
    }
    let is_blank = |line: &Line| line.text.trim().is_empty();
    let start = inner.iter().position(|line| !is_blank(line)).unwrap_or(inner.len());
    let end = inner.iter().rposition(|line| !is_blank(line)).map_or(start, |last| last + 1);
    let quoted = format!("{prefix}{indent}> ");
    push(out, &quoted, first.origin, "[!NOTE]");
    convert(&inner[start..end], &is_code[start..end], &quoted, depth - 1, out);
    // Without it, the next paragraph would belong to the callout.
    push(out, prefix, lines.last().map_or(first.origin, |last| last.origin), "");
}

/// The line with `<img src="…">` as pictures of Markdown.
fn with_pictures(line: &str) -> String {
    // It may be a sample.
    if line.contains('`') {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("<img ") {
        let (before, tag) = rest.split_at(at);
        let Some(end) = tag.find('>') else { break };
        out.push_str(before);
        match picture(&tag[..end]) {
            Some(picture) => out.push_str(&picture),
            None => out.push_str(&tag[..=end]),
        }
        rest = &tag[end + 1..];
    }
    out.push_str(rest);
    out
}

fn picture(tag: &str) -> Option<String> {
    let attribute = |name: &str| {
        let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
        tag.get(start..)?.split('"').next()
    };
    let source = attribute("src")?;
    let fits =
        !source.is_empty() && !source.contains(['<', '>', '\\', '`', '(', ')']) && !source.contains('&');
    // Notion repeats the address of an icon.
    let alt = attribute("alt").unwrap_or_default();
    let alt =
        if alt == source { crate::path::file_name(alt).split('.').next().unwrap_or_default() } else { alt };
    let alt: String = alt.chars().filter(|c| !"[]|`\\".contains(*c)).collect();
    let width = attribute("width").map(|width| width.trim_end_matches("px")).filter(|width| {
        !width.is_empty() && width.len() < 5 && width.bytes().all(|byte| byte.is_ascii_digit())
    });
    let size = width.map(|width| format!("|{width}")).unwrap_or_default();
    fits.then(|| format!("![{alt}{size}]({})", source.replace(' ', "%20")))
}
