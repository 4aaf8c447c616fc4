//! Named tokens, in `.ubp/tokens.json`. Each gives the agent that sends it a name, and can limit what it may do. The
//! file has only their hashes.

use std::path::Path;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use ubp_core::manifest::Right;
use ubp_core::message;
use ubp_core::message::Value;
use ubp_core::text::fold_key;
use ubp_core::{Error, Result};

use super::kept_file::KeptFile;
use super::token::random;

/// Name of the file in `.ubp`.
const FILE: &str = "tokens.json";

/// Name of the file that a process locks while it changes the other one.
const LOCK: &str = "tokens.lock";

/// Start of every token, so that programs which look for secrets in files find them.
const PREFIX: &str = "ubp_";

/// Maximum length of the name of an author.
const LONGEST_NAME: usize = 100;

/// Maximum number of tokens: all are compared with every request.
const MOST: usize = 1_000;

/// A rule of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRule {
    /// The files, as in the rules of the manifest.
    pub path: String,
    /// The largest right to them.
    pub right: Right,
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedToken {
    /// Its name, the author of changes by its agent.
    pub name: String,
    /// SHA-256 of the token.
    hash: String,
    /// What its agent may do at most; of the rules that match, the last one counts.
    #[serde(default)]
    pub rights: Vec<TokenRule>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops working; `None` for never.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
}

impl NamedToken {
    /// Whether this is its name, in any letter case and Unicode form, as in the rules of the manifest.
    pub fn is_called(&self, name: &str) -> bool {
        fold_key(&self.name) == fold_key(name)
    }

