//! Pages as resources, `ubp://page/{path}`: the content of the file, including front matter.

use rmcp::RoleServer;
use rmcp::model::{
    ErrorData, JsonObject, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use ubp_core::Error;
use ubp_core::ops::named;
use ubp_core::page::decode;
use ubp_core::{Caller, Context};

use super::call::{self, clipped, protocol_error};
use super::recording;
use super::server::Server;

const PREFIX: &str = "ubp://page/";
pub(super) const MIME: &str = "text/markdown";
/// Resources per page of the list.
pub(super) const PART: usize = 200;

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new("ubp://page/{+path}", "page")
        .with_title("Page")
        .with_description("A page by its path relative to the pages folder")
        .with_mime_type(MIME)
}

/// Lists pages by path, [`PART`] at a time. The cursor is the number of pages to skip.
pub(super) async fn list(
    server: &Server,
    cursor: Option<String>,
    context: RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    let offset: usize = match cursor {
        None => 0,
        Some(cursor) => cursor
            .parse()
            .map_err(|_| ErrorData::invalid_params(clipped(&format!("unknown cursor '{cursor}'")), None))?,
    };
    let (own, author) = (server.clone(), server.author(&context));
    let params = json!({ "sort": "filepath", "limit": PART, "offset": offset });
    let answer = call::run(&context, move |progress, cancel| {
        let live = own.seen_by(&author)?.live;
        live.call(Caller::Agent, named("list_pages")?, params, None, progress, cancel)
    })
    .await?
    .map_err(|error| protocol_error(server, &error))?;
    let pages = answer["pages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let resources: Vec<Resource> = pages.iter().map(resource).collect();
    let end = offset + resources.len();
    let more = (end as u64) < answer["total"].as_u64().unwrap_or(0) && !resources.is_empty();
    let mut result = ListResourcesResult::with_all_items(resources);
    result.next_cursor = more.then(|| end.to_string());
    Ok(result)
}

/// A page of an answer of `list_pages`.
pub(super) fn resource(page: &Value) -> Resource {
    let text = |key: &str| page[key].as_str().unwrap_or_default().to_owned();
    let path = text("filepath");
    Resource::new(uri_of(&path), path)
        .with_title(text("title"))
        .with_description(format!("{}, {}", text("doc_type"), text("staleness")))
        .with_mime_type(MIME)
}

/// Reads the page at a URI. Only pages in the index can be read, not other files.
pub(super) async fn read(
    server: &Server,
    uri: &str,
    context: RequestContext<RoleServer>,
) -> Result<ReadResourceResult, ErrorData> {
    let path = path_of(uri)?;
    let params = JsonObject::from_iter([("uri".to_owned(), uri.into())]);
    let recording = recording::begin(server, recording::READ, Some(&params), &context);
    let (own, author, asked) = (server.clone(), server.author(&context), path.clone());
    let text = call::run(&context, move |progress, cancel| {
        let live = own.seen_by(&author)?.live;
        live.with(Caller::Agent, progress, cancel, |context| whole(context, &asked))
    })
    .await?;
    if let Some(recording) = recording {
        recording.finish_page(&path, &text);
    }
    let text = text.map_err(|error| protocol_error(server, &error))?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(MIME)]))
}

fn whole(context: &Context<'_>, path: &str) -> ubp_core::Result<String> {
    let not_found = || Error::PageNotFound { page: path.into(), similar: Vec::new() };
    let page = context.call("get_page", json!({ "filepath": path }))?;
    // Names also find pages at other paths; a URI must match exactly.
    if page["filepath"] != path {
        return Err(not_found());
    }
    let bytes = context.source.read(path)?;
    Ok(decode(&bytes).0.into_owned())
}

/// The URI of the page at `path`.
pub(super) fn uri_of(path: &str) -> String {
    let mut uri = PREFIX.to_owned();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The path in a URI.
///
/// # Errors
/// If it is not the URI of a page.
pub(super) fn path_of(uri: &str) -> Result<String, ErrorData> {
    let wrong = || {
        let data = Some(json!({ "uri": clipped(uri) }));
        let message = format!("'{uri}' is not a page; expected {PREFIX}{{path}}");
        ErrorData::resource_not_found(clipped(&message), data)
    };
    let encoded = uri.strip_prefix(PREFIX).filter(|path| !path.is_empty()).ok_or_else(wrong)?;
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        let (Some(high), Some(low)) = (digit(rest.next()), digit(rest.next())) else { return Err(wrong()) };
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn paths_round_trip_through_uris() {
        for path in ["a.md", "guides/how to.md", "日本語/ページ.md", "100%.md", "a#b?.md", "x/y/z.markdown"]
        {
            assert_eq!(path_of(&uri_of(path)).unwrap(), path);
            assert!(uri_of(path).is_ascii());
        }
        assert_eq!(path_of("ubp://page/a%2Fb.md").unwrap(), "a/b.md");
    }

    #[test]
    fn other_uris_are_refused() {
        for uri in
            ["", "ubp://page/", "file:///etc/passwd", "ubp://page/%zz", "ubp://page/%ff", "ubp://page/%4"]
        {
            assert!(path_of(uri).is_err(), "{uri}");
        }
    }
}
