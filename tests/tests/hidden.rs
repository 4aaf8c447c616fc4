//! What is hidden from an agent shows in no answer. Random vaults and rights: every operation, with random parameters,
//! answers as in a project that never had the hidden files.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use ubp_core::index::Index;
use ubp_core::manifest::{AuthorRights, Manifest, Right};
use ubp_core::ops::{Effect, OPERATIONS, Operation};
use ubp_core::ports::{ContentHash, FixedClock, MemoryHistory, MemorySource, NoSymbols, Source};
use ubp_core::progress::{Cancel, Silent};
use ubp_core::proposals::Proposing;
use ubp_core::{Caller, Context, Engine};
use ubp_host::view::View;
use ubp_testing::HashEmbedder;
use ubp_tests::generator::Random;

/// The author, as a client calls itself.
const AGENT: &str = "claude 1.0";

/// Words of every page.
const WORDS: [&str; 24] = [
    "session", "token", "login", "user", "database", "cache", "index", "page", "link", "search", "vector",
    "model", "server", "client", "agent", "review", "proposal", "right", "author", "path", "the", "of",
    "認証", "設計",
];

/// Folders of pages, in spellings that differ in case only.
const FOLDERS: [&str; 6] = ["", "notes/", "private/", "Private/", "private/deep/", "team/"];

/// Paths of rules.
const PATTERNS: [&str; 14] = [
    "private/",
    "PRIVATE",
    "private/deep/",
    "notes/*.md",
    "team/**",
    "*2*",
    "**/p1*.md",
    "/src/",
    "/src/*2.rs",
    "**",
    "templates/",
    "attachments",
    "memory/",
    "*.base",
];

fn pick<'a, T: ?Sized>(random: &mut Random, from: &[&'a T]) -> &'a T {
    from[random.below(from.len())]
}

/// A vault: its files, and what is hidden from the agent.
struct Vault {
    pages: Vec<(String, String)>,
    sources: Vec<(String, String)>,
    states: Vec<(String, Vec<String>)>,
    rights: AuthorRights,
    manifest: Manifest,
    /// Words that only hidden files have.
    secrets: BTreeSet<String>,
}

impl Vault {
    fn random(random: &mut Random) -> Self {
        let pages_dir = pick(random, &["pages", ".", "docs/Pages"]);
        let rules: Vec<Value> = (0..1 + random.below(5))
            .map(|_| {
                let author = pick(random, &["*", "*", "claude", "other"]);
                let right = pick(random, &["hide", "hide", "read", "propose", "apply"]);
                json!({ "author": author, "path": pick(random, &PATTERNS), "right": right })
            })
            // Something is hidden, and something is not.
            .chain([json!({ "author": "*", "path": "private/p0.md", "right": "hide" })])
            .chain([json!({ "author": "*", "path": "open.md", "right": "apply" })])
            .collect();
        let text = json!({
            "pages_dir": pages_dir, "rights": rules, "search": { "record_gaps": false },
            "frontmatter": pick(random, &["managed", "preserved"]), "templates_dir": null,
        });
        let manifest = Manifest::parse(&text.to_string(), "m").unwrap();
        let rights = AuthorRights::of(&manifest, Some(AGENT), &[]).unwrap();
        let mut vault = Self {
            pages: Vec::new(),
            sources: Vec::new(),
            states: Vec::new(),
            rights,
            manifest,
            secrets: BTreeSet::new(),
        };
        let count = 4 + random.below(14);
        let mut paths: BTreeSet<String> = ["open.md", "private/p0.md"].map(str::to_owned).into();
        for number in 0..count {
            let name = if random.below(8) == 0 {
                "memory/note/".to_owned()
            } else {
                pick(random, &FOLDERS).to_owned()
            };
            paths.insert(format!("{name}p{number}.md"));
        }
        for number in 0..3 {
            let name = format!("src/code{number}.rs");
            let secret = match vault.rights.file(&name) {
                Right::Hide => vault.secret(random),
                _ => String::new(),
            };
            vault.sources.push((name, format!("// {secret} {number}\n")));
        }
        for name in ["picture.png", "attachments/p2.png", "all.base", "private/hidden.base"] {
            let text =
                if name.ends_with(".base") { "views:\n  - type: table\n    name: All\n" } else { "png" };
            vault.sources.push((vault.in_project(name), text.to_owned()));
        }
        let paths: Vec<String> = paths.into_iter().collect();
        for path in &paths {
            let text = vault.page(random, path, &paths);
            vault.pages.push((path.clone(), text));
        }
        vault.records(random);
        vault
    }

