//! For random projects: after a rename of anything, every link leads to the same page, place, file or picture as before.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::graph::resolve::Destination;
use crate::index::source_refs;
use crate::page::{Anchors, LinkKind, LinkTypes, Spot, front_matter, parse, sites, source_blocks};
use crate::render::Attachments;
use crate::text::fold_key;
use crate::writing::links::World;
use crate::{okf, path};

/// Random numbers, always the same for a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }

    fn one<'t, T: ?Sized>(&mut self, of: &[&'t T]) -> &'t T {
        of[self.below(of.len())]
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

const FOLDERS: [&str; 7] = ["", "guides", "guides/deep", "Notes", "notes x/guides", "deep", "日本"];
const NAMES: [&str; 9] = ["a", "b", "Setup", "Über", "c d", "x & y", "n#1", "q's", "日本語"];
const TITLES: [&str; 5] = ["A title", "Setup", "Über uns", "C++ (x)", "日本語"];
const HEADINGS: [&str; 9] =
    ["Setup", "A B", "Setup", "*Em* phasis", "C++", "`code` x", "日本語", "Q? (x) & y", "a.b [c]"];
const FILES: [&str; 9] = [
    "pages/guides/pic.png",
    "pages/pic.png",
    "pages/notes x/my pic (1).png",
    "pages/guides/code.rs",
    "src/a.ts",
    "src/lib/b.ts",
    "src/lib/deep/c.ts",
    "src/c#d.ts",
    "img/über.svg",
];

#[derive(Clone, Debug)]
struct Vault {
    pages: BTreeMap<String, String>,
    files: BTreeSet<String>,
}

impl Vault {
    fn random(dice: &mut Dice) -> Self {
        let mut paths: BTreeSet<String> = BTreeSet::new();
        let mut taken = BTreeSet::new();
        for _ in 0..3 + dice.below(7) {
            let (folder, name) = (dice.one(&FOLDERS), dice.one(&NAMES));
            let path = if folder.is_empty() { format!("{name}.md") } else { format!("{folder}/{name}.md") };
            if taken.insert(fold_key(&path)) {
                paths.insert(path);
            }
        }
        let files: BTreeSet<String> =
            FILES.iter().filter(|_| !dice.once_in(4)).map(|file| (*file).to_owned()).collect();
        let all: Vec<String> = paths.iter().cloned().collect();
        let pages = all.iter().map(|path| (path.clone(), page(dice, path, &all))).collect();
        Self { pages, files }
    }

    fn project(&self) -> Project {
        let pages: Vec<(&str, &str)> =
            self.pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let files: Vec<&str> = self.files.iter().map(String::as_str).collect();
        project(&pages, &files)
    }

