//! Stores a file that a page shows or links, such as a pasted picture, in the project's folder for attachments. It never
//! overwrites a file, and a file that is there already is linked instead of stored again.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

use crate::graph::resolve::{Destination, Origin};
use crate::import::places::{Places, linkable_stem};
use crate::message;
use crate::message::Message;
use crate::ops::Facts;
use crate::ops::page::{PageName, path_of};
use crate::ops::resolve_links::only_link;
use crate::ops::written::show_undo;
use crate::ports::ContentHash;
use crate::render::{Attachments, is_attachment, is_picture, url};
use crate::show::{Page, Span};
use crate::writing::{Change, Plan, Version, carry_out_with};
use crate::{Context, Error, Result, globs, index, path, reported};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::writing("Store a file for a page, such as a pasted picture, and return the link to it.")
        .taking_file();

/// Maximum size of an attachment.
pub const MOST_BYTES: usize = 20 * 1024 * 1024;

/// Extensions of texts that may be stored. Links to them lead to files of the project.
const TEXTS: [&str; 12] =
    ["txt", "log", "csv", "tsv", "json", "jsonl", "yaml", "yml", "toml", "xml", "diff", "patch"];

/// The file to store.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page that will show it: path, id, title or alias.
    pub page: String,
    /// Its name, with its extension. It is changed as far as necessary to be valid on every system and in links.
    pub name: String,
    /// Its bytes in base64, at most 20 MB before encoding.
    pub base64: String,
}

/// The stored file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Its path relative to the pages folder.
    pub filepath: String,
    /// The link to it, for the text of the page: `![[name]]` for a picture, `[[name]]` or a Markdown link for others.
    pub link: String,
    /// SHA-256 of its bytes.
    pub content_hash: String,
    /// Whether the folder had the same file already, so that nothing was written.
    pub existed: bool,
    /// Id of the change in the audit log; absent when nothing was written.
    pub audit_id: Option<String>,
}

/// Stores the file.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`]; [`Error::InvalidParams`] for a file that is empty, too large or not
/// of an allowed kind, and for invalid base64; [`Error::OutsideProject`], [`Error::Conflict`], [`Error::Io`]. On error,
/// nothing is written.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    let (stem, ending) = name_of(&params.name)?;
    let bytes = bytes_of(&params)?;
    let (number, page) = context.index.read(|db| {
        let number = PageName { page: Some(&params.page), ..Default::default() }.require(db)?;
        Ok((number, path_of(db, number)?))
    })?;
    let today = context.clock.offset().to_datetime(context.clock.now()).date();
    let folder = context.manifest.attachments_folder(&page, today);
    // The name of a page may be one that a folder of attachments cannot have.
    if !folder.is_empty() && !path::can_be_attachment(&format!("{folder}/file")) {
        let words = reported!(
            "'{given}' cannot contain attachments, because it is hidden or in node_modules",
            given = folder
        );
        return Err(Error::invalid(Message::reported(words)));
    }
    let hash = ContentHash::of(&bytes);
    // Held until the file is written, so that nobody else takes its path.
    let held = context.source.lock()?;
    let there = Folder::read(context, folder)?;
    let (filepath, audit_id) = match there.same_file(context, &ending, &bytes)? {
        Some(filepath) => (filepath, None),
        None => {
            let filepath = there.free_path(context, &stem, &ending)?;
            // Without its bytes, because the log and the diff are for texts.
            let change = Change::create(Version { path: filepath.clone(), hash, bytes: None });
            let plan = Plan::new("add_attachment", vec![change]);
            let written = carry_out_with(context, plan, false, &|_| Ok(bytes.clone()))?;
            (filepath, written.audit_id)
        }
    };
    drop(held);
    let link = link_to(context, &filepath, number, &page)?;
    let existed = audit_id.is_none();
    Ok(Output { filepath, link, content_hash: hash.to_string(), existed, audit_id })
}

/// The name that the file gets if it is free, and its extension with the dot.
fn name_of(name: &str) -> Result<(String, String)> {
    let name: String = name.rsplit(['/', '\\']).next().unwrap_or_default().trim().nfc().collect();
    if path::is_page(&name) {
        return Err(Error::invalid(message!(
            "'{name}' is a page, and pages cannot be attached: create a page instead",
            name
        )));
    }
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    let is_text = TEXTS.iter().any(|known| ending.eq_ignore_ascii_case(known));
    if !is_text && !is_attachment(&format!("file.{ending}")) {
        return Err(Error::invalid(message!(
            "'{name}' is not of a kind that can be attached: pictures, audio, video, PDF, texts, archives and office files",
            name
        )));
    }
    Ok((linkable_stem(stem), format!(".{ending}")))
}