    fn in_project(&self, page: &str) -> String {
        ubp_core::path::join(self.manifest.pages_folder(), page).unwrap()
    }

    fn shows(&self, page: &str) -> bool {
        self.rights.page(page) > Right::Hide
    }

    fn shows_file(&self, file: &str) -> bool {
        self.rights.file(file) > Right::Hide
    }

    fn secret(&mut self, random: &mut Random) -> String {
        let word = format!("zq{}x", random.below(1_000_000));
        self.secrets.insert(word.clone());
        word
    }

    fn page(&mut self, random: &mut Random, path: &str, paths: &[String]) -> String {
        let hidden = !self.shows(path);
        let mut front = String::new();
        let word = |vault: &mut Self, random: &mut Random| match hidden && random.below(3) == 0 {
            true => vault.secret(random),
            false => (*pick(random, &WORDS)).to_owned(),
        };
        if random.below(2) == 0 {
            front += &format!("title: {} {}\n", word(self, random), word(self, random));
        }
        if random.below(3) == 0 {
            front += &format!("tags: [{}]\n", word(self, random));
        }
        if random.below(3) == 0 {
            front += &format!("aliases: [{}]\n", word(self, random));
        }
        if random.below(3) == 0 {
            front += &format!("type: {}\n", pick(random, &["spec", "api", "guide"]));
        }
        if random.below(2) == 0 {
            let source = pick(random, &["src/code0.rs", "src/code2.rs", "src/**", "src/none.rs"]);
            front += &format!("source_refs: [{source}]\n");
        }
        if random.below(3) == 0 {
            front += &format!(
                "{}: {}\n",
                if hidden { word(self, random) } else { "status".into() },
                random.below(9)
            );
        }
        if path.starts_with("memory/") {
            front += &format!("topic: {}\nconfidence: 0.9\n", word(self, random));
            front = front.replace("type: spec\n", "").replace("type: api\n", "").replace("type: guide\n", "");
            front += "type: note\n";
        }
        let mut text = String::new();
        for section in 0..1 + random.below(3) {
            if section > 0 || random.below(2) == 0 {
                text += &format!("{} {}\n\n", "#".repeat(section + 1), word(self, random));
            }
            for _ in 0..1 + random.below(12) {
                text += &word(self, random);
                text.push(' ');
            }
            if random.below(2) == 0 {
                let other = pick(random, &paths.iter().map(String::as_str).collect::<Vec<_>>());
                let name = ubp_core::path::page_name(other);
                let link = match random.below(4) {
                    0 => format!("[[{name}]]"),
                    1 => format!("[[{}|depends_on]]", ubp_core::path::without_page_extension(other)),
                    2 => format!("![[{name}]]"),
                    _ => format!("[x]({})", ubp_core::path::relative(ubp_core::path::folder(path), other)),
                };
                text += &link;
            }
            if random.below(3) == 0 {
                let other = pick(random, &paths.iter().map(String::as_str).collect::<Vec<_>>());
                let named = match random.below(2) {
                    0 => format!("src/code{}.rs", random.below(3)),
                    _ => self.in_project(other),
                };
                text += &format!("\n\n```ubp-source {named}\n```");
            }
            text += "\n\n";
        }
        if front.is_empty() { text } else { format!("---\n{front}---\n{text}") }
    }

