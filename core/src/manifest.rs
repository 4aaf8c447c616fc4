//! `.ubp/manifest.json`: the settings that everyone who clones the project shares. People edit it by hand, so mistakes
//! are reported with their line, and unknown settings are kept when the file is rewritten.

use jiff::Timestamp;
#[cfg(not(target_family = "wasm"))]
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::message;
use crate::{Error, Result, path};

mod endpoint;
#[cfg(not(target_family = "wasm"))]
mod rights;
pub mod settings;
#[cfg(test)]
mod tests;
mod values;

pub use endpoint::Endpoint;
#[cfg(not(target_family = "wasm"))]
pub use rights::{AuthorRights, EVERYBODY, Ground, Right, RightsRule, RuleId, check_pattern};
use settings::{Settings, UnknownSetting};
pub use values::{chunk_size, dimensions, top_k};

/// The newest layout of `.ubp` that this version supports.
pub const SCHEMA_VERSION: u32 = 1;

/// Path of the manifest, relative to the project.
pub const MANIFEST_PATH: &str = ".ubp/manifest.json";

/// The default folder of templates.
pub const TEMPLATES: &str = "templates";

/// Settings that the manifest of a new project contains; the others have defaults.
const STARTED_WITH: [&str; 6] =
    ["version", "schema_version", "embedding_model", "pages_dir", "created_at", "frontmatter"];

/// The settings of a project. To change the file, change the fields and write [`Manifest::to_json`], which keeps
/// everything else as it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the manifest's format, for readers.
    pub version: String,
    /// Layout of `.ubp`, at most [`SCHEMA_VERSION`].
    #[serde(deserialize_with = "values::schema_version")]
    pub schema_version: u32,
    /// The model that computes vectors.
    pub embedding_model: EmbeddingModel,
    /// Folder of the pages, relative to the project, `/`-separated; `.` is the project itself.
    #[serde(deserialize_with = "values::pages_dir")]
    pub pages_dir: String,
    /// Folder of the templates, relative to the project, if it is not [`TEMPLATES`] outside of the pages folder.
    #[serde(deserialize_with = "values::templates_dir")]
    pub templates_dir: Option<String>,
    /// Folder of new attachments: relative to the pages folder, or with `./` to the folder of the page they are added to.
    #[serde(deserialize_with = "values::attachments_dir")]
    pub attachments_dir: String,
    /// When the project was created, if the manifest says so.
    #[serde(deserialize_with = "values::time")]
    pub created_at: Option<Timestamp>,
    /// Whether UBP adds missing front matter.
    pub frontmatter: FrontMatterMode,
    /// Defaults of search.
    pub search: SearchDefaults,
    /// When an outdated page becomes stale.
    pub staleness: StalenessSettings,
    /// Link types and link syntax.
    pub links: LinkSettings,
    /// Defaults of link suggestions.
    pub suggest: SuggestDefaults,
    /// The baseline of freshness.
    pub freshness: FreshnessBaseline,
    /// Limits for agents.
    pub agents: AgentSettings,
    /// Changes that agents propose.
    pub proposals: ProposalSettings,
    /// What agents may do where; of the rules that match, the last one counts.
    #[cfg(not(target_family = "wasm"))]
    pub rights: Vec<RightsRule>,
    /// The record of what agents saw.
    #[cfg(not(target_family = "wasm"))]
    pub sessions: SessionSettings,
    /// What UBP writes in the Open Knowledge Format.
    #[cfg(not(target_family = "wasm"))]
    pub okf: OkfSettings,
    /// How pages are shown to readers.
    pub reading: ReadingSettings,
    /// Settings of published sites.
    pub export: ExportSettings,
    /// Settings of document chunks and their search.
    pub documents: DocumentSettings,
    /// Unknown settings in the file.
    #[serde(skip)]
    pub unknown: Vec<UnknownSetting>,
    #[serde(skip)]
    original: Map<String, Value>,
    #[serde(skip)]
    indent: String,
    #[serde(skip)]
    crlf: bool,
}

/// The embedding model of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbeddingModel {
    /// Its name, such as `all-MiniLM-L6-v2`.
    #[serde(deserialize_with = "values::name")]
    pub name: String,
    /// The version given by the model's authors.
    pub version: String,
    /// Length of its vectors.
    #[serde(deserialize_with = "dimensions")]
    pub dimensions: usize,
    /// The server that runs it; `None` if this machine does.
    #[serde(deserialize_with = "endpoint::endpoint")]
    pub endpoint: Option<Endpoint>,
}

