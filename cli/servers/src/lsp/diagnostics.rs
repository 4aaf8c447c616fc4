//! Diagnostics: of one page while it is typed, and of all pages.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lsp_types::notification::PublishDiagnostics;
use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticSeverity, DocumentDiagnosticParams, DocumentDiagnosticReport,
    DocumentDiagnosticReportResult, FullDocumentDiagnosticReport, NumberOrString, PublishDiagnosticsParams,
    RelatedFullDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport, Uri, WorkspaceDiagnosticParams,
    WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport, WorkspaceUnchangedDocumentDiagnosticReport,
};
use serde_json::json;
use ubp_core::editor::{self, OpenPage, TextFinding};
use ubp_core::message::Language;
use ubp_core::ops::doctor::{self, Finding, Severity};
use ubp_core::progress::{Cancel, Silent};
use ubp_core::{Caller, Context, Result};

use super::position::Lines;
use super::projects::{Named, Served};
use super::requests::{Answer, Call, Subject};
use super::server::Server;
use super::uri;

/// Where the codes are explained.
const CODES: &str = "https://github.com/unified-blueprint/ubp/blob/main/docs/editors.md#problems";

/// Problems that concern more than one page. What is typed in one does not change them: they come with the look at all pages.
const OF_ALL: [&str; 6] =
    ["dependency_cycle", "duplicate_title", "duplicate_text", "contested_id", "orphan_page", "own_page_type"];

/// What a code action needs to know of a diagnostic.
pub(super) fn review_of(diagnostic: &Diagnostic) -> Option<String> {
    diagnostic.data.as_ref()?.get("review")?.as_str().map(str::to_owned)
}

fn diagnostic(lines: &Lines<'_>, found: &TextFinding, language: Language) -> Diagnostic {
    let TextFinding { range, finding, review } = found;
    let mut own = told(finding, language);
    own.range = lines.range(range.clone());
    own.data = review.as_ref().map(|name| json!({ "review": name }));
    own
}

fn told(finding: &Finding, language: Language) -> Diagnostic {
    let mut message = finding.message.in_language(language);
    if let Some(hint) = &finding.hint {
        message = format!("{message}\n{}", hint.in_language(language));
    }
    Diagnostic {
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.code.clone())),
        code_description: CODES.parse().ok().map(|href| CodeDescription { href }),
        source: Some("ubp".into()),
        message,
        ..Default::default()
    }
}

pub(super) fn of_page(
    call: &Call<'_>,
    context: &Context<'_>,
    subject: &Subject,
    open: &OpenPage,
) -> Result<Vec<Diagnostic>> {
    let lines = call.lines(&open.text);
    let language = call.server.abilities().language;
    let stale = subject.served.changed_sources(context, open)?;
    let found = editor::findings(context, &subject.drafts, open, &stale)?;
    let mut all: Vec<Diagnostic> = found.iter().map(|found| diagnostic(&lines, found, language)).collect();
    all.extend(subject.served.findings(&open.path).iter().map(|finding| {
        let mut own = told(finding, language);
        own.range = lines.range(open.line(finding.line.unwrap_or(1)));
        own
    }));
    Ok(all)
}

/// Problems of all pages, and their claims about code that are not true any more.
fn all_findings(context: &Context<'_>) -> Result<Vec<Finding>> {
    let mut findings = doctor::run(context, doctor::Params::default())?.findings;
    let claims = doctor::Params { claims: true, ..Default::default() };
    findings.extend(doctor::run(context, claims)?.findings);
    Ok(findings)
}

/// Looks at all pages for problems that concern more than one page, and for claims about code that are not true any more.
pub(super) fn look_at_all(served: &Served) {
    // After an error, the next change brings another look.
    let Ok(found) = served.live.with(Caller::Person, &Silent, &Cancel::default(), all_findings) else {
        return;
    };
    let is_of_all = |finding: &Finding| finding.claim.is_some() || OF_ALL.contains(&finding.code.as_str());
    let mut by_page: BTreeMap<String, Vec<Finding>> = BTreeMap::new();
    for finding in found.into_iter().filter(is_of_all) {
        if let Some(page) = finding.filepath.clone() {
            by_page.entry(page).or_default().push(finding);
        }
    }
    served.set_findings(Some(by_page));
}

pub(super) fn of_document(
    call: &Call<'_>,
    params: DocumentDiagnosticParams,
) -> Answer<DocumentDiagnosticReportResult> {
    let items = call
        .on_page(&params.text_document.uri, |context, subject, open| of_page(call, context, subject, open))?;
    let report = FullDocumentDiagnosticReport { result_id: None, items };
    Ok(DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(
        RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: report,
        },
    )))
}

