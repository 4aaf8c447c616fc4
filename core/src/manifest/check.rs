//! What each setting of a manifest may be.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::locate::line_of;
use super::{
    CHUNK_SIZES, EmbeddingModel, FreshnessBaseline, FrontMatterMode, LinkOrder, MOST_CHUNKS, Manifest,
    PublishDefault, SCHEMA_VERSION, is_language,
};
use crate::{Error, Result};

/// Reads typed settings out of a manifest's object.
pub(super) struct Reader<'a> {
    object: &'a Map<String, Value>,
    json: &'a str,
    path: &'a str,
}

impl<'a> Reader<'a> {
    pub(super) fn new(object: &'a Map<String, Value>, json: &'a str, path: &'a str) -> Self {
        Self { object, json, path }
    }

    pub(super) fn manifest(&self) -> Result<Manifest> {
        // Before all else: a newer layout may have given the other settings new meanings.
        let schema_version = self.schema_version()?;
        let mut manifest = Manifest::absent();
        manifest.schema_version = schema_version;
        if let Some(version) = self.text(&["version"])? {
            manifest.version = version;
        }
        manifest.embedding_model = self.model()?;
        if let Some(dir) = self.text(&["pages_dir"])? {
            manifest.pages_dir = pages_dir(&dir).map_err(|message| self.error(&["pages_dir"], message))?;
        }
        if let Some(time) = self.text(&["created_at"])? {
            let parsed: Timestamp = time.parse().map_err(|_| {
                self.error(&["created_at"], "expected a time such as \"2026-02-07T00:00:00Z\"")
            })?;
            manifest.created_at = Some(parsed);
        }
        if let Some(mode) = self.choice(
            &["frontmatter"],
            &[FrontMatterMode::Managed, FrontMatterMode::Preserved],
            FrontMatterMode::as_str,
        )? {
            manifest.frontmatter = mode;
        }
        if let Some(baseline) = self.choice(
            &["freshness"],
            &[FreshnessBaseline::Review, FreshnessBaseline::Edit],
            FreshnessBaseline::as_str,
        )? {
            manifest.freshness = baseline;
        }
        self.sections(&mut manifest)?;
        Ok(manifest)
    }

    fn sections(&self, manifest: &mut Manifest) -> Result<()> {
        for section in ["search", "staleness", "links", "suggest", "agents", "export", "documents"] {
            self.section(section)?;
        }
        manifest.search.limit = self.whole(&["search", "limit"], 1, 20)?;
        if let Some(alpha) = self.fraction(&["search", "alpha"])? {
            manifest.search.alpha = alpha;
        }
        if let Some(depth) = self.whole(&["search", "depth"], 1, 3)? {
            manifest.search.depth = depth;
        }
        if let Some(days) = self.whole(&["staleness", "threshold_days"], 0, 36_500)? {
            manifest.staleness.threshold_days = u32::try_from(days).unwrap_or(u32::MAX);
        }
        if let Some(threshold) = self.fraction(&["suggest", "threshold"])? {
            manifest.suggest.threshold = threshold;
        }
        if let Some(limit) = self.whole(&["suggest", "limit"], 1, 100)? {
            manifest.suggest.limit = limit;
        }
        manifest.documents.chunk_size =
            self.whole(&["documents", "chunk_size"], CHUNK_SIZES.0, CHUNK_SIZES.1)?;
        if let Some(top_k) = self.whole(&["documents", "top_k"], 1, MOST_CHUNKS)? {
            manifest.documents.top_k = top_k;
        }
        if let Some(writes) = self.whole(&["agents", "writes_per_minute"], 1, 10_000)? {
            manifest.agents.writes_per_minute = writes;
        }
        if let Some(default) = self.choice(
            &["export", "default"],
            &[PublishDefault::Publish, PublishDefault::Private],
            PublishDefault::as_str,
        )? {
            manifest.export.default = default;
        }
        manifest.export.title = self.text(&["export", "title"])?.filter(|title| !title.trim().is_empty());
        manifest.export.language = self.text(&["export", "language"])?;
        if manifest.export.language.as_deref().is_some_and(|tag| !is_language(tag)) {
            return Err(
                self.error(&["export", "language"], "expected a language tag such as \"en\" or \"ja\"")
            );
        }
        manifest.links.types = self.link_types()?;
        manifest.links.order = self.link_order()?;
        Ok(())
    }

    fn schema_version(&self) -> Result<u32> {
        let keys = &["schema_version"];
        let version = self.whole(keys, 1, usize::MAX)?.unwrap_or(1);
        u32::try_from(version).ok().filter(|&version| version <= SCHEMA_VERSION).ok_or_else(|| {
            self.error(
                keys,
                format!(
                    "schema_version {version} was made by a newer ubp (this one knows up to \
                     {SCHEMA_VERSION}): install a newer ubp"
                ),
            )
        })
    }

