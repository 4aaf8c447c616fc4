//! Resolves links that are not saved yet, so an editor need not have rules of its own.

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::graph::resolve::{Destination, Origin};
use crate::message;
use crate::ops::Facts;
use crate::ops::page::{PageName, path_of};
use crate::page::{self, LinkKind, LinkTypes, parse_destination};
use crate::render::{Attachments, place_id, url};
use crate::show::{Page, Span};
use crate::{Error, Result, index};

/// Facts about this operation.
pub const FACTS: Facts = Facts::reading("Resolve links while they are typed, before the page is saved.");

/// Maximum number of links and pictures in one call.
const MOST: usize = 1000;

/// The links to resolve.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page that contains them: path, id, title or alias.
    pub page: String,
    /// Links as written, brackets included: `[[page|type]]`, `![[page]]`, `[text](page.md)`.
    #[serde(default)]
    pub links: Vec<String>,
    /// Destinations of pictures as in Markdown, percent-encoded or not.
    #[serde(default)]
    pub pictures: Vec<String>,
}

/// The targets.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// One for each of `links`, in order; absent if it is not a link to a page or a file.
    pub links: Vec<Option<ResolvedLink>>,
    /// One for each of `pictures`, in order: its address on a site, relative to the root, percent-encoded; absent
    /// if the picture does not exist or is outside the project.
    pub pictures: Vec<Option<String>>,
    /// Link types of this project, including `references`.
    pub link_types: Vec<String>,
    /// Whether this project writes links as `[[label|page]]`.
    pub label_first: bool,
}

/// A link and its target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResolvedLink {
    /// Its syntax.
    pub kind: LinkKind,
    /// Its target as written, including heading or block.
    pub target: String,
    /// Its type.
    pub link_type: String,
    /// Its display text, if any.
    pub text: Option<String>,
    /// Path of the linked page.
    pub filepath: Option<String>,
    /// The heading or `^block` as written, for a link to a page.
    pub anchor: Option<String>,
    /// Id of that heading or block; absent if the page does not have it.
    pub place: Option<String>,
    /// Path of the linked file, relative to the project.
    pub source_path: Option<String>,
    /// Address, on a site, of the linked picture or attachment, relative to the root, percent-encoded.
    pub file_url: Option<String>,
}

/// Resolves the links.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`]; [`Error::InvalidParams`] for more than 1,000 at once;
/// [`Error::Database`], [`Error::Io`].
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    if params.links.len() + params.pictures.len() > MOST {
        return Err(Error::invalid(message!("at most {most} links and pictures at once", most = MOST)));
    }
    let types = context.link_types();
    let attachments = Attachments::new(context.source, context.pages_dir());
    context.index.read(|db| {
        let name = PageName { page: Some(&params.page), ..Default::default() };
        let number = name.require(db)?;
        let path = path_of(db, number)?;
        let origin = Origin { page: number, path: &path, pages_dir: context.pages_dir() };
        let file = |kind, target: &str| -> Result<Option<String>> {
            let found = attachments.find(kind, target, &path)?;
            Ok(found.map(|file| url::encoded(&url::attachment_file(&file, context.pages_dir()))))
        };
        let links = params.links.iter().map(|written| {
            let Some(link) = only_link(written, &types) else { return Ok(None) };
            let destination = index::destination(db, context.source, link.kind, &link.target, origin)?;
            let mut resolved = ResolvedLink {
                kind: link.kind,
                target: link.target,
                link_type: link.link_type,
                text: link.text,
                filepath: None,
                anchor: None,
                place: None,
                source_path: None,
                file_url: None,
            };
            match destination {
                Destination::Page { page, anchor, .. } => to_page(db, &mut resolved, page, anchor)?,
                Destination::Source(source) => resolved.source_path = Some(source),
                Destination::Attachment => resolved.file_url = file(resolved.kind, &resolved.target)?,
                Destination::Unresolved => {}
            }
            Ok(Some(resolved))
        });
        let links = links.collect::<Result<_>>()?;
        let pictures = params.pictures.iter().map(|destination| match parse_destination(destination) {
            Some(target) => file(LinkKind::Markdown, &target),
            None => Ok(None),
        });
        let pictures = pictures.collect::<Result<_>>()?;
        let link_types = types.iter().map(str::to_owned).collect();
        Ok(Output { links, pictures, link_types, label_first: types.is_label_first() })
    })
}

/// The link in `written`, if it is exactly one link.
pub(crate) fn only_link(written: &str, types: &LinkTypes) -> Option<page::Link> {
    // After a word it cannot be front matter or start a block.
    let line = format!("x {written}");
    let mut links = page::parse(&line, types).links;
    let link = links.pop()?;
    (links.is_empty() && link.range == (2..line.len())).then_some(link)
}