    /// Reviews, decisions, changes, proposals, favourites and questions.
    fn records(&mut self, random: &mut Random) {
        let pages: Vec<(String, String)> = self.pages.clone();
        let any = |random: &mut Random| pages[random.below(pages.len())].clone();
        let hash = |text: &str| ContentHash::of(text.as_bytes()).to_string();
        let mut reviews: BTreeSet<String> = BTreeSet::new();
        let (mut decisions, mut log) = (Vec::new(), Vec::new());
        for number in 0..random.below(8) {
            let (one, other) = (any(random), any(random));
            let source = format!("src/code{}.rs", random.below(3));
            reviews.insert(format!("{}\t{source}\t{}", one.0, hash(&format!("// {number}\n"))));
            let id = |page: &str| format!("id of {page}");
            decisions.push(
                json!({
                    "decision": "dismissed", "source_id": id(&one.0), "target_id": id(&other.0),
                    "source": one.0, "target": other.0, "at": "2026-01-01T00:00:00Z",
                })
                .to_string(),
            );
            let entry = json!({
                "id": format!("g{number}.1"), "group": format!("g{number}"), "at": "2026-01-01T00:00:00Z",
                "caller": "agent", "agent": AGENT, "operation": "update_page", "path": one.0,
                "before_hash": hash("before"), "before": "before", "after": one.1, "after_hash": hash(&one.1),
            });
            log.push(entry.to_string());
            log.push(json!({ "group": format!("g{number}"), "at": "", "outcome": "done" }).to_string());
        }
        let file = |name: &str, lines: Vec<String>| (name.to_owned(), lines);
        self.states = vec![
            file("refs.lock", reviews.into_iter().collect()),
            file("decisions.jsonl", decisions),
            file("audit.jsonl", log),
        ];
        for number in 0..random.below(4) {
            let page = any(random);
            let id = format!("f{number:011x}");
            let text = format!("{}\nMore.\n", page.1);
            let proposal = json!({
                "id": id, "at": "2026-01-01T00:00:00Z", "agent": AGENT,
                "calls": [{ "operation": "update_page", "params": {} }],
                "changes": [{
                    "before": { "path": page.0, "hash": hash(&page.1), "text": page.1 },
                    "after": { "path": page.0, "hash": hash(&text), "text": text },
                }],
            });
            self.states.push(file(&format!("proposals/{id}.json"), vec![proposal.to_string()]));
        }
    }

    /// Whether a line of a state file is about visible files only. Written for these files alone.
    fn shows_line(&self, name: &str, line: &str) -> bool {
        let value = || serde_json::from_str::<Value>(line).unwrap();
        match name {
            "refs.lock" => {
                let mut fields = line.split('\t');
                self.shows(fields.next().unwrap()) && self.shows_file(fields.next().unwrap())
            }
            "decisions.jsonl" => {
                ["source", "target"].iter().all(|end| self.shows(value()[end].as_str().unwrap()))
            }
            "audit.jsonl" => true,
            _ => self.shows(value()["changes"][0]["before"]["path"].as_str().unwrap()),
        }
    }

    fn hidden_groups(&self) -> BTreeSet<String> {
        let log = self.states.iter().filter(|(name, _)| name == "audit.jsonl").flat_map(|(_, lines)| lines);
        let entries = log.map(|line| serde_json::from_str::<Value>(line).unwrap());
        let hidden = entries.filter(|entry| entry["path"].as_str().is_some_and(|path| !self.shows(path)));
        hidden.map(|entry| entry["group"].as_str().unwrap().to_owned()).collect()
    }

