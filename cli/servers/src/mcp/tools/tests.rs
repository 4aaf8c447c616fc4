//! Choice of tools, and the size of the listing.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fmt::Write;

use serde_json::Value;
use ubp_core::ops::Effect;

use super::super::Writing;
use super::{Row, choose};

fn named(chosen: &str, write: bool) -> Result<Vec<&'static str>, String> {
    let chosen: Vec<String> = chosen.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let write = if write { Writing::Apply } else { Writing::No };
    let rows = choose(&chosen, write).map_err(|error| error.to_string())?;
    Ok(rows.iter().map(|row| row.operation.name).collect())
}

/// Tokens of `tools/list` with these tools, at four bytes per token.
fn tokens(rows: &[Row]) -> usize {
    let listed: Vec<_> = rows.iter().map(|row| &row.listed).collect();
    serde_json::to_string(&listed).unwrap().len().div_ceil(4)
}

#[test]
fn the_tool_listing_stays_within_its_token_limits() {
    let core = tokens(&choose(&["core".into()], Writing::No).unwrap());
    let default = tokens(&choose(&[], Writing::No).unwrap());
    assert!(core <= 2_500, "the six tools take {core} tokens");
    assert!(default <= 4_500, "all tools that only read take {default} tokens");
}

/// Clients may repeat idempotent calls without asking the user.
#[test]
fn only_idempotent_tools_are_marked_as_idempotent() {
    let sets = ["all", "memory", "documents", "query"].map(str::to_owned);
    let rows = choose(&sets, Writing::Apply).unwrap();
    let hint = |name: &str| {
        let row = rows.iter().find(|row| row.operation.name == name).unwrap();
        row.listed.annotations.as_ref().unwrap().idempotent_hint
    };
    for twice in ["create_page", "update_page", "remember"] {
        assert_eq!(hint(twice), Some(false), "{twice}");
    }
    for once in ["rename_page", "delete_page", "dismiss", "rebuild", "delete_document"] {
        assert_eq!(hint(once), Some(true), "{once}");
    }
}

#[test]
fn every_tool_name_has_the_prefix() {
    let sets = ["all", "memory", "documents", "query"].map(str::to_owned);
    for row in choose(&sets, Writing::Apply).unwrap().iter() {
        assert!(row.listed.name.starts_with("ubp_"), "{}", row.listed.name);
    }
}

#[test]
fn required_parameters_are_marked_as_required() {
    let rows = choose(&["all".into()], Writing::Apply).unwrap();
    let required = |name: &str| {
        let row = rows.iter().find(|row| row.operation.name == name).unwrap();
        row.listed.input_schema.get("required").cloned().unwrap_or_default()
    };
    assert_eq!(required("delete_page"), serde_json::json!(["page", "confirm", "expected_hash"]));
    assert_eq!(required("rename_page"), serde_json::json!(["page", "expected_hash"]));
    assert_eq!(required("graph_traverse"), serde_json::json!(["page"]));
}

/// The defaults in schemas equal those of a project without settings.
#[test]
fn schema_defaults_match_the_settings() {
    let rows = choose(&[], Writing::No).unwrap();
    let default = |name: &str, parameter: &str| {
        let row = rows.iter().find(|row| row.operation.name == name).unwrap();
        row.listed.input_schema["properties"][parameter]["default"].clone()
    };
    let search = ubp_core::manifest::SearchDefaults::default();
    assert_eq!(default("search", "alpha"), search.alpha);
    assert_eq!(default("search", "depth"), search.depth);
    assert_eq!(default("search", "limit"), 10);
    assert_eq!(default("search", "max_tokens"), 12_500);
    let suggest = ubp_core::manifest::SuggestDefaults::default();
    assert_eq!(default("suggest_links", "limit"), suggest.limit);
    assert_eq!(default("suggest_links", "threshold"), suggest.threshold);
}

#[test]
fn a_read_only_server_has_only_read_only_tools() {
    for row in
        choose(&[], Writing::No).unwrap().iter().chain(choose(&["all".into()], Writing::No).unwrap().iter())
    {
        assert_eq!(row.operation.facts.effect, Effect::Read, "{}", row.operation.name);
        assert_eq!(row.listed.annotations.as_ref().unwrap().read_only_hint, Some(true));
    }
}

