//! The templates of the project, with the fields to give for each.

use crate::message::Message;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hint::Next;
use crate::message;
use crate::ops::{Facts, Tool};
use crate::show::{Page, Span};
use crate::templates::field::{Field, FieldKind};
use crate::templates::{Broken, Template, Templates};
use crate::{Context, Result};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading("List the templates for new pages, with their fields.")
    .tool(Tool::Writing)
    .quoting_pages()
    .command("new --templates");

/// No parameters.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// The templates.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The folder of the templates, relative to the project; absent if the project has none.
    pub folder: Option<String>,
    /// The templates, sorted by path.
    pub templates: Vec<TemplateInfo>,
}

/// A template.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TemplateInfo {
    /// What it describes; of a broken one, only its name and its file.
    #[serde(flatten)]
    pub template: Template,
    /// Why it cannot be used, with the line.
    pub problem: Option<Message>,
}

impl From<Template> for TemplateInfo {
    fn from(template: Template) -> Self {
        Self { template, problem: None }
    }
}

impl From<Broken> for TemplateInfo {
    fn from(Broken { name, filepath, line, message }: Broken) -> Self {
        let problem = Some(message!("line {line}: {reason}", line, reason = message));
        Self { template: Template::unread(&name, &filepath), problem }
    }
}

/// Lists the templates.
///
/// # Errors
/// [`crate::Error::Io`].
pub fn run(context: &Context<'_>, _: Params) -> Result<Output> {
    let Templates { usable, broken } = Templates::load(context)?;
    let mut templates: Vec<TemplateInfo> = usable.into_iter().map(TemplateInfo::from).collect();
    templates.extend(broken.into_iter().map(TemplateInfo::from));
    templates.sort_by(|a, b| a.template.filepath.cmp(&b.template.filepath));
    Ok(Output { folder: context.manifest.templates_folder().map(str::to_owned), templates })
}

/// Shows each template with its fields.
pub fn show(output: &Output, page: &mut dyn Page) {
    if output.templates.is_empty() {
        match &output.folder {
            Some(folder) => page.line(&[Span::said(&message!(
                "No templates in {path}",
                path = Span::Path(&format!("{folder}/"))
            ))]),
            None => page.line(&[Span::said(&message!(
                "No folder of templates: set templates_dir in .ubp/manifest.json"
            ))]),
        }
        let examples = page.voice().run("init --templates");
        page.hint(&[Span::said(&message!("{examples} adds examples", examples))]);
        return;
    }
    for TemplateInfo { template, problem } in &output.templates {
        let mut heading = vec![Span::Strong(&template.name)];
        heading.extend(about(template.description.as_deref()));
        heading.extend([Span::Text("  "), Span::File(&template.filepath)]);
        page.heading(&heading);
        if let Some(problem) = problem {
            page.warn(&[Span::File(&template.filepath), Span::Text(": "), Span::Quoted(problem)]);
        }
        for field in &template.fields {
            let facts = facts(field);
            let mut item = vec![Span::Code(&field.name)];
            item.extend(about(field.description.as_deref()));
            item.extend([Span::Text(" ("), Span::Quoted(&facts), Span::Text(")")]);
            page.item(&item);
        }
    }
    if let Some(first) = output.templates.iter().find(|listed| listed.problem.is_none()) {
        let next =
            Next::call("create_page").with("title", "TITLE").with("template", first.template.name.as_str());
        let create = page.voice().ask(&next);
        page.hint(&[Span::said(&message!("{create} creates a page", create))]);
    }
}

fn about(description: Option<&str>) -> impl Iterator<Item = Span<'_>> {
    description.into_iter().flat_map(|text| [Span::Text(": "), Span::Words(text)])
}

fn facts(field: &Field) -> Message {
    let mut facts = Vec::new();
    match field.kind {
        FieldKind::Text => {}
        FieldKind::List => facts.push(message!("list")),
        FieldKind::Date => facts.push(message!("date")),
        FieldKind::Number => facts.push(message!("number")),
        FieldKind::Boolean => facts.push(message!("true or false")),
    }
    if !field.values.is_empty() {
        facts.push(Message::verbatim(field.values.join(", ")));
    }
    match (&field.default, field.required) {
        (Some(default), _) => facts.push(message!("default: {value}", value = default)),
        (None, true) => facts.push(message!("required")),
        (None, false) => facts.push(message!("optional")),
    }
    Message::joined(facts, "; ")
}