    /// The project with all files, or only with those that the agent sees.
    fn source(&self, all: bool) -> MemorySource {
        let source = MemorySource::default().in_folder(self.manifest.pages_folder());
        for (path, text) in self.pages.iter().filter(|(path, _)| all || self.shows(path)) {
            source.put(path, text.as_bytes(), Timestamp::UNIX_EPOCH);
        }
        for (path, text) in self.sources.iter().filter(|(path, _)| all || self.shows_file(path)) {
            source.put_source(path, text.as_bytes(), Timestamp::UNIX_EPOCH);
        }
        let groups = self.hidden_groups();
        for (name, lines) in &self.states {
            let kept = lines.iter().filter(|line| {
                let in_group = || {
                    let entry = serde_json::from_str::<Value>(line).unwrap();
                    entry["group"].as_str().is_some_and(|group| groups.contains(group))
                };
                all || (self.shows_line(name, line) && !(name == "audit.jsonl" && in_group()))
            });
            let text: String = kept.flat_map(|line| [line, "\n"]).collect();
            if !text.is_empty() || !name.starts_with("proposals/") {
                source.write_state(name, text.as_bytes(), None).unwrap();
            }
        }
        source
    }

    fn history(&self, all: bool) -> MemoryHistory {
        let history = MemoryHistory::default();
        let files = self.pages.iter().map(|(page, text)| (self.in_project(page), text.clone()));
        let files: Vec<(String, String)> = files.chain(self.sources.iter().cloned()).collect();
        for (number, id) in ["1a", "2b"].into_iter().enumerate() {
            let text = |text: &str| if number == 0 { format!("Former.\n{text}") } else { text.to_owned() };
            let files: Vec<(String, String)> = files
                .iter()
                .filter(|(path, _)| all || self.shows_file(path))
                .map(|(path, content)| (path.clone(), text(content)))
                .collect();
            let files: Vec<(&str, Option<&str>)> =
                files.iter().map(|(path, text)| (path.as_str(), Some(text.as_str()))).collect();
            history.record(id, Timestamp::from_second(number as i64 * 1_000).unwrap(), &files);
        }
        history
    }

    /// The project as the agent sees it, or one that never had the hidden files.
    fn engine(&self, is_view: bool) -> Engine {
        let view = View::of(&self.rights).unwrap();
        let pages_dir = self.manifest.pages_folder();
        let (source, history): (Box<dyn Source>, Box<dyn ubp_core::ports::History>) = match is_view {
            true => (
                Box::new(view.source(self.source(true), pages_dir)),
                Box::new(view.history(self.history(true))),
            ),
            false => (Box::new(self.source(false)), Box::new(self.history(false))),
        };
        Engine {
            index: Index::in_memory().unwrap(),
            source,
            history,
            symbols: Box::new(NoSymbols),
            clock: Box::new(FixedClock::at(Timestamp::from_second(1_000_000).unwrap())),
            embedder: Some(Arc::new(HashEmbedder::default())),
            manifest: self.manifest.clone(),
        }
    }
}

/// Random parameters for an operation, by its schema.
struct Parameters<'a> {
    vault: &'a Vault,
    names: Vec<String>,
}

impl<'a> Parameters<'a> {
    fn of(vault: &'a Vault) -> Self {
        let mut names: Vec<String> = vault.pages.iter().map(|(path, _)| path.clone()).collect();
        names.extend(vault.pages.iter().map(|(path, _)| ubp_core::path::page_name(path).to_owned()));
        names.extend(
            vault
                .pages
                .iter()
                .filter_map(|(_, text)| Some(text.split_once("title: ")?.1.lines().next()?.to_owned())),
        );
        names.extend(["nowhere", "PRIVATE/P0.md", "private", "open"].map(str::to_owned));
        Self { vault, names }
    }