#[test]
fn sets_and_names_choose_tools() {
    let core = named("core", false).unwrap();
    assert_eq!(core.len(), 6);
    assert_eq!(named("ubp_search,get_page,search", false).unwrap(), ["search", "get_page"]);
    assert_eq!(named("core,refs", false).unwrap().len(), 7);
    assert!(named("rebuild", true).unwrap() == ["rebuild"]);
    assert!(named("read,write", true).unwrap() == named("", true).unwrap());
    assert_eq!(named("memory", true).unwrap(), ["remember", "recall"]);
    assert_eq!(named("memory,search", false).unwrap(), ["search", "recall"]);
}

#[test]
fn tools_for_proposals_come_with_the_tools_that_propose() {
    let named = |chosen: &[&str], write| -> Vec<String> {
        let chosen: Vec<String> = chosen.iter().map(|name| (*name).to_owned()).collect();
        let rows = choose(&chosen, write).unwrap();
        rows.iter().map(|row| row.operation.name.to_owned()).collect()
    };
    let own = ["list_proposals", "get_proposal", "withdraw_proposal"];
    let (proposing, applying) = (named(&[], Writing::Propose), named(&[], Writing::Apply));
    assert!(own.iter().all(|name| proposing.iter().any(|one| one == name)), "{proposing:?}");
    assert_eq!(proposing.len(), applying.len() + own.len());
    assert!(!applying.iter().any(|name| own.contains(&name.as_str())), "{applying:?}");
    assert_eq!(named(&["update_page"], Writing::Propose).len(), 4);
    assert_eq!(named(&["search", "rebuild"], Writing::Propose), ["search", "rebuild"]);
    assert_eq!(
        named(&["write"], Writing::Apply).len() + own.len(),
        named(&["write"], Writing::Propose).len()
    );
    let refused = choose(&["get_proposal".into()], Writing::Apply).map(|_| ()).unwrap_err();
    assert!(refused.to_string().contains("needs --write=propose"), "{refused}");
    for row in choose(&[], Writing::Propose).unwrap().iter() {
        let has_reason = row
            .listed
            .input_schema
            .get("properties")
            .is_some_and(|properties| properties.get("reason").is_some());
        let changes = row.operation.facts.effect != Effect::Read;
        assert_eq!(
            has_reason,
            changes && row.operation.name != "withdraw_proposal",
            "{}",
            row.operation.name
        );
    }
}

#[test]
fn unknown_tools_and_sets_list_the_valid_ones() {
    let unknown = named("serach", false).unwrap_err();
    assert!(unknown.contains("'serach'") && unknown.contains("search"), "{unknown}");
    let forbidden = named("rebuild", false).unwrap_err();
    assert!(forbidden.contains("--write"), "{forbidden}");
    assert!(named("remember", false).unwrap_err().contains("--write"));
    assert!(named("evaluate", true).is_err());
}

/// The announced tools are part of the contract.
#[test]
fn the_tool_listing_matches_its_snapshot() {
    let mut listing = String::new();
    for row in choose(&["all".into()], Writing::Apply).unwrap().iter() {
        let tool = serde_json::to_value(&row.listed).unwrap();
        let hints = &tool["annotations"];
        let hint = |name: &str| hints[name].as_bool().unwrap_or(false);
        let effect = match (hint("readOnlyHint"), hint("destructiveHint")) {
            (true, _) => "reads",
            (_, true) => "takes away",
            _ => "writes",
        };
        writeln!(listing, "{} ({}), {effect}", row.listed.name, hints["title"].as_str().unwrap()).unwrap();
        for (name, property) in tool["inputSchema"]["properties"].as_object().into_iter().flatten() {
            let required = tool["inputSchema"]["required"].as_array();
            let required = required.is_some_and(|names| names.iter().any(|one| one == name));
            writeln!(listing, "  {name}{} {}", if required { "!" } else { "" }, brief(property)).unwrap();
        }
    }
    insta::assert_snapshot!(listing);
}

fn brief(property: &Value) -> String {
    let mut brief = property["type"].as_str().unwrap_or("any").to_owned();
    if let Some(items) = property.get("items") {
        write!(brief, " of {}", brief_type(items)).unwrap();
    }
    if let Some(values) = property["enum"].as_array() {
        let values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        write!(brief, " {}", values.join("|")).unwrap();
    }
    for (key, sign) in [("minimum", ">="), ("maximum", "<=")] {
        if let Some(bound) = property.get(key) {
            write!(brief, " {sign}{bound}").unwrap();
        }
    }
    brief
}

fn brief_type(schema: &Value) -> &str {
    schema["type"].as_str().unwrap_or("any")
}
