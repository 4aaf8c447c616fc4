//! Splits sentences for comparison. Unlike the words of the index, a number keeps its unit, a name its digits, and the
//! signs `:` and `=` are words.

pub(super) fn is_hiragana(c: char) -> bool {
    ('\u{3041}'..='\u{309f}').contains(&c)
}

#[derive(Clone, Copy, PartialEq)]
enum Run {
    Latin,
    Hiragana,
    Katakana,
    Ideographs,
    Digits,
    Sign,
    Gap,
}

fn run_of(c: char) -> Run {
    match c {
        ':' | '=' | '：' | '＝' => Run::Sign,
        '\u{3041}'..='\u{309f}' => Run::Hiragana,
        '\u{30a1}'..='\u{30fa}' | 'ー' => Run::Katakana,
        '\u{3400}'..='\u{9fff}' | '々' => Run::Ideographs,
        c if c.is_numeric() => Run::Digits,
        c if c.is_alphabetic() => Run::Latin,
        _ => Run::Gap,
    }
}

/// The text as words: runs of one script, numbers with their unit, and the signs `:` and `=`.
pub(super) fn runs(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut found: Vec<String> = Vec::new();
    let mut last = Run::Gap;
    for (at, &c) in letters.iter().enumerate() {
        let next = letters.get(at + 1).copied();
        let inner = matches!(c, '.' | ',' | '-' | '_' | '/' | '\'' | '’' | ':')
            && matches!(last, Run::Latin | Run::Digits)
            && next.is_some_and(|next| {
                if c == ':' {
                    last == Run::Digits && next.is_numeric()
                } else {
                    matches!(run_of(next), Run::Latin | Run::Digits)
                }
            });
        let run = if inner { last } else { run_of(c) };
        // A unit stays with its number, and a digit with its name.
        let joins = run != Run::Gap
            && (run == last && run != Run::Sign
                || matches!((last, run), (Run::Digits, Run::Latin) | (Run::Latin, Run::Digits)));
        match found.last_mut() {
            Some(word) if joins && at > 0 => word.push(c),
            _ if run != Run::Gap => found.push(c.to_string()),
            _ => {}
        }
        last = match (last, run) {
            (Run::Digits, Run::Latin) if joins => Run::Digits,
            (Run::Latin, Run::Digits) if joins => Run::Latin,
            _ => run,
        };
    }
    for word in &mut found {
        if word.contains('’') {
            *word = word.replace('’', "'");
        }
        // 10,000 is 10000.
        if word.starts_with(char::is_numeric) {
            word.retain(|c| c != ',');
        }
    }
    found
}
