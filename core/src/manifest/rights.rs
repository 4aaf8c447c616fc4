//! What agents may do, by author and path. People are not restricted.
//!
//! **Invariants**
//! - Of the rules that match an author and a path, the last one counts; without one, everything is allowed that the
//!   server allows (`tests` below).
//! - A path matches in any letter case and Unicode form, because disks open files by all of them (`tests` below).
//!   So does an author: a rule must not fail to apply because its name was typed on another system.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::Manifest;
use crate::globs::Globs;
use crate::graph::resolve::is_attachment;
use crate::writing::audit::goes_by;
use crate::{Error, Result, message, path, reported, text, word};

/// The author in a rule for everybody.
pub const EVERYBODY: &str = "*";

/// What an author may do to a file. Each right includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Right {
    /// Nothing: to the author, the file does not exist.
    Hide,
    /// Read it.
    Read,
    /// Comment on it, which changes no file.
    Comment,
    /// Propose changes of it.
    Propose,
    /// Change it.
    Apply,
}

impl Right {
    /// All rights, the smallest first.
    pub const ALL: [Self; 5] = [Self::Hide, Self::Read, Self::Comment, Self::Propose, Self::Apply];

    /// The word in the manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hide => "hide",
            Self::Read => "read",
            Self::Comment => "comment",
            Self::Propose => "propose",
            Self::Apply => "apply",
        }
    }

    /// The right with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|right| right.as_str() == word)
    }
}

/// A rule of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RightsRule {
    /// Name of a client, of a token, or that of `--as`; [`EVERYBODY`] for all of them.
    #[serde(deserialize_with = "author")]
    pub author: String,
    /// The files: a glob relative to the pages folder, or with a leading `/` to the project. One that matches a folder
    /// covers everything in it.
    #[serde(deserialize_with = "pattern")]
    pub path: String,
    /// What the author may do there.
    pub right: Right,
}

fn author<'de, D: Deserializer<'de>>(value: D) -> std::result::Result<String, D::Error> {
    let author = String::deserialize(value)?;
    match author.trim() {
        "" => Err(D::Error::custom(word!("expected the name of a client or token, or \"*\" for everybody"))),
        name => Ok(name.to_owned()),
    }
}

fn pattern<'de, D: Deserializer<'de>>(value: D) -> std::result::Result<String, D::Error> {
    let written = String::deserialize(value)?;
    check_pattern(&written).map_err(D::Error::custom)?;
    Ok(written)
}

