//! Shows the results of a search.

use super::{Explanation, Fallback, Output, PageResult, RelevanceReason, SearchType};
use crate::hint::Next;
use crate::ops::budget::MORE_ROOM;
use crate::ops::unmatched;
use crate::show::{Page, Span, counted};

/// Maximum width of a column of names.
const NAME: usize = 30;

/// Shows the results.
pub fn show(output: &Output, page: &mut dyn Page) {
    show_unmatched(output, page);
    if let Some(corrected) = &output.corrected_query {
        page.note(&[Span::Text(&format!("showing results for: {corrected}"))]);
    }
    if output.results.is_empty() {
        let words = if output.index.fresh {
            let list = page.voice().ask(&Next::call("list_pages"));
            let closest = Next::call("search").with("query", output.asked.as_str()).with("mode", "vector");
            match output.search_type {
                SearchType::Hybrid if output.unmatched.is_empty() => format!(
                    "nothing found: no page seems to be about this; try other words, {} for the closest pages \
                     nevertheless, or {list} for all pages",
                    page.voice().ask(&closest)
                ),
                _ => format!("nothing found; try other words, or {list} to list all pages"),
            }
        } else {
            "nothing found yet: the index is still being updated; try again in a moment".into()
        };
        page.note(&[Span::Text(&words)]);
        return;
    }
    for (place, result) in output.results.iter().enumerate() {
        if place > 0 {
            page.gap();
        }
        show_result(result, page);
    }
    if !output.nearby.is_empty() {
        page.gap();
        page.line(&[Span::Faint("near by links:")]);
    }
    for result in &output.nearby {
        show_nearby(result, page);
    }
    let shown = output.results.len() + output.nearby.len();
    let count = if shown == output.total_found {
        counted(shown, "page", "pages")
    } else {
        format!("{shown} of {} pages", output.total_found)
    };
    page.note(&[Span::Text(&format!("{count}, {}", evidence(output)))]);
    output.index.show_with_vectors(page);
    output.omitted.show(["page", "pages"], MORE_ROOM, page);
}

/// Shows the conditions and phrases that match no page.
pub fn show_unmatched(output: &Output, page: &mut dyn Page) {
    unmatched::show(&output.unmatched, page);
}

fn evidence(output: &Output) -> &'static str {
    match (output.search_type, output.fallback) {
        (SearchType::Hybrid, _) => "by meaning and words",
        (SearchType::Vector, _) => "by meaning",
        (SearchType::FulltextFallback, Some(Fallback::ModelMissing)) => {
            "by words alone: the embedding model is not on this machine"
        }
        (SearchType::FulltextFallback, Some(Fallback::UnknownScript)) => {
            "by words alone: the embedding model does not support the script of this query"
        }
        (SearchType::FulltextFallback, Some(Fallback::ModelUnreachable)) => {
            "by words alone: the server that computes vectors cannot be reached"
        }
        (SearchType::FulltextFallback, _) => "by words alone: vectors are still being computed",
        (SearchType::Fulltext, _) => "by words",
    }
}

/// One line, because the text of the page does not answer the query.
fn show_nearby(result: &PageResult, page: &mut dyn Page) {
    let scores = scores(result);
    page.line(&[
        Span::Path(&result.page.filepath),
        Span::Text(": "),
        Span::Words(&result.page.title),
        Span::Text("  "),
        Span::Faint(&scores),
        Span::Trust(result.page.staleness),
    ]);
    show_details(result, page);
}

/// The score and its parts.
fn scores(result: &PageResult) -> String {
    let parts = result.score_breakdown;
    let hops = result.hop_distance.filter(|hops| *hops > 0);
    let hops = hops.map(|hops| format!(", {} from the best", counted(hops, "hop", "hops")));
    let reason = match result.relevance_reason {
        RelevanceReason::DirectLink => ", by a link",
        RelevanceReason::TwoHops => ", by two links",
        RelevanceReason::ThreeHops => ", by three links",
        _ => "",
    };
    format!(
        "{:.3}  vector {:.2}, words {:.2}, links {:.2}{}{reason}",
        result.score,
        parts.vector_similarity,
        parts.fulltext,
        parts.graph_proximity,
        hops.unwrap_or_default(),
    )
}

