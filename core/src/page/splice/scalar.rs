//! Writes values in YAML: plain if every reader takes them for the same text, quoted
//! otherwise.

use granit_parser::ScalarStyle;

/// `text` plain if that is safe, else in double quotes. `flow`: inside braces or brackets.
pub(super) fn auto(text: &str, flow: bool) -> String {
    if is_plain(text, flow) { text.to_owned() } else { double_quoted(text) }
}

/// `text` in the style of the value that it replaces, if that style can represent it.
pub(super) fn like(text: &str, style: ScalarStyle, flow: bool) -> String {
    match style {
        ScalarStyle::DoubleQuoted => double_quoted(text),
        ScalarStyle::SingleQuoted if !text.contains(is_special) => format!("'{}'", text.replace('\'', "''")),
        _ => auto(text, flow),
    }
}

/// Characters that have to be escaped.
fn is_special(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Whether both YAML 1.1 and 1.2 read plain `text` as that text. Stricter than either, because other
/// tools read the file too.
fn is_plain(text: &str, flow: bool) -> bool {
    let opens = text.starts_with(|c: char| c.is_alphanumeric());
    let closes = text.ends_with(|c: char| !c.is_whitespace() && c != ':');
    let indicators = text.contains(": ") || text.contains(" #") || text.contains("\t");
    let flow_indicators = flow && text.contains(['[', ']', '{', '}', ',', ':', '#', '\'', '"']);
    opens && closes && !indicators && !flow_indicators && !text.contains(is_special) && !means_otherwise(text)
}

/// Whether a YAML reader converts `text` to another type. Dates and times stay plain, as
/// is common.
fn means_otherwise(text: &str) -> bool {
    let words = ["true", "false", "yes", "no", "on", "off", "y", "n", "null"];
    let digits = text.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit());
    let number = digits
        && (text.parse::<f64>().is_ok()
            || text.bytes().all(|byte| byte.is_ascii_digit() || b"_.:+-".contains(&byte)) && !is_date(text)
            || text.starts_with("0x")
            || text.starts_with("0o")
            || text.starts_with("0b"));
    number || words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    matches!(parts.as_slice(), [year, month, day] if year.len() == 4 && month.len() == 2 && day.len() == 2)
}

fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ if is_special(character) => quoted.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
