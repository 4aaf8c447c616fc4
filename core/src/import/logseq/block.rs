//! One block of a Logseq outline: its text, its properties and its id. Logseq writes all of them on the lines of one list
//! item.

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
}

/// Properties that only say how Logseq shows a block or page.
pub(super) const VIEW: [&str; 2] = ["collapsed", "logseq.order-list-type"];

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
        // Properties follow the first line, or come before it.
        let mut may_be_property = true;
        for (at, line) in lines.into_iter().enumerate() {
            if code.takes(&line.text) {
                may_be_property = false;
                block.lines.push(line);
                continue;
            }
            if let Some((name, stamp)) = planning(&line.text) {
                block.properties.push((name.into(), stamp.into()));
                continue;
            }
            match property(&line.text).filter(|_| may_be_property) {
                Some(("id", id)) => block.id = Some(id.to_ascii_lowercase()),
                Some((key, value)) if VIEW.contains(&key) => {
                    block.view.push((line.origin, format!("{key}:: {value}")));
                }
                Some((key, value)) => block.properties.push((key.into(), value.into())),
                None => {
                    may_be_property &= at == 0;
                    block.lines.push(line);
                }
            }
        }
        block
    }

    /// The text of the block as others show it, on one line.
    pub(super) fn title(&self) -> String {
        let mut lines = self.lines.iter().map(|line| line.text.trim());
        let shown =
            lines.find(|line| !line.starts_with("```") && !line.to_ascii_uppercase().starts_with("#+BEGIN_"));
        let shown = shown.unwrap_or_default();
        let text = task(shown).map_or(shown, |(_, _, text)| text);
        text.trim_start_matches(['#', '>', ' ']).trim().to_owned()
    }

    /// The block as an item of a Markdown list, with its first line at `bullet` and others below it.
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
        let below = bullet.trim_end_matches("- ");
        for (at, line) in self.lines.into_iter().enumerate() {
            let text = match (at, line.text.trim().is_empty()) {
                (0, _) => format!("{bullet}{}", line.text).trim_end().to_owned(),
                (_, true) => String::new(),
                _ => format!("{below}  {}", line.text),
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

/// The lines with `#+BEGIN_…` blocks as callouts, quotes and code, and drawers as comments. One line stays one line.
fn quoted(lines: Vec<Line>) -> Vec<Line> {
    let mut open: Option<String> = None;
    let mut out = Vec::with_capacity(lines.len());
    let mut code = Code::default();
    for line in lines {
        let is_code = open.is_none() && code.takes(&line.text);
        let text = line.text.trim();
        let word = text.to_ascii_uppercase();
        let changed = if is_code {
            None
        } else if let Some(kind) = word.strip_prefix("#+BEGIN_").filter(|_| open.is_none()) {
            let kind = kind.split_whitespace().next().unwrap_or_default().to_owned();
            let rest = text.get("#+BEGIN_".len() + kind.len()..).unwrap_or_default().trim();
            let (as_what, start) = match kind.as_str() {
                "NOTE" | "TIP" | "IMPORTANT" | "CAUTION" | "WARNING" => ("quote", format!("> [!{kind}]")),
                "PINNED" => ("quote", "> [!IMPORTANT]".into()),
                "QUOTE" | "VERSE" | "CENTER" => ("quote", ">".into()),
                "COMMENT" => ("comment", "<!--".into()),
                "SRC" | "EXAMPLE" => ("code", format!("```{rest}")),
                other => ("code", format!("```{}", other.to_ascii_lowercase())),
            };
            open = Some(as_what.to_owned());
            Some(start)
        } else if word.starts_with("#+END_") && open.is_some() {
            match open.take().as_deref() {
                Some("code") => Some("```".into()),
                Some("comment") => Some("-->".into()),
                _ => Some(String::new()),
            }
        } else if word == ":LOGBOOK:" && open.is_none() {
            open = Some("drawer".into());
            Some("<!-- LOGBOOK".into())
        } else if word == ":END:" && open.as_deref() == Some("drawer") {
            open = None;
            Some("-->".into())
        } else if open.as_deref() == Some("quote") {
            Some(format!("> {}", line.text).trim_end().to_owned())
        } else {
            None
        };
        out.push(match changed {
            Some(text) => Line::new(line.origin, text),
            None => line,
        });
    }
    // A block without an end ends with the text.
    let origin = out.last().map_or(1, |line| line.origin);
    match open.as_deref() {
        Some("code") => out.push(Line::new(origin, "```")),
        Some("comment" | "drawer") => out.push(Line::new(origin, "-->")),
        _ => {}
    }
    out
}
