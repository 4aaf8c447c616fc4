//! The first page of a server that shows several projects.

use super::SiteSettings;
use super::site::{Description, as_script, manifest_link};
use super::template::{Filling, Template};
use crate::message::Language;
use crate::render::escape;

/// A project on that page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectLink {
    /// Its name.
    pub name: String,
    /// Its address, relative to the page, percent-encoded.
    pub address: String,
}

/// The page with this title and links to these projects, which the web app then replaces.
pub fn projects_page(
    template: &Template,
    settings: &SiteSettings,
    title: &str,
    language: Language,
    projects: &[ProjectLink],
) -> String {
    let mut heading = String::new();
    escape(&mut heading, title);
    let mut content = format!(
        "<article class=\"page\"><header class=\"page-header\"><h1>{heading}</h1></header>\n<div class=\"prose\"><ul>\n"
    );
    for ProjectLink { name, address } in projects {
        content += "<li><a href=\"";
        escape(&mut content, address);
        content += "\">";
        escape(&mut content, name);
        content += "</a></li>\n";
    }
    content += "</ul></div></article>\n";
    let description = Description {
        mode: "hub",
        root: "./",
        name: title,
        version: &settings.version,
        installable: settings.installable,
        style_nonce: settings.style_nonce.as_deref(),
        ..Description::default()
    };
    let mut head = "<meta name=\"robots\" content=\"noindex\">\n".to_owned();
    if settings.installable {
        head += &manifest_link("./", true);
    }
    head += &as_script("ubp-site", &description);
    template.fill(&Filling {
        root: "./",
        title: &heading,
        language: Some(language.tag()),
        policy: None,
        head: &head,
        content: &content,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_of_projects_are_escaped() {
        let template =
            "<html><head><title></title><!--ubp:head--></head><body><!--ubp:content--></body></html>";
        let template = Template::new(template.into()).unwrap();
        let link = ProjectLink { name: "<a&b>".into(), address: "p/x\"/".into() };
        let page = projects_page(&template, &SiteSettings::default(), "A < B", Language::ENGLISH, &[link]);
        assert!(page.contains("<a href=\"p/x&quot;/\">&lt;a&amp;b&gt;</a>"), "{page}");
        assert!(page.contains("<title>A &lt; B</title>") && page.contains("\"mode\":\"hub\""), "{page}");
        assert!(page.contains("\"name\":\"A \\u003c B\""), "{page}");
    }
}