/// Checks the path of a rule.
///
/// # Errors
/// A message, if no file could match it.
pub fn check_pattern(written: &str) -> std::result::Result<(), String> {
    let inside = written.strip_prefix('/').unwrap_or(written);
    let mut rest = inside.chars();
    // In globs it makes the next character literal. Before a letter it was meant to separate folders.
    let is_windows = std::iter::from_fn(|| rest.find(|c| *c == '\\').map(|_| rest.next()))
        .flatten()
        .any(char::is_alphanumeric);
    if is_windows {
        return Err(reported!("'{written}' must separate folders with /"));
    }
    if normal(inside, str::to_owned).is_empty() || !path::is_inside(inside) {
        return Err(reported!("'{written}' must be a path or glob such as \"private/\", without '..'"));
    }
    // `{a/,b/}` would match a/ and b/ and nothing in them.
    if ["/,", "/}"].iter().any(|end| inside.contains(end)) {
        return Err(reported!("'{written}' must have / after the braces, as in \"{{private,secret}}/\""));
    }
    match Rule::new(written, Right::Read) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// A rule that is ready to be compared with paths.
#[derive(Debug, Clone)]
struct Rule {
    globs: Globs,
    /// The same for [`lowered`] paths, if it has `?` or a class.
    lowered: Option<Globs>,
    /// Whether it is relative to the project, not to the pages folder.
    of_project: bool,
    right: Right,
    /// What tells it from rules for other paths: its path in the forms that are compared.
    key: String,
}

impl Rule {
    fn new(written: &str, right: Right) -> Result<Self> {
        let of_project = written.starts_with('/');
        let of_folder = if written.ends_with('/') { "/" } else { "" };
        let globs = |name: &str| {
            let inner = format!("{name}/**");
            Globs::new(&if of_folder.is_empty() { vec![name.to_owned(), inner] } else { vec![inner] })
        };
        let name = normal(written, text::fold_key);
        let mut key = format!("{name}{of_folder}");
        let mut by_character = None;
        if written.contains(['?', '[']) {
            let name = normal(written, lowered);
            by_character = Some(globs(&name)?);
            key.push_str(&format!("\t{name:?}"));
        }
        Ok(Self { globs: globs(&name)?, lowered: by_character, of_project, right, key })
    }

    fn is_match(&self, path: &Compared) -> bool {
        let lowered = self.lowered.as_ref().zip(path.lowered.as_ref());
        self.globs.is_match(&path.folded) || lowered.is_some_and(|(globs, path)| globs.is_match(path))
    }
}

/// A path in the forms in which rules are compared with it.
struct Compared {
    folded: String,
    /// If a rule needs it.
    lowered: Option<String>,
}

/// The rules without those that a later rule for the same path replaces.
fn effective(rules: &[(usize, Rule)]) -> impl Iterator<Item = &Rule> {
    let is_replaced = |at: usize, rule: &Rule| {
        let later = rules.get(at + 1..).unwrap_or_default();
        later.iter().any(|(_, other)| other.key == rule.key && other.of_project == rule.of_project)
    };
    rules.iter().enumerate().filter(move |(at, (_, rule))| !is_replaced(*at, rule)).map(|(_, (_, rule))| rule)
}

/// The form in which paths and patterns are compared.
fn folded(path: &str) -> String {
    normal(path, text::fold_key)
}

/// Another form, in which each character stays one: folding makes two of `ß`, which `?` would not match.
fn lowered(path: &str) -> String {
    let lower = |c: char| {
        let mut lower = c.to_lowercase();
        lower.next().filter(|_| lower.next().is_none()).unwrap_or(c)
    };
    path.nfc().map(lower).collect()
}

/// The path with each component in another form, and without those that name nothing.
fn normal(path: &str, form: impl Fn(&str) -> String) -> String {
    let parts = path.split('/').filter(|part| !matches!(*part, "" | ".")).map(form);
    parts.collect::<Vec<_>>().join("/")
}

/// The path of `file` relative to `folder`; `None` if it is not in it.
fn inside<'f>(folder: &str, file: &'f str) -> Option<&'f str> {
    let mut inside = file;
    for folder in folder.split('/').filter(|folder| !folder.is_empty()) {
        let (name, rest) = inside.split_once('/')?;
        if text::fold_key(name) != text::fold_key(folder) {
            return None;
        }
        inside = rest;
    }
    Some(inside)
}

/// Why an author has a right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ground {
    /// The right.
    pub right: Right,
    /// The rule that gives it; `None` if no rule matches.
    pub rule: Option<RuleId>,
}

/// Names a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleId {
    /// Number of the rule in the manifest, from 0.
    Manifest(usize),
    /// Number of the rule of the token, from 0.
    Token(usize),
}

/// What one author may do.
#[derive(Debug, Clone, Default)]
pub struct AuthorRights {
    /// Name of the author, if it has one.
    pub author: Option<String>,
    manifest: Vec<(usize, Rule)>,
    token: Vec<(usize, Rule)>,
    pages_dir: String,
    /// Where the pages folder is, if its path has symbolic links.
    real_pages_dir: Option<String>,
    /// Whether only pages, and files that pages show, are visible.
    without_code: bool,
}

