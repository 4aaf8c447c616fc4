//! `ubp graph`: which pages link to which.

use std::collections::{BTreeMap, HashMap};

use ubp_core::ops::get_graph::{self, GraphDirection, Output, Params};

use crate::args::{DirectionChoice, Format, Global, GraphArgs};
use crate::output::{CommandResult, Failure, counted};
use crate::session::{Session, Terminal, answer_with};

pub(crate) fn run(
    terminal: &mut Terminal<'_>,
    session: &Session,
    global: &Global,
    args: GraphArgs,
) -> CommandResult {
    let params = Params {
        page: args.page,
        depth: args.depth,
        direction: args.direction.map(direction),
        link_types: args.link_types,
        limit: args.limit,
        ..Params::default()
    };
    let output = session.read(terminal, global, |context| get_graph::run(context, params))?;
    let json = terminal.json || args.format == Some(Format::Json);
    answer_with(terminal, json, &output, print)
}

/// The direction that was chosen.
pub(super) fn direction(choice: DirectionChoice) -> GraphDirection {
    match choice {
        DirectionChoice::Outgoing => GraphDirection::Outgoing,
        DirectionChoice::Incoming => GraphDirection::Incoming,
        DirectionChoice::Both => GraphDirection::Both,
    }
}

fn print(terminal: &mut Terminal<'_>, output: &Output) -> Result<(), Failure> {
    let paint = terminal.out;
    let paths: HashMap<&str, String> =
        output.nodes.iter().map(|node| (node.id.as_str(), terminal.path(&node.page.filepath))).collect();
    let path = |id: &str| paths.get(id).map(String::as_str).unwrap_or_default();
    let mut outgoing: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    for edge in &output.edges {
        outgoing.entry(&edge.source).or_default().push((&edge.target, &edge.link_type));
    }
    for node in &output.nodes {
        let depth =
            node.depth.map(|depth| format!(" · {}", counted(depth, "hop", "hops"))).unwrap_or_default();
        let facts = paint.faint(format!("{}{depth}", counted(node.link_count, "link", "links")));
        terminal.line(format!("{}  {facts}", paint.path(path(&node.id))))?;
        for (target, link_type) in outgoing.get(node.id.as_str()).into_iter().flatten() {
            terminal.line(format!("  -> {} {}", path(target), paint.faint(format!("({link_type})"))))?;
        }
    }
    let footer = format!(
        "{} of {}, {}",
        output.nodes.len(),
        counted(output.total_nodes, "page", "pages"),
        counted(output.edges.len(), "link", "links")
    );
    let footer = terminal.err.faint(footer);
    terminal.note(footer);
    Ok(())
}
