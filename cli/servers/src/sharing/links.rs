//! Links for guests, in `.ubp/links.json`. The file has only hashes of their secrets.

use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use ubp_core::message;
use ubp_core::message::Value;
use ubp_core::text::fold_key;
use ubp_core::{Error, Result};

use super::right::GuestRight;
use crate::http::kept_file::KeptFile;
use crate::http::named_tokens::{Tokens, hash, is_equal, require_author};
use crate::http::random;

/// Name of the file in `.ubp`.
const FILE: &str = "links.json";

/// Name of the file that a process locks while it changes the other one.
const LOCK: &str = "links.lock";

/// Start of every secret, so that programs which look for secrets in files find them.
const PREFIX: &str = "ubp_";

/// Maximum number of links: all are compared with every request.
const MOST: usize = 1_000;

/// A link without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuestLink {
    /// The name of the guest, who is the author of changes.
    pub name: String,
    /// What the guest may do.
    pub right: GuestRight,
    /// The pages, as in the rules of the manifest; empty for all.
    #[serde(default)]
    pub pages: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it stops working; `None` for never.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
    /// SHA-256 of the [`pass`] of its secret.
    hash: String,
}

impl GuestLink {
    /// Whether this is its name, in any letter case and Unicode form.
    pub fn is_called(&self, name: &str) -> bool {
        fold_key(&self.name) == fold_key(name)
    }

    /// Whether it works at this time.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// What tells it from other links, also from earlier ones of the same name.
    pub(super) fn id(&self) -> &str {
        &self.hash
    }
}

/// The content of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct List {
    /// Where the viewer was shared last, without `/` at its end.
    #[serde(default)]
    address: Option<String>,
    #[serde(default)]
    links: Vec<GuestLink>,
}

/// What a browser has in place of the secret of a link. Servers on other ports receive its cookies too, and must not learn the
/// link.
pub(super) fn pass(secret: &str) -> String {
    hash(&format!("ubp guest {secret}"))
}

/// The links of a project.
#[derive(Debug, Clone)]
pub struct GuestLinks {
    file: KeptFile,
    tokens: Tokens,
}

impl GuestLinks {
    /// Those of the project in `root`.
    pub fn of(root: &Path) -> Self {
        Self { file: KeptFile::new(root, FILE, LOCK), tokens: Tokens::of(root) }
    }

