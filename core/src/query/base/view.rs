//! The views of a base, and filters.

use super::Problem;
use super::expression::{Expression, Operator};
use super::property::Property;
use super::value::Value;
use super::yaml::{Kind, Node};
use crate::message;

/// Which pages are listed.
#[derive(Debug)]
pub(super) enum Filter {
    All(Vec<Filter>),
    Any(Vec<Filter>),
    None(Vec<Filter>),
    /// An expression and its line.
    Test(Expression, usize),
    /// A filter that is not known.
    Broken(Problem),
}

/// How the pages of a view are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Table,
    List,
}

/// A property by which pages are sorted, and whether the order is descending.
#[derive(Debug)]
pub(super) struct Order {
    pub name: String,
    pub property: Property,
    pub is_descending: bool,
}

/// A view.
#[derive(Debug)]
pub(super) struct View {
    pub name: String,
    pub shape: Shape,
    pub filters: Filter,
    /// The properties that are shown, with their names as written.
    pub shown: Vec<(String, Property)>,
    pub sorted: Vec<Order>,
    pub group: Option<Order>,
    pub limit: Option<usize>,
    /// What is not known.
    pub unknown: Vec<Problem>,
}

/// Keys that only say how a view looks.
const LOOKS: [&str; 15] = [
    "columnSize",
    "rowHeight",
    "cardSize",
    "imageFit",
    "imageAspectRatio",
    "markers",
    "indentProperties",
    "separator",
    "hideEmptyColumns",
    "columnWidth",
    "columnOrder",
    "icon",
    "id",
    "nestedProperties",
    "wrap",
];

impl Filter {
    /// Reads a filter. What is not known becomes a part that is broken, so that the rest is still checked.
    pub(super) fn read(node: &Node) -> Self {
        match &node.kind {
            Kind::Empty => Self::All(Vec::new()),
            Kind::Text(text) => match Expression::parse(text) {
                Ok(expression) => Self::Test(expression, node.line),
                Err(message) => Self::Broken(node.problem(message)),
            },
            Kind::List(_) => {
                Self::Broken(node.problem(message!("write `and:`, `or:` or `not:` before a list of filters")))
            }
            Kind::Map(entries) => {
                let [(name, inner)] = entries.as_slice() else {
                    return Self::Broken(
                        node.problem(message!("a filter has one of `and`, `or` and `not`, and nothing else")),
                    );
                };
                let parts = match &inner.kind {
                    Kind::List(items) => items.iter().map(Self::read).collect(),
                    Kind::Empty => Vec::new(),
                    _ => vec![Self::read(inner)],
                };
                match name.as_str() {
                    "and" => Self::All(parts),
                    "or" => Self::Any(parts),
                    "not" => Self::None(parts),
                    _ => Self::Broken(inner.problem(message!("UBP does not know the filter `{name}`", name))),
                }
            }
        }
    }

    fn parts(&self) -> &[Self] {
        match self {
            Self::All(parts) | Self::Any(parts) | Self::None(parts) => parts,
            Self::Test(..) | Self::Broken(_) => &[],
        }
    }

    /// Adds what is wrong.
    pub(super) fn problems(&self, found: &mut Vec<Problem>) {
        if let Self::Broken(problem) = self {
            found.push(problem.clone());
        }
        self.parts().iter().for_each(|part| part.problems(found));
    }

    /// Adds the expressions, with their lines.
    pub(super) fn tests<'f>(&'f self, found: &mut Vec<(&'f Expression, usize)>) {
        if let Self::Test(expression, line) = self {
            found.push((expression, *line));
        }
        self.parts().iter().for_each(|part| part.tests(found));
    }

