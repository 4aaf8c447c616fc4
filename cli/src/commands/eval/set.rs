//! Reads an evaluation set from a folder, in the formats of BEIR and TREC. Errors name the file and the line.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use ubp_core::message::Message;

use serde_json::Value;
use ubp_core::message;
use ubp_core::ops::evaluate::{Document, DocumentLink, Judgement, Query};
use ubp_core::ops::evaluate_suggestions::Task;
use ubp_core::{Error, Result};

/// First column of a header line in `qrels.tsv`.
const JUDGEMENT_HEADERS: [&str; 6] = ["query-id", "query_id", "query", "qid", "topic", "topic_id"];
/// The same for `links.tsv`.
const LINK_HEADERS: [&str; 5] = ["src", "source", "source-id", "source_id", "from"];

/// An evaluation set.
#[derive(Debug, Default)]
pub(super) struct Set {
    pub queries: Vec<Query>,
    pub judgements: Vec<Judgement>,
    /// Texts to search instead of the project's pages.
    pub documents: Option<Vec<Document>>,
    pub links: Vec<DocumentLink>,
}

impl Set {
    /// Reads the set in `folder`; messages name it as `shown`.
    pub fn read(folder: &Path, shown: &str) -> Result<Self> {
        let file = |name: &str| File::read(folder, shown, name);
        fs::read_dir(folder).map_err(|error| Error::io(shown, error))?;
        let missing = |name: &str| {
            Error::invalid(message!(
                "{shown} has no {name}; an evaluation set is a folder with queries.jsonl and qrels.tsv",
                shown,
                name
            ))
        };
        let queries = file("queries.jsonl")?.ok_or_else(|| missing("queries.jsonl"))?;
        let judgements = file("qrels.tsv")?.ok_or_else(|| missing("qrels.tsv"))?;
        Ok(Self {
            queries: queries.queries()?,
            judgements: judgements.judgements()?,
            documents: match file("corpus.jsonl")? {
                Some(file) => Some(file.texts()?.into_iter().map(|(_, document)| document).collect()),
                None => None,
            },
            links: match file("links.tsv")? {
                Some(file) => file.links()?,
                None => Vec::new(),
            },
        })
    }
}

/// Pages with the links that were removed from them. `split` selects lines; other fields of the lines are ignored.
pub(super) fn tasks(path: &Path, shown: &str, split: Option<&str>) -> Result<Vec<Task>> {
    let text = fs::read_to_string(path).map_err(|error| Error::io(shown, error))?;
    let mut tasks = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = || {
            let line = at + 1;
            Error::invalid(message!("{shown}:{line}: expected an object with `page` and `gold`", shown, line))
        };
        let value: Value = serde_json::from_str(line).map_err(|_| wrong())?;
        if split.is_some_and(|split| value["split"] != split) {
            continue;
        }
        let gold: Option<Vec<String>> = value["gold"]
            .as_array()
            .map(|all| all.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        let (Some(page), Some(gold)) = (value["page"].as_str(), gold) else { return Err(wrong()) };
        tasks.push(Task { page: page.to_owned(), gold });
    }
    Ok(tasks)
}

/// A file of the set.
struct File {
    name: String,
    text: String,
}

