//! The parts before and after a link's pipe: which words are link types, and which side is the
//! target.

/// The link types of every project.
pub const KNOWN: [&str; 5] = ["depends_on", "implements", "extends", "references", "conflicts_with"];

/// The type of a link without one.
pub const DEFAULT: &str = "references";

/// The link types of a project: the built-in ones and those of its manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkTypes {
    own: Vec<String>,
    label_first: bool,
}

impl LinkTypes {
    /// The built-in types and these.
    pub fn with(own: impl IntoIterator<Item = String>) -> Self {
        Self { own: own.into_iter().collect(), label_first: false }
    }

    /// The same types for links of the form `[[label|target]]`, as in Dendron.
    #[must_use]
    pub fn label_first(self, label_first: bool) -> Self {
        Self { label_first, ..self }
    }

    /// Whether the part before the first pipe is the label.
    pub fn is_label_first(&self) -> bool {
        self.label_first
    }

    /// The type with exactly this name.
    pub fn exact<'a>(&'a self, text: &str) -> Option<&'a str> {
        self.iter().find(|name| *name == text)
    }

    /// The type that a front-matter key names, in snake or camel case.
    pub fn for_key<'a>(&'a self, key: &str) -> Option<&'a str> {
        let bare = |text: &str| text.replace(['_', '-'], "").to_lowercase();
        let key = bare(key);
        self.iter().find(|name| bare(name) == key)
    }

    /// All types, built-in ones first.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        KNOWN.into_iter().chain(self.own.iter().map(String::as_str))
    }
}
