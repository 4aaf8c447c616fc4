//! Pages and folders that an operation is limited to.

use crate::message;
use crate::{Context, Error, Result, path};

/// Paths of pages and folders, relative to the pages folder.
pub(crate) struct Places(Vec<String>);

impl Places {
    /// The paths in `asked`, which may be relative to the project as well. `pages` are the paths of pages that can be
    /// meant.
    ///
    /// # Errors
    /// [`Error::OutsideProject`]; [`Error::InvalidParams`] for a path without a page.
    pub(crate) fn of(context: &Context<'_>, asked: &[String], pages: &[&str]) -> Result<Self> {
        let place = |asked: &String| {
            let place = path::join("", asked.trim_end_matches('/'));
            let place =
                place.ok_or_else(|| Error::OutsideProject { path: asked.clone(), folder: "pages".into() })?;
            let below = match context.pages_dir() {
                "" => None,
                folder if folder == place => Some(""),
                folder => place.strip_prefix(folder).and_then(|below| below.strip_prefix('/')),
            };
            let readings = [Some(place.as_str()), below].into_iter().flatten();
            let known = |place: &&str| pages.iter().any(|page| path::is_below(page, place));
            let found = { readings }.find(known).map(str::to_owned);
            found.ok_or_else(|| Error::invalid(message!("{asked}: no such page or folder", asked)))
        };
        asked.iter().map(place).collect::<Result<_>>().map(Self)
    }

    /// Whether the page is at one of the paths, or below it; without paths, every page is.
    pub(crate) fn contain(&self, page: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|place| path::is_below(page, place))
    }
}