fn to_page(db: &Connection, link: &mut ResolvedLink, page: i64, anchor: Option<String>) -> Result<()> {
    link.filepath = Some(path_of(db, page)?);
    if let Some(anchor) = &anchor {
        link.place = place_id(db, page, anchor)?;
    }
    link.anchor = anchor;
    Ok(())
}

/// Shows the target of each link and picture, in order.
pub fn show(output: &Output, page: &mut dyn Page) {
    let broken = message!("broken link");
    for link in &output.links {
        let Some(link) = link else {
            page.item(&[Span::said(&message!("not a link to a page or file"))]);
            continue;
        };
        let end = match (&link.filepath, &link.source_path, &link.file_url) {
            (Some(path), _, _) => Span::Path(path),
            (None, Some(source), _) => Span::File(source),
            (None, None, Some(address)) => Span::Code(address),
            (None, None, None) => Span::alarm(&broken),
        };
        let link_type = format!(" ({})", link.link_type);
        page.item(&[Span::Code(&link.target), Span::Text(" -> "), end, Span::Faint(&link_type)]);
    }
    for picture in &output.pictures {
        page.item(&[Span::said(&match picture {
            Some(address) => message!("picture -> {address}", address = Span::Code(address)),
            None => message!("picture -> {missing}", missing = Span::alarm(&message!("no such picture"))),
        })]);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::index::tests::Project;

    fn project() -> Project {
        let project = Project::with_pages([
            ("auth/login.md", "# Login Feature\n\n## Flow\n\nStep. ^first\n"),
            ("db.md", "---\naliases: [データベース]\n---\n# User Database\n"),
        ]);
        project.source.put_source("pages/auth/shot 1.png", b"png", Timestamp::UNIX_EPOCH);
        project.source.put_source("src/login.ts", b"export {}", Timestamp::UNIX_EPOCH);
        project
    }

    fn resolved(links: &[&str]) -> Vec<Option<ResolvedLink>> {
        let links = links.iter().map(|&link| link.to_owned()).collect();
        let params = Params { page: "auth/login.md".into(), links, pictures: Vec::new() };
        run(&project().context(), params).unwrap().links
    }

    #[test]
    fn a_typed_link_leads_where_the_saved_link_would() {
        let links =
            resolved(&["[[user database|depends_on]]", "[[ﾃﾞｰﾀﾍﾞｰｽ|the tables]]", "[db](../db.md)", "![[db]]"]);
        let told: Vec<_> =
            links.iter().flatten().map(|link| (link.filepath.as_deref(), link.link_type.as_str())).collect();
        assert_eq!(told[0], (Some("db.md"), "depends_on"));
        assert_eq!(told[2], (Some("db.md"), "references"));
        assert_eq!(told[3], (Some("db.md"), "references"));
        assert_eq!(links[1].as_ref().unwrap().text.as_deref(), Some("the tables"));
    }

    #[test]
    fn a_missing_heading_or_block_has_no_place() {
        let links = resolved(&["[[#flow]]", "[[login#^first]]", "[[login#Elsewhere]]"]);
        let told: Vec<_> = links.iter().flatten().map(|link| link.place.as_deref()).collect();
        assert_eq!(told, [Some("login-feature/flow"), Some("^first"), None]);
        assert!(links.iter().flatten().all(|link| link.filepath.as_deref() == Some("auth/login.md")));
    }

    #[test]
    fn links_to_files_broken_links_and_other_text_are_distinguished() {
        let links = resolved(&[
            "[[src/login.ts]]",
            "[[nobody]]",
            "`[[db]]`",
            "[[db]] more",
            "[x](https://example.org)",
            "",
        ]);
        assert_eq!(links[0].as_ref().unwrap().source_path.as_deref(), Some("src/login.ts"));
        let nowhere = links[1].as_ref().unwrap();
        assert_eq!((&nowhere.filepath, &nowhere.source_path, &nowhere.file_url), (&None, &None, &None));
        assert_eq!(links[2..], [None, None, None, None]);
    }

    #[test]
    fn pictures_outside_the_project_have_no_address() {
        let pictures =
            ["shot%201.png", "shot 1.png", "none.png", "https://example.org/a.png", "../../../etc/passwd"];
        let pictures = pictures.map(str::to_owned).to_vec();
        let params = Params { page: "auth/login.md".into(), links: vec!["![[shot 1.png]]".into()], pictures };
        let answer = run(&project().context(), params).unwrap();
        let at = Some("auth/shot%201.png".to_owned());
        assert_eq!(answer.pictures, [at.clone(), at.clone(), None, None, None]);
        assert_eq!(answer.links[0].as_ref().unwrap().file_url, at);
    }
}
