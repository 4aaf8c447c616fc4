// Generated from the schemas of the operation table; do not edit. To regenerate:
// UBP_UPDATE=1 cargo test -p ubp-tests --no-default-features contract

/** The parameters and the output of each operation. */
export interface Operations {
  /** Find pages on a subject or question, by meaning, words and links; returns the matching sections. Start here. */
  search: { params: SearchParams; output: SearchOutput };
  /** Complete the name of a page: the letters must occur in this order in its title, alias or path. */
  complete: { params: CompleteParams; output: CompleteOutput };
  /** Find sections by exact words, identifiers or "phrases": when you know what the text says. */
  fulltext_search: { params: FulltextSearchParams; output: FulltextSearchOutput };
  /** Read a page or one section: text, links both ways, freshness. */
  get_page: { params: GetPageParams; output: GetPageOutput };
  /** Read a page with summaries of linked pages, to grasp a subject in one call. */
  get_context: { params: GetContextParams; output: GetContextOutput };
  /** List pages with their types, times, link counts and freshness. */
  list_pages: { params: ListPagesParams; output: ListPagesOutput };
  /** Read one page as HTML that is safe to show, with its headings and its address on a site. */
  render_page: { params: RenderPageParams; output: RenderPageOutput };
  /** Render Markdown as a part of a page, before it is saved, as HTML that is safe to show. */
  render_part: { params: RenderPartParams; output: RenderPartOutput };
  /** Show which pages link to which, around a page or everywhere. */
  get_graph: { params: GetGraphParams; output: GetGraphOutput };
  /** List the pages some hops from a page, by link type and direction, with paths. */
  graph_traverse: { params: GraphTraverseParams; output: GraphTraverseOutput };
  /** List the pages that a change of a page, file or folder affects, and how likely. Call it before the change. */
  get_impact: { params: GetImpactParams; output: GetImpactOutput };
  /** Suggest missing links, each with its reason and place in the text. */
  suggest_links: { params: SuggestLinksParams; output: SuggestLinksOutput };
  /** Count pages, links and vectors; list stale pages. */
  status: { params: StatusParams; output: StatusOutput };
  /** List pages whose code changed since their review, and those that depend on them. */
  check_staleness: { params: CheckStalenessParams; output: CheckStalenessOutput };
  /** Find the pages about a code file or a change. */
  refs: { params: RefsParams; output: RefsOutput };
  /** Find broken links and other problems, and how to fix them. */
  doctor: { params: DoctorParams; output: DoctorOutput };
  /** Make a suggested link where the text names the other page. */
  accept: { params: AcceptParams; output: AcceptOutput };
  /** Resolve links while they are typed, before the page is saved. */
  resolve_links: { params: ResolveLinksParams; output: ResolveLinksOutput };
  /** List the templates for new pages, with their fields. */
  list_templates: { params: ListTemplatesParams; output: ListTemplatesOutput };
  /** Create a page; refuses a name that another page has. */
  create_page: { params: CreatePageParams; output: CreatePageOutput };
  /** Edit a page: replace `old` by `new`, replace a section or the whole text, or append. */
  update_page: { params: UpdatePageParams; output: UpdatePageOutput };
  /** Change a page's path or title, and update all links to it and from it. */
  rename_page: { params: RenamePageParams; output: RenamePageOutput };
  /** Move pages, folders and attachments, and update all links to them and from them. */
  move_files: { params: MoveFilesParams; output: MoveFilesOutput };
  /** Rename a heading, block, alias or tag, and update all links that name it. */
  rename: { params: RenameParams; output: RenameOutput };
  /** Move a page to the trash; the answer names the links that break. */
  delete_page: { params: DeletePageParams; output: DeletePageOutput };
  /** Find and replace text on all pages, as one change. */
  replace: { params: ReplaceParams; output: ReplaceOutput };
  /** Dismiss a suggested link, so it is not suggested again. */
  dismiss: { params: DismissParams; output: DismissOutput };
  /** Record that pages were reviewed against their code; a stale page only with `still_accurate`. */
  review_page: { params: ReviewPageParams; output: ReviewPageOutput };
  /** Suggest types of links that sentences state, such as depends_on, each with its sentence. */
  suggest_types: { params: SuggestTypesParams; output: SuggestTypesOutput };
  /** Suggest links to the symbols and files that pages name in code spans, each with its place. */
  link_code: { params: LinkCodeParams; output: LinkCodeOutput };
  /** List what waits for a person: proposals, suggested links and types, equal and contradictory memories. */
  queue: { params: QueueParams; output: QueueOutput };
  /** List proposed changes: those that wait for review, and what became of the others. */
  list_proposals: { params: ListProposalsParams; output: ListProposalsOutput };
  /** Show a proposed change by hunks, why it was proposed, and what became of it. */
  get_proposal: { params: GetProposalParams; output: GetProposalOutput };
  /** Accept proposals of agents, or some hunks of one: their changes are written. */
  accept_proposal: { params: AcceptProposalParams; output: AcceptProposalOutput };
  /** Reject proposals of agents; nothing is written to pages. */
  reject_proposal: { params: RejectProposalParams; output: RejectProposalOutput };
  /** Let rejected proposals wait for review again, and accepted ones whose change was undone. */
  reopen_proposal: { params: ReopenProposalParams; output: ReopenProposalOutput };
  /** Withdraw a change that you proposed. */
  withdraw_proposal: { params: WithdrawProposalParams; output: WithdrawProposalOutput };
  /** List comments on pages, with the text that each is about and its replies. */
  list_comments: { params: ListCommentsParams; output: ListCommentsOutput };
  /** Comment on a page or on a text in it, or reply to a comment; pages stay unchanged. */
  add_comment: { params: AddCommentParams; output: AddCommentOutput };
  /** Mark a comment as resolved, or as open again. */
  resolve_comment: { params: ResolveCommentParams; output: ResolveCommentOutput };
  /** Delete one's own comment or reply. */
  delete_comment: { params: DeleteCommentParams; output: DeleteCommentOutput };
  /** Show a page as an agent gets it, within a limit of tokens. */
  preview_answer: { params: PreviewAnswerParams; output: PreviewAnswerOutput };
  /** List the recorded sessions of agents, latest first. */
  list_sessions: { params: ListSessionsParams; output: ListSessionsOutput };
  /** Show what an agent asked in a session, and which sections it was given. */
  get_session: { params: GetSessionParams; output: GetSessionOutput };
  /** Show an answer of a session as the agent got it. */
  get_answer: { params: GetAnswerParams; output: GetAnswerOutput };
  /** Delete recorded sessions of agents. */
  delete_sessions: { params: DeleteSessionsParams; output: DeleteSessionsOutput };
  /** Compare two revisions of the graph: pages, links, broken links, cycles, stale pages and affected pages. */
  diff: { params: DiffParams; output: DiffOutput };
  /** List the changes made through UBP, latest first. */
  audit: { params: AuditParams; output: AuditOutput };
  /** Undo a change made through UBP, in all files that it changed. */
  undo: { params: UndoParams; output: UndoOutput };
  /** List former versions of a page: commits, and texts that changes through UBP replaced. */
  page_history: { params: PageHistoryParams; output: PageHistoryOutput };
  /** Read a former version of a page, and what changed since. */
  page_version: { params: PageVersionParams; output: PageVersionOutput };
  /** Bring the index up to date, including vectors; complete front matter if it is managed. */
  add: { params: AddParams; output: AddOutput };
  /** Rebuild the index from the files; vectors of unchanged text are kept. */
  rebuild: { params: RebuildParams; output: RebuildOutput };
  /** Read the whole text of a page, front matter included, for an editor. */
  read_page: { params: ReadPageParams; output: ReadPageOutput };
  /** Save the whole text of a page from an editor, front matter included. */
  save_page: { params: SavePageParams; output: SavePageOutput };
  /** Store a file for a page, such as a pasted picture, and return the link to it. */
  add_attachment: { params: AddAttachmentParams; output: AddAttachmentOutput };
  /** List the pages whose address on a site is not their path with the extension .html. */
  addresses: { params: AddressesParams; output: AddressesOutput };
  /** List the user's favourite pages; add or remove some. */
  favorites: { params: FavoritesParams; output: FavoritesOutput };
  /** Show what changed in a page's code since its review: commits and differences. */
  source_diff: { params: SourceDiffParams; output: SourceDiffOutput };
  /** List the files and folders of the project, pages excluded, and count the files that entries of source_refs match. */
  list_files: { params: ListFilesParams; output: ListFilesOutput };
  /** List the symbols that a file defines: functions, types, constants, keys, headings. */
  list_symbols: { params: ListSymbolsParams; output: ListSymbolsOutput };
  /** Read a text file of the project that is not a page, such as code. */
  read_source: { params: ReadSourceParams; output: ReadSourceOutput };
  /** Measure the quality of search on questions with known answers; compare settings. */
  evaluate: { params: EvaluateParams; output: EvaluateOutput };
  /** Measure suggested links against removed links: recall, and how often suggestions of each confidence are right. */
  evaluate_suggestions: { params: EvaluateSuggestionsParams; output: EvaluateSuggestionsOutput };
  /** Replay the history of the project, and measure which pages would have been reported as stale, and which rightly. */
  evaluate_staleness: { params: EvaluateStalenessParams; output: EvaluateStalenessOutput };
  /** List the questions that found nothing; delete the list. */
  gaps: { params: GapsParams; output: GapsOutput };
  /** Query pages with SQL over front matter, text and meaning, for conditions, sorting and counts: one SELECT over files. */
  query: { params: QueryParams; output: QueryOutput };
  /** List the columns that a query can use: front-matter keys with their types and counts. */
  query_inspect: { params: QueryInspectParams; output: QueryInspectOutput };
  /** Report whether vectors are complete, which queries with embedding and embed() need. */
  index_status: { params: IndexStatusParams; output: IndexStatusOutput };
  /** Update text, links and front matter in the index from the files; servers do so by themselves after every edit. */
  index_refresh: { params: IndexRefreshParams; output: IndexRefreshOutput };
  /** Remember something for later, as a page that people can read; a memory with the same topic is updated. */
  remember: { params: RememberParams; output: RememberOutput };
  /** Find what agents remembered here before, by words and meaning; without a query, by type and tags. */
  recall: { params: RecallParams; output: RecallOutput };
  /** List memories by type and topic, with how often they were used. */
  list_memories: { params: ListMemoriesParams; output: ListMemoriesOutput };
  /** List memories to look at: contradictory, expired, replaced, never recalled on this machine, and old ones. */
  review_memories: { params: ReviewMemoriesParams; output: ReviewMemoriesOutput };
  /** Forget a memory: its page moves to the trash, and can be restored. */
  forget: { params: ForgetParams; output: ForgetOutput };
  /** Combine memories into Markdown documents, one for each type. */
  document_memories: { params: DocumentMemoriesParams; output: DocumentMemoriesOutput };
  /** Merge duplicate memories; links are updated, and replaced memories can be restored. */
  reindex_memories: { params: ReindexMemoriesParams; output: ReindexMemoriesOutput };
  /** Find passages of documents by meaning only, as chunks of text. Ask in natural language. */
  search_documents: { params: SearchDocumentsParams; output: SearchDocumentsOutput };
  /** Index a Markdown document now, with vectors for all of its chunks. */
  index_markdown: { params: IndexMarkdownParams; output: IndexMarkdownOutput };
  /** List the indexed documents: file name, number of chunks, and times. */
  list_documents: { params: ListDocumentsParams; output: ListDocumentsOutput };
  /** Remove a document from the index; its file moves to the trash. */
  delete_document: { params: DeleteDocumentParams; output: DeleteDocumentOutput };
  /** Index a document again from scratch; its chunk size is kept. */
  reindex_document: { params: ReindexDocumentParams; output: ReindexDocumentOutput };
}

export type OperationName = keyof Operations;

