//! Three pieces of work that people hand to an agent again and again.

use rmcp::model::{ErrorData, GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use super::call::clipped;

/// The prompts.
pub(super) fn all() -> Vec<Prompt> {
    vec![
        prompt(
            "review_stale_pages",
            "Review stale pages",
            "Compare pages with the code that overtook them, and correct what is no longer true",
            PromptArgument::new("page")
                .with_title("Page")
                .with_description("Only this page; every stale page when left out")
                .with_required(false),
        ),
        prompt(
            "write_page_from_code",
            "Write a page from code",
            "Write a page that describes a file or folder of code, linked with the pages there are",
            PromptArgument::new("file")
                .with_title("File or folder")
                .with_description("Path relative to the project")
                .with_required(true),
        ),
        prompt(
            "explain_area",
            "Explain an area",
            "Explain a part of the system from its pages, and say what can be trusted",
            PromptArgument::new("area")
                .with_title("Area")
                .with_description("A page, or words for what to explain")
                .with_required(true),
        ),
    ]
}

fn prompt(name: &str, title: &str, description: &str, argument: PromptArgument) -> Prompt {
    Prompt::new(name, Some(description), Some(vec![argument])).with_title(title)
}

/// A prompt with its arguments filled in.
///
/// # Errors
/// For an unknown name, and an argument that is missing or none.
pub(super) fn get(name: &str, arguments: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    let Some(prompt) = all().into_iter().find(|prompt| prompt.name == name) else {
        let names: Vec<String> = all().into_iter().map(|prompt| prompt.name).collect();
        let message = clipped(&format!("unknown prompt '{name}'; there are {}", names.join(", ")));
        return Err(ErrorData::invalid_params(message, None));
    };
    let declared = prompt.arguments.unwrap_or_default();
    for given in arguments.into_iter().flat_map(JsonObject::keys) {
        if !declared.iter().any(|argument| argument.name == *given) {
            let message = clipped(&format!("'{name}' has no argument '{given}'"));
            return Err(ErrorData::invalid_params(message, None));
        }
    }
    let value = |argument: &str| {
        let value = arguments.and_then(|arguments| arguments.get(argument))?.as_str()?;
        // One line, so that a value cannot pass for a step of the work.
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        (!value.is_empty()).then_some(value)
    };
    for argument in declared {
        if argument.required == Some(true) && value(&argument.name).is_none() {
            let message = format!("'{name}' needs its argument '{}'", argument.name);
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
        None => {
            "Call ubp_check_staleness, and take the pages that are stale before those that may be.".into()
        }
    };
    format!(
        "Review pages whose code changed since they were last read against it.\n\n\
         1. {which}\n\
         2. For each page: read it with ubp_get_page, and read the sources that are named as changed.\n\
         3. List every statement that the code no longer bears out, with line and file. Where you are not \
         sure, say so instead of guessing.\n\
         4. Mend those statements and nothing else: with ubp_update_page if you have it, otherwise as a diff.\n\
         5. Settle each page that is true: ubp_review_page with still_accurate, and its content_hash as \
         expected_hash, or `ubp review --still-accurate PAGE` if you may not write. Settle no page that you did \
         not read against its code.\n\n\
         End with a list: what was wrong, what you changed, what a person has to decide."
    )
}

fn write(file: &str) -> String {
    format!(
        "Write a page about `{file}`.\n\n\
         1. Ask ubp_refs which pages describe it already, and ubp_search what is said about its subject. If a \
         page is there, extend that one instead of writing a second.\n\
         2. Read the code. Write for somebody who has to change it: what it is for, how it works, what must \
         stay true, what is surprising. Leave out what the code says better itself.\n\
         3. Name `{file}` under `source_refs` in the front matter, so that it is noticed when the page falls \
         behind.\n\
         4. Link the pages it has to do with: `[[page]]`, and `[[page|depends_on]]` or `[[page|implements]]` \
         where that is what you mean. ubp_search finds them; use their names exactly.\n\
         5. Create the page with ubp_create_page if you have it, with dry_run first; otherwise show its text."
    )
}

fn explain(area: &str) -> String {
    format!(
        "Explain \"{area}\" from this project's pages.\n\n\
         1. Find the pages with ubp_search, and read the best of them with ubp_get_context.\n\
         2. Follow `depends_on` and `implements` with ubp_graph_traverse where they matter.\n\
         3. Explain: what it is for, its parts and how they work together, what depends on it.\n\
         4. Say for each statement which page it comes from (path and line). Where a page is stale, check the \
         code, and say what you found.\n\
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
    fn every_prompt_can_be_had_with_what_it_declares() {
        for prompt in all() {
            let argument = &prompt.arguments.unwrap()[0];
            let given = arguments(json!({ argument.name.clone(): "the place" }));
            let text = serde_json::to_string(&get(&prompt.name, Some(&given)).unwrap().messages).unwrap();
            assert!(text.contains("the place"), "{}", prompt.name);
            assert_eq!(get(&prompt.name, None).is_err(), argument.required == Some(true), "{}", prompt.name);
        }
    }

    #[test]
    fn what_is_not_declared_is_refused() {
        assert!(get("nonsense", None).is_err());
        assert!(get("explain_area", Some(&arguments(json!({ "area": "x", "colour": "red" })))).is_err());
        assert!(get("explain_area", Some(&arguments(json!({ "area": " " })))).is_err());
    }
}