impl AuthorRights {
    /// The rights of an author by the manifest, and by the rules of its token, each a path and a right. Where both say
    /// something, the smaller right counts.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for a malformed path of the token.
    pub fn of(manifest: &Manifest, author: Option<&str>, token: &[(String, Right)]) -> Result<Self> {
        let is_meant = |rule: &RightsRule| {
            rule.author == EVERYBODY || author.is_some_and(|author| goes_by(author, &rule.author))
        };
        let rules = manifest.rights.iter().enumerate().filter(|(_, rule)| is_meant(rule));
        let rules = rules.map(|(at, rule)| Ok((at, Rule::new(&rule.path, rule.right)?)));
        let given = token.iter().enumerate().map(|(at, (path, right))| Ok((at, Rule::new(path, *right)?)));
        Ok(Self {
            author: author.map(str::to_owned),
            manifest: rules.collect::<Result<_>>()?,
            token: given.collect::<Result<_>>()?,
            pages_dir: manifest.pages_folder().to_owned(),
            real_pages_dir: None,
            without_code: false,
        })
    }

    /// The same, and every file that is neither a page nor an attachment is hidden.
    #[must_use]
    pub fn without_code(self) -> Self {
        Self { without_code: true, ..self }
    }

    /// The same if the pages folder is really `folder`, relative to the project: pages have the same rights there.
    #[must_use]
    pub fn with_pages_in(self, folder: &str) -> Self {
        Self { real_pages_dir: Some(folder.to_owned()).filter(|folder| *folder != self.pages_dir), ..self }
    }

    /// Whether every file that is neither a page nor an attachment is hidden.
    pub fn hides_code(&self) -> bool {
        self.without_code
    }

    /// The pages folder that paths of rules are relative to; empty if it is the project.
    pub fn pages_dir(&self) -> &str {
        &self.pages_dir
    }

    /// The name of the author in messages.
    pub fn name(&self) -> &str {
        self.author.as_deref().unwrap_or("this agent")
    }

    /// The error for a path that the author must not see. It says the same whether the file exists or not.
    pub fn no_access(&self, path: &str) -> Error {
        let (path, author) = (path.to_owned(), self.name().to_owned());
        Error::Forbidden { message: message!("{path}: {author} has no access to this path", path, author) }
    }

    /// Whether there are no rules for this author.
    pub fn is_unlimited(&self) -> bool {
        self.manifest.is_empty() && self.token.is_empty() && !self.without_code
    }

    /// Whether any rule hides files from this author.
    pub fn hides(&self) -> bool {
        self.without_code || self.any(Right::Hide)
    }

    /// Whether any rule lets this author only propose changes.
    pub fn proposes(&self) -> bool {
        self.any(Right::Propose)
    }

    /// The rules for this author, in order.
    pub fn rules(&self) -> impl Iterator<Item = RuleId> {
        let manifest = self.manifest.iter().map(|(at, _)| RuleId::Manifest(*at));
        manifest.chain(self.token.iter().map(|(at, _)| RuleId::Token(*at)))
    }

    fn any(&self, right: Right) -> bool {
        effective(&self.manifest).chain(effective(&self.token)).any(|rule| rule.right == right)
    }

    /// The right to a page or attachment, by its path relative to the pages folder.
    pub fn page(&self, path: &str) -> Right {
        self.page_ground(path).right
    }

    /// The same, with the rule.
    pub fn page_ground(&self, path: &str) -> Ground {
        let file = path::join(&self.pages_dir, path);
        match file.as_deref().and_then(|file| Some((file, self.page_of(file)?))) {
            Some((file, page)) => self.ground(file, Some(page)),
            None => Ground { right: Right::Hide, rule: None },
        }
    }

    /// The right to a file of the project, by its path relative to the project.
    pub fn file(&self, path: &str) -> Right {
        self.file_ground(path).right
    }

    /// The same, with the rule.
    pub fn file_ground(&self, path: &str) -> Ground {
        let Some(file) = path::join("", path) else { return Ground { right: Right::Hide, rule: None } };
        let found = self.ground(&file, self.page_of(&file));
        let real = self.real_pages_dir.as_deref().and_then(|folder| inside(folder, &file));
        let page = real.map(|page| self.page_ground(page));
        page.filter(|page| page.right < found.right).unwrap_or(found)
    }

