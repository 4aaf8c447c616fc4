//! Bases as Obsidian has them: YAML with filters, formulas and views, in a file of its own (`Tasks.base`) or in a block of
//! code. They are read, and written only when a tag gets another name. What is not known is named: a filter that is not known is an error, because
//! without it the answer would be wrong, and everything else is a note below the answer.
//!
//! **Invariants**
//! - Any text is read without a panic, and expressions end, with values of limited size (`tests/hostile.rs`).
//! - A view never lists a page for which a filter is false or not known.

mod answer;
mod evaluate;
mod expression;
mod format;
mod functions;
mod pages;
mod property;
mod tags;
mod tokens;
mod value;
mod view;
mod yaml;

pub(super) use pages::Pages;
pub(crate) use tags::rename_tags;

use std::collections::HashMap;
use std::iter;

use expression::Expression;
use property::Property;
use view::{Filter, View};
use yaml::Node;

use crate::message::Message;
use crate::{Error, message};

/// Maximum size of a base in bytes.
const LONGEST: usize = 256 << 10;

/// Maximum number of views, and of formulas.
const MOST: usize = 200;

/// What is wrong with a base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The line, from 1.
    pub line: usize,
    pub message: Message,
}

impl Problem {
    /// The error for a base that has no answer because of it.
    pub(super) fn refusal(&self) -> Error {
        Error::invalid(message!("line {line}: {problem}", line = self.line, problem = self.message))
    }
}

type Formulas = HashMap<String, Result<Expression, Problem>>;

/// A base.
#[derive(Debug)]
pub(crate) struct Base {
    filters: Filter,
    formulas: Formulas,
    /// Names over columns, by property.
    labels: Vec<(String, String)>,
    views: Vec<View>,
    /// What is not known outside of views.
    unknown: Vec<Problem>,
}

impl Base {
    /// Reads a base. Errors in expressions are kept with them, so that views that do not use them have an answer.
    ///
    /// # Errors
    /// If the YAML does not have the form of a base.
    pub(crate) fn parse(text: &str) -> Result<Self, Problem> {
        if text.len() > LONGEST {
            let message = message!(
                "the base has {size} bytes; at most {most} are read",
                size = text.len(),
                most = LONGEST
            );
            return Err(Problem { line: 1, message });
        }
        let root = yaml::read(text.trim_start_matches('\u{FEFF}'))?;
        let mut base = Self {
            filters: Filter::All(Vec::new()),
            formulas: HashMap::new(),
            labels: Vec::new(),
            views: Vec::new(),
            unknown: Vec::new(),
        };
        for (name, node) in root.entries("base")? {
            match name.as_str() {
                "filters" => base.filters = Filter::read(node),
                "formulas" => base.read_formulas(node)?,
                "properties" => base.read_properties(node)?,
                "views" => {
                    let items = node.items("views")?;
                    if items.len() > MOST {
                        return Err(node.problem(message!("a base can have at most {MOST} views", MOST)));
                    }
                    base.views = items.iter().map(View::read).collect::<Result<_, _>>()?;
                }
                _ => base.unknown.push(node.problem(message!("UBP does not show `{name}` of a base", name))),
            }
        }
        if base.views.is_empty() {
            base.views.push(View::of_all());
        }
        Ok(base)
    }

    fn read_formulas(&mut self, node: &Node) -> Result<(), Problem> {
        let entries = node.entries("formulas")?;
        if entries.len() > MOST {
            return Err(node.problem(message!("a base can have at most {MOST} formulas", MOST)));
        }
        for (name, node) in entries {
            let read = match node.text() {
                Some(text) => Expression::parse(text).map_err(|message| node.problem(message)),
                None => Err(node.problem(message!("the formula `{name}` has to be a text", name))),
            };
            self.formulas.insert(name.clone(), read);
        }
        for (name, node) in entries {
            if self.leads_to_itself(name) {
                let message = message!("the formula `{name}` uses its own value", name);
                self.formulas.insert(name.clone(), Err(node.problem(message)));
            }
        }
        Ok(())
    }

    /// Whether the value of a formula needs the value of the same formula.
    fn leads_to_itself(&self, name: &str) -> bool {
        let mut seen: Vec<&str> = Vec::new();
        let mut open = vec![name];
        while let Some(next) = open.pop() {
            let Some(Ok(formula)) = self.formulas.get(next) else { continue };
            for used in formulas_in(formula) {
                if used == name {
                    return true;
                }
                if !seen.contains(&used) {
                    seen.push(used);
                    open.push(used);
                }
            }
        }
        false
    }

    fn read_properties(&mut self, node: &Node) -> Result<(), Problem> {
        for (name, node) in node.entries("properties")? {
            for (key, value) in node.entries(name)? {
                if key == "displayName"
                    && let Some(label) = value.text()
                {
                    self.labels.push((name.clone(), label.into()));
                }
            }
        }
        Ok(())
    }

    /// The errors in its expressions, by line.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let views = self.views.iter().map(|view| &view.filters);
        let mut found = self.faults(iter::once(&self.filters).chain(views));
        found.extend(self.formulas.values().filter_map(|formula| formula.as_ref().err().cloned()));
        found.sort_by(|a, b| (a.line, &a.message).cmp(&(b.line, &b.message)));
        found.dedup();
        found
    }

    /// Why filters are not known: each one's own errors, then those of the formulas that it uses.
    fn faults<'f>(&self, filters: impl IntoIterator<Item = &'f Filter>) -> Vec<Problem> {
        let mut found = Vec::new();
        for filter in filters {
            filter.problems(&mut found);
            let mut tests = Vec::new();
            filter.tests(&mut tests);
            let problem =
                |(expression, line)| self.missing(expression).map(|message| Problem { line, message });
            found.extend(tests.into_iter().filter_map(problem));
        }
        found
    }

    /// What it has that is not shown.
    pub(crate) fn unknown(&self) -> Vec<Problem> {
        self.unknown.iter().chain(self.views.iter().flat_map(|view| &view.unknown)).cloned().collect()
    }

    /// What is wrong with the formulas that an expression uses.
    fn missing(&self, expression: &Expression) -> Option<Message> {
        let mut seen: Vec<&str> = Vec::new();
        let mut open = formulas_in(expression);
        while let Some(name) = open.pop() {
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            match self.formulas.get(name) {
                None => return Some(message!("the base has no formula `{name}`", name)),
                Some(Err(problem)) => {
                    return Some(message!(
                        "the formula `{name}` has an error in line {line}: {problem}",
                        name,
                        line = problem.line,
                        problem = problem.message
                    ));
                }
                Some(Ok(formula)) => open.extend(formulas_in(formula)),
            }
        }
        None
    }
}

/// The formulas that an expression uses itself.
fn formulas_in(expression: &Expression) -> Vec<&str> {
    let mut found = Vec::new();
    expression.visit(&mut |part| {
        if let Expression::Property { property: Property::Formula(name), .. } = part {
            found.push(name.as_str());
        }
    });
    found
}

#[cfg(test)]
mod tests;
