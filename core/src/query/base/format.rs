//! Dates in the formats of Moment.js, which bases use.

use jiff::civil::DateTime;

/// The date as `format` says. Letters that are no known part stay.
pub(super) fn formatted(at: DateTime, format: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        if let Some((literal, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            out.push_str(literal);
            rest = after;
            continue;
        }
        let length = rest.find(|c| c != first).unwrap_or(rest.len());
        let letters = &rest[..length];
        let pattern = match letters {
            "YYYY" => "%Y",
            "YY" => "%y",
            "MMMM" => "%B",
            "MMM" => "%b",
            "MM" => "%m",
            "M" => "%-m",
            "DD" => "%d",
            "D" => "%-d",
            "dddd" => "%A",
            "ddd" => "%a",
            "HH" => "%H",
            "H" => "%-H",
            "hh" => "%I",
            "h" => "%-I",
            "mm" => "%M",
            "m" => "%-M",
            "ss" => "%S",
            "s" => "%-S",
            "A" => "%p",
            "a" => "%P",
            _ => "",
        };
        match pattern {
            "" => out.push_str(letters),
            pattern => out.push_str(&at.strftime(pattern).to_string()),
        }
        rest = &rest[length..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_format_that_is_asked_for() {
        let at = jiff::civil::date(2026, 3, 7).at(15, 4, 5, 0);
        for (format, expected) in [
            ("YYYY-MM-DD HH:mm:ss", "2026-03-07 15:04:05"),
            ("D MMMM YY, dddd", "7 March 26, Saturday"),
            ("h:mm a [at] MMM", "3:04 pm at Mar"),
            ("Q [", "Q ["),
            ("", ""),
        ] {
            assert_eq!(formatted(at, format), expected, "{format}");
        }
    }
}