fn show_result(result: &PageResult, page: &mut dyn Page) {
    let scores = scores(result);
    let path = &result.page.filepath;
    page.heading(&[
        Span::Title(&result.page.title),
        Span::Text("  "),
        Span::Faint(&scores),
        Span::Trust(result.page.staleness),
    ]);
    for section in &result.sections {
        // The title is on the line above.
        let below =
            section.heading.strip_prefix(&result.page.title).and_then(|rest| rest.strip_prefix(" > "));
        let heading = below.unwrap_or(&section.heading);
        let heading = if heading.is_empty() { &result.page.title } else { heading };
        page.line(&[Span::Place(path, section.line), Span::Text(": "), Span::Words(heading)]);
        page.handle("section", &section.section_id);
        page.quote(&section.content, &section.highlights);
    }
    show_details(result, page);
}

/// What was requested in addition: linked pages and the explanation.
fn show_details(result: &PageResult, page: &mut dyn Page) {
    for linked in &result.linked_pages {
        let arrow = if linked.direction == "outlink" { "-> " } else { "<- " };
        let kind = format!(" ({})", linked.link_type);
        page.detail(&[Span::Text(arrow), Span::Path(&linked.page.filepath), Span::Text(&kind)]);
    }
    if let Some(explanation) = &result.explanation {
        show_explanation(result, explanation, page);
    }
}

/// Shows the sum that gives the score, one part per line, then the sections and the path of links.
fn show_explanation(result: &PageResult, why: &Explanation, page: &mut dyn Page) {
    let mut lines = vec!["why:".to_owned()];
    let mut part = |name: &str, value: f64, how: &str| lines.push(format!("  {name:<17}{value:>7.4}  {how}"));
    let parts = why.parts;
    if let Some(best) = why.sections.first() {
        let words_weight = 1.0 - best.vector_weight;
        if best.vector_weight > 0.0 && best.vector_similarity > 0.0 {
            let (weight, scaled) = (best.vector_weight, best.meaning / best.vector_weight);
            part(
                "meaning",
                parts.meaning,
                &format!("{weight:.2} x {scaled:.4}, cosine {:.4}", best.vector_similarity),
            );
        }
        let terms: Vec<String> = best.terms.iter().map(|t| format!("{} {:.4}", t.term, t.score)).collect();
        let terms = if terms.is_empty() { "none of them here".to_owned() } else { terms.join(", ") };
        if words_weight > 0.0 {
            part("words", parts.words, &format!("{words_weight:.2} x {:.4}: {terms}", best.fulltext));
        }
        if why.section_count > 1 {
            let others = counted(why.section_count - 1, "section", "sections");
            part("further sections", parts.further_sections, &format!("{others} of the page, too"));
        }
    }
    if parts.name != 0.0 {
        let how = if parts.name > 0.0 { "its name fits" } else { "another name fits better" };
        part("name", parts.name, how);
    }
    if let Some(lift) = &why.lifted_by {
        let (share, own) = (1.0 - why.alpha, why.relevance);
        let how = format!("{share:.2} x ({:.4} from {} - {own:.4} of its own)", lift.passed, lift.filepath);
        part("links", parts.links, &how);
    }
    part("score", result.score, "");
    if !why.ignored_terms.is_empty() {
        lines.push(format!("too common to count: {}", why.ignored_terms.join(" ")));
    }
    if why.section_count > 1 {
        lines.push("sections:".into());
        for section in &why.sections {
            let terms: Vec<&str> = section.terms.iter().map(|t| t.term.as_str()).collect();
            let sign = if section.name < 0.0 { '-' } else { '+' };
            let name = match section.name {
                0.0 => String::new(),
                name => format!(" {sign} name {:.4}", name.abs()),
            };
            lines.push(format!(
                "  {:<NAME$}  {:.4} = meaning {:.4} + words {:.4}{name}  {}",
                section.section_id,
                section.score,
                section.meaning,
                section.words,
                terms.join(", ")
            ));
        }
        let more = why.section_count - why.sections.len();
        if more > 0 {
            lines.push(format!("  and {more} more"));
        }
    }
    if let Some(lift) = &why.lifted_by {
        let step = |step: &super::Step| {
            let arrow = if step.direction == "outlink" { "->" } else { "<-" };
            format!(" {arrow} {} ({})", step.filepath, step.link_type)
        };
        let way: String = lift.way.iter().map(step).collect();
        lines.push(format!(
            "lifted: {}{way}: {:.4} of {:.4} arrives",
            lift.filepath, lift.passed, lift.relevance
        ));
    }
    for line in lines {
        page.detail(&[Span::Faint(line.trim_end())]);
    }
}
