//! Random histories of code in real repositories: symbols are edited, renamed, moved and deleted, files are renamed, and other
//! commits come between. Pages that name the symbols find them again, and nothing else in their place.

use std::collections::BTreeMap;
use std::fs;
use std::time::SystemTime;

use super::*;

/// A function, or a method of the class of its file.
#[derive(Clone)]
struct Function {
    id: usize,
    name: String,
    parameter: String,
    lines: Vec<[usize; 5]>,
}

#[derive(Clone)]
struct File {
    path: String,
    class: Option<String>,
    functions: Vec<Function>,
}

struct Language {
    extension: &'static str,
    /// What comes before and after the functions; `@` is the class.
    class: (&'static str, &'static str),
    /// The line that begins a function in a class, and one outside of it; `@` is the class, `$` the name, `%` the parameter.
    heads: (&'static str, &'static str),
    /// Statements; `a`, `b` and `c` are replaced by words, `0` and `1` by numbers.
    lines: &'static [&'static str],
    end: &'static str,
    start: &'static str,
}

const LANGUAGES: [Language; 4] = [
    Language {
        extension: "ts",
        class: ("export class @ {\n", "}\n"),
        heads: ("  $(%: string, limit = 3): number {\n", "export function $(%: string): number {\n"),
        lines: &[
            "const <a>0 = <b>(<c>, 0);",
            "if (<a>0 > 1) return <b>(<c>.<a>);",
            "for (const <a> of <b>) <c>(<a>, 0);",
            "<a>.<b>(\"<c> 0\");",
            "let <a>1 = <b>[0] ?? <c>;",
        ],
        end: "return 0;\n}\n",
        start: "",
    },
    Language {
        extension: "rs",
        class: ("pub struct @;\n\nimpl @ {\n", "}\n"),
        heads: ("pub fn $(&self, %: &str) -> usize {\n", "pub fn $(%: &str) -> usize {\n"),
        lines: &[
            "let <a>0 = <b>(<c>, 0);",
            "if <a>0 > 1 { return <b>(<c>.<a>); }",
            "for <a> in <b> { <c>(<a>, 0); }",
            "<a>.<b>(\"<c> 0\");",
            "let mut <a>1 = <b>.get(0).unwrap_or(&<c>);",
        ],
        end: "0\n}\n",
        start: "",
    },
    Language {
        extension: "py",
        class: ("class @:\n", ""),
        heads: ("  def $(self, %: str, limit=3) -> int:\n", "def $(%: str) -> int:\n"),
        lines: &[
            "<a>0 = <b>(<c>, 0)",
            "if <a>0 > 1: return <b>(<c>.<a>)",
            "for <a> in <b>: <c>(<a>, 0)",
            "<a>.<b>('<c> 0')",
            "<a>1 = <b>[0] or <c>",
        ],
        end: "return 0\n",
        start: "",
    },
    Language {
        extension: "go",
        class: ("type @ struct{ id int }\n\n", ""),
        heads: ("func (own *@) $(% string) int {\n", "func $(% string) int {\n"),
        lines: &[
            "<a>0 := <b>(<c>, 0)",
            "if <a>0 > 1 { return <b>(<c>.<a>) }",
            "for _, <a> := range <b> { <c>(<a>, 0) }",
            "<a>.<b>(\"<c> 0\")",
            "var <a>1 = <b>[0] + <c>",
        ],
        end: "return 0\n}\n",
        start: "package code\n\n",
    },
];

const WORDS: [&str; 40] = [
    "user", "token", "session", "page", "index", "score", "limit", "query", "store", "cache", "event",
    "frame", "node", "edge", "color", "shape", "order", "price", "stock", "route", "queue", "batch", "chunk",
    "block", "field", "table", "column", "value", "key", "lock", "guard", "owner", "group", "right", "mail",
    "phone", "street", "city", "country", "region",
];

/// Pseudo-random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    fn line(&mut self) -> [usize; 5] {
        [
            self.below(WORDS.len()),
            self.below(WORDS.len()),
            self.below(WORDS.len()),
            self.below(90),
            self.below(5),
        ]
    }
}