fn bytes_of(params: &Params) -> Result<Vec<u8>> {
    let too_large = || {
        let most = MOST_BYTES / 1024 / 1024;
        Error::invalid(message!(
            "'{name}' is too large: an attachment may have at most {most} MB",
            name = params.name,
            most
        ))
    };
    // Three bytes become four characters.
    if params.base64.len() > MOST_BYTES.div_ceil(3) * 4 {
        return Err(too_large());
    }
    let bytes = STANDARD
        .decode(&params.base64)
        .map_err(|error| Error::invalid(message!("`base64` is not base64: {error}", error)))?;
    match bytes.len() {
        0 => Err(Error::invalid(message!("'{name}' is empty", name = params.name))),
        size if size > MOST_BYTES => Err(too_large()),
        _ => Ok(bytes),
    }
}

/// The folder for new attachments, with the files in it.
struct Folder {
    /// Relative to the pages folder; empty for the pages folder itself.
    path: String,
    /// Paths relative to the pages folder.
    files: Vec<String>,
}

impl Folder {
    fn read(context: &Context<'_>, folder: String) -> Result<Self> {
        let inside = path::join(context.pages_dir(), &folder).unwrap_or_default();
        let above = if inside.is_empty() { inside } else { globs::escaped(&inside) + "/" };
        let below_pages = |file: String| match context.pages_dir() {
            "" => Some(file),
            pages => Some(file.strip_prefix(pages)?.strip_prefix('/')?.to_owned()),
        };
        let found = context.source.match_sources(&[above + "*"])?;
        Ok(Self { path: folder, files: found.into_iter().filter_map(below_pages).collect() })
    }

    /// A file with these bytes and this extension.
    fn same_file(&self, context: &Context<'_>, ending: &str, bytes: &[u8]) -> Result<Option<String>> {
        let has_ending = |file: &&String| {
            let at = file.len().checked_sub(ending.len());
            at.and_then(|at| file.get(at..)).is_some_and(|last| last.eq_ignore_ascii_case(ending))
        };
        for file in self.files.iter().filter(has_ending) {
            let Some(place) = path::join(context.pages_dir(), file) else { continue };
            let size = context.source.stat_source(&place)?.map(|stat| stat.size);
            if size == Some(bytes.len() as u64) && context.source.read_source(&place)? == bytes {
                return Ok(Some(file.clone()));
            }
        }
        Ok(None)
    }

    /// A path for a new file, with a number if the name is taken.
    fn free_path(&self, context: &Context<'_>, stem: &str, ending: &str) -> Result<String> {
        let mut places = Places::without(self.files.iter().map(String::as_str));
        loop {
            let found = places.take(&self.path, stem, ending);
            if !path::can_be_attachment(&found) {
                return Err(Error::not_an_attachment(&found));
            }
            let place = path::join(context.pages_dir(), &found).unwrap_or_default();
            // Listings leave out some files.
            if context.source.stat_source(&place)?.is_none() {
                return Ok(found);
            }
        }
    }
}

/// The shortest link from the page that leads to exactly this file.
fn link_to(context: &Context<'_>, file: &str, number: i64, page: &str) -> Result<String> {
    let types = context.link_types();
    let attachments = Attachments::new(context.source, context.pages_dir());
    let place = path::join(context.pages_dir(), file);
    let origin = Origin { page: number, path: page, pages_dir: context.pages_dir() };
    let mark = if is_picture(file) { "!" } else { "" };
    let name = path::file_name(file);
    context.index.read(|db| {
        for written in [format!("{mark}[[{name}]]"), format!("{mark}[[{file}]]")] {
            let Some(link) = only_link(&written, &types) else { continue };
            let found = match index::destination(db, context.source, link.kind, &link.target, origin)? {
                Destination::Attachment => attachments.find(link.kind, &link.target, page)?,
                Destination::Source(source) => Some(source),
                Destination::Page { .. } | Destination::Unresolved => None,
            };
            if found == place {
                return Ok(written);
            }
        }
        let from_page = url::encoded(&path::relative(path::folder(page), file));
        Ok(format!("{mark}[{name}]({from_page})"))
    })
}

/// Shows the link to the file.
pub fn show(output: &Output, page: &mut dyn Page) {
    let (file, link) = (Span::File(&output.filepath), Span::Code(&output.link));
    page.line(&[Span::said(&match output.existed {
        true => message!("{file} was there already: {link}", file, link),
        false => message!("{file} was stored: {link}", file, link),
    })]);
    show_undo(output.audit_id.as_deref(), page);
}