/// Problems of every page. Those of open pages are of their text, and of all pages together.
pub(super) fn of_workspace(
    call: &Call<'_>,
    params: WorkspaceDiagnosticParams,
) -> Answer<WorkspaceDiagnosticReportResult> {
    let language = call.server.abilities().language;
    let mut before: BTreeMap<PathBuf, (Uri, String)> = BTreeMap::new();
    for known in params.previous_result_ids {
        before.extend(uri::path_of(known.uri.as_str()).map(|path| (path, (known.uri, known.value))));
    }
    let mut items = Vec::new();
    for served in call.server.projects.all_opened() {
        let drafts = served.drafts(&call.documents().all());
        let findings = call.fresh(&served, all_findings)?;
        let mut by_page: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
        for finding in findings {
            let Some(page) = finding.filepath.clone() else { continue };
            // Of an open page, the text on the screen counts.
            if drafts.get(&page).is_some() {
                continue;
            }
            let mut own = told(&finding, language);
            let text = std::fs::read_to_string(served.page_path(&page)).unwrap_or_default();
            own.range = call.lines(&text).whole(finding.line.unwrap_or(1));
            by_page.entry(page).or_default().push(own);
        }
        for (page, _) in drafts.iter() {
            let Some(uri) = served.page_uri(page) else { continue };
            let Some(subject) = call.subject(&uri)? else { continue };
            let own = call.at_once(&subject, |context| {
                of_page(call, context, &subject, &OpenPage::of(context, &drafts, page)?)
            })?;
            by_page.entry(page.to_owned()).or_default().extend(own);
        }
        for (page, found) in by_page {
            let path = served.page_path(&page);
            let known = before.remove(&path);
            items.extend(served.page_uri(&page).map(|uri| {
                let version = call.documents().get(&path).map(|document| i64::from(document.version));
                report(uri, version, found, known.map(|(_, id)| id).as_deref())
            }));
        }
    }
    // Clients keep what they were told last of pages that are not told of.
    items.extend(before.into_values().map(|(uri, _)| report(uri, None, Vec::new(), None)));
    Ok(WorkspaceDiagnosticReportResult::Report(WorkspaceDiagnosticReport { items }))
}

/// The problems of a page, unless they are the ones that `known` stands for.
fn report(
    uri: Uri,
    version: Option<i64>,
    items: Vec<Diagnostic>,
    known: Option<&str>,
) -> WorkspaceDocumentDiagnosticReport {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(&items).unwrap_or_default().hash(&mut hasher);
    let id = format!("{:016x}", hasher.finish());
    if known == Some(id.as_str()) {
        return WorkspaceDocumentDiagnosticReport::Unchanged(WorkspaceUnchangedDocumentDiagnosticReport {
            uri,
            version,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id: id },
        });
    }
    // An id of nothing would be asked about forever.
    let result_id = (!items.is_empty()).then_some(id);
    WorkspaceDocumentDiagnosticReport::Full(WorkspaceFullDocumentDiagnosticReport {
        uri,
        version,
        full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id, items },
    })
}

/// Sends the problems of an open document.
pub(super) fn publish(server: &Server, path: &Path) {
    let Some(document) = server.documents.get(path) else { return };
    let cancel = Cancel::default();
    let call = Call { server, cancel: &cancel };
    let Ok(Some(Subject { served, named: Named::Page(_), .. })) = call.subject(&document.uri) else { return };
    // All documents are due once it is.
    if !served.indexed.load(Ordering::Relaxed) {
        return;
    }
    let found = call.on_page(&document.uri, |context, subject, open| of_page(&call, context, subject, open));
    // What failed now may not fail after the next change; what was told before stays.
    let Ok(diagnostics) = found else { return };
    // Another change came in the meantime, or it was closed: the next look tells.
    if server.documents.get(path).is_some_and(|now| Arc::ptr_eq(&now, &document)) {
        server.client.notify::<PublishDiagnostics>(&PublishDiagnosticsParams {
            uri: document.uri.clone(),
            diagnostics,
            version: Some(document.version),
        });
    }
}

/// Takes back the problems of a document that was closed.
pub(super) fn clear(server: &Server, uri: Uri) {
    if !server.abilities().pulls && uri::path_of(uri.as_str()).is_some() {
        let params = PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None };
        server.client.notify::<PublishDiagnostics>(&params);
    }
}
