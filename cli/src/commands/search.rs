//! `ubp search`: find pages.

use ubp_core::ops::search::{self, Explanation, Output, PageResult, Params, RelevanceReason, SearchType};
use ubp_core::search::SearchMode;

use crate::ExitStatus;
use crate::args::{Format, Global, SearchArgs};
use crate::output::{CommandResult, Failure, counted, printable};
use crate::session::{Session, Terminal, answer};

/// Pages that a terminal shows unless asked otherwise.
const LIMIT: usize = 5;

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: SearchArgs,
) -> CommandResult {
    let configured = session.project.manifest.search.limit;
    let params = Params {
        query: args.query.join(" "),
        limit: Some(args.limit.or(configured).unwrap_or(LIMIT)),
        mode: match (args.fulltext, args.mode) {
            (true, _) => Some(SearchMode::Fulltext),
            (false, mode) => mode.map(super::mode),
        },
        alpha: args.alpha,
        depth: args.depth,
        link_types: args.link_types,
        doc_types: args.doc_types,
        tags: args.tags,
        folder: args.folder,
        fields: args.fields.into_iter().collect(),
        content: args.content,
        include_linked: args.include_linked,
        explain: args.explain,
        max_tokens: args.max_tokens,
    };
    let output = session.read(terminal, global, |context| search::run(context, params))?;
    let json = terminal.json || args.format == Some(Format::Json);
    if args.paths && !json {
        for result in &output.results {
            terminal.line(terminal.path(&result.page.filepath))?;
        }
        return Ok(ExitStatus::Success);
    }
    answer(terminal, json, &output, print)
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    if output.results.is_empty() {
        terminal.note("nothing found; try other words, or `ubp list` to see what is there");
        return Ok(());
    }
    for (place, result) in output.results.iter().enumerate() {
        if place > 0 {
            terminal.line("")?;
        }
        print_result(terminal, result)?;
    }
    let shown = output.results.len();
    let by = kind(output.search_type);
    // Pages that links alone brought are not among those found by meaning or words.
    let mut footer = if shown >= output.total_found {
        format!("{}, {by}", counted(shown, "page", "pages"))
    } else {
        format!("{shown} of {} pages, {by}", output.total_found)
    };
    if output.index.pending > 0 {
        let waiting = counted(output.index.pending, "section without vectors", "sections without vectors");
        footer += &format!("; {waiting} yet, `ubp add` computes them");
    }
    if output.omitted.pages + output.omitted.sections > 0 || output.omitted.text_cut {
        footer += "; shortened to fit --max-tokens";
    }
    let footer = terminal.err.faint(footer);
    terminal.note(footer);
    Ok(())
}

fn kind(search_type: SearchType) -> &'static str {
    match search_type {
        SearchType::Hybrid => "by meaning and words",
        SearchType::Vector => "by meaning",
        SearchType::Fulltext => "by words",
        SearchType::FulltextFallback => "by words (no vectors for this query)",
    }
}

fn print_result(terminal: &mut Terminal<'_>, result: &PageResult) -> Result<(), Failure> {
    let paint = terminal.out;
    let parts = result.score_breakdown;
    let hops = result.hop_distance.filter(|hops| *hops > 0);
    let hops = hops.map(|hops| format!(", {} from the best", counted(hops, "hop", "hops")));
    let scores = paint.faint(format!(
        "{:.3}  vector {:.2}, words {:.2}, links {:.2}{}{}",
        result.score,
        parts.vector_similarity,
        parts.fulltext,
        parts.graph_proximity,
        hops.unwrap_or_default(),
        match result.relevance_reason {
            RelevanceReason::DirectLink => ", by a link",
            RelevanceReason::TwoHops => ", by two links",
            RelevanceReason::ThreeHops => ", by three links",
            _ => "",
        }
    ));
    let staleness = super::staleness_label(paint, result.page.staleness);
    terminal.line(format!("{}  {scores}{staleness}", paint.strong(printable(&result.page.title))))?;
    for section in &result.sections {
        let heading = if section.heading.is_empty() { &result.page.title } else { &section.heading };
        let place =
            format!("{}:{}", paint.path(terminal.path(&result.page.filepath)), paint.line(section.line));
        terminal.line(format!("{place}: {}", printable(heading)))?;
        for line in paint.highlighted(section.content.trim_end(), &section.highlights).lines() {
            terminal.line(format!("    {line}"))?;
        }
    }
    for linked in &result.linked_pages {
        let arrow = if linked.direction == "outlink" { "->" } else { "<-" };
        terminal.line(format!(
            "    {arrow} {} ({})",
            paint.path(terminal.path(&linked.page.filepath)),
            linked.link_type
        ))?;
    }
    if let Some(explanation) = &result.explanation {
        print_explanation(terminal, result, explanation)?;
    }
    Ok(())
}

