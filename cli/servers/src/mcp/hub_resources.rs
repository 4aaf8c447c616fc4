//! Pages of all projects of a hub as resources, `ubp://page/{project}:{path}`, and their names to complete.

use rmcp::RoleServer;
use rmcp::model::{
    CompletionInfo, ErrorData, ListResourcesResult, ReadResourceResult, ResourceContents, ResourceTemplate,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use ubp_core::hub::PROJECTS;
use ubp_core::ops::named;
use ubp_core::{Error, Result};

use super::call::{clipped, run};
use super::hub::HubServer;
use super::resources::{MIME, PART, path_of, resource};

/// Where in the list of all pages a part begins: a project, and how many of its pages are before it.
type Cursor = (String, usize);

pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new("ubp://page/{+path}", "page")
        .with_title("Page")
        .with_description("A page as project:path, the path relative to the pages folder")
        .with_mime_type(MIME)
}

/// Lists the pages of one project after the other, [`PART`] at a time.
pub(super) async fn list(
    server: &HubServer,
    cursor: Option<String>,
    context: RequestContext<RoleServer>,
) -> std::result::Result<ListResourcesResult, ErrorData> {
    let begins = cursor.map(|text| cursor_of(&text)).transpose()?;
    let (own, author) = (server.clone(), server.author(&context));
    let listed = run(&context, move |progress, cancel| {
        let states = own.hub.states(cancel)?;
        let projects: Vec<String> =
            states.into_iter().filter(|state| state.error.is_none()).map(|state| state.project).collect();
        let (mut at, mut offset) = match &begins {
            None => (0, 0),
            // A project that is gone is passed over.
            Some((name, offset)) => match projects.iter().position(|project| project == name) {
                Some(at) => (at, *offset),
                None => (projects.iter().position(|project| project > name).unwrap_or(projects.len()), 0),
            },
        };
        while let Some(project) = projects.get(at) {
            let params = json!({ PROJECTS: [project], "sort": "filepath", "limit": PART, "offset": offset });
            let answer =
                own.hub.call(author.asker(), named("list_pages")?, params, None, progress, cancel)?;
            let pages = answer["pages"].as_array().cloned().unwrap_or_default();
            let end = offset + pages.len();
            let has_more = (end as u64) < answer["total"].as_u64().unwrap_or(0) && !pages.is_empty();
            let next = match has_more {
                true => Some((project.clone(), end)),
                false => projects.get(at + 1).map(|next| (next.clone(), 0)),
            };
            if !pages.is_empty() || next.is_none() {
                return Ok((pages, next));
            }
            (at, offset) = (at + 1, 0);
        }
        Ok((Vec::new(), None))
    })
    .await?;
    let (pages, next): (Vec<Value>, Option<Cursor>) = listed.map_err(|error| server.error(&error))?;
    let mut result = ListResourcesResult::with_all_items(pages.iter().map(resource).collect());
    result.next_cursor = next.map(|(project, offset)| format!("{offset}:{project}"));
    Ok(result)
}

fn cursor_of(text: &str) -> std::result::Result<Cursor, ErrorData> {
    let parts = text.split_once(':').and_then(|(offset, project)| Some((project, offset.parse().ok()?)));
    let (project, offset) =
        parts.ok_or_else(|| ErrorData::invalid_params(clipped(&format!("unknown cursor '{text}'")), None))?;
    Ok((project.to_owned(), offset))
}

/// Reads the page at a URI.
pub(super) async fn read(
    server: &HubServer,
    uri: &str,
    context: RequestContext<RoleServer>,
) -> std::result::Result<ReadResourceResult, ErrorData> {
    let path = path_of(uri)?;
    let (own, author) = (server.clone(), server.author(&context));
    let text = run(&context, move |progress, cancel| -> Result<String> {
        let params = json!({ "page": path });
        let answer = own.hub.call(author.asker(), named("read_page")?, params, None, progress, cancel)?;
        // Names also find pages at other paths; a URI must match exactly.
        if answer["filepath"] != path.as_str() {
            return Err(Error::PageNotFound { page: path, similar: Vec::new() });
        }
        Ok(answer["text"].as_str().unwrap_or_default().to_owned())
    })
    .await?
    .map_err(|error| server.error(&error))?;
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(MIME)]))
}

/// Pages of all projects whose names begin like `typed`, as `project:path`, and how many there are.
pub(super) async fn complete(
    server: &HubServer,
    typed: String,
    context: RequestContext<RoleServer>,
) -> std::result::Result<(Vec<String>, usize), ErrorData> {
    let (own, author) = (server.clone(), server.author(&context));
    let answer = run(&context, move |progress, cancel| {
        let params = json!({ "text": typed, "limit": CompletionInfo::MAX_VALUES });
        own.hub.call(author.asker(), named("complete")?, params, None, progress, cancel)
    })
    .await?
    .map_err(|error| server.error(&error))?;
    // A hub with one project answers as that.
    let each = answer["projects"].as_array().cloned().unwrap_or_else(|| vec![answer.clone()]);
    let pages = |project: &Value| project["pages"].as_array().cloned().unwrap_or_default();
    let lists: Vec<Vec<Value>> = each.iter().map(pages).collect();
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    // Each list is sorted, so they take turns.
    let values: Vec<String> = (0..longest)
        .flat_map(|at| lists.iter().filter_map(move |list| list.get(at)))
        .filter_map(|page| page["filepath"].as_str().map(str::to_owned))
        .take(CompletionInfo::MAX_VALUES)
        .collect();
    let total: u64 = each.iter().filter_map(|project| project["total"].as_u64()).sum();
    Ok((values, usize::try_from(total).unwrap_or(usize::MAX)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_names_a_project_and_a_number() {
        assert_eq!(cursor_of("200:libs/a").unwrap(), ("libs/a".to_owned(), 200));
        for other in ["", "200", "x:shop", "-1:shop", ":shop"] {
            assert!(cursor_of(other).is_err(), "{other}");
        }
    }
}
