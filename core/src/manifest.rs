//! `.ubp/manifest.json`: what a project has settled once for everyone who clones it. People edit it
//! by hand, so mistakes are reported with their line, and whatever this version does not know
//! survives being rewritten.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Error, Result};

pub mod settings;
#[cfg(test)]
mod tests;
mod values;

use settings::{Settings, UnknownSetting};
pub use values::{chunk_size, dimensions, top_k};

/// The newest layout of `.ubp` that this version can use.
pub const SCHEMA_VERSION: u32 = 1;

/// Where the manifest lies in a project.
pub const MANIFEST_PATH: &str = ".ubp/manifest.json";

/// What the file of a new project spells out.
const STARTED_WITH: [&str; 6] =
    ["version", "schema_version", "embedding_model", "pages_dir", "created_at", "frontmatter"];

/// The settings of a project. Change the fields and write [`Manifest::to_json`]: everything else in
/// the file stays as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the manifest's format, as people read it.
    pub version: String,
    /// Layout of `.ubp`, at most [`SCHEMA_VERSION`].
    #[serde(deserialize_with = "values::schema_version")]
    pub schema_version: u32,
    /// Which model the vectors come from.
    pub embedding_model: EmbeddingModel,
    /// Folder of the pages, relative to the project, `/`-separated; `.` is the project itself.
    #[serde(deserialize_with = "values::pages_dir")]
    pub pages_dir: String,
    /// When the project was started, if the manifest says so.
    #[serde(deserialize_with = "values::time")]
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
    /// What the file has beyond that.
    #[serde(skip)]
    pub unknown: Vec<UnknownSetting>,
    #[serde(skip)]
    original: Map<String, Value>,
    #[serde(skip)]
    indent: String,
    #[serde(skip)]
    crlf: bool,
}

/// The embedding model that a project asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbeddingModel {
    /// Its name, such as `all-MiniLM-L6-v2`.
    #[serde(deserialize_with = "values::name")]
    pub name: String,
    /// Its version, as its maker counts.
    pub version: String,
    /// Length of its vectors.
    #[serde(deserialize_with = "dimensions")]
    pub dimensions: usize,
}

impl Default for EmbeddingModel {
    fn default() -> Self {
        Self { name: "all-MiniLM-L6-v2".into(), version: "1.0".into(), dimensions: 384 }
    }
}

/// Who writes front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FreshnessBaseline {
    /// The last review in `.ubp/refs.lock`, then times.
    Review,
    /// Times of page and source, whatever was reviewed.
    Edit,
}

/// Defaults of searching.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchDefaults {
    /// Most results, 1 to 20; `None` leaves it to the surface.
    #[serde(deserialize_with = "values::whole::<1, 20, _, _>")]
    pub limit: Option<usize>,
    /// Weight of relevance against the graph, 0 to 1.
    #[serde(deserialize_with = "values::fraction")]
    pub alpha: f64,
    /// Hops that relevance travels, 1 to 3.
    #[serde(deserialize_with = "values::whole::<1, 3, _, _>")]
    pub depth: usize,
}

impl Default for SearchDefaults {
    fn default() -> Self {
        Self { limit: None, alpha: 0.7, depth: 2 }
    }
}

/// When an outdated page counts as stale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StalenessSettings {
    /// Days since the source changed after which `possibly_stale` becomes `stale`.
    #[serde(deserialize_with = "values::whole::<0, 36_500, _, _>")]
    pub threshold_days: u32,
}

impl Default for StalenessSettings {
    fn default() -> Self {
        Self { threshold_days: 7 }
    }
}

/// How links are written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkSettings {
    /// Their names, as written after the pipe of a link.
    #[serde(deserialize_with = "values::link_types")]
    pub types: Vec<String>,
    /// On which side of a link's pipe its target is.
    pub order: LinkOrder,
}

/// On which side of a link's pipe its target is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkOrder {
    /// `[[target|label]]`, as Obsidian and most others write.
    #[default]
    TargetFirst,
    /// `[[label|target]]`, as Dendron writes.
    LabelFirst,
}

/// Defaults of suggesting links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuggestDefaults {
    /// Least similarity, 0 to 1.
    #[serde(deserialize_with = "values::fraction")]
    pub threshold: f64,
    /// Most suggestions, 1 to 100.
    #[serde(deserialize_with = "values::whole::<1, 100, _, _>")]
    pub limit: usize,
}

impl Default for SuggestDefaults {
    fn default() -> Self {
        Self { threshold: 0.8, limit: 10 }
    }
}

/// What agents may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSettings {
    /// Most changes of pages in a minute, 1 to 10,000. Servers that let agents write hold to it.
    #[serde(deserialize_with = "values::whole::<1, 10_000, _, _>")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentSettings {
    /// Most characters of what gets a vector of its own; `None` leaves it to sections and the model.
    #[serde(deserialize_with = "chunk_size")]
    pub chunk_size: Option<usize>,
    /// Most chunks that a search among documents gives, 1 to [`MOST_CHUNKS`].
    #[serde(deserialize_with = "top_k")]
    pub top_k: usize,
}

