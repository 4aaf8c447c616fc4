//! What Logseq writes within text: references to blocks and pages, embeds, tags that are pages, and sizes of pictures.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use crate::page::{Lines, LinkTypes, markdown_options};
use crate::{page, text};

/// Maximum length of the text shown for a block, in characters.
const LONGEST_TITLE: usize = 80;

/// A page or block that something refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Target of a wikilink, or destination of a Markdown link to a file that is no page.
    pub link: String,
    /// Text of the block, or name of the page.
    pub shown: String,
    /// Whether it is a file that is no page.
    pub is_file: bool,
}

/// What names and ids refer to in a graph.
pub(super) trait Graph {
    /// The block or page with this id.
    fn block(&self, id: &str) -> Option<Target>;
    /// The page with this name.
    fn page(&self, name: &str) -> Option<Target>;
    /// The file that is no page and has this name or path.
    fn file(&self, name: &str) -> Option<Target>;
}

/// What was found while converting, by line of the text.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Tags that became links.
    pub tags: Vec<String>,
    /// Ids that no block has.
    pub missing: Vec<(usize, String)>,
    /// Blocks in files that are no pages: links lead to the file.
    pub in_files: Vec<(usize, String)>,
    /// Macros, which are kept as text.
    pub macros: Vec<(usize, String)>,
    /// Lines with Hiccup, which is kept as text.
    pub hiccup: Vec<usize>,
    /// Heights of pictures that have no width.
    pub heights: Vec<(usize, String)>,
}

/// The text of a page with everything converted outside of code. No line is added or removed.
pub(super) fn converted(source: &str, graph: &dyn Graph, found: &mut Found) -> String {
    let lines = Lines::new(source);
    let code = code(source);
    let mut code = code.iter().peekable();
    let mut out = String::with_capacity(source.len() + source.len() / 8);
    let mut at = page::body_start(source);
    out.push_str(source.get(..at).unwrap_or_default());
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        while code.next_if(|range| range.end <= at).is_some() {}
        if let Some(range) = code.peek().filter(|range| range.start <= at) {
            out.push_str(source.get(at..range.end).unwrap_or(rest));
            at = range.end;
            continue;
        }
        // References do not span lines or reach into code.
        let until = code.peek().map_or(rest.len(), |range| range.start - at);
        let line_end = rest.find('\n').unwrap_or(rest.len());
        let piece = rest.get(..until.min(line_end)).unwrap_or(rest);
        let line = lines.line_of(at);
        let line_start = source.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let in_table = source.get(line_start..).is_some_and(|line| line.trim_start().starts_with('|'));
        let before = source.get(..at).and_then(|before| before.chars().next_back());
        if let Some((length, new)) = reference(piece, line, in_table, before, graph, found) {
            out.push_str(&new);
            at += length;
        } else {
            let first = rest.chars().next().unwrap_or('\n');
            out.push(first);
            at += first.len_utf8();
        }
    }
    out
}

/// Byte ranges of code and comments, in order.
fn code(source: &str) -> Vec<Range<usize>> {
    let start = page::body_start(source);
    let body = source.get(start..).unwrap_or_default();
    let events = Parser::new_ext(body, markdown_options()).into_offset_iter();
    let ranges = events.filter_map(|(event, range)| match event {
        Event::Code(_)
        | Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock)
        | Event::InlineMath(_)
        | Event::DisplayMath(_) => Some(start + range.start..start + range.end),
        _ => None,
    });
    ranges.collect()
}

