//! Makes every link of the converted pages lead to where it led in the export, and proves it: the finished text is read
//! as any page is, and its links are resolved among all pages of the project.

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag};

use super::draft::{Draft, Drafts};
use super::{Counts, Notice, NoticeKind};
use crate::graph::resolve::Destination;
use crate::page::{Lines, LinkKind, LinkTypes, Site, Syntax, markdown_options, parse, sites};
use crate::ports::MemorySource;
use crate::progress::{Cancel, Progress, Stage};
use crate::render::Attachments;
use crate::writing::links::{World, encoded, spliced};
use crate::{Result, message, path};

/// What a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meant {
    /// The page with this new path.
    Page(String),
    /// The other file with this new path.
    File(String),
    /// Something that is not in the export by its nature: an address, code, a page that nobody wrote.
    Elsewhere,
    /// A file that the export should have, but has not.
    Broken,
}

/// What links led to in an export.
pub(super) trait Meaning {
    /// What the link at `site` of `draft` leads to.
    fn of(&self, draft: &Draft, site: &Site) -> Meant;
}

/// A page to write.
#[derive(Debug, Clone)]
pub(super) struct NewPage {
    /// Path in the export, relative to the folder with the notes.
    pub from: String,
    /// Path relative to the pages folder.
    pub path: String,
    pub bytes: Vec<u8>,
}

/// The finished pages.
#[derive(Debug, Default)]
pub(super) struct Settled {
    pub pages: Vec<NewPage>,
    /// Links to pages of the export: before and after.
    pub links: Counts,
    /// Links to other files of the export: before and after.
    pub file_links: Counts,
}

/// Everything that links can lead to: existing and new pages, and new files.
pub(super) struct Neighbourhood<'a> {
    world: World<'a>,
    numbers: HashMap<String, i64>,
    attachments: Attachments<'a>,
    pages_dir: &'a str,
    types: &'a LinkTypes,
}

impl<'a> Neighbourhood<'a> {
    /// Adds the pages and files of `drafts` to the pages in `world`. `files` has the new files.
    pub(super) fn new(
        mut world: World<'a>,
        drafts: &Drafts,
        files: &'a MemorySource,
        pages_dir: &'a str,
        types: &'a LinkTypes,
    ) -> Self {
        let mut numbers = world.numbers();
        for draft in &drafts.pages {
            if numbers.contains_key(&draft.path) {
                continue;
            }
            // Negative numbers are unused.
            let number = -1 - numbers.len() as i64;
            let page = parse(&draft.text, types);
            let title = page.title.unwrap_or_else(|| path::page_name(&draft.path).to_owned());
            world.add(number, &draft.path, &title, &page.aliases);
            numbers.insert(draft.path.clone(), number);
        }
        for (_, place) in &drafts.files {
            world.add_file(&path::join(pages_dir, place).unwrap_or_default());
        }
        Self { world, numbers, attachments: Attachments::new(files, pages_dir), pages_dir, types }
    }

    /// Whether the link at `site`, on the page at `page`, leads to what is meant.
    fn leads(&mut self, page: &str, site: &Site, meant: &Meant) -> Result<bool> {
        let number = self.numbers.get(page).copied().unwrap_or(0);
        let found = self.world.resolve(site.kind, &site.target, number)?;
        Ok(match (meant, found) {
            (Meant::Page(wanted), Destination::Page { page, .. }) => {
                self.world.path(page) == Some(wanted.as_str())
            }
            (Meant::File(wanted), found) => {
                let file = match found {
                    Destination::Attachment => self.attachments.find(site.kind, &site.target, page)?,
                    Destination::Source(file) => Some(file),
                    _ => None,
                };
                file.is_some() && file == path::join(self.pages_dir, wanted)
            }
            _ => false,
        })
    }

    /// Finishes the pages. Links that cannot be kept become notices of `drafts`.
    ///
    /// # Errors
    /// [`crate::Error::Database`], [`crate::Error::Io`], [`crate::Error::Cancelled`].
    pub(super) fn settle(
        &mut self,
        drafts: &mut Drafts,
        meaning: &dyn Meaning,
        progress: &dyn Progress,
        cancel: &Cancel,
    ) -> Result<Settled> {
        let mut settled = Settled::default();
        let total = drafts.pages.len();
        for (done, draft) in std::mem::take(&mut drafts.pages).into_iter().enumerate() {
            cancel.check()?;
            let bytes = self.page(&draft, meaning, &mut settled, &mut drafts.notices)?;
            settled.pages.push(NewPage { from: draft.from, path: draft.path, bytes });
            progress.advance(Stage::Pages, done + 1, total);
        }
        Ok(settled)
    }

