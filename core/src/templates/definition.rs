//! Reads a template: the block `template:` in its front matter describes it, and everything else is the page.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::field::{Field, FieldKind};
use super::filled::is_variable;
use super::language::{Problem, validate};
use crate::message;
use crate::message::Message;
use crate::page::{LinkTypes, Value, parse, yaml_range};

/// Maximum size of a template in bytes.
pub(super) const LARGEST: usize = 256 << 10;

/// The key in front matter.
const KEY: &str = "template";

/// Says that a template is larger than [`LARGEST`].
pub(super) fn too_large() -> Problem {
    Problem::new(1, message!("the file is larger than {most} kB", most = LARGEST >> 10))
}

/// A template and the rules for its pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Template {
    /// Its name: the file name without extension, and for a file in a subfolder its path.
    pub name: String,
    /// Path of the file, relative to the project.
    pub filepath: String,
    /// What it is for.
    pub description: Option<String>,
    /// The type of its pages.
    pub doc_type: Option<String>,
    /// The folder of its pages, relative to the pages folder.
    pub folder: Option<String>,
    /// Front-matter keys of its pages.
    pub fields: Vec<Field>,
    /// Headings that its pages must have.
    pub headings: Vec<String>,
    /// Allowed types of links, each with the allowed types of their targets; empty if everything is allowed.
    pub links: BTreeMap<String, Vec<String>>,
    /// The page, without the block that describes it.
    #[serde(skip)]
    pub(super) text: String,
    /// First line and number of lines of the block in the file; 0 lines if there is none.
    #[serde(skip)]
    cut: (usize, usize),
}

impl Template {
    /// Reads the file `filepath`, called `name`.
    pub(super) fn read(name: &str, filepath: &str, bytes: &[u8], types: &LinkTypes) -> Result<Self, Problem> {
        if bytes.len() > LARGEST {
            return Err(too_large());
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            Problem::new(line, message!("the file is not valid UTF-8"))
        })?;
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
        let mut template = Self::unread(name, filepath);
        let block = template.cut_out(&text);
        if !block.is_empty() {
            let line = template.cut.0;
            Description { block: &block, line, types }.read_into(&mut template)?;
        }
        let page = parse(&template.text, types);
        let typed = ["type", "doc_type", "docType"].into_iter().find_map(|key| page.front_matter.get(key));
        template.doc_type = match typed {
            Some(Value::Text(name)) if !name.trim().is_empty() && !name.contains("{{") => {
                Some(name.trim().to_owned())
            }
            _ => None,
        };
        template.validate()?;
        Ok(template)
    }

    /// A template of which only the file is known.
    pub(crate) fn unread(name: &str, filepath: &str) -> Self {
        Self { name: name.into(), filepath: filepath.into(), ..Self::default() }
    }

    /// Divides `text` into the page and the block, which is returned.
    fn cut_out(&mut self, text: &str) -> String {
        self.text = text.to_owned();
        let Some(yaml) = yaml_range(text) else { return String::new() };
        let (mut start, mut end, mut at) = (None, yaml.end, yaml.start);
        for line in text.get(yaml.clone()).unwrap_or_default().split_inclusive('\n') {
            let is_key = line.strip_prefix(KEY).is_some_and(|rest| rest.trim_start().starts_with(':'));
            match start {
                None if is_key => start = Some(at),
                Some(_) if !line.trim().is_empty() && !line.starts_with([' ', '\t']) => {
                    end = at;
                    break;
                }
                _ => {}
            }
            at += line.len();
        }
        let Some(start) = start else { return String::new() };
        let (before, block, after) = (text.get(..start), text.get(start..end), text.get(end..));
        let (Some(before), Some(block), Some(after)) = (before, block, after) else { return String::new() };
        let is_all = text.get(yaml.start..start).is_some_and(|rest| rest.trim().is_empty())
            && text.get(end..yaml.end).is_some_and(|rest| rest.trim().is_empty());
        let first_line = 1 + before.matches('\n').count();
        let lines = block.matches('\n').count();
        if is_all {
            // Without other keys, the page has no front matter.
            let rest = after.split_once("---").map_or("", |(_, rest)| rest);
            let rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
            let page = rest.trim_start_matches('\n');
            self.cut = (1, text.matches('\n').count() - page.matches('\n').count());
            self.text = page.to_owned();
            // The description starts where the file has it.
            return format!("{}{block}", "\n".repeat(first_line - 1));
        }
        self.cut = (first_line, lines);
        self.text = format!("{before}{after}");
        block.to_owned()
    }

    /// The line in the file of a line of the page.
    pub(super) fn line_in_file(&self, line: usize) -> usize {
        let (first, lines) = self.cut;
        if lines > 0 && line >= first { line + lines } else { line }
    }
}