/** The new link. */
export interface AcceptOutput {
  /** Path of the linking page. */
  source: string;
  /** Path of the linked page or file. */
  target: string;
  /** The words that were linked; absent for a type. */
  place: LinkPlace | null;
  /** The link as written. */
  link: string;
  /** SHA-256 of the page's file after the edit. */
  content_hash: string;
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this is a dry run, which writes nothing. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Id of the proposal, if the change was only proposed: a person decides whether it is written. */
  proposal: string | null;
  /** Why the index was not updated after the change was written. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The link to make. */
export interface AcceptParams {
  /** The page that should link: path, id, title or alias. */
  source: string;
  /** The page to link to, or a file or symbol of the project: `path#symbol`. */
  target: string;
  /** The line of the link, as suggested (default: the best place). */
  line?: number | null | undefined;
  /** The words to link, as suggested. */
  text?: string | null | undefined;
  /** `content_hash` of the linking page as read; agents must pass it. */
  expected_hash?: string | null | undefined;
  /** Write a link of this type into front matter, under this key, instead of a link in the text. */
  type?: string | null | undefined;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** The accepted proposals, and those that were not. */
export interface AcceptProposalOutput {
  /** The accepted proposals, oldest first. */
  accepted: AcceptedProposal[];
  /** Proposals that were not accepted, with the reason. */
  left: LeftProposal[];
  /** Whether this is a dry run, which writes nothing. */
  dry_run: boolean;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The proposals to accept. */
export interface AcceptProposalParams {
  /** Their ids. */
  proposals?: string[] | undefined;
  /** Every proposal that waits for review, instead of `proposals`. */
  all?: boolean | undefined;
  /** Only these hunks, by number; for one proposal. */
  hunks?: number[] | undefined;
  /** Texts of pages in place of the proposed ones: the reviewer edited them; for one proposal, without `hunks`. */
  texts?: EditedText[] | undefined;
  /** Only proposals that remove no line and no page. */
  only_additions?: boolean | undefined;
  /** Only proposals that change nothing but pages at or below these paths. */
  under?: string[] | undefined;
  /** Only proposals of this agent, by its name without the version. */
  agent?: string | null | undefined;
  /** The name of the reviewer (default: the name in git's settings). */
  reviewer?: string | null | undefined;
  /** Words for the agent. */
  comment?: string | null | undefined;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** An accepted proposal. */
export interface AcceptedProposal {
  /** Its id. */
  proposal: string;
  /** Its state; for a dry run, the current one. */
  state: State;
  /** Whether pages were edited since at other lines, which were kept. */
  rebased: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Unified diffs of these files. */
  diff: string;
  /** Id of the change in the audit log; absent when there was nothing left to change. */
  audit_id: string | null;
  /** Why the index was not updated after the change was written. */
  index_error: string | null;
}

/** What happened to the memory. */
export type Action = "created" | "updated" | "known";

/** The stored file. */
export interface AddAttachmentOutput {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** The link to it, for the text of the page: `![[name]]` for a picture, `[[name]]` or a Markdown link for others. */
  link: string;
  /** SHA-256 of its bytes. */
  content_hash: string;
  /** Whether the folder had the same file already, so that nothing was written. */
  existed: boolean;
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
}

/** The file to store. */
export interface AddAttachmentParams {
  /** The page that will show it: path, id, title or alias. */
  page: string;
  /** Its name, with its extension. It is changed as far as necessary to be valid on every system and in links. */
  name: string;
  /** Its bytes in base64, at most 20 MB before encoding. */
  base64: string;
}

/** The new comment. */
export interface AddCommentOutput {
  /** Its id. */
  comment: string;
  /** Path of the page, relative to the pages folder. */
  filepath: string;
  /** The name of its author. */
  author: string;
}

/** The comment. */
export interface AddCommentParams {
  /** What it says, as plain text. */
  text: string;
  /** The page: path, id, title or alias. Not for a reply. */
  page?: string | null | undefined;
  /** The text in the page that it is about (default: the whole page). */
  quote?: string | null | undefined;
  /** Text directly before `quote`, if the page contains it several times. */
  before?: string | null | undefined;
  /** Text directly after `quote`, if the page contains it several times. */
  after?: string | null | undefined;
  /** Characters before `quote` in the page, if the same text surrounds it elsewhere. */
  position?: number | null | undefined;
  /** The comment to reply to. */
  reply_to?: string | null | undefined;
  /** The name of the author (default: the name in git's settings). */
  author?: string | null | undefined;
}

/** What was done. */
export interface AddOutput {
  /** Pages new in the index. */
  added: string[];
  /** Pages whose content changed. */
  changed: string[];
  /** Removed pages. */
  removed: string[];
  /** Moved pages. */
  renamed: Renamed[];
  /** Files that could not be read, with the reason; all others were indexed. */
  unreadable: UnreadableFile[];
  /** Page files written because front matter is managed or missing pages were requested. */
  written: string[];
  /** Texts embedded by the model. */
  embedded: number;
  /** Texts whose vectors were reused. */
  reused: number;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The pages. */
export interface AddParams {
  /** The pages, each by path, id, title or alias (default: all pages). */
  pages?: string[] | undefined;
  /** Also create an empty page for every broken link on these pages. */
  create_missing?: boolean | undefined;
}

/** The addresses. */
export interface AddressesOutput {
  /**
   * Address relative to the site's root, percent-encoded, by the page's path. Contains pages whose path differs
   * from an earlier one only in case, Unicode form or extension, and pages whose address belongs to a file of
   * the site itself.
   */
  addresses: Record<string, string>;
}

/** No parameters. */
export type AddressesParams = Record<string, never>;

/** An affected page. */
export interface AffectedPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /**
   * Likelihood of being affected, above 0 and at most 1: the strength of the weakest link on the path, halved
   * for every hop after the first.
   */
  score: number;
  /** Hops from the change, by the shortest path. */
  distance: number;
  /** The strongest of the shortest paths from the change to this page. */
  path: GetProposalStep[];
}

/** An answer in a timeline, without its text. */
export interface AnswerFields {
  /** Its number in the session, from 1. */
  number: number;
  /** Time of the request, RFC 3339. */
  at: string;
  /**
   * Name of the tool; `resources/read` for a page that was read as a resource, `hook/before-edit` and
   * `hook/after-edit` for what `ubp hook` told.
   */
  tool: string;
  /** Parameters of the call; long texts are cut. */
  params: unknown;
  /** Milliseconds until the answer. */
  milliseconds: number;
  /** Tokens of the answer's text. */
  tokens: number;
  /** Code of the error; absent if the call succeeded. */
  error: string | null;
  /** The parts of pages that the answer had, in its order. */
  given: Part[];
  /** The parts that the answer left out or cut to fit its limit. */
  omitted: OmittedPart[];
}

/** A change of one file. */
export interface AuditEntry {
  /** Its id. */
  id: string;
  /** Id of the group of changes that `undo` undoes together. */
  group: string;
  /** When, RFC 3339. */
  at: string;
  /** Who made it. */
  caller: Caller;
  /** The name that the agent gave. */
  agent: string | null;
  /** The accepted proposal; `agent` is then the agent that made it. */
  proposal: string | null;
  /** The operation. */
  operation: string;
  /** Path of the page; for a file of reviews or decisions, `.ubp/` and its name. */
  filepath: string;
  /** Its previous path, if it moved. */
  moved_from: string | null;
  /** Its path in `.ubp/trash/`, if it was deleted. */
  trash: string | null;
  /** SHA-256 of the file before; absent for a new page. */
  previous_hash: string | null;
  /** SHA-256 of the file after; absent for a deleted page. */
  content_hash: string | null;
  /** Whether the change succeeded. */
  outcome: OutcomeKind;
  /** The group that it undid. */
  undoes: string | null;
  /** The group that undid it. */
  undone_by: string | null;
  /** Unified diff. For agents, empty in a list and at most 8,000 bytes. */
  diff: string;
  /** Text before; only for a requested entry, and absent if it is not text or did not change. */
  before: string | null;
  /** Text after, under the same conditions. */
  after: string | null;
}

/** The changes. */
export interface AuditOutput {
  /** The requested change. */
  entry: string | null;
  /** The changes, latest first. */
  entries: AuditEntry[];
  /** Number of changes, including those beyond `limit`. */
  total: number;
}

/** Selects the changes. */
export interface AuditParams {
  /** Only changes of this page: path (current or former), id, title or alias. */
  page?: string | null | undefined;
  /** Only changes by `person`, or made or proposed by the agent of this name. */
  by?: string | null | undefined;
  /** Only changes since then: a date, a time (RFC 3339), or a span such as `7d` or `12h`. */
  since?: string | null | undefined;
  /** Only this change, or this group of changes, by its id; includes the full texts. */
  entry?: string | null | undefined;
  /** Maximum number of entries (1 to 1000, default: 20). */
  limit?: number | null | undefined;
}

/** Suggestions of about the same confidence. */
export interface Bin {
  /** Lowest confidence in it. */
  from: number;
  /** Confidence at which the next bin begins. */
  to: number;
  /** Number of suggestions. */
  count: number;
  /** Those among the removed links. */
  right_count: number;
  /** Their mean confidence. */
  confidence: number;
  /** Share of right ones. */
  share: number;
}

/** A paragraph with a name that links can refer to. */
export interface Block {
  /** The name after `^`. */
  name: string;
  /** Line of the marker. */
  line: number;
}

/** Something that a page lacks, or has and should not. */
export interface Breach {
  /** Stable name of the kind: `schema_key`, `schema_value`, `schema_heading` or `schema_link`. */
  code: string;
  /** The line, from 1. */
  line: number;
  /** What is wrong. */
  message: string;
  /** How to fix it. */
  hint: string;
}

/** What a page says, and what became of it. */
export interface BrokenClaim {
  /** The claim as written. */
  text: string;
  /** Full hash of the commit that took the thing away; absent if that is not committed. */
  commit: string | null;
  /** First line of its message. */
  subject: string | null;
  /** Committer time, RFC 3339. */
  committed_at: string | null;
  /** What it is now: a path or a name; absent if unknown. */
  now: string | null;
}

/** A link that broke. */
export interface BrokenLink {
  /** The linking page. */
  filepath: string;
  /** The first line with this link, from 1. */
  line: number;
  /** The target as written. */
  target: string;
  /** Why it is broken. */
  reason: BrokenReason;
  /** The page or file that it led to before, or leads to without the heading or block. */
  led_to: string | null;
  /** The page's new path, if it moved; `renamed` says how certain that is. */
  moved_to: string | null;
}

/** Why a link is broken. */
export type BrokenReason = "new_link" | "target_removed" | "target_moved" | "name_changed" | "heading_missing";

/** A call of an operation. */
export interface Call {
  /** Name of the operation. */
  operation: string;
  /** Its parameters. */
  params: unknown;
}

/** Who calls an operation. Agents may do less than people. */
export type Caller = "person" | "agent";

/** The center page. */
export interface CenterPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** Its text without front matter. */
  content: string;
  /** With `code`: what its `ubp-source` blocks show, then the signatures of symbols that it names. */
  code: CodePart[];
}

/** A change of a page. */
export interface ChangeFields {
  /** Path after the change; for a deleted page, the former path. */
  filepath: string;
  /** Former path of a page that moves. */
  moved_from: string | null;
  /** What happens to the page. */
  change: GetProposalKind;
  /** SHA-256 of the file that the agent changed; absent for a new page. */
  previous_hash: string | null;
  /** SHA-256 of the proposed file; absent for a deleted page. */
  content_hash: string | null;
  /** The changed blocks of its text. A page that is created or deleted is one hunk. */
  hunks: Hunk[];
  /** Targets of links that are new on the page. */
  links_added: string[];
  /** Targets of links that are no longer on the page. */
  links_removed: string[];
  /** Keys of the front matter whose values change. */
  front_matter: string[];
  /** Freshness of the page now; absent for a new page. */
  staleness: Staleness | null;
  /** Number of files, folders and globs of code that the page describes before or after the change. */
  source_count: number;
  /** The code, at most 20 of them, by path. */
  sources: DescribedSource[];
  /** Number of pages that link to the page now. */
  linking_count: number;
  /** Paths of these pages, at most 20. */
  linking: string[];
  /** The text that the agent changed; for people only, and absent for a new page. */
  previous_text: string | null;
  /** The proposed text; for people only, and absent for a deleted page. */
  text: string | null;
}

/** A changed file, or one that would change in a dry run. */
export interface ChangedFile {
  /** Path relative to the pages folder; for a deleted page, the former path. */
  filepath: string;
  /** Former path of a moved page. */
  moved_from: string | null;
  /** SHA-256 of the former file; absent for a new page. */
  previous_hash: string | null;
  /** SHA-256 of the new file; absent for a deleted page. */
  content_hash: string | null;
  /** Path of a deleted page, relative to `.ubp/trash/`; absent in a dry run. */
  trash: string | null;
}

/** A new or removed link. A link that occurs several times on a page counts once. */
export interface ChangedLink {
  /** The linking page. */
  from: string;
  /** The link's type. */
  link_type: string;
  /** The linked page; absent for a link to a file. */
  to: string | null;
  /** The linked file, relative to the project; absent for a link to a page. */
  source_path: string | null;
}

/** A page that changed. */
export interface ChangedPage {
  /** Its path, relative to the pages folder. */
  filepath: string;
  /** Its previous path, if it moved. */
  previous_filepath: string | null;
  /**
   * Share of its lines that it has in common with the page at that path, if this is why it counts as moved; absent if
   * the id in the front matter or all bytes are equal.
   */
  similarity: number | null;
  /** Share of pages with this similarity that were moved, 0 to 1; absent without a similarity. */
  confidence: number | null;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** Front-matter fields that changed, sorted; empty for new and removed pages. */
  fields: string[];
  /** Sections that changed, in page order, removed ones last; empty for new and removed pages. */
  sections: ChangedSection[];
}

/** A section that changed. */
export interface ChangedSection {
  /** Its id on the page. */
  section_id: string;
  /** Its heading below its parent headings, outermost first; empty for text before the first heading. */
  heading_path: string[];
  /** How it changed. */
  change: SectionChange;
}

/** The results. */
export interface CheckStalenessOutput {
  /** Pages that are not fresh, or suspect, worst first; a requested page is always included. */
  pages: CheckedPage[];
  /** All pages of the project by freshness. */
  counts: FreshnessCounts;
  /** Pages with sources that are judged by commit or file times because nobody reviewed them. */
  unreviewed_page_count: number;
  /** Number of missing sources whose new place was not looked for, because others were. */
  not_looked_for: number;
  /** Lines of `.ubp/refs.lock` that are invalid. */
  lock_problems: LockProblem[];
  /** Parts omitted to fit `max_tokens`. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Selects the pages. */
export interface CheckStalenessParams {
  /** Only this page. */
  page?: string | null | undefined;
  /** Only this page, by its path. */
  filepath?: string | null | undefined;
  /** Only this page, by its title. */
  title?: string | null | undefined;
  /** Only this page, by its id. */
  id?: string | null | undefined;
  /** Only this freshness. */
  only?: Staleness | null | undefined;
  /** Only if it or a source changed since this revision. */
  changed_since?: string | null | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A page, and why it may be out of date. */
export interface CheckedPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** The reasons, without duplicates. */
  reasons: StaleReason[];
  /** Sources that are missing, or that changed since the page was reviewed. */
  stale_refs: string[];
  /** The same sources with times and reasons. */
  stale_ref_details: StaleRef[];
  /**
   * For each of `stale_refs`, the headings of the sections whose links name the symbol; empty for what concerns the
   * whole page.
   */
  sections: string[];
  /** For a suspect page, the path to the page that is not fresh, starting with itself; otherwise empty. */
  suspect_path: string[];
  /** Whether all of its sources were reviewed, so none is judged by time. */
  reviewed: boolean;
  /**
   * The call that marks it as reviewed, to make after reading it; absent if nothing is needed. For agents it names
   * the state of the page and of its sources.
   */
  settle_with: Next | null;
}

/** How many claims of pages were checked, by verdict. */
export interface Claims {
  /** There is such a thing. */
  resolves: number;
  /** There was one when the line was written, and a commit took it away. */
  missing: number;
  /** There are several. */
  ambiguous: number;
  /** It cannot be told. */
  uncheckable: number;
  /** Pages that were checked. */
  pages: number;
  /** Pages about the past or the future, which were not. */
  exempt_pages: number;
  /** Commits that were searched for what is gone. */
  commits: number;
  /** Whether the history has no other commits that were not searched. */
  whole_history: boolean;
}

/** Why code is in an answer. */
export type CodeKind = "block" | "signature";

/** Code of the project. */
export interface CodePart {
  /** What the page names: a path relative to the project; `#` and a symbol or lines may follow. */
  source: string;
  /** Why it is here. */
  kind: CodeKind;
  /** First and last line in the file, from 1; absent if nothing is shown. */
  lines: [number, number] | null;
  /** What follows the fence of a block with this code: the extension of the file. */
  language: string;
  /** The code; empty if nothing is shown. */
  text: string;
  /** Why nothing is shown; absent if something is. */
  problem: string | null;
}

/** A symbol or file that a page names. */
export interface CodeSuggestion {
  /** Path of the page. */
  source: string;
  /** The file, relative to the project, or a symbol of it: `path#symbol`. */
  target: string;
  /** Share of such suggestions that are right, 0 to 1. */
  confidence: number;
  /** How often the page names it. */
  count: number;
  /** The first code span that can become a link; absent if only headings name it. */
  place: LinkPlace | null;
  /** The decision about it. */
  status: Status;
  /** What accepts it. */
  accept: Next;
}

/** A column. */
export interface ColumnInfo {
  /**
   * Type in front matter: `string`, `array`, `object`, or `FLOAT[n]` for vectors. In SQL all but vectors are
   * text.
   */
  type: string;
  /** Pages with this key. */
  count: number;
  /** Whether some pages lack it. */
  nullable: boolean;
}

/** A comment with its replies. */
export interface CommentFields {
  /** Its id. */
  comment: string;
  /** Path of the page, relative to the pages folder. */
  filepath: string;
  /** Name of the author; empty if unknown. */
  author: string;
  /** Time, RFC 3339. */
  at: string;
  /** What it says, as plain text; empty if it was deleted. */
  text: string;
  /** Whether its author deleted it, and replies remain. */
  deleted: boolean;
  /** Who resolved it; absent if it is open. */
  resolved_by: string | null;
  /** When it was resolved, RFC 3339. */
  resolved_at: string | null;
  /** The text that it is about, as it was; absent for a comment on the whole page. */
  quote: string | null;
  /** Where that text is; absent if the page does not contain it any more. */
  place: Place | null;
  /** Whether the text that it is about is gone. */
  lost: boolean;
  /** The replies, oldest first. */
  replies: ReplyFields[];
}

/** What version control knows about the page. */
export type Committed = "yes" | "no" | "unknown";

/** One side of the comparison. */
export interface ComparedSide {
  /** The revision as given; absent for the working folder. */
  revision: string | null;
  /** Full hash of its commit; absent for the working folder. */
  commit: string | null;
}

/** The difference between a setting and the baseline. */
export interface Comparison {
  /** What to rank by. */
  mode: SearchMode;
  /** Weight of relevance against links; `null` if links do not count. */
  alpha: number | null;
  /** Hops over which linked pages raise each other's relevance; `null` if links do not count. */
  depth: number | null;
  /** Its mean `ndcg_at_10` minus that of the baseline. */
  difference: number;
  /** 95 % confidence interval of the difference: paired bootstrap over queries. */
  interval: [number, number];
  /**
   * Probability of a difference at least this large in either direction if both were equally good: paired
   * randomisation test. Seven decimals.
   */
  p_value: number;
  /** Queries with a higher score than in the baseline. */
  wins: number;
  /** Queries with a lower score. */
  losses: number;
  /** Queries with the same score. */
  ties: number;
  /** The largest wins, largest first. */
  largest_wins: QueryDifference[];
  /** The largest losses, largest first. */
  largest_losses: QueryDifference[];
}

/** The matching pages. */
export interface CompleteOutput {
  /** Pages, best first. */
  pages: Completion[];
  /** Matching pages before `limit`. */
  total: number;
}

/** The typed text. */
export interface CompleteParams {
  /** The text typed so far; empty for the first pages by path. */
  text?: string | undefined;
  /** Maximum number of pages, 1 to 100 (default: 10). */
  limit?: number | null | undefined;
}

/** A matching page. */
export interface Completion {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** The name that matches best: the title, an alias, or the path without its extension. */
  name: string;
  /** Its address on a site, relative to the site's root, percent-encoded. */
  url: string;
}

/** A sentence of a memory, and one that contradicts it. */
export interface Contradicted {
  /** The page of the memory with the first sentence, relative to the pages folder. */
  filepath: string;
  /** Its topic. */
  topic: string;
  /** When it was first remembered, in seconds since 1970. */
  created_at: number;
  /** By what the two sentences differ. */
  difference: Difference;
  /** The sentence of this memory. */
  held: string;
  /** The sentence that contradicts it. */
  given: string;
}

/** Affected pages by kind. */
export interface Counts {
  /** By type of the page. */
  by_doc_type: Record<string, number>;
  /** By type of the last link on the path. */
  by_link_type: Record<string, number>;
  /** By distance. */
  by_distance: Record<string, number>;
}

/** The new page. */
export interface CreatePageOutput {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** SHA-256 of the file after the edit, for the next `expected_hash`. */
  content_hash: string;
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this is a dry run, which writes nothing. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Id of the proposal, if the change was only proposed: a person decides whether it is written. */
  proposal: string | null;
  /** Why the index was not updated after the change was written. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
  /** Paths of other pages with this title, alias or file name. */
  same_name: string[];
  /** Links to other pages that now lead to the new page. */
  moved_links: MovedLink[];
  /** Pages with similar names. */
  similar: string[];
  /** The template that the page was created from. */
  template: string | null;
  /** Where the template puts the cursor. */
  cursor: Cursor | null;
  /** What the page lacks for its type, by the template of that type. */
  breaches: Breach[];
}

/** The page to create. */
export interface CreatePageParams {
  /** Its title. */
  title: string;
  /** Its path relative to the pages folder (default: made from the title). */
  path?: string | null | undefined;
  /** The folder for the page, relative to the pages folder; the file is named after the title. */
  folder?: string | null | undefined;
  /** Markdown. A level-1 heading with the title is added if there is none. */
  content?: string | undefined;
  /**
   * The template to create it from, by name or page type; `none` for no template (default: without `content`, the
   * only template for the type and folder).
   */
  template?: string | null | undefined;
  /** Values for the fields of the template: texts, lists of texts, numbers, or true and false. */
  fields?: Record<string, Given> | undefined;
  /** Its type, such as spec, api or guide. */
  doc_type?: string | null | undefined;
  /** Its tags, without `#`. */
  tags?: string[] | undefined;
  /** Files of the project that it describes: paths, folders or globs relative to the project. */
  source_refs?: string[] | undefined;
  /** Create the page even if its name is taken; links to other pages may then lead to it. */
  allow_same_name?: boolean | undefined;
  /** Only show what would be written. */
  dry_run?: boolean | undefined;
}

/** A place in the new page. */
export interface Cursor {
  /** The line, from 1. */
  line: number;
  /** The column in UTF-16 code units, from 0. */
  column: number;
}

/** Pages that depend on each other. */
export interface Cycle {
  /** Number of pages in it. */
  page_count: number;
  /** A short cycle of these pages; the first page is not repeated at the end. */
  way: string[];
}

/** New and removed dependency cycles. */
export interface CycleChanges {
  /** Cycles that are new or grew. */
  added: Cycle[];
  /** Cycles that disappeared or shrank. */
  removed: Cycle[];
}

/** What became of a proposal. */
export interface Decision {
  /** The decision. */
  verdict: Verdict;
  /** When, RFC 3339. */
  at: string;
  /** Who decided, if known. */
  reviewer: string | null;
  /** What the reviewer wrote. */
  comment: string | null;
  /** Numbers of the accepted hunks; empty if all were accepted. */
  hunks: number[];
  /** Pages that the reviewer edited before accepting them. */
  edited: string[];
  /** Id of the change in the audit log. */
  audit_id: string | null;
}

/** What was deleted. */
export interface DeleteCommentOutput {
  /** The id of the comment or reply. */
  deleted: string;
}

/** The comment. */
export interface DeleteCommentParams {
  /** The id of the comment or reply. */
  comment: string;
  /** The name of the caller (default: the name in git's settings). */
  author?: string | null | undefined;
}

/** The deleted document. */
export interface DeleteDocumentOutput {
  /** Its path relative to the documents folder. */
  filename: string;
  /** Whether the document was deleted: true unless that was only proposed. */
  deleted: boolean;
  /** The path of its file in `.ubp/trash/`. */
  trash: string | null;
  /** Id of the change in the audit log, for `undo`. */
  audit_id: string | null;
  /** Id of the proposal, if the deletion was only proposed. */
  proposal: string | null;
  /** Why the index was not updated although the file was deleted. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The document to delete. */
export interface DeleteDocumentParams {
  /** Its path, as returned by ubp_list_documents. */
  filename: string;
}

/** The deleted page and the links to it. */
export interface DeletePageOutput {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** SHA-256 of its file. */
  content_hash: string;
  /** Its path in `.ubp/trash/`. */
  trash: string | null;
  /** Links to the page; with `unlink`, they are plain text now. */
  links: LostLink[];
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this is a dry run, which writes nothing. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Id of the proposal, if the change was only proposed: a person decides whether it is written. */
  proposal: string | null;
  /** Why the index was not updated after the change was written. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The page to delete. */
export interface DeletePageParams {
  /** The page: path, id, title or alias. */
  page: string;
  /** Replace links to the page by their display text. */
  unlink?: boolean | undefined;
  /** Confirms the deletion; agents must pass true. */
  confirm?: boolean | undefined;
  /** `content_hash` of the page as read; agents must pass it. */
  expected_hash?: string | null | undefined;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** What was deleted. */
export interface DeleteSessionsOutput {
  /** Ids of the deleted sessions, sorted. */
  deleted: string[];
}

/** Which sessions to delete: `sessions`, `before` or `all`. */
export interface DeleteSessionsParams {
  /** Their ids, or the beginnings of them. */
  sessions?: string[] | undefined;
  /** Those without an answer since then: a date, a time (RFC 3339), or a span such as `7d` or `12h`. */
  before?: string | null | undefined;
  /** All sessions. */
  all?: boolean | undefined;
}

/** Code that a page describes, before or after a proposed change. */
export interface DescribedSource {
  /** A file, a folder or a glob, relative to the project, as the page names it. */
  source: string;
  /** Whether the page still names it after the change. */
  change: SourceNaming;
  /** Whether there is such a file. */
  exists: boolean;
  /** Why it makes the page stale now; absent if it does not. */
  reason: StaleReason | null;
}

/** A page that describes the file or symbol. */
export interface DescribingPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** The page's source entries that match it: a path, a symbol, a folder or a glob. */
  named_as: string[];
  /** Why it makes the page stale; absent if it does not. */
  reason: StaleReason | null;
}

/** A section that describes a source. */
export interface DescribingSection {
  /** Its id on the page. */
  section_id: string;
  /** Its heading below its parent headings, outermost first; empty for text before the first heading. */
  heading_path: string[];
  /** Its first line, from 1. */
  line: number;
}

/** A problem in a page. */
export interface Diagnostic {
  /** Line, from 1. */
  line: number;
  /** Stable name of the problem, such as `front_matter_syntax`. */
  code: string;
  /** What is wrong, in a sentence. */
  message: string;
}

/** An affected page. */
export interface DiffAffectedPage {
  /** Its path, relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** Likelihood of being affected, above 0 and at most 1. */
  score: number;
  /** Hops from the change. */
  distance: number;
  /** The strongest path from the change to this page. */
  path: DiffStep[];
}

/**
 * What a page says and is not true any more because of this change. The commit is absent if what it removed is not committed,
 * or if that cannot be told.
 */
export interface DiffBrokenClaim {
  /** The page. */
  filepath: string;
  /** The line, from 1. */
  line: number;
  /**
   * What it claims, as in the findings of [`doctor`]: `claimed_path`, `claimed_symbol`, `claimed_command`,
   * `claimed_flag`, `claimed_variable` or `claimed_name`.
   */
  code: string;
  /** The claim as written. */
  text: string;
  /** Full hash of the commit that took the thing away; absent if that is not committed. */
  commit: string | null;
  /** First line of its message. */
  subject: string | null;
  /** Committer time, RFC 3339. */
  committed_at: string | null;
  /** What it is now: a path or a name; absent if unknown. */
  now: string | null;
}

/** The differences. */
export interface DiffOutput {
  /** The older side. */
  from: ComparedSide;
  /** The newer side. */
  to: ComparedSide;
  /** Changed pages. */
  pages: PageChanges;
  /** Changed links, between pages and from pages to files. */
  links: LinkChanges;
  /** Links that broke, by page and line. */
  broken_links: BrokenLink[];
  /** Broken links that were fixed, by page. */
  mended_links: MendedLink[];
  /** What pages say and is not true any more because of this change, except for links; by page and line. */
  broken_claims: DiffBrokenClaim[];
  /** Changed dependency cycles. */
  cycles: CycleChanges;
  /** Changed freshness. */
  staleness: StalenessChanges;
  /** Pages without any link to or from another page. */
  orphans: OrphanChanges;
  /** Pages that describe what differs in the code, those to read again first. */
  touched: TouchedPage[];
  /** Symbols that pages name and whose comments or layout alone changed. */
  silent: string[];
  /** Changed files that pages name as sources, relative to the project. */
  changed_sources: string[];
  /** Pages that did not change but depend on a page or file that did, highest score first. */
  impact: DiffAffectedPage[];
  /** Number of affected pages, before `limit`. */
  total_affected: number;
  /** Limitations of this comparison, in words. */
  notes: string[];
  /** Whether the index is up to date, if the newer side is the working folder. */
  index: IndexState | null;
}

/** The revisions to compare. */
export interface DiffParams {
  /**
   * `A..B`: two revisions. `A...B`: B, and its last common commit with A. `A`: a revision, and the working
   * folder (default: HEAD and the working folder).
   */
  range?: string | null | undefined;
  /** Hops over which impact is followed, 1 to 5 (default: 3). */
  depth?: number | null | undefined;
  /** Maximum number of affected pages, highest score first (default: 100). */
  limit?: number | null | undefined;
}

/** One step of a path. */
export interface DiffStep {
  /** The start of the step: the path of a page, or of the file where the path starts. */
  from: string;
  /** The path of the page at its end. */
  to: string;
  /** Type of the link; `source_refs` if the front matter names the file. */
  link_type: string;
  /** Direction of the link, seen from `from`. */
  direction: StepDirection;
}

/** How two sentences differ. */
export type Difference = "negation" | "number" | "value";

/** The recorded decision; without a type it applies in both directions. */
export interface DismissOutput {
  /** Path of the first page. */
  source: string;
  /** Path of the second page, or of the code. */
  target: string;
  /** Id of the decision in the audit log. */
  audit_id: string | null;
  /** Id of the proposal, if the decision was only proposed. */
  proposal: string | null;
}

/** The suggested link. */
export interface DismissParams {
  /** The page that should not link: path, id, title or alias. */
  source: string;
  /** The page that it should not link to, or a file or symbol of the project. */
  target: string;
  /** Dismiss only this type of the link, in this direction. */
  type?: string | null | undefined;
}

/** Two memories that contradict each other. */
export interface Dispute {
  /** The page of the older memory, relative to the pages folder. */
  older: string;
  /** Its topic. */
  older_topic: string;
  /** The page of the newer memory. */
  newer: string;
  /** Its topic. */
  newer_topic: string;
  /** By what two of their sentences differ; absent if only the front matter of one says that they conflict. */
  difference: Difference | null;
  /** The sentence of the older one. */
  held: string | null;
  /** The sentence of the newer one. */
  given: string | null;
}

/** The results. */
export interface DoctorOutput {
  /** The findings, worst first, then by file and line; only of the requested kind. */
  findings: Finding[];
  /** The requested kind; absent when all were requested. */
  kind: string | null;
  /** Findings of every kind, by code. */
  counts: Record<string, number>;
  /** Missing pages that links name, most wanted first. */
  wanted_pages: WantedPage[];
  /** How many claims of pages were checked; absent unless `claims` was requested. */
  claims: Claims | null;
  /** Parts omitted to fit `max_tokens`. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Selects the findings. */
export interface DoctorParams {
  /** Only this kind, such as `unresolved_link`. */
  kind?: string | null | undefined;
  /** Check claims about code instead. */
  claims?: boolean | undefined;
  /** Also whether pages follow the Open Knowledge Format 0.2. */
  okf?: boolean | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A text to search. */
export interface Document {
  /** Its id in judgements and links. */
  id: string;
  /** Its title. */
  title?: string | null | undefined;
  /** Its text, as Markdown. */
  text: string;
}

/** A link between documents. */
export interface DocumentLink {
  /** Id of the document that links. */
  from: string;
  /** Id of the document that it links to. */
  to: string;
  /** The link's type (default: `references`). */
  link_type?: string | null | undefined;
}

/** The memories of one type. */
export interface DocumentMemoriesDocument {
  /** The kind of knowledge. */
  type: MemoryType;
  /** The name of its file. */
  file_name: string;
  /** Number of memories in it. */
  memory_count: number;
  /** The document's text. */
  text: string;
}

/** The documents. */
export interface DocumentMemoriesOutput {
  /** In the order of types; the document of a type without memories contains only its title. */
  documents: DocumentMemoriesDocument[];
  /** Pages in memory folders that are not valid memories. */
  skipped: Skipped[];
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Selects the documents. */
export interface DocumentMemoriesParams {
  /** Only the document of this type (default: all three). */
  type?: MemoryType | null | undefined;
}

/** The text of a page that a proposal writes, as the reviewer wants it. */
export interface EditedText {
  /** Path of the page after the change, as in the proposal. */
  filepath: string;
  /** The whole text, made from the proposed one. */
  text: string;
}

/** The measurements. */
export interface EvaluateOutput {
  /** Measured queries. */
  query_count: number;
  /** Queries skipped because no existing page was judged relevant to them. */
  skipped_query_count: number;
  /** Searched pages. */
  page_count: number;
  /** Links between them. */
  link_count: number;
  /** Links of the set from or to missing documents. */
  unresolved_link_count: number;
  /** Judgements of missing pages; they do not count. */
  unresolved_judgements: Unresolved;
  /** Judgements whose query is not in the set; they do not count. */
  unknown_query_judgement_count: number;
  /** The setting that others are compared with: the project's search settings, or the requested one. */
  baseline: Setting;
  /** Measures of each mode, by its name. */
  modes: Record<string, Run>;
  /** Measures of hybrid search with each alpha and depth, if a comparison was requested. */
  settings: Run[];
  /** Differences between the baseline and each other run on the same queries. */
  comparisons: Comparison[];
  /** Measures of the baseline for each kind of name, if names were asked for. */
  names: NameScore[];
  /** The queries with the lowest scores in the baseline, lowest first. */
  weakest: QueryScore[];
  /** Whether the index is up to date. */
  index: IndexState;
}

/** What to measure, with which settings. */
export interface EvaluateParams {
  /** The questions; none with `names`. */
  queries?: Query[] | undefined;
  /** The pages that answer them; none with `names`. */
  judgements?: Judgement[] | undefined;
  /**
   * Ask for the names of the project instead: titles, aliases, headings, texts of links, and words that only one
   * page has in its name. The right answer is the page that is called so.
   */
  names?: boolean | undefined;
  /** Texts to search instead of the project's pages. */
  documents?: Document[] | null | undefined;
  /** Links between these texts. */
  links?: DocumentLink[] | undefined;
  /** Compare all modes, and hybrid search with several alphas and depths. */
  compare?: boolean | undefined;
  /** What to rank by: hybrid (default), vector or fulltext. Not with `compare`. */
  mode?: SearchMode | null | undefined;
  /** Weights of relevance against links, 0 to 1; more than one only with `compare`. */
  alphas?: number[] | undefined;
  /** Hops over which linked pages raise each other's relevance, 1 to 3; more than one only with `compare`. */
  depths?: number[] | undefined;
  /**
   * Maximum number of queries listed of each kind: the weakest, the largest wins and losses. 0 to 100 (default:
   * 5).
   */
  examples?: number | null | undefined;
}

/** The measurements. */
export interface EvaluateStalenessOutput {
  /** Commits that were read. */
  commit_count: number;
  /** Hash of the first of them. */
  first_commit: string;
  /** Hash of the last of them. */
  last_commit: string;
  /**
   * What was measured: references to whole files as the pages have them, references to symbols as the pages have them, and
   * references to symbols that were proposed.
   */
  replays: Replay[];
}

/** Which commits. */
export interface EvaluateStalenessParams {
  /** Replay only the newest commits, this many (default: 2000). */
  commits?: number | null | undefined;
}

/** The measurements. */
export interface EvaluateSuggestionsOutput {
  /** Measured tasks. */
  task_count: number;
  /** Tasks skipped because their page, or all of their links, lead to missing pages. */
  skipped_task_count: number;
  /** Mean share of the removed links among the first five suggestions. */
  recall_at_5: number;
  /** The same for the first ten. */
  recall_at_10: number;
  /** The ten best suggestions of each page, by their confidence; bins without suggestions are left out. */
  bins: Bin[];
  /** Mean difference between confidence and share of right suggestions, weighted by the suggestions of each bin. */
  expected_calibration_error: number;
  /** The same for suggestions with a confidence of 0.5 or more, which people look at. */
  upper_calibration_error: number;
  /** The project's threshold for suggestions. */
  threshold: number;
  /** Suggestions with at least that confidence. */
  shown_count: number;
  /** Those of them that are among the removed links. */
  shown_right_count: number;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The removed links. */
export interface EvaluateSuggestionsParams {
  /** Pages with the links that were removed from them. */
  tasks: Task[];
}

/** Who did something, and when. */
export interface Event {
  /** `human:NAME`, `process:NAME` or `PROGRAM/VERSION`, as written. */
  by: string;
  /** The time as written; absent if it is not. */
  at: string | null;
}

/** How a score was computed. Numbers have four decimals; sums are exact up to rounding. */
export interface Explanation {
  /** The sum on one line. */
  formula: string;
  /** The parts of the score. */
  parts: ScoreParts;
  /** Share of relevance in the score, 0 to 1; the rest is graph proximity. */
  alpha: number;
  /** Relevance before links: meaning, words and further sections. */
  relevance: number;
  /** Words of the query that counted. */
  terms: string[];
  /** Words of the query that were too common to count. */
  ignored_terms: string[];
  /** The best sections, at most five. The first gave `meaning` and `words`. */
  sections: SectionEvidence[];
  /** Number of matching sections on the page. */
  section_count: number;
  /** The linked result that raised the page's score, if any. */
  lifted_by: LiftedBy | null;
}

/** Why a query cannot be ranked by meaning. */
export type Fallback = "model_missing" | "unknown_script" | "vectors_pending" | "model_unreachable";

/** The list. */
export interface FavoritesOutput {
  /** Paths of the existing favourites, in the order in which they were added. */
  pages: string[];
}

/** The changes; none to read the list. */
export interface FavoritesParams {
  /** Pages to add at the end of the list: paths, ids, titles or aliases. */
  add?: string[] | undefined;
  /** Pages to remove from the list, named in the same way. */
  remove?: string[] | undefined;
}

/** A field of a template. */
export interface Field {
  /** The front-matter key. */
  name: string;
  /** What to enter, for people. */
  description: string | null;
  /** What it contains. */
  kind: FieldKind;
  /** The allowed values; empty if any value is allowed. */
  values: string[];
  /** The value if none is given, as text; items of a list are separated by commas. It may contain variables. */
  default: string | null;
  /** Whether every page must have it. */
  required: boolean;
}

/** What a field contains. */
export type FieldKind = "text" | "list" | "date" | "number" | "boolean";

/** What a file is to pages. */
export type FileKind = "source" | "attachment";

/** A symbol of the file. */
export interface FileSymbol {
  /** Its name after the names of what contains it, such as `Session.refresh`. */
  name: string;
  /** What it is, in English and lower case: `function`, `class`, `key`. */
  kind: string;
  /** Its first line, from 1. */
  line: number;
}

/** A problem. */
export interface Finding {
  /** How bad it is. */
  severity: Severity;
  /** Stable name of the kind of problem. */
  code: string;
  /** The file, relative to the pages folder; absent for the whole project. */
  filepath: string | null;
  /** The line, from 1. */
  line: number | null;
  /** What is wrong. */
  message: string;
  /** How to fix it. */
  hint: string | null;
  /** The claim of the page that is not true any more; absent for other problems. */
  claim: BrokenClaim | null;
}

/** The forgotten memory. */
export interface ForgetOutput {
  /** Its id. */
  id: string;
  /** What kind of knowledge it is. */
  type: MemoryType;
  /** Its topic. */
  topic: string;
  /** Its tags. */
  tags: string[];
  /** How often it was remembered again. */
  reference_count: number;
  /** How reliable it is, 0 to 1. */
  confidence: number;
  /** When it was first remembered, in seconds since 1970. */
  created_at: number;
  /** When it was last recalled or remembered, in seconds since 1970; absent if never on this machine. */
  last_accessed: number | null;
  /** How often it was recalled on this machine. */
  recall_count: number;
  /** Whether it still holds: no other memory replaces it, and `valid_until` has not passed. */
  current: boolean;
  /** The last day, or the time, until which it holds; absent if for ever. */
  valid_until: string | null;
  /** Pages of the memories that it replaces. */
  supersedes: string[];
  /** Pages of the memories that replace it. */
  superseded_by: string[];
  /** Pages of the memories that may be true instead of it. */
  conflicts_with: string[];
  /** Where it comes from, if known. */
  source: string | null;
  /** Its page, relative to the pages folder. */
  filepath: string;
  /** The path of its page in `.ubp/trash/`; absent for a dry run. */
  trash: string | null;
  /** Links to it. */
  links: LostLink[];
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this is a dry run, which writes nothing. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Id of the proposal, if the change was only proposed: a person decides whether it is written. */
  proposal: string | null;
  /** Why the index was not updated after the change was written. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The memory to forget. */
export interface ForgetParams {
  /** The memory: its id, topic or path. */
  memory: string;
  /** Its type, if memories of several types have this topic. */
  type?: MemoryType | null | undefined;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** A matching chunk. */
export interface Found {
  /** The document's path relative to the documents folder. */
  document: string;
  /** Its text. */
  chunk: string;
  /** Cosine similarity with the query, 0 to 1, four decimals; absent if found by words only. */
  similarity: number | null;
  /** Characters in the file before the chunk. */
  position: number;
  /** First line of the chunk in the file, from 1. */
  line: number;
}

/** Pages by freshness. */
export interface FreshnessCounts {
  /** At least as new as what they describe. */
  fresh: number;
  /** Their code changed after them, recently. */
  possibly_stale: number;
  /** Their code changed after them, longer ago. */
  stale: number;
  /** Pages without sources. */
  untracked: number;
}

/** The results. */
export interface FulltextSearchOutput {
  /** Sections, best first. */
  results: SectionMatch[];
  /** Matching sections, at most 1000. */
  total_found: number;
  /** Conditions and phrases that match no page, a sentence each. */
  unmatched: string[];
  /** Parts omitted to fit `max_tokens`. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The query and its conditions. */
export interface FulltextSearchParams {
  /** Words, identifiers, paths, or "an exact phrase" in quotes. */
  query: string;
  /** Maximum number of sections. */
  limit?: number | null | undefined;
  /** Only pages of this type. */
  doc_type?: string | null | undefined;
  /** Only pages below this folder. */
  folder?: string | null | undefined;
  /** Only pages with all of these tags. */
  tags?: string[] | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A question that found nothing. */
export interface Gap {
  /** The question, as last asked. */
  question: string;
  /** How often people asked it. */
  people: number;
  /** How often agents asked it. */
  agents: number;
  /** When it was last asked, RFC 3339. */
  last_at: string;
}

/** The list. */
export interface GapsOutput {
  /** The questions, most frequent first, then latest first. */
  questions: Gap[];
  /** Number of questions, including those beyond `limit`. */
  total: number;
  /** Whether questions are recorded: the setting `search.record_gaps`. */
  recording: boolean;
  /** Whether the list was deleted. */
  cleared: boolean;
}

/** What to list. */
export interface GapsParams {
  /** Maximum number of questions. */
  limit?: number | null | undefined;
  /** Delete the list after reading it. */
  clear?: boolean | undefined;
}

/** The answer with its text. */
export interface GetAnswerOutput {
  /** Id of the session. */
  session: string;
  /** Its number in the session, from 1. */
  number: number;
  /** Time of the request, RFC 3339. */
  at: string;
  /**
   * Name of the tool; `resources/read` for a page that was read as a resource, `hook/before-edit` and
   * `hook/after-edit` for what `ubp hook` told.
   */
  tool: string;
  /** Parameters of the call; long texts are cut. */
  params: unknown;
  /** Milliseconds until the answer. */
  milliseconds: number;
  /** Tokens of the answer's text. */
  tokens: number;
  /** Code of the error; absent if the call succeeded. */
  error: string | null;
  /** The parts of pages that the answer had, in its order. */
  given: Part[];
  /** The parts that the answer left out or cut to fit its limit. */
  omitted: OmittedPart[];
  /** Its text, as the agent got it; absent if the session had reached its limit. */
  text: string | null;
  /** Whether `text` is only the beginning, because the answer was very long. */
  text_cut: boolean;
}

/** The answer. */
export interface GetAnswerParams {
  /** Id of the session, or the beginning of it. */
  session: string;
  /** Number of the answer. */
  answer: number;
}

/** The page and the pages around it. */
export interface GetContextOutput {
  /** The center page. */
  center: CenterPage;
  /** The related pages, nearest first; at equal distance, the strongest link first. */
  related: RelatedPage[];
  /** Characters of this answer as JSON, with the line break at its end. */
  total_size: number;
  /** Excerpts of code omitted for size. */
  omitted_code: number;
  /** Related pages omitted for size. */
  truncated_count: number;
  /** Parts omitted for size. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The page, and how many hops around it. */
export interface GetContextParams {
  /** The page: path, id, title or alias. */
  page?: string | null | undefined;
  /** Its path, instead of `page`. */
  filepath?: string | null | undefined;
  /** Its id, instead of `page`. */
  page_id?: string | null | undefined;
  /** Hops around the page. */
  depth?: number | null | undefined;
  /** Follow only links of these types. */
  link_types?: string[] | undefined;
  /** Also code it shows or names. */
  code?: boolean | undefined;
  /** Maximum characters of the answer as JSON. */
  max_size?: number | null | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A part of the graph. */
export interface GetGraphOutput {
  /** Pages, nearest first, then the most linked. */
  nodes: GraphNode[];
  /** Links between them, one per source, target and type. */
  edges: GraphEdge[];
  /** With `wanted`: pages that links name but that do not exist, the most linked first. */
  wanted: WantedNode[];
  /** Reachable pages before `limit`. */
  total_nodes: number;
  /** Parts omitted to fit `max_tokens`. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Selects the part of the graph. */
export interface GetGraphParams {
  /** The center: path, id, title or alias (default: all pages). */
  page?: string | null | undefined;
  /** The same as `page`. */
  center?: string | null | undefined;
  /** Its id, instead of `page`. */
  center_page_id?: string | null | undefined;
  /** Hops around the page. */
  depth?: number | null | undefined;
  /** Direction of the links to follow. */
  direction?: GraphDirection | null | undefined;
  /** Follow only links of these types. */
  link_types?: string[] | undefined;
  /** Add pages that links name but that do not exist. */
  wanted?: boolean | undefined;
  /** Maximum number of pages, nearest or most linked first. */
  limit?: number | null | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** The pages affected by a change. */
export interface GetImpactOutput {
  /** The page that changes; absent when something else does. */
  changed_page: PageFields | null;
  /** The source file that changes, relative to the project; absent when something else does. */
  changed_file: string | null;
  /**
   * The folder whose pages and files change, relative to the project, empty for the project itself; absent when
   * something else changes.
   */
  changed_folder: string | null;
  /** Affected pages, highest score first. */
  affected: AffectedPage[];
  /** Pages affected before `limit`. */
  total_affected: number;
  /** Affected pages by kind, before `limit`. */
  counts: Counts;
  /** Parts omitted to fit `max_tokens`. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** What changes, and how far to look. */
export interface GetImpactParams {
  /** What changes: a page, source file or folder. */
  page?: string | null | undefined;
  /** Its path, instead of `page`. */
  filepath?: string | null | undefined;
  /** Its id, instead of `page`. */
  page_id?: string | null | undefined;
  /** A source file or folder, instead of `page`; it need not exist. */
  file?: string | null | undefined;
  /** Maximum hops. */
  depth?: number | null | undefined;
  /** Follow only links of these types. */
  link_types?: string[] | undefined;
  /** Only pages of these types. */
  doc_type?: string[] | undefined;
  /** Maximum number of pages, best first. */
  limit?: number | null | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** One step of a path. */
export interface GetImpactStep {
  /** The start of the step: the path of a page, or of the file where the path starts. */
  from: string;
  /** The path of the page at its end. */
  to: string;
  /** Type of the link; `source_refs` if the front matter names the file. */
  link_type: string;
  /** Direction of the link, seen from `from`. */
  direction: StepDirection;
}

/** The page. */
export interface GetPageOutput {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** SHA-256 of the file, for `expected_hash`. */
  content_hash: string;
  /** The requested section; absent for the whole page. */
  section: string | null;
  /** Text of the sections, without front matter. */
  content: string;
  /** Its sections in order. */
  sections: PageSection[];
  /** Answers of its `ubp` queries and bases, as Markdown. */
  answers: string[];
  /** Code that its `ubp-source` blocks show, then with `code` the signatures of symbols that it names. */
  code: CodePart[];
  /** Excerpts of code omitted to fit. */
  omitted_code: number;
  /** Sections omitted to fit; request them with `section`. */
  omitted_sections: OmittedSection[];
  /** Front matter as written. */
  front_matter: Record<string, unknown>;
  /** What its front matter says about its origin, in the Open Knowledge Format; absent if nothing. */
  provenance: Provenance | null;
  /** Other names of the page. */
  aliases: string[];
  /** Its tags. */
  tags: string[];
  /** Links from the page, or from the requested section. */
  outlinks: LinkInfo[];
  /** Links to the page. */
  backlinks: LinkInfo[];
  /** Sources that changed since the page did. */
  stale_refs: string[];
  /** The same sources with times and reasons. */
  stale_ref_details: StaleRef[];
  /** Parts omitted to fit `max_tokens`. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The page or section to read. */
export interface GetPageParams {
  /** The page: path, id, title or alias. */
  page?: string | null | undefined;
  /** Its path, instead of `page`. */
  filepath?: string | null | undefined;
  /** Its title, instead of `page`. */
  title?: string | null | undefined;
  /** Its id, instead of `page`. */
  id?: string | null | undefined;
  /** Only this section and those below: a `section_id`. */
  section?: string | null | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
  /** Also signatures of symbols it names. */
  code?: boolean | undefined;
  /**
   * Whether to answer its queries and to add the code that its blocks show (default: true). Programs that show
   * `render_page` have both there.
   */
  answers?: boolean | null | undefined;
}

/** What happens to a page. */
export type GetProposalKind = "created" | "edited" | "moved" | "deleted" | "recorded";

/** The proposal. */
export interface GetProposalOutput {
  /** Its id. */
  proposal: string;
  /** Its state. */
  state: State;
  /** When it was made, RFC 3339. */
  created_at: string;
  /** The agent that made it, as it named itself. */
  agent: string | null;
  /** The operation that made it; a change of the proposal may have added others. */
  operation: string;
  /** Why, as the agent says. */
  reason: string | null;
  /** The pages that it changes. */
  pages: ProposedPage[];
  /** Later changes that keep it from being accepted as a whole. */
  conflicts: string[];
  /** Whether it removes no line and no page, as `only_additions` demands. */
  only_adds: boolean;
  /** What became of it; absent while it is open. */
  decision: Decision | null;
  /** Decisions that were taken back, the first one first. */
  earlier: Decision[];
  /** Its changes, in order. */
  changes: ChangeFields[];
  /** Whether pages were edited since at other lines, which are kept if it is accepted. */
  rebased: boolean;
  /** Whether the caller can accept or reject it. */
  may_decide: boolean;
  /** Whether hunks can be accepted without the others. */
  divisible: boolean;
  /** The calls that made it, the first one first. */
  calls: Call[];
  /** Pages that the agent had read, latest last. */
  read: ReadFields[];
  /** Lines that are removed and added in files of reviews and decisions, as a diff. */
  records: string;
  /** Pages that depend on the changed pages or link to them, highest score first, at most 20; as by `get_impact`. */
  affected: AffectedPage[];
  /** Number of these pages, before the limit. */
  affected_count: number;
}

/** The proposal to show. */
export interface GetProposalParams {
  /** Its id. */
  proposal: string;
}

/** One step of a path. */
export interface GetProposalStep {
  /** The start of the step: the path of a page, or of the file where the path starts. */
  from: string;
  /** The path of the page at its end. */
  to: string;
  /** Type of the link; `source_refs` if the front matter names the file. */
  link_type: string;
  /** Direction of the link, seen from `from`. */
  direction: StepDirection;
}

/** The session with its answers. */
export interface GetSessionOutput {
  /** Its id. */
  session: string;
  /** Name and version of the client, if it gave them. */
  agent: string | null;
  /** Time of its first request, RFC 3339. */
  started_at: string;
  /** Time of its last request, RFC 3339. */
  last_at: string;
  /** Number of answers, errors included. */
  answer_count: number;
  /** Number of answers that were errors. */
  error_count: number;
  /** Tokens of all answers. */
  tokens: number;
  /** Number of different pages of which an answer had text. */
  page_count: number;
  /** Its answers, in order. */
  answers: AnswerFields[];
}

/** The session. */
export interface GetSessionParams {
  /** Its id, or the beginning of it. */
  session: string;
  /** Only answers before this one, by its number. */
  before?: number | null | undefined;
  /** Maximum number of answers, the latest ones (1 to 1000, default: 100). */
  limit?: number | null | undefined;
}

/** A value for a field: text, a list of texts, a number or a truth value. A text for a list is split at commas. */
export type Given = boolean | number | string | string[];

/** Direction of the links to follow. */
export type GraphDirection = "outgoing" | "incoming" | "both";

/** A link in the graph. */
export interface GraphEdge {
  /** Id of the page that links. */
  source: string;
  /** Id of the page linked to. */
  target: string;
  /** The link's type. */
  type: string;
}

/** A page in the graph. */
export interface GraphNode {
  /** Its id; edges name pages by it. */
  id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** Links to and from other pages. */
  link_count: number;
  /** Hops from the center page; absent without one. */
  depth: number | null;
}

/** The reachable pages. */
export interface GraphTraverseOutput {
  /** The start page. */
  start: PageFields;
  /** The reachable pages, nearest first; a page on the path to another comes before it. */
  pages: TraversedPage[];
  /** Reachable pages before `limit`. */
  total_pages: number;
  /** Parts omitted to fit `max_tokens`. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Where to start and what to follow. */
export interface GraphTraverseParams {
  /** The page to start from. */
  page?: string | null | undefined;
  /** Its path, instead of `page`. */
  filepath?: string | null | undefined;
  /** Its id, instead of `page`. */
  page_id?: string | null | undefined;
  /** Maximum hops. */
  depth?: number | null | undefined;
  /** Direction of the links to follow. */
  direction?: GraphDirection | null | undefined;
  /** Follow only links of these types. */
  link_types?: string[] | undefined;
  /** Maximum number of pages, nearest first. */
  limit?: number | null | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** One step of a path. */
export interface GraphTraverseStep {
  /** The start of the step: the path of a page, or of the file where the path starts. */
  from: string;
  /** The path of the page at its end. */
  to: string;
  /** Type of the link; `source_refs` if the front matter names the file. */
  link_type: string;
  /** Direction of the link, seen from `from`. */
  direction: StepDirection;
}

/** A heading of the page. */
export interface HeadingInfo {
  /** 1 to 6. */
  level: number;
  /** Its text without markup. */
  text: string;
  /** The id of its element, equal to the `section_id` of its section. */
  slug: string;
  /** Its line in the file, from 1. */
  line: number;
}

/** Changed lines of a Markdown block. */
export interface Hunk {
  /** Its number in the proposal, to accept it alone. */
  number: number;
  /** Its first line in the text before, from 1. */
  line: number;
  /** Unified diff with the lines around it. */
  diff: string;
  /** Whether it only adds lines. */
  only_adds: boolean;
  /** Whether the same lines were changed since. */
  conflicts: boolean;
}

/** The document in the index. */
export interface IndexMarkdownOutput {
  /** Its path relative to the documents folder. */
  filename: string;
  /** Number of chunks. */
  chunks: number;
  /** When it was indexed, RFC 3339. */
  indexed_at: string;
  /** When its file was modified, RFC 3339. */
  modified_at: string;
  /** Maximum characters of a chunk; absent if chunks are sections that fit the model. */
  chunk_size: number | null;
  /** Chunks embedded by the model. */
  embedded: number;
  /** Chunks whose vectors were reused. */
  reused: number;
  /** Why there are no vectors, if there are none. */
  note: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The document, and its chunk size. */
export interface IndexMarkdownParams {
  /** Path of a Markdown file in the documents folder. */
  filepath: string;
  /**
   * Maximum characters of a chunk (default: the project's). It applies until the document is indexed with
   * another size.
   */
  chunk_size?: number | null | undefined;
}

/** The state of indexing. */
export interface IndexRefreshOutput {
  /** The state, in words. */
  message: string;
  /** Whether vectors are still missing. */
  indexing: boolean;
  /** Pages waiting for vectors or, if there are none, pages that were reindexed or removed. */
  target_count: number;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** No parameters. */
export type IndexRefreshParams = Record<string, never>;

/** Whether the index is up to date. */
export interface IndexState {
  /** Whether text and links were compared with the files just before this answer. */
  fresh: boolean;
  /** Sections whose vectors are not computed yet; their old vectors are used until then. */
  pending: number;
  /** The commit that is checked out, if any. */
  head: string | null;
}

/** The state of the vectors. */
export interface IndexStatusOutput {
  /** Whether this machine has the project's model. */
  enabled: boolean;
  /** Whether vectors are still being computed. Pages waiting for theirs have NULL in `embedding`. */
  indexing: boolean;
  /**
   * Pages with all of their vectors. Pages without text, or in a script that the model does not support, have
   * none.
   */
  indexed_count: number;
  /** Pages in the index. */
  page_count: number;
  /** The model's name. */
  model: string;
  /** The file that contains the vectors, relative to the project. */
  cache_path: string;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** No parameters. */
export type IndexStatusParams = Record<string, never>;

/** Something that waits for a person. */
export interface Item {
  /** Its kind. */
  kind: Kind;
  /** Share of such suggestions that are right, 0 to 1; absent for what is not an estimate. */
  confidence: number | null;
  /** Path of the page that would change; of contradictory memories the older one, of equal ones the one that would stay. */
  source: string;
  /** Path of the other page, if there is one; for a link to code, the file or symbol. */
  target: string | null;
  /** The page and line of the sentence that states a type, or of the name that leads to code. */
  place: Sentence | null;
  /** Id of the proposal. */
  proposal: string | null;
  /** The agent that proposed it, as it named itself. */
  agent: string | null;
  /** What it is: the type of a link, the reason, or the sentence. */
  summary: string;
  /** What accepts it; absent for a contradiction, which a person settles. */
  accept: Next | null;
  /** What dismisses it. */
  dismiss: Next | null;
}

/** How well a page answers a query. */
export interface Judgement {
  /** Id of the query. */
  query: string;
  /** The page: path, id, title or alias; the id of a document if there are documents. */
  page: string;
  /** Above 0: relevant; a higher grade is more relevant. Otherwise not relevant. */
  grade: number;
}

/** A kind of item. */
export type Kind = "proposal" | "contradiction" | "duplicate" | "type" | "link" | "code";

/** Number of items of a kind. */
export interface KindCount {
  /** The kind. */
  kind: Kind;
  /** How many there are; at most 1,000 suggestions are counted. */
  count: number;
}

/** Query times in milliseconds. */
export interface Latency {
  /** Median. */
  p50: number;
  /** 95th percentile. */
  p95: number;
}

/** A line that may name a renamed tag and was not changed, because only a person can tell. */
export interface LeftName {
  /** Path of the file, relative to the project. */
  file: string;
  /** The line, from 1. */
  line: number;
}

/** A proposal that was not accepted. */
export interface LeftProposal {
  /** Its id. */
  proposal: string;
  /** Why. */
  reason: string;
  /** Whether a filter excluded it; otherwise it could not be accepted. */
  excluded: boolean;
}

/** A result that raised the score of another. */
export interface LiftedBy {
  /** Path of the result. */
  filepath: string;
  /** Its own relevance, part of which is passed on. */
  relevance: number;
  /** The amount passed on: the page's graph proximity. */
  passed: number;
  /** Hops between the two pages. */
  hops: number;
  /** Type of the last link on the path. */
  link_type: string;
  /** The links on the path, from the result to the page. */
  way: Step[];
}

/** Why parts were left out. */
export type Limit = "max_tokens" | "max_size";

/** The line breaks of a file. */
export type LineBreak = "lf" | "crlf" | "cr" | "mixed";

/** Changed links. */
export interface LinkChanges {
  /** New links, by page. */
  added: ChangedLink[];
  /** Removed links, by page, including those of removed pages. */
  removed: ChangedLink[];
  /** Number of new links, by type. */
  added_by_type: Record<string, number>;
  /** Number of removed links, by type. */
  removed_by_type: Record<string, number>;
}

/** The suggestions. */
export interface LinkCodeOutput {
  /** The suggestions, most certain first, then by path and line. */
  suggestions: CodeSuggestion[];
  /** Number of suggestions before `limit`. */
  total: number;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Selects the suggestions. */
export interface LinkCodeParams {
  /** Only names on this page: path, id, title or alias (default: all pages). */
  page?: string | null | undefined;
  /** Minimum confidence. */
  threshold?: number | null | undefined;
  /** Maximum number of suggestions. */
  limit?: number | null | undefined;
  /** Also return dismissed and accepted suggestions. */
  include_decided?: boolean | undefined;
}

/** One end of a link. */
export interface LinkInfo {
  /** Id of the page at the other end; absent for a broken link. */
  doc_id: string | null;
  /** Path of the page at the other end; absent for a broken link. */
  filepath: string | null;
  /** Path of the linked file relative to the project, for a link to code. */
  source_path: string | null;
  /** Its title; the target as written if the link does not lead to a page. */
  title: string;
  /** The link's type. */
  link_type: string;
  /** Text around the link's first occurrence. */
  link_context: string;
  /** Lines of the link on its page, from 1. */
  lines: number[];
}

/** How a link is written. */
export type LinkKind = "wiki" | "embed" | "markdown" | "front_matter";

/** Words that can become a link. */
export interface LinkPlace {
  /** Line of the page, from 1. */
  line: number;
  /** The words as written. */
  text: string;
  /** The line around them, cut at word boundaries and marked with `…` if it is long. */
  context: string;
}

/** A page linked with a result. */
export interface LinkedPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** The link's type. */
  link_type: string;
  /** `outlink` or `backlink`, seen from the result. */
  direction: string;
  /** The beginning of its text. */
  summary: string;
}

/** The comments: on one page in the order of their places, otherwise by page. */
export interface ListCommentsOutput {
  /** The comments. */
  comments: CommentFields[];
  /** Their number without `limit`. */
  total: number;
  /** Number of open comments. */
  open_count: number;
}

/** The comments to list. */
export interface ListCommentsParams {
  /** Only those on this page: path, id, title or alias. */
  page?: string | null | undefined;
  /** Which of them (default: `open`). */
  state?: WhichComments | undefined;
  /** Maximum number, 1 to 1000 (default: 100). */
  limit?: number | null | undefined;
  /** The text of the page in an editor, if it is not saved yet; places are then in this text. */
  text?: string | null | undefined;
}

/** A document in the index. */
export interface ListDocumentsDocument {
  /** Its path relative to the documents folder. */
  filename: string;
  /** Number of chunks. */
  chunks: number;
  /** When it was indexed, RFC 3339. */
  indexed_at: string;
  /** When its file was modified, RFC 3339. */
  modified_at: string;
}

/** The documents. */
export interface ListDocumentsOutput {
  /** All documents, by file name. */
  documents: ListDocumentsDocument[];
  /** Whether the index is up to date. */
  index: IndexState;
}

/** No parameters. */
export type ListDocumentsParams = Record<string, never>;

/** The files. */
export interface ListFilesOutput {
  /** The first files by path. Ignored files, and files of git and UBP, are not listed. */
  files: ProjectFile[];
  /** Matching files before `limit`. */
  total: number;
  /** The first folders, by path, that contain matching files. */
  folders: ProjectFolder[];
  /** Folders before `limit`. */
  total_folders: number;
  /** One for each of `sources`, in order: how many files it matches, pages included. 0 means that the entry is broken. */
  matches: number[];
}

/** The wanted files. */
export interface ListFilesParams {
  /** Text that the path contains, ignoring case; empty for all files. */
  text?: string | undefined;
  /** Only files of this kind. */
  kind?: FileKind | null | undefined;
  /** Maximum number of files, and of folders, 0 to 50,000 (default: 1,000). */
  limit?: number | null | undefined;
  /** Files, folders and globs as in `source_refs`, whose matching files are counted. */
  sources?: string[] | undefined;
}

/** The memories. */
export interface ListMemoriesOutput {
  /** The memories, by type and topic. */
  memories: MemoryFields[];
  /** Matching memories before `limit`. */
  total_count: number;
  /** Pages in memory folders that are not valid memories. */
  skipped: Skipped[];
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Selects the memories. */
export interface ListMemoriesParams {
  /** Only memories of this type. */
  type?: MemoryType | null | undefined;
  /** Only memories with all of these tags. */
  tags?: string[] | undefined;
  /** Maximum number of memories (default: all). */
  limit?: number | null | undefined;
}

/** The pages. */
export interface ListPagesOutput {
  /** The requested pages. */
  pages: ListedPage[];
  /** Paths of the next pages, if `max_tokens` has room only for paths. */
  more_paths: string[];
  /** Matching pages, before `limit` and `offset`. */
  total: number;
  /** Number of pages skipped before the first one. */
  offset: number;
  /** Conditions that match no page, a sentence each. */
  unmatched: string[];
  /** Parts omitted to fit `max_tokens`. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Conditions and order. */
export interface ListPagesParams {
  /** Only pages of this type. */
  doc_type?: string | null | undefined;
  /** Only pages with all of these tags. */
  tags?: string[] | undefined;
  /** Only pages below this folder. */
  folder?: string | null | undefined;
  /** Only pages with this freshness. */
  staleness?: Staleness | null | undefined;
  /** The sort key. */
  sort?: SortKey | null | undefined;
  /** The sort order. */
  order?: SortOrder | null | undefined;
  /** Maximum number of pages (default: all). */
  limit?: number | null | undefined;
  /** Number of pages to skip first. */
  offset?: number | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** What happens to a page. */
export type ListProposalsKind = "created" | "edited" | "moved" | "deleted" | "recorded";

/** The proposals. */
export interface ListProposalsOutput {
  /** The proposals, latest first. */
  proposals: ProposalFields[];
  /** Number of matching proposals, including those beyond `limit`. */
  total: number;
  /** Number of all proposals that wait for review. */
  open_count: number;
  /** Files in `.ubp/proposals/` that are not proposals. */
  unreadable: string[];
}

/** Selects the proposals. */
export interface ListProposalsParams {
  /** Which ones (default: open; for agents: all). */
  state?: Which | null | undefined;
  /** Only those of this agent, by its name without the version. */
  agent?: string | null | undefined;
  /** Only those that change this page: path, id, title or alias. */
  page?: string | null | undefined;
  /** Maximum number of proposals (1 to 1000, default: 50). */
  limit?: number | null | undefined;
}

/** The sessions. */
export interface ListSessionsOutput {
  /** The sessions, latest first. */
  sessions: SessionFields[];
  /** Number of matching sessions, including those beyond `limit`. */
  total: number;
  /** Whether new sessions are recorded: the setting `sessions.record`. */
  recording: boolean;
  /** Days until a session is deleted: the setting `sessions.keep_days`. */
  keep_days: number;
}

/** Selects the sessions. */
export interface ListSessionsParams {
  /** Only sessions with an answer since then: a date, a time (RFC 3339), or a span such as `7d` or `12h`. */
  since?: string | null | undefined;
  /** Only those of this client, by its name, with or without the version. */
  agent?: string | null | undefined;
  /** Only those that got text of this page: path, id, title or alias. */
  page?: string | null | undefined;
  /** Maximum number of sessions (1 to 1000, default: 20). */
  limit?: number | null | undefined;
}

/** The symbols. */
export interface ListSymbolsOutput {
  /**
   * Those whose own name begins with the text come first, otherwise in the order of the file. Empty if its language is
   * not known, or the file is not shown to readers.
   */
  symbols: FileSymbol[];
  /** Matching symbols before `limit`. */
  total: number;
}

/** The file, and what is typed of a name. */
export interface ListSymbolsParams {
  /** The file's path relative to the project. */
  file: string;
  /** Text that the name contains, ignoring case; empty for all symbols. */
  text?: string | undefined;
  /** Maximum number of symbols, 1 to 1,000 (default: 20). */
  limit?: number | null | undefined;
}

/** The templates. */
export interface ListTemplatesOutput {
  /** The folder of the templates, relative to the project; absent if the project has none. */
  folder: string | null;
  /** The templates, sorted by path. */
  templates: TemplateInfo[];
}

/** No parameters. */
export type ListTemplatesParams = Record<string, never>;

/** A page in a list. */
export interface ListedPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** Links to other pages, one per page and type. */
  link_count: number;
  /** Links from others, one per page and type. */
  backlink_count: number;
  /** Its tags. */
  tags: string[];
}

/** An unusable line of the lock. */
export interface LockProblem {
  /** Line number, from 1. */
  line: number;
  /** What is wrong. */
  message: string;
}

/** A link to the deleted page. */
export interface LostLink {
  /** Path of the linking page. */
  filepath: string;
  /** Its line, from 1. */
  line: number;
  /** Its target as written. */
  target: string;
  /** Path of another page with that name, to which it leads now. */
  leads_to: string | null;
}

/** A memory's metadata. */
export interface MemoryFields {
  /** Its id. */
  id: string;
  /** What kind of knowledge it is. */
  type: MemoryType;
  /** Its topic. */
  topic: string;
  /** Its tags. */
  tags: string[];
  /** How often it was remembered again. */
  reference_count: number;
  /** How reliable it is, 0 to 1. */
  confidence: number;
  /** When it was first remembered, in seconds since 1970. */
  created_at: number;
  /** When it was last recalled or remembered, in seconds since 1970; absent if never on this machine. */
  last_accessed: number | null;
  /** How often it was recalled on this machine. */
  recall_count: number;
  /** Whether it still holds: no other memory replaces it, and `valid_until` has not passed. */
  current: boolean;
  /** The last day, or the time, until which it holds; absent if for ever. */
  valid_until: string | null;
  /** Pages of the memories that it replaces. */
  supersedes: string[];
  /** Pages of the memories that replace it. */
  superseded_by: string[];
  /** Pages of the memories that may be true instead of it. */
  conflicts_with: string[];
  /** Where it comes from, if known. */
  source: string | null;
  /** Its page, relative to the pages folder. */
  filepath: string;
}

/** What a memory is about. */
export type MemoryType = "tech" | "project-tech" | "domain";

/** A link that was fixed. */
export interface MendedLink {
  /** The linking page. */
  filepath: string;
  /** The target as it was written. */
  target: string;
  /** The page or file that it leads to now; absent if the link was changed or removed. */
  leads_to: string | null;
}

/** A title, alias or file name of a page in the text of another page that does not link to it. */
export interface Mention {
  /** The page whose text contains the name. */
  source: PageFields;
  /** The page with that name. */
  target: PageFields;
  /** The best place for a link. */
  place: LinkPlace;
  /** How often the text names the page. */
  count: number;
  /** The decision about such a link. */
  status: Status;
}

/** Memories merged into one. */
export interface Merge {
  /** The merged memory. */
  kept: MemoryFields;
  /** The memories that it replaces, most similar first. */
  replaced: SimilarMemory[];
}

/** Where the content goes. */
export type Mode = "replace" | "append" | "replace_section";

/** Identity and limits of a model. */
export interface ModelInfo {
  /** The model's name, such as `all-MiniLM-L6-v2`. */
  name: string;
  /** The name and a hash of the weights: changes whenever vectors may differ. */
  identity: string;
  /** Length of every vector. */
  dimensions: number;
  /** Maximum number of tokens per text, including special tokens; the rest is ignored. */
  window: number;
  /** The scripts the model understands. */
  scripts: Scripts;
}

/** The embedding model. */
export interface ModelState {
  /** The model set for the project. */
  name: string;
  /** Length of its vectors. */
  dimensions: number;
  /** Whether it is on this machine. */
  available: boolean;
}

/** What a version of a page is the text of. */
export type Moment = "commit" | "before" | "after";

/** What moved. */
export interface MoveFilesOutput {
  /** Pages that moved, by their former path. */
  pages: Moved[];
  /** Other files that moved, by their former path. */
  files: Moved[];
  /**
   * What else moved with folders, by its former path: files, folders and links that are hidden or ignored, and folders
   * without files.
   */
  unlisted: Moved[];
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this is a dry run, which writes nothing. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Id of the proposal, if the change was only proposed: a person decides whether it is written. */
  proposal: string | null;
  /** Why the index was not updated after the change was written. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The files, and where they go. */
export interface MoveFilesParams {
  /** Pages, folders and other files, with their new paths. */
  moves: Moved[];
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** A file or folder that moves. Paths are relative to the pages folder. */
export interface Moved {
  /** The path that it has. */
  from: string;
  /** The path that it gets. */
  to: string;
}

/** A link whose target changes. */
export interface MovedLink {
  /** Path of the page that contains the link. */
  filepath: string;
  /** Line, from 1. */
  line: number;
  /** Target, as written. */
  target: string;
  /** Former destination: path of a page or file. */
  led_to: string;
}

/** Where a question comes from. */
export type NameKind = "title" | "alias" | "heading" | "link_text" | "word";

/** How well names of one kind are found. */
export interface NameScore {
  /** The kind of name. */
  kind: NameKind;
  /** Number of queries. */
  query_count: number;
  /**
   * Normalised discounted cumulative gain of the first ten pages (Järvelin and Kekäläinen 2002); the gain of a
   * page is its grade, as in `ndcg_cut` of trec_eval.
   */
  ndcg_at_10: number;
  /** Reciprocal rank of the first relevant page, 0 after the tenth (Voorhees 1999). */
  mrr_at_10: number;
  /** Share of the relevant pages among the first five. */
  recall_at_5: number;
  /** Share of the relevant pages among the first ten. */
  recall_at_10: number;
  /** Share of the relevant pages among the first hundred. */
  recall_at_100: number;
  /** Share of queries whose first page is relevant. */
  hit_at_1: number;
  /** Share of queries with a relevant page among the first five. */
  hit_at_5: number;
  /**
   * Share of queries with all relevant pages among the first ten: for questions that need several pages
   * together.
   */
  all_at_10: number;
}

/** A call of an operation. */
export interface Next {
  /** Name of the operation. */
  operation: string;
  /** Its parameters. */
  params: Record<string, unknown>;
}

/** Parts omitted to fit `max_tokens`. */
export interface Omitted {
  /** Pages, or other items of the answer's list. */
  pages: number;
  /** Sections of included pages. */
  sections: number;
  /** Whether included text was cut. */
  text_cut: boolean;
}

/** A part that an answer left out or cut. */
export interface OmittedPart {
  /** The page. */
  filepath: string;
  /** The heading of its section; absent for text of the whole page. */
  heading: string | null;
  /** Its first and last line; absent for text of the whole page. */
  lines: [number, number] | null;
  /** How it would be in the answer. */
  kind: PartKind;
  /** Tokens of the text that is missing. */
  tokens: number;
  /** Whether only the end of its text is missing. */
  cut: boolean;
  /** The parameter whose limit the answer would exceed. */
  reason: Limit;
}

/** A section whose text was omitted. */
export interface OmittedSection {
  /** Id of the section within its page. */
  section_id: string;
  /** First and last line in the file, from 1. */
  lines: [number, number];
  /** Tokens in its text. */
  tokens: number;
}

/** New and former orphans, each list sorted. */
export interface OrphanChanges {
  /** Pages that became orphans, including new pages. */
  added: string[];
  /** Former orphans that are linked or removed now. */
  removed: string[];
}

/** The outcome of a group of changes. */
export type OutcomeKind = "done" | "failed" | "half_done" | "unfinished";

/** Changed pages, each list sorted by path. */
export interface PageChanges {
  /** New pages. */
  added: ChangedPage[];
  /** Removed pages. */
  removed: ChangedPage[];
  /** Moved pages, whether or not their content changed. */
  renamed: ChangedPage[];
  /** Pages whose text or front matter changed. */
  changed: ChangedPage[];
}

/** A page's metadata. */
export interface PageFields {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
}

/** The versions. */
export interface PageHistoryOutput {
  /** The page's path relative to the pages folder. */
  filepath: string;
  /** Its former versions, newest first. A page keeps its versions when it is renamed inside the project. */
  versions: PageVersion[];
  /** Whether there are older versions. */
  more: boolean;
  /** Whether version control has the page. */
  committed: Committed;
}

/** The page. */
export interface PageHistoryParams {
  /** The page: path, id, title or alias. */
  page: string;
  /** Maximum number of versions (1 to 200, default: 50). */
  limit?: number | null | undefined;
  /** Number of newer versions to skip (at most 10000, default: 0). */
  skip?: number | null | undefined;
}

/** A result. */
export interface PageResult {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** 0 to 1, four decimals. */
  score: number;
  /** The parts of the score. */
  score_breakdown: ScoreBreakdown;
  /** Hops from the best result; absent beyond the depth. */
  hop_distance: number | null;
  /** The main reason why the page was found. */
  relevance_reason: RelevanceReason;
  /** Its best sections. */
  sections: SectionResult[];
  /** Pages linked with it, if requested. */
  linked_pages: LinkedPage[];
  /** How the score was computed, if requested. */
  explanation: Explanation | null;
}

/** A section of the page. */
export interface PageSection {
  /** Id of the section within its page. */
  section_id: string;
  /** Its heading; empty before the first heading. */
  heading: string;
  /** 1 to 6; 0 before the first heading. */
  level: number;
  /** First and last line in the file, from 1. */
  lines: [number, number];
  /** Its text, including the heading line. */
  content: string;
}

/** A former text of a page. */
export interface PageVersion {
  /** Its id, for `page_version`. */
  id: string;
  /** What it is the text of. */
  moment: Moment;
  /** When it was committed or changed, RFC 3339. */
  time: string;
  /** Who committed it, or the name of the agent that made the change; absent for a change by a person. */
  author: string | null;
  /** First line of the commit's message; the operation of a change. */
  subject: string;
  /** Who made the change; absent for a commit. */
  caller: Caller | null;
  /** The page's path then, relative to the project, if it was another one. */
  former_path: string | null;
  /**
   * Share of such versions that are of this page, 0 to 1, if version control recognised the page by similar text when it
   * was moved; absent if it is certain.
   */
  confidence: number | null;
  /**
   * Whether the commit is at the boundary of a shallow clone: the text may be older, and author and subject may be
   * those of another change.
   */
  is_boundary: boolean;
}

/** The version. */
export interface PageVersionOutput {
  /** The page's path relative to the pages folder. */
  filepath: string;
  /** The version. */
  version: PageVersion;
  /** SHA-256 of the page's file as it is now, for the `expected_hash` of `save_page`. */
  content_hash: string;
  /** Its text, as `read_page` returns the text of a page: `save_page` restores it. */
  text: string;
  /** Whether its text can be restored without loss. */
  restorable: boolean;
  /** Why it cannot be restored; absent if it can. */
  reason: string | null;
  /**
   * Unified diff from the version to the page as it is now, at most 1,000 lines and 64 KiB; empty if the texts are
   * equal, apart from line endings.
   */
  diff: string;
  /** Number of lines added since. */
  added: number;
  /** Number of lines removed since. */
  removed: number;
}

/** The page, and the version. */
export interface PageVersionParams {
  /** The page: path, id, title or alias. */
  page: string;
  /** The id of the version, from `page_history`. */
  version: string;
}

/** A heading and its section. */
export interface ParsedHeading {
  /** Id of its section within the page. */
  section_id: string;
  /** Its text without markup. */
  text: string;
  /** 1 to 6. */
  level: number;
  /** Its line. */
  line: number;
  /** The heading and the text below, up to the next heading of any level. */
  range: [number, number];
}

/** A link as written. */
export interface ParsedLink {
  /** How it is written. */
  kind: LinkKind;
  /** Its target, including heading or block. */
  target: string;
  /** Its type. */
  link_type: string;
  /** Display text, if it has one. */
  text?: string | null | undefined;
  /** Line on which it starts. */
  line: number;
  /** The whole link, including brackets and `!`. */
  range: [number, number];
}

/**
 * A text, parsed on its own. Every range is `[start, end)` in UTF-16 code units from the beginning of
 * the text; lines count from 1.
 */
export interface ParsedPage {
  /** Title from front matter, else the level-1 heading at the top; absent if the file name is the title. */
  title?: string | null | undefined;
  /** Other names of the page. */
  aliases: string[];
  /** Tags, without `#`, each once. */
  tags: string[];
  /** The front matter block including both fences and its last line break, if any. */
  front_matter?: [number, number] | null | undefined;
  /** Headings, in order. */
  headings: ParsedHeading[];
  /** Links, in order; those of front matter first. */
  links: ParsedLink[];
  /** Paragraphs that carry a `^name`. */
  blocks: Block[];
  /** Parts that could not be parsed. */
  diagnostics: Diagnostic[];
}

/** A part of a page in an answer. */
export interface Part {
  /** The page, relative to the pages folder; a document, by its name. */
  filepath: string;
  /** The heading of its section; absent for text of the whole page. */
  heading: string | null;
  /** Its first and last line; absent for text of the whole page. */
  lines: [number, number] | null;
  /** How it is in the answer. */
  kind: PartKind;
  /** Tokens of its text in the answer. */
  tokens: number;
}

/** How a part of a page is in an answer. */
export type PartKind = "text" | "link" | "name";

/** Where the text of a comment is. */
export interface Place {
  /** First and last line in the file, from 1. */
  lines: [number, number];
  /** Start and end in the text of the page as `read_page` returns it, in UTF-16 code units. */
  range: [number, number];
  /** Its letters and digits, as a rendered page shows them. */
  shown: string;
  /** The letters and digits before it. */
  shown_before: string;
  /** The letters and digits after it. */
  shown_after: string;
}

/** The answer to the agent. */
export interface PreviewAnswerOutput {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** What the agent calls. */
  operation: Previewed;
  /** The limit of its tokens. */
  max_tokens: number;
  /** Tokens of `text`. */
  tokens: number;
  /** The text that the agent gets. */
  text: string;
  /** The parts of pages in it, in its order. */
  given: Part[];
  /** The parts that were left out or cut to fit the limit. */
  omitted: OmittedPart[];
}

/** The page, and how an agent asks for it. */
export interface PreviewAnswerParams {
  /** The page: path, id, title or alias. */
  page: string;
  /** What the agent calls (default: `get_page`). */
  operation?: Previewed | null | undefined;
  /** Only this section and its subsections; for `get_page`. */
  section?: string | null | undefined;
  /** Hops around the page; for `get_context`. */
  depth?: number | null | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** The operations whose answers can be shown. */
export type Previewed = "get_page" | "get_context";

/** Why a file is not shown. */
export type Problem = "missing" | "hidden" | "too_large" | "binary";

/** A file of the project. */
export interface ProjectFile {
  /** Its path relative to the project. */
  path: string;
  /** What it is to pages. */
  kind: FileKind;
  /** Its size in bytes. */
  size: number;
  /** The address of an attachment on a site, relative to the site's root, percent-encoded; absent for a source. */
  url: string | null;
}

/** A folder of the project. */
export interface ProjectFolder {
  /** Its path relative to the project, with a `/` at the end. */
  path: string;
  /** Number of matching files in it and in its folders. */
  files: number;
}

/** A proposal without its texts. */
export interface ProposalFields {
  /** Its id. */
  proposal: string;
  /** Its state. */
  state: State;
  /** When it was made, RFC 3339. */
  created_at: string;
  /** The agent that made it, as it named itself. */
  agent: string | null;
  /** The operation that made it; a change of the proposal may have added others. */
  operation: string;
  /** Why, as the agent says. */
  reason: string | null;
  /** The pages that it changes. */
  pages: ProposedPage[];
  /** Later changes that keep it from being accepted as a whole. */
  conflicts: string[];
  /** Whether it removes no line and no page, as `only_additions` demands. */
  only_adds: boolean;
  /** What became of it; absent while it is open. */
  decision: Decision | null;
  /** Decisions that were taken back, the first one first. */
  earlier: Decision[];
}

/** What a proposal does to a page. */
export interface ProposedPage {
  /** Path relative to the pages folder, after the change; `.ubp/` and a name for a file of reviews or decisions. */
  filepath: string;
  /** Former path of a page that moves. */
  moved_from: string | null;
  /** What happens to it. */
  change: GetProposalKind;
}

/** What the front matter of a page says about its origin. */
export interface Provenance {
  /** How far it has been confirmed, by its `verified`. */
  trust: Trust;
  /** Who confirmed it, as listed. */
  verified: Event[];
  /** Who wrote its content. */
  generated: Event | null;
  /** `draft`, `stable`, `deprecated`, or another word, as written. */
  status: string | null;
  /** The time, RFC 3339, from which on `stale_after` makes it stale. */
  stale_at: string | null;
}

/** A question. */
export interface Query {
  /** Its id in judgements. */
  id: string;
  /** Words, a question, or "an exact phrase" in quotes. */
  text: string;
}

/** A query on which two settings differ. */
export interface QueryDifference {
  /** Its id. */
  id: string;
  /** Its text. */
  text: string;
  /** Its `ndcg_at_10` in the baseline. */
  baseline: number;
  /** Its `ndcg_at_10` in the other run. */
  score: number;
}

/** The columns. */
export interface QueryInspectOutput {
  /** Pages that match. */
  file_count: number;
  /** Columns by name. */
  schema: Record<string, ColumnInfo>;
  /** Keys that were omitted or are not columns, because others are more common. */
  omitted_columns: number;
  /** Why there is no column `embedding`, if there is none. */
  embedding_absent: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Selects the pages. */
export interface QueryInspectParams {
  /** Only pages whose path matches this glob, such as `daily/** /*.md` (default: all). */
  glob?: string | null | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** The rows. */
export interface QueryOutput {
  /** Names of the columns, in order. */
  columns: string[];
  /** Number of rows in `results`. */
  row_count: number;
  /** The rows, by column name. Vectors are represented by their type. */
  results: Array<Record<string, unknown>>;
  /** Whether there are more rows than allowed. */
  truncated: boolean;
  /** Parts omitted to fit `max_tokens`; `pages` counts rows. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The statement. */
export interface QueryParams {
  /**
   * One SELECT in SQLite's SQL over files: path, every front-matter key, content, updated_at, embedding. Values
   * are text; lists are JSON. Also embed('text') and array_cosine_distance(a, b).
   */
  sql: string;
  /** Only pages whose path matches this glob, such as `daily/** /*.md` (default: all). */
  glob?: string | null | undefined;
  /** Maximum number of rows. */
  max_rows?: number | null | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** The score of a query. */
export interface QueryScore {
  /** Its id. */
  id: string;
  /** Its text. */
  text: string;
  /** Its `ndcg_at_10`. */
  score: number;
}

/** The items. */
export interface QueueOutput {
  /** The items: proposals and contradictions first, then suggestions, most certain first. */
  items: Item[];
  /** Number of items of each kind before `limit`. */
  counts: KindCount[];
  /** Whether the index is up to date. */
  index: IndexState;
}

/** What to list. */
export interface QueueParams {
  /** Only items of these kinds (default: all but `code`). */
  kinds?: Kind[] | undefined;
  /** Lowest confidence of a suggestion. */
  from?: number | null | undefined;
  /** Confidence below which a suggestion has to be (default: any). */
  below?: number | null | undefined;
  /** Maximum number of items. */
  limit?: number | null | undefined;
}

/** A page that the agent had read. */
export interface ReadFields {
  /** Path relative to the pages folder. */
  filepath: string;
  /** SHA-256 of its file. */
  content_hash: string;
  /** Whether the page is still as the agent read it. */
  is_current: boolean;
}

/** The page's file. */
export interface ReadPageOutput {
  /** Its path relative to the pages folder. */
  filepath: string;
  /**
   * Its text including front matter, without byte order mark, with lines ended by `\n`. `save_page` restores
   * both.
   */
  text: string;
  /** SHA-256 of the file, for `expected_hash`. */
  content_hash: string;
  /** Its line endings. */
  line_break: LineBreak;
  /** Whether it starts with a byte order mark. */
  byte_order_mark: boolean;
  /** Whether it can be saved. */
  editable: boolean;
  /** Why it cannot be saved; absent if it can. */
  reason: string | null;
}

/** The page. */
export interface ReadPageParams {
  /** The page: path, id, title or alias. */
  page: string;
}

/** Its text, or why it is not shown. */
export interface ReadSourceOutput {
  /** Its path relative to the project. */
  file: string;
  /** Its text; absent if it is not shown. */
  text: string | null;
  /** Its size in bytes; absent if it does not exist or must not be read. */
  size: number | null;
  /** Why it is not shown; absent if it is. */
  problem: Problem | null;
  /** The problem as a sentence. */
  message: string | null;
}

/** The file. */
export interface ReadSourceParams {
  /** Its path relative to the project; `path#symbol` is read as its file. */
  file: string;
}

/** What was done. */
export interface RebuildOutput {
  /** Pages new in the index. */
  added: string[];
  /** Pages whose content changed. */
  changed: string[];
  /** Removed pages. */
  removed: string[];
  /** Moved pages. */
  renamed: Renamed[];
  /** Files that could not be read, with the reason; all others were indexed. */
  unreadable: UnreadableFile[];
  /** Page files written because front matter is managed or missing pages were requested. */
  written: string[];
  /** Texts embedded by the model. */
  embedded: number;
  /** Texts whose vectors were reused. */
  reused: number;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** No parameters. */
export type RebuildParams = Record<string, never>;

/** The results. */
export interface RecallOutput {
  /** Memories, best first; those that were replaced or have expired come after all others. */
  memories: RecalledMemory[];
  /** Memories found before `limit`; for a query, at most a few hundred. */
  total_count: number;
  /** What the results were ranked by; absent without a query. */
  search_type: SearchType | null;
  /** Pages in memory folders that are not valid memories. */
  skipped: Skipped[];
  /** Parts omitted to fit `max_tokens`; `pages` counts memories. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The query and its conditions. */
export interface RecallParams {
  /** Words or a question; empty to list memories. */
  query?: string | undefined;
  /** Only memories of this type. */
  type?: MemoryType | null | undefined;
  /** Only memories with all of these tags. */
  tags?: string[] | undefined;
  /** Maximum number of memories. */
  limit?: number | null | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A memory with its text. */
export interface RecalledMemory {
  /** Its id. */
  id: string;
  /** What kind of knowledge it is. */
  type: MemoryType;
  /** Its topic. */
  topic: string;
  /** Its tags. */
  tags: string[];
  /** How often it was remembered again. */
  reference_count: number;
  /** How reliable it is, 0 to 1. */
  confidence: number;
  /** When it was first remembered, in seconds since 1970. */
  created_at: number;
  /** When it was last recalled or remembered, in seconds since 1970; absent if never on this machine. */
  last_accessed: number | null;
  /** How often it was recalled on this machine. */
  recall_count: number;
  /** Whether it still holds: no other memory replaces it, and `valid_until` has not passed. */
  current: boolean;
  /** The last day, or the time, until which it holds; absent if for ever. */
  valid_until: string | null;
  /** Pages of the memories that it replaces. */
  supersedes: string[];
  /** Pages of the memories that replace it. */
  superseded_by: string[];
  /** Pages of the memories that may be true instead of it. */
  conflicts_with: string[];
  /** Where it comes from, if known. */
  source: string | null;
  /** Its page, relative to the pages folder. */
  filepath: string;
  /** Its text. */
  content: string;
  /** Code and other examples. */
  examples: string[];
  /** Relevance to the query, 0 to 1.1; 0 without a query. */
  score: number;
}

/** Where references come from. */
export type References = "written_files" | "written_symbols" | "proposed_symbols";

/** The pages that describe it. */
export interface RefsOutput {
  /** The file's path relative to the project, or that of a symbol; absent with `diff`. */
  file: string | null;
  /** Whether it exists; true with `diff`. */
  exists: boolean;
  /** The pages that describe it, by path; empty with `diff`. */
  pages: DescribingPage[];
  /** What the change touches; absent without `diff`. */
  change: TouchedByChange | null;
  /** Parts omitted to fit `max_tokens`. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The file or symbol, or the change. */
export interface RefsParams {
  /** Its path in the project, or `path#symbol`. */
  file?: string | null | undefined;
  /** Or a range: `A..B`, `A...B` or `A`, as in git; `HEAD`: uncommitted work. */
  diff?: string | null | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A page that must be read first. */
export interface RefusedPage {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Headings of the sections that were to be reviewed; empty for the whole page. */
  sections: string[];
  /** Its freshness. */
  staleness: Staleness;
  /** Changes of the code since the last review; commits and diffs only for calls with at most 20 pages. */
  changes: SourceDifference[];
  /** The call that records the review anyway, to make after reading the page. */
  settle_with: Next;
}

/** The document in the index. */
export interface ReindexDocumentOutput {
  /** Its path relative to the documents folder. */
  filename: string;
  /** Number of chunks. */
  chunks: number;
  /** When it was indexed, RFC 3339. */
  indexed_at: string;
  /** When its file was modified, RFC 3339. */
  modified_at: string;
  /** Maximum characters of a chunk; absent if chunks are sections that fit the model. */
  chunk_size: number | null;
  /** Chunks embedded by the model. */
  embedded: number;
  /** Chunks whose vectors were reused. */
  reused: number;
  /** Why there are no vectors, if there are none. */
  note: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The document. */
export interface ReindexDocumentParams {
  /** Its path, as returned by ubp_list_documents. */
  filename: string;
}

/** The merged memories. */
export interface ReindexMemoriesOutput {
  /** Number of memories examined. */
  memory_count: number;
  /** Memories without a vector: duplicates of them are recognised only by equal text. */
  uncompared_count: number;
  /** Why no memory has a vector, if none has. */
  without_vectors: string | null;
  /** The merges. */
  merged: Merge[];
  /** Similar memories that were not merged, because they contradict each other. */
  contradictory: Dispute[];
  /** Pages in memory folders that are not valid memories. */
  skipped: Skipped[];
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this is a dry run, which writes nothing. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Id of the proposal, if the change was only proposed: a person decides whether it is written. */
  proposal: string | null;
  /** Why the index was not updated after the change was written. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Parameters. */
export interface ReindexMemoriesParams {
  /** Merge these memories, by topic, id or path, whether they are similar or not (default: all that say the same). */
  memories?: string[] | undefined;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** The rejected proposals. */
export interface RejectProposalOutput {
  /** Their ids. */
  rejected: string[];
}

/** The proposals to reject. */
export interface RejectProposalParams {
  /** Their ids. */
  proposals: string[];
  /** Words for the agent: why. */
  comment?: string | null | undefined;
  /** The name of the reviewer (default: the name in git's settings). */
  reviewer?: string | null | undefined;
}

/** A related page. */
export interface RelatedPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** Type of the link to it. */
  link_type: string;
  /** `outlink` or `backlink`, seen from the page one hop nearer to the center. */
  direction: string;
  /** Hops from the center. */
  depth: number;
  /** Text around that link. */
  link_context: string;
  /** The first 500 characters of its text; fewer if space is short. */
  summary: string;
}

/** Why a page was found. */
export type RelevanceReason = "direct_link" | "2hop" | "3hop" | "vector_similarity" | "fulltext";

/** The saved memory. */
export interface RememberOutput {
  /** Its id. */
  memory_id: string;
  /** Whether it was created, updated or known. */
  action: Action;
  /** When it was first remembered, in seconds since 1970. */
  created_at: number;
  /** Pages of the memories that replace it: what it says no longer holds. */
  superseded_by: string[];
  /**
   * Sentences of memories that it contradicts, as far as words tell; at most five. If `filepath` is that of this
   * memory, the sentence was in its previous text.
   */
  contradictions: Contradicted[];
  /** Number of similar memories. */
  similar_count: number;
  /** The most similar ones, at most five. */
  similar: SimilarMemory[];
  /** What kind of knowledge it is. */
  type: MemoryType;
  /** Its topic as first written. */
  topic: string;
  /** Its page, relative to the pages folder. */
  filepath: string;
  /**
   * Id of the change in the audit log, which contains the previous text; `ubp undo` restores it. Absent when
   * nothing changed.
   */
  audit_id: string | null;
  /** Id of the proposal, if the memory was only proposed. */
  proposal: string | null;
  /** Why the index was not updated although the memory was written. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The memory to save. */
export interface RememberParams {
  /** tech: technology in general. project-tech: how this project uses it. domain: the subject of the project. */
  type: MemoryType;
  /** Its topic, on one line; type and topic identify the memory. */
  topic: string;
  /** What to remember, in Markdown. Replaces the memory's previous text. */
  content: string;
  /** Tags to find it by (default: unchanged). */
  tags?: string[] | null | undefined;
  /** Code or other examples (default: unchanged). */
  examples?: string[] | null | undefined;
  /** Where this comes from (default: unchanged). */
  source?: string | null | undefined;
  /** Memories that it replaces: topics, ids or paths. */
  supersedes?: string[] | undefined;
  /** Memories that contradict it although both may be true. */
  conflicts_with?: string[] | undefined;
  /** Last day (2026-01-31) or time at which it is true (default: unchanged; empty: for ever). */
  valid_until?: string | null | undefined;
  /** Save it although it may contain a secret. Only for people; ignored for agents. */
  force?: boolean | undefined;
}

/** What was renamed. */
export interface RenameOutput {
  /** Path of the page of the heading, block or alias, relative to the pages folder. */
  filepath: string | null;
  /** The former name. */
  previous: string;
  /** The new name. */
  new: string;
  /** Lines of queries, bases and templates that may name the tag, and were not changed. */
  left: LeftName[];
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this is a dry run, which writes nothing. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Id of the proposal, if the change was only proposed: a person decides whether it is written. */
  proposal: string | null;
  /** Why the index was not updated after the change was written. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The renamed page. */
export interface RenamePageOutput {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** SHA-256 of the file after the edit, for the next `expected_hash`. */
  content_hash: string;
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this is a dry run, which writes nothing. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Id of the proposal, if the change was only proposed: a person decides whether it is written. */
  proposal: string | null;
  /** Why the index was not updated after the change was written. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
  /** Its previous path. */
  previous_path: string;
  /** Its previous title. */
  previous_title: string;
}

/** The page, and its new name. */
export interface RenamePageParams {
  /** The page: path, id, title or alias. */
  page: string;
  /** Its new path relative to the pages folder; if it ends with `/`, the folder to move the page to. */
  path?: string | null | undefined;
  /**
   * Its new title. The title in front matter and an equal first heading change, and the file name if it was made
   * from the title.
   */
  title?: string | null | undefined;
  /** `content_hash` of the page as read; agents must pass it. */
  expected_hash?: string | null | undefined;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** What to rename. Exactly one of `heading`, `block`, `alias` and `tag`. */
export interface RenameParams {
  /** The page of the heading, block or alias: path, id, title or alias. */
  page?: string | null | undefined;
  /** A heading as in a link: its text, with headings above it divided by `#`, or the id of its section. */
  heading?: string | null | undefined;
  /** The name of a block, without `^`. */
  block?: string | null | undefined;
  /** An alias in the front matter of the page. */
  alias?: string | null | undefined;
  /** A tag, without `#`, on all pages; tags below it follow. */
  tag?: string | null | undefined;
  /** The new name. */
  new: string;
  /** `content_hash` of the page as read. */
  expected_hash?: string | null | undefined;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** A page that moved. */
export interface Renamed {
  /** Former path. */
  from: string;
  /** New path. */
  to: string;
}

/** The page. */
export interface RenderPageOutput {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its address on a site, relative to the site's root, percent-encoded. Links in `html` are relative to it. */
  url: string;
  /**
   * Its text without front matter. Of its own HTML, known elements and attributes are kept; nothing in it runs a
   * script. A first heading equal to the title is omitted, except for an empty element with its id.
   */
  html: string;
  /** Its headings in order, including a first one equal to the title. */
  headings: HeadingInfo[];
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The page. */
export interface RenderPageParams {
  /** The page: path, id, title or alias. */
  page?: string | null | undefined;
  /** Its path, instead of `page`. */
  filepath?: string | null | undefined;
  /** Its title, instead of `page`. */
  title?: string | null | undefined;
  /** Its id, instead of `page`. */
  id?: string | null | undefined;
}

/** Its HTML. */
export interface RenderPartOutput {
  /** As in `render_page`, but without ids of headings and without the lines of tasks. */
  html: string;
}

/** The Markdown. */
export interface RenderPartParams {
  /** The page that contains it: path, id, title or alias. Links lead where those of this page would. */
  page: string;
  /** The Markdown, at most 256 KiB: a table, a formula with its dollar signs, a callout. */
  text: string;
}

/** The reopened proposals. */
export interface ReopenProposalOutput {
  /** Their ids. */
  reopened: string[];
}

/** The proposals to reopen. */
export interface ReopenProposalParams {
  /** Their ids. */
  proposals: string[];
}

/** The replacements. */
export interface ReplaceOutput {
  /** Number of replacements. */
  replaced_count: number;
  /** Pages with replacements, sorted by path. */
  pages: ReplacedPage[];
  /** Pages that contain the text but were not changed. */
  skipped: SkippedPage[];
  /** Hash of the call and of all pages to change, for `expected_hash`. */
  content_hash: string;
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this is a dry run, which writes nothing. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Id of the proposal, if the change was only proposed: a person decides whether it is written. */
  proposal: string | null;
  /** Why the index was not updated after the change was written. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** What to replace, and where. */
export interface ReplaceParams {
  /** Exact text to find, case-sensitive. */
  old: string;
  /** Replacement. */
  new: string;
  /** `old` is a regular expression; `$1` in `new` is its first group. */
  regex?: boolean | undefined;
  /** Only pages at or below these paths. */
  paths?: string[] | undefined;
  /** `content_hash` from the same call with `dry_run`; agents must pass it. */
  expected_hash?: string | null | undefined;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** A page with replacements. */
export interface ReplacedPage {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Number of replacements. */
  count: number;
}

/** A part of the history with one kind of references. */
export interface Replay {
  /** Where the references come from. */
  references: References;
  /** Hash of the commit after which it begins. */
  after_commit: string;
  /** Changes of code: commits that change code, each with the commits directly after it that change pages only. */
  change_count: number;
  /** Those of them in which no page changed. */
  code_only_count: number;
  /** Those in which no file of code has other tokens. */
  equal_tokens_count: number;
  /** Sections that the authors changed, in all changes of code together. */
  edited_count: number;
  /** Sections, or pages whose front matter has references, with references at the end. */
  bound_count: number;
  /** References to symbols whose symbol was gone after a change. */
  gone_count: number;
  /** Those of them that were followed to the new name. */
  followed_count: number;
  /** What each rule reports. */
  rules: RuleFigures[];
}

/** A reply. */
export interface ReplyFields {
  /** Its id. */
  comment: string;
  /** Name of the author; empty if unknown. */
  author: string;
  /** Time, RFC 3339. */
  at: string;
  /** What it says, as plain text. */
  text: string;
}

/** The comment. */
export interface ResolveCommentOutput {
  /** Its id. */
  comment: string;
  /** Whether it is resolved now. */
  resolved: boolean;
}

/** The comment. */
export interface ResolveCommentParams {
  /** Its id, or that of a reply. */
  comment: string;
  /** Whether to open it again instead (default: false). */
  reopen?: boolean | undefined;
  /** The name of the caller (default: the name in git's settings). */
  author?: string | null | undefined;
}

/** The targets. */
export interface ResolveLinksOutput {
  /** One for each of `links`, in order; absent if it is not a link to a page or a file. */
  links: Array<ResolvedLink | null>;
  /**
   * One for each of `pictures`, in order: its address on a site, relative to the root, percent-encoded; absent
   * if the picture does not exist or is outside the project.
   */
  pictures: Array<string | null>;
  /** Link types of this project, including `references`. */
  link_types: string[];
  /** Whether this project writes links as `[[label|page]]`. */
  label_first: boolean;
}

/** The links to resolve. */
export interface ResolveLinksParams {
  /** The page that contains them: path, id, title or alias. */
  page: string;
  /** Links as written, brackets included: `[[page|type]]`, `![[page]]`, `[text](page.md)`. */
  links?: string[] | undefined;
  /** Destinations of pictures as in Markdown, percent-encoded or not. */
  pictures?: string[] | undefined;
}

/** A link and its target. */
export interface ResolvedLink {
  /** Its syntax. */
  kind: LinkKind;
  /** Its target as written, including heading or block. */
  target: string;
  /** Its type. */
  link_type: string;
  /** Its display text, if any. */
  text: string | null;
  /** Path of the linked page. */
  filepath: string | null;
  /** The heading or `^block` as written, for a link to a page. */
  anchor: string | null;
  /** Id of that heading or block; absent if the page does not have it. */
  place: string | null;
  /** Path of the linked file, relative to the project. */
  source_path: string | null;
  /** Address, on a site, of the linked picture or attachment, relative to the root, percent-encoded. */
  file_url: string | null;
}

/** Numbers of memories to look at. */
export interface ReviewCounts {
  /** Pairs that contradict each other. */
  contradictory: number;
  /** Expired memories. */
  expired: number;
  /** Replaced memories. */
  replaced: number;
  /** Memories that were never recalled. */
  never_recalled: number;
  /** Old memories. */
  old: number;
}

/** The memories to look at. */
export interface ReviewMemoriesOutput {
  /** Pairs that contradict each other, as far as words tell, or by their front matter. */
  contradictory: Dispute[];
  /** Memories whose `valid_until` has passed and that no other replaces; those that expired first come first. */
  expired: MemoryFields[];
  /** Memories that another one replaces: candidates for `forget`. */
  replaced: MemoryFields[];
  /** Current memories, remembered more than 30 days ago and never recalled on this machine; oldest first. */
  never_recalled: MemoryFields[];
  /** Current memories whose text has not changed for `days`; oldest first. */
  old: MemoryFields[];
  /** Number of memories in each list before `limit`. */
  counts: ReviewCounts;
  /** Number of memories examined. */
  memory_count: number;
  /** Number of questions that found nothing: see `gaps`. They are about all pages, not only about memories. */
  gap_count: number;
  /** Pages in memory folders that are not valid memories. */
  skipped: Skipped[];
  /** Whether the index is up to date. */
  index: IndexState;
}

/** What to look for. */
export interface ReviewMemoriesParams {
  /** Only memories of this type. */
  type?: MemoryType | null | undefined;
  /** A memory is old if its text has not changed for this number of days. */
  days?: number | null | undefined;
  /** Maximum number of memories in each list. */
  limit?: number | null | undefined;
}

/** The recorded and the refused reviews. */
export interface ReviewPageOutput {
  /** Pages whose review was recorded, by path. */
  reviewed: ReviewedPage[];
  /** Pages that were not recorded because their code changed, with the changes. */
  refused: RefusedPage[];
  /** Pages and sections without sources, for which there is nothing to record. */
  without_sources: string[];
  /** Whether `.ubp/refs.lock` was written. */
  written: boolean;
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Id of the proposal, if the review was only proposed. */
  proposal: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The reviewed pages. */
export interface ReviewPageParams {
  /** The page: path, id, title or alias; `page#heading` for one section and those below. */
  page?: string | null | undefined;
  /** Several pages or sections, each named like `page`. */
  pages?: string[] | undefined;
  /** All pages with sources; only for people. */
  all?: boolean | undefined;
  /** `content_hash` of the page as read; agents must pass it. */
  expected_hash?: string | null | undefined;
  /** `expected_sources` from `check_staleness`, for the state of the sources as read; agents must pass it. */
  expected_sources?: string | null | undefined;
  /** Also record pages whose sources changed since the last review: they were read again and are accurate. */
  still_accurate?: boolean | undefined;
}

/** A page whose review was recorded. */
export interface ReviewedPage {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Headings of the sections that were reviewed; empty for the whole page. */
  sections: string[];
  /** Number of files and symbols recorded. */
  source_count: number;
  /** Whether the record changed. */
  changed: boolean;
  /**
   * What reviewing does not fix: source entries that match no file or symbol, and the page itself if its `stale_after`
   * has passed.
   */
  missing: StaleRef[];
  /** Changes of the code since the last review. */
  changes: SourceDifference[];
  /** Whether `verified` in its front matter was written, as the manifest asks for. */
  verified: boolean;
  /** Why `verified` was not written, although the manifest asks for it. */
  not_verified: string | null;
}

/** When a section is reported. */
export type Rule = "file" | "symbol" | "contract";

/** What a rule reports. */
export interface RuleFigures {
  /** The rule. */
  rule: Rule;
  /** Sections reported in changes of code and pages. */
  reported_count: number;
  /** Those of them that the author changed. */
  right_count: number;
  /** Share of right ones among the reported; null if none was reported. */
  precision: number | null;
  /** Sections with references that the author changed. */
  bound_edited_count: number;
  /** Share of them that was reported; null if there are none. */
  recall: number | null;
  /** Sections that the author changed, and of which a symbol changed or is gone. */
  symbol_edited_count: number;
  /** Share of them that was reported; null if there are none. */
  symbol_recall: number | null;
  /** Sections reported in changes of code only. */
  alarm_count: number;
  /** Mean number of them in a change of code only; null if there is none. */
  alarms_per_code_only_change: number | null;
  /** Sections reported in changes that leave all tokens equal. */
  equal_tokens_alarm_count: number;
}

/** The measures of one setting. */
export interface Run {
  /** What to rank by. */
  mode: SearchMode;
  /** Weight of relevance against links; `null` if links do not count. */
  alpha: number | null;
  /** Hops over which linked pages raise each other's relevance; `null` if links do not count. */
  depth: number | null;
  /**
   * Normalised discounted cumulative gain of the first ten pages (Järvelin and Kekäläinen 2002); the gain of a
   * page is its grade, as in `ndcg_cut` of trec_eval.
   */
  ndcg_at_10: number;
  /** Reciprocal rank of the first relevant page, 0 after the tenth (Voorhees 1999). */
  mrr_at_10: number;
  /** Share of the relevant pages among the first five. */
  recall_at_5: number;
  /** Share of the relevant pages among the first ten. */
  recall_at_10: number;
  /** Share of the relevant pages among the first hundred. */
  recall_at_100: number;
  /** Share of queries whose first page is relevant. */
  hit_at_1: number;
  /** Share of queries with a relevant page among the first five. */
  hit_at_5: number;
  /**
   * Share of queries with all relevant pages among the first ten: for questions that need several pages
   * together.
   */
  all_at_10: number;
  /** Time to embed the query and rank. */
  latency_ms: Latency;
  /** Queries answered by words instead of vectors. */
  fallbacks: number;
  /** Queries that found nothing. */
  unanswered: number;
}

/** The page's file. */
export interface SavePageOutput {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** SHA-256 of the file after saving, for the next `expected_hash`. */
  content_hash: string;
  /**
   * Its text after saving, as `read_page` returns it; only if it differs from the text sent, because the
   * modification time in its front matter was updated.
   */
  text: string | null;
  /**
   * Id of the proposal, if the caller may only propose changes. The page is unchanged then, and the hash is that of the
   * proposed text.
   */
  proposal: string | null;
}

/** The page, and its text. */
export interface SavePageParams {
  /** The page: path, id, title or alias. */
  page: string;
  /**
   * The full text, including front matter. Line breaks may be `\n`: lines and the file keep their own line
   * endings and byte order mark.
   */
  text: string;
  /** `content_hash` of the page as last read or saved. */
  expected_hash: string;
}

/** Parts of a score, each 0 to 1. */
export interface ScoreBreakdown {
  /** Cosine similarity of the best section with the query. */
  vector_similarity: number;
  /** How well the words of the best section fit the query. */
  fulltext: number;
  /** Relevance, or more if linked results raise it. */
  graph_proximity: number;
}

/** The parts of a score. */
export interface ScoreParts {
  /** Meaning of the best section. */
  meaning: number;
  /** Words of the best section. */
  words: number;
  /** Other matching sections of the page. */
  further_sections: number;
  /** The query is its title, alias, path or heading; below 0 if it is that of other pages. */
  name: number;
  /** Linked results. */
  links: number;
}

/** A set of writing systems, by their ISO 15924 long names; empty means all. */
export type Scripts = string[];

/** The results. */
export interface SearchDocumentsOutput {
  /** Chunks, best first. */
  results: Found[];
  /** What the results were ranked by: `vector`, or `fulltext_fallback`. */
  search_type: SearchType;
  /** Limitations of the results, if any. */
  note: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The query. */
export interface SearchDocumentsParams {
  /** A question or words, in natural language. */
  query: string;
  /** Maximum number of chunks. */
  top_k?: number | null | undefined;
}

/** What ranks pages. */
export type SearchMode = "hybrid" | "vector" | "fulltext";

/** The results. */
export interface SearchOutput {
  /** Pages, best first. */
  results: PageResult[];
  /** Pages found mainly for their links with these; part of `limit`. */
  nearby: PageResult[];
  /** Pages found before `limit`, at most a few hundred. */
  total_found: number;
  /** What the results were ranked by. */
  search_type: SearchType;
  /** The query that was searched for, if mistyped words were corrected. */
  corrected_query: string | null;
  /** Conditions and phrases that match no page, a sentence each. */
  unmatched: string[];
  /** Why only words were used although meaning was requested; absent if meaning was used. */
  fallback: Fallback | null;
  /** Parts omitted to fit `max_tokens`. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The query and its conditions. */
export interface SearchParams {
  /** Words, a question, or "an exact phrase" in quotes. */
  query: string;
  /** Maximum number of pages. */
  limit?: number | null | undefined;
  /** What to rank by. */
  mode?: SearchMode | null | undefined;
  /** Weight of relevance against links. */
  alpha?: number | null | undefined;
  /** Hops over which links add relevance. */
  depth?: number | null | undefined;
  /** Follow only links of these types. */
  link_types?: string[] | undefined;
  /** Only pages of these types. */
  doc_type?: string[] | undefined;
  /** Only pages with all of these tags. */
  tags?: string[] | undefined;
  /** Only pages below this folder. */
  folder?: string | null | undefined;
  /** Only pages with these values in their front matter. */
  fields?: Record<string, string> | undefined;
  /** Whole sections instead of snippets. */
  content?: boolean | undefined;
  /** Also pages linked with each result. */
  include_linked?: boolean | undefined;
  /** Explain each score. */
  explain?: boolean | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** What the results were ranked by. */
export type SearchType = "hybrid" | "vector" | "fulltext" | "fulltext_fallback";

/** How a section changed. */
export type SectionChange = "added" | "changed" | "removed";

/** Evidence of one section. */
export interface SectionEvidence {
  /** Id of the section within its page. */
  section_id: string;
  /** Its relevance: `meaning` + `words` + `name`. */
  score: number;
  /** Contribution of its meaning. */
  meaning: number;
  /** Contribution of its words. */
  words: number;
  /** Contribution of a heading equal to the query; below 0 if other sections have that heading. */
  name: number;
  /**
   * Weight of meaning, 0 to 1; the rest is the weight of words. If the section has no vector, its words count
   * for its meaning too: the closer the closest section is to the query, the lower this weight.
   */
  vector_weight: number;
  /** Cosine similarity with the query. */
  vector_similarity: number;
  /** Match of the words relative to the best match of all. */
  fulltext: number;
  /** Contribution of each word and phrase of the query, largest first; the sum is `words`. */
  terms: TermShare[];
}

/** A matching section. */
export interface SectionMatch {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** The section's heading; absent before the first heading. */
  section_heading: string | null;
  /** Id of the section within its page. */
  section_id: string;
  /** Line of the first matching word, from 1. */
  line: number;
  /** Text around the matching words. */
  snippet: string;
  /** Positions of these words in `snippet`, as UTF-16 offsets `[start, end)`. */
  highlights: Array<[number, number]>;
  /** BM25; larger is better, comparable only within one answer. */
  rank: number;
}

/** A matching section. */
export interface SectionResult {
  /** Id of the section within its page. */
  section_id: string;
  /** Its headings from the top of the page, joined with ` > `; empty before the first heading. */
  heading: string;
  /**
   * First and last line in the file, from 1: of the section, or of the best passage if the section is long and a
   * snippet is shown.
   */
  lines: [number, number];
  /** Line of the first matching word, or of the start of the text. */
  line: number;
  /** The snippet, or the whole section. */
  content: string;
  /** Positions of the query's words in `content`, as UTF-16 offsets `[start, end)`. */
  highlights: Array<[number, number]>;
  /** 0 to 1. */
  score: number;
}

/** A section that describes a source. */
export interface SectionText {
  /** Its id on the page. */
  section_id: string;
  /** Its heading; empty for the text before the first heading. */
  heading: string;
  /** First and last line of the file, from 1. */
  lines: [number, number];
  /** Its text, at most 60 lines. */
  text: string;
}

/** Where a sentence is. */
export interface Sentence {
  /** Path of its page. */
  filepath: string;
  /** Its line, from 1. */
  line: number;
}

/** A session in lists. */
export interface SessionFields {
  /** Its id. */
  session: string;
  /** Name and version of the client, if it gave them. */
  agent: string | null;
  /** Time of its first request, RFC 3339. */
  started_at: string;
  /** Time of its last request, RFC 3339. */
  last_at: string;
  /** Number of answers, errors included. */
  answer_count: number;
  /** Number of answers that were errors. */
  error_count: number;
  /** Tokens of all answers. */
  tokens: number;
  /** Number of different pages of which an answer had text. */
  page_count: number;
}

/** A setting of the search. */
export interface Setting {
  /** What to rank by. */
  mode: SearchMode;
  /** Weight of relevance against links; `null` if links do not count. */
  alpha: number | null;
  /** Hops over which linked pages raise each other's relevance; `null` if links do not count. */
  depth: number | null;
}

/** How bad a finding is. */
export type Severity = "error" | "warning" | "info";

/** A memory similar to another. */
export interface SimilarMemory {
  /** Its id. */
  id: string;
  /** What kind of knowledge it is. */
  type: MemoryType;
  /** Its topic. */
  topic: string;
  /** Its page, relative to the pages folder. */
  filepath: string;
  /** Cosine similarity; absent if only the topics are spelled alike. */
  similarity: number | null;
  /**
   * Share of pairs with this similarity that say the same, 0 to 1; absent for equal texts, which are no estimate, and
   * where it was not measured.
   */
  confidence: number | null;
}

/** A page in the folder of memories that is not a valid memory. */
export interface Skipped {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Line of the error, from 1. */
  line: number;
  /** What is wrong there. */
  reason: string;
}

/** A page that was not changed. */
export interface SkippedPage {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Why it was not changed. */
  reason: string;
}

/** A sort key. */
export type SortKey = "title" | "updated_at" | "created_at" | "filepath";

/** A sort order. */
export type SortOrder = "asc" | "desc";

/** A commit that changed a source. */
export interface SourceCommit {
  /** Full hexadecimal hash. */
  id: string;
  /** Committer time, RFC 3339. */
  time: string;
  /** First line of its message. */
  subject: string;
}

/** The changes. */
export interface SourceDiffOutput {
  /** The page's path relative to the pages folder. */
  filepath: string;
  /** Its freshness. */
  staleness: Staleness;
  /** Its sources that changed or were deleted, by path; commits and diffs of the first 20. */
  changes: SourceDifference[];
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The page. */
export interface SourceDiffParams {
  /** The page: path, id, title or alias. */
  page: string;
}

/** Changes of a source since the last review. */
export interface SourceDifference {
  /** Path relative to the project; for a symbol, followed by `#` and its name. */
  file_path: string;
  /** When it last changed, RFC 3339; absent if unknown. */
  last_modified: string | null;
  /** Why it makes the page stale. */
  reason: StaleReason;
  /** New path of a missing file, if version control knows it; new name of a missing symbol, if only one is like it. */
  renamed_to: string | null;
  /** Share of such files or symbols that are the missing one; absent if it is equal. */
  confidence: number | null;
  /** The sections that link to it, with their texts; empty if it concerns the whole page. */
  described_in: SectionText[];
  /** The last review of the source, if it is known. */
  last_review: Stamp | null;
  /**
   * Commits that changed the file or symbol since, newest first; only the last one if the reviewed content is not found
   * in history.
   */
  commits: SourceCommit[];
  /**
   * Unified diff of the file or symbol from the reviewed content to the current content, at most 200 lines; absent if
   * the reviewed content is not found.
   */
  diff: string | null;
}

/** What a change does to the naming of a source. */
export type SourceNaming = "kept" | "added" | "removed";

/** A phase of a long operation. */
export type Stage = "pages" | "links" | "vectors" | "queries" | "suggestions" | "site" | "comparisons" | "files" | "history";

/** A page that became stale. */
export interface StalePage {
  /** Its path, relative to the pages folder. */
  filepath: string;
  /** Its freshness now. */
  staleness: Staleness;
  /** The sources that changed. */
  stale_refs: StaleRef[];
}

/** Why a source makes its page stale. */
export type StaleReason = "changed" | "body_changed" | "contract_changed" | "missing" | "unknown_shallow_clone" | "page_edited_after_source" | "suspect" | "expired";

/** A source that makes its page stale. */
export interface StaleRef {
  /** Path relative to the project; for a symbol, followed by `#` and its name. */
  file_path: string;
  /** When it last changed, RFC 3339; absent if unknown. */
  last_modified: string | null;
  /** Why it makes the page stale. */
  reason: StaleReason;
  /** New path of a missing file, if version control knows it; new name of a missing symbol, if only one is like it. */
  renamed_to: string | null;
  /** Share of such files or symbols that are the missing one; absent if it is equal. */
  confidence: number | null;
}

/** Whether a page is up to date with its sources. */
export type Staleness = "untracked" | "fresh" | "possibly_stale" | "stale";

/** Changed freshness, each list sorted by path. */
export interface StalenessChanges {
  /** Pages that became stale: their code changed, and they were not reviewed. */
  stale: StalePage[];
  /** Pages that were stale and are fresh now. */
  fresh: string[];
}

/** The author of a review. */
export interface Stamp {
  /** When it was recorded, RFC 3339. */
  at: string;
  /** The commit that was checked out, its first 12 hexadecimal digits; absent without version control. */
  commit: string | null;
  /** Whether a person or an agent recorded it. */
  caller: Caller;
  /** The name of the person in version control, or the agent's name for itself. */
  name: string | null;
}

/** The state of a proposal. */
export type State = "pending" | "conflict" | "accepted" | "partly_accepted" | "rejected" | "withdrawn";

/** The decision about a suggestion. */
export type Status = "pending" | "accepted" | "dismissed";

/** The state of the project. */
export interface StatusOutput {
  /** Pages in the index. */
  page_count: number;
  /** Links between pages, one per source, target and type. */
  link_count: number;
  /** Sections in the index. */
  section_count: number;
  /** Pages with vectors for all of their text; pages without text that the model supports have none. */
  vectorized_page_count: number;
  /** Page files that are not in the index. */
  unindexed_page_count: number;
  /** Broken links, counting every occurrence; without links to other projects that a hub follows. */
  unresolved_link_count: number;
  /** Pages by freshness. */
  freshness: FreshnessCounts;
  /** Pages that are not fresh, worst first. */
  stale_pages: StalePage[];
  /** Proposals of agents that wait for review; for an agent, its own. */
  proposal_count: number;
  /** The embedding model. */
  model: ModelState;
  /** Parts omitted to fit `max_tokens`. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Parameters. */
export interface StatusParams {
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A link on the path. */
export interface Step {
  /** Path of the page at the end of this link. */
  filepath: string;
  /** The link's type. */
  link_type: string;
  /** `outlink` if the previous page contains the link, `backlink` if this page does. */
  direction: string;
}

/** The direction in which a step follows a link. */
export type StepDirection = "outgoing" | "incoming";

/** The suggestions. */
export interface SuggestLinksOutput {
  /** The suggestions, best first. */
  suggestions: Suggestion[];
  /**
   * Mentions of other pages in the text of `page`, which does not link to them, in the order of the text. Without
   * `page`, at most `limit` mentions from all pages, rarest names first.
   */
  mentions: Mention[];
  /** Mentions of `page` in the texts of other pages, which do not link to it, by path. */
  mentioned_by: Mention[];
  /** Whether there are more mentions than these. */
  more_mentions: boolean;
  /** Parts omitted to fit `max_tokens`. */
  omitted: Omitted;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Selects the suggestions. */
export interface SuggestLinksParams {
  /** The linking page (default: all). */
  page?: string | null | undefined;
  /** Minimum confidence. */
  threshold?: number | null | undefined;
  /** Maximum number of suggestions. */
  limit?: number | null | undefined;
  /** Also dismissed and accepted ones. */
  include_decided?: boolean | undefined;
  /** Maximum tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** The suggestions. */
export interface SuggestTypesOutput {
  /** The suggestions, most certain first, then by path and line. */
  suggestions: TypeSuggestion[];
  /** Number of suggestions before `limit`. */
  total: number;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** Selects the suggestions. */
export interface SuggestTypesParams {
  /** Only sentences of this page: path, id, title or alias (default: all pages). */
  page?: string | null | undefined;
  /** Minimum confidence. */
  threshold?: number | null | undefined;
  /** Maximum number of suggestions. */
  limit?: number | null | undefined;
  /** Also return dismissed and accepted suggestions. */
  include_decided?: boolean | undefined;
}

/** A suggested link. */
export interface Suggestion {
  /** The page that should link. */
  source: PageFields;
  /** The page that it should link to. */
  target: PageFields;
  /** Share of suggestions with this confidence that are right, 0 to 1. */
  confidence: number;
  /** Why the link is suggested. */
  reason: string;
  /** The words to turn into a link; absent if the text does not name the target. */
  place: LinkPlace | null;
  /** The decision about it. */
  status: Status;
}

/** A page whose links were removed. */
export interface Task {
  /** The page: path, id, title or alias. */
  page: string;
  /** The pages that it linked to. */
  gold: string[];
}

/** A template. */
export interface TemplateInfo {
  /** Its name: the file name without extension, and for a file in a subfolder its path. */
  name: string;
  /** Path of the file, relative to the project. */
  filepath: string;
  /** What it is for. */
  description: string | null;
  /** The type of its pages. */
  doc_type: string | null;
  /** The folder of its pages, relative to the pages folder. */
  folder: string | null;
  /** Front-matter keys of its pages. */
  fields: Field[];
  /** Headings that its pages must have. */
  headings: string[];
  /** Allowed types of links, each with the allowed types of their targets; empty if everything is allowed. */
  links: Record<string, string[]>;
  /** Why it cannot be used, with the line. */
  problem: string | null;
}

/** Contribution of a word or phrase of the query to a section. */
export interface TermShare {
  /** The term as searched; a trailing `*` means that the last word also matches longer ones. */
  term: string;
  /** Its share of the section's `words`, in proportion to its BM25. */
  score: number;
}

/** How a source of a page differs between both ends of a change, worst first. */
export type Touch = "gone" | "contract_changed" | "changed" | "body_changed" | "added";

/** What a change touches. */
export interface TouchedByChange {
  /** The older side. */
  from: ComparedSide;
  /** The newer side, whose pages these are. */
  to: ComparedSide;
  /** The pages that describe what differs, those to read again first. */
  pages: TouchedPage[];
  /** Symbols that pages name and whose comments or layout alone changed. */
  silent: string[];
  /** Limitations of this comparison, in words. */
  notes: string[];
}

/** A page that describes what a change touches. */
export interface TouchedPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** What it describes and the change touches, worst first. */
  sources: TouchedSource[];
  /** Whether the page itself differs, too. */
  is_changed: boolean;
  /** Whether a review says that the page is accurate after the change. */
  is_reviewed: boolean;
}

/** A source of a page that a change touches. */
export interface TouchedSource {
  /** The source as the page names it, relative to the project: a path, a symbol, a folder or a glob. */
  source: string;
  /** How it differs. */
  change: Touch;
  /** The changed files of a folder or glob, at most 20; otherwise empty. */
  files: string[];
  /** Number of its changed files; 1 for a file or symbol. */
  file_count: number;
  /** Where a source that is gone is now, if that can be told. */
  moved_to: string | null;
  /** Share of such moves that are right, 0 to 1; absent if the content, or the body of a symbol, is equal. */
  confidence: number | null;
  /** The sections that link to it; empty if front matter names it, which concerns the whole page. */
  sections: DescribingSection[];
}

/** A reachable page. */
export interface TraversedPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** Hops from the start, by the shortest path. */
  depth: number;
  /** A shortest path from the start. */
  path: GraphTraverseStep[];
}

/** How far a page has been confirmed. */
export type Trust = "unverified" | "machine_confirmed" | "human_reviewed";

/** A type that a sentence states. */
export interface TypeSuggestion {
  /** Path of the page that should have the link. */
  source: string;
  /** Path of the page that it should lead to. */
  target: string;
  /** The type, as the project spells it. */
  type: string;
  /** Share of such suggestions that are right, 0 to 1. */
  confidence: number;
  /** The sentence. */
  sentence: string;
  /** Path of the page with the sentence. */
  filepath: string;
  /** Its line, from 1. */
  line: number;
  /** The decision about it. */
  status: Status;
}

/** The undone change. */
export interface UndoOutput {
  /** Id of the undone group. */
  undone: string;
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this is a dry run, which writes nothing. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Id of the proposal, if the change was only proposed: a person decides whether it is written. */
  proposal: string | null;
  /** Why the index was not updated after the change was written. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
}

/** The change to undo. */
export interface UndoParams {
  /** Its `audit_id`, or an id from `audit`. */
  entry: string;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** A file that could not be read. */
export interface UnreadableFile {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** The operating system's message. */
  reason: string;
}

/** Judgements of missing pages. */
export interface Unresolved {
  /** Number of judgements. */
  count: number;
  /** The first few. */
  examples: UnresolvedJudgement[];
}

/** A judgement of a missing page. */
export interface UnresolvedJudgement {
  /** Id of the query. */
  query: string;
  /** The page as written in the judgement. */
  page: string;
  /** Paths of the pages that it could mean; empty if there are none. */
  candidates: string[];
}

/** The page after the edit. */
export interface UpdatePageOutput {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was created, RFC 3339. */
  created_at: string;
  /** When it was last changed, RFC 3339. */
  updated_at: string;
  /** Freshness against the code it describes. */
  staleness: Staleness;
  /** SHA-256 of the file after the edit, for the next `expected_hash`. */
  content_hash: string;
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this is a dry run, which writes nothing. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Id of the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Id of the proposal, if the change was only proposed: a person decides whether it is written. */
  proposal: string | null;
  /** Why the index was not updated after the change was written. */
  index_error: string | null;
  /** Whether the index is up to date. */
  index: IndexState;
  /** Number of replacements of `old`. */
  replaced_count: number;
  /** Ids of the subsections that were kept. */
  kept_sections: string[];
  /** Ids of the subsections that were removed. */
  removed_sections: string[];
}

/** The page, and its new text. */
export interface UpdatePageParams {
  /** The page: path, id, title or alias. */
  page: string;
  /** Exact text to replace; must occur once. */
  old?: string | null | undefined;
  /** Replacement for `old`. */
  new?: string | null | undefined;
  /** Replace every occurrence of `old`. */
  all?: boolean | undefined;
  /** Markdown to write; see `mode`. */
  content?: string | null | undefined;
  /** Where `content` goes (default with `section`: `replace_section`). */
  mode?: Mode | null | undefined;
  /**
   * `section_id`. Keeps its heading unless `content` starts with one, and its subsections unless `content` has
   * further headings.
   */
  section?: string | null | undefined;
  /** Replace the subsections of `section` too. */
  replace_subsections?: boolean | undefined;
  /** `content_hash` of the page as read. Agents need it to replace a section or the whole text. */
  expected_hash?: string | null | undefined;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** A decision about a proposal. */
export type Verdict = "accepted" | "rejected" | "withdrawn";

/** A page in the graph that does not exist. */
export interface WantedNode {
  /** Names it in edges. */
  id: string;
  /** Its name, as the links write it. */
  target: string;
  /** Links to it, one per page and type. */
  link_count: number;
  /** Hops from the center page; absent without one. */
  depth: number | null;
}

/** A missing page that links name. */
export interface WantedPage {
  /** The target as links write it. */
  target: string;
  /** Links to it. */
  links: number;
  /** Pages with such links. */
  pages: number;
}

/** Which proposals to list. */
export type Which = "open" | "decided" | "all";

/** Which comments. */
export type WhichComments = "open" | "resolved" | "all";

/** The withdrawn proposal. */
export interface WithdrawProposalOutput {
  /** Its id. */
  withdrawn: string;
}

/** The proposal to withdraw. */
export interface WithdrawProposalParams {
  /** Its id. */
  proposal: string;
}