/// What is at the start of `rest`, as its length and the text to put there instead.
fn reference(
    rest: &str,
    line: usize,
    in_table: bool,
    before: Option<char>,
    graph: &dyn Graph,
    found: &mut Found,
) -> Option<(usize, String)> {
    let bar = if in_table { "\\|" } else { "|" };
    match rest.as_bytes().first()? {
        b'(' => {
            let id = id_in(rest.strip_prefix("((")?)?;
            let length = id.len() + 4;
            let Some(target) = graph.block(&id) else {
                found.missing.push((line, id));
                return None;
            };
            Some((length, to_block(target, None, line, id, bar, found)))
        }
        b'[' if rest.starts_with("[[") => {
            let name = rest.strip_prefix("[[")?.split("]]").next()?;
            let whole = rest.get(..name.len() + 4)?;
            if name.contains(['[', '|']) || graph.page(name).is_some() {
                return None;
            }
            let target = graph.file(name)?;
            Some((whole.len(), format!("[{}]({})", label(name), target.link)))
        }
        b'[' => {
            let starts = before.is_none_or(|c| c.is_whitespace() || c == '>');
            if starts && rest.get(1..3).is_some_and(|c| c.starts_with(':') && c.ends_with(char::is_lowercase))
            {
                found.hiccup.push(line);
                return None;
            }
            let close = rest.find("](")?;
            let label = rest.get(1..close)?;
            let inside = rest.get(close + 2..)?;
            if label.contains(['[', ']']) {
                return None;
            }
            if let Some(id) = inside.strip_prefix("((").and_then(id_in) {
                let length = close + 2 + id.len() + 5;
                let target = graph.block(&id)?;
                return rest
                    .get(length - 1..length)
                    .filter(|end| *end == ")")
                    .map(|_| (length, to_block(target, Some(label), line, id, bar, found)));
            }
            let name = inside.strip_prefix("[[")?.split("]])").next()?;
            let length = close + 2 + name.len() + 5;
            let whole = rest.get(..length).is_some_and(|whole| whole.ends_with("]])"));
            if !whole || name.contains(['[', ']', '|']) {
                return None;
            }
            let file = if graph.page(name).is_none() { graph.file(name) } else { None };
            Some((
                length,
                file.map_or_else(|| link("", name, label, bar), |file| format!("[{label}]({})", file.link)),
            ))
        }
        b'!' => picture(rest, line, found),
        b']' => {
            // Markdown allows no spaces in a destination, and Logseq does.
            let inside = rest.strip_prefix("](").filter(|inside| inside.starts_with("../assets/"))?;
            let target = inside.get(..inside.find(')')?)?;
            let is_path = target.contains(' ') && !target.contains(['"', '\'', '<']);
            is_path.then(|| (target.len() + 3, format!("]({})", target.replace(' ', "%20"))))
        }
        b'{' => {
            let inside = rest.strip_prefix("{{")?;
            let end = inside.find("}}")?;
            let (length, inside) = (end + 4, inside.get(..end)?);
            let embedded = inside.trim().strip_prefix("embed ").map(str::trim);
            let new = match embedded {
                Some(embedded) if embedded.starts_with("((") => {
                    let id = embedded.strip_prefix("((").and_then(id_in)?;
                    match graph.block(&id) {
                        Some(target) if target.is_file => to_block(target, None, line, id, bar, found),
                        Some(target) => format!("![[{}]]", target.link),
                        None => {
                            found.missing.push((line, id));
                            return Some((length, rest.get(..length)?.to_owned()));
                        }
                    }
                }
                Some(embedded) => {
                    match embedded.strip_prefix("[[").and_then(|name| name.strip_suffix("]]")) {
                        Some(name) => match graph.file(name).filter(|_| graph.page(name).is_none()) {
                            Some(file) => format!("[{}]({})", label(name), file.link),
                            None => format!("![[{name}]]"),
                        },
                        None => as_macro(rest, length, inside, line, found)?,
                    }
                }
                // References inside a macro belong to it.
                None => as_macro(rest, length, inside, line, found)?,
            };
            Some((length, new))
        }
        b'#' if before.is_none_or(char::is_whitespace) => {
            let name = match rest.strip_prefix("#[[") {
                Some(inside) => inside.split("]]").next().filter(|name| !name.contains('['))?,
                None => {
                    let tag = rest.get(1..)?;
                    let end =
                        tag.find(|c: char| !(c.is_alphanumeric() || "_-/".contains(c))).unwrap_or(tag.len());
                    tag.get(..end)?
                }
            };
            let length = if rest.starts_with("#[[") { name.len() + 5 } else { name.len() + 1 };
            let is_known = !name.is_empty() && rest.get(..length).is_some() && graph.page(name).is_some();
            if !is_known && !rest.starts_with("#[[") {
                return None;
            }
            found.tags.push(tag(name));
            Some((length, link("", name, &format!("#{name}"), bar)))
        }
        b'^' => {
            let inside = rest.strip_prefix("^^")?;
            let end = inside.find("^^").filter(|end| *end > 0)?;
            Some((end + 4, format!("=={}==", inside.get(..end)?)))
        }
        _ => None,
    }
}

