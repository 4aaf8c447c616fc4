//! The table that statements query: which pages are its rows, and which keys of front matter its columns.

use std::collections::{BTreeMap, HashMap};

use rusqlite::Connection;
use serde_json::{Map, Value};

use crate::Context;
use crate::Result;
use crate::globs::Globs;
use crate::index;
use crate::index::questions::{pages, vectors};
use crate::message;
use crate::message::Message;
use crate::ports::Embedder;
use crate::show::counted;

/// Columns that every page has, whatever its front matter says.
pub(super) const OWN: [&str; 4] = ["path", "content", "updated_at", "embedding"];

/// Maximum number of keys of front matter that become columns, below SQLite's own limit.
const MOST: usize = 1_000;

/// Keys whose values are always lists: a single tag is a list of one.
const LISTS: [&str; 2] = ["tags", "aliases"];

/// A key of front matter as a column.
#[derive(Debug, Clone)]
pub struct Column {
    /// The column's name: the key in its most common spelling, with `fm_` before it if that name is taken.
    pub name: String,
    /// Pages that have the key.
    pub count: usize,
    /// `array` if values are lists, `object` if all are maps, else `string`.
    pub kind: &'static str,
}

/// What statements can query.
pub struct Schema {
    pub(super) pages: Vec<Row>,
    /// Keys of front matter, by name.
    pub columns: Vec<Column>,
    /// Number of keys that are not columns because others are more common.
    pub left_out: usize,
    /// Why pages have no vectors, if they have none.
    pub without_vectors: Option<Message>,
    /// Length of vectors.
    pub dimensions: usize,
}

/// One page.
pub(super) struct Row {
    pub(super) page: i64,
    pub(super) path: String,
    pub(super) updated_at: String,
    /// Values by the number of their column.
    pub(super) values: HashMap<usize, String>,
}

impl Schema {
    /// Reads the pages that `glob` matches, or all, and their front matter.
    ///
    /// # Errors
    /// [`crate::Error::InvalidParams`] for an invalid glob, [`crate::Error::Database`].
    pub fn read(context: &Context<'_>, glob: Option<&str>) -> Result<Self> {
        let globs = glob.map(|glob| Globs::new(&[glob])).transpose()?;
        let found = context.index.read(pages::fields)?;
        let found =
            found.into_iter().filter(|(_, path, ..)| globs.as_ref().is_none_or(|globs| globs.is_match(path)));
        let mut keys: BTreeMap<String, Key> = BTreeMap::new();
        let mut pages = Vec::new();
        for (page, path, updated_at, front_matter) in found {
            let fields: Map<String, Value> = serde_json::from_str(&front_matter).unwrap_or_default();
            let mut own: HashMap<String, Value> = HashMap::new();
            for (name, value) in fields {
                // SQL ignores the case of column names.
                let folded = name.to_ascii_lowercase();
                if folded.is_empty() || folded.contains('\0') || value.is_null() || own.contains_key(&folded)
                {
                    continue;
                }
                keys.entry(folded.clone()).or_default().count(name, &value);
                own.insert(folded, value);
            }
            pages.push((page, path, updated_at, own));
        }
        let mut kept: Vec<(&String, &Key)> = keys.iter().collect();
        kept.sort_by(|a, b| b.1.pages.cmp(&a.1.pages).then_with(|| a.0.cmp(b.0)));
        let left_out = kept.len().saturating_sub(MOST);
        kept.truncate(MOST);
        kept.sort_by(|a, b| a.0.cmp(b.0));
        let taken = |name: &str| OWN.contains(&name) || (name.starts_with("fm_") && keys.contains_key(name));
        let name_of = |folded: &str, key: &Key| {
            let mut name = key.spelling();
            let mut at = folded.to_owned();
            while OWN.contains(&at.as_str()) || (at != folded && taken(&at)) {
                name.insert_str(0, "fm_");
                at.insert_str(0, "fm_");
            }
            name
        };
        let columns: Vec<Column> = kept
            .iter()
            .map(|(folded, key)| Column {
                name: name_of(folded, key),
                count: key.pages,
                kind: key.kind(folded),
            })
            .collect();
        let lists: Vec<bool> = kept.iter().map(|(folded, key)| key.is_list(folded)).collect();
        let numbers: HashMap<&str, usize> =
            kept.iter().enumerate().map(|(at, (folded, _))| (folded.as_str(), at)).collect();
        let pages = pages
            .into_iter()
            .map(|(page, path, updated_at, own)| {
                let values = own
                    .into_iter()
                    .filter_map(|(folded, value)| {
                        let at = *numbers.get(folded.as_str())?;
                        Some((at, text(if lists.get(at) == Some(&true) { list(value) } else { value })))
                    })
                    .collect();
                Row { page, path, updated_at, values }
            })
            .collect();
        let (without_vectors, dimensions) = vectors(context)?;
        Ok(Self { pages, columns, left_out, without_vectors, dimensions })
    }

