//! `textDocument/codeAction`: repairs of problems, and what one does with sections and links.

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionTriggerKind, Command,
    Diagnostic, NumberOrString, Uri,
};
use serde_json::{Value, json};
use ubp_core::editor::{self, OpenPage, Place, Referred};
use ubp_core::message;
use ubp_core::message::Message;
use ubp_core::ops::{create_page, list_templates, suggest_links};
use ubp_core::page::{Link, LinkKind};
use ubp_core::{Context, Result, path};

use super::commands;
use super::diagnostics::review_of;
use super::edits::Edits;
use super::requests::{Answer, Call, Subject};

/// Maximum number of headings that are offered in place of a missing one.
const MOST_HEADINGS: usize = 3;

/// What the actions are offered for.
struct Request<'a> {
    call: &'a Call<'a>,
    context: &'a Context<'a>,
    subject: &'a Subject,
    open: &'a OpenPage,
    uri: &'a Uri,
    found: Vec<CodeActionOrCommand>,
}

pub(super) fn actions(call: &Call<'_>, params: CodeActionParams) -> Answer<Option<Vec<CodeActionOrCommand>>> {
    let uri = params.text_document.uri;
    let wants = |kind: &CodeActionKind| {
        let only = params.context.only.as_ref();
        only.is_none_or(|only| only.iter().any(|wanted| is_within(kind.as_str(), wanted.as_str())))
    };
    call.on_page(&uri, |context, subject, open| {
        let range = call.lines(&open.text).bytes(params.range);
        let mut request = Request { call, context, subject, open, uri: &uri, found: Vec::new() };
        if wants(&CodeActionKind::QUICKFIX) {
            for diagnostic in &params.context.diagnostics {
                request.repair(diagnostic)?;
            }
            if let Some(link) = open.link_at(range.start) {
                request.link_back(link)?;
            }
            if params.context.trigger_kind != Some(CodeActionTriggerKind::AUTOMATIC) {
                request.mentions(range.start)?;
            }
        }
        if wants(&CodeActionKind::REFACTOR_EXTRACT) {
            request.extract(range.clone())?;
        }
        if wants(&CodeActionKind::REFACTOR_INLINE)
            && let Some(link) = open.link_at(range.start).filter(|link| link.kind == LinkKind::Embed)
        {
            request.inline(link)?;
        }
        Ok(Some(request.found))
    })
}

/// Whether a kind of actions is `wanted`, or below it: `refactor` has `refactor.extract`.
fn is_within(kind: &str, wanted: &str) -> bool {
    let rest = kind.strip_prefix(wanted);
    rest.is_some_and(|rest| wanted.is_empty() || rest.is_empty() || rest.starts_with('.'))
}

