//! Shows the results of a search.

use super::{Explanation, Fallback, Output, PageResult, RelevanceReason, SearchType};
use crate::hint::Next;
use crate::message;
use crate::message::Message;
use crate::ops::budget::more_room;
use crate::ops::unmatched;
use crate::show::{Page, Span, counted};

/// Maximum width of a column of names.
const NAME: usize = 30;

/// Shows the results.
pub fn show(output: &Output, page: &mut dyn Page) {
    show_unmatched(output, page);
    if let Some(corrected) = &output.corrected_query {
        page.note(&[Span::said(&message!("showing results for: {corrected}", corrected))]);
    }
    if output.results.is_empty() {
        let words = if output.index.fresh {
            let list = Next::call("list_pages");
            let closest = Next::call("search").with("query", output.asked.as_str()).with("mode", "vector");
            match output.search_type {
                SearchType::Hybrid if output.unmatched.is_empty() => message!(
                    "nothing found: no page seems to be about this; try other words, {closest} for the closest pages \
                     nevertheless, or {list} for all pages",
                    closest,
                    list
                ),
                _ => message!("nothing found; try other words, or {list} to list all pages", list),
            }
        } else {
            message!("nothing found yet: the index is still being updated; try again in a moment")
        };
        page.note(&[Span::said(&words)]);
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
        page.line(&[Span::faint(&message!("near by links:"))]);
    }
    for result in &output.nearby {
        show_nearby(result, page);
    }
    let shown = output.results.len() + output.nearby.len();
    let count = if shown == output.total_found {
        counted(shown, "page", "pages")
    } else {
        message!("{shown} of {total} pages", shown, total = output.total_found)
    };
    page.note(&[Span::said(&message!("{count}, {how}", count, how = evidence(output)))]);
    output.index.show_with_vectors(page);
    output.omitted.show(|count| counted(count, "page", "pages"), more_room(), page);
}

/// Shows the conditions and phrases that match no page.
pub fn show_unmatched(output: &Output, page: &mut dyn Page) {
    unmatched::show(&output.unmatched, page);
}

fn evidence(output: &Output) -> Message {
    match (output.search_type, output.fallback) {
        (SearchType::Hybrid, _) => message!("by meaning and words"),
        (SearchType::Vector, _) => message!("by meaning"),
        (SearchType::FulltextFallback, Some(Fallback::ModelMissing)) => {
            message!("by words alone: the embedding model is not on this machine")
        }
        (SearchType::FulltextFallback, Some(Fallback::UnknownScript)) => {
            message!("by words alone: the embedding model does not support the script of this query")
        }
        (SearchType::FulltextFallback, Some(Fallback::ModelUnreachable)) => {
            message!("by words alone: the server that computes vectors cannot be reached")
        }
        (SearchType::FulltextFallback, _) => message!("by words alone: vectors are still being computed"),
        (SearchType::Fulltext, _) => message!("by words"),
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
        Span::faint(&scores),
        Span::Trust(result.page.staleness),
    ]);
    show_details(result, page);
}

/// The score and its parts.
fn scores(result: &PageResult) -> Message {
    let parts = result.score_breakdown;
    let mut told = vec![message!(
        "{score}  vector {vector}, words {words}, links {links}",
        score = format!("{:.3}", result.score),
        vector = format!("{:.2}", parts.vector_similarity),
        words = format!("{:.2}", parts.fulltext),
        links = format!("{:.2}", parts.graph_proximity)
    )];
    if let Some(hops) = result.hop_distance.filter(|hops| *hops > 0) {
        told.push(counted(hops, "hop from the best", "hops from the best"));
    }
    match result.relevance_reason {
        RelevanceReason::DirectLink => told.push(message!("by a link")),
        RelevanceReason::TwoHops => told.push(message!("by two links")),
        RelevanceReason::ThreeHops => told.push(message!("by three links")),
        _ => {}
    }
    Message::joined(told, ", ")
}