/// A macro, which stays as it is.
fn as_macro(rest: &str, length: usize, inside: &str, line: usize, found: &mut Found) -> Option<String> {
    let name = inside.split_whitespace().next().unwrap_or_default();
    found.macros.push((line, format!("{{{{{name}}}}}")));
    Some(rest.get(..length)?.to_owned())
}

/// A link to the block `id`, or to the file that has it.
fn to_block(
    target: Target,
    own: Option<&str>,
    line: usize,
    id: String,
    bar: &str,
    found: &mut Found,
) -> String {
    let shown = own.unwrap_or(&target.shown);
    if target.is_file {
        found.in_files.push((line, id));
        return format!("[{}]({})", label(shown), target.link);
    }
    link("", &target.link, shown, bar)
}

/// A tag for a page's name: tags have no spaces.
pub(super) fn tag(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join("-")
}

/// A UUID before `))`, in lower case.
fn id_in(text: &str) -> Option<String> {
    let id = text.get(..36)?;
    let is_id = id.split('-').map(str::len).eq([8, 4, 4, 4, 12])
        && id.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    (is_id && text.get(36..38) == Some("))")).then(|| id.to_ascii_lowercase())
}

fn link(mark: &str, target: &str, shown: &str, bar: &str) -> String {
    let shown = label(shown);
    let is_type = LinkTypes::default().exact(&shown).is_some();
    let needless = shown.is_empty() || is_type || text::fold_key(&shown) == text::fold_key(target);
    if needless { format!("{mark}[[{target}]]") } else { format!("{mark}[[{target}{bar}{shown}]]") }
}

/// A text as the label of a link: on one line, without markup that would end the link, and not too long.
fn label(shown: &str) -> String {
    let plain: String = shown.chars().map(|c| if "[]|\\`\n".contains(c) { ' ' } else { c }).collect();
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = words.chars().take(LONGEST_TITLE).collect();
    if cut.len() < words.len() {
        cut = format!("{}…", cut.trim_end());
    }
    cut
}

/// `![alt](path){:height 1, :width 2}` as `![alt|2](path)`.
fn picture(rest: &str, line: usize, found: &mut Found) -> Option<(usize, String)> {
    let close = rest.strip_prefix("![")?.find("](")? + 2;
    let alt = rest.get(2..close)?;
    let end = close + rest.get(close..)?.find(")")?;
    let attributes = rest.get(end + 1..)?.strip_prefix("{:")?;
    let size = attributes.get(..attributes.find('}')?)?;
    let value = |name: &str| {
        let after = size.split_once(name)?.1.trim_start();
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        after.get(..digits).filter(|digits| !digits.is_empty())
    };
    if alt.contains(['[', ']']) || !(size.contains("width") || size.contains("height")) {
        return None;
    }
    let width = value("width").map(|width| format!("|{width}")).unwrap_or_default();
    if let (true, Some(height)) = (width.is_empty(), value("height")) {
        found.heights.push((line, height.to_owned()));
    }
    let target = rest.get(close..=end)?.replace(' ', "%20");
    Some((end + 1 + size.len() + 3, format!("![{alt}{width}{target}")))
}
