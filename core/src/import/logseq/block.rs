//! One block of a Logseq outline: its text, its properties and its id. Logseq writes all of them on the lines of one list
//! item.

use super::org::{Org, is_word, quoted};
use crate::import::draft::{Code, Line};

/// A block, without its bullet and indentation.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Its id, if other blocks refer to it.
    pub id: Option<String>,
    /// Other properties, in order, with the planning of tasks.
    pub properties: Vec<(String, String)>,
    /// Its text.
    pub lines: Vec<Line>,
    /// Lines of properties that only say how Logseq shows the block.
    pub view: Vec<(usize, String)>,
    /// The line of the property that numbers it.
    pub numbered: Option<usize>,
    /// Lines of queries, which only Logseq runs.
    pub queries: Vec<usize>,
}

/// Properties that only say how Logseq shows a block or page.
pub(super) const VIEW: [&str; 7] = [
    "background-color",
    "collapsed",
    "logseq.order-list-type",
    "query-properties",
    "query-sort-by",
    "query-sort-desc",
    "query-table",
];

/// What Logseq writes for a highlighted area of a PDF file.
pub(super) const AREA: &str = "[:span]";

/// Markers of tasks, and whether the task is finished.
const TASKS: [(&str, bool); 11] = [
    ("TODO", false),
    ("DONE", true),
    ("DOING", false),
    ("NOW", false),
    ("LATER", false),
    ("WAITING", false),
    ("WAIT", false),
    ("IN-PROGRESS", false),
    ("STARTED", false),
    ("CANCELED", true),
    ("CANCELLED", true),
];

/// `key:: value`, if the line is a property.
pub(super) fn property(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim().split_once("::")?;
    let is_name = |c: char| c.is_alphanumeric() || "-_./?".contains(c);
    let ends = value.is_empty() || value.starts_with(' ');
    (ends && !key.is_empty() && key.chars().all(is_name)).then(|| (key, value.trim()))
}

impl Block {
    /// Reads the lines of a block.
    pub(super) fn read(lines: Vec<Line>) -> Self {
        let mut block = Self::default();
        let mut code = Code::default();
        let mut org = Org::default();
        let has_drawer = lines.iter().any(|line| is_word(&line.text, ":END:"));
        let mut in_drawer = false;
        // Properties follow the first line, or come before it.
        let mut may_be_property = true;
        for (at, line) in lines.into_iter().enumerate() {
            let opens = !org.is_open();
            if opens && code.takes(&line.text) {
                may_be_property = false;
                block.lines.push(line);
                continue;
            }
            if org.takes(&line.text) {
                if opens && is_word(&line.text, "#+BEGIN_QUERY") {
                    block.queries.push(line.origin);
                }
                // Logseq writes its own properties below the first line of a query.
                let shown = property(&line.text).filter(|(key, _)| VIEW.contains(key) || *key == "id");
                match shown.filter(|_| may_be_property && !opens) {
                    Some((key, value)) => block.take_property(key, value, line.origin),
                    None => {
                        may_be_property &= at == 0;
                        block.lines.push(line);
                    }
                }
                continue;
            }
            if has_drawer && may_be_property && is_word(&line.text, ":PROPERTIES:") {
                in_drawer = true;
                continue;
            }
            if in_drawer && is_word(&line.text, ":END:") {
                in_drawer = false;
                continue;
            }
            if let Some((name, stamp)) = planning(&line.text) {
                block.properties.push((name.into(), stamp.into()));
                continue;
            }
            let found = if in_drawer { drawer_property(&line.text) } else { property(&line.text) };
            match found.filter(|_| may_be_property) {
                Some((key, value)) => block.take_property(key, value, line.origin),
                None => {
                    may_be_property &= at == 0;
                    block.lines.push(line);
                }
            }
        }
        block.take_level();
        block
    }

    fn take_property(&mut self, key: &str, value: &str, origin: usize) {
        match (key, value) {
            ("id", id) => self.id = Some(id.to_ascii_lowercase()),
            ("logseq.order-list-type", "number") => self.numbered = Some(origin),
            (key, value) if VIEW.contains(&key) => self.view.push((origin, format!("{key}:: {value}"))),
            (key, value) => self.properties.push((key.into(), value.into())),
        }
    }

    /// A task has a box, and a line with a box cannot be a heading.
    fn take_level(&mut self) {
        let Some(line) = self.lines.first_mut() else { return };
        let (marks, rest) = line.text.split_once(' ').unwrap_or_default();
        if is_heading(&line.text) && task(rest).is_some() {
            self.view.push((line.origin, marks.to_owned()));
            line.text = rest.to_owned();
        }
    }

    /// Whether it is a task.
    pub(super) fn is_task(&self) -> bool {
        self.lines.first().is_some_and(|line| task(&line.text).is_some())
    }

