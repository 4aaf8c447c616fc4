//! Prompts for three common tasks.

use rmcp::model::{ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use super::call::clipped;

/// The prompts.
pub(super) fn all() -> Vec<Prompt> {
    vec![
        prompt(
            "review_stale_pages",
            "Review stale pages",
            "Compare stale pages with their code, and correct what changed",
            PromptArgument::new("page")
                .with_title("Page")
                .with_description("Only this page (default: every stale page)")
                .with_required(false),
        ),
        prompt(
            "write_page_from_code",
            "Write a page from code",
            "Write a page that describes a file or folder of code, with links to existing pages",
            PromptArgument::new("file")
                .with_title("File or folder")
                .with_description("Path relative to the project")
                .with_required(true),
        ),
        prompt(
            "explain_area",
            "Explain an area",
            "Explain a part of the system from its pages, and say which are up to date",
            PromptArgument::new("area")
                .with_title("Area")
                .with_description("A page, or a description of what to explain")
                .with_required(true),
        ),
    ]
}

fn prompt(name: &str, title: &str, description: &str, argument: PromptArgument) -> Prompt {
    Prompt::new(name, Some(description), Some(vec![argument])).with_title(title)
}

/// The prompt `name` with its arguments filled in.
///
/// # Errors
/// For an unknown prompt, and for a missing or unknown argument.
pub(super) fn get(name: &str, arguments: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    let Some(prompt) = all().into_iter().find(|prompt| prompt.name == name) else {
        let names: Vec<String> = all().into_iter().map(|prompt| prompt.name).collect();
        let message = clipped(&format!("unknown prompt '{name}'; expected one of {}", names.join(", ")));
        return Err(ErrorData::invalid_params(message, None));
    };
    let declared = prompt.arguments.unwrap_or_default();
    for given in arguments.into_iter().flat_map(JsonObject::keys) {
        if !declared.iter().any(|argument| argument.name == *given) {
            let message = clipped(&format!("unknown argument '{given}' of '{name}'"));
            return Err(ErrorData::invalid_params(message, None));
        }
    }
    let value = |argument: &str| {
        let value = arguments.and_then(|arguments| arguments.get(argument))?.as_str()?;
        // On one line, so that a value cannot be mistaken for a step of the task.
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        (!value.is_empty()).then_some(value)
    };
    for argument in declared {
        if argument.required == Some(true) && value(&argument.name).is_none() {
            let message = format!("missing argument '{}'", argument.name);
            return Err(ErrorData::invalid_params(message, None));
        }
    }
    let text = match name {
        "review_stale_pages" => review(value("page").as_deref()),
        "write_page_from_code" => write(&value("file").unwrap_or_default()),
        _ => explain(&value("area").unwrap_or_default()),
    };
    let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
    result.description = prompt.description;
    Ok(result)
}

fn review(page: Option<&str>) -> String {
    let which = match page {
        Some(page) => format!("Call ubp_check_staleness with page \"{page}\"."),
        None => "Call ubp_check_staleness. Review stale pages before possibly stale ones.".into(),
    };
    format!(
        "Review pages whose code changed since their last review.\n\n\
         1. {which}\n\
         2. For each page: read it with ubp_get_page, and read its changed sources.\n\
         3. List every statement that no longer matches the code, with line and file. If you are not sure, \
         say so instead of guessing.\n\
         4. Correct only those statements: with ubp_update_page if you have it, otherwise as a diff.\n\
         5. Record each page that is now accurate: ubp_review_page with still_accurate, its content_hash as \
         expected_hash, and expected_sources from ubp_check_staleness. Without that tool, list the page at the end. Record only pages that you compared with \
         their code.\n\n\
         End with a list: what was wrong, what you changed, what a person has to decide."
    )
}

fn write(file: &str) -> String {
    format!(
        "Write a page about `{file}`.\n\n\
         1. Find pages that describe it with ubp_refs, and pages about its subject with ubp_search. If there \
         is one, extend it instead of writing another.\n\
         2. Read the code. Write for a developer who has to change it: purpose, design, invariants, \
         surprises. Leave out what is obvious from the code.\n\
         3. List `{file}` under `source_refs` in the front matter, so that UBP reports the page as stale when \
         the code changes.\n\
         4. Link related pages: `[[page]]`, or `[[page|depends_on]]` or `[[page|implements]]` if that is the \
         relation. Find them with ubp_search, and use their exact names.\n\
         5. Create the page with ubp_create_page if you have it, with dry_run first; otherwise show its text."
    )
}

fn explain(area: &str) -> String {
    format!(
        "Explain \"{area}\" from this project's pages.\n\n\
         1. Find the pages with ubp_search, and read the best of them with ubp_get_context.\n\
         2. Follow relevant `depends_on` and `implements` links with ubp_graph_traverse.\n\
         3. Explain its purpose, its parts and how they work together, and what depends on it.\n\
         4. Cite the page for each statement (path and line). If a page is stale, check the code, and say \
         what you found.\n\
         5. End with what the pages do not say."
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn arguments(value: serde_json::Value) -> JsonObject {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn every_prompt_accepts_its_declared_arguments() {
        for prompt in all() {
            let argument = &prompt.arguments.unwrap()[0];
            let given = arguments(json!({ argument.name.clone(): "the place" }));
            let text = serde_json::to_string(&get(&prompt.name, Some(&given)).unwrap().messages).unwrap();
            assert!(text.contains("the place"), "{}", prompt.name);
            assert_eq!(get(&prompt.name, None).is_err(), argument.required == Some(true), "{}", prompt.name);
        }
    }

    #[test]
    fn unknown_prompts_and_arguments_are_refused() {
        assert!(get("nonsense", None).is_err());
        assert!(get("explain_area", Some(&arguments(json!({ "area": "x", "colour": "red" })))).is_err());
        assert!(get("explain_area", Some(&arguments(json!({ "area": " " })))).is_err());
    }
}