/// The block `template:`, with its first line in the file.
struct Description<'a> {
    block: &'a str,
    line: usize,
    types: &'a LinkTypes,
}

impl Description<'_> {
    fn read_into(&self, template: &mut Template) -> Result<(), Problem> {
        let page = parse(&format!("---\n{}---\n", self.block), &LinkTypes::default());
        if let Some(diagnostic) = page.diagnostics.first() {
            return Err(Problem::new(self.line + diagnostic.line - 2, diagnostic.message.clone()));
        }
        let described = page.front_matter.get(KEY).unwrap_or(&Value::Map(Vec::new())).clone();
        for (key, value) in self.map(&[], &described)? {
            match key.as_str() {
                "description" => template.description = self.text(&[key], value)?,
                "folder" => template.folder = self.folder(&[key], value)?,
                "fields" => template.fields = self.fields(value)?,
                "headings" => template.headings = self.list(&[key], value)?,
                "links" => template.links = self.links(value)?,
                _ => {
                    let known = "description, folder, fields, headings, links";
                    return Err(self.unknown(&[key], key, known));
                }
            }
        }
        Ok(())
    }

    fn unknown(&self, path: &[&str], key: &str, known: &str) -> Problem {
        self.problem(path, message!("unknown key `{key}`; expected one of {known}", key, known))
    }

    /// An error about the key at `path` below `template`.
    fn problem(&self, path: &[&str], message: Message) -> Problem {
        let (mut line, mut indent) = (0, 0);
        let mut lines = self.block.lines().enumerate().skip(1).peekable();
        for key in path {
            let found = lines.find(|(_, text)| {
                let rest = text.trim_start();
                let deeper = text.len() - rest.len() > indent;
                let name = rest.trim_start_matches(['"', '\'']);
                deeper && name.strip_prefix(key).is_some_and(|rest| rest.starts_with([':', '"', '\'', ' ']))
            });
            let Some((at, text)) = found else { break };
            (line, indent) = (at, text.len() - text.trim_start().len());
        }
        Problem::new(self.line + line, message)
    }

    fn map<'v>(&self, path: &[&str], value: &'v Value) -> Result<Vec<(&'v String, &'v Value)>, Problem> {
        match value {
            Value::Map(fields) => Ok(fields.iter().map(|(key, value)| (key, value)).collect()),
            Value::Text(text) if text.is_empty() => Ok(Vec::new()),
            _ => {
                let name = path.last().unwrap_or(&KEY);
                Err(self.problem(path, message!("`{name}` must have keys of its own", name)))
            }
        }
    }

    fn text(&self, path: &[&str], value: &Value) -> Result<Option<String>, Problem> {
        match value {
            Value::Text(text) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
            _ => {
                let name = path.last().unwrap_or(&KEY);
                Err(self.problem(path, message!("`{name}` must be a text", name)))
            }
        }
    }

    fn list(&self, path: &[&str], value: &Value) -> Result<Vec<String>, Problem> {
        let items = match value {
            Value::List(items) => items.as_slice(),
            Value::Text(text) if text.is_empty() => &[],
            one => std::slice::from_ref(one),
        };
        let texts = items.iter().map(|item| match item {
            Value::Text(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
            _ => {
                let name = path.last().unwrap_or(&KEY);
                Err(self.problem(path, message!("`{name}` must be a list of texts", name)))
            }
        });
        texts.collect()
    }

    fn folder(&self, path: &[&str], value: &Value) -> Result<Option<String>, Problem> {
        let folder = self.text(path, value)?.map(|folder| folder.trim_matches('/').to_owned());
        match folder {
            Some(folder) if !crate::path::is_inside(&folder) => {
                Err(self
                    .problem(path, message!("'{folder}' is not a folder inside the pages folder", folder)))
            }
            folder => Ok(folder.filter(|folder| folder != ".")),
        }
    }

    fn fields(&self, value: &Value) -> Result<Vec<Field>, Problem> {
        let mut fields = Vec::new();
        for (name, value) in self.map(&["fields"], value)? {
            let here = ["fields", name.as_str()];
            if ["id", "title", "type", "created_at", "updated_at"].contains(&name.as_str()) {
                return Err(
                    self.problem(&here, message!("`{name}` cannot be a field; ubp fills it in", name))
                );
            }
            let mut field = Field {
                name: name.clone(),
                description: None,
                kind: FieldKind::default(),
                values: Vec::new(),
                default: None,
                required: true,
            };
            for (key, value) in self.map(&here, value)? {
                let here = ["fields", name.as_str(), key.as_str()];
                match key.as_str() {
                    "description" => field.description = self.text(&here, value)?,
                    "kind" => field.kind = self.kind(&here, value)?,
                    "values" => field.values = self.list(&here, value)?,
                    "default" => field.default = Some(self.list(&here, value)?.join(", ")),
                    "required" => field.required = self.truth(&here, value)?,
                    _ => {
                        let known = "description, kind, values, default, required";
                        return Err(self.unknown(&here, key, known));
                    }
                }
            }
            field.default = field.default.filter(|default| !default.is_empty());
            if let Some(default) = &field.default {
                validate(default, is_variable).map_err(|Problem { message, .. }| {
                    let here = ["fields", name.as_str(), "default"];
                    self.problem(&here, message!("the default is not valid: {message}", message))
                })?;
            }
            if let Some(default) = field.default.as_ref().filter(|default| !default.contains("{{"))
                && let Some(complaint) = field.complaint(&field.shaped(Value::Text(default.clone())))
            {
                let here = ["fields", name.as_str(), "default"];
                let message = message!("the default is not valid: {message}", message = complaint);
                return Err(self.problem(&here, message));
            }
            fields.push(field);
        }
        Ok(fields)
    }

    fn kind(&self, path: &[&str], value: &Value) -> Result<FieldKind, Problem> {
        let given = self.text(path, value)?.unwrap_or_default();
        let known = FieldKind::NAMES.iter().find(|(name, _)| *name == given).map(|(_, kind)| *kind);
        known.ok_or_else(|| {
            let names: Vec<&str> = FieldKind::NAMES.iter().map(|(name, _)| *name).collect();
            let known = names.join(", ");
            self.problem(path, message!("unknown kind '{given}'; expected one of {known}", given, known))
        })
    }

    fn truth(&self, path: &[&str], value: &Value) -> Result<bool, Problem> {
        match self.text(path, value)?.as_deref() {
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            _ => Err(self.problem(path, message!("`required` must be true or false"))),
        }
    }

    fn links(&self, value: &Value) -> Result<BTreeMap<String, Vec<String>>, Problem> {
        let mut links = BTreeMap::new();
        for (name, value) in self.map(&["links"], value)? {
            let here = ["links", name.as_str()];
            let Some(known) = self.types.exact(name) else {
                let known: Vec<&str> = self.types.iter().collect();
                let known = known.join(", ");
                return Err(self.problem(
                    &here,
                    message!("unknown link type '{name}'; expected one of {known}", name, known),
                ));
            };
            links.insert(known.to_owned(), self.list(&here, value)?);
        }
        Ok(links)
    }
}

#[cfg(test)]
mod tests;
