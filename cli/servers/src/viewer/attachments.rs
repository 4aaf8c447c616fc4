//! The files that pages show or hand out, whole or a part at a time: players of sound and film ask for parts, and some
//! play nothing where they get none.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_range_header::{ParsedRanges, parse_range_header};
use ubp_core::Context;
use ubp_core::{Error, Result, path};

use super::pages::DOWNLOADED;

/// Longest file that is handed out whole, in bytes.
const LONGEST: u64 = 512 * 1024 * 1024;

/// Longest part that is read at once, in bytes. Whoever wants more asks again.
const LONGEST_PART: u64 = 8 * 1024 * 1024;

/// What an attachment may do when it is opened by itself. A picture can hold scripts.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; \
    frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// What a request says of the file that it wants.
pub(super) struct Wanted {
    /// The tag of what the browser has already.
    known: Option<String>,
    /// Nothing where it was not understood: such a range is to be passed over.
    range: Option<ParsedRanges>,
    /// The range is wanted of the version with this tag only.
    only_of: Option<String>,
}

impl Wanted {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        Self {
            known: text(header::IF_NONE_MATCH).map(str::to_owned),
            range: text(header::RANGE).and_then(|range| parse_range_header(range).ok()),
            only_of: text(header::IF_RANGE).map(str::to_owned),
        }
    }

    /// The bytes to send of a file of `size` bytes, `None` for all of them. Several ranges at once are answered with
    /// the whole, as RFC 9110 allows.
    ///
    /// # Errors
    /// The size, when none of the bytes that are wanted exist.
    fn part(&self, tag: &str, size: u64) -> std::result::Result<Option<RangeInclusive<u64>>, u64> {
        let Some(range) = &self.range else { return Ok(None) };
        if self.only_of.as_ref().is_some_and(|only_of| only_of != tag) {
            return Ok(None);
        }
        let parts = range.validate(size).map_err(|_| size)?;
        let [part] = parts.as_slice() else { return Ok(None) };
        let last = (*part.end()).min(part.start().saturating_add(LONGEST_PART - 1));
        Ok(Some(*part.start()..=last))
    }
}

/// A file, or why it need not be sent.
pub(super) enum Attachment {
    Whole { bytes: Vec<u8>, tag: String },
    Part { bytes: Vec<u8>, tag: String, range: RangeInclusive<u64>, size: u64 },
    Unchanged { tag: String },
    OutOfRange { size: u64 },
}

impl Attachment {
    /// The file at `name`, a path relative to the project at `root`, if it is one that pages show or hand out.
    pub(super) fn find(
        root: &Path,
        context: &Context<'_>,
        name: &str,
        wanted: &Wanted,
    ) -> Result<Option<Self>> {
        let is_hidden =
            |path: &str| path.split('/').any(|part| part.starts_with('.') || part == "node_modules");
        if !ubp_core::render::is_attachment(name) || is_hidden(name) || path::is_private(name) {
            return Ok(None);
        }
        let stat = match context.source.stat_source(name) {
            Ok(Some(stat)) => stat,
            // A link out of the project, or a name that no file can have.
            Ok(None) | Err(Error::OutsideProject { .. } | Error::Io { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        // A link may be called like a picture and lead to what is hidden.
        let Some(file) = std::fs::canonicalize(root.join(name)).ok() else { return Ok(None) };
        let inside = file.strip_prefix(root).ok().and_then(Path::to_str);
        let Some(real) = inside.map(|real| real.replace('\\', "/")) else { return Ok(None) };
        if is_hidden(&real) || !ubp_core::render::is_attachment(&real) {
            return Ok(None);
        }
        let tag = format!("\"{:x}-{:x}-{:x}\"", stat.size, stat.modified.as_nanosecond(), stat.fingerprint);
        if wanted.known.as_ref() == Some(&tag) {
            return Ok(Some(Self::Unchanged { tag }));
        }
        match wanted.part(&tag, stat.size) {
            Err(size) => Ok(Some(Self::OutOfRange { size })),
            Ok(Some(range)) => {
                let bytes = read_part(&file, &range).map_err(|error| Error::io(name, error))?;
                // Cut off since it was looked at.
                let Some(last) = (bytes.len() as u64).checked_sub(1) else {
                    return Ok(Some(Self::OutOfRange { size: stat.size }));
                };
                let range = *range.start()..=range.start() + last;
                Ok(Some(Self::Part { bytes, tag, range, size: stat.size }))
            }
            Ok(None) if stat.size > LONGEST => {
                Err(Error::invalid(format!("{name} is too large to be shown")))
            }
            Ok(None) => Ok(Some(Self::Whole { bytes: context.source.read_source(name)?, tag })),
        }
    }

    /// The answer. `kind` is its media type.
    pub(super) fn response(self, kind: &'static str) -> Response {
        let disposition = if kind == DOWNLOADED { "attachment" } else { "inline" };
        let of_file = |tag: &str| {
            [
                (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
                (header::CONTENT_DISPOSITION, HeaderValue::from_static(disposition)),
                (header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
                (header::ACCEPT_RANGES, HeaderValue::from_static("bytes")),
                (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
                (header::ETAG, HeaderValue::from_str(tag).unwrap_or(HeaderValue::from_static("\"\""))),
            ]
        };
        match self {
            Self::Whole { bytes, tag } => (of_file(&tag), bytes).into_response(),
            Self::Part { bytes, tag, range, size } => {
                let told = format!("bytes {}-{}/{size}", range.start(), range.end());
                (StatusCode::PARTIAL_CONTENT, of_file(&tag), [(header::CONTENT_RANGE, told)], bytes)
                    .into_response()
            }
            Self::Unchanged { tag } => {
                let headers = [(header::CACHE_CONTROL, "private, no-cache"), (header::ETAG, &*tag)];
                (StatusCode::NOT_MODIFIED, headers).into_response()
            }
            Self::OutOfRange { size } => {
                let told = format!("bytes */{size}");
                (StatusCode::RANGE_NOT_SATISFIABLE, [(header::CONTENT_RANGE, told)]).into_response()
            }
        }
    }
}

fn read_part(file: &PathBuf, range: &RangeInclusive<u64>) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(file)?;
    file.seek(SeekFrom::Start(*range.start()))?;
    let mut bytes = Vec::new();
    file.take(range.end() - range.start() + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