/// How much of a long name a column takes.
const NAME: usize = 30;

/// The sum that ends in the score, one part a line, then the sections and the way of a lift.
fn print_explanation(
    terminal: &mut Terminal<'_>,
    result: &PageResult,
    why: &Explanation,
) -> Result<(), Failure> {
    let mut lines = vec!["why:".to_owned()];
    let parts = why.parts;
    let mut part = |name: &str, value: f64, how: String| {
        lines.push(format!("  {name:<17}{value:>7.4}  {how}").trim_end().to_owned());
    };
    if let Some(best) = why.sections.first() {
        let words_weight = 1.0 - best.vector_weight;
        if best.vector_weight > 0.0 && best.vector_similarity > 0.0 {
            let scaled = best.meaning / best.vector_weight;
            let how =
                format!("{:.2} x {scaled:.4}, cosine {:.4}", best.vector_weight, best.vector_similarity);
            part("meaning", parts.meaning, how);
        }
        let terms: Vec<String> = best.terms.iter().map(|t| format!("{} {:.4}", t.term, t.score)).collect();
        let terms = if terms.is_empty() { "none of them here".to_owned() } else { terms.join(", ") };
        if words_weight > 0.0 {
            part("words", parts.words, format!("{words_weight:.2} x {:.4}: {terms}", best.fulltext));
        }
        if why.section_count > 1 {
            let others = counted(why.section_count - 1, "section", "sections");
            part("further sections", parts.further_sections, format!("{others} of the page, too"));
        }
    }
    if parts.name != 0.0 {
        let how = if parts.name > 0.0 { "this is its name" } else { "left to what bears this name" };
        part("name", parts.name, how.into());
    }
    if let Some(lift) = &why.lifted_by {
        let how = format!(
            "{:.2} x ({:.4} from {} - {:.4} of its own)",
            1.0 - why.alpha,
            lift.passed,
            terminal.path(&lift.filepath),
            why.relevance
        );
        part("links", parts.links, how);
    }
    part("score", result.score, String::new());
    if !why.ignored_terms.is_empty() {
        lines.push(format!("too common to count: {}", why.ignored_terms.join(" ")));
    }
    if why.section_count > 1 {
        lines.push("sections:".into());
        for section in &why.sections {
            let terms: Vec<&str> = section.terms.iter().map(|t| t.term.as_str()).collect();
            let name = match section.name {
                0.0 => String::new(),
                name => format!(" + name {name:.4}"),
            };
            lines.push(
                format!(
                    "  {:<NAME$}  {:.4} = meaning {:.4} + words {:.4}{name}  {}",
                    section.section_id,
                    section.score,
                    section.meaning,
                    section.words,
                    terms.join(", ")
                )
                .trim_end()
                .to_owned(),
            );
        }
        let more = why.section_count - why.sections.len();
        if more > 0 {
            lines.push(format!("  and {more} more"));
        }
    }
    if let Some(lift) = &why.lifted_by {
        let mut way = terminal.path(&lift.filepath);
        for step in &lift.way {
            let arrow = if step.direction == "outlink" { "->" } else { "<-" };
            way += &format!(" {arrow} {} ({})", terminal.path(&step.filepath), step.link_type);
        }
        lines.push(format!("lifted: {way}: {:.4} of {:.4} arrives", lift.passed, lift.relevance));
    }
    for line in lines {
        let line = terminal.out.faint(printable(&line));
        terminal.line(format!("    {line}"))?;
    }
    Ok(())
}
