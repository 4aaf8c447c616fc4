//! What the server tells the editor that it can do.

use lsp_types::{
    CallHierarchyServerCapability, CodeActionKind, CodeActionOptions, CodeActionProviderCapability,
    CodeLensOptions, CompletionOptions, DiagnosticOptions, DiagnosticServerCapabilities, DocumentLinkOptions,
    ExecuteCommandOptions, FileOperationFilter, FileOperationPattern, FileOperationPatternKind,
    FileOperationRegistrationOptions, FoldingRangeProviderCapability, HoverProviderCapability,
    InitializeResult, OneOf, RenameOptions, SemanticTokensFullOptions, SemanticTokensLegend,
    SemanticTokensOptions, SemanticTokensServerCapabilities, ServerCapabilities, ServerInfo,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkDoneProgressOptions, WorkspaceFileOperationsServerCapabilities, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};
use serde_json::Value;

use super::client::Abilities;
use super::{commands, tokens};

/// The answer to `initialize`.
pub(super) fn told(abilities: &Abilities) -> Value {
    let all_files = FileOperationRegistrationOptions {
        filters: [FileOperationPatternKind::File, FileOperationPatternKind::Folder]
            .into_iter()
            .map(|kind| FileOperationFilter {
                scheme: Some("file".into()),
                pattern: FileOperationPattern { glob: "**/*".into(), matches: Some(kind), options: None },
            })
            .collect(),
    };
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..Default::default()
    };
    let diagnostics = DiagnosticOptions {
        identifier: Some("ubp".into()),
        inter_file_dependencies: true,
        workspace_diagnostics: true,
        ..Default::default()
    };
    let kinds =
        vec![CodeActionKind::QUICKFIX, CodeActionKind::REFACTOR_EXTRACT, CodeActionKind::REFACTOR_INLINE];
    let capabilities = ServerCapabilities {
        position_encoding: Some(abilities.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        completion_provider: Some(CompletionOptions {
            resolve_provider: Some(true),
            trigger_characters: Some(["[", "#", "|", "^", "/", "("].map(str::to_owned).to_vec()),
            ..Default::default()
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(kinds),
            ..Default::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: None }),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: None,
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::ALL.map(str::to_owned).to_vec(),
            ..Default::default()
        }),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(
            SemanticTokensOptions {
                legend: SemanticTokensLegend {
                    token_types: tokens::TYPES.map(Into::into).to_vec(),
                    token_modifiers: tokens::MODIFIERS.map(Into::into).to_vec(),
                },
                range: Some(true),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..Default::default()
            },
        )),
        diagnostic_provider: abilities.pulls.then_some(DiagnosticServerCapabilities::Options(diagnostics)),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: Some(WorkspaceFileOperationsServerCapabilities {
                will_rename: Some(all_files.clone()),
                did_rename: Some(all_files.clone()),
                did_create: Some(all_files.clone()),
                did_delete: Some(all_files),
                ..Default::default()
            }),
        }),
        ..Default::default()
    };
    let info = ServerInfo { name: "ubp".into(), version: Some(env!("CARGO_PKG_VERSION").into()) };
    let result = InitializeResult { capabilities, server_info: Some(info) };
    serde_json::to_value(result).unwrap_or_default()
}