    fn random(&self, random: &mut Random, operation: &Operation) -> Value {
        let schema = (operation.input_schema)().to_value();
        let mut params = Map::new();
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            if required.contains(&name.as_str()) || random.below(3) == 0 {
                params.insert(name.clone(), self.value(random, name, field, &schema));
            }
        }
        Value::Object(params)
    }

    fn value(&self, random: &mut Random, name: &str, field: &Value, schema: &Value) -> Value {
        let of_list = |field: &Value| field["type"] == "array" || field["type"][0] == "array";
        if of_list(field) {
            let count = 1 + random.below(2);
            return (0..count).map(|_| self.value(random, name, &field["items"], schema)).collect();
        }
        let options = field["enum"].as_array().cloned().or_else(|| variants(field, schema));
        if let Some(options) = options.filter(|options| !options.is_empty()) {
            return options[random.below(options.len())].clone();
        }
        let is = |kind: &str| field["type"] == kind || field["type"][0] == kind;
        if is("boolean") {
            return (random.below(2) == 0).into();
        }
        if is("integer") {
            let least = field["minimum"].as_u64().unwrap_or(0);
            let small = least + random.below(20) as u64;
            return if name == "max_tokens" { (256 + random.below(4_000)).into() } else { small.into() };
        }
        if is("number") {
            return (random.below(11) as f64 / 10.0).into();
        }
        if is("object") {
            return json!({});
        }
        self.text(random, name).into()
    }

    fn text(&self, random: &mut Random, name: &str) -> String {
        let page = |random: &mut Random| self.names[random.below(self.names.len())].clone();
        let secrets: Vec<&str> = self.vault.secrets.iter().map(String::as_str).collect();
        let word = |random: &mut Random| match secrets.is_empty() || random.below(3) > 0 {
            true => (*pick(random, &WORDS)).to_owned(),
            false => pick(random, &secrets).to_owned(),
        };
        match name {
            "query" | "question" | "text" | "content" | "old" | "new" | "topic" | "html" | "markdown" => {
                let words: Vec<String> = (0..1 + random.below(3)).map(|_| word(random)).collect();
                words.join(" ")
            }
            "sql" => pick(
                random,
                &[
                    "SELECT filepath, title FROM pages ORDER BY filepath",
                    "SELECT count(*) AS n, max(status) FROM pages",
                    "SELECT filepath FROM pages WHERE content MATCH 'token' ORDER BY filepath",
                ],
            )
            .to_owned(),
            "file" | "source" | "target" | "place" if random.below(2) == 0 => {
                let file = &self.vault.sources[random.below(self.vault.sources.len())].0;
                file.clone()
            }
            "since" | "until" | "at" => "2026-01-01".to_owned(),
            "entry" | "group" => format!("g{}", random.below(8)),
            "proposal" | "proposals" => format!("f{:011x}", random.below(4)),
            "commit" | "revision" | "range" | "base" | "from" | "to" | "version" | "changed_since" => {
                pick(random, &["1a", "2b", "HEAD", "1a..2b", "3c"]).to_owned()
            }
            "expected_hash" => match random.below(2) {
                0 => format!("sha256:{}", "0".repeat(64)),
                _ => {
                    let text = &self.vault.pages[random.below(self.vault.pages.len())].1;
                    ContentHash::of(text.as_bytes()).to_string()
                }
            },
            "folder" | "path" | "paths" | "under" => {
                let folder =
                    *pick(random, &[&"notes", &"private", &"PRIVATE/", &"team/new.md", &"private/new.md"]);
                if random.below(2) == 0 { folder.to_owned() } else { page(random) }
            }
            "title" => {
                if random.below(2) == 0 {
                    format!("New {}", word(random))
                } else {
                    page(random)
                }
            }
            _ => page(random),
        }
    }
}

/// The values of an enumeration that a field refers to.
fn variants(field: &Value, schema: &Value) -> Option<Vec<Value>> {
    let name = |field: &Value| field["$ref"].as_str().map(|name| name.replace("#/$defs/", ""));
    let options = field["anyOf"].as_array().into_iter().flatten().chain([field]);
    let found = options.filter_map(name).next()?;
    let definition = &schema["$defs"][found];
    if let Some(options) = definition["enum"].as_array() {
        return Some(options.clone());
    }
    let options = definition["oneOf"].as_array()?.iter();
    Some(options.filter_map(|option| option.get("const").cloned()).collect())
}

