//! SQL. Each object that a statement creates is a definition, and each column of a table.
//!
//! There is no grammar for this: dialects differ, and a parser that does not know one loses the rest of the file. It is
//! enough to know where statements end, and how they start.

mod lexer;

use std::ops::Range;

use super::Lines;
use crate::definition::Kind;
use crate::limits::{Deadline, Unreadable};
use crate::outline::{Draft, Outline};
use crate::tokens::Form;
use lexer::{Lexeme, Sort, lexeme};

/// # Errors
/// [`Unreadable::TooMany`] and [`Unreadable::TookTooLong`].
pub fn outline(text: &[u8], deadline: &mut Deadline) -> Result<Outline, Unreadable> {
    let mut reader = Reader { text, lines: Lines::of(text), out: Outline::default() };
    let mut statement = Statement::default();
    let mut comment: Option<Range<usize>> = None;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        deadline.step()?;
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let one = lexeme(text, at);
        at = one.range.end;
        if one.sort == Sort::Comment {
            if statement.lexemes.is_empty() {
                comment = Some(reader.joined(comment, one.range));
            }
            continue;
        }
        if statement.lexemes.is_empty() && reader.is_word(&one, "delimiter") {
            at += text.get(at..).unwrap_or_default().iter().take_while(|byte| **byte != b'\n').count();
            statement.delimiter = reader.delimiter(one.range.end..at);
            continue;
        }
        if statement.ends_before(&reader, &one) {
            reader.finish(statement.next(), comment.take())?;
        }
        if statement.lexemes.is_empty() && reader.is_batch_end(&one) {
            continue;
        }
        if let Some(end) = statement.delimiter_at(&reader, &one) {
            at = end;
            reader.finish(statement.next(), comment.take())?;
            continue;
        }
        let ends = statement.ends_with(&reader, &one);
        statement.lexemes.push(one);
        if ends {
            reader.finish(statement.next(), comment.take())?;
        }
    }
    reader.finish(statement.lexemes, comment)?;
    Ok(reader.out)
}

/// What was read of a statement.
#[derive(Default)]
struct Statement {
    lexemes: Vec<Lexeme>,
    /// The tag of the text in `$$ … $$` that is open.
    dollar: Option<Range<usize>>,
    /// Number of open `BEGIN` and `CASE`.
    blocks: usize,
    /// Whether a block was closed.
    has_block: bool,
    /// What ends statements instead of `;`, in scripts for MySQL.
    delimiter: Option<Range<usize>>,
}

impl Statement {
    /// The tokens of the statement. What follows is another one.
    fn next(&mut self) -> Vec<Lexeme> {
        let next = Self { delimiter: self.delimiter.clone(), ..Self::default() };
        std::mem::replace(self, next).lexemes
    }

    /// The end of the delimiter that starts with `one`.
    fn delimiter_at(&self, reader: &Reader<'_>, one: &Lexeme) -> Option<usize> {
        let delimiter = reader.bytes(self.delimiter.as_ref()?);
        let rest = reader.text.get(one.range.start..)?;
        rest.starts_with(delimiter).then_some(one.range.start + delimiter.len())
    }

    /// Whether `one` ends the statement. Updates what is open.
    fn ends_with(&mut self, reader: &Reader<'_>, one: &Lexeme) -> bool {
        let text = reader.bytes(&one.range);
        if one.sort == Sort::Dollar {
            match &self.dollar {
                Some(open) if reader.bytes(open) == text => self.dollar = None,
                None => self.dollar = Some(one.range.clone()),
                Some(_) => {}
            }
        }
        if self.dollar.is_some() {
            return false;
        }
        if one.sort == Sort::Word && reader.is_routine(&self.lexemes) {
            self.count(reader, one);
        }
        text == b";" && self.blocks == 0 && self.delimiter.is_none()
    }