    /// Whether it works at this time.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// Its rules, for [`ubp_core::manifest::AuthorRights`].
    pub fn rules(&self) -> Vec<(String, Right)> {
        self.rights.iter().map(|rule| (rule.path.clone(), rule.right)).collect()
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct List {
    #[serde(default)]
    tokens: Vec<NamedToken>,
}

/// The tokens of a project, or of a hub.
#[derive(Debug, Clone)]
pub struct Tokens {
    file: KeptFile,
}

impl Tokens {
    /// Those of the project in `root`, or of the hub whose list is there.
    pub fn of(root: &Path) -> Self {
        Self { file: KeptFile::new(root, FILE, LOCK) }
    }

    /// All tokens, by name.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::InvalidParams`] if the file was damaged.
    pub fn all(&self) -> Result<Vec<NamedToken>> {
        Ok(self.file.read::<List>()?.tokens)
    }

    /// The valid token with this secret. Takes the same time for every wrong secret.
    ///
    /// # Errors
    /// As [`Tokens::all`]; [`Error::InvalidParams`] if the file is in git.
    pub(crate) fn find(&self, secret: &str, now: Timestamp) -> Result<Option<NamedToken>> {
        let hash = hash(secret);
        let mut found = None;
        for token in self.all()? {
            if is_equal(token.hash.as_bytes(), hash.as_bytes()) {
                found = Some(token);
            }
        }
        let found = found.filter(|token| token.is_valid_at(now));
        if found.is_some() {
            self.file.require_own()?;
        }
        Ok(found)
    }

    /// A reader that somebody else vouches for, with the rules of the token of that name.
    ///
    /// # Errors
    /// As [`Tokens::find`].
    pub(crate) fn reader(&self, name: &str, now: Timestamp) -> Result<NamedToken> {
        let listed = self.all()?.into_iter().find(|token| token.is_called(name));
        if listed.is_some() {
            self.file.require_own()?;
        }
        Ok(listed.unwrap_or_else(|| NamedToken {
            name: name.to_owned(),
            hash: String::new(),
            rights: Vec::new(),
            created_at: now,
            expires_at: None,
        }))
    }

    /// Makes a token, and returns its secret, which is stored nowhere.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for a name that is taken or cannot be that of an author, and if the file is in git;
    /// [`Error::Io`].
    pub fn create(
        &self,
        name: &str,
        rights: Vec<TokenRule>,
        now: Timestamp,
        expires_at: Option<Timestamp>,
    ) -> Result<(NamedToken, String)> {
        require_author(name)?;
        let secret = format!("{PREFIX}{}", random());
        let token =
            NamedToken { name: name.to_owned(), hash: hash(&secret), rights, created_at: now, expires_at };
        let _held = self.file.hold()?;
        self.file.require_own()?;
        let mut tokens = self.all()?;
        if let Some(NamedToken { name, .. }) = tokens.iter().find(|token| token.is_called(name)) {
            return Err(Error::invalid_with_hint(
                message!("there is already a token '{name}'", name),
                message!("{revoke} ends it", revoke = Value::Run(format!("token revoke {name}"))),
            ));
        }
        if tokens.len() >= MOST {
            return Err(Error::invalid(message!("at most {most} tokens: revoke some", most = MOST)));
        }
        tokens.push(token.clone());
        tokens.sort_by(|a, b| a.name.cmp(&b.name));
        self.file.save(&List { tokens })?;
        Ok((token, secret))
    }

    /// Ends a token.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if there is none with this name; [`Error::Io`].
    pub fn revoke(&self, name: &str) -> Result<NamedToken> {
        let _held = self.file.hold()?;
        let mut tokens = self.all()?;
        let Some(at) = tokens.iter().position(|token| token.is_called(name)) else {
            return Err(Error::invalid_with_hint(
                message!("unknown token '{name}'", name),
                message!("{list} lists all tokens", list = Value::Run("token list".into())),
            ));
        };
        let revoked = tokens.remove(at);
        self.file.save(&List { tokens })?;
        Ok(revoked)
    }
}

/// Refuses a name that cannot be that of an author. What follows the last space of a name counts as a version.
///
/// # Errors
/// [`Error::InvalidParams`].
pub fn require_author(name: &str) -> Result<()> {
    let is_usual = |c: char| c.is_alphanumeric() || "-_.@+:/".contains(c);
    let fits = !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_usual);
    fits.then_some(()).ok_or_else(|| {
        Error::invalid(message!(
            "'{name}' cannot be the name of an author: at most {longest} letters, digits and - _ . @ + : /",
            name,
            longest = LONGEST_NAME
        ))
    })
}

/// The moment that `text` names: a span from `now` such as `30d`, a date (its beginning in UTC) or a time in RFC 3339.
///
/// # Errors
/// [`Error::InvalidParams`] for other words, and for a moment in the past.
pub fn expiry(text: &str, now: Timestamp) -> Result<Timestamp> {
    let text = text.trim();
    let utc = TimeZone::UTC;
    let date = || Some(text.parse::<Date>().ok()?.to_zoned(utc.clone()).ok()?.timestamp());
    let later = || {
        let span: Span = text.parse().ok()?;
        Some(now.to_zoned(utc.clone()).checked_add(span).ok()?.timestamp())
    };
    let found = text.parse::<Timestamp>().ok().or_else(|| if text.len() == 10 { date() } else { None });
    let end = found.or_else(later).ok_or_else(|| {
        Error::invalid(message!(
            "--expires is '{text}'; it must be a span such as 30d, a date such as 2027-01-31, or a time in RFC 3339",
            text
        ))
    })?;
    if end <= now {
        return Err(Error::invalid(message!("--expires is '{text}', which is in the past", text)));
    }
    Ok(end)
}

pub(crate) fn hash(secret: &str) -> String {
    Sha256::digest(secret).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether the texts are equal, in a time that depends only on their lengths.
pub(crate) fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use ubp_host::{InitOptions, SystemClock, init};

    use std::fs;

    use ubp_host::UBP_DIR;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn a_token_works_until_it_expires_or_is_revoked_and_its_secret_is_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let project = init(folder.path(), &InitOptions::default(), &SystemClock::default()).unwrap().project;
        let tokens = Tokens::of(&project.root);
        assert_eq!(tokens.all().unwrap(), []);
        let rule = TokenRule { path: "**".into(), right: Right::Read };
        let (made, secret) = tokens.create("ci", vec![rule], at(100), Some(at(200))).unwrap();
        assert_eq!(tokens.find(&secret, at(150)).unwrap(), Some(made.clone()));
        assert_eq!(made.rules(), [("**".to_owned(), Right::Read)]);
        assert_eq!(tokens.find(&secret, at(200)).unwrap(), None, "expired");
        assert_eq!(tokens.find("ubp_0", at(150)).unwrap(), None);
        assert_eq!(tokens.find(&made.hash, at(150)).unwrap(), None, "the stored hash is not the secret");
        let stored = fs::read_to_string(tokens.file.path()).unwrap();
        assert!(!stored.contains(&secret) && !stored.contains(&secret[PREFIX.len()..]), "{stored}");
        let ignored = fs::read_to_string(project.root.join(".ubp/.gitignore")).unwrap();
        assert_eq!(ignored.lines().filter(|line| *line == "/tokens.json").count(), 1);
        let (_, other) = tokens.create("bot", Vec::new(), at(100), None).unwrap();
        for same in ["ci", "CI"] {
            let taken = tokens.create(same, Vec::new(), at(100), None).unwrap_err();
            assert!(taken.to_string().contains("already a token 'ci'"), "{taken}");
        }
        assert_eq!(tokens.revoke("Ci").unwrap(), made);
        assert_eq!(tokens.find(&secret, at(150)).unwrap(), None, "revoked");
        assert_eq!(tokens.find(&other, at(1_000_000)).unwrap().unwrap().name, "bot");
        assert!(tokens.revoke("ci").unwrap_err().to_string().contains("unknown token 'ci'"));
    }

