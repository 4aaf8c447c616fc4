//! Serves files that pages show or link for download, whole or in ranges: some audio and video players require range
//! requests.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_range_header::{ParsedRanges, parse_range_header};
use ubp_core::Context;
use ubp_core::message;
use ubp_core::{Error, Result, path};

use super::pages::DOWNLOADED;

/// Limit on the bytes of a file served whole.
const LONGEST: u64 = 512 * 1024 * 1024;

/// Limit on the bytes of a range; clients request the rest separately.
const LONGEST_PART: u64 = 8 * 1024 * 1024;

/// Content security policy of an attachment opened by itself: SVG images can contain scripts.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; \
    frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Conditions of a request for a file.
pub(super) struct Wanted {
    /// The ETag that the browser has cached.
    known: Option<String>,
    /// The requested range; `None` if absent or invalid, which means the same.
    range: Option<ParsedRanges>,
    /// The ETag that the range applies to (`If-Range`).
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

    /// The range to send of a file of `size` bytes, `None` for all of it. Multiple ranges are answered with the whole
    /// file, as RFC 9110 allows.
    ///
    /// # Errors
    /// The size, if the range is outside the file.
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

/// The answer to a request for a file.
pub(super) enum Attachment {
    Whole { bytes: Vec<u8>, tag: String },
    Part { bytes: Vec<u8>, tag: String, range: RangeInclusive<u64>, size: u64 },
    Unchanged { tag: String },
    OutOfRange { size: u64 },
}

impl Attachment {
    /// The file at `name`, a path relative to the project at `root`, if pages may show or link it.
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
            // A symbolic link out of the project, or an invalid name.
            Ok(None) | Err(Error::OutsideProject { .. } | Error::Io { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        // A symbolic link named like an image may lead to a hidden file.
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
                // The file was truncated in the meantime.
                let Some(last) = (bytes.len() as u64).checked_sub(1) else {
                    return Ok(Some(Self::OutOfRange { size: stat.size }));
                };
                let range = *range.start()..=range.start() + last;
                Ok(Some(Self::Part { bytes, tag, range, size: stat.size }))
            }
            Ok(None) if stat.size > LONGEST => {
                Err(Error::invalid(message!("{name} is too large to show", name)))
            }
            Ok(None) => Ok(Some(Self::Whole { bytes: context.source.read_source(name)?, tag })),
        }
    }

    /// The response; `kind` is the media type.
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