    /// The value of one of its properties.
    pub(super) fn value(&self, key: &str) -> Option<&str> {
        self.properties.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// Shows a highlighted area of a PDF file as the picture that Logseq has taken of it. `picture` is the destination of
    /// the picture with this name.
    pub(super) fn show_area(&mut self, picture: impl Fn(&str) -> Option<String>) {
        let [Some(page), Some(stamp)] = ["hl-page", "hl-stamp"].map(|key| self.value(key)) else { return };
        let Some(id) = self.id.as_deref().filter(|_| self.value("hl-type") == Some("area")) else { return };
        let shown =
            picture(&format!("{page}_{id}_{stamp}.png")).map(|link| format!("![page {page}]({link})"));
        if let (Some(line), Some(shown)) = (self.lines.first_mut(), shown)
            && let Some(rest) = line.text.strip_prefix(AREA)
        {
            line.text = format!("{shown}{rest}");
        }
    }

    /// The text of the block as others show it, on one line.
    pub(super) fn title(&self) -> String {
        let mut lines = self.lines.iter().map(|line| line.text.trim());
        let shown =
            lines.find(|line| !line.starts_with("```") && !line.to_ascii_uppercase().starts_with("#+BEGIN_"));
        let shown = shown.unwrap_or_default();
        // A highlighted area of a PDF file has no text.
        if let (true, Some(page)) = (shown.starts_with(AREA), self.value("hl-page")) {
            return format!("page {page}");
        }
        let text = task(shown).map_or(shown, |(_, _, text)| text);
        text.trim_start_matches(['#', '>', ' ']).trim().to_owned()
    }

    /// The block as an item of a Markdown list, with its first line at `bullet` and others below it; as text of its own
    /// if there is no bullet.
    pub(super) fn write(mut self, bullet: &str, origin: usize, out: &mut Vec<Line>) {
        if self.lines.is_empty() {
            self.lines.push(Line::new(origin, ""));
        }
        self.lines = quoted(self.lines);
        if let Some((mark, keeps, text)) = self.lines.first().and_then(|line| task(&line.text)) {
            let text = if keeps.is_empty() {
                format!("[{mark}] {text}")
            } else {
                format!("[{mark}] {keeps} {text}")
            };
            self.lines[0].text = text;
        }
        let fields: Vec<String> = self.properties.iter().map(|(key, value)| field(key, value)).collect();
        let fields = fields.join(" ");
        let is_paragraph = starts_paragraph(&self.lines[0].text);
        if !fields.is_empty() && is_paragraph {
            let line = &mut self.lines[0].text;
            *line = format!("{} {fields}", line.trim_end()).trim_start().to_owned();
        } else if !fields.is_empty() {
            // Code, tables and quotes cannot have it on their lines.
            self.lines.insert(0, Line::new(origin, fields));
            self.lines.insert(1, Line::new(origin, ""));
        }
        if let Some(id) = self.id.clone() {
            self.name(&id);
        }
        let blank = bullet.len() - bullet.trim_start().len();
        let below = format!("{}{}", &bullet[..blank], " ".repeat(bullet.len() - blank));
        for (at, line) in self.lines.into_iter().enumerate() {
            let text = match (at, line.text.trim().is_empty()) {
                (0, _) => format!("{bullet}{}", line.text).trim_end().to_owned(),
                (_, true) => String::new(),
                _ => format!("{below}{}", line.text),
            };
            out.push(Line::new(line.origin, text));
        }
    }

    /// Adds `^id`: at the end of the first paragraph, or alone after a block of another kind.
    fn name(&mut self, id: &str) {
        if !starts_paragraph(&self.lines[0].text) {
            let origin = self.lines.last().map_or(1, |line| line.origin);
            self.lines.push(Line::new(origin, ""));
            self.lines.push(Line::new(origin, format!("^{id}")));
            return;
        }
        let is_heading = self.lines[0].text.starts_with('#');
        let ends = |line: &Line| {
            line.text.trim().is_empty() || !starts_paragraph(&line.text) || line.text.starts_with('#')
        };
        let end = match is_heading {
            true => 1,
            false => self.lines.iter().skip(1).position(ends).map_or(self.lines.len(), |at| at + 1),
        };
        if let Some(line) = self.lines.get_mut(end - 1) {
            line.text = format!("{} ^{id}", line.text.trim_end()).trim_start().to_owned();
        }
    }
}

/// Whether the text after a line that starts so is the same paragraph.
fn starts_paragraph(line: &str) -> bool {
    let line = line.trim_start();
    let others = ["```", "~~~", ">", "|", "<!--", "$$", "* ", "+ ", "---", "<"];
    !others.iter().any(|start| line.starts_with(start))
}

/// Whether a line is a heading.
pub(super) fn is_heading(line: &str) -> bool {
    let marks = line.len() - line.trim_start_matches('#').len();
    (1..=6).contains(&marks) && line.get(marks..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// `:key: value` in a drawer, as older graphs have them.
fn drawer_property(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim().strip_prefix(':')?.split_once(':')?;
    let ends = value.is_empty() || value.starts_with(' ');
    (ends && !key.is_empty() && !key.contains(' ')).then(|| (key, value.trim()))
}

/// A property within a text, as Dataview reads it.
fn field(key: &str, value: &str) -> String {
    if value.contains(['[', ']']) { format!("({key}:: {value})") } else { format!("[{key}:: {value}]") }
}

/// `SCHEDULED: <2024-01-05 Fri>` as a property.
fn planning(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim();
    let (name, rest) = match line.split_once(": ")? {
        ("SCHEDULED", rest) => ("scheduled", rest),
        ("DEADLINE", rest) => ("deadline", rest),
        _ => return None,
    };
    Some((name, rest.trim().strip_prefix('<')?.strip_suffix('>')?))
}

/// The mark of a task's box, the marker if the box does not say the same, and the text.
fn task(line: &str) -> Option<(char, &'static str, &str)> {
    let (marker, text) = line.split_once(' ').unwrap_or((line, ""));
    let (marker, done) = TASKS.iter().find(|(known, _)| *known == marker)?;
    let keeps = if matches!(*marker, "TODO" | "DONE") { "" } else { *marker };
    Some((if *done { 'x' } else { ' ' }, keeps, text))
}