impl Request<'_> {
    fn told(&self, title: &Message) -> String {
        title.in_language(self.call.server.abilities().language)
    }

    fn command(&mut self, title: &Message, fixes: Option<&Diagnostic>, command: &str, arguments: Vec<Value>) {
        if !self.call.server.may_write() {
            return;
        }
        let title = self.told(title);
        let command = Command { title: title.clone(), command: command.into(), arguments: Some(arguments) };
        self.found.push(CodeActionOrCommand::CodeAction(CodeAction {
            title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: fixes.map(|fixed| vec![fixed.clone()]),
            command: Some(command),
            ..Default::default()
        }));
    }

    fn edit(&mut self, title: &Message, kind: CodeActionKind, fixes: Option<&Diagnostic>, edits: Edits<'_>) {
        let title = self.told(title);
        self.found.extend(edits.finish().map(|edit| {
            CodeActionOrCommand::CodeAction(CodeAction {
                title,
                kind: Some(kind),
                diagnostics: fixes.map(|fixed| vec![fixed.clone()]),
                edit: Some(edit),
                ..Default::default()
            })
        }));
    }

    fn repair(&mut self, diagnostic: &Diagnostic) -> Result<()> {
        let Some(NumberOrString::String(code)) = &diagnostic.code else { return Ok(()) };
        let range = self.call.lines(&self.open.text).bytes(diagnostic.range);
        let link = || self.open.page.links.iter().find(|link| link.range == range);
        match code.as_str() {
            "unresolved_link" => {
                let Some(link) = link().filter(|link| link.kind != LinkKind::Markdown) else { return Ok(()) };
                self.create(link, diagnostic)
            }
            "missing_heading" => {
                let Some(link) = link() else { return Ok(()) };
                self.other_headings(link, diagnostic)
            }
            "stale_section" | "stale_page" => {
                let Some(name) = review_of(diagnostic) else { return Ok(()) };
                let heading = name.strip_prefix(&format!("{}#", self.open.path));
                let title = match heading {
                    Some(heading) => message!("Mark '{heading}' as reviewed", heading),
                    None => message!("Mark the page as reviewed"),
                };
                let arguments = vec![json!(self.uri), json!(heading)];
                self.command(&title, Some(diagnostic), commands::REVIEW, arguments);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn create(&mut self, link: &Link, diagnostic: &Diagnostic) -> Result<()> {
        let name = link.target.split('#').next().unwrap_or_default().trim();
        if name.is_empty() {
            return Ok(());
        }
        let title = path::page_name(name).to_owned();
        // A name with folders is a path: the page has to be there for the link to lead to it.
        let path = name.contains('/').then(|| format!("{}.md", path::without_page_extension(name)));
        let arguments =
            |template: Option<&str>| vec![json!(self.uri), json!(title), json!(template), json!(path)];
        let plain = arguments(None);
        let templates = list_templates::run(self.context, list_templates::Params {})?.templates;
        let from: Vec<_> = templates
            .iter()
            .filter(|template| template.problem.is_none())
            .map(|template| (template.template.name.clone(), arguments(Some(&template.template.name))))
            .collect();
        let told = message!("Create the page '{title}'", title = &title);
        self.command(&told, Some(diagnostic), commands::CREATE_PAGE, plain);
        for (template, arguments) in from {
            let told = message!(
                "Create the page '{title}' from the template '{template}'",
                title = &title,
                template
            );
            self.command(&told, Some(diagnostic), commands::CREATE_PAGE, arguments);
        }
        Ok(())
    }

    /// Offers the headings of the page that are most like the missing one.
    fn other_headings(&mut self, link: &Link, diagnostic: &Diagnostic) -> Result<()> {
        let place = editor::place(self.context, &self.subject.drafts, self.open, link)?;
        let Place::Page(place) = place else { return Ok(()) };
        let Some(anchor) = place.anchor else { return Ok(()) };
        let target = OpenPage::of(self.context, &self.subject.drafts, &place.path)?;
        let written = self.open.text.get(link.range.clone()).unwrap_or_default();
        let last = anchor.rsplit('#').next().unwrap_or(&anchor);
        let Some(at) = written.find(&format!("#{last}")) else { return Ok(()) };
        let start = link.range.start + at + 1;
        for heading in editor::closest_headings(&target, last, MOST_HEADINGS, link.kind) {
            let mut edits = Edits::new(self.call);
            let range = start..start + last.len();
            edits.replace(&self.subject.served, &self.open.path, &self.open.text, [(range, heading.clone())]);
            let title = message!("Change to '#{heading}'", heading);
            self.edit(&title, CodeActionKind::QUICKFIX, Some(diagnostic), edits);
        }
        Ok(())
    }

    /// Offers a link back, at the end of the page that the link leads to.
    fn link_back(&mut self, link: &Link) -> Result<()> {
        let drafts = &self.subject.drafts;
        let Place::Page(place) = editor::place(self.context, drafts, self.open, link)? else { return Ok(()) };
        if place.path == self.open.path {
            return Ok(());
        }
        let back = editor::references(self.context, drafts, Referred::Page(&self.open.path))?;
        if back.iter().any(|reference| reference.path == place.path) {
            return Ok(());
        }
        let target = OpenPage::of(self.context, drafts, &place.path)?;
        let end = target.text.len();
        let name = editor::link_name(self.context, &target, &self.open.path)?;
        let before = if target.text.is_empty() || target.text.ends_with('\n') { "" } else { "\n" };
        let mut edits = Edits::new(self.call);
        let line = format!("{before}\n[[{name}]]\n");
        edits.replace(&self.subject.served, &target.path, &target.text, [(end..end, line)]);
        let title = message!("Add a link back on '{page}'", page = target.title());
        self.edit(&title, CodeActionKind::QUICKFIX, None, edits);
        Ok(())
    }

    /// Offers links for names of pages that the line mentions. They are found in the file: with unsaved changes there are none.
    fn mentions(&mut self, offset: usize) -> Result<()> {
        let Ok(saved) = self.context.source.read(&self.open.path) else { return Ok(()) };
        if saved != self.open.text.as_bytes() {
            return Ok(());
        }
        let line = self.call.lines(&self.open.text).position(offset).line as usize + 1;
        let params = suggest_links::Params { page: Some(self.open.path.clone()), ..Default::default() };
        let found = suggest_links::run(self.context, params)?;
        for mention in found.mentions.iter().filter(|mention| mention.place.line == line) {
            let (text, page) = (&mention.place.text, &mention.target.title);
            let title = message!("Link '{text}' to '{page}'", text, page);
            let arguments = vec![json!(self.uri), json!(mention.target.filepath), json!(line)];
            self.command(&title, None, commands::ACCEPT, arguments);
        }
        Ok(())
    }

    /// Offers to move the selection, or the section whose heading has the cursor, to a page of its own.
    fn extract(&mut self, selected: std::ops::Range<usize>) -> Result<()> {
        if !self.call.server.abilities().creates_files {
            return Ok(());
        }
        let (range, heading) = if selected.is_empty() {
            let Some(section) = self.open.section_at(selected.start).filter(|section| section.level > 1)
            else {
                return Ok(());
            };
            if selected.start > self.open.line(section.lines.0).end {
                return Ok(());
            }
            let below =
                self.open.page.sections.iter().skip_while(|other| other.range.start <= section.range.start);
            let end =
                below.take_while(|other| other.level > section.level).map(|other| other.range.end).last();
            (section.range.start..end.unwrap_or(section.range.end), Some(section.heading.clone()))
        } else {
            (selected, None)
        };
        if range.start < self.open.page.front_matter.range.end {
            return Ok(());
        }
        let piece = self.open.text.get(range.clone()).unwrap_or_default();
        let words = piece.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).take(5).collect();
        let title = heading.clone().filter(|heading| !heading.is_empty()).unwrap_or_else(|| words.join(" "));
        if title.is_empty() {
            return Ok(());
        }
        let folder = path::folder(&self.open.path).to_owned();
        let params = create_page::Params {
            title: title.clone(),
            folder: Some(folder),
            dry_run: true,
            ..Default::default()
        };
        // The name may be taken.
        let Ok(created) = create_page::run(self.context, params) else { return Ok(()) };
        let path = &created.edited.page.filepath;
        // Other names lead to other pages, or are cut off in a link.
        let has_own_name =
            created.same_name.is_empty() && !title.contains(['#', '|', '[', ']', '^', '/', '\\']);
        let name = if has_own_name { title.as_str() } else { path::without_page_extension(path) };
        let body = match &heading {
            Some(_) => piece.split_once(['\n', '\r']).map(|(_, body)| body).unwrap_or_default(),
            None => piece,
        };
        let text = format!("# {title}\n\n{}\n", body.trim());
        let left = match heading {
            Some(_) => {
                let line = piece.split(['\n', '\r']).next().unwrap_or_default();
                format!("{line}\n\n[[{name}]]\n\n")
            }
            None => format!("[[{name}]]"),
        };
        let mut edits = Edits::new(self.call);
        edits.create(&self.subject.served, path, text);
        edits.replace(&self.subject.served, &self.open.path, &self.open.text, [(range, left)]);
        let told = message!("Extract to the page '{title}'", title);
        self.edit(&told, CodeActionKind::REFACTOR_EXTRACT, None, edits);
        Ok(())
    }

    /// Offers the text of an embedded page in place of the link.
    fn inline(&mut self, link: &Link) -> Result<()> {
        let drafts = &self.subject.drafts;
        let Place::Page(place) = editor::place(self.context, drafts, self.open, link)? else { return Ok(()) };
        let Some(line) = place.line.filter(|_| place.path != self.open.path) else { return Ok(()) };
        let target = OpenPage::of(self.context, drafts, &place.path)?;
        let text = match &place.anchor {
            None => target.text.get(target.page.front_matter.range.end..),
            Some(anchor) if anchor.contains('^') => target.text.get(target.line(line)),
            Some(_) => target
                .section_at(target.line(line).start)
                .and_then(|section| target.text.get(section.range.clone())),
        };
        let text = text.unwrap_or_default().trim().to_owned();
        let mut edits = Edits::new(self.call);
        edits.replace(&self.subject.served, &self.open.path, &self.open.text, [(link.range.clone(), text)]);
        let title = message!("Replace with the text of '{page}'", page = target.title());
        self.edit(&title, CodeActionKind::REFACTOR_INLINE, None, edits);
        Ok(())
    }
}