    #[test]
    fn a_hub_has_tokens_in_a_folder_that_is_not_in_git() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::of(folder.path());
        let (_, secret) = tokens.create("ci", Vec::new(), at(100), None).unwrap();
        assert_eq!(tokens.find(&secret, at(150)).unwrap().unwrap().name, "ci");
        let ignored = fs::read_to_string(folder.path().join(".ubp/.gitignore")).unwrap();
        assert_eq!(ignored.lines().next(), Some("*"));
    }

    #[cfg(unix)]
    #[test]
    fn tokens_are_not_written_through_a_link() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join(UBP_DIR)).unwrap();
        assert!(Tokens::of(folder.path()).create("ci", Vec::new(), at(100), None).is_err());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }

    #[test]
    fn names_of_authors_have_no_spaces() {
        for name in ["ci", "claude-code", "me@example.org", "team/bot.2", "設計"] {
            require_author(name).unwrap();
        }
        for name in ["", "a b", "*", "a\n", &"x".repeat(101)] {
            assert!(require_author(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_token_expires_after_a_span_or_at_a_time() {
        let now: Timestamp = "2026-03-10T12:00:00Z".parse().unwrap();
        let named = |text: &str| expiry(text, now).ok().map(|end| end.to_string());
        assert_eq!(named("30d").as_deref(), Some("2026-04-09T12:00:00Z"));
        assert_eq!(named("2027-01-31").as_deref(), Some("2027-01-31T00:00:00Z"));
        assert_eq!(named("2026-03-10T13:00:00+01:00"), None, "in the past");
        for text in ["", "soon", "7", "-1d", "2026-03-01"] {
            assert_eq!(named(text), None, "{text}");
        }
    }

    #[test]
    fn a_damaged_list_admits_nobody() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(UBP_DIR)).unwrap();
        let tokens = Tokens::of(folder.path());
        fs::write(tokens.file.path(), "{").unwrap();
        assert!(tokens.find("ubp_0", at(0)).unwrap_err().to_string().contains("revoke everything in it"));
        fs::write(tokens.file.path(), "\u{feff}{\r\n\"tokens\": []\r\n}").unwrap();
        assert_eq!(tokens.all().unwrap(), []);
    }
}