fn show_result(result: &PageResult, page: &mut dyn Page) {
    let scores = scores(result);
    let path = &result.page.filepath;
    page.heading(&[
        Span::Title(&result.page.title),
        Span::Text("  "),
        Span::faint(&scores),
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
    let mut lines = vec![message!("why:")];
    let parts = why.parts;
    if let Some(best) = why.sections.first() {
        let words_weight = 1.0 - best.vector_weight;
        if best.vector_weight > 0.0 && best.vector_similarity > 0.0 {
            let (weight, scaled) = (best.vector_weight, best.meaning / best.vector_weight);
            let how = message!(
                "{product}, cosine {cosine}",
                product = format!("{weight:.2} x {scaled:.4}"),
                cosine = format!("{:.4}", best.vector_similarity)
            );
            lines.push(part(page, message!("meaning"), parts.meaning, how));
        }
        let terms: Vec<String> = best.terms.iter().map(|t| format!("{} {:.4}", t.term, t.score)).collect();
        if words_weight > 0.0 {
            let product = format!("{words_weight:.2} x {:.4}", best.fulltext);
            let how = match terms.is_empty() {
                true => message!("{product}: none of them here", product),
                false => Message::verbatim(format!("{product}: {}", terms.join(", "))),
            };
            lines.push(part(page, message!("words"), parts.words, how));
        }
        if why.section_count > 1 {
            let how = counted(why.section_count - 1, "section of the page, too", "sections of the page, too");
            lines.push(part(page, message!("further sections"), parts.further_sections, how));
        }
    }
    if parts.name != 0.0 {
        let how = match parts.name > 0.0 {
            true => message!("its name fits"),
            false => message!("another name fits better"),
        };
        lines.push(part(page, message!("name"), parts.name, how));
    }
    if let Some(lift) = &why.lifted_by {
        let (share, own) = (1.0 - why.alpha, why.relevance);
        let how = message!(
            "{share} x ({passed} from {path} - {own} of its own)",
            share = format!("{share:.2}"),
            passed = format!("{:.4}", lift.passed),
            path = lift.filepath,
            own = format!("{own:.4}")
        );
        lines.push(part(page, message!("links"), parts.links, how));
    }
    lines.push(part(page, message!("score"), result.score, Message::verbatim("")));
    if !why.ignored_terms.is_empty() {
        lines.push(message!("too common to count: {terms}", terms = why.ignored_terms.join(" ")));
    }
    if why.section_count > 1 {
        lines.push(message!("sections:"));
        for section in &why.sections {
            let terms: Vec<&str> = section.terms.iter().map(|t| t.term.as_str()).collect();
            let sign = if section.name < 0.0 { '-' } else { '+' };
            let sum = message!(
                "{score} = meaning {meaning} + words {words}",
                score = format!("{:.4}", section.score),
                meaning = format!("{:.4}", section.meaning),
                words = format!("{:.4}", section.words)
            );
            let sum = match section.name {
                0.0 => sum,
                name => {
                    let name = format!("{:.4}", name.abs());
                    message!("{sum} {sign} name {name}", sum, sign, name)
                }
            };
            let id = format!("  {:<NAME$}  ", section.section_id);
            let terms = format!("  {}", terms.join(", "));
            lines.push(Message::joined(vec![Message::verbatim(id), sum, Message::verbatim(terms)], ""));
        }
        let more = why.section_count - why.sections.len();
        if more > 0 {
            lines.push(message!("  and {more} more", more));
        }
    }
    if let Some(lift) = &why.lifted_by {
        let step = |step: &super::Step| {
            let arrow = if step.direction == "outlink" { "->" } else { "<-" };
            format!(" {arrow} {} ({})", step.filepath, step.link_type)
        };
        let way: String = lift.way.iter().map(step).collect();
        lines.push(message!(
            "lifted: {way}: {passed} of {relevance} arrives",
            way = format!("{}{way}", lift.filepath),
            passed = format!("{:.4}", lift.passed),
            relevance = format!("{:.4}", lift.relevance)
        ));
    }
    for line in lines {
        page.detail(&[Span::Faint(line.told(page.voice()).trim_end())]);
    }
}

/// A part of the sum: its name in a column, its value, and how it came about.
fn part(page: &dyn Page, name: Message, value: f64, how: Message) -> Message {
    let name = page.padded(&name, 17);
    Message::joined(vec![Message::verbatim(format!("  {name}{value:>7.4}  ")), how], "")
}