    /// Where everything on the pages leads, by page and number.
    fn destinations(&self) -> BTreeMap<(String, usize), Leads> {
        let project = self.project();
        let types = LinkTypes::default();
        let attachments = Attachments::new(&project.source, "pages");
        project
            .index
            .read(|db| {
                let mut world = World::load(db, &project.source, "pages")?;
                let numbers = world.numbers();
                let mut found = BTreeMap::new();
                for (path, text) in &self.pages {
                    let number = numbers[path];
                    let mut all = Vec::new();
                    let mut leads = |kind: LinkKind, target: &str| -> crate::Result<Leads> {
                        Ok(match world.resolve(kind, target, number)? {
                            Destination::Page { page, anchor, .. } => {
                                let path = world.path(page).unwrap().to_owned();
                                let anchors = Anchors::of(&parse(&self.pages[&path], &types));
                                let spot = anchor.map(|anchor| anchors.find(&anchor).ok_or(anchor));
                                Leads::Page(path, spot)
                            }
                            Destination::Source(file) => {
                                let rest = target.split_once('#').map(|(_, rest)| rest.to_owned());
                                Leads::Source(file.clone(), rest.filter(|_| !file.contains('#')))
                            }
                            Destination::Attachment => attachments
                                .find(kind, target, path)?
                                .map_or(Leads::Nowhere, |file| Leads::Source(file, None)),
                            Destination::Unresolved => Leads::Nowhere,
                        })
                    };
                    for site in sites(text, &types) {
                        all.push(leads(site.kind, &site.target)?);
                    }
                    let fields = front_matter(text);
                    for entry in okf::sources(&fields.fields) {
                        all.push(leads(LinkKind::Markdown, entry)?);
                    }
                    let mut refs = source_refs(&fields, text, &mut Vec::new());
                    let body = text.get(fields.range.end..).unwrap_or_default();
                    refs.extend(source_blocks(body).into_iter().map(|block| block.named));
                    let is_file = |file: &str| {
                        self.files.contains(file)
                            || file.strip_prefix("pages/").is_some_and(|page| self.pages.contains_key(page))
                    };
                    for entry in refs {
                        let cut = entry.rfind('#').filter(|_| !is_file(&entry));
                        let (file, rest) = entry.split_at(cut.unwrap_or(entry.len()));
                        let rest = Some(rest.to_owned()).filter(|rest| !rest.is_empty());
                        all.push(match is_file(file) {
                            true => Leads::Source(file.to_owned(), rest),
                            false => Leads::Several(file.to_owned()),
                        });
                    }
                    let mut several = Vec::new();
                    for (at, one) in all.into_iter().enumerate() {
                        match one {
                            Leads::Several(entry) => several.push(entry),
                            one => drop(found.insert((path.clone(), at), one)),
                        }
                    }
                    for (at, entry) in several.into_iter().enumerate() {
                        found.insert((path.clone(), 10_000 + at), Leads::Several(entry));
                    }
                }
                Ok(found)
            })
            .unwrap()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Leads {
    /// A page, and a place on it by its number, or if there is none the name of it.
    Page(String, Option<Result<Spot, String>>),
    Source(String, Option<String>),
    /// A folder or glob.
    Several(String),
    Nowhere,
}

fn page(dice: &mut Dice, path: &str, all: &[String]) -> String {
    let mut text = String::new();
    if dice.once_in(2) {
        text.push_str("---\n");
        if dice.once_in(2) {
            text.push_str(&format!("title: {}\n", quoted(dice.one(&TITLES))));
        }
        match dice.below(4) {
            0 => text.push_str("aliases: [Nick, 'the \"one\"']\n"),
            1 => text.push_str("alias:\n  - \"Nick name\"\n  - other\n"),
            _ => {}
        }
        if dice.once_in(2) {
            text.push_str("tags: [x, x/y, z]\n");
        }
        if dice.once_in(2) {
            text.push_str("source_refs:\n");
            for _ in 0..1 + dice.below(3) {
                let entry = match dice.below(5) {
                    0 => format!("{}#f", dice.one(&FILES)),
                    1 => "src/lib".to_owned(),
                    2 => "src/lib/*.ts".to_owned(),
                    3 => format!("pages/{}", all[dice.below(all.len())]),
                    _ => dice.one(&FILES).to_owned(),
                };
                let written = if dice.once_in(2) || entry.contains(['#', '\'']) {
                    format!("\"{entry}\"")
                } else {
                    entry
                };
                text.push_str(&format!("  - {written}\n"));
            }
        }
        if dice.once_in(3) {
            let entry = destination(dice, path, all);
            text.push_str(&format!(
                "sources:\n  - {{ id: s, resource: {} }}\n  - plain words\n",
                quoted(&entry)
            ));
        }
        if dice.once_in(2) {
            let target = target(dice, path, all);
            let (one, two) = (format!("[[{target}]]"), format!("[[{}|text]]", all[dice.below(all.len())]));
            text.push_str(&format!("depends_on: [{}, {}] # why\n", quoted(&one), quoted(&two)));
        }
        text.push_str("---\n");
    }
    if dice.once_in(2) {
        text.push_str(&format!("# {}\n\n", dice.one(&TITLES)));
    }
    for block in 0..1 + dice.below(4) {
        if dice.once_in(2) {
            text.push_str(&format!("{} {}\n\n", "#".repeat(2 + dice.below(2)), dice.one(&HEADINGS)));
        }
        for _ in 0..dice.below(4) {
            let link = link(dice, path, all);
            text.push_str(&link);
        }
        if dice.once_in(3) {
            text.push_str(" #x and #x/deep");
        }
        text.push_str(&format!(" text ^k{block}\n\n"));
    }
    if dice.once_in(4) {
        text.push_str(&format!("```ubp-source {}\n```\n", dice.one(&FILES)));
    }
    if dice.once_in(3) {
        text.push_str("[[#Setup]] and [t](#setup)\n\nSetup\n=====\n");
    }
    let text = if dice.once_in(4) { text.replace('\n', "\r\n") } else { text };
    if dice.once_in(6) { format!("\u{feff}{text}") } else { text }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn anchor(dice: &mut Dice) -> String {
    match dice.below(7) {
        0 | 1 => format!("#{}", crate::writing::links::tests_plain(dice.one(&HEADINGS))),
        2 => format!("#^k{}", dice.below(3)),
        3 => format!("#A title#{}", dice.one(&["Setup", "A B"])),
        _ => String::new(),
    }
}

/// The target of a wikilink: a page by one of its names, a file or a picture.
fn target(dice: &mut Dice, path: &str, all: &[String]) -> String {
    let to = all[dice.below(all.len())].as_str();
    let name = match dice.below(8) {
        0 => path::page_name(to).to_owned(),
        1 => path::without_page_extension(to).to_owned(),
        2 => to.to_owned(),
        3 => dice.one(&TITLES).to_owned(),
        4 => dice.one(&["Nick", "nick name", "other", "nowhere", "guides/a"]).to_owned(),
        5 => {
            let way = path::relative(path::folder(path), path::without_page_extension(to));
            if way.starts_with("../") { way } else { format!("./{way}") }
        }
        6 => path::page_name(to).to_uppercase(),
        _ => {
            return dice
                .one(&[
                    "src/a.ts#f",
                    "src/lib/b.ts",
                    "pic.png",
                    "guides/pic.png",
                    "my pic (1).png",
                    "über.svg",
                ])
                .to_owned();
        }
    };
    format!("{name}{}", anchor(dice))
}

/// A decoded Markdown destination.
fn destination(dice: &mut Dice, path: &str, all: &[String]) -> String {
    let to = match dice.below(3) {
        0 => dice.one(&FILES).to_owned(),
        _ => format!("pages/{}", all[dice.below(all.len())]),
    };
    let here = path::join("pages", path::folder(path)).unwrap();
    match dice.below(4) {
        0 => to.strip_prefix("pages/").map_or(to.clone(), |to| format!("/{to}")),
        1 => to.strip_prefix("pages/").map_or(to.clone(), str::to_owned),
        _ => path::relative(&here, &to),
    }
}

fn link(dice: &mut Dice, path: &str, all: &[String]) -> String {
    let wiki = target(dice, path, all);
    let away = destination(dice, path, all);
    let encoded = crate::writing::links::encoded(&away, false, dice.once_in(2));
    match dice.below(11) {
        0 => format!("[[{wiki}]] "),
        1 => format!("![[{wiki}]] "),
        2 => format!("[[ {wiki} |depends_on| text]] "),
        3 => format!("[[{wiki}|*text*]] "),
        4 => format!("\n\n| t |\n|--|\n| [[{wiki}\\|x]] |\n\n"),
        5 => format!("[t]({encoded}{}) ", dice.one(&["", "#setup", "#^k0", "?q#a-b"])),
        6 => format!("[t](<{}> \"x\") ", crate::writing::links::encoded(&away, true, false)),
        7 => format!("![t]({encoded}) "),
        8 => format!("[t][r{n}] \n\n[r{n}]: {encoded}\n\n", n = dice.below(1_000_000)),
        9 => format!(
            "![t][i{n}] \n\n[i{n}]: <{}>\n\n",
            crate::writing::links::encoded(&away, true, false),
            n = dice.below(1_000_000)
        ),
        _ => format!("- [[{wiki}]]\n  > [t]({encoded})\n\n"),
    }
}

/// A random rename: the moves, or something on a page.
fn rename(dice: &mut Dice, vault: &Vault) -> Result<Vec<Move>, Renamed> {
    let paths: Vec<&String> = vault.pages.keys().collect();
    let some = |dice: &mut Dice| paths[dice.below(paths.len())].clone();
    let page = some(dice);
    let text = &vault.pages[&page];
    let parsed = parse(text, &LinkTypes::default());
    let place = |folder: &str, name: &str| path::join("pages", &format!("{folder}/{name}.md")).unwrap();
    let pair = |from: String, to: String| Move { from, to };
    let file = |page: &str| format!("pages/{page}");
    let names = ["New name", "a", "Setup", "x y & (z)", "日本", "100% q's"];
    match dice.below(12) {
        0 | 1 => Ok(vec![pair(file(&page), place(dice.one(&FOLDERS), dice.one(&names)))]),
        2 | 3 => {
            let from = dice.one(&FOLDERS[1..]);
            let to =
                dice.one(&["pages/handbook", "pages/Guides", "pages/x/y z", "pages/Über", "pages/deep/down"]);
            Ok(vec![pair(file(from), to.to_owned())])
        }
        4 => {
            let other = some(dice);
            match other == page {
                true => Ok(vec![pair(file(&page), file(&page.to_uppercase().replace(".MD", ".md")))]),
                false => Ok(vec![pair(file(&page), file(&other)), pair(file(&other), file(&page))]),
            }
        }
        5 => Ok(vec![
            pair("pages/guides".into(), "pages/handbook".into()),
            pair(file(&page), place("", dice.one(&names))),
        ]),
        6 => Ok(vec![pair("src".into(), dice.one(&["code", "pages/code", "src2/x"]).to_owned())]),
        7 => {
            let files: Vec<&str> = vault.files.iter().map(String::as_str).collect();
            let from = if files.is_empty() { "src/none.ts" } else { dice.one(&files) };
            let to = format!(
                "{}/{}.{}",
                dice.one(&["pages", "pages/img", "pages/guides/deep", "lib"]),
                dice.one(&["n", "pic", "new (2) é"]),
                from.rsplit('.').next().unwrap()
            );
            Ok(vec![pair(from.to_owned(), to)])
        }
        8 => {
            let headings: Vec<_> = parsed.sections.iter().filter(|section| section.level > 0).collect();
            match headings.is_empty() {
                true => Err(Renamed::Title { path: page, new: "Quite another".into() }),
                false => Err(Renamed::Heading {
                    path: page,
                    line: headings[dice.below(headings.len())].lines.0,
                    new: dice
                        .one(&["Install", "Setup", "A B", "x | y # z", "**Bold** `code`", "日本 [x]"])
                        .to_owned(),
                }),
            }
        }
        9 => Err(Renamed::Block {
            path: page,
            name: "k0".into(),
            new: dice.one(&["key", "k1", "K0"]).to_owned(),
        }),
        10 => match parsed.aliases.first() {
            Some(alias) => Err(Renamed::Alias {
                path: page,
                old: alias.clone(),
                new: dice.one(&["Fresh: one", "a", "Setup", "q's \"x\""]).to_owned(),
            }),
            None => Err(Renamed::Tag { tag: "x".into(), new: dice.one(&["n/m", "z", "Über"]).to_owned() }),
        },
        _ => Err(Renamed::Title {
            path: page,
            new: dice.one(&["Quite another", "A title", "a: b", "Über"]).to_owned(),
        }),
    }
}

/// Where a path goes: the longest move decides.
fn forward(moves: &[Move], path: &str) -> String {
    let fitting = moves.iter().filter(|one| path == one.from || path.starts_with(&format!("{}/", one.from)));
    match fitting.max_by_key(|one| one.from.len()) {
        Some(one) => format!("{}{}", one.to, &path[one.from.len()..]),
        None => path.to_owned(),
    }
}

fn check(seed: u64) -> bool {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..10 {
        dice.below(2);
    }
    let saved = Vault::random(&mut dice);
    // Some pages have an unsaved text.
    let (mut vault, mut drafts) = (saved.clone(), Drafts::default());
    let all: Vec<String> = saved.pages.keys().cloned().collect();
    if dice.once_in(3) {
        for path in all.iter().filter(|_| dice.once_in(3)).cloned().collect::<Vec<_>>() {
            let text = page(&mut dice, &path, &all);
            drafts.set(path.clone(), text.as_str());
            vault.pages.insert(path, text);
        }
    }
    let renaming = rename(&mut dice, &vault);
    let project = saved.project();
    let planned = match &renaming {
        Ok(moves) => plan_moves(&project.context(), moves, &drafts),
        Err(renamed) => plan_rename(&project.context(), renamed, &drafts),
    };
    let planned = match planned {
        Ok(planned) => planned,
        Err(error) => {
            let error = error.to_string();
            let known = [
                "already exists",
                "cannot be rewritten",
                "already has",
                "has no",
                "cannot be changed to",
                "no page has the tag",
                "would be read",
                "into itself",
                "the title would be",
            ];
            assert!(known.iter().any(|known| error.contains(known)), "seed {seed}: {error}\n{renaming:?}");
            return false;
        }
    };
    let moves = renaming.clone().unwrap_or_default();
    let mut now = vault.clone();
    for page in &planned {
        let text = applied(&vault.pages[&page.path], page);
        assert!(page.edits.iter().all(|(range, _)| range.len() < 120), "seed {seed}: small edits: {page:?}");
        now.pages.insert(page.path.clone(), text);
    }
    let page_to = |page: &str| {
        let to = forward(&moves, &format!("pages/{page}"));
        to.strip_prefix("pages/").unwrap_or("gone").to_owned()
    };
    now.pages = now.pages.into_iter().map(|(path, text)| (page_to(&path), text)).collect();
    now.files = now.files.iter().map(|file| forward(&moves, file)).collect();
    assert_eq!(now.pages.len(), vault.pages.len());
    let (was, is) = (vault.destinations(), now.destinations());
    assert_eq!(was.len(), is.len(), "seed {seed}: {renaming:?}\n{planned:?}");
    let mut several: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)> = BTreeMap::new();
    for ((page, at), led) in &was {
        let expected = match led.clone() {
            Leads::Page(path, spot) => Leads::Page(page_to(&path), spot),
            Leads::Source(file, rest) => {
                let file = forward(&moves, &file);
                Leads::Source(file, rest)
            }
            Leads::Several(entry) => {
                let folder = entry.split('*').next().unwrap().trim_end_matches('/');
                let new = entry.replacen(folder, &forward(&moves, folder), 1);
                // A file that was missing may be there now.
                let as_page = new.strip_prefix("pages/").unwrap_or_default();
                if now.files.contains(&new) || now.pages.contains_key(as_page) {
                    continue;
                }
                several.entry(page_to(page)).or_default().0.insert(new);
                continue;
            }
            Leads::Nowhere => continue,
        };
        // A place that did not exist may exist now.
        if matches!(&expected, Leads::Page(_, Some(Err(_)))) {
            continue;
        }
        let found = is.get(&(page_to(page), *at));
        // Entries are sorted, so that they may change places.
        let is_entry = is.iter().any(|((other, _), leads)| *other == page_to(page) && *leads == expected);
        let fits = found == Some(&expected) || (matches!(expected, Leads::Source(..)) && is_entry);
        assert!(
            fits,
            "seed {seed}: link {at} of {page} led to {led:?}, and now to {found:?}\n{renaming:?}\n{:?}\n{}\n---\n{}",
            planned.iter().find(|planned| planned.path == *page),
            vault.pages[page],
            now.pages[&page_to(page)],
        );
    }
    for ((page, _), led) in &is {
        if let Leads::Several(entry) = led {
            several.entry(page.clone()).or_default().1.insert(entry.clone());
        }
    }
    for (page, (expected, found)) in several {
        assert_eq!(expected, found, "seed {seed}: {page}");
    }
    true
}

#[test]
#[allow(clippy::disallowed_methods)]
fn no_link_leads_elsewhere_after_a_rename() {
    let rounds = if std::env::var_os("UBP_SOAK").is_some() { 20_000 } else { 200 };
    let made = (0..rounds).filter(|seed| check(*seed)).count();
    assert!(made * 10 > rounds as usize * 6, "only {made} of {rounds} renames were possible");
}
