//! Writes HTML. All tags and attributes come from this program, and all text of a page is escaped.

/// Attributes without a value.
const FLAGS: [&str; 4] = ["checked", "disabled", "open", "reversed"];

/// A buffer for HTML.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// Adds trusted markup.
    pub(super) fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// Adds text, escaped for both text and quoted attributes.
    pub(super) fn text(&mut self, text: &str) {
        escape(&mut self.0, text);
    }

    /// Adds an attribute to the tag being written.
    pub(super) fn attribute(&mut self, name: &str, value: &str) {
        self.raw(" ");
        self.raw(name);
        self.raw("=\"");
        self.text(value);
        self.raw("\"");
    }

    /// Adds a start tag.
    pub(super) fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.raw("<");
        self.raw(name);
        for (attribute, value) in attributes {
            if value.is_empty() && FLAGS.contains(attribute) {
                self.raw(" ");
                self.raw(attribute);
            } else {
                self.attribute(attribute, value);
            }
        }
        self.raw(">");
    }

    /// Whether blank space ends it, at which words do not need another one.
    pub(super) fn ends_with_space(&self) -> bool {
        self.0.ends_with(char::is_whitespace)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Inserts trusted markup at byte `at`.
    pub(super) fn insert(&mut self, at: usize, markup: &str) {
        if self.0.is_char_boundary(at) {
            self.0.insert_str(at, markup);
        }
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

/// Appends `text`, escaping all characters with a meaning in HTML.
pub(crate) fn escape(out: &mut String, text: &str) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let entity = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            b'\0' => "\u{fffd}",
            _ => continue,
        };
        out.push_str(text.get(from..at).unwrap_or_default());
        out.push_str(entity);
        from = at + 1;
    }
    out.push_str(text.get(from..).unwrap_or_default());
}

/// The visible text of raw HTML, without tags, comments, scripts and styles. Entities are left
/// unchanged.
pub(crate) fn visible(html: &str) -> String {
    let mut seen = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        seen.push_str(rest.get(..at).unwrap_or_default());
        let tag = rest.get(at..).unwrap_or_default();
        rest = if let Some(comment) = tag.strip_prefix("<!--") {
            after(comment, "-->")
        } else if let Some(name) = ["script", "style"].into_iter().find(|name| opens(tag, name)) {
            let close = tag.match_indices("</").find(|(at, _)| opens(tag.get(at + 1..).unwrap_or(""), name));
            close.map_or("", |(at, _)| after(tag.get(at..).unwrap_or(""), ">"))
        } else if tag.get(1..).is_some_and(|next| next.starts_with(['/', '!', '?']) || starts_name(next)) {
            after(tag, ">")
        } else {
            seen.push('<');
            tag.get(1..).unwrap_or_default()
        };
    }
    seen.push_str(rest);
    seen
}

fn starts_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Whether `tag`, starting at its `<` or `/`, is the tag of an element called `name`.
fn opens(tag: &str, name: &str) -> bool {
    tag.get(1..=name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
        && tag.get(name.len() + 1..).is_none_or(|next| !starts_name(next))
}

fn after<'t>(text: &'t str, end: &str) -> &'t str {
    text.find(end).and_then(|at| text.get(at + end.len()..)).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_of_raw_html_is_visible() {
        assert_eq!(visible("<div onclick=x>a <b>b</b></div>\n<!-- no -->c"), "a b\nc");
        assert_eq!(visible("a<script>alert(1)</ScRiPt>b<style>x</style >c"), "abc");
        assert_eq!(visible("1 < 2 <3"), "1 < 2 <3");
        assert_eq!(visible("<script>never closed"), "");
        assert_eq!(visible("<scripted>x</scripted> &amp; <unclosed"), "x &amp; ");
    }

    #[test]
    fn attribute_values_cannot_end_the_attribute() {
        let mut html = Html::default();
        html.open("a", &[("title", "\"><script>'&\0")]);
        assert_eq!(html.into_string(), "<a title=\"&quot;&gt;&lt;script&gt;&#39;&amp;\u{fffd}\">");
    }
}
