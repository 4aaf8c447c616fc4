//! `.ubp/manifest.json`: what a project has settled once for everyone who clones it. People edit it
//! by hand, so mistakes are reported with their line, and whatever this version does not know
//! survives being rewritten.

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::{Error, Result};

mod check;
mod locate;
#[cfg(test)]
mod tests;

use check::Reader;
pub use locate::line_of;

/// The newest layout of `.ubp` that this version can use.
pub const SCHEMA_VERSION: u32 = 1;

/// Where the manifest lies in a project.
pub const MANIFEST_PATH: &str = ".ubp/manifest.json";

/// The settings of a project. Change the fields and write [`Manifest::to_json`]: everything else in
/// the file stays as it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// Version of the manifest's format, as people read it.
    pub version: String,
    /// Layout of `.ubp`, at most [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Which model the vectors come from.
    pub embedding_model: EmbeddingModel,
    /// Folder of the pages, relative to the project, `/`-separated; `.` is the project itself.
    pub pages_dir: String,
    /// When the project was started, if the manifest says so.
    pub created_at: Option<Timestamp>,
    /// Whether UBP completes front matter.
    pub frontmatter: FrontMatterMode,
    /// Defaults of searching.
    pub search: SearchDefaults,
    /// When an outdated page counts as stale.
    pub staleness: StalenessSettings,
    /// Link types beyond the known ones.
    pub links: LinkSettings,
    /// Defaults of suggesting links.
    pub suggest: SuggestDefaults,
    /// What freshness is measured against.
    pub freshness: FreshnessBaseline,
    /// What agents may do.
    pub agents: AgentSettings,
    /// What is published, and how it calls itself.
    pub export: ExportSettings,
    /// How documents are cut and found one by one.
    pub documents: DocumentSettings,
    original: Map<String, Value>,
    indent: String,
    crlf: bool,
}

/// The embedding model that a project asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingModel {
    /// Its name, such as `all-MiniLM-L6-v2`.
    pub name: String,
    /// Its version, as its maker counts.
    pub version: String,
    /// Length of its vectors.
    pub dimensions: usize,
}

impl Default for EmbeddingModel {
    fn default() -> Self {
        Self { name: "all-MiniLM-L6-v2".into(), version: "1.0".into(), dimensions: 384 }
    }
}

/// Who writes front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontMatterMode {
    /// UBP adds missing `id`, `title`, `created_at` and `updated_at` when a page is added or saved.
    Managed,
    /// UBP leaves files alone unless someone edits that page through it.
    Preserved,
}

impl FrontMatterMode {
    /// The word in the manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Preserved => "preserved",
        }
    }
}

/// What decides whether a page is older than what it describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FreshnessBaseline {
    /// The last review in `.ubp/refs.lock`, then times.
    Review,
    /// Times of page and source, whatever was reviewed.
    Edit,
}

impl FreshnessBaseline {
    /// The word in the manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::Edit => "edit",
        }
    }
}

/// Defaults of searching.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchDefaults {
    /// Most results, 1 to 20; `None` leaves it to the surface.
    pub limit: Option<usize>,
    /// Weight of relevance against the graph, 0 to 1.
    pub alpha: f64,
    /// Hops that relevance travels, 1 to 3.
    pub depth: usize,
}

impl Default for SearchDefaults {
    fn default() -> Self {
        Self { limit: None, alpha: 0.7, depth: 2 }
    }
}

/// When an outdated page counts as stale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StalenessSettings {
    /// Days since the source changed after which `possibly_stale` becomes `stale`.
    pub threshold_days: u32,
}

impl Default for StalenessSettings {
    fn default() -> Self {
        Self { threshold_days: 7 }
    }
}

/// How links are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkSettings {
    /// Their names, as written after the pipe of a link.
    pub types: Vec<String>,
    /// On which side of a link's pipe its target is.
    pub order: LinkOrder,
}

/// On which side of a link's pipe its target is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LinkOrder {
    /// `[[target|label]]`, as Obsidian and most others write.
    #[default]
    TargetFirst,
    /// `[[label|target]]`, as Dendron writes.
    LabelFirst,
}

impl LinkOrder {
    /// The word in the manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TargetFirst => "target_first",
            Self::LabelFirst => "label_first",
        }
    }
}

/// Defaults of suggesting links.
#[derive(Debug, Clone, PartialEq)]
pub struct SuggestDefaults {
    /// Least similarity, 0 to 1.
    pub threshold: f64,
    /// Most suggestions, 1 to 100.
    pub limit: usize,
}

impl Default for SuggestDefaults {
    fn default() -> Self {
        Self { threshold: 0.8, limit: 10 }
    }
}

/// What agents may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSettings {
    /// Most changes of pages in a minute, 1 to 10,000. Servers that let agents write hold to it.
    pub writes_per_minute: usize,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self { writes_per_minute: 60 }
    }
}

/// Fewest and most characters of a chunk.
pub const CHUNK_SIZES: (usize, usize) = (50, 100_000);