impl Default for EmbeddingModel {
    fn default() -> Self {
        Self { name: "all-MiniLM-L6-v2".into(), version: "1.0".into(), dimensions: 384, endpoint: None }
    }
}

/// Whether UBP writes front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrontMatterMode {
    /// UBP adds missing `id`, `title`, `created_at` and `updated_at` when a page is added or saved.
    Managed,
    /// UBP writes front matter only when the page is edited through UBP.
    Preserved,
}

impl FrontMatterMode {
    /// The value in the manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Preserved => "preserved",
        }
    }
}

/// The baseline for whether a page is out of date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FreshnessBaseline {
    /// The last review in `.ubp/refs.lock`; times for sources without a review.
    Review,
    /// Times of page and source; reviews are ignored.
    Edit,
}

/// Defaults of search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchDefaults {
    /// Maximum number of results, 1 to 20; `None` for the default of each interface.
    #[serde(deserialize_with = "values::whole::<1, 20, _, _>")]
    pub limit: Option<usize>,
    /// Weight of relevance compared with the link graph, 0 to 1.
    #[serde(deserialize_with = "values::fraction")]
    pub alpha: f64,
    /// Number of hops over which relevance spreads, 1 to 3.
    #[serde(deserialize_with = "values::whole::<1, 3, _, _>")]
    pub depth: usize,
    /// Whether questions that found nothing are recorded on this machine.
    #[serde(deserialize_with = "values::truth")]
    pub record_gaps: bool,
}

impl Default for SearchDefaults {
    fn default() -> Self {
        Self { limit: None, alpha: 0.7, depth: 2, record_gaps: true }
    }
}

/// When an outdated page becomes stale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StalenessSettings {
    /// Days after a change of the source until `possibly_stale` becomes `stale`.
    #[serde(deserialize_with = "values::whole::<0, 36_500, _, _>")]
    pub threshold_days: u32,
}

impl Default for StalenessSettings {
    fn default() -> Self {
        Self { threshold_days: 7 }
    }
}

/// Link types and link syntax.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkSettings {
    /// Additional link types, as written after the pipe of a link.
    #[serde(deserialize_with = "values::link_types")]
    pub types: Vec<String>,
    /// Whether a link's target is before or after the pipe.
    pub order: LinkOrder,
}

/// Whether a link's target is before or after the pipe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkOrder {
    /// `[[target|label]]`, as in Obsidian and most other tools.
    #[default]
    TargetFirst,
    /// `[[label|target]]`, as in Dendron.
    LabelFirst,
}

/// Defaults of link suggestions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SuggestDefaults {
    /// Minimum similarity, 0 to 1.
    #[serde(deserialize_with = "values::fraction")]
    pub threshold: f64,
    /// Maximum number of suggestions, 1 to 100.
    #[serde(deserialize_with = "values::whole::<1, 100, _, _>")]
    pub limit: usize,
}

impl Default for SuggestDefaults {
    fn default() -> Self {
        Self { threshold: 0.8, limit: 10 }
    }
}

/// Limits for agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSettings {
    /// Maximum number of page changes per minute, 1 to 10,000, in servers that let agents write.
    #[serde(deserialize_with = "values::whole::<1, 10_000, _, _>")]
    pub writes_per_minute: usize,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self { writes_per_minute: 60 }
    }
}

/// Changes that agents propose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalSettings {
    /// Whether clients of agents ask the person about a proposal at once, if they can.
    #[serde(deserialize_with = "values::truth")]
    pub ask: bool,
    /// Whether git sees proposals, so that they are reviewed in other clones.
    #[serde(deserialize_with = "values::truth")]
    pub commit: bool,
}

impl Default for ProposalSettings {
    fn default() -> Self {
        Self { ask: true, commit: false }
    }
}

/// The record of what agents saw.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionSettings {
    /// Whether answers to agents are recorded on this machine.
    #[serde(deserialize_with = "values::truth")]
    pub record: bool,
    /// Days until a session is deleted, 1 to 3650.
    #[serde(deserialize_with = "values::whole::<1, 3650, _, _>")]
    pub keep_days: u32,
}

#[cfg(not(target_family = "wasm"))]
impl Default for SessionSettings {
    fn default() -> Self {
        Self { record: true, keep_days: 30 }
    }
}

/// What UBP writes in the Open Knowledge Format.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OkfSettings {
    /// Whether a review writes `verified` into the front matter of the page.
    #[serde(deserialize_with = "values::truth")]
    pub verified: bool,
}

/// Minimum and maximum size of a chunk in characters.
pub const CHUNK_SIZES: (usize, usize) = (50, 100_000);

