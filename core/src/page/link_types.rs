//! Which words after a pipe are link types: everything else is display text.

/// The types every project knows.
pub const KNOWN: [&str; 5] = ["depends_on", "implements", "extends", "references", "conflicts_with"];

/// The type of a link that names none.
pub const DEFAULT: &str = "references";

/// The link types of a project: the known ones and those of its manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkTypes {
    own: Vec<String>,
}

impl LinkTypes {
    /// The known types and these.
    pub fn with(own: impl IntoIterator<Item = String>) -> Self {
        Self { own: own.into_iter().collect() }
    }

    /// The type that `text` names exactly.
    pub fn exact<'a>(&'a self, text: &str) -> Option<&'a str> {
        self.iter().find(|name| *name == text)
    }

    /// The type that a front-matter key names, in snake or camel case.
    pub fn for_key<'a>(&'a self, key: &str) -> Option<&'a str> {
        let bare = |text: &str| text.replace(['_', '-'], "").to_lowercase();
        let key = bare(key);
        self.iter().find(|name| bare(name) == key)
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        KNOWN.into_iter().chain(self.own.iter().map(String::as_str))
    }
}