    /// Follows `BEGIN … END` in a routine.
    fn count(&mut self, reader: &Reader<'_>, one: &Lexeme) {
        let last_is_end = self.lexemes.last().is_some_and(|last| reader.is_word(last, "end"));
        if last_is_end {
            // `END IF` and the like end something that was not counted. `END CASE` was counted.
            let uncounted =
                ["if", "loop", "while", "repeat", "for"].iter().any(|word| reader.is_word(one, word));
            self.blocks += usize::from(uncounted);
        } else if reader.is_word(one, "begin") || reader.is_word(one, "case") {
            self.blocks += 1;
        } else if reader.is_word(one, "end") {
            self.blocks = self.blocks.saturating_sub(1);
            self.has_block = self.blocks == 0;
        }
    }

    /// Whether `one` starts the next statement, although nothing ended this one.
    fn ends_before(&self, reader: &Reader<'_>, one: &Lexeme) -> bool {
        let is_open = self.dollar.is_some() || self.blocks > 0 || self.lexemes.is_empty();
        if is_open || self.delimiter.is_some() {
            return false;
        }
        reader.is_batch_end(one) || self.has_block && reader.is_word(one, "create")
    }
}

struct Reader<'a> {
    text: &'a [u8],
    lines: Lines,
    out: Outline,
}

/// Words between `CREATE` and the kind of object.
const BEFORE_KIND: &[&str] = &[
    "or",
    "replace",
    "alter",
    "global",
    "local",
    "temp",
    "temporary",
    "unlogged",
    "unique",
    "materialized",
    "recursive",
    "external",
    "foreign",
    "clustered",
    "nonclustered",
    "virtual",
    "editionable",
    "fulltext",
    "spatial",
    "aggregate",
    "constraint",
    "public",
    "algorithm",
    "undefined",
    "merge",
    "temptable",
    "definer",
    "sql",
    "security",
    "invoker",
    "current_user",
    "force",
    "noforce",
    "transient",
    "secure",
    "hypertable",
    "stable",
    "if",
    "not",
    "exists",
];

/// Words between the kind of object and its name.
const BEFORE_NAME: &[&str] = &["if", "not", "exists", "concurrently", "body"];

/// First words of what is in the parentheses of a table, and is not a column.
const NOT_COLUMNS: &[&str] = &[
    "primary", "foreign", "unique", "check", "key", "index", "exclude", "like", "period", "fulltext",
    "spatial",
];