    /// The ending of the other files that a filter asks for: only pages are listed.
    pub(super) fn other_files(&self) -> Option<String> {
        let mut tests = Vec::new();
        self.tests(&mut tests);
        let mut ending = None;
        for (expression, _) in tests {
            expression.visit(&mut |part| {
                if let Expression::Binary(Operator::Equal, left, right) = part
                    && let (
                        Expression::Property { property: Property::Extension, .. },
                        Expression::Known(Value::Text(text)),
                    )
                    | (
                        Expression::Known(Value::Text(text)),
                        Expression::Property { property: Property::Extension, .. },
                    ) = (&**left, &**right)
                    && !crate::path::is_page(&format!("x.{text}"))
                {
                    ending = Some(text.clone());
                }
            });
        }
        ending
    }
}

impl View {
    /// The view of a base that has none.
    pub(super) fn of_all() -> Self {
        Self {
            name: String::new(),
            shape: Shape::Table,
            filters: Filter::All(Vec::new()),
            shown: vec![("file.name".into(), Property::Name)],
            sorted: Vec::new(),
            group: None,
            limit: None,
            unknown: Vec::new(),
        }
    }

    pub(super) fn read(node: &Node) -> Result<Self, Problem> {
        let mut view = Self::of_all();
        for (key, node) in node.entries("view")? {
            match key.as_str() {
                "name" => view.name = node.text().unwrap_or_default().into(),
                "type" => {
                    view.shape = match node.text().unwrap_or("table") {
                        "table" => Shape::Table,
                        "list" | "cards" | "kanban" => Shape::List,
                        other => {
                            let message = message!(
                                "UBP does not know views of the type `{other}`, and shows a table",
                                other
                            );
                            view.unknown.push(node.problem(message));
                            Shape::Table
                        }
                    }
                }
                "filters" => view.filters = Filter::read(node),
                "limit" => {
                    let number = node.text().and_then(|text| text.parse().ok());
                    view.limit =
                        Some(number.ok_or_else(|| node.problem(message!("`limit` has to be a number")))?);
                }
                "order" => {
                    let mut shown = Vec::new();
                    for item in node.items("order")? {
                        let name = item.text().ok_or_else(|| {
                            item.problem(message!("`order` has to be a list of properties"))
                        })?;
                        match Property::named(name) {
                            Ok(property) => shown.push((name.to_owned(), property)),
                            Err(message) => view.unknown.push(item.problem(message)),
                        }
                    }
                    if !shown.is_empty() {
                        view.shown = shown;
                    }
                }
                "sort" => {
                    for item in node.items("sort")? {
                        view.sorted.extend(Order::read(item, "sort", &mut view.unknown)?);
                    }
                }
                "groupBy" => view.group = Order::read(node, "groupBy", &mut view.unknown)?,
                "image" if node.text().is_none() => {}
                _ if LOOKS.contains(&key.as_str()) => {}
                _ => view.unknown.push(node.problem(message!("UBP does not show `{key}` of a view", key))),
            }
        }
        Ok(view)
    }
}

impl Order {
    /// Reads `{property: status, direction: ASC}`, or only the name of the property.
    fn read(node: &Node, name: &str, unknown: &mut Vec<Problem>) -> Result<Option<Self>, Problem> {
        let (mut of, mut is_descending) = (node.text(), false);
        if of.is_none() {
            for (key, value) in node.entries(name)? {
                match (key.as_str(), value.text()) {
                    ("property" | "column", Some(name)) => of = Some(name),
                    ("direction", Some(direction)) => is_descending = direction.eq_ignore_ascii_case("desc"),
                    _ => unknown.push(value.problem(message!(
                        "UBP does not know `{key}` of `{name}`",
                        key,
                        name
                    ))),
                }
            }
        }
        let Some(of) = of else {
            return match node.kind {
                Kind::Empty => Ok(None),
                _ => Err(node.problem(message!("`{name}` has no `property`", name))),
            };
        };
        match Property::named(of) {
            Ok(property) => Ok(Some(Self { name: of.into(), property, is_descending })),
            Err(message) => {
                unknown.push(node.problem(message));
                Ok(None)
            }
        }
    }
}