    fn model(&self) -> Result<EmbeddingModel> {
        self.section("embedding_model")?;
        let mut model = EmbeddingModel::default();
        let name = self.text(&["embedding_model", "name"])?;
        let dimensions = self.whole(&["embedding_model", "dimensions"], 1, 65_536)?;
        if let Some(name) = name {
            if name.trim().is_empty() {
                return Err(self.error(&["embedding_model", "name"], "expected the name of a model"));
            }
            if name != model.name && dimensions.is_none() {
                return Err(self
                    .error(&["embedding_model"], format!("'dimensions' of the model '{name}' is missing")));
            }
            model.name = name;
        }
        if let Some(version) = self.text(&["embedding_model", "version"])? {
            model.version = version;
        }
        model.dimensions = dimensions.unwrap_or(model.dimensions);
        Ok(model)
    }

    fn link_types(&self) -> Result<Vec<String>> {
        let keys = &["links", "types"];
        let wrong = || self.error(keys, "expected a list of names, such as [\"replaces\"]");
        let Some(value) = self.get(keys) else { return Ok(Vec::new()) };
        let mut types: Vec<String> = Vec::new();
        for item in value.as_array().ok_or_else(wrong)? {
            let name = item.as_str().ok_or_else(wrong)?.trim();
            if name.is_empty() || name.contains(['|', '[', ']', '\n', '\r']) {
                return Err(self.error(keys, format!("'{name}' cannot be the name of a link type")));
            }
            if !types.iter().any(|known| known == name) {
                types.push(name.into());
            }
        }
        Ok(types)
    }

    fn link_order(&self) -> Result<LinkOrder> {
        let keys = &["links", "order"];
        match self.text(keys)?.as_deref() {
            None => Ok(LinkOrder::default()),
            Some("target_first") => Ok(LinkOrder::TargetFirst),
            Some("label_first") => Ok(LinkOrder::LabelFirst),
            Some(other) => {
                Err(self.error(keys, format!("'{other}' is neither target_first nor label_first")))
            }
        }
    }

    /// The value at `keys`; `null` counts as absent.
    fn get(&self, keys: &[&str]) -> Option<&'a Value> {
        let (first, rest) = keys.split_first()?;
        let mut value = self.object.get(*first)?;
        for key in rest {
            value = value.get(key)?;
        }
        Some(value).filter(|value| !value.is_null())
    }

    fn section(&self, key: &str) -> Result<()> {
        match self.get(&[key]) {
            Some(value) if !value.is_object() => {
                Err(self.error(&[key], format!("'{key}' must be an object: {{ … }}")))
            }
            _ => Ok(()),
        }
    }

    fn text(&self, keys: &[&str]) -> Result<Option<String>> {
        let Some(value) = self.get(keys) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| self.wrong(keys, "a text in quotes"))?;
        Ok(Some(text.into()))
    }

    fn whole(&self, keys: &[&str], least: usize, most: usize) -> Result<Option<usize>> {
        let Some(value) = self.get(keys) else { return Ok(None) };
        let number = value.as_u64().and_then(|n| usize::try_from(n).ok());
        let expected = || match most {
            usize::MAX => format!("a whole number from {least}"),
            _ => format!("a whole number from {least} to {most}"),
        };
        let in_range = number.filter(|n| (least..=most).contains(n));
        in_range.map(Some).ok_or_else(|| self.wrong(keys, &expected()))
    }

    fn fraction(&self, keys: &[&str]) -> Result<Option<f64>> {
        let Some(value) = self.get(keys) else { return Ok(None) };
        let number = value.as_f64().filter(|n| (0.0..=1.0).contains(n));
        number.map(Some).ok_or_else(|| self.wrong(keys, "a number from 0 to 1"))
    }

    fn choice<T: Copy>(&self, keys: &[&str], all: &[T], name: fn(T) -> &'static str) -> Result<Option<T>> {
        let Some(value) = self.get(keys) else { return Ok(None) };
        let chosen = value.as_str().and_then(|word| all.iter().find(|&&option| name(option) == word));
        chosen.copied().map(Some).ok_or_else(|| {
            let words: Vec<String> = all.iter().map(|&option| format!("\"{}\"", name(option))).collect();
            self.wrong(keys, &words.join(" or "))
        })
    }

    fn wrong(&self, keys: &[&str], expected: &str) -> Error {
        self.error(keys, format!("'{}' must be {expected}", keys.join(".")))
    }

    fn error(&self, keys: &[&str], message: impl Into<String>) -> Error {
        Error::Manifest { path: self.path.into(), line: line_of(self.json, keys), message: message.into() }
    }
}

/// `dir` in its one spelling: `/`-separated, without `.` parts; `.` for the project itself.
///
/// # Errors
/// What is wrong with it, when it is not a folder inside the project that can hold pages.
pub(super) fn pages_dir(dir: &str) -> std::result::Result<String, String> {
    let slashed = dir.trim().replace('\\', "/");
    if !crate::path::is_inside(&slashed) {
        return Err(format!("pages_dir '{dir}' must be a folder inside the project, without '..'"));
    }
    let parts: Vec<&str> = slashed.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.iter().any(|part| [".ubp", ".git"].iter().any(|own| part.eq_ignore_ascii_case(own))) {
        return Err(format!("pages_dir '{dir}' cannot be inside .ubp or .git"));
    }
    Ok(if parts.is_empty() { ".".into() } else { parts.join("/") })
}

/// serde_json's words without the position, which the error carries itself.
pub(super) fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((message, _)) => format!("{message} (column {})", error.column()),
        None => text,
    }
}