/// Maximum number of chunks in one result.
pub const MOST_CHUNKS: usize = 100;

/// Settings of document chunks and their search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentSettings {
    /// Maximum size of a chunk in characters; `None` lets sections and the model decide.
    #[serde(deserialize_with = "chunk_size")]
    pub chunk_size: Option<usize>,
    /// Number of chunks that a search in documents returns, 1 to [`MOST_CHUNKS`].
    #[serde(deserialize_with = "top_k")]
    pub top_k: usize,
}

impl Default for DocumentSettings {
    fn default() -> Self {
        Self { chunk_size: None, top_k: 5 }
    }
}

/// Whether pages are published if their front matter does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublishDefault {
    /// Published.
    #[default]
    Publish,
    /// Not published.
    Private,
}

/// How pages are shown to readers, in the viewer and on sites.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadingSettings {
    /// Whether browsers load pictures from other hosts, which then learn who reads the page.
    #[serde(deserialize_with = "values::truth")]
    pub external_pictures: bool,
}

/// Settings of published sites.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportSettings {
    /// Whether pages are published if their front matter does not say.
    pub default: PublishDefault,
    /// Title of the site; by default that of its first page.
    #[serde(deserialize_with = "values::title")]
    pub title: Option<String>,
    /// Language of pages that do not set one, such as `ja` or `en-GB`.
    #[serde(deserialize_with = "values::language")]
    pub language: Option<String>,
    /// Address at which readers can edit a page; `{path}` stands for the path of its file in the project.
    #[serde(deserialize_with = "values::edit_url")]
    pub edit_url: Option<String>,
}