impl Default for DocumentSettings {
    fn default() -> Self {
        Self { chunk_size: None, top_k: 5 }
    }
}

/// Which pages are published where their front matter does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublishDefault {
    /// All.
    #[default]
    Publish,
    /// None.
    Private,
}

/// What is published, and how it calls itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportSettings {
    /// Which pages are published where their front matter does not say.
    pub default: PublishDefault,
    /// Name of the site; that of its first page when absent.
    #[serde(deserialize_with = "values::title")]
    pub title: Option<String>,
    /// Language of the pages that name none, such as `ja` or `en-GB`.
    #[serde(deserialize_with = "values::language")]
    pub language: Option<String>,
}

/// Whether `tag` has the form of a language tag.
pub(crate) fn is_language(tag: &str) -> bool {
    (2..=35).contains(&tag.len())
        && tag.starts_with(|c: char| c.is_ascii_alphabetic())
        && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// What an empty manifest means. Existing files are never written to unless it says so.
impl Default for Manifest {
    fn default() -> Self {
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
            unknown: Vec::new(),
            original: Map::new(),
            indent: "  ".into(),
            crlf: false,
        }
    }
}

impl Manifest {
    /// The manifest of a project that starts now. `pages_dir` is relative, or `.`.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] when `pages_dir` does not name a folder inside the project.
    pub fn default_for(pages_dir: &str, frontmatter: FrontMatterMode, created_at: Timestamp) -> Result<Self> {
        let pages_dir =
            values::folder(pages_dir).map_err(|message| Error::invalid(format!("pages_dir {message}")))?;
        // Times in the file are for people, who read seconds.
        let created_at = Timestamp::from_second(created_at.as_second()).unwrap_or(created_at);
        Ok(Self { pages_dir, frontmatter, created_at: Some(created_at), ..Self::default() }.spelt_out())
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
    /// range, or a pages folder outside the project; [`Error::NewerProject`] for a layout that a newer version made.
    pub fn parse(text: &str, path: &str) -> Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let layout = settings::read(text, path, &values::Layout { schema_version: SCHEMA_VERSION })?.value;
        if layout.schema_version > SCHEMA_VERSION {
            return Err(Error::NewerProject {
                path: path.into(),
                line: settings::line_of(text, &["schema_version".into()]),
                layout: layout.schema_version,
            });
        }
        let Settings { value: read, given, unknown } = settings::read(text, path, &Self::default())?;
        let model = &read.embedding_model;
        let dimensions = given.get("embedding_model").and_then(|model| model.get("dimensions"));
        if model.name != EmbeddingModel::default().name && dimensions.is_none_or(Value::is_null) {
            return Err(Error::Manifest {
                path: path.into(),
                line: settings::line_of(text, &["embedding_model".into()]),
                message: format!("`embedding_model.dimensions` of the model '{}' is missing", model.name),
            });
        }
        Ok(Self { unknown, original: given, indent: indent_of(text), crlf: text.contains("\r\n"), ..read })
    }

    /// What of the settings is for everybody: what answers depend on. Everything else that the file holds, what this
    /// version does not know included, stays with the project.
    pub fn published(&self) -> Self {
        let settings = self.clone();
        let published = Self {
            embedding_model: settings.embedding_model,
            pages_dir: settings.pages_dir,
            search: settings.search,
            staleness: settings.staleness,
            links: settings.links,
            suggest: settings.suggest,
            freshness: settings.freshness,
            export: settings.export,
            documents: settings.documents,
            ..Self::default()
        };
        published.spelt_out()
    }

    /// The file's text: the one that was read, with the changed settings changed, in its order,
    /// indentation and line endings, and with every unknown key.
    pub fn to_json(&self) -> String {
        let mut object = settings::rewritten(&self.original, &Self::default(), self);
        if self.embedding_model.name != EmbeddingModel::default().name
            && let Some(Value::Object(model)) = object.get_mut("embedding_model")
        {
            // No default fits another model, so it is written also where it is the same number.
            model.insert("dimensions".into(), self.embedding_model.dimensions.into());
        }
        let mut text = pretty(&Value::Object(object), self.indent.as_bytes());
        text.push('\n');
        if self.crlf { text.replace('\n', "\r\n") } else { text }
    }

    /// With a file of its own, which spells out what a project decides at its start; the rest are defaults.
    fn spelt_out(mut self) -> Self {
        self.original = settings::members(&self);
        self.original.retain(|key, value| STARTED_WITH.contains(&key.as_str()) && !value.is_null());
        self
    }
}

fn pretty(value: &Value, indent: &[u8]) -> String {
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent);
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    match Serialize::serialize(value, &mut serializer) {
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
