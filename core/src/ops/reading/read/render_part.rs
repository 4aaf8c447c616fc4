//! A part of a page as HTML while it is edited, so that an editor needs no rules of its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::message;
use crate::ops::Facts;
use crate::ops::page::PageName;
use crate::render::Renderer;
use crate::show::Page;
use crate::{Error, Result};

/// Facts about this operation.
pub const FACTS: Facts =
    Facts::reading("Render Markdown as a part of a page, before it is saved, as HTML that is safe to show.");

/// Maximum size of the Markdown in bytes.
const LONGEST: usize = 256 * 1024;

/// The Markdown.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// The page that contains it: path, id, title or alias. Links lead where those of this page would.
    pub page: String,
    /// The Markdown, at most 256 KiB: a table, a formula with its dollar signs, a callout.
    pub text: String,
}

/// Its HTML.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Output {
    /// As in `render_page`, but without ids of headings and without the lines of tasks.
    pub html: String,
}

/// Renders the Markdown.
///
/// # Errors
/// [`Error::PageNotFound`], [`Error::AmbiguousPage`]; [`Error::InvalidParams`] if it is too long.
pub fn run(context: &Context<'_>, params: Params) -> Result<Output> {
    if params.text.len() > LONGEST {
        return Err(Error::invalid(message!(
            "`text` is {text} bytes long, at most {longest}",
            text = params.text.len(),
            longest = LONGEST
        )));
    }
    let name = PageName { page: Some(&params.page), ..Default::default() };
    let page = context.index.read(|db| name.require(db))?;
    Ok(Output { html: Renderer::new(context).part(page, &params.text)? })
}

/// Shows the HTML unchanged.
pub fn show(output: &Output, page: &mut dyn Page) {
    page.text(&output.html);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::index::tests::Project;

    fn html(text: &str) -> Result<String> {
        let project = Project::with_pages([
            ("Folder/Page.md", "# Page\n\n## Here\n"),
            ("Other.md", "# Other\n\nIntro.\n"),
        ]);
        let params = Params { page: "Folder/Page.md".into(), text: text.into() };
        run(&project.context(), params).map(|output| output.html)
    }

    #[test]
    fn links_lead_where_those_of_the_page_would() {
        let found = html("[[Other|depends_on]] [x](../Other.md) [[#Here]] [[None]]").unwrap();
        assert_eq!(found.matches("href=\"../Other.html\"").count(), 2, "{found}");
        assert!(
            found.contains("data-type=\"depends_on\"") && found.contains("href=\"#page/here\""),
            "{found}"
        );
        assert!(found.contains("class=\"link missing\" data-target=\"None\""), "{found}");
    }

    #[test]
    fn nothing_in_it_has_an_id_or_a_line_of_the_page() {
        let found = html("# Page\n\n- [ ] task\n\n$x^2$\n\n![[Other]]\n").unwrap();
        assert!(!found.contains(" id=") && !found.contains("data-line"), "{found}");
        for part in ["<h1>Page</h1>", "<math", "Intro.", "class=\"task\""] {
            assert!(found.contains(part), "{part}: {found}");
        }
    }

    #[test]
    fn text_that_is_too_long_is_refused() {
        assert_eq!(html(&"x".repeat(LONGEST + 1)).unwrap_err().code(), "invalid_params");
    }
}
