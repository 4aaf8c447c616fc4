//! Creates a page. It never overwrites a page, and refuses a name that another page has unless that is allowed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::hint::Next;
use crate::manifest::FrontMatterMode;
use crate::ops::edited::{self, Edited, below_pages, chosen_path, free_path, usable_title};
use crate::ops::page::{similar, to_the_second};
use crate::ops::{Facts, Tool};
use crate::page::{has_front_matter, parse, set_fields};
use crate::show::{Page, Span, counted};
use crate::writing::{Change, MovedLink, Plan, Version, carry_out, names};
use crate::{Error, Result, path, text};

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
}

/// Creates the page.
///
/// # Errors
/// [`Error::InvalidParams`] for a title, path or tag that cannot be used, or a path that is taken;
/// [`Error::NameTaken`] for a name that another page has, unless that is allowed; [`Error::OutsideProject`],
/// [`Error::Conflict`], [`Error::Io`]. On error, nothing is written.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let title = usable_title(&params.title)?;
    let held = if params.dry_run { None } else { Some(context.source.lock()?) };
    context.refresh(false)?;
    let path = match (&params.path, &params.folder) {
        (Some(_), Some(_)) => return Err(Error::invalid("give `path` or `folder`, not both")),
        (Some(chosen), None) => chosen_path(context, chosen, None)?,
        (None, folder) => {
            let folder = folder.as_deref().unwrap_or_default().trim().trim_matches('/');
            let outside = || Error::OutsideProject { path: folder.into(), folder: "pages".into() };
            let folder = path::join("", &below_pages(context, folder)?).ok_or_else(outside)?;
            free_path(context, &folder, &path::file_name_for(&title), None)?
        }
    };
    let bytes = text_of(context, &path, &title, &params)?.into_bytes();
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
    Ok(Output { edited, same_name: taken.pages, moved_links: taken.links, similar })
}

fn text_of(context: &Context<'_>, path: &str, title: &str, params: &Params) -> Result<String> {
    let types = context.link_types();
    let content = params.content.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let own = parse(&content, &types);
    let has_heading = own.sections.iter().any(|section| section.level == 1);
    let mut page = if has_heading || own.title.is_some() {
        content
    } else if has_front_matter(&content) {
        let (front, body) = content.split_at(own.front_matter.range.end);
        format!("{front}# {title}\n\n{}", body.trim_start_matches('\n'))
    } else if content.trim().is_empty() {
        format!("# {title}\n")
    } else {
        format!("# {title}\n\n{}", content.trim_start_matches('\n'))
    };
    if !page.ends_with('\n') {
        page.push('\n');
    }
    let mut fields: Vec<(&str, String)> = Vec::new();
    let managed = context.manifest.frontmatter == FrontMatterMode::Managed;
    if managed && own.front_matter.get("id").is_none() {
        fields.push(("id", context.clock.new_id().to_string()));
    }
    let now_called = parse(&page, &types).title;
    let differs = now_called.as_deref().is_none_or(|now| text::fold_key(now) != text::fold_key(title));
    if differs || (managed && own.front_matter.get("title").is_none()) {
        fields.push(("title", title.to_owned()));
    }
    if let Some(doc_type) = params.doc_type.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
        fields.push(("type", doc_type.to_owned()));
    }
    if managed {
        let now = to_the_second(context.clock.now());
        for key in ["created_at", "updated_at"] {
            if own.front_matter.get(key).is_none() {
                fields.push((key, now.clone()));
            }
        }
    }
    let borrowed: Vec<(&str, &str)> = fields.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let mut page = set_fields(path, &page, &borrowed)?;
    for (key, items) in [("tags", &params.tags), ("source_refs", &params.source_refs)] {
        page = with_list(context, path, page, key, items)?;
    }
    Ok(page)
}

/// Adds a list to the front matter of a page, one item per line.
fn with_list(context: &Context<'_>, path: &str, page: String, key: &str, items: &[String]) -> Result<String> {
    if items.is_empty() {
        return Ok(page);
    }
    let items: Vec<&str> = items.iter().map(|item| item.trim().trim_start_matches('#')).collect();
    let unfit = |item: &&&str| {
        let blank = key == "tags" && item.contains(char::is_whitespace);
        item.is_empty() || blank || item.chars().any(char::is_control)
    };
    if let Some(item) = items.iter().find(unfit) {
        return Err(Error::invalid(format!("`{key}`: '{item}' cannot be used")));
    }
    let types = context.link_types();
    if parse(&page, &types).front_matter.get(key).is_some() {
        return Err(Error::invalid(format!("`{key}` is already in the front matter of `content`")));
    }
    // Adding an empty field first finds the place for the list.
    let marked = set_fields(path, &page, &[(key, "x")])?;
    let line = format!("{key}: x\n");
    let is_plain = |item: &str| {
        item.starts_with(|c: char| c.is_alphabetic())
            && item.chars().all(|c| c.is_alphanumeric() || "-_/.".contains(c))
    };
    let written = |item: &&str| match is_plain(item) {
        true => format!("  - {item}\n"),
        false => format!("  - '{}'\n", item.replace('\'', "''")),
    };
    let quoted: String = items.iter().map(written).collect();
    let at = marked.rfind(&line).filter(|&at| at < parse(&marked, &types).front_matter.range.end);
    let place = at.and_then(|at| Some((marked.get(..at)?, marked.get(at + line.len()..)?)));
    let Some((before, after)) = place else {
        return Err(Error::invalid(format!("`{key}` cannot be added to the front matter of `content`")));
    };
    Ok(format!("{before}{key}:\n{quoted}{after}"))
}

/// Shows the new page, other pages with this name, and links that now lead to it.
pub fn show(output: &Output, page: &mut dyn Page) {
    let edited = &output.edited;
    let written = !edited.written.show_dry_run(page);
    if written {
        page.line(&[Span::Text("Created "), Span::Path(&edited.page.filepath)]);
    }
    for (pages, what) in [(&output.same_name, " has the same name"), (&output.similar, " has a similar name")]
    {
        for path in pages {
            page.warn(&[Span::Path(path), Span::Text(what)]);
        }
    }
    let leads = if written {
        "' now leads to the new page, not to "
    } else {
        "' would lead to the new page, not to "
    };
    for link in output.moved_links.iter().take(MOST_SHOWN) {
        let place = Span::Place(&link.filepath, link.line);
        let (target, led_to) = (Span::Text(&link.target), Span::Path(&link.led_to));
        page.warn(&[place, Span::Text(": the link to '"), target, Span::Text(leads), led_to]);
    }
    let more = output.moved_links.len().saturating_sub(MOST_SHOWN);
    if more > 0 {
        let links = counted(more, "more link", "more links");
        page.warn(&[Span::Text(&format!("the same for {links}"))]);
    }
    let is_taken = !output.same_name.is_empty() || !output.moved_links.is_empty();
    if is_taken && !written {
        let title = edited.page.title.as_str();
        let anyway = Next::call("create_page").with("title", title).with("allow_same_name", true);
        let anyway = page.voice().ask(&anyway);
        page.hint(&[Span::Text(&anyway), Span::Text(" creates the page anyway")]);
    }
    if written {
        edited.show_end(page);
    }
}