impl File {
    /// `None` if the file does not exist.
    fn read(folder: &Path, shown: &str, name: &str) -> Result<Option<Self>> {
        let shown = format!("{}/{name}", shown.trim_end_matches('/'));
        let bytes = match fs::read(folder.join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| Error::io(shown.clone(), error))?,
        };
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(Self { name: shown, text })),
            Err(error) => {
                let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
                Err(Error::invalid(message!("{shown}:{line}: not valid UTF-8", shown, line)))
            }
        }
    }

    /// Lines that are not blank, with their numbers from 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(&self.text);
        (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty())
    }

    fn wrong(&self, line: usize, message: Message) -> Error {
        Error::invalid(message!("{name}:{line}: {message}", name = self.name, line, message))
    }

    fn queries(&self) -> Result<Vec<Query>> {
        let query = |(line, text): (usize, Document)| match text.text.trim() {
            "" => Err(self.wrong(line, message!("the text is empty"))),
            _ => Ok(Query { id: text.id, text: text.text }),
        };
        self.texts()?.into_iter().map(query).collect()
    }

    /// Line numbers and documents: a JSON object per line, with an id, a text and optionally a title. Other fields are
    /// ignored.
    fn texts(&self) -> Result<Vec<(usize, Document)>> {
        let mut texts = Vec::new();
        let mut lines: HashMap<String, usize> = HashMap::new();
        for (line, content) in self.lines() {
            let value: Value = serde_json::from_str(content).map_err(|error| {
                self.wrong(line, message!("invalid JSON: {error}", error = reason(&error)))
            })?;
            let field = |name: &str| match value.get(name) {
                Some(Value::String(text)) => Some(text.clone()),
                Some(Value::Number(number)) => Some(number.to_string()),
                _ => None,
            };
            let id = field("_id").or_else(|| field("id")).filter(|id| !id.trim().is_empty());
            let (Some(id), Some(text)) = (id, field("text")) else {
                return Err(self.wrong(line, message!("expected an object with `id` (or `_id`) and `text`")));
            };
            if let Some(first) = lines.insert(id.clone(), line) {
                return Err(
                    self.wrong(line, message!("duplicate id '{id}', first on line {first}", id, first))
                );
            }
            texts.push((line, Document { id, title: field("title"), text }));
        }
        if texts.is_empty() {
            return Err(Error::invalid(message!("{name} is empty", name = self.name)));
        }
        Ok(texts)
    }

    /// Lines of query, page and grade, or as in TREC, of query, iteration, page and grade.
    fn judgements(&self) -> Result<Vec<Judgement>> {
        let mut judgements = Vec::new();
        for (at, (line, content)) in self.lines().enumerate() {
            let columns = columns(content);
            let (query, page, grade) = match columns[..] {
                [query, page, grade] | [query, _, page, grade] => (query, page, grade),
                _ => {
                    return Err(
                        self.wrong(line, message!("expected query, page and grade, separated by tabs"))
                    );
                }
            };
            if at == 0 && is_header(query, &JUDGEMENT_HEADERS) && grade.parse::<f64>().is_err() {
                continue;
            }
            let Ok(grade) = grade.parse() else {
                return Err(self.wrong(
                    line,
                    message!("the grade '{grade}' is not a whole number, or too large", grade),
                ));
            };
            if query.is_empty() || page.is_empty() {
                return Err(self.wrong(line, message!("query or page is missing")));
            }
            judgements.push(Judgement { query: query.into(), page: page.into(), grade });
        }
        if judgements.is_empty() {
            return Err(Error::invalid(message!("{name} is empty", name = self.name)));
        }
        Ok(judgements)
    }

    /// Lines of source, target and optionally a type. A number in the third column is a weight, which is ignored.
    fn links(&self) -> Result<Vec<DocumentLink>> {
        let mut links = Vec::new();
        for (at, (line, content)) in self.lines().enumerate() {
            let (from, to, third) = match columns(content)[..] {
                [from, to] => (from, to, None),
                [from, to, third] => (from, to, Some(third)),
                _ => return Err(self.wrong(line, message!("expected source and target, separated by a tab"))),
            };
            if at == 0 && is_header(from, &LINK_HEADERS) {
                continue;
            }
            let link_type = third.filter(|text| !text.is_empty() && text.parse::<f64>().is_err());
            links.push(DocumentLink {
                from: from.into(),
                to: to.into(),
                link_type: link_type.map(str::to_owned),
            });
        }
        Ok(links)
    }
}

/// Columns of a line, separated by tabs, or by spaces if there is no tab.
fn columns(line: &str) -> Vec<&str> {
    if line.contains('\t') {
        line.split('\t').map(str::trim).collect()
    } else {
        line.split_whitespace().collect()
    }
}

fn is_header(first: &str, headers: &[&str]) -> bool {
    headers.iter().any(|header| header.eq_ignore_ascii_case(first))
}

/// Serde's message without its line number, which is always 1: each line is parsed on its own.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    format!("{} (column {})", &text[..end], error.column())
}
