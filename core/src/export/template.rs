//! The page of the web app that serves as the template of every page of a site.

use crate::message;
use crate::{Error, Result};

const HEAD: &str = "<!--ubp:head-->";
const CONTENT: &str = "<!--ubp:content-->";

/// The content security policy of pages: where scripts, styles and pictures may come from. `styles` are sources of
/// styles besides the site. Nothing but the site is requested, unless the project shows `external_pictures`.
pub fn policy(styles: &str, external_pictures: bool) -> String {
    let pictures = if external_pictures { " https:" } else { "" };
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'{styles}; \
         img-src 'self' data: blob:{pictures}; font-src 'self'; media-src 'self'; connect-src 'self'; \
         frame-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'"
    )
}

/// An HTML page with placeholders for a title, elements of the head, and content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    html: String,
}

/// The values for a template. All but the root are HTML.
pub(super) struct Filling<'a> {
    /// Relative path from the page to the top of the site: `./`, `../` and so on.
    pub root: &'a str,
    pub title: &'a str,
    /// Language of the content, for `lang`; that of the template if `None`.
    pub language: Option<&'a str>,
    /// The policy to put into the page; a server sends it as a header.
    pub policy: Option<&'a str>,
    pub head: &'a str,
    pub content: &'a str,
}

impl Template {
    /// Reads `index.html` of the web app.
    ///
    /// # Errors
    /// [`Error::InvalidParams`] naming what is missing: `<title>`, or one of the comments that mark head and content.
    pub fn new(html: String) -> Result<Self> {
        for part in ["<html", "<head", "<title>", "</title>", HEAD, CONTENT] {
            if html.matches(part).count() == 0 {
                return Err(Error::invalid(message!("the page of the web app has no {part}", part)));
            }
        }
        Ok(Self { html })
    }

    pub(super) fn fill(&self, filling: &Filling<'_>) -> String {
        let mut html = self.html.replace("=\"./", &format!("=\"{}", filling.root));
        if let Some(policy) = filling.policy
            && !html.contains("Content-Security-Policy")
        {
            // Before everything that it applies to, but after the encoding, which has to come early.
            let at =
                html.find("<head").and_then(|start| html.get(start..)?.find('>').map(|end| start + end + 1));
            if let Some(at) = at {
                let encoding = html.get(at..).map_or(0, |rest| {
                    let blank = rest.len() - rest.trim_start().len();
                    let is_first = rest.trim_start().to_lowercase().starts_with("<meta charset");
                    if is_first { rest.find('>').map_or(0, |end| end + 1).max(blank) } else { 0 }
                });
                let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
                html.insert_str(at + encoding, &policy);
            }
        }
        if let (Some(start), Some(end)) = (html.find("<title>"), html.find("</title>"))
            && start < end
        {
            html.replace_range(start + "<title>".len()..end, filling.title);
        }
        if let Some(language) = filling.language {
            html = with_language(html, language);
        }
        // The content comes last, because a page may contain these marks.
        html.replacen(HEAD, filling.head, 1).replacen(CONTENT, filling.content, 1)
    }
}

/// The page with `lang` set on its root element.
fn with_language(mut html: String, language: &str) -> String {
    let Some(start) = html.find("<html") else { return html };
    let Some(end) = html.get(start..).and_then(|rest| rest.find('>')).map(|end| start + end) else {
        return html;
    };
    let tag = html.get(start..end).unwrap_or_default();
    let mut escaped = String::new();
    crate::render::escape(&mut escaped, language);
    match tag.find(" lang=\"").map(|at| start + at + " lang=\"".len()) {
        Some(value) => {
            let length = html.get(value..).and_then(|rest| rest.find('"')).unwrap_or(0);
            html.replace_range(value..value + length, &escaped);
        }
        None => html.insert_str(start + "<html".len(), &format!(" lang=\"{escaped}\"")),
    }
    html
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const PAGE: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>x</title>\
        <script type=\"module\" src=\"./assets/a.js\"></script><!--ubp:head--></head>\
        <body><div id=\"app\"><main id=\"content\"><!--ubp:content--></main></div></body></html>";

    #[test]
    fn everything_is_put_in_its_place() {
        let filling = Filling {
            root: "../",
            title: "A &amp; B",
            language: Some("ja"),
            policy: Some("default-src 'none'"),
            head: "<meta name=\"a\">",
            content: "<p><!--ubp:head--></p>",
        };
        let html = Template::new(PAGE.into()).unwrap().fill(&filling);
        let policy = html.find("Content-Security-Policy").unwrap();
        assert!(html.find("charset").unwrap() < policy && policy < html.find("<script").unwrap());
        for part in [
            "<html lang=\"ja\">",
            "<title>A &amp; B</title>",
            "src=\"../assets/a.js\"",
            "<meta name=\"a\"></head>",
            "<main id=\"content\"><p><!--ubp:head--></p></main>",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
        assert!(!html.contains("./assets\""));
    }

    #[test]
    fn a_template_without_its_marks_is_rejected() {
        let error = Template::new("<html><head><title></title></head></html>".into()).unwrap_err();
        assert!(error.to_string().contains("<!--ubp:head-->"), "{error}");
    }
}