/// Whether `tag` has the form of a language tag.
pub(crate) fn is_language(tag: &str) -> bool {
    (2..=35).contains(&tag.len())
        && tag.starts_with(|c: char| c.is_ascii_alphabetic())
        && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// The settings of an empty manifest: existing files are not changed.
impl Default for Manifest {
    fn default() -> Self {
        Self {
            version: "1.0.0".into(),
            schema_version: SCHEMA_VERSION,
            embedding_model: EmbeddingModel::default(),
            pages_dir: "pages".into(),
            templates_dir: None,
            attachments_dir: "attachments".into(),
            created_at: None,
            frontmatter: FrontMatterMode::Preserved,
            search: SearchDefaults::default(),
            staleness: StalenessSettings::default(),
            links: LinkSettings::default(),
            suggest: SuggestDefaults::default(),
            freshness: FreshnessBaseline::Review,
            agents: AgentSettings::default(),
            proposals: ProposalSettings::default(),
            #[cfg(not(target_family = "wasm"))]
            rights: Vec::new(),
            #[cfg(not(target_family = "wasm"))]
            sessions: SessionSettings::default(),
            #[cfg(not(target_family = "wasm"))]
            okf: OkfSettings::default(),
            reading: ReadingSettings::default(),
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
    /// The manifest of a new project. `pages_dir` is relative, or `.`.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] if `pages_dir` is not a folder inside the project.
    pub fn default_for(pages_dir: &str, frontmatter: FrontMatterMode, created_at: Timestamp) -> Result<Self> {
        let pages_dir = values::folder(pages_dir)
            .map_err(|message| Error::invalid(message!("pages_dir {message}", message)))?;
        // The file is for people, who need no fractions of a second.
        let created_at = Timestamp::from_second(created_at.as_second()).unwrap_or(created_at);
        Ok(Self { pages_dir, frontmatter, created_at: Some(created_at), ..Self::default() }.spelt_out())
    }

    /// The pages folder relative to the project; empty if it is the project itself.
    pub fn pages_folder(&self) -> &str {
        let folder = self.pages_dir.trim_matches('/');
        let folder = folder.strip_prefix("./").unwrap_or(folder);
        if folder == "." { "" } else { folder }
    }

    /// The folder of the templates, relative to the project. A folder inside the pages folder has to be set, because its
    /// files are then no longer pages.
    pub fn templates_folder(&self) -> Option<&str> {
        let usual = Some(TEMPLATES).filter(|folder| !path::is_below(folder, self.pages_folder()));
        self.templates_dir.as_deref().or(usual)
    }

    /// The folder of the templates relative to the pages folder, if it is inside it.
    pub fn templates_among_pages(&self) -> Option<&str> {
        let (folder, pages) = (self.templates_dir.as_deref()?, self.pages_folder());
        match pages {
            "" => Some(folder),
            pages => folder.strip_prefix(pages)?.strip_prefix('/'),
        }
    }

    /// The folder, relative to the pages folder, of an attachment that the page at `page` gets on `day`; empty for the
    /// pages folder.
    #[cfg(not(target_family = "wasm"))]
    pub fn attachments_folder(&self, page: &str, day: Date) -> String {
        let dir = &self.attachments_dir;
        let base = if dir.starts_with("./") { path::folder(page) } else { "" };
        // The name of the page last, because it may contain any text.
        let dir = [("{year}", "%Y"), ("{month}", "%m"), ("{day}", "%d")]
            .iter()
            .fold(dir.clone(), |dir, (name, format)| dir.replace(name, &day.strftime(format).to_string()))
            .replace("{page}", path::page_name(page));
        path::join(base, &dir).unwrap_or_default()
    }

    /// Parses a manifest; errors name the file `path`. Missing settings have their defaults.
    ///
    /// # Errors
    /// [`Error::Manifest`] with the line, for invalid JSON, a value of the wrong type or out of range, or a pages
    /// folder outside the project; [`Error::NewerProject`] for the layout of a newer version.
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
        // These are about agents, which have no browsers.
        #[cfg(target_family = "wasm")]
        let unknown: Vec<UnknownSetting> =
            unknown.into_iter().filter(|unknown| !["rights", "sessions"].contains(&&*unknown.name)).collect();
        let model = &read.embedding_model;
        let dimensions = given.get("embedding_model").and_then(|model| model.get("dimensions"));
        if model.name != EmbeddingModel::default().name && dimensions.is_none_or(Value::is_null) {
            return Err(Error::Manifest {
                path: path.into(),
                line: settings::line_of(text, &["embedding_model".into()]),
                message: message!(
                    "`embedding_model.dimensions` of the model '{name}' is missing",
                    name = model.name
                ),
            });
        }
        if let Some(folder) = &read.templates_dir
            && path::is_below(read.pages_folder(), folder)
        {
            return Err(Error::Manifest {
                path: path.into(),
                line: settings::line_of(text, &["templates_dir".into()]),
                message: message!(
                    "`templates_dir`: '{folder}' contains the pages, which would be templates",
                    folder
                ),
            });
        }
        Ok(Self { unknown, original: given, indent: indent_of(text), crlf: text.contains("\r\n"), ..read })
    }

    /// The settings that answers depend on, for publishing. All other settings, including unknown ones, are left out.
    pub fn published(&self) -> Self {
        let settings = self.clone();
        let published = Self {
            // A reader's browser must not be sent to that server.
            embedding_model: EmbeddingModel { endpoint: None, ..settings.embedding_model },
            pages_dir: settings.pages_dir,
            search: settings.search,
            staleness: settings.staleness,
            links: settings.links,
            suggest: settings.suggest,
            freshness: settings.freshness,
            reading: settings.reading,
            export: settings.export,
            documents: settings.documents,
            ..Self::default()
        };
        published.spelt_out()
    }

    /// The text of the file: as it was read, with its order, indentation, line endings and unknown keys, except for
    /// changed settings.
    pub fn to_json(&self) -> String {
        let mut object = settings::rewritten(&self.original, &Self::default(), self);
        if self.embedding_model.name != EmbeddingModel::default().name
            && let Some(Value::Object(model)) = object.get_mut("embedding_model")
        {
            // The default belongs to the default model, so the number is always written for another model.
            model.insert("dimensions".into(), self.embedding_model.dimensions.into());
        }
        if self.embedding_model.endpoint.is_none()
            && let Some(Value::Object(model)) = object.get_mut("embedding_model")
        {
            model.remove("endpoint");
        }
        let mut text = pretty(&Value::Object(object), self.indent.as_bytes());
        text.push('\n');
        if self.crlf { text.replace('\n', "\r\n") } else { text }
    }

    /// With the settings of [`STARTED_WITH`] in the file.
    fn spelt_out(mut self) -> Self {
        self.original = settings::members(&self);
        self.original.retain(|key, value| STARTED_WITH.contains(&key.as_str()) && !value.is_null());
        if let Some(Value::Object(model)) = self.original.get_mut("embedding_model") {
            model.retain(|_, value| !value.is_null());
        }
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

/// The indentation of the first key on its own line; by default two spaces.
fn indent_of(json: &str) -> String {
    json.lines()
        .skip(1)
        .find(|line| line.trim_start().starts_with('"'))
        .map(|line| &line[..line.len() - line.trim_start().len()])
        .filter(|indent| !indent.is_empty() && indent.len() <= 8)
        .map_or_else(|| "  ".into(), Into::into)
}
