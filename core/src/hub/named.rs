//! Answers of one project in a hub: paths of its pages get its name.

use serde_json::{Value, json};

use super::linked::Elsewhere;
use crate::hint::Voice;
use crate::message::Message;
use crate::show::{Page, Span};

/// The answer with the project's name, and paths of pages as `project:path`, apart from those that are so already.
pub(super) fn of(project: &str, mut answer: Value, elsewhere: &Elsewhere) -> Value {
    name_paths(project, &mut answer, elsewhere);
    with_project(project, answer)
}

/// The answer with the project's name.
pub(super) fn with_project(project: &str, mut answer: Value) -> Value {
    if let Some(fields) = answer.as_object_mut() {
        fields.insert("project".into(), json!(project));
    }
    answer
}

fn name_paths(project: &str, value: &mut Value, elsewhere: &Elsewhere) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(path) if name == "filepath" => {
                        if !elsewhere.contains(path) {
                            *path = format!("{project}:{path}");
                        }
                    }
                    Value::Array(path) if name == "suspect_path" => {
                        for page in path {
                            if let Value::String(page) = page
                                && !elsewhere.contains(page)
                            {
                                *page = format!("{project}:{page}");
                            }
                        }
                    }
                    value => name_paths(project, value, elsewhere),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| name_paths(project, value, elsewhere)),
        _ => {}
    }
}

/// A page that names paths so.
pub(super) struct NamedPage<'a, 'p> {
    project: &'a str,
    page: &'a mut (dyn Page + 'p),
    elsewhere: &'a Elsewhere,
}

impl<'a, 'p> NamedPage<'a, 'p> {
    pub(super) fn new(project: &'a str, page: &'a mut (dyn Page + 'p), elsewhere: &'a Elsewhere) -> Self {
        Self { project, page, elsewhere }
    }

    pub(super) fn inner(&mut self) -> &mut (dyn Page + 'p) {
        self.page
    }

    fn named(&mut self, line: &[Span<'_>], show: &dyn Fn(&mut (dyn Page + 'p), &[Span<'_>])) {
        let name = |path: &str| match self.elsewhere.contains(path) {
            true => path.to_owned(),
            false => format!("{}:{path}", self.project),
        };
        let named: Vec<(String, Option<Message>)> = line
            .iter()
            .map(|span| match span {
                Span::Path(path) | Span::Place(path, _) | Span::File(path) => (name(path), None),
                Span::Said(_, message) | Span::Quoted(message) => {
                    (String::new(), Some(message.with_paths(&name)))
                }
                _ => (String::new(), None),
            })
            .collect();
        let spans: Vec<Span<'_>> = line
            .iter()
            .zip(&named)
            .map(|(span, named)| match (span, named) {
                (Span::Path(_), (path, _)) => Span::Path(path),
                (Span::Place(_, line), (path, _)) => Span::Place(path, *line),
                (Span::File(_), (path, _)) => Span::File(path),
                (Span::Said(style, _), (_, Some(message))) => Span::Said(*style, message),
                (Span::Quoted(_), (_, Some(message))) => Span::Quoted(message),
                (other, _) => *other,
            })
            .collect();
        show(self.page, &spans);
    }
}

impl Page for NamedPage<'_, '_> {
    fn heading(&mut self, line: &[Span<'_>]) {
        self.named(line, &|page, line| page.heading(line));
    }

    fn line(&mut self, line: &[Span<'_>]) {
        self.named(line, &|page, line| page.line(line));
    }

    fn rows(&mut self, rows: &[(Message, Message)], width: usize) {
        self.page.rows(rows, width);
    }

    fn item(&mut self, line: &[Span<'_>]) {
        self.named(line, &|page, line| page.item(line));
    }

    fn branch(&mut self, depth: usize, line: &[Span<'_>]) {
        self.named(line, &|page, line| page.branch(depth, line));
    }

    fn detail(&mut self, line: &[Span<'_>]) {
        self.named(line, &|page, line| page.detail(line));
    }

    fn text(&mut self, text: &str) {
        self.page.text(text);
    }

    fn quote(&mut self, text: &str, highlights: &[[usize; 2]]) {
        self.page.quote(text, highlights);
    }

    fn code(&mut self, language: &str, text: &str) {
        self.page.code(language, text);
    }

    fn diff(&mut self, diff: &str) {
        self.page.diff(diff);
    }

    fn table(&mut self, columns: &[Message], rows: &[Vec<String>]) {
        self.page.table(columns, rows);
    }

    fn gap(&mut self) {
        self.page.gap();
    }

    fn note(&mut self, line: &[Span<'_>]) {
        self.named(line, &|page, line| page.note(line));
    }

    fn warn(&mut self, line: &[Span<'_>]) {
        self.named(line, &|page, line| page.warn(line));
    }

    fn hint(&mut self, line: &[Span<'_>]) {
        self.named(line, &|page, line| page.hint(line));
    }

    fn handle(&mut self, name: &str, value: &str) {
        self.page.handle(name, value);
    }

    fn aside(&mut self, line: &[Span<'_>]) {
        self.named(line, &|page, line| page.aside(line));
    }

    fn padded(&self, message: &Message, width: usize) -> String {
        self.page.padded(message, width)
    }

    fn voice(&self) -> &dyn Voice {
        self.page.voice()
    }
}
