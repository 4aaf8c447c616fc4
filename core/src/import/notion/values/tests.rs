//! Tests of values and of the types of columns.

use super::*;

#[test]
fn the_values_of_a_column_decide_its_type() {
    let of = |values: &[&str]| Column::of("Column", values.iter().copied());
    assert_eq!(of(&["Yes", "No", ""]), Column::Checkbox);
    assert_eq!(of(&["1", "-2.5", "1,234"]), Column::Number);
    assert_eq!(of(&["January 5, 2024", "2024/01/06"]), Column::Date);
    assert_eq!(of(&["A (a.md)", "B (../b%20c.md), C, D (d.md)"]), Column::Relation);
    assert_eq!(of(&["red, blue", "blue"]), Column::List);
    assert_eq!(of(&["Hello, world", "Goodbye"]), Column::Text);
    assert_eq!(of(&["One thing, and another.", "One thing"]), Column::Text);
    assert_eq!(of(&["1", "two"]), Column::Text);
    assert_eq!(of(&["", " "]), Column::Text);
    assert_eq!(Column::of("Tags", ["one"]), Column::List);
}

#[test]
fn codes_are_not_numbers() {
    assert_eq!(number("1,234,567.50").as_deref(), Some("1234567.50"));
    assert_eq!(number("0.5").as_deref(), Some("0.5"));
    for text in ["007", "+1", "1,23", "1.", ".5", "", "-", "1e5", "0x1", "12,34,567", "1234567890123456789"] {
        assert_eq!(number(text), None, "{text}");
    }
}

#[test]
fn dates_are_written_as_in_iso_8601() {
    let one = |text: &str| dates(text).and_then(|(first, last)| last.is_none().then_some(first));
    assert_eq!(one("January 5, 2024").as_deref(), Some("2024-01-05"));
    assert_eq!(one("@Jan 5, 2024").as_deref(), Some("2024-01-05"));
    assert_eq!(one("May 31, 2024 12:05 AM").as_deref(), Some("2024-05-31T00:05:00"));
    assert_eq!(one("May 31, 2024 3:05 PM (UTC+9)").as_deref(), Some("2024-05-31T15:05:00+09:00"));
    assert_eq!(one("2024/01/05 15:00 (GMT)").as_deref(), Some("2024-01-05T15:00:00Z"));
    assert_eq!(one("2024年1月5日").as_deref(), Some("2024-01-05"));
    assert_eq!(one("2024年1月5日 15:04 (GMT+9)").as_deref(), Some("2024-01-05T15:04:00+09:00"));
    assert_eq!(one("2024年1月5日 下午3:04").as_deref(), Some("2024-01-05T15:04:00"));
    assert_eq!(one("2024년 1월 5일 오전 12:04").as_deref(), Some("2024-01-05T00:04:00"));
    assert_eq!(one("2024년 1월 5일 오후 3:04 (UTC+9)").as_deref(), Some("2024-01-05T15:04:00+09:00"));
    assert_eq!(
        dates("January 5, 2024 → January 8, 2024"),
        Some(("2024-01-05".into(), Some("2024-01-08".into())))
    );
    for text in [
        "05/01/2024",
        "February 30, 2024",
        "January 5",
        "May",
        "5 January 2024",
        "2024-13-01",
        "→",
        "Mayor 5, 2024",
    ] {
        assert_eq!(dates(text), None, "{text}");
    }
}

#[test]
fn keys_of_ubp_are_not_taken() {
    assert_eq!(key("Due Date"), "due_date");
    assert_eq!(key("Cost (€)"), "cost");
    assert_eq!(key("担当者"), "担当者");
    assert_eq!(key("Type"), "notion_type");
    assert_eq!(key("Tags"), "tags");
    assert_eq!(key("!?"), "property");
}