    /// Number of pages in the table.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there are no pages.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The names of all columns, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let [path, content, updated_at, embedding] = OWN;
        let embedding = self.without_vectors.is_none().then_some(embedding);
        std::iter::once(path)
            .chain(self.columns.iter().map(|column| column.name.as_str()))
            .chain([content, updated_at])
            .chain(embedding)
    }

    /// The model, once pages have vectors, or why it cannot be used.
    pub(super) fn embedder<'a>(
        &self,
        context: &Context<'a>,
    ) -> std::result::Result<&'a dyn Embedder, Message> {
        match (&self.without_vectors, context.embedder) {
            (None, Some(embedder)) => Ok(embedder),
            (reason, _) => Err(reason.clone().unwrap_or_else(|| message!("there is no embedding model"))),
        }
    }
}

/// The values of one key over all pages.
#[derive(Default)]
struct Key {
    pages: usize,
    lists: usize,
    maps: usize,
    spellings: BTreeMap<String, usize>,
}

impl Key {
    fn count(&mut self, name: String, value: &Value) {
        self.pages += 1;
        self.lists += usize::from(value.is_array());
        self.maps += usize::from(value.is_object());
        *self.spellings.entry(name).or_default() += 1;
    }

    fn spelling(&self) -> String {
        let commonest = self.spellings.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        commonest.map(|(name, _)| name.clone()).unwrap_or_default()
    }

    /// Whether a single value counts as a list of one: it does if most pages with the key have a list.
    fn is_list(&self, folded: &str) -> bool {
        LISTS.contains(&folded) || (self.maps == 0 && self.lists * 2 > self.pages)
    }

    fn kind(&self, folded: &str) -> &'static str {
        match self.pages {
            _ if self.is_list(folded) => "array",
            pages if pages == self.maps => "object",
            _ => "string",
        }
    }
}

/// A list unchanged, any other value as a list of one.
fn list(value: Value) -> Value {
    if value.is_array() { value } else { Value::Array(vec![value]) }
}

/// Scalars verbatim, other values as JSON.
fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Why pages have no vectors, if they have none, and the length of vectors.
fn vectors(context: &Context<'_>) -> Result<(Option<Message>, usize)> {
    let Some(embedder) = context.embedder else {
        return Ok((Some(message!("this machine has no embedding model")), 0));
    };
    let model = embedder.model();
    let (pending, none) = context.index.read(|db| {
        Ok((index::pending(db, &model.identity)?, vectors::page_count(db, &model.identity)? == 0))
    })?;
    // If only some pages lack vectors, because they have just been written, the others can be queried.
    let reason = (pending > 0 && none).then(|| {
        let sections = counted(pending, "section", "sections");
        message!("the vectors of {sections} are still being computed", sections)
    });
    Ok((reason, model.dimensions))
}

/// The mean direction of a page's vectors, by page, as little-endian 32-bit numbers.
pub(crate) fn page_vectors(
    db: &Connection,
    identity: &str,
    dimensions: usize,
) -> Result<HashMap<i64, Vec<u8>>> {
    let mut sums: HashMap<i64, Vec<f32>> = HashMap::new();
    vectors::each_of_pages(db, identity, |page, bytes| {
        let sum = sums.entry(page).or_insert_with(|| vec![0.0; dimensions]);
        for (sum, number) in sum.iter_mut().zip(numbers(bytes)) {
            *sum += number;
        }
    })?;
    Ok(sums.into_iter().map(|(page, sum)| (page, bytes(&unit(sum)))).collect())
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number /= length);
    }
    vector
}

/// A vector as an SQL value.
pub(super) fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The numbers of a vector from an SQL value.
pub(super) fn numbers(bytes: &[u8]) -> impl Iterator<Item = f32> {
    bytes.as_chunks().0.iter().map(|&number| f32::from_le_bytes(number))
}