impl Reader<'_> {
    fn bytes(&self, range: &Range<usize>) -> &[u8] {
        self.text.get(range.clone()).unwrap_or_default()
    }

    fn is_word(&self, one: &Lexeme, word: &str) -> bool {
        one.sort == Sort::Word && self.bytes(&one.range).eq_ignore_ascii_case(word.as_bytes())
    }

    fn is_any(&self, one: &Lexeme, words: &[&str]) -> bool {
        words.iter().any(|word| self.is_word(one, word))
    }

    fn is_mark(&self, one: &Lexeme, mark: u8) -> bool {
        one.sort == Sort::Mark && self.bytes(&one.range) == [mark]
    }

    /// `GO`, alone on its line.
    fn is_batch_end(&self, one: &Lexeme) -> bool {
        let before =
            self.text.get(..one.range.start).unwrap_or_default().rsplit(|byte| *byte == b'\n').next();
        let after = self.text.get(one.range.end..).unwrap_or_default().split(|byte| *byte == b'\n').next();
        let is_alone = || [before, after].iter().all(|part| part.unwrap_or_default().trim_ascii().is_empty());
        self.is_word(one, "go") && is_alone()
    }

    fn delimiter(&self, range: Range<usize>) -> Option<Range<usize>> {
        let text = self.bytes(&range);
        let start = range.start + text.len() - text.trim_ascii_start().len();
        let end = start + text.trim_ascii().len();
        (self.bytes(&(start..end)) != b";" && start < end).then_some(start..end)
    }

    /// A comment, with the one before if they are on neighbouring lines.
    fn joined(&self, before: Option<Range<usize>>, comment: Range<usize>) -> Range<usize> {
        let gap = |before: &Range<usize>| {
            self.bytes(&(before.end..comment.start)).iter().filter(|b| **b == b'\n').count()
        };
        let start = before.filter(|before| gap(before) <= 1).map_or(comment.start, |before| before.start);
        start..comment.end
    }

    fn is_routine(&self, lexemes: &[Lexeme]) -> bool {
        let kinds = ["function", "procedure", "proc", "trigger", "event", "package"];
        lexemes.first().is_some_and(|first| self.is_any(first, &["create", "alter"]))
            && lexemes.iter().take(12).any(|one| self.is_any(one, &kinds))
    }

    /// Adds the tokens of a statement, and what it creates.
    fn finish(&mut self, lexemes: Vec<Lexeme>, comment: Option<Range<usize>>) -> Result<(), Unreadable> {
        let first_token = self.out.tokens.len();
        let created = self.created(&lexemes);
        let place = match (&created, lexemes.first(), lexemes.last()) {
            (Some(created), Some(first), Some(last)) => {
                let range = first.range.start..last.range.end;
                let lines = (self.lines.line(range.start), self.lines.line(range.end.saturating_sub(1)));
                let doc = comment.filter(|comment| self.lines.line(comment.end) + 1 >= lines.0);
                let body =
                    created.body.and_then(|body| lexemes.get(body)).map(|body| (body.range.start, range.end));
                let draft = Draft {
                    within: &[],
                    names: &created.names,
                    kind: created.kind,
                    range,
                    body,
                    doc,
                    lines,
                    first_token,
                };
                self.out.add(self.text, draft)?
            }
            _ => None,
        };
        let table = created.as_ref().filter(|one| one.kind == Kind::Table);
        let mut columns =
            table.map_or_else(Vec::new, |one| self.columns(&lexemes, one)).into_iter().peekable();
        for (number, one) in lexemes.iter().enumerate() {
            let (range, form) = match one.sort {
                Sort::Literal => (one.range.clone(), Form::Literal),
                _ => (one.inner.clone(), Form::Caseless),
            };
            let column = columns.next_if(|column| column.first == number);
            let token = self.out.tokens.len();
            self.out.tokens.push(range, form);
            if let (Some(column), Some(created)) = (column, &created) {
                self.column(&lexemes, &column, &created.names, token)?;
            }
        }
        if let Some(place) = place {
            self.out.close(place);
        }
        Ok(())
    }

    fn column(
        &mut self,
        lexemes: &[Lexeme],
        column: &Column,
        within: &[String],
        first_token: usize,
    ) -> Result<(), Unreadable> {
        let (Some(first), Some(last)) = (lexemes.get(column.first), lexemes.get(column.last)) else {
            return Ok(());
        };
        let range = first.range.start..last.range.end;
        let lines = (self.lines.line(range.start), self.lines.line(range.end.saturating_sub(1)));
        let draft = Draft {
            within,
            names: std::slice::from_ref(&column.name),
            kind: column.kind,
            range,
            body: None,
            doc: None,
            lines,
            first_token,
        };
        let place = self.out.add(self.text, draft)?;
        if let Some(definition) = place.and_then(|place| self.out.definitions.get_mut(place)) {
            definition.tokens.end = first_token + column.last - column.first + 1;
        }
        Ok(())
    }

    fn created(&self, lexemes: &[Lexeme]) -> Option<Created> {
        lexemes.first().filter(|first| self.is_word(first, "create"))?;
        let skipped = |one: &Lexeme| {
            self.is_any(one, BEFORE_KIND)
                || one.sort == Sort::Literal
                || b"=@%".iter().any(|mark| self.is_mark(one, *mark))
        };
        let mut at = 1;
        let kind = loop {
            let one = lexemes.get(at)?;
            at += 1;
            if let Some(kind) = self.kind(one) {
                break kind;
            }
            // `DEFINER = name@host` has a name in it.
            let follows_mark = lexemes
                .get(at.checked_sub(2)?)
                .is_some_and(|last| self.is_mark(last, b'=') || self.is_mark(last, b'@'));
            if !skipped(one) && !follows_mark {
                return None;
            }
        };
        while lexemes.get(at).is_some_and(|one| self.is_any(one, BEFORE_NAME)) {
            at += 1;
        }
        let mut names = Vec::new();
        loop {
            let one = lexemes.get(at).filter(|one| matches!(one.sort, Sort::Word | Sort::Quoted))?;
            if names.is_empty() && self.is_word(one, "on") {
                return None;
            }
            names.push(String::from_utf8_lossy(self.bytes(&one.inner)).into_owned());
            at += 1;
            if !lexemes.get(at).is_some_and(|one| self.is_mark(one, b'.')) {
                break;
            }
            at += 1;
        }
        let body = (kind == Kind::Function).then(|| self.body(lexemes, at)).flatten();
        Some(Created { names, kind, after: at, body })
    }

    fn kind(&self, one: &Lexeme) -> Option<Kind> {
        const KINDS: &[(&str, Kind)] = &[
            ("table", Kind::Table),
            ("view", Kind::View),
            ("index", Kind::Index),
            ("function", Kind::Function),
            ("procedure", Kind::Function),
            ("proc", Kind::Function),
            ("event", Kind::Function),
            ("trigger", Kind::Trigger),
            ("type", Kind::Type),
            ("domain", Kind::Type),
            ("package", Kind::Module),
            ("schema", Kind::Module),
            ("database", Kind::Module),
            ("sequence", Kind::Constant),
            ("policy", Kind::Constant),
            ("role", Kind::Constant),
            ("macro", Kind::Macro),
        ];
        KINDS.iter().find(|(word, _)| self.is_word(one, word)).map(|(_, kind)| *kind)
    }

    /// Where the code of a function starts.
    fn body(&self, lexemes: &[Lexeme], after: usize) -> Option<usize> {
        let rest = lexemes.iter().enumerate().skip(after);
        rest.skip_while(|(_, one)| one.sort != Sort::Dollar && !self.is_any(one, &["as", "is", "begin"]))
            .map(|(place, _)| place)
            .next()
    }

    /// The columns between the parentheses after the name of a table.
    fn columns(&self, lexemes: &[Lexeme], created: &Created) -> Vec<Column> {
        if !lexemes.get(created.after).is_some_and(|one| self.is_mark(one, b'(')) {
            return Vec::new();
        }
        let mut columns = Vec::new();
        let mut depth = 1_usize;
        let mut first = created.after + 1;
        for (place, one) in lexemes.iter().enumerate().skip(first) {
            let ends = depth == 1 && (self.is_mark(one, b',') || self.is_mark(one, b')'));
            if ends && place > first {
                columns.extend(self.named_column(lexemes, first, place - 1));
            }
            if ends {
                first = place + 1;
            }
            depth += usize::from(self.is_mark(one, b'('));
            depth -= usize::from(self.is_mark(one, b')'));
            if depth == 0 {
                break;
            }
        }
        columns
    }

    fn named_column(&self, lexemes: &[Lexeme], first: usize, last: usize) -> Option<Column> {
        let is_constraint = self.is_word(lexemes.get(first)?, "constraint");
        let named = lexemes.get(first + usize::from(is_constraint))?;
        if !matches!(named.sort, Sort::Word | Sort::Quoted) || self.is_any(named, NOT_COLUMNS) {
            return None;
        }
        let name = String::from_utf8_lossy(self.bytes(&named.inner)).into_owned();
        let kind = if is_constraint { Kind::Constant } else { Kind::Column };
        Some(Column { first, last, name, kind })
    }
}

/// What a statement creates.
struct Created {
    names: Vec<String>,
    kind: Kind,
    /// The place after the name.
    after: usize,
    /// The place where the body starts.
    body: Option<usize>,
}

struct Column {
    first: usize,
    last: usize,
    name: String,
    kind: Kind,
}