/// Most chunks in one answer.
pub const MOST_CHUNKS: usize = 100;

/// How documents are cut and found one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentSettings {
    /// Most characters of what gets a vector of its own; `None` leaves it to sections and the model.
    pub chunk_size: Option<usize>,
    /// Most chunks that a search among documents gives, 1 to [`MOST_CHUNKS`].
    pub top_k: usize,
}

impl Default for DocumentSettings {
    fn default() -> Self {
        Self { chunk_size: None, top_k: 5 }
    }
}

/// Which pages are published where their front matter does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PublishDefault {
    /// All.
    #[default]
    Publish,
    /// None.
    Private,
}

impl PublishDefault {
    /// The word in the manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Private => "private",
        }
    }
}

/// What is published, and how it calls itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportSettings {
    /// Which pages are published where their front matter does not say.
    pub default: PublishDefault,
    /// Name of the site; that of its first page when absent.
    pub title: Option<String>,
    /// Language of the pages that name none, such as `ja` or `en-GB`.
    pub language: Option<String>,
}

/// Whether `tag` has the form of a language tag.
pub(crate) fn is_language(tag: &str) -> bool {
    (2..=35).contains(&tag.len())
        && tag.starts_with(|c: char| c.is_ascii_alphabetic())
        && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

impl Manifest {
    /// The manifest of a project that starts now. `pages_dir` is relative, or `.`.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] when `pages_dir` does not name a folder inside the project.
    pub fn default_for(pages_dir: &str, frontmatter: FrontMatterMode, created_at: Timestamp) -> Result<Self> {
        let pages_dir = check::pages_dir(pages_dir).map_err(Error::invalid)?;
        let mut manifest = Self::absent();
        // Times in the file are for people, who read seconds.
        manifest.created_at = Some(Timestamp::from_second(created_at.as_second()).unwrap_or(created_at));
        manifest.pages_dir = pages_dir;
        manifest.frontmatter = frontmatter;
        manifest.original = manifest.essentials();
        Ok(manifest)
    }

    /// The pages folder relative to the project, empty when they are the same.
    pub fn pages_folder(&self) -> &str {
        let folder = self.pages_dir.trim_matches('/');
        let folder = folder.strip_prefix("./").unwrap_or(folder);
        if folder == "." { "" } else { folder }
    }

    /// Reads a manifest; `path` is what errors call the file. Absent settings get their defaults.
    ///
    /// # Errors
    /// [`Error::Manifest`] with the line, for damaged JSON, a value of the wrong type or out of
    /// range, a pages folder outside the project, or a layout that a newer version made.
    pub fn parse(text: &str, path: &str) -> Result<Self> {
        let json = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value = serde_json::from_str(json).map_err(|error| Error::Manifest {
            path: path.into(),
            line: error.line().max(1),
            message: check::without_position(&error),
        })?;
        let Value::Object(original) = value else {
            return Err(Error::Manifest {
                path: path.into(),
                line: 1,
                message: "expected an object: { … }".into(),
            });
        };
        let mut manifest = Reader::new(&original, json, path).manifest()?;
        manifest.original = original;
        manifest.indent = indent_of(json);
        manifest.crlf = json.contains("\r\n");
        Ok(manifest)
    }

    /// What of the settings is for everybody: what answers depend on. Everything else that the file holds, what this
    /// version does not know included, stays with the project.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] when the pages folder is none.
    pub fn published(&self) -> Result<Self> {
        let mut published =
            Self::default_for(&self.pages_dir, FrontMatterMode::Preserved, Timestamp::UNIX_EPOCH)?;
        published.created_at = None;
        published.original.shift_remove("created_at");
        published.embedding_model = self.embedding_model.clone();
        published.search = self.search.clone();
        published.staleness = self.staleness.clone();
        published.links = self.links.clone();
        published.suggest = self.suggest.clone();
        published.freshness = self.freshness;
        published.export = self.export.clone();
        published.documents = self.documents.clone();
        Ok(published)
    }

    /// The file's text: the one that was read, with the changed settings changed, in its order,
    /// indentation and line endings, and with every unknown key.
    pub fn to_json(&self) -> String {
        let mut object = self.original.clone();
        let before = Reader::new(&self.original, "", "").manifest().unwrap_or_else(|_| Self::absent());
        self.overlay(&before, &mut object);
        let mut text = pretty(&Value::Object(object), self.indent.as_bytes());
        text.push('\n');
        if self.crlf { text.replace('\n', "\r\n") } else { text }
    }

    /// What an empty manifest means. Existing files are never written to unless it says so.
    fn absent() -> Self {
        Self {
            version: "1.0.0".into(),
            schema_version: SCHEMA_VERSION,
            embedding_model: EmbeddingModel::default(),
            pages_dir: "pages".into(),
            created_at: None,
            frontmatter: FrontMatterMode::Preserved,
            search: SearchDefaults::default(),
            staleness: StalenessSettings::default(),
            links: LinkSettings::default(),
            suggest: SuggestDefaults::default(),
            freshness: FreshnessBaseline::Review,
            agents: AgentSettings::default(),
            export: ExportSettings::default(),
            documents: DocumentSettings::default(),
            original: Map::new(),
            indent: "  ".into(),
            crlf: false,
        }
    }

    /// What a new project's file spells out; the rest are defaults.
    fn essentials(&self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("version".into(), self.version.clone().into());
        object.insert("schema_version".into(), self.schema_version.into());
        for (key, value) in self.model_values() {
            set(&mut object, &["embedding_model", key], value);
        }
        object.insert("pages_dir".into(), self.pages_dir.clone().into());
        if let Some(time) = self.created_at {
            object.insert("created_at".into(), time.to_string().into());
        }
        object.insert("frontmatter".into(), self.frontmatter.as_str().into());
        object
    }

    fn model_values(&self) -> [(&'static str, Value); 3] {
        let model = &self.embedding_model;
        [
            ("name", model.name.clone().into()),
            ("version", model.version.clone().into()),
            ("dimensions", model.dimensions.into()),
        ]
    }

    fn overlay(&self, before: &Self, object: &mut Map<String, Value>) {
        let mut put = |changed: bool, keys: &[&str], value: Value| {
            if changed {
                set(object, keys, value);
            }
        };
        put(self.version != before.version, &["version"], self.version.clone().into());
        put(self.schema_version != before.schema_version, &["schema_version"], self.schema_version.into());
        let new_model = self.embedding_model != before.embedding_model;
        for (key, value) in self.model_values() {
            put(new_model, &["embedding_model", key], value);
        }
        put(self.pages_dir != before.pages_dir, &["pages_dir"], self.pages_dir.clone().into());
        let created = self.created_at.map_or(Value::Null, |time| time.to_string().into());
        put(self.created_at != before.created_at, &["created_at"], created);
        let mode = self.frontmatter.as_str().into();
        put(self.frontmatter != before.frontmatter, &["frontmatter"], mode);
        let (search, was) = (&self.search, &before.search);
        let limit = search.limit.map_or(Value::Null, Value::from);
        put(search.limit != was.limit, &["search", "limit"], limit);
        put(search.alpha != was.alpha, &["search", "alpha"], search.alpha.into());
        put(search.depth != was.depth, &["search", "depth"], search.depth.into());
        let days = self.staleness.threshold_days;
        put(self.staleness != before.staleness, &["staleness", "threshold_days"], days.into());
        let (links, was) = (&self.links, &before.links);
        put(links.types != was.types, &["links", "types"], links.types.clone().into());
        put(links.order != was.order, &["links", "order"], links.order.as_str().into());
        let (suggest, was) = (&self.suggest, &before.suggest);
        put(suggest.threshold != was.threshold, &["suggest", "threshold"], suggest.threshold.into());
        put(suggest.limit != was.limit, &["suggest", "limit"], suggest.limit.into());
        let writes = self.agents.writes_per_minute;
        put(self.agents != before.agents, &["agents", "writes_per_minute"], writes.into());
        let (export, was) = (&self.export, &before.export);
        put(export.default != was.default, &["export", "default"], export.default.as_str().into());
        let text = |text: &Option<String>| text.clone().map_or(Value::Null, Value::from);
        put(export.title != was.title, &["export", "title"], text(&export.title));
        put(export.language != was.language, &["export", "language"], text(&export.language));
        let (documents, was) = (&self.documents, &before.documents);
        let size = documents.chunk_size.map_or(Value::Null, Value::from);
        put(documents.chunk_size != was.chunk_size, &["documents", "chunk_size"], size);
        put(documents.top_k != was.top_k, &["documents", "top_k"], documents.top_k.into());
        put(self.freshness != before.freshness, &["freshness"], self.freshness.as_str().into());
    }
}

/// Sets the value at `keys`, making the objects on the way.
fn set(object: &mut Map<String, Value>, keys: &[&str], value: Value) {
    match keys {
        [] => {}
        [key] => {
            object.insert((*key).into(), value);
        }
        [key, rest @ ..] => {
            let slot = object.entry(*key).or_insert_with(|| Value::Object(Map::new()));
            if !slot.is_object() {
                *slot = Value::Object(Map::new());
            }
            if let Value::Object(inner) = slot {
                set(inner, rest, value);
            }
        }
    }
}

fn pretty(value: &Value, indent: &[u8]) -> String {
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent);
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    match serde::Serialize::serialize(value, &mut serializer) {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => value.to_string(),
    }
}

/// The white space before the first key that has a line of its own, else two spaces.
fn indent_of(json: &str) -> String {
    json.lines()
        .skip(1)
        .find(|line| line.trim_start().starts_with('"'))
        .map(|line| &line[..line.len() - line.trim_start().len()])
        .filter(|indent| !indent.is_empty() && indent.len() <= 8)
        .map_or_else(|| "  ".into(), Into::into)
}
