//! Where a page of a project is shown, as links of other projects name it.

use super::between::lookup;
use crate::index::questions::pages;
use crate::render::{place_id, url};
use crate::{Context, Result};

/// A page of a project, and a place on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAddress {
    /// Path relative to the pages folder.
    pub filepath: String,
    /// Its address on a site, relative to the root, percent-encoded.
    pub url: String,
    /// The heading or `^block` as written.
    pub anchor: Option<String>,
    /// Id of that heading or block; absent if the page does not have it.
    pub place: Option<String>,
}

/// The page that `written` names, such as `checkout` or `checkout#Refunds`; `None` unless there is exactly one.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn page_address(context: &Context<'_>, written: &str) -> Result<Option<PageAddress>> {
    let (name, anchor) = match written.split_once('#') {
        Some((name, anchor)) => (name.trim(), Some(anchor.trim().to_owned())),
        None => (written.trim(), None),
    };
    // A path may contain the sign.
    let (page, anchor) = match lookup(context, name)? {
        Some(page) => (page, anchor),
        None => match lookup(context, written)? {
            Some(page) => (page, None),
            None => return Ok(None),
        },
    };
    context.index.read(|db| {
        let Some((filepath, _)) = pages::path_and_title(db, page)? else { return Ok(None) };
        let url = url::encoded(&url::file_of(db, &filepath)?);
        let place = anchor.as_deref().map(|anchor| place_id(db, page, anchor)).transpose()?.flatten();
        Ok(Some(PageAddress { filepath, url, anchor, place }))
    })
}