    /// All links, by name.
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::InvalidParams`] if the file was damaged.
    pub fn all(&self) -> Result<Vec<GuestLink>> {
        Ok(self.file.read::<List>()?.links)
    }

    /// Where the viewer was shared last.
    ///
    /// # Errors
    /// As [`GuestLinks::all`].
    pub fn address(&self) -> Result<Option<String>> {
        Ok(self.file.read::<List>()?.address)
    }

    /// Records where the viewer is shared, for the links that are made from now on.
    ///
    /// # Errors
    /// As [`GuestLinks::create`].
    pub(super) fn set_address(&self, address: &str) -> Result<()> {
        let _held = self.file.hold()?;
        self.file.require_own()?;
        let list: List = self.file.read()?;
        if list.address.as_deref() == Some(address) {
            return Ok(());
        }
        self.file.save(&List { address: Some(address.to_owned()), ..list })
    }

    /// The valid link with this pass. Takes the same time for every wrong one.
    ///
    /// # Errors
    /// As [`GuestLinks::all`]; [`Error::InvalidParams`] if the file is in git.
    pub(super) fn find(&self, pass: &str, now: Timestamp) -> Result<Option<GuestLink>> {
        let hash = hash(pass);
        let mut found = None;
        for link in self.all()? {
            if is_equal(link.hash.as_bytes(), hash.as_bytes()) {
                found = Some(link);
            }
        }
        let found = found.filter(|link| link.is_valid_at(now));
        if found.is_some() {
            self.file.require_own()?;
        }
        Ok(found)
    }

    /// Makes a link, and returns its secret, which is stored nowhere.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] for a name that is taken or cannot be that of an author, and if the file is in git;
    /// [`Error::Io`].
    pub fn create(
        &self,
        name: &str,
        right: GuestRight,
        pages: Vec<String>,
        now: Timestamp,
        expires_at: Option<Timestamp>,
    ) -> Result<(GuestLink, String)> {
        require_author(name)?;
        // Whoever has the name of an agent would see its changes and proposals.
        if let Some(token) = self.tokens.all()?.into_iter().find(|token| token.is_called(name)) {
            return Err(Error::invalid(message!("there is already a token '{name}'", name = token.name)));
        }
        let secret = format!("{PREFIX}{}", random());
        let link = GuestLink {
            name: name.to_owned(),
            right,
            pages,
            created_at: now,
            expires_at,
            hash: hash(&pass(&secret)),
        };
        let _held = self.file.hold()?;
        self.file.require_own()?;
        let mut list: List = self.file.read()?;
        // One that has expired gives its name back.
        list.links.retain(|link| !link.is_called(name) || link.is_valid_at(now));
        if let Some(GuestLink { name, .. }) = list.links.iter().find(|link| link.is_called(name)) {
            return Err(Error::invalid_with_hint(
                message!("there is already a link for '{name}'", name),
                message!("{revoke} ends it", revoke = Value::Run(format!("share revoke {name}"))),
            ));
        }
        if list.links.len() >= MOST {
            return Err(Error::invalid(message!("at most {most} links: revoke some", most = MOST)));
        }
        list.links.push(link.clone());
        list.links.sort_by(|a, b| a.name.cmp(&b.name));
        self.file.save(&list)?;
        Ok((link, secret))
    }

    /// Ends a link.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if there is none with this name; [`Error::Io`].
    pub fn revoke(&self, name: &str) -> Result<GuestLink> {
        let _held = self.file.hold()?;
        let mut list: List = self.file.read()?;
        let Some(at) = list.links.iter().position(|link| link.is_called(name)) else {
            return Err(Error::invalid_with_hint(
                message!("there is no link for '{name}'", name),
                message!("{list} lists all links", list = Value::Run("share list".into())),
            ));
        };
        let revoked = list.links.remove(at);
        self.file.save(&list)?;
        Ok(revoked)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use ubp_host::{InitOptions, SystemClock, UBP_DIR, init};

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    #[test]
    fn a_link_works_until_it_expires_or_is_revoked_and_its_secret_is_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let project = init(folder.path(), &InitOptions::default(), &SystemClock::default()).unwrap().project;
        let links = GuestLinks::of(&project.root);
        let (made, secret) =
            links.create("Mina", GuestRight::Read, vec!["docs/".into()], at(100), Some(at(200))).unwrap();
        assert_eq!(links.find(&pass(&secret), at(150)).unwrap(), Some(made.clone()));
        assert_eq!(links.find(&pass(&secret), at(200)).unwrap(), None, "expired");
        for wrong in [&*secret, &made.hash, "", "ubp_0", &pass("ubp_0")] {
            assert_eq!(links.find(wrong, at(150)).unwrap(), None, "{wrong}");
        }
        let stored = std::fs::read_to_string(links.file.path()).unwrap();
        let (pass_of_it, digits) = (pass(&secret), &secret[PREFIX.len()..]);
        assert!(!stored.contains(digits) && !stored.contains(&pass_of_it), "{stored}");
        let ignored = std::fs::read_to_string(project.root.join(UBP_DIR).join(".gitignore")).unwrap();
        assert_eq!(ignored.lines().filter(|line| *line == "/links.json").count(), 1);
        let taken = links.create("mina", GuestRight::Write, Vec::new(), at(150), None).unwrap_err();
        assert!(taken.to_string().contains("already a link for 'Mina'"), "{taken}");
        Tokens::of(&project.root).create("ci", Vec::new(), at(100), None).unwrap();
        assert!(
            links.create("CI", GuestRight::Read, Vec::new(), at(100), None).is_err(),
            "the name of an agent"
        );
        links.set_address("https://192.0.2.1:4748").unwrap();
        assert_eq!(links.revoke("MINA").unwrap(), made);
        assert_eq!(links.find(&pass_of_it, at(150)).unwrap(), None, "revoked");
        assert_eq!(links.address().unwrap().as_deref(), Some("https://192.0.2.1:4748"));
        assert!(links.revoke("Mina").is_err());
        links.create("Mina", GuestRight::Read, Vec::new(), at(100), Some(at(200))).unwrap();
        links.create("Mina", GuestRight::Read, Vec::new(), at(300), None).unwrap();
        assert_eq!(links.all().unwrap().len(), 1);
    }
}