    fn page(
        &mut self,
        draft: &Draft,
        meaning: &dyn Meaning,
        settled: &mut Settled,
        notices: &mut Vec<Notice>,
    ) -> Result<Vec<u8>> {
        let found = sites(&draft.text, self.types);
        let mut wanted = Vec::with_capacity(found.len());
        let mut splices = Vec::new();
        for site in &found {
            let meant = meaning.of(draft, site);
            let is_kept = matches!(meant, Meant::Elsewhere | Meant::Broken)
                || (is_exact(draft, site, &meant) && self.leads(&draft.path, site, &meant)?);
            if !is_kept && let Some(splice) = respelled(draft, site, &meant, self.types) {
                splices.push(splice);
            }
            wanted.push(meant);
        }
        splices.sort_by_key(|(range, _): &(Range<usize>, String)| range.start);
        // Several references may share a definition.
        splices.dedup_by_key(|(range, _)| range.start);
        // The text of a file in another encoding is not the file.
        let is_text = draft.verbatim.as_deref().is_none_or(|bytes| std::str::from_utf8(bytes).is_ok());
        let text = if splices.is_empty() || !is_text { None } else { spliced(&draft.text, &splices) };
        let now = text.as_deref().map(|text| sites(text, self.types));
        let now = now.filter(|now| now.len() == found.len());
        for (at, (site, meant)) in found.iter().zip(&wanted).enumerate() {
            let after = now.as_ref().and_then(|now| now.get(at)).unwrap_or(site);
            let line = Some(draft.origin(site.line));
            let counts = match meant {
                Meant::Page(_) => &mut settled.links,
                Meant::File(_) => &mut settled.file_links,
                Meant::Elsewhere => continue,
                Meant::Broken => {
                    let message = message!("'{target}' leads to nothing in the export", target = site.target);
                    notices.push(Notice {
                        kind: NoticeKind::Broken,
                        file: draft.from.clone(),
                        line,
                        message,
                    });
                    continue;
                }
            };
            counts.before += 1;
            if self.leads(&draft.path, after, meant)? {
                counts.after += 1;
            } else {
                let (Meant::Page(place) | Meant::File(place)) = meant else { continue };
                let message =
                    message!("the link '{target}' to {place} could not be kept", target = site.target, place);
                notices.push(Notice { kind: NoticeKind::LostLink, file: draft.from.clone(), line, message });
            }
        }
        let text = text.filter(|_| now.is_some());
        Ok(match (text, &draft.verbatim) {
            (Some(text), _) => text.into_bytes(),
            (None, Some(bytes)) => bytes.clone(),
            (None, None) => draft.text.clone().into_bytes(),
        })
    }
}

/// Whether a Markdown link is the path of what is meant, so that it does not lead there for UBP alone. Pages that are
/// copied keep what they have.
fn is_exact(draft: &Draft, site: &Site, meant: &Meant) -> bool {
    let (Meant::Page(place) | Meant::File(place)) = meant else { return true };
    if draft.verbatim.is_some() || !matches!(site.syntax, Syntax::Destination { .. }) {
        return true;
    }
    let bare = site.target.split('#').next().unwrap_or(&site.target);
    let folder = path::folder(&draft.path);
    [site.target.as_str(), bare].iter().any(|target| path::join(folder, target).as_ref() == Some(place))
}

/// The range of a link's target, and the text that leads to what is meant: a full path in a wikilink, and a path from
/// here in a Markdown link.
fn respelled(draft: &Draft, site: &Site, meant: &Meant, types: &LinkTypes) -> Option<(Range<usize>, String)> {
    let (place, is_page) = match meant {
        Meant::Page(place) => (place, true),
        Meant::File(place) => (place, false),
        _ => return None,
    };
    let written = draft.text.get(site.range.clone())?;
    let anchor = written.find('#').and_then(|at| written.get(at..)).unwrap_or_default();
    if let Syntax::Destination { angle } = site.syntax {
        let way = path::relative(path::folder(&draft.path), place);
        return Some((site.range.clone(), format!("{}{anchor}", encoded(&way, angle, false))));
    }
    let target = if is_page { path::without_page_extension(place) } else { place };
    if target.contains(['|', '[', ']', '#', '\\']) {
        return None;
    }
    let whole = draft.text.get(site.whole.clone())?;
    let line_start = draft.text.get(..site.whole.start)?.rfind('\n').map_or(0, |at| at + 1);
    let in_table = draft.text.get(line_start..)?.trim_start().starts_with('|');
    // So that the same words are shown as before.
    let needs_label = site.kind == LinkKind::Wiki && !whole.contains('|') && types.exact(written).is_none();
    let label = match (needs_label, in_table) {
        (true, true) => format!("\\|{written}"),
        (true, false) => format!("|{written}"),
        (false, _) => String::new(),
    };
    Some((site.range.clone(), format!("{target}{anchor}{label}")))
}

/// A path as the destination of a Markdown link.
pub(super) fn destination(path: &str) -> String {
    encoded(path, false, false)
}

/// An address in a text.
pub(super) struct Address {
    /// Its bytes.
    pub range: Range<usize>,
    pub url: String,
    /// Line of the link, from 1.
    pub line: usize,
}

/// The addresses of the Markdown links in a text.
pub(super) fn addresses(text: &str) -> Vec<Address> {
    let lines = Lines::new(text);
    let mut found = Vec::new();
    for (event, whole) in Parser::new_ext(text, markdown_options()).into_offset_iter() {
        let Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, .. }) = event else { continue };
        if !dest_url.contains("://") {
            continue;
        }
        let source = text.get(whole.clone()).unwrap_or_default();
        // An address with escapes is not found, and stays.
        let Some(at) = source.rfind(&*dest_url) else { continue };
        let start = whole.start + at;
        found.push(Address {
            range: start..start + dest_url.len(),
            url: dest_url.to_string(),
            line: lines.line_of(whole.start),
        });
    }
    found
}