fn context<'a>(
    engine: &'a Engine,
    rights: &'a AuthorRights,
    proposing: Option<&'a Proposing>,
    cancel: &'a Cancel,
) -> Context<'a> {
    let context = engine.context(Caller::Agent, true, &Silent, cancel);
    Context { agent: Some(AGENT), rights: Some(rights), proposing, ..context }
}

/// The answer, or the error with its hint.
fn answer(context: &Context<'_>, operation: &Operation, params: &Value) -> String {
    context.refresh(false).unwrap();
    match (operation.call)(context, params.clone(), None) {
        Ok(mut answer) => {
            if let Some(answer) = answer.as_object_mut() {
                // A duration.
                answer.remove("latency_ms");
            }
            format!("{answer:#}")
        }
        Err(error) => {
            let hint = error.hint().map(|hint| hint.to_string()).unwrap_or_default();
            format!("{}: {error}\n{hint}", error.code())
        }
    }
}

/// Compares a view with a project that never had the hidden files. Returns the number of answers that were not errors,
/// of reading and of changing operations.
fn compare(seed: u64) -> (usize, usize) {
    let mut random = Random::new(seed);
    let vault = Vault::random(&mut random);
    let (view, reference) = (vault.engine(true), vault.engine(false));
    let cancel = Cancel::default();
    let proposing = Proposing { only_where_required: true, ..Proposing::default() };
    let engines = [&view, &reference];
    for engine in engines {
        let context = context(engine, &vault.rights, None, &cancel);
        context.refresh(false).unwrap();
        context.embed(None).unwrap();
    }
    let visible: String =
        vault.pages.iter().filter(|(path, _)| vault.shows(path)).map(|(_, text)| &**text).collect();
    let parameters = Parameters::of(&vault);
    // What calls gave can be in later answers.
    let mut given = String::new();
    let (mut read, mut changed) = (0, 0);
    let (reading, changing): (Vec<&Operation>, Vec<&Operation>) =
        OPERATIONS.iter().partition(|operation| operation.facts.effect == Effect::Read);
    let mut calls: Vec<&Operation> = reading.iter().flat_map(|operation| [*operation; 3]).collect();
    calls.extend(changing.iter().flat_map(|operation| [*operation; 2]));
    // What was changed must be the same to readers too.
    calls.extend(reading);
    for operation in calls {
        let params = parameters.random(&mut random, operation);
        let [seen, expected] = engines.map(|engine| {
            let context = context(engine, &vault.rights, Some(&proposing), &cancel);
            answer(&context, operation, &params)
        });
        assert_eq!(seen, expected, "seed {seed}: {} {params}", operation.name);
        given.push_str(&params.to_string());
        for secret in vault.secrets.iter().filter(|secret| !given.contains(*secret)) {
            let shows = seen.contains(secret.as_str()) && !visible.contains(secret.as_str());
            assert!(!shows, "seed {seed}: {} {params}: {secret}: {seen}", operation.name);
        }
        let is_answer = seen.starts_with(['{', '[']);
        let reads = operation.facts.effect == Effect::Read;
        (read, changed) =
            (read + usize::from(is_answer && reads), changed + usize::from(is_answer && !reads));
    }
    (read, changed)
}

#[test]
fn an_agent_reads_the_project_as_if_hidden_files_never_existed() {
    let rounds = if std::env::var_os("UBP_SOAK").is_some() { 100 } else { 25 };
    let only = std::env::var("UBP_SEED").ok().and_then(|seed| seed.parse::<u64>().ok());
    let seeds: Vec<u64> = only.map_or_else(|| (0..rounds).collect(), |seed| vec![seed]);
    let (mut read, mut changed) = (0, 0);
    for &seed in &seeds {
        let answered = compare(seed);
        (read, changed) = (read + answered.0, changed + answered.1);
    }
    // Errors alone would say little.
    assert!(read >= 40 * seeds.len() && changed >= 4 * seeds.len(), "{read} {changed} of {}", seeds.len());
}
