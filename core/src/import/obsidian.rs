//! Obsidian's vaults are copied as they are. Only links are rewritten, and only if a file had to be renamed or the vault
//! goes into a folder, so that a link would lead elsewhere.

use std::cell::RefCell;
use std::collections::HashMap;

use super::draft::{Draft, Drafts, leave_out};
use super::places::{Places, below, valid_path};
use super::settle::{Meaning, Meant};
use super::tree::Tree;
use super::{Notice, NoticeKind, ReadFile};
use crate::graph::resolve::Destination;
use crate::page::{LinkKind, LinkTypes, Site, decode, parse};
use crate::ports::MemorySource;
use crate::progress::Cancel;
use crate::query::{Base, Problem};
use crate::render::Attachments;
use crate::text::Fence;
use crate::writing::links::World;
use crate::{Result, message, path, word};

/// Languages of code blocks that Obsidian or a plugin runs.
const QUERIES: [&str; 5] = ["dataview", "dataviewjs", "tasks", "query", "datacorejsx"];

/// What links of a vault lead to: the rules are the same as in a project.
pub(super) struct Vault<'a> {
    world: RefCell<World<'a>>,
    attachments: Attachments<'a>,
    /// Number and new path of a page by its path in the vault.
    pages: HashMap<String, (i64, String)>,
    files: HashMap<String, String>,
}

/// Copies the vault in `tree`, whose files that are not pages are in `files`.
pub(super) fn convert<'a>(
    tree: &Tree,
    read: &ReadFile<'_>,
    files: &'a MemorySource,
    types: &LinkTypes,
    into: &str,
    cancel: &Cancel,
) -> Result<(Drafts, Vault<'a>)> {
    let mut drafts = Drafts::default();
    let mut places = Places::default();
    let mut left = Vec::new();
    let mut vault = Vault {
        world: RefCell::new(World::empty(files, "")),
        attachments: Attachments::new(files, ""),
        pages: HashMap::new(),
        files: HashMap::new(),
    };
    for file in &tree.files {
        cancel.check()?;
        if let Some(reason) = reason_to_leave(file) {
            left.push((file.clone(), reason));
            continue;
        }
        let folder = below(into, &valid_path(path::folder(file)));
        let place = places.take_file(&folder, path::file_name(file));
        if path::is_base(file) {
            notice_base(file, &decode(&read(file)?).0, into, &mut drafts);
        }
        if !path::is_page(file) {
            vault.files.insert(file.clone(), place.clone());
            drafts.files.push((file.clone(), place));
            continue;
        }
        let draft = Draft::copied(file, &place, read(file)?);
        let page = parse(&draft.text, types);
        let title = page.title.unwrap_or_else(|| path::page_name(file).to_owned());
        let number = vault.pages.len() as i64 + 1;
        vault.world.borrow_mut().add(number, file, &title, &page.aliases);
        vault.pages.insert(file.clone(), (number, place));
        for (at, line) in draft.text.lines().enumerate() {
            let info = Fence::opening(line.trim_start()).map(|fence| fence.info.to_ascii_lowercase());
            if let Some(query) = QUERIES.iter().find(|query| info.as_deref() == Some(**query)) {
                let message = message!("a `{language}` block, which UBP shows as code", language = query);
                drafts.notice(NoticeKind::KeptAsText, file, at + 1, message);
            }
        }
        drafts.pages.push(draft);
    }
    leave_out(&mut drafts.notices, &left);
    drafts.made_of = vec![("pages", drafts.pages.len())];
    Ok((drafts, vault))
}

/// Lists what of a base UBP does not know.
fn notice_base(file: &str, text: &str, into: &str, drafts: &mut Drafts) {
    let (problems, unknown) = match Base::parse(text) {
        Ok(base) => (base.problems(), base.unknown()),
        Err(problem) => (vec![problem], Vec::new()),
    };
    for Problem { line, message } in problems {
        let message = message!("{message}; views that need this line have no answer", message);
        drafts.notice(NoticeKind::KeptAsText, file, line, message);
    }
    for Problem { line, message } in unknown {
        drafts.notice(NoticeKind::KeptAsText, file, line, message);
    }
    let names_folders = ["inFolder", "file.folder", "file.path"].iter().any(|word| text.contains(word));
    if !into.is_empty() && names_folders {
        let message = message!("folders in this base are those of the vault, without `{into}/`", into);
        drafts.notices.push(Notice::file(NoticeKind::KeptAsText, file, message));
    }
}

fn reason_to_leave(file: &str) -> Option<&'static str> {
    let mut parts = file.split('/');
    let first = parts.next().unwrap_or_default();
    match first {
        ".obsidian" => Some(word!("settings and plugins of Obsidian")),
        ".trash" => Some(word!("notes that were deleted in Obsidian")),
        _ if file.split('/').any(|part| part.starts_with('.')) => Some(word!("a hidden file")),
        _ if file.split('/').any(|part| matches!(part, "node_modules" | "__MACOSX")) => {
            Some(word!("not notes"))
        }
        _ => None,
    }
}

impl Meaning for Vault<'_> {
    fn of(&self, draft: &Draft, site: &Site) -> Meant {
        let number = self.pages.get(&draft.from).map_or(0, |(number, _)| *number);
        let mut world = self.world.borrow_mut();
        let file = |file: Option<&str>| match file.and_then(|file| self.files.get(file)) {
            Some(place) => Meant::File(place.clone()),
            None => Meant::Broken,
        };
        match world.resolve(site.kind, &site.target, number) {
            Ok(Destination::Page { page, .. }) => {
                let place = world.path(page).and_then(|path| self.pages.get(path));
                place.map_or(Meant::Elsewhere, |(_, place)| Meant::Page(place.clone()))
            }
            Ok(Destination::Attachment) => {
                let found = self.attachments.find(site.kind, &site.target, &draft.from);
                file(found.ok().flatten().as_deref())
            }
            Ok(Destination::Source(path)) => file(Some(&path)),
            _ if site.kind == LinkKind::Markdown && path::is_page(&site.name) => Meant::Broken,
            _ => Meant::Elsewhere,
        }
    }
}
