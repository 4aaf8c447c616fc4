//! Pages whose address on a site cannot be derived from their path.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::Result;
use crate::message;
use crate::ops::Facts;
use crate::render::url;
use crate::show::{Page, Span, counted};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("List the pages whose address on a site is not their path with the extension .html.");

/// No parameters.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {}

/// The addresses.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// Address relative to the site's root, percent-encoded, by the page's path. Contains pages whose path differs
    /// from an earlier one only in case, Unicode form or extension, and pages whose address belongs to a file of
    /// the site itself.
    pub addresses: BTreeMap<String, String>,
}

/// Lists the addresses.
///
/// # Errors
/// [`crate::Error::Database`].
pub fn run(context: &Context<'_>, _params: Params) -> Result<Output> {
    context.index.read(|db| {
        let mut addresses = BTreeMap::new();
        for path in url::oddly_placed(db)? {
            let file = url::file_of(db, &path)?;
            addresses.insert(path, url::encoded(&file));
        }
        Ok(Output { addresses })
    })
}

/// Shows the pages with their addresses.
pub fn show(output: &Output, page: &mut dyn Page) {
    for (path, address) in &output.addresses {
        page.item(&[Span::Path(path), Span::Text(" -> "), Span::Code(address)]);
    }
    let count = counted(output.addresses.len(), "page has", "pages have");
    page.note(&[Span::said(&message!("{count} an address that is not the page's path", count))]);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::index::tests::Project;

    #[test]
    fn unlisted_pages_have_the_address_of_their_path() {
        let project = Project::with_pages([
            ("a.md", "[[404]]"),
            ("A.markdown", ""),
            ("404.md", ""),
            ("index.md", ""),
            ("x.html/y z.md", ""),
            ("plain/name of.md", ""),
        ]);
        let told = run(&project.context(), Params::default()).unwrap().addresses;
        assert_eq!(told.keys().collect::<Vec<_>>(), ["404.md", "a.md", "x.html/y z.md"]);
        for page in project.context().call("list_pages", json!({})).unwrap()["pages"].as_array().unwrap() {
            let path = page["filepath"].as_str().unwrap();
            let rendered = project.context().call("render_page", json!({ "page": path })).unwrap();
            let plain = || url::encoded(&url::plain_file(path));
            assert_eq!(rendered["url"], told.get(path).cloned().unwrap_or_else(plain), "{path}");
        }
    }
}