    /// The path of a file relative to the pages folder; `None` if it is outside.
    fn page_of<'f>(&self, file: &'f str) -> Option<&'f str> {
        inside(&self.pages_dir, file)
    }

    fn ground(&self, file: &str, page: Option<&str>) -> Ground {
        let is_shown = || path::is_page(file) || path::is_base(file) || is_attachment(file);
        if self.without_code && !is_shown() {
            return Ground { right: Right::Hide, rule: None };
        }
        let by_character = self.manifest.iter().chain(&self.token).any(|(_, rule)| rule.lowered.is_some());
        let compared =
            |path: &str| Compared { folded: folded(path), lowered: by_character.then(|| lowered(path)) };
        let (file, page) = (compared(file), page.map(compared));
        let last = |rules: &[(usize, Rule)]| {
            let matches = |rule: &Rule| match rule.of_project {
                true => rule.is_match(&file),
                false => page.as_ref().is_some_and(|page| rule.is_match(page)),
            };
            rules.iter().rfind(|(_, rule)| matches(rule)).map(|(at, rule)| (rule.right, *at))
        };
        let manifest = last(&self.manifest).map(|(right, at)| (right, RuleId::Manifest(at)));
        let token = last(&self.token).map(|(right, at)| (right, RuleId::Token(at)));
        match manifest.into_iter().chain(token).min_by_key(|(right, _)| *right) {
            Some((right, rule)) => Ground { right, rule: Some(rule) },
            None => Ground { right: Right::Apply, rule: None },
        }
    }

    /// Text that is equal for authors to whom the same rules hide and show files.
    pub fn key(&self) -> String {
        let code = if self.without_code { "without code" } else { "" };
        let mut key = format!("{}\n{code}", folded(&self.pages_dir));
        for rules in [&self.manifest, &self.token] {
            // A rule that shows files matters only after one that hides some.
            for rule in effective(rules).skip_while(|rule| rule.right != Right::Hide) {
                let sign = if rule.right == Right::Hide { '-' } else { '+' };
                let base = if rule.of_project { "/" } else { "" };
                key.extend([format!("{sign}{base}{}\n", rule.key)]);
            }
            key.push('\n');
        }
        key
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn manifest(rules: &[(&str, &str, &str)], pages_dir: &str) -> Manifest {
        let rules: Vec<_> = rules
            .iter()
            .map(
                |(author, path, right)| serde_json::json!({ "author": author, "path": path, "right": right }),
            )
            .collect();
        let text = serde_json::json!({ "pages_dir": pages_dir, "rights": rules }).to_string();
        Manifest::parse(&text, "m").unwrap()
    }

    fn rights(rules: &[(&str, &str, &str)], author: &str) -> AuthorRights {
        AuthorRights::of(&manifest(rules, "docs"), Some(author), &[]).unwrap()
    }

    #[test]
    fn without_code_only_pages_and_attachments_are_visible_whatever_the_rules_say() {
        let given = [("/**".to_owned(), Right::Hide), ("open/".to_owned(), Right::Apply)];
        for (folder, at) in [("docs", "docs/open"), (".", "open")] {
            let manifest = manifest(&[], folder);
            let all = AuthorRights::of(&manifest, Some("mina"), &given).unwrap();
            let guest = all.clone().without_code();
            assert_ne!(all.key(), guest.key());
            assert!(guest.hides() && !guest.is_unlimited());
            for shown in ["a.md", "a.PNG", "b/c.pdf", "d.base"] {
                assert_eq!(guest.file(&format!("{at}/{shown}")), Right::Apply, "{shown}");
                assert_eq!(guest.page(&format!("open/{shown}")), Right::Apply, "{shown}");
            }
            for hidden in ["a.rs", ".env", "id_rsa", "a.md.sh", "manifest.json"] {
                assert_eq!(guest.file(&format!("{at}/{hidden}")), Right::Hide, "{hidden}");
                assert_eq!(all.file(&format!("{at}/{hidden}")), Right::Apply, "{hidden}");
            }
            assert_eq!(guest.file("other/a.md"), Right::Hide);
        }
    }

    #[test]
    fn the_last_matching_rule_counts() {
        let rules = [
            ("*", "private/", "hide"),
            ("*", "decisions/**", "read"),
            ("claude-code", "private/plans/", "propose"),
            ("*", "notes", "propose"),
            ("claude-code", "notes/*.md", "apply"),
        ];
        let own = rights(&rules, "claude-code 2.1.0");
        let other = rights(&rules, "cursor");
        for (page, of_own, of_other) in [
            ("a.md", Right::Apply, Right::Apply),
            ("private/a.md", Right::Hide, Right::Hide),
            ("private/plans/deep/a.md", Right::Propose, Right::Hide),
            ("private.md", Right::Apply, Right::Apply),
            ("decisions/1.md", Right::Read, Right::Read),
            ("notes/a.md", Right::Apply, Right::Propose),
            ("notes/deep/a.md", Right::Propose, Right::Propose),
            ("notes/a.png", Right::Propose, Right::Propose),
        ] {
            assert_eq!((own.page(page), other.page(page)), (of_own, of_other), "{page}");
            let file = format!("docs/{page}");
            assert_eq!((own.file(&file), other.file(&file)), (of_own, of_other), "{file}");
        }
        assert_eq!(own.page_ground("notes/a.md").rule, Some(RuleId::Manifest(4)));
        assert_eq!(own.page_ground("a.md").rule, None);
        assert!(own.hides() && own.proposes() && !own.is_unlimited());
    }

    #[test]
    fn a_leading_slash_means_the_project() {
        let own = rights(&[("*", "/src/", "hide"), ("*", "src/", "read"), ("*", "/docs/a.md", "read")], "x");
        assert_eq!(own.file("src/main.rs"), Right::Hide);
        assert_eq!(own.page("src/main.md"), Right::Read);
        assert_eq!(own.file("docs/src/main.md"), Right::Read);
        assert_eq!(own.page("a.md"), Right::Read);
        assert_eq!(own.file("other/a.md"), Right::Apply);
    }

    #[test]
    fn every_spelling_of_a_path_matches() {
        let own = rights(&[("*", "Private/Übung*", "hide")], "x");
        for page in ["private/übung.md", "PRIVATE/U\u{308}BUNG 2.md", "Private/Übung/a.md"] {
            assert_eq!(own.page(page), Right::Hide, "{page}");
            assert_eq!(own.file(&format!("DOCS/{page}")), Right::Hide, "{page}");
        }
        assert_eq!(own.page("a/../private/./übung.md"), Right::Hide);
        assert_eq!((own.page("../x.md"), own.file("../x.md")), (Right::Hide, Right::Hide), "outside");
    }

    #[test]
    fn every_spelling_of_an_author_matches() {
        let rules = [("Übung", "private/", "hide")];
        for author in ["Übung", "übung", "U\u{308}BUNG", "U\u{308}bung 1.0"] {
            assert_eq!(rights(&rules, author).page("private/a.md"), Right::Hide, "{author}");
        }
        assert_eq!(rights(&rules, "Ubung").page("private/a.md"), Right::Apply);
    }

    #[test]
    fn a_question_mark_and_a_class_match_one_character_of_any_script() {
        let own =
            rights(&[("*", "設計?/", "hide"), ("*", "Stra?e.md", "hide"), ("*", "[Äß]*/", "hide")], "x");
        for page in
            ["設計書/a.md", "straße.md", "STRAẞE.md", "Straye.md", "ä/a.md", "A\u{308}b/a.md", "ßx/a.md"]
        {
            assert_eq!(own.page(page), Right::Hide, "{page}");
            assert_eq!(own.file(&format!("docs/{page}")), Right::Hide, "{page}");
        }
        for page in ["設計/a.md", "設計書類/a.md", "strasse.md", "ö/a.md"] {
            assert_eq!(own.page(page), Right::Apply, "{page}");
        }
    }

    #[test]
    fn components_of_a_pattern_that_name_nothing_do_not_matter() {
        for path in ["./private//plans/", "private/./plans", "././private/plans/.", "/docs//private/plans"] {
            check_pattern(path).unwrap();
            let own = rights(&[("*", path, "hide")], "x");
            assert_eq!(own.page("private/plans/a.md"), Right::Hide, "{path}");
            assert_eq!(own.page("private/a.md"), Right::Apply, "{path}");
        }
    }

    #[test]
    fn a_token_can_only_take_away() {
        let manifest = manifest(&[("*", "a/", "read"), ("ci", "b/", "apply"), ("*", "c/", "hide")], "docs");
        let token = [("**".to_owned(), Right::Propose), ("c/".to_owned(), Right::Apply)];
        let own = AuthorRights::of(&manifest, Some("ci"), &token).unwrap();
        assert_eq!(own.page_ground("a/1.md"), Ground { right: Right::Read, rule: Some(RuleId::Manifest(0)) });
        assert_eq!(own.page_ground("b/1.md"), Ground { right: Right::Propose, rule: Some(RuleId::Token(0)) });
        assert_eq!(own.page("c/1.md"), Right::Hide);
        assert_eq!(own.page("d.md"), Right::Propose);
    }

    #[test]
    fn authors_who_see_the_same_have_the_same_key() {
        let rules = [
            ("a", "x/", "read"),
            ("*", "Private/", "hide"),
            ("a", "private/open/", "read"),
            ("b", "private/OPEN/", "apply"),
            ("c", "private/open/x.md", "apply"),
        ];
        let key = |author: &str| rights(&rules, author).key();
        assert_eq!(key("a"), key("b"));
        assert_ne!(key("a"), key("c"));
        assert_ne!(key("a"), key("d"));
        let rules = [("*", "x/", "hide"), ("a", "X/", "read"), ("*", "/x/", "hide")];
        assert!(rights(&rules, "a").hides(), "the last rule is about another folder");
        assert!(!rights(&rules[..2], "a").hides(), "no file is hidden from it");
    }

    #[test]
    fn paths_that_nothing_could_match_are_refused() {
        for path in
            ["", "/", ".", "./", "../x", "/../x", "private\\plan.md", "a[", "C:/x", "{a/,b/}", "{a,b/}"]
        {
            assert!(check_pattern(path).is_err(), "{path}");
        }
        for path in ["private", "/src/**", "./notes/", "a\\[1\\].md", "**", "設計/*.md"] {
            check_pattern(path).unwrap();
        }
    }

    proptest! {
        #[test]
        fn a_page_has_the_rights_of_its_file(
            rules in prop::collection::vec(("[ab*]", "/?[abAB*?]{1,3}(/[ab*]{1,2}){0,2}/?", 0..4_usize), 0..6),
            pages_dir in "(\\.|docs|A/b)",
            page in "[abAB]{1,2}(/[ab]{1,2}){0,2}\\.md",
        ) {
            let rules: Vec<_> = rules
                .iter()
                .filter(|(_, path, _)| check_pattern(path).is_ok())
                .map(|(author, path, right)| (author.as_str(), path.as_str(), Right::ALL[*right].as_str()))
                .collect();
            let manifest = manifest(&rules, &pages_dir);
            let own = AuthorRights::of(&manifest, Some("a"), &[]).unwrap();
            let file = path::join(manifest.pages_folder(), &page).unwrap();
            prop_assert_eq!(own.page_ground(&page), own.file_ground(&file));
            prop_assert_eq!(own.page(&page), own.page(&page.to_uppercase()));
            if own.page(&page) == Right::Hide {
                prop_assert!(own.hides());
            }
        }
    }
}
