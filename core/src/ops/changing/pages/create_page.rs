//! Creates a page, from a template if there is one for it. It never overwrites a page, and refuses a name that another page
//! has unless that is allowed.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::hint::Next;
use crate::index::questions::{links, pages};
use crate::message;
use crate::ops::edited::{self, Edited, below_pages, chosen_path, free_path, usable_title};
use crate::ops::page::similar;
use crate::ops::{Facts, Tool};
use crate::page::parse;
use crate::show::{Page, Span, counted};
use crate::templates::field::{Field, Given};
use crate::templates::{self, Breach, Filled, Filling, Template, Templates};
use crate::writing::{Change, MovedLink, Plan, Version, carry_out, names};
use crate::{Error, Result, path};

mod text;

/// Facts about this operation.
pub const FACTS: Facts = Facts::writing("Create a page; refuses a name that another page has.")
    .tool(Tool::Always)
    .command("new")
    .arguments(&["title"]);

/// Maximum number of links shown one by one.
const MOST_SHOWN: usize = 20;

/// The page to create.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// Its title.
    pub title: String,
    /// Its path relative to the pages folder (default: made from the title).
    pub path: Option<String>,
    /// The folder for the page, relative to the pages folder; the file is named after the title.
    pub folder: Option<String>,
    /// Markdown. A level-1 heading with the title is added if there is none.
    #[serde(default)]
    pub content: String,
    /// The template to create it from, by name or page type; `none` for no template (default: without `content`, the
    /// only template for the type and folder).
    pub template: Option<String>,
    /// Values for the fields of the template: texts, lists of texts, numbers, or true and false.
    #[serde(default)]
    pub fields: BTreeMap<String, Given>,
    /// Its type, such as spec, api or guide.
    pub doc_type: Option<String>,
    /// Its tags, without `#`.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Files of the project that it describes: paths, folders or globs relative to the project.
    #[serde(default)]
    pub source_refs: Vec<String>,
    /// Create the page even if its name is taken; links to other pages may then lead to it.
    #[serde(default)]
    pub allow_same_name: bool,
    /// Only show what would be written.
    #[serde(default)]
    pub dry_run: bool,
}

/// The new page.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// The page.
    #[serde(flatten)]
    pub edited: Edited,
    /// Paths of other pages with this title, alias or file name.
    pub same_name: Vec<String>,
    /// Links to other pages that now lead to the new page.
    pub moved_links: Vec<MovedLink>,
    /// Pages with similar names.
    pub similar: Vec<String>,
    /// The template that the page was created from.
    pub template: Option<String>,
    /// Where the template puts the cursor.
    pub cursor: Option<Cursor>,
    /// What the page lacks for its type, by the template of that type.
    pub breaches: Vec<Breach>,
}

/// A place in the new page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cursor {
    /// The line, from 1.
    pub line: usize,
    /// The column in UTF-16 code units, from 0.
    pub column: usize,
}

/// Creates the page.
///
/// # Errors
/// [`Error::InvalidParams`] for a title, path or tag that cannot be used, or a path that is taken, and for an unknown
/// template, one with an error, or a field that is missing or invalid;
/// [`Error::NameTaken`] for a name that another page has, unless that is allowed; [`Error::OutsideProject`],
/// [`Error::Conflict`], [`Error::Io`]. On error, nothing is written.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let title = usable_title(&params.title)?;
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    context.refresh(false)?;
    let templates = Templates::load(context)?;
    let place = place(context, &params)?;
    let template = template(&templates, &params, place.as_ref().map(Place::folder))?;
    let path = match place {
        Some(Place::Path(path)) => path,
        place => {
            let folder = place.as_ref().map(Place::folder).or(template.and_then(|own| own.folder.as_deref()));
            free_path(context, folder.unwrap_or_default(), &path::file_name_for(&title), None)?
        }
    };
    let id = context.clock.new_id().to_string();
    let doc_type = params.doc_type.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let filled = template.map(|template| {
        let doc_type = doc_type.or(template.doc_type.as_deref()).unwrap_or_default();
        let (folder, fields) = (path::folder(&path), &params.fields);
        template.filled(context, &Filling { title: &title, doc_type, folder, id: id.clone(), fields })
    });
    let Filled { text: content, fields } =
        filled.transpose()?.unwrap_or_else(|| Filled { text: params.content.clone(), fields: Vec::new() });
    let given =
        text::Given { id, doc_type, tags: &params.tags, source_refs: &params.source_refs, fields: &fields };
    let (text, cursor) = match template {
        Some(_) => templates::without_cursor(&text::text_of(context, &path, &title, &content, &given)?),
        None => (text::text_of(context, &path, &title, &content, &given)?, None),
    };
    let bytes = text.clone().into_bytes();
    let change = Change::create(Version::new(path.clone(), bytes.clone()));
    let taken = names::taken(context, std::slice::from_ref(&change))?;
    let is_taken = !taken.pages.is_empty() || !taken.links.is_empty();
    let knowingly = params.allow_same_name || params.dry_run;
    if is_taken && !knowingly {
        return Err(names::refusal(&title, &taken));
    }
    let alike = context.index.read(|db| similar(db, &title))?;
    let similar = alike.into_iter().filter(|path| !taken.pages.contains(path)).collect();
    let plan = Plan::new("create_page", vec![change]).taking_links(knowingly);
    let written = carry_out(context, plan, params.dry_run)?;
    drop(held);
    let edited = edited::answer(context, &path, &bytes, written, params.dry_run)?;
    let breaches = breaches(context, &templates, &edited, &text)?;
    Ok(Output {
        edited,
        same_name: taken.pages,
        moved_links: taken.links,
        similar,
        template: template.map(|template| template.name.clone()),
        cursor: cursor.map(|(line, column)| Cursor { line, column }),
        breaches,
    })
}