struct History {
    language: &'static Language,
    random: Random,
    files: Vec<File>,
    next: usize,
}

impl History {
    fn new(language: &'static Language, seed: u64) -> Self {
        let mut history = Self { language, random: Random(seed), files: Vec::new(), next: 0 };
        for number in 0..6 {
            let path = history.path();
            let class = (number % 2 == 0).then(|| history.class_name());
            let functions = (0..4).map(|_| history.function()).collect();
            history.files.push(File { path, class, functions });
        }
        history
    }

    fn unique(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn path(&mut self) -> String {
        let (folder, name) = (self.random.word(), self.random.word());
        format!("src/{folder}/{name}_{}.{}", self.unique(), self.language.extension)
    }

    fn class_name(&mut self) -> String {
        let word = self.random.word();
        format!("{}{}{}", word[..1].to_uppercase(), &word[1..], self.unique())
    }

    fn name(&mut self) -> String {
        let (one, two) = (self.random.word(), self.random.word());
        format!("{one}_{two}_{}", self.unique())
    }

    fn function(&mut self) -> Function {
        let lines = 4 + self.random.below(5);
        Function {
            id: self.unique(),
            name: self.name(),
            parameter: self.random.word().into(),
            lines: (0..lines).map(|_| self.random.line()).collect(),
        }
    }

    /// One random change of the code.
    fn change(&mut self) {
        let file = self.random.below(self.files.len());
        let function = self.random.below(self.files[file].functions.len().max(1));
        if self.files[file].functions.is_empty() {
            return;
        }
        match self.random.below(10) {
            0 | 1 => self.files[file].functions[function].name = self.name(),
            2 => {
                self.files[file].functions[function].name = self.name();
                self.edit(file, function);
            }
            3..=5 => {
                let mut moved = self.files[file].functions.remove(function);
                let other = (file + 1 + self.random.below(self.files.len() - 1)) % self.files.len();
                match self.random.below(3) {
                    0 => moved.name = self.name(),
                    1 => {}
                    _ => {
                        self.files[other].functions.push(moved);
                        let last = self.files[other].functions.len() - 1;
                        return self.edit(other, last);
                    }
                }
                self.files[other].functions.insert(0, moved);
            }
            6 => self.files[file].path = self.path(),
            7 if self.files[file].class.is_some() => self.files[file].class = Some(self.class_name()),
            8 => drop(self.files[file].functions.remove(function)),
            _ => self.edit(file, function),
        }
    }

    /// Changes a fifth of the body, and adds a function now and then.
    fn edit(&mut self, file: usize, function: usize) {
        let line = self.random.line();
        let lines = &mut self.files[file].functions[function].lines;
        let place = line[3] % lines.len();
        lines[place] = line;
        if line[4] == 0 {
            let new = self.function();
            self.files[file].functions.push(new);
        }
    }

    fn text(&self, file: &File) -> String {
        let language = self.language;
        let class = file.class.as_deref().unwrap_or_default();
        let mut text = language.start.to_owned();
        if file.class.is_some() {
            text += &language.class.0.replace('@', class);
        }
        let is_nested = file.class.is_some() && language.extension == "py";
        for function in &file.functions {
            let head = if file.class.is_some() { language.heads.0 } else { language.heads.1 };
            text += &head.replace('@', class).replace('$', &function.name).replace('%', &function.parameter);
            let indent = if is_nested { "    " } else { "  " };
            for [a, b, c, number, sort] in &function.lines {
                let line = language.lines[*sort].replace('0', &number.to_string());
                let line = line.replace("<a>", WORDS[*a]).replace("<b>", WORDS[*b]).replace("<c>", WORDS[*c]);
                text += &format!("{indent}{line}\n");
            }
            text += &format!("{indent}{}\n", language.end);
        }
        if file.class.is_some() {
            text += language.class.1;
        }
        text
    }

    /// The anchor of each function, by its number.
    fn anchors(&self) -> BTreeMap<usize, String> {
        let mut anchors = BTreeMap::new();
        for file in &self.files {
            for function in &file.functions {
                let class = file.class.as_ref().map(|class| format!("{class}.")).unwrap_or_default();
                anchors.insert(function.id, format!("{}#{class}{}", file.path, function.name));
            }
        }
        anchors
    }

    /// Writes all files, with the time of now: git would not see a change of equal length to a file that keeps its time.
    fn write(&self, repository: &Repository) {
        let _ = fs::remove_dir_all(repository.0.path("src"));
        for file in &self.files {
            repository.0.write(&file.path, self.text(file)).unwrap();
            let written = fs::File::options().append(true).open(repository.0.path(&file.path)).unwrap();
            written.set_modified(SystemTime::now()).unwrap();
        }
    }
}

/// How many symbols that have another name or place were found, and how many answers were wrong.
#[derive(Debug, Default)]
struct Outcome {
    followed: usize,
    renamed: usize,
    wrong: Vec<String>,
    missed: Vec<String>,
}

fn replayed(language: &'static Language, seed: u64) -> Outcome {
    let mut history = History::new(language, seed);
    let terminal = Terminal::vault([]).unwrap();
    let before = history.anchors();
    for (id, anchor) in &before {
        terminal
            .write(&format!("page-{id}.md"), format!("---\nsource_refs: ['{anchor}']\n---\n# {id}\n"))
            .unwrap();
    }
    terminal.write(".gitignore", ".ubp/metadata.db*\n.ubp/audit.jsonl\n").unwrap();
    git(terminal.folder(), 90, &["init", "--quiet", "--initial-branch=main"]);
    let repository = Repository(terminal);
    history.write(&repository);
    repository.commit(90);
    assert!(repository.0.ubp("review --all --still-accurate").succeeded());
    repository.commit(90);
    for commit in 0..14 {
        for _ in 0..=history.random.below(2) {
            history.change();
        }
        history.write(&repository);
        repository.0.write("unrelated.txt", commit.to_string()).unwrap();
        // The last change is not committed.
        if commit < 13 {
            repository.commit(80 - i64::from(commit));
        }
    }
    let after = history.anchors();
    let ran = repository.0.ubp("stale --json");
    let found: BTreeMap<String, Option<String>> = ran.json()["pages"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|page| page["stale_ref_details"].as_array().unwrap().clone())
        .filter(|detail| detail["reason"] == "missing")
        .map(|detail| {
            let new = detail["renamed_to"].as_str().map(str::to_owned);
            (detail["file_path"].as_str().unwrap().to_owned(), new)
        })
        .collect();
    let mut outcome = Outcome::default();
    for (id, anchor) in &before {
        let now = after.get(id).filter(|now| *now != anchor);
        outcome.renamed += usize::from(now.is_some());
        match (now, found.get(anchor).and_then(Option::as_ref)) {
            (Some(now), Some(answer)) if now == answer => outcome.followed += 1,
            (now, Some(answer)) => outcome.wrong.push(format!("{anchor}: {answer}, not {now:?}")),
            (Some(now), None) => outcome.missed.push(format!("{anchor}: {now}")),
            (None, None) => {}
        }
    }
    outcome
}

#[track_caller]
fn check(language: &'static Language) {
    let mut all = Outcome::default();
    for seed in [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03] {
        let outcome = replayed(language, seed);
        all.followed += outcome.followed;
        all.renamed += outcome.renamed;
        all.wrong.extend(outcome.wrong);
        all.missed.extend(outcome.missed);
    }
    assert!(all.renamed >= 12, "too few: {all:#?}");
    assert!(all.wrong.is_empty(), "{all:#?}");
    assert!(100 * all.followed >= 95 * all.renamed, "{all:#?}");
}

#[test]
fn symbols_of_typescript_are_followed_through_a_history() {
    check(&LANGUAGES[0]);
}

#[test]
fn symbols_of_rust_are_followed_through_a_history() {
    check(&LANGUAGES[1]);
}

#[test]
fn symbols_of_python_are_followed_through_a_history() {
    check(&LANGUAGES[2]);
}

#[test]
fn symbols_of_go_are_followed_through_a_history() {
    check(&LANGUAGES[3]);
}
