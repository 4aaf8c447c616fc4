//! Formulas as MathML, which browsers show without fonts, styles or scripts of their own. A crate reads LaTeX; its
//! markup is written anew here from a list of known elements and attributes.

use html5gum::{StartTag, Token, Tokenizer};
use pulldown_latex::config::DisplayMode;
use pulldown_latex::{Parser, RenderConfig, Storage, push_mathml};

use super::html::Html;

/// Maximum length of a formula in bytes, and of nested groups in it: the time grows with the square of the depth.
const LONGEST: usize = 8 * 1024;
const DEEPEST: usize = 60;

/// Maximum size of the MathML for one byte of a formula: macros can repeat their text many times.
const GROWTH: usize = 200;

const ELEMENTS: &[&str] = &[
    "math",
    "menclose",
    "mfrac",
    "mi",
    "mmultiscripts",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "ms",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
    "none",
];

const ATTRIBUTES: &[&str] = &[
    "accent",
    "accentunder",
    "columnalign",
    "columnlines",
    "columnspacing",
    "depth",
    "dir",
    "display",
    "displaystyle",
    "fence",
    "form",
    "frame",
    "height",
    "largeop",
    "linethickness",
    "lspace",
    "mathvariant",
    "maxsize",
    "minsize",
    "movablelimits",
    "notation",
    "rowalign",
    "rowlines",
    "rowspacing",
    "rspace",
    "scriptlevel",
    "separator",
    "stretchy",
    "symmetric",
    "voffset",
    "width",
];

/// The formula as MathML; `None` if it is invalid or too large, so that its source is shown instead.
pub(super) fn mathml(latex: &str, is_display: bool) -> Option<String> {
    if latex.len() > LONGEST || depth(latex) > DEEPEST {
        return None;
    }
    let storage = Storage::new();
    let display_mode = if is_display { DisplayMode::Block } else { DisplayMode::Inline };
    let config = RenderConfig { display_mode, ..RenderConfig::default() };
    let mut written = String::new();
    push_mathml(&mut written, Parser::new(latex.trim(), &storage), config).ok()?;
    if written.len() > 4096 + GROWTH * latex.len() {
        return None;
    }
    rewritten(&written)
}

/// A limit for the depth of the result: every command may open a group too.
fn depth(latex: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    for (at, byte) in latex.bytes().enumerate() {
        let rest = || latex.get(at..).unwrap_or_default();
        match byte {
            b'{' | b'^' | b'_' => open += 1,
            b'}' => open = open.saturating_sub(1),
            b'\\' if rest().starts_with("\\begin") || rest().starts_with("\\left") => open += 1,
            b'\\' if rest().starts_with("\\end") || rest().starts_with("\\right") => {
                open = open.saturating_sub(1)
            }
            _ => {}
        }
        // Without braces, `^` and `_` do not nest.
        if byte.is_ascii_whitespace() || byte.is_ascii_alphanumeric() {
            let before = at.checked_sub(1).and_then(|at| latex.as_bytes().get(at));
            open -= usize::from(matches!(before, Some(b'^' | b'_')) && open > 0);
        }
        deepest = deepest.max(open);
    }
    deepest
}

/// The markup, from known elements and attributes only; `None` if anything else is in it, as in an error message.
fn rewritten(markup: &str) -> Option<String> {
    let mut html = Html::default();
    let mut open: Vec<&str> = Vec::new();
    for token in Tokenizer::new(markup) {
        match token {
            Ok(Token::StartTag(tag)) => {
                let name = *ELEMENTS.iter().find(|name| name.as_bytes() == *tag.name)?;
                let attributes = attributes(&tag);
                let attributes: Vec<_> =
                    attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
                html.open(name, &attributes);
                if tag.self_closing {
                    html.raw(&format!("</{name}>"));
                } else {
                    open.push(name);
                }
            }
            Ok(Token::EndTag(tag)) => {
                let name = open.pop().filter(|name| name.as_bytes() == *tag.name)?;
                html.raw(&format!("</{name}>"));
            }
            Ok(Token::String(text)) => html.text(std::str::from_utf8(&text).ok()?),
            // The crate writes `>` and `&` of operators as they are.
            Ok(Token::Error(_)) => {}
            Ok(_) => return None,
            Err(never) => match never {},
        }
    }
    open.is_empty().then(|| html.into_string())
}