/// The fields that have to be given before the page can be created; an interface may ask a person for them.
///
/// # Errors
/// As [`run`], if the template is unknown or has an error.
pub fn missing_fields(context: &Context<'_>, params: &Params) -> Result<Vec<Field>> {
    let templates = Templates::load(context)?;
    let place = place(context, params)?;
    let template = template(&templates, params, place.as_ref().map(Place::folder))?;
    Ok(template
        .map(|template| template.missing(&params.fields))
        .unwrap_or_default()
        .into_iter()
        .cloned()
        .collect())
}

/// Where the page goes.
enum Place {
    Path(String),
    Folder(String),
}

impl Place {
    fn folder(&self) -> &str {
        match self {
            Self::Path(path) => path::folder(path),
            Self::Folder(folder) => folder,
        }
    }
}

/// The given place, if there is one.
fn place(context: &Context<'_>, params: &Params) -> Result<Option<Place>> {
    match (&params.path, &params.folder) {
        (Some(_), Some(_)) => Err(Error::invalid(message!("give `path` or `folder`, not both"))),
        (Some(chosen), None) => Ok(Some(Place::Path(chosen_path(context, chosen, None)?))),
        (None, Some(folder)) => {
            let folder = folder.trim().trim_matches('/');
            let outside = || Error::OutsideProject { path: folder.into(), folder: "pages".into() };
            Ok(Some(Place::Folder(path::join("", &below_pages(context, folder)?).ok_or_else(outside)?)))
        }
        (None, None) => Ok(None),
    }
}

/// The template to use: the given one, or for a page without content the one for its type and folder.
fn template<'t>(
    templates: &'t Templates,
    params: &Params,
    folder: Option<&str>,
) -> Result<Option<&'t Template>> {
    let is_blank = params.content.trim().is_empty();
    let doc_type = params.doc_type.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let template = match params.template.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        Some(templates::NONE) => None,
        Some(_) if !is_blank => {
            return Err(Error::invalid(message!("give `content` or `template`, not both")));
        }
        Some(name) => Some(templates.named(name)?),
        None if is_blank => templates.fitting(doc_type, folder),
        None => None,
    };
    if template.is_none() && !params.fields.is_empty() {
        return Err(Error::invalid(message!("`fields` are those of a template; name it in `template`")));
    }
    Ok(template)
}

/// What the new page lacks for its type.
fn breaches(
    context: &Context<'_>,
    templates: &Templates,
    edited: &Edited,
    text: &str,
) -> Result<Vec<Breach>> {
    let own = templates.of_type(&edited.page.doc_type);
    if own.is_empty() {
        return Ok(Vec::new());
    }
    // A page that was not written has no links in the index yet.
    let typed = context.index.read(|db| match pages::at(db, &edited.page.filepath)? {
        Some(page) => links::typed(db, page),
        None => Ok(Vec::new()),
    })?;
    Ok(templates::breaches(&own, text, &parse(text, &context.link_types()), &typed))
}

/// Shows the new page, other pages with this name, and links that now lead to it.
pub fn show(output: &Output, page: &mut dyn Page) {
    let edited = &output.edited;
    let written = !edited.show_unwritten(page);
    if written {
        page.line(&[Span::said(&message!("Created {path}", path = Span::Path(&edited.page.filepath)))]);
    }
    for path in output.same_name.iter().map(|path| Span::Path(path)) {
        page.warn(&[Span::said(&message!("{path} has the same name", path))]);
    }
    for path in output.similar.iter().map(|path| Span::Path(path)) {
        page.warn(&[Span::said(&message!("{path} has a similar name", path))]);
    }
    for link in output.moved_links.iter().take(MOST_SHOWN) {
        let place = Span::Place(&link.filepath, link.line);
        let (target, led_to) = (Span::Text(&link.target), Span::Path(&link.led_to));
        page.warn(&[Span::said(&match written {
            true => message!(
                "{place}: the link to '{target}' now leads to the new page, not to {led_to}",
                place,
                target,
                led_to
            ),
            false => message!(
                "{place}: the link to '{target}' would lead to the new page, not to {led_to}",
                place,
                target,
                led_to
            ),
        })]);
    }
    let more = output.moved_links.len().saturating_sub(MOST_SHOWN);
    if more > 0 {
        let links = counted(more, "more link", "more links");
        page.warn(&[Span::said(&message!("the same for {links}", links))]);
    }
    let is_taken = !output.same_name.is_empty() || !output.moved_links.is_empty();
    if is_taken && !written {
        let title = edited.page.title.as_str();
        let anyway = Next::call("create_page").with("title", title).with("allow_same_name", true);
        let anyway = page.voice().ask(&anyway);
        page.hint(&[Span::said(&message!("{anyway} creates the page anyway", anyway))]);
    }
    for Breach { line, message, hint, .. } in &output.breaches {
        let place = Span::Place(&edited.page.filepath, *line);
        page.warn(&[place, Span::Text(": "), Span::Quoted(message), Span::Text("; "), Span::said(hint)]);
    }
    if written {
        edited.show_end(page);
    }
}