fn attributes(tag: &StartTag<()>) -> Vec<(&'static str, String)> {
    let mut valid = Vec::new();
    let text = |name: &str| {
        let value = tag.attributes.get(name.as_bytes())?;
        Some(String::from_utf8_lossy(value).into_owned())
    };
    for name in ATTRIBUTES {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " .-+%#".contains(c);
        valid.extend(text(name).filter(|value| value.chars().all(is_plain)).map(|value| (*name, value)));
    }
    let classes = text("class").unwrap_or_default();
    let is_known =
        |class: &&str| class.starts_with("menv-") || class.starts_with("cell-") || *class == "small";
    let classes: Vec<&str> = classes.split_whitespace().filter(is_known).collect();
    if !classes.is_empty() {
        valid.push(("class", classes.join(" ")));
    }
    // The content security policy forbids styles, but not these.
    for declaration in text("style").unwrap_or_default().split(';') {
        let Some((property, value)) = declaration.split_once(':') else { continue };
        let name = match property.trim() {
            "color" => "mathcolor",
            "background-color" => "mathbackground",
            _ => continue,
        };
        valid.extend(colour(value.trim()).map(|colour| (name, colour)));
    }
    valid
}

/// `rgb(1 2 3)` as `#010203`.
fn colour(value: &str) -> Option<String> {
    let parts = value.strip_prefix("rgb(")?.strip_suffix(')')?.split_whitespace();
    let parts: Vec<u8> = parts.map(|part| part.parse::<u8>().ok()).collect::<Option<_>>()?;
    let [red, green, blue] = parts.as_slice() else { return None };
    Some(format!("#{red:02x}{green:02x}{blue:02x}"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_mathml() {
        assert_eq!(
            mathml("x^2", false).unwrap(),
            "<math display=\"inline\"><msup><mi>x</mi><mn>2</mn></msup></math>"
        );
        let coloured = mathml(r"\color{red} a < b \text{ if } c > \frac{1}{2}", true).unwrap();
        for part in ["<math display=\"block\">", "mathcolor=\"#ff0000\"", ">&lt;</mo>", ">&gt;</mo>", "if"] {
            assert!(coloured.contains(part), "{part}: {coloured}");
        }
        let matrix = mathml(r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", true).unwrap();
        assert!(matrix.contains("<mtable class=\"menv-arraylike\">"), "{matrix}");
    }

    #[test]
    fn what_is_not_a_formula_stays_as_it_is_written() {
        for latex in [r"\unknown", "a_b_c", "{", r"\frac", "&", "\\", r"\href{javascript:alert(1)}{x}"] {
            assert_eq!(mathml(latex, false), None, "{latex}");
        }
    }

    #[test]
    fn formulas_cannot_take_long_or_grow_without_bound() {
        for latex in [
            "x".repeat(LONGEST + 1),
            "{".repeat(4_000) + &"}".repeat(4_000),
            "x^{".repeat(2_000) + &"}".repeat(2_000),
            r"\left(".repeat(600) + &r"\right)".repeat(600),
            r"\def\a{\a\a}\a".to_owned(),
            r"\begin{matrix}".repeat(300) + &r"\end{matrix}".repeat(300),
        ] {
            assert_eq!(mathml(&latex, true), None, "{}", &latex[..20]);
        }
        let mut macros = r"\def\a{xxxxxxxxxx}".to_owned();
        for (name, before) in ["b", "c", "d", "e", "f", "g"].iter().zip(["a", "b", "c", "d", "e", "f"]) {
            macros += &format!(r"\def\{name}{{{}}}", format!("\\{before}").repeat(10));
        }
        let grown = mathml(&(macros.clone() + r"\g"), true).map_or(0, |html| html.len());
        assert!(grown <= 2 * (4096 + GROWTH * (macros.len() + 2)), "{grown}");
        assert!(mathml(&"a_i^2 + ".repeat(200), false).is_some());
    }

    #[test]
    fn text_in_formulas_is_escaped() {
        let html = mathml(r"\text{<script>alert(1)</script><img src=x onerror=alert(1)>}", false).unwrap();
        assert!(
            !html.contains("<script") && !html.contains("<img") && html.contains("&lt;script&gt;"),
            "{html}"
        );
    }
}
