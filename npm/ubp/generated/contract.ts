// Made from the schemas of the operation table; do not edit. To make it anew:
// UBP_UPDATE=1 cargo test -p ubp-tests --no-default-features contract

/** What each operation takes and gives. */
export interface Operations {
  /** Find pages on a subject or question, by meaning, words and links; gives the sections that match. Begin here. */
  search: { params: SearchParams; output: SearchOutput };
  /** Complete the name of a page: letters of its title, alias or path, in their order. */
  complete: { params: CompleteParams; output: CompleteOutput };
  /** Find sections by exact words, identifiers or "phrases": when you know what the text says. */
  fulltext_search: { params: FulltextSearchParams; output: FulltextSearchOutput };
  /** Read one page, or a section of it: text, links both ways, and whether code overtook it. */
  get_page: { params: GetPageParams; output: GetPageOutput };
  /** Read a page together with summaries of the pages linked with it: to understand a subject in one call. */
  get_context: { params: GetContextParams; output: GetContextOutput };
  /** List pages with their types, times, link counts and freshness. */
  list_pages: { params: ListPagesParams; output: ListPagesOutput };
  /** Read one page as HTML that is safe to show, with its headings and its address on a site. */
  render_page: { params: RenderPageParams; output: RenderPageOutput };
  /** Show which pages link to which, around one page or of the whole project: its structure. */
  get_graph: { params: GetGraphParams; output: GetGraphOutput };
  /** List the pages some hops from a page, by link type and direction, with the way to each: what it stands on. */
  graph_traverse: { params: GraphTraverseParams; output: GraphTraverseOutput };
  /** List the pages that a change of a page, source file or folder affects, and how likely: ask before you change it. */
  get_impact: { params: GetImpactParams; output: GetImpactOutput };
  /** Suggest links that are missing, with the reason and the place for each. */
  suggest_links: { params: SuggestLinksParams; output: SuggestLinksOutput };
  /** Count pages, links and vectors, and name the pages that code overtook. */
  status: { params: StatusParams; output: StatusOutput };
  /** List pages whose code changed since they were reviewed, and pages that depend on those. */
  check_staleness: { params: CheckStalenessParams; output: CheckStalenessOutput };
  /** Find the pages that describe a code file, with their freshness. */
  refs: { params: RefsParams; output: RefsOutput };
  /** Find broken links, unreadable pages and other problems, and how to fix them. */
  doctor: { params: DoctorParams; output: DoctorOutput };
  /** Create a page; a name that another page has is refused. */
  create_page: { params: CreatePageParams; output: CreatePageOutput };
  /** Edit a page: replace `old` by `new`, replace a section or the whole text, or append. */
  update_page: { params: UpdatePageParams; output: UpdatePageOutput };
  /** Give a page another path or title; every link to it and from it follows. */
  rename_page: { params: RenamePageParams; output: RenamePageOutput };
  /** Move a page to the trash; the answer names the links that break. */
  delete_page: { params: DeletePageParams; output: DeletePageOutput };
  /** Find and replace text on all pages, as one change. */
  replace: { params: ReplaceParams; output: ReplaceOutput };
  /** Make a suggested link where the text names the other page. */
  accept: { params: AcceptParams; output: AcceptOutput };
  /** Remember that a suggested link is not wanted. */
  dismiss: { params: DismissParams; output: DismissOutput };
  /** Record that pages were reviewed against their code; a stale page only when it is said to be still accurate. */
  review_page: { params: ReviewPageParams; output: ReviewPageOutput };
  /** Say what a change did to the graph: pages, links, broken links, cycles, stale pages, and whom it affects. */
  diff: { params: DiffParams; output: DiffOutput };
  /** List the changes that were made through UBP, the latest first. */
  audit: { params: AuditParams; output: AuditOutput };
  /** Undo a change that was made through UBP, in all files that it changed. */
  undo: { params: UndoParams; output: UndoOutput };
  /** Bring the index up to date, vectors included; complete front matter where it is managed. */
  add: { params: AddParams; output: AddOutput };
  /** Rebuild the index from the files; vectors of unchanged text are kept. */
  rebuild: { params: RebuildParams; output: RebuildOutput };
  /** Read the whole text of a page, front matter included, for an editor. */
  read_page: { params: ReadPageParams; output: ReadPageOutput };
  /** Save the whole text of a page from an editor, front matter included. */
  save_page: { params: SavePageParams; output: SavePageOutput };
  /** Find where links lead as they are typed, before the page is saved. */
  resolve_links: { params: ResolveLinksParams; output: ResolveLinksOutput };
  /** List the pages whose address on a site is not their path with .html in place of its ending. */
  addresses: { params: AddressesParams; output: AddressesOutput };
  /** List the favourite pages of whoever works here, add some, or take some off the list. */
  favorites: { params: FavoritesParams; output: FavoritesOutput };
  /** Show what changed in a page's code since it was reviewed: commits and differences. */
  source_diff: { params: SourceDiffParams; output: SourceDiffOutput };
  /** Measure how good search is on questions with known answers; compare settings. */
  evaluate: { params: EvaluateParams; output: EvaluateOutput };
  /** Ask pages by SQL over front matter, text and meaning, for conditions, sorting and counts: one SELECT over files. */
  query: { params: QueryParams; output: QueryOutput };
  /** List the columns that a query can name: front-matter keys with their types and counts. */
  query_inspect: { params: QueryInspectParams; output: QueryInspectOutput };
  /** Tell whether vectors are complete, so that a query can use embedding and embed(). */
  index_status: { params: IndexStatusParams; output: IndexStatusOutput };
  /** Bring text, links and front matter up to date with the files; servers do so by themselves after every edit. */
  index_refresh: { params: IndexRefreshParams; output: IndexRefreshOutput };
  /** Remember something for later, as a page that people can read; a memory about the same topic is updated. */
  remember: { params: RememberParams; output: RememberOutput };
  /** Find what agents remembered here before, by words and meaning; without a query, by type and tags. */
  recall: { params: RecallParams; output: RecallOutput };
  /** List memories, by type and topic, with how often they were needed. */
  list_memories: { params: ListMemoriesParams; output: ListMemoriesOutput };
  /** Forget a memory: its page goes to the trash, and can be brought back. */
  forget: { params: ForgetParams; output: ForgetOutput };
  /** Put memories together as Markdown documents, one for each type. */
  document_memories: { params: DocumentMemoriesParams; output: DocumentMemoriesOutput };
  /** Make one of memories that say the same; links follow, and what is replaced can be brought back. */
  reindex_memories: { params: ReindexMemoriesParams; output: ReindexMemoriesOutput };
  /** Find passages of documents by meaning alone, as chunks of text: a question in natural language. */
  search_documents: { params: SearchDocumentsParams; output: SearchDocumentsOutput };
  /** Take a Markdown document into the index now, with vectors for all of its chunks. */
  index_markdown: { params: IndexMarkdownParams; output: IndexMarkdownOutput };
  /** List the indexed documents: file name, number of chunks, and times. */
  list_documents: { params: ListDocumentsParams; output: ListDocumentsOutput };
  /** Take a document out of the index and its folder; the file goes to the trash. */
  delete_document: { params: DeleteDocumentParams; output: DeleteDocumentOutput };
  /** Take a document out of the index and in again; its chunk size stays. */
  reindex_document: { params: ReindexDocumentParams; output: ReindexDocumentOutput };
}

export type OperationName = keyof Operations;

/** The link that was made. */
export interface AcceptOutput {
  /** Path of the page that links now. */
  source: string;
  /** Path of the page that it links to. */
  target: string;
  /** Where. */
  place: LinkPlace;
  /** The link, as it was written. */
  link: string;
  /** SHA-256 of the page's file after the edit. */
  content_hash: string;
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this only shows what would be written. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Names the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Why the index was not updated, although the change was written. */
  index_error: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** Which link. */
export interface AcceptParams {
  /** The page that should link: path, id, title or alias. */
  source: string;
  /** The page that it should link to. */
  target: string;
  /** The line to link on, as suggested; the best place when absent. */
  line?: number | null | undefined;
  /** The words to link, as suggested. */
  text?: string | null | undefined;
  /** `content_hash` of the page that should link, as it was read; agents must give it. */
  expected_hash?: string | null | undefined;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** What became of the memory. */
export type Action = "created" | "updated";

/** What was done. */
export interface AddOutput {
  /** Pages that are new in the index. */
  added: string[];
  /** Pages whose content is new. */
  changed: string[];
  /** Pages that are gone. */
  removed: string[];
  /** Pages that moved. */
  renamed: Renamed[];
  /** Files that could not be read, with the reason; everything else went on. */
  unreadable: UnreadableFile[];
  /**
   * Page files that were written, because the project's front matter is managed or pages were
   * asked for.
   */
  written: string[];
  /** Texts that went through the model. */
  embedded: number;
  /** Texts whose vectors were known already. */
  reused: number;
  /** How true the index is. */
  index: IndexState;
}

/** Which pages. */
export interface AddParams {
  /** Pages, each by path, id, title or alias; all pages when empty. */
  pages?: string[] | undefined;
  /** Also create an empty page for every link on these pages that leads nowhere. */
  create_missing?: boolean | undefined;
}

/** The pages. */
export interface AddressesOutput {
  /**
   * Address relative to the site's top, percent-encoded, by the page's path. Of pages with the same path but for case,
   * Unicode form and ending all but the first are here, and those that would lie where a site has files of its own.
   */
  addresses: Record<string, string>;
}

/** Nothing is asked. */
export type AddressesParams = Record<string, never>;

/** A page that a change affects. */
export interface AffectedPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /**
   * How likely it is affected, above 0 and at most 1: the strength of the weakest link on the way,
   * halved by every hop but the first.
   */
  score: number;
  /** Fewest hops that the change takes to get here. */
  distance: number;
  /** The strongest of the ways with that many hops, from what changes to here. */
  path: GetImpactStep[];
}

/** A change of one file. */
export interface AuditEntry {
  /** Names it. */
  id: string;
  /** Names the changes that belong together: what `undo` takes back. */
  group: string;
  /** When, RFC 3339. */
  at: string;
  /** Who asked for it. */
  caller: Caller;
  /** What the agent calls itself. */
  agent: string | null;
  /** The operation. */
  operation: string;
  /** Path of the page; of a file of reviews or decisions, `.ubp/` and its name. */
  filepath: string;
  /** Its path before, if it moved. */
  moved_from: string | null;
  /** Where it lies below `.ubp/trash/`, if it was deleted. */
  trash: string | null;
  /** SHA-256 of the file before; absent for a new page. */
  previous_hash: string | null;
  /** SHA-256 of the file after; absent for a deleted page. */
  content_hash: string | null;
  /** What came of it. */
  outcome: OutcomeKind;
  /** The group that it took back. */
  undoes: string | null;
  /** The group that took it back. */
  undone_by: string | null;
  /** Unified diff. For agents empty in a list, and at most 8,000 bytes. */
  diff: string;
  /** Text before; only where one entry is asked for, and absent where it is no text or did not change. */
  before: string | null;
  /** Text after, likewise. */
  after: string | null;
}

/** The changes. */
export interface AuditOutput {
  /** The change that was asked for. */
  entry: string | null;
  /** The latest first. */
  entries: AuditEntry[];
  /** How many there are, those left out included. */
  total: number;
}

/** Which changes. */
export interface AuditParams {
  /** Only changes of this page: path (also a former one), id, title or alias. */
  page?: string | null | undefined;
  /** Only this change, or this group of changes, by its id; with the whole texts. */
  entry?: string | null | undefined;
  /** Most entries (1 to 1000, default 20). */
  limit?: number | null | undefined;
}

/** A paragraph that links can lead to by name. */
export interface Block {
  /** The name after `^`. */
  name: string;
  /** Line of the marker. */
  line: number;
}

/** A link that broke. */
export interface BrokenLink {
  /** The page that links. */
  filepath: string;
  /** The first line of it that does, from 1. */
  line: number;
  /** The target as written. */
  target: string;
  /** Why it leads nowhere. */
  reason: BrokenReason;
  /** The page or file that it led to before. */
  led_to: string | null;
  /** Where that page is now, if it moved. */
  moved_to: string | null;
}

/** Why a link leads nowhere. */
export type BrokenReason = "new_link" | "target_removed" | "target_moved" | "name_changed";

/** Who asks: agents may do less than people. */
export type Caller = "person" | "agent";

/** The page in the middle. */
export interface CenterPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** Its text, front matter left out. */
  content: string;
}

/** A file that was changed, or would be. */
export interface ChangedFile {
  /** Its path relative to the pages folder; the one it had, for a deleted page. */
  filepath: string;
  /** Its former path, for a page that moved. */
  moved_from: string | null;
  /** SHA-256 of the file before; absent for a new page. */
  previous_hash: string | null;
  /** SHA-256 of the file after; absent for a deleted page. */
  content_hash: string | null;
  /** Where a deleted page lies, relative to `.ubp/trash/`; absent while nothing is written. */
  trash: string | null;
}

/** A link that came or went. However often a page writes it, it is one. */
export interface ChangedLink {
  /** The page that links. */
  from: string;
  /** The link's type. */
  link_type: string;
  /** The page that it leads to; absent for a link to a file. */
  to: string | null;
  /** The file that it leads to, relative to the project; absent for a link to a page. */
  source_path: string | null;
}

/** A page that changed. */
export interface ChangedPage {
  /** Its path, relative to the pages folder. */
  filepath: string;
  /** The path that it had, for a page that moved. */
  previous_filepath: string | null;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** Fields of its front matter that differ, sorted; empty for pages that are new or gone. */
  fields: string[];
  /**
   * Sections that differ, in their order on the page, those that are gone last; empty for pages
   * that are new or gone.
   */
  sections: ChangedSection[];
}

/** A section that changed. */
export interface ChangedSection {
  /** Its id on the page. */
  section_id: string;
  /** Its heading and those above it, outermost first; empty for text before the first heading. */
  heading_path: string[];
  /** What happened to it. */
  change: SectionChange;
}

/** What was found. */
export interface CheckStalenessOutput {
  /** Pages that are not fresh, or suspect, worst first; the page that was asked for in any case. */
  pages: CheckedPage[];
  /** All pages of the project by freshness. */
  counts: FreshnessCounts;
  /** Pages with sources that are judged by times because nobody reviewed them. */
  unreviewed_page_count: number;
  /** Lines of `.ubp/refs.lock` that could not be used. */
  lock_problems: LockProblem[];
  /** What was left out to fit `max_tokens`. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** Which pages. */
export interface CheckStalenessParams {
  /** Only this page, fresh or not: path, id, title or alias. */
  page?: string | null | undefined;
  /** Only this page, by its path. */
  filepath?: string | null | undefined;
  /** Only this page, by its title. */
  title?: string | null | undefined;
  /** Only this page, by its id. */
  id?: string | null | undefined;
  /** Only pages with this freshness. */
  only?: Staleness | null | undefined;
  /** Only pages that changed, or whose sources did, since this revision. */
  changed_since?: string | null | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A page and why it is in doubt. */
export interface CheckedPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** Every reason once. */
  reasons: StaleReason[];
  /** Sources that changed since the page was reviewed, or are not there. */
  stale_refs: string[];
  /** The same with times and reasons. */
  stale_ref_details: StaleRef[];
  /** For a suspect page the way to the page that is not fresh, itself first; else empty. */
  suspect_path: string[];
  /** Whether all of its sources are judged by a review and not by times. */
  reviewed: boolean;
  /** The call that settles it once the page was read; absent for a page that needs nothing. */
  settle_with: Next | null;
}

/** A column. */
export interface ColumnInfo {
  /** What pages write there: `string`, `array`, `object`, or `FLOAT[n]` for vectors. All but vectors are text in SQL. */
  type: string;
  /** Pages that have it. */
  count: number;
  /** Whether pages lack it. */
  nullable: boolean;
}

/** One of the two states that are compared. */
export interface ComparedSide {
  /** The revision as it was given; absent for the working folder. */
  revision: string | null;
  /** Full name of its commit; absent for the working folder. */
  commit: string | null;
}

/** How a way to rank differs from the baseline. */
export interface Comparison {
  /** Which evidence ranks. */
  mode: SearchMode;
  /** Weight of relevance against links; `null` where links have no say. */
  alpha: number | null;
  /** Hops over which links lend relevance; `null` where links have no say. */
  depth: number | null;
  /** Its mean `ndcg_at_10` less that of the baseline. */
  difference: number;
  /** 95 % confidence interval of the difference: paired bootstrap over queries. */
  interval: [number, number];
  /**
   * Probability of a difference at least this large, either way, were the two equally good: paired
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

/** The pages that it may become. */
export interface CompleteOutput {
  /** Pages, best first. */
  pages: Completion[];
  /** Pages that match, before `limit`. */
  total: number;
}

/** What was typed. */
export interface CompleteParams {
  /** What was typed so far; nothing for the first pages by path. */
  text?: string | undefined;
  /** Most pages to return, 1 to 100; 10 when absent. */
  limit?: number | null | undefined;
}

/** A page that what was typed may become. */
export interface Completion {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** The name that matches best: the title, an alias, or the path without its ending. */
  name: string;
  /** Where it lives on a site, relative to the site's top, percent-encoded. */
  url: string;
}

/** How many affected pages there are of each kind. */
export interface Counts {
  /** By type of the page. */
  by_doc_type: Record<string, number>;
  /** By type of the last link on the way. */
  by_link_type: Record<string, number>;
  /** By distance. */
  by_distance: Record<string, number>;
}

/** The page that was made. */
export interface CreatePageOutput {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** SHA-256 of the file after the edit, to be carried by the next one. */
  content_hash: string;
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this only shows what would be written. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Names the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Why the index was not updated, although the change was written. */
  index_error: string | null;
  /** How true the index is. */
  index: IndexState;
  /** Paths of other pages with this title, alias or file name. */
  same_name: string[];
  /** Links to other pages that lead to the new page now. */
  moved_links: MovedLink[];
  /** Pages whose names are spelled alike. */
  similar: string[];
}

/** The new page. */
export interface CreatePageParams {
  /** Its title. */
  title: string;
  /** Its path relative to the pages folder; made from the title when absent. */
  path?: string | null | undefined;
  /** The folder it lies in, relative to the pages folder, where its file is named after the title. */
  folder?: string | null | undefined;
  /** Markdown. A first heading with the title is added unless it has one. */
  content?: string | undefined;
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

/** Pages that depend on each other. */
export interface Cycle {
  /** How many pages are part of it. */
  page_count: number;
  /** A short way round, the first page not repeated at the end. */
  way: string[];
}

/** Dependency cycles that came or went. */
export interface CycleChanges {
  /** Cycles that are new, or that more pages have become part of. */
  added: Cycle[];
  /** Cycles that are gone, or that fewer pages are part of. */
  removed: Cycle[];
}

/** What became of it. */
export interface DeleteDocumentOutput {
  /** Its path relative to the documents folder. */
  filename: string;
  /** That it is gone from there. */
  deleted: boolean;
  /** Where its file lies now, relative to `.ubp/trash/`. */
  trash: string | null;
  /** Names the change in the audit log, for taking it back. */
  audit_id: string | null;
  /** Why the index was not updated, although the file went. */
  index_error: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** Which document. */
export interface DeleteDocumentParams {
  /** Its path, as ubp_list_documents has it. */
  filename: string;
}

/** The page that went, and what led to it. */
export interface DeletePageOutput {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** SHA-256 of its file. */
  content_hash: string;
  /** Where it lies now, relative to `.ubp/trash/`. */
  trash: string | null;
  /** Links that led to the page; with `unlink` they are plain text now. */
  links: LostLink[];
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this only shows what would be written. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Names the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Why the index was not updated, although the change was written. */
  index_error: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** Which page. */
export interface DeletePageParams {
  /** The page: path, id, title or alias. */
  page: string;
  /** Turn the links to the page into the text that they show. */
  unlink?: boolean | undefined;
  /** That the page is really meant to go; agents must say so. */
  confirm?: boolean | undefined;
  /** `content_hash` of the page as it was read; agents must give it. */
  expected_hash?: string | null | undefined;
  /** Only show what would happen. */
  dry_run?: boolean | undefined;
}

/** A page that describes the file. */
export interface DescribingPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** Entries of the page that stand for the file: itself, a folder, a glob. */
  named_as: string[];
  /** What is wrong with this file for this page; absent when nothing is. */
  reason: StaleReason | null;
}

/** Something in a page that could not be understood. */
export interface Diagnostic {
  /** Line, from 1. */
  line: number;
  /** Stable name of the problem, such as `front_matter_syntax`. */
  code: string;
  /** What is wrong, in a sentence. */
  message: string;
}

/** A page that a change affects. */
export interface DiffAffectedPage {
  /** Its path, relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** How likely it is affected, above 0 and at most 1. */
  score: number;
  /** Hops from what changed. */
  distance: number;
  /** The surest way, from what changed to here. */
  path: DiffStep[];
}

/** What changed. */
export interface DiffOutput {
  /** The older side. */
  from: ComparedSide;
  /** The newer side. */
  to: ComparedSide;
  /** What happened to pages. */
  pages: PageChanges;
  /** What happened to links between pages, and from pages to files. */
  links: LinkChanges;
  /** Links that lead nowhere now and did not before, by page and line. */
  broken_links: BrokenLink[];
  /** Links that led nowhere before and do not now, by page. */
  mended_links: MendedLink[];
  /** Dependency cycles. */
  cycles: CycleChanges;
  /** Freshness. */
  staleness: StalenessChanges;
  /** Pages without any link to or from another page. */
  orphans: OrphanChanges;
  /** Files that differ and that pages name as their sources, relative to the project. */
  changed_sources: string[];
  /** Pages that did not change but stand on a page or file that did, highest score first. */
  impact: DiffAffectedPage[];
  /** How many pages are affected, before `limit`. */
  total_affected: number;
  /** What limits this comparison, in words. */
  notes: string[];
  /** How true the index is, where the working folder is the newer side. */
  index: IndexState | null;
}

/** What to compare. */
export interface DiffParams {
  /**
   * `A..B`: two revisions. `A...B`: B, and the last commit that it has in common with A. `A`: a
   * revision, and the working folder. HEAD and the working folder when absent.
   */
  range?: string | null | undefined;
  /** Hops over which impact is followed, 1 to 5; 3 when absent. */
  depth?: number | null | undefined;
  /** Most affected pages to return, highest score first; 100 when absent. */
  limit?: number | null | undefined;
}

/** One step of a way. */
export interface DiffStep {
  /** Where it begins: the path of a page, or of the file that the way starts from. */
  from: string;
  /** The path of the page it leads to. */
  to: string;
  /** Type of the link that is followed; `source_refs` where the front matter names the file. */
  link_type: string;
  /** Which way the link is followed, seen from `from`. */
  direction: StepDirection;
}

/** What is remembered; it holds in both directions. */
export interface DismissOutput {
  /** Path of the one page. */
  source: string;
  /** Path of the other. */
  target: string;
  /** Names the decision in the audit log. */
  audit_id: string | null;
}

/** Which link. */
export interface DismissParams {
  /** The page that should not link: path, id, title or alias. */
  source: string;
  /** The page that it should not link to. */
  target: string;
}

/** What was found. */
export interface DoctorOutput {
  /** Every finding, worst first, then by file and line; of the kind that was asked for. */
  findings: Finding[];
  /** The kind that was asked for; absent when all were. */
  kind: string | null;
  /** Findings by code, whatever was asked for. */
  counts: Record<string, number>;
  /** Pages that links ask for and that are not there, most wanted first. */
  wanted_pages: WantedPage[];
  /** What was left out to fit `max_tokens`. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** Which findings. */
export interface DoctorParams {
  /** All findings of this kind, such as `unresolved_link`; the first of every kind when absent. */
  kind?: string | null | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A text to search. */
export interface Document {
  /** What judgements and links call it. */
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
  /** The link's type; `references` unless given. */
  link_type?: string | null | undefined;
}

/** The memories of one type. */
export interface DocumentMemoriesDocument {
  /** What they are about. */
  type: MemoryType;
  /** The name that the file goes by. */
  file_name: string;
  /** Memories in it. */
  memory_count: number;
  /** The document. */
  text: string;
}

/** The documents. */
export interface DocumentMemoriesOutput {
  /** In the order of types; that of a type without memories has its title alone. */
  documents: DocumentMemoriesDocument[];
  /** Pages that should be memories and cannot be read as such. */
  skipped: Skipped[];
  /** How true the index is. */
  index: IndexState;
}

/** Which documents. */
export interface DocumentMemoriesParams {
  /** Only that of this type; all three when absent. */
  type?: MemoryType | null | undefined;
}

/** What was measured. */
export interface EvaluateOutput {
  /** Queries that were measured. */
  query_count: number;
  /** Queries left out, because no page that is there was judged relevant to them. */
  skipped_query_count: number;
  /** Pages that were searched. */
  page_count: number;
  /** Links between them. */
  link_count: number;
  /** Links of the set from or to documents that it does not have. */
  unresolved_link_count: number;
  /** Judgements about pages that are not there; they do not count. */
  unresolved_judgements: Unresolved;
  /** Judgements about queries that the set does not have; they do not count. */
  unknown_query_judgement_count: number;
  /** What others are compared with: the search as the project has it, or the one that was asked for. */
  baseline: Setting;
  /** What each mode reaches, by its name. */
  modes: Record<string, Run>;
  /** What hybrid search reaches with each alpha and depth, when a comparison was asked for. */
  settings: Run[];
  /** How the baseline and each other run differ on the same queries. */
  comparisons: Comparison[];
  /** The queries on which the baseline does worst, worst first. */
  weakest: QueryScore[];
  /** How true the index is. */
  index: IndexState;
}

/** What to measure, and with what. */
export interface EvaluateParams {
  /** The questions. */
  queries: Query[];
  /** Which pages answer them. */
  judgements: Judgement[];
  /** Texts to search in place of the project's pages. */
  documents?: Document[] | null | undefined;
  /** Links between these texts. */
  links?: DocumentLink[] | undefined;
  /** Measure every mode, and hybrid search with several alphas and depths, side by side. */
  compare?: boolean | undefined;
  /** Which evidence ranks: hybrid (default), vector or fulltext. Not with `compare`. */
  mode?: SearchMode | null | undefined;
  /** Weights of relevance against links, 0 to 1; more than one only with `compare`. */
  alphas?: number[] | undefined;
  /** Hops over which linked pages lend each other relevance, 1 to 3; more than one only with `compare`. */
  depths?: number[] | undefined;
  /** Most queries to list of each kind: the weakest, the largest wins and losses. 0 to 100, default 5. */
  examples?: number | null | undefined;
}

/** What led to a score. All numbers have four decimals; sums hold within their rounding. */
export interface Explanation {
  /** The sum in one line. */
  formula: string;
  /** What adds up to the score. */
  parts: ScoreParts;
  /** Share of relevance in the score, 0 to 1; the rest is graph proximity. */
  alpha: number;
  /** Relevance before links: meaning, words and further sections together. */
  relevance: number;
  /** The query's words that counted. */
  terms: string[];
  /** The query's words that did not, being too common to say anything. */
  ignored_terms: string[];
  /** The best sections, at most five. The first gave `meaning` and `words`. */
  sections: SectionEvidence[];
  /** All sections of the page that were found. */
  section_count: number;
  /** The linked result that lifted the page, where one did. */
  lifted_by: LiftedBy | null;
}

/** Why a query cannot be ranked by meaning. */
export type Fallback = "model_missing" | "unknown_script" | "vectors_pending";

/** The list. */
export interface FavoritesOutput {
  /** Paths of the pages that are there, in the order in which they were added. */
  pages: string[];
}

/** What to change; nothing to read the list. */
export interface FavoritesParams {
  /** Pages to put at the end of the list: paths, ids, titles or aliases. */
  add?: string[] | undefined;
  /** Pages to take off the list, named in the same way. */
  remove?: string[] | undefined;
}

/** A problem. */
export interface Finding {
  /** How bad it is. */
  severity: Severity;
  /** Stable name of the kind of problem. */
  code: string;
  /** The file concerned, relative to the pages folder; absent when it is the whole project. */
  filepath: string | null;
  /** The line concerned, from 1. */
  line: number | null;
  /** What is wrong. */
  message: string;
  /** The way out. */
  hint: string | null;
}

/** The memory that went. */
export interface ForgetOutput {
  /** Its id. */
  id: string;
  /** What it is about. */
  type: MemoryType;
  /** Its topic. */
  topic: string;
  /** Its tags. */
  tags: string[];
  /** How often somebody remembered it again. */
  reference_count: number;
  /** How far it can be trusted, 0 to 1. */
  confidence: number;
  /** When it was remembered first, in seconds since 1970. */
  created_at: number;
  /** When it was recalled or remembered last, in seconds since 1970; absent if never on this machine. */
  last_accessed: number | null;
  /** Where it comes from, as far as that was told. */
  source: string | null;
  /** Its page, relative to the pages folder. */
  filepath: string;
  /** Where its page lies now, relative to `.ubp/trash/`; absent while nothing is written. */
  trash: string | null;
  /** Links that led to it. */
  links: LostLink[];
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this only shows what would be written. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Names the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Why the index was not updated, although the change was written. */
  index_error: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** Which memory. */
export interface ForgetParams {
  /** The memory: its id, topic or path. */
  memory: string;
  /** Its type, where memories of several types have this topic. */
  type?: MemoryType | null | undefined;
  /** Only show what would happen. */
  dry_run?: boolean | undefined;
}

/** A chunk that was found. */
export interface Found {
  /** The document's path relative to the documents folder. */
  document: string;
  /** Its text. */
  chunk: string;
  /** Cosine similarity with the query, 0 to 1, four decimals; absent where words alone led here. */
  similarity: number | null;
  /** Characters of the file before the chunk. */
  position: number;
  /** Line of the file that the chunk begins on, from 1. */
  line: number;
}

/** Pages by freshness. */
export interface FreshnessCounts {
  /** At least as new as what they describe. */
  fresh: number;
  /** Overtaken not long ago. */
  possibly_stale: number;
  /** Overtaken longer ago. */
  stale: number;
  /** Without sources. */
  untracked: number;
}

/** What was found. */
export interface FulltextSearchOutput {
  /** Sections, best first. */
  results: SectionMatch[];
  /** Sections that match, at most 1000. */
  total_found: number;
  /** What was asked for and is on no page, a sentence each. */
  unmatched: string[];
  /** What was left out to fit `max_tokens`. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** What to look for. */
export interface FulltextSearchParams {
  /** Words, identifiers, paths, or "an exact phrase" in quotes. */
  query: string;
  /** Most sections. */
  limit?: number | null | undefined;
  /** Only pages of this type. */
  doc_type?: string | null | undefined;
  /** Only pages in this folder or below. */
  folder?: string | null | undefined;
  /** Only pages with all of these tags. */
  tags?: string[] | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** The page and its surroundings. */
export interface GetContextOutput {
  /** The page in the middle. */
  center: CenterPage;
  /** The pages around it, nearest first; of those as near, the strongest link first. */
  related: RelatedPage[];
  /** Characters of this answer as JSON, with a line break at its end. */
  total_size: number;
  /** Related pages that were left out for size. */
  truncated_count: number;
  /** What was left out for size. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** Which page, and how far around it. */
export interface GetContextParams {
  /** The page: path, id, title or alias. */
  page?: string | null | undefined;
  /** The same as `page`, by its path. */
  filepath?: string | null | undefined;
  /** Its id, instead of `page`. */
  page_id?: string | null | undefined;
  /** Hops around the page. */
  depth?: number | null | undefined;
  /** Follow only links of these types. */
  link_types?: string[] | undefined;
  /** Most characters in the answer as JSON. */
  max_size?: number | null | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A part of the graph. */
export interface GetGraphOutput {
  /** Pages, nearest first, then the most linked. */
  nodes: GraphNode[];
  /** Links between them, one per source, target and type. */
  edges: GraphEdge[];
  /** Pages in reach before `limit`. */
  total_nodes: number;
  /** What was left out to fit `max_tokens`. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** Which part of the graph. */
export interface GetGraphParams {
  /** The page in the middle: path, id, title or alias. All pages when absent. */
  page?: string | null | undefined;
  /** The same as `page`. */
  center?: string | null | undefined;
  /** Its id, instead of `page`. */
  center_page_id?: string | null | undefined;
  /** Hops around the page. */
  depth?: number | null | undefined;
  /** Which way links are followed. */
  direction?: GraphDirection | null | undefined;
  /** Follow only links of these types. */
  link_types?: string[] | undefined;
  /** Most pages, nearest or most linked first. */
  limit?: number | null | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** What a change affects. */
export interface GetImpactOutput {
  /** The page that changes; absent when something else does. */
  changed_page: PageFields | null;
  /** The source file that changes, relative to the project; absent when something else does. */
  changed_file: string | null;
  /**
   * The folder whose pages and files change, relative to the project and empty for the project
   * itself; absent when something else changes.
   */
  changed_folder: string | null;
  /** The pages affected, highest score first. */
  affected: AffectedPage[];
  /** Pages affected before `limit`. */
  total_affected: number;
  /** How many there are of each kind, before `limit`. */
  counts: Counts;
  /** What was left out to fit `max_tokens`. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** What changes, and how far to look. */
export interface GetImpactParams {
  /** What changes: a page, or else a source file or a folder. */
  page?: string | null | undefined;
  /** Its path, instead of `page`. */
  filepath?: string | null | undefined;
  /** Its id, instead of `page`. */
  page_id?: string | null | undefined;
  /** The source file or folder that changes, instead of `page`. It may be gone. */
  file?: string | null | undefined;
  /** Hops that the change may take. */
  depth?: number | null | undefined;
  /** Let the change pass only links of these types. */
  link_types?: string[] | undefined;
  /** Only pages of these types. */
  doc_type?: string[] | undefined;
  /** Most pages, highest score first. */
  limit?: number | null | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** One step of a way. */
export interface GetImpactStep {
  /** Where it begins: the path of a page, or of the file that the way starts from. */
  from: string;
  /** The path of the page it leads to. */
  to: string;
  /** Type of the link that is followed; `source_refs` where the front matter names the file. */
  link_type: string;
  /** Which way the link is followed, seen from `from`. */
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
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** SHA-256 of the file, to be carried by edits. */
  content_hash: string;
  /** The section that was asked for; absent when the whole page was. */
  section: string | null;
  /** Text of the sections, front matter left out. */
  content: string;
  /** Its sections in order. */
  sections: PageSection[];
  /** Sections that `max_tokens` left out, to be asked for by `section`. */
  omitted_sections: OmittedSection[];
  /** Front matter as written. */
  front_matter: Record<string, unknown>;
  /** Other names of the page. */
  aliases: string[];
  /** Its tags. */
  tags: string[];
  /** Where it links to; of a section, where that does. */
  outlinks: LinkInfo[];
  /** What links to it. */
  backlinks: LinkInfo[];
  /** Sources that changed since the page did. */
  stale_refs: string[];
  /** The same with times and reasons. */
  stale_ref_details: StaleRef[];
  /** What was left out to fit `max_tokens`. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** Which page. */
export interface GetPageParams {
  /** The page: path, id, title or alias. */
  page?: string | null | undefined;
  /** The same as `page`, by its path. */
  filepath?: string | null | undefined;
  /** Its title, instead of `page`. */
  title?: string | null | undefined;
  /** Its id, instead of `page`. */
  id?: string | null | undefined;
  /** Only this section and those below it, by its id in an answer. */
  section?: string | null | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** Which way links are followed. */
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
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** Links to and from other pages. */
  link_count: number;
  /** Hops from the page in the middle; absent without one. */
  depth: number | null;
}

/** What is within reach. */
export interface GraphTraverseOutput {
  /** The page it starts from. */
  start: PageFields;
  /** The pages in reach, nearest first; a page on the way to another comes before it. */
  pages: TraversedPage[];
  /** Pages in reach before `limit`. */
  total_pages: number;
  /** What was left out to fit `max_tokens`. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** Where to start and what to follow. */
export interface GraphTraverseParams {
  /** The page to start from: path, id, title or alias. */
  page?: string | null | undefined;
  /** Its path, instead of `page`. */
  filepath?: string | null | undefined;
  /** Its id, instead of `page`. */
  page_id?: string | null | undefined;
  /** Hops to go. */
  depth?: number | null | undefined;
  /** Which way links are followed. */
  direction?: GraphDirection | null | undefined;
  /** Follow only links of these types. */
  link_types?: string[] | undefined;
  /** Most pages, nearest first. */
  limit?: number | null | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** One step of a way. */
export interface GraphTraverseStep {
  /** Where it begins: the path of a page, or of the file that the way starts from. */
  from: string;
  /** The path of the page it leads to. */
  to: string;
  /** Type of the link that is followed; `source_refs` where the front matter names the file. */
  link_type: string;
  /** Which way the link is followed, seen from `from`. */
  direction: StepDirection;
}

/** A heading of the page. */
export interface HeadingInfo {
  /** 1 to 6. */
  level: number;
  /** Its text without markup. */
  text: string;
  /** The id of its element, equal to the section's `section_id`. */
  slug: string;
  /** Its line in the file, from 1. */
  line: number;
}

/** The document as it is in the index now. */
export interface IndexMarkdownOutput {
  /** Its path relative to the documents folder. */
  filename: string;
  /** Pieces that its text is cut into. */
  chunks: number;
  /** When its text was taken in, RFC 3339. */
  indexed_at: string;
  /** When its file was written, RFC 3339. */
  modified_at: string;
  /** Most characters of a chunk; absent where sections and the model decide. */
  chunk_size: number | null;
  /** Chunks that went through the model. */
  embedded: number;
  /** Chunks whose vectors were known already. */
  reused: number;
  /** Why there are no vectors, where there are none. */
  note: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** Which document, and how it is cut. */
export interface IndexMarkdownParams {
  /** Path of a Markdown file in the documents folder. */
  filepath: string;
  /** Most characters of a chunk; the project's default when absent. It stays until the document is indexed otherwise. */
  chunk_size?: number | null | undefined;
}

/** What was begun. */
export interface IndexRefreshOutput {
  /** In words. */
  message: string;
  /** Whether vectors are missing still. */
  indexing: boolean;
  /** Pages that wait for vectors or, where none do, were read anew or removed. */
  target_count: number;
  /** How true the index is. */
  index: IndexState;
}

/** Nothing to choose. */
export type IndexRefreshParams = Record<string, never>;

/** How true the index is to the files. */
export interface IndexState {
  /** Whether text and links were compared with the files just before this answer. */
  fresh: boolean;
  /** Sections whose vectors are still to be computed; their former vectors serve until then. */
  pending: number;
  /** The commit that is checked out, where there is one. */
  head: string | null;
}

/** How far vectors are. */
export interface IndexStatusOutput {
  /** Whether this machine has the project's model. */
  enabled: boolean;
  /** Whether vectors are still being made. Pages that wait for theirs have NULL in `embedding`. */
  indexing: boolean;
  /**
   * Pages that have vectors, and lack none. Pages without text have none, nor have those in a script that the model
   * does not understand.
   */
  indexed_count: number;
  /** Pages in the index. */
  page_count: number;
  /** The model's name. */
  model: string;
  /** Where vectors are kept, relative to the project. */
  cache_path: string;
  /** How true the index is. */
  index: IndexState;
}

/** Nothing to choose. */
export type IndexStatusParams = Record<string, never>;

/** How well a page answers a query. */
export interface Judgement {
  /** Id of the query. */
  query: string;
  /** The page: path, id, title or alias; the id of a document where there are documents. */
  page: string;
  /** Above 0: relevant, the more the higher. Otherwise not relevant. */
  grade: number;
}

/** How long queries took, in milliseconds. */
export interface Latency {
  /** Half of the queries took no longer. */
  p50: number;
  /** 95 in 100 took no longer. */
  p95: number;
}

/** A result that lifted another. */
export interface LiftedBy {
  /** Path of the result. */
  filepath: string;
  /** Its own relevance, some of which it lends. */
  relevance: number;
  /** What arrived, which is the page's graph proximity. */
  passed: number;
  /** Hops between the two. */
  hops: number;
  /** Type of the last link on the way. */
  link_type: string;
  /** Every link on the way, from the result to the page. */
  way: Step[];
}

/** How the lines of a file end. */
export type LineBreak = "lf" | "crlf" | "cr" | "mixed";

/** What happened to links. */
export interface LinkChanges {
  /** Links that are new, by page. */
  added: ChangedLink[];
  /** Links that are gone, by page. Those of pages that are gone are among them. */
  removed: ChangedLink[];
  /** How many are new, by type. */
  added_by_type: Record<string, number>;
  /** How many are gone, by type. */
  removed_by_type: Record<string, number>;
}

/** One end of a link. */
export interface LinkInfo {
  /** Id of the page at the other end; absent when the link leads nowhere. */
  doc_id: string | null;
  /** Path of the page at the other end; absent when the link leads nowhere. */
  filepath: string | null;
  /** Path of the project's file at the other end, relative to the project, for a link to code. */
  source_path: string | null;
  /** Its title; for a link that leads to no page, the target as written. */
  title: string;
  /** The link's type. */
  link_type: string;
  /** Text around the link's first occurrence. */
  link_context: string;
  /** Lines, on the page that links, where it does so, from 1. */
  lines: number[];
}

/** How a link is written. */
export type LinkKind = "wiki" | "embed" | "markdown" | "front_matter";

/** Words that can be made a link. */
export interface LinkPlace {
  /** Line of the page, from 1. */
  line: number;
  /** The words, as they are written. */
  text: string;
  /** The line around them, in whole words; `…` where it goes on. */
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
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** The link's type. */
  link_type: string;
  /** `outlink` or `backlink`, seen from the result. */
  direction: string;
  /** Its first words. */
  summary: string;
}

/** A document and how it stands in the index. */
export interface ListDocumentsDocument {
  /** Its path relative to the documents folder. */
  filename: string;
  /** Pieces that its text is cut into. */
  chunks: number;
  /** When its text was taken in, RFC 3339. */
  indexed_at: string;
  /** When its file was written, RFC 3339. */
  modified_at: string;
}

/** The documents. */
export interface ListDocumentsOutput {
  /** All of them, by file name. */
  documents: ListDocumentsDocument[];
  /** How true the index is. */
  index: IndexState;
}

/** Nothing to choose. */
export type ListDocumentsParams = Record<string, never>;

/** The memories. */
export interface ListMemoriesOutput {
  /** By type and topic. */
  memories: MemoryFields[];
  /** Memories before `limit`. */
  total_count: number;
  /** Pages that should be memories and cannot be read as such. */
  skipped: Skipped[];
  /** How true the index is. */
  index: IndexState;
}

/** Which memories. */
export interface ListMemoriesParams {
  /** Only memories of this type. */
  type?: MemoryType | null | undefined;
  /** Only memories with all of these tags. */
  tags?: string[] | undefined;
  /** Most memories to return; all when absent. */
  limit?: number | null | undefined;
}

/** The pages. */
export interface ListPagesOutput {
  /** The pages that were asked for. */
  pages: ListedPage[];
  /** Paths of the pages that come next, where `max_tokens` leaves room for their paths alone. */
  more_paths: string[];
  /** Pages that meet the conditions, before `limit` and `offset`. */
  total: number;
  /** Pages passed over before the first one. */
  offset: number;
  /** What was asked for and no page has, a sentence each. */
  unmatched: string[];
  /** What was left out to fit `max_tokens`. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** Which pages, in which order. */
export interface ListPagesParams {
  /** Only pages of this type. */
  doc_type?: string | null | undefined;
  /** Only pages with all of these tags. */
  tags?: string[] | undefined;
  /** Only pages in this folder or below. */
  folder?: string | null | undefined;
  /** Only pages with this freshness. */
  staleness?: Staleness | null | undefined;
  /** What to sort by. */
  sort?: SortKey | null | undefined;
  /** Which end comes first. */
  order?: SortOrder | null | undefined;
  /** Most pages; all when absent. */
  limit?: number | null | undefined;
  /** Pages to pass over first. */
  offset?: number | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

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
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** Links to other pages, one per page and type. */
  link_count: number;
  /** Links from others, one per page and type. */
  backlink_count: number;
  /** Its tags. */
  tags: string[];
}

/** A line of the lock that could not be used. */
export interface LockProblem {
  /** The line, from 1. */
  line: number;
  /** What is wrong with it. */
  message: string;
}

/** A link that led to the page. */
export interface LostLink {
  /** Path of the page that it stands on. */
  filepath: string;
  /** Its line, from 1. */
  line: number;
  /** Its target, as written. */
  target: string;
  /** Path of another page of that name, which it leads to from now on. */
  leads_to: string | null;
}

/** What describes a memory. */
export interface MemoryFields {
  /** Its id. */
  id: string;
  /** What it is about. */
  type: MemoryType;
  /** Its topic. */
  topic: string;
  /** Its tags. */
  tags: string[];
  /** How often somebody remembered it again. */
  reference_count: number;
  /** How far it can be trusted, 0 to 1. */
  confidence: number;
  /** When it was remembered first, in seconds since 1970. */
  created_at: number;
  /** When it was recalled or remembered last, in seconds since 1970; absent if never on this machine. */
  last_accessed: number | null;
  /** Where it comes from, as far as that was told. */
  source: string | null;
  /** Its page, relative to the pages folder. */
  filepath: string;
}

/** What a memory is about. */
export type MemoryType = "tech" | "project-tech" | "domain";

/** A link that was mended. */
export interface MendedLink {
  /** The page that links. */
  filepath: string;
  /** The target as it was written. */
  target: string;
  /** The page or file that it leads to now; absent where the link was rewritten or taken away. */
  leads_to: string | null;
}

/** A title, alias or file name that stands in the text of a page, which does not link to the page that has it. */
export interface Mention {
  /** The page with the name in its text. */
  source: PageFields;
  /** The page that is called so. */
  target: PageFields;
  /** The name, where it is best made a link. */
  place: LinkPlace;
  /** How often names of the page stand there. */
  count: number;
  /** What was decided about such a link. */
  status: Status;
}

/** Memories that became one. */
export interface Merge {
  /** The one that stays, as it is then. */
  kept: MemoryFields;
  /** Those that it replaces, most alike first. */
  replaced: SimilarMemory[];
}

/** What becomes of the text that is there. */
export type Mode = "replace" | "append" | "replace_section";

/** What identifies a model and shapes its use. */
export interface ModelInfo {
  /** The name people use, such as `all-MiniLM-L6-v2`. */
  name: string;
  /** Changes whenever the same text could get another vector: name plus a hash of the weights. */
  identity: string;
  /** Length of every vector. */
  dimensions: number;
  /** Most tokens of one text, special tokens included; what lies beyond is not seen. */
  window: number;
  /** The scripts the model understands. */
  scripts: Scripts;
}

/** The embedding model. */
export interface ModelState {
  /** The model that the project asks for. */
  name: string;
  /** Length of its vectors. */
  dimensions: number;
  /** Whether this machine has it. */
  available: boolean;
}

/** A link whose target changes. */
export interface MovedLink {
  /** Path of the page that it stands on. */
  filepath: string;
  /** Its line, from 1. */
  line: number;
  /** Its target, as written. */
  target: string;
  /** Path of the page, or of the file, that it led to before. */
  led_to: string;
}

/** A call that answers a question or changes something. */
export interface Next {
  /** Name of the operation. */
  operation: string;
  /** Its parameters. */
  params: Record<string, unknown>;
}

/** What was left out to fit `max_tokens`. */
export interface Omitted {
  /** Pages, or whatever else the answer lists. */
  pages: number;
  /** Sections of pages that are there. */
  sections: number;
  /** Whether text that is there was cut. */
  text_cut: boolean;
}

/** A section whose text was left out. */
export interface OmittedSection {
  /** Names the section within its page. */
  section_id: string;
  /** First and last line in the file, from 1. */
  lines: [number, number];
  /** Tokens of its text. */
  tokens: number;
}

/** Orphans that came or went, each list sorted. */
export interface OrphanChanges {
  /** Pages that are orphans now, new ones included. */
  added: string[];
  /** Pages that were orphans, and now are linked or gone. */
  removed: string[];
}

/** What came of a group. */
export type OutcomeKind = "done" | "failed" | "half_done" | "unfinished";

/** What happened to pages, each list by path. */
export interface PageChanges {
  /** Pages that are new. */
  added: ChangedPage[];
  /** Pages that are gone. */
  removed: ChangedPage[];
  /** Pages that moved, whether or not they changed otherwise. */
  renamed: ChangedPage[];
  /** Pages whose text or front matter is another. */
  changed: ChangedPage[];
}

/** What identifies and describes a page. */
export interface PageFields {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
}

/** A page that was found. */
export interface PageResult {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** 0 to 1, four decimals. */
  score: number;
  /** Where the score comes from. */
  score_breakdown: ScoreBreakdown;
  /** Hops from the best result; absent beyond the depth. */
  hop_distance: number | null;
  /** What brought the page here first of all. */
  relevance_reason: RelevanceReason;
  /** Its best sections. */
  sections: SectionResult[];
  /** Pages linked with it, when asked for. */
  linked_pages: LinkedPage[];
  /** What led to the score, when asked for. */
  explanation: Explanation | null;
}

/** A section of the page. */
export interface PageSection {
  /** Names the section within its page. */
  section_id: string;
  /** Its heading; empty before the first heading. */
  heading: string;
  /** 1 to 6; 0 before the first heading. */
  level: number;
  /** First and last line in the file, from 1. */
  lines: [number, number];
  /** Its text, heading line included. */
  content: string;
}

/** A heading and what belongs to it. */
export interface ParsedHeading {
  /** Names its section within the page. */
  section_id: string;
  /** Its text without markup. */
  text: string;
  /** 1 to 6. */
  level: number;
  /** Line on which it stands. */
  line: number;
  /** The heading and the text below, up to the next heading of any level. */
  range: [number, number];
}

/** A link as written. */
export interface ParsedLink {
  /** How it is written. */
  kind: LinkKind;
  /** What it leads to, heading or block included. */
  target: string;
  /** Its type. */
  link_type: string;
  /** Display text, where it has one. */
  text?: string | null | undefined;
  /** Line on which it starts. */
  line: number;
  /** The whole link, brackets and `!` included. */
  range: [number, number];
}

/**
 * What a text is, read alone. Every range is `[start, end)` in UTF-16 code units from the beginning of
 * the text; lines count from 1.
 */
export interface ParsedPage {
  /** Title from front matter, else the first level-1 heading; absent where the file name decides. */
  title?: string | null | undefined;
  /** Other names of the page. */
  aliases: string[];
  /** Tags, without `#`, each once. */
  tags: string[];
  /** The block of front matter with both fences and its last line break; absent without one. */
  front_matter?: [number, number] | null | undefined;
  /** Headings, in order. */
  headings: ParsedHeading[];
  /** Links, in order; those of front matter first. */
  links: ParsedLink[];
  /** Paragraphs that carry a `^name`. */
  blocks: Block[];
  /** What could not be understood. */
  diagnostics: Diagnostic[];
}

/** A question. */
export interface Query {
  /** What judgements call it. */
  id: string;
  /** Words, a question, or "an exact phrase" in quotes. */
  text: string;
}

/** A query on which two ways to rank differ. */
export interface QueryDifference {
  /** Its id. */
  id: string;
  /** What it asks. */
  text: string;
  /** Its `ndcg_at_10` in the baseline. */
  baseline: number;
  /** Its `ndcg_at_10` in the other run. */
  score: number;
}

/** The columns. */
export interface QueryInspectOutput {
  /** Pages that are rows. */
  file_count: number;
  /** Columns by name. */
  schema: Record<string, ColumnInfo>;
  /** Keys that are not told or are no columns, since others are more common. */
  omitted_columns: number;
  /** Why there is no column `embedding`, if so. */
  embedding_absent: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** Which pages. */
export interface QueryInspectParams {
  /** Only pages whose path this matches, such as `daily/** /*.md`; all when absent. */
  glob?: string | null | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** The rows. */
export interface QueryOutput {
  /** Names of the columns, in order. */
  columns: string[];
  /** Rows in `results`. */
  row_count: number;
  /** The rows, by name of the column. Vectors are told by their type. */
  results: Array<Record<string, unknown>>;
  /** Whether there are more rows than were allowed. */
  truncated: boolean;
  /** What was left out to fit `max_tokens`; `pages` counts rows. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** The statement. */
export interface QueryParams {
  /**
   * One SELECT in SQLite's SQL over files: path, every front-matter key, content, updated_at, embedding. Values are text, lists
   * JSON. Also embed('text') and array_cosine_distance(a, b).
   */
  sql: string;
  /** Only pages whose path this matches, such as `daily/** /*.md`; all when absent. */
  glob?: string | null | undefined;
  /** Most rows. */
  max_rows?: number | null | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** How a query fares. */
export interface QueryScore {
  /** Its id. */
  id: string;
  /** What it asks. */
  text: string;
  /** Its `ndcg_at_10`. */
  score: number;
}

/** The page's file. */
export interface ReadPageOutput {
  /** Its path relative to the pages folder. */
  filepath: string;
  /**
   * Its text, front matter included: without byte order mark, lines ended by `\n`. `save_page` puts both back as
   * they were.
   */
  text: string;
  /** SHA-256 of the file, to be carried by edits. */
  content_hash: string;
  /** How its lines end. */
  line_break: LineBreak;
  /** Whether it begins with a byte order mark. */
  byte_order_mark: boolean;
  /** Whether it can be saved. */
  editable: boolean;
  /** Why it cannot; absent for a page that can. */
  reason: string | null;
}

/** Which page. */
export interface ReadPageParams {
  /** The page: path, id, title or alias. */
  page: string;
}

/** What was done. */
export interface RebuildOutput {
  /** Pages that are new in the index. */
  added: string[];
  /** Pages whose content is new. */
  changed: string[];
  /** Pages that are gone. */
  removed: string[];
  /** Pages that moved. */
  renamed: Renamed[];
  /** Files that could not be read, with the reason; everything else went on. */
  unreadable: UnreadableFile[];
  /**
   * Page files that were written, because the project's front matter is managed or pages were
   * asked for.
   */
  written: string[];
  /** Texts that went through the model. */
  embedded: number;
  /** Texts whose vectors were known already. */
  reused: number;
  /** How true the index is. */
  index: IndexState;
}

/** Nothing to choose. */
export type RebuildParams = Record<string, never>;

/** What was found. */
export interface RecallOutput {
  /** Memories, best first. */
  memories: RecalledMemory[];
  /** Memories found before `limit`; of a query at most a few hundred. */
  total_count: number;
  /** The evidence that ranked; absent where nothing was asked. */
  search_type: SearchType | null;
  /** Pages that should be memories and cannot be read as such. */
  skipped: Skipped[];
  /** What was left out to fit `max_tokens`; `pages` counts memories. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** What to recall. */
export interface RecallParams {
  /** Words or a question; empty to see what there is. */
  query?: string | undefined;
  /** Only memories of this type. */
  type?: MemoryType | null | undefined;
  /** Only memories with all of these tags. */
  tags?: string[] | undefined;
  /** Most memories. */
  limit?: number | null | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A memory with its text. */
export interface RecalledMemory {
  /** Its id. */
  id: string;
  /** What it is about. */
  type: MemoryType;
  /** Its topic. */
  topic: string;
  /** Its tags. */
  tags: string[];
  /** How often somebody remembered it again. */
  reference_count: number;
  /** How far it can be trusted, 0 to 1. */
  confidence: number;
  /** When it was remembered first, in seconds since 1970. */
  created_at: number;
  /** When it was recalled or remembered last, in seconds since 1970; absent if never on this machine. */
  last_accessed: number | null;
  /** Where it comes from, as far as that was told. */
  source: string | null;
  /** Its page, relative to the pages folder. */
  filepath: string;
  /** What it says. */
  content: string;
  /** Code and other examples. */
  examples: string[];
  /** How well it answers, 0 to 1.1; 0 where nothing was asked. */
  score: number;
}

/** The pages. */
export interface RefsOutput {
  /** The file's path relative to the project. */
  file: string;
  /** Whether it is there. */
  exists: boolean;
  /** The pages that describe it, by path. */
  pages: DescribingPage[];
  /** What was left out to fit `max_tokens`. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** Which file. */
export interface RefsParams {
  /** The file's path relative to the project. */
  file: string;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A page that has to be read first. */
export interface RefusedPage {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its freshness. */
  staleness: Staleness;
  /**
   * What changed in the code since the last review; commits and diffs only while the question is
   * about 20 pages or fewer.
   */
  changes: SourceDifference[];
  /** The call that records it all the same, once the page was read. */
  settle_with: Next;
}

/** The document as it is in the index now. */
export interface ReindexDocumentOutput {
  /** Its path relative to the documents folder. */
  filename: string;
  /** Pieces that its text is cut into. */
  chunks: number;
  /** When its text was taken in, RFC 3339. */
  indexed_at: string;
  /** When its file was written, RFC 3339. */
  modified_at: string;
  /** Most characters of a chunk; absent where sections and the model decide. */
  chunk_size: number | null;
  /** Chunks that went through the model. */
  embedded: number;
  /** Chunks whose vectors were known already. */
  reused: number;
  /** Why there are no vectors, where there are none. */
  note: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** Which document. */
export interface ReindexDocumentParams {
  /** Its path, as ubp_list_documents has it. */
  filename: string;
}

/** What became of the memories. */
export interface ReindexMemoriesOutput {
  /** Memories that were looked at. */
  memory_count: number;
  /** Of these, memories without a vector: only those of equal text can be told to say the same. */
  uncompared_count: number;
  /** Why no memory has a vector, where that is so. */
  without_vectors: string | null;
  /** Memories that became one. */
  merged: Merge[];
  /** Pages that should be memories and cannot be read as such. */
  skipped: Skipped[];
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this only shows what would be written. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Names the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Why the index was not updated, although the change was written. */
  index_error: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** What to do. */
export interface ReindexMemoriesParams {
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** A page around it. */
export interface RelatedPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** Type of the link that leads here. */
  link_type: string;
  /** `outlink` or `backlink`, seen from the page one hop nearer. */
  direction: string;
  /** Hops from the middle. */
  depth: number;
  /** Text around that link. */
  link_context: string;
  /** Its first 500 characters; fewer where room is short. */
  summary: string;
}

/** What brought a page into the results. */
export type RelevanceReason = "direct_link" | "2hop" | "3hop" | "vector_similarity" | "fulltext";

/** The memory that was kept. */
export interface RememberOutput {
  /** Its id. */
  memory_id: string;
  /** What became of it. */
  action: Action;
  /** Other memories like it. */
  similar_count: number;
  /** The most alike of these, at most five. */
  similar: SimilarMemory[];
  /** Its topic, as it was written first. */
  topic: string;
  /** Its page, relative to the pages folder. */
  filepath: string;
  /**
   * Names the change in the audit log, which has the former text; `ubp undo` takes it back. Absent when
   * nothing changed.
   */
  audit_id: string | null;
  /** Why the index was not updated, although the memory was written. */
  index_error: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** What to remember. */
export interface RememberParams {
  /**
   * tech: technology, whatever the project. project-tech: how this project uses it. domain: the field that the
   * project is about.
   */
  type: MemoryType;
  /** What it is about, on one line: with the type, this names the memory. */
  topic: string;
  /** What to remember, in Markdown. It takes the place of what is known about the topic. */
  content: string;
  /** Words to find it by; those that it has when absent. */
  tags?: string[] | null | undefined;
  /** Code or other examples; those that it has when absent. */
  examples?: string[] | null | undefined;
  /** Where this comes from; as it is when absent. */
  source?: string | null | undefined;
  /** Keep it although something in it looks like a secret. Only people can; of an agent it is ignored. */
  force?: boolean | undefined;
}

/** The page under its new name. */
export interface RenamePageOutput {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** SHA-256 of the file after the edit, to be carried by the next one. */
  content_hash: string;
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this only shows what would be written. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Names the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Why the index was not updated, although the change was written. */
  index_error: string | null;
  /** How true the index is. */
  index: IndexState;
  /** Its path before. */
  previous_path: string;
  /** Its title before. */
  previous_title: string;
}

/** Which page, and what it is to be called. */
export interface RenamePageParams {
  /** The page: path, id, title or alias. */
  page: string;
  /** Its new path relative to the pages folder; with `/` at the end the folder that it moves to. */
  path?: string | null | undefined;
  /**
   * Its new title. The title in front matter and an equal first heading change, and the file's name if
   * it was made from the title.
   */
  title?: string | null | undefined;
  /** `content_hash` of the page as it was read; agents must give it. */
  expected_hash?: string | null | undefined;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** A page that moved. */
export interface Renamed {
  /** Where it was. */
  from: string;
  /** Where it is. */
  to: string;
}

/** The page. */
export interface RenderPageOutput {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Where it lives on a site, relative to the site's top, percent-encoded. Links in `html` are relative to it. */
  url: string;
  /**
   * Its text without front matter. Raw HTML of the page is reduced to its text; no address runs a script. A
   * first heading that repeats the title is left out, but for an empty element with its id.
   */
  html: string;
  /** Its headings in order, a first one that repeats the title included. */
  headings: HeadingInfo[];
  /** How true the index is. */
  index: IndexState;
}

/** Which page. */
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

/** What was replaced. */
export interface ReplaceOutput {
  /** Number of replacements. */
  replaced_count: number;
  /** Pages with replacements, sorted by path. */
  pages: ReplacedPage[];
  /** Pages that contain it and were not changed. */
  skipped: SkippedPage[];
  /** Hash of the call and of all pages to change, to pass as `expected_hash`. */
  content_hash: string;
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this only shows what would be written. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Names the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Why the index was not updated, although the change was written. */
  index_error: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** What to find, and where. */
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

/** Where they lead. */
export interface ResolveLinksOutput {
  /** One for each of `links`, in order; absent for what is no link to a page or a file. */
  links: Array<ResolvedLink | null>;
  /**
   * One for each of `pictures`, in order: its address on a site, relative to the top, percent-encoded; absent for
   * what is not there or lies outside of the project.
   */
  pictures: Array<string | null>;
  /** Types that a link can have in this project, `references` included. */
  link_types: string[];
  /** Whether links are written `[[label|page]]` in this project. */
  label_first: boolean;
}

/** The links. */
export interface ResolveLinksParams {
  /** The page that they stand on: path, id, title or alias. */
  page: string;
  /** Links as written, brackets included: `[[page|type]]`, `![[page]]`, `[text](page.md)`. */
  links?: string[] | undefined;
  /** Destinations of pictures as Markdown has them, percent-encoded or not. */
  pictures?: string[] | undefined;
}

/** A link, and what is at its other end. */
export interface ResolvedLink {
  /** How it is written. */
  kind: LinkKind;
  /** What it leads to as written, heading or block included. */
  target: string;
  /** Its type. */
  link_type: string;
  /** Display text, where it has one. */
  text: string | null;
  /** Path of the page that it leads to. */
  filepath: string | null;
  /** The heading or `^block` as written, where it leads to a page. */
  anchor: string | null;
  /** Id of that place on the page; absent where the page has no such place. */
  place: string | null;
  /** Path of the project's file that it leads to, relative to the project. */
  source_path: string | null;
  /** Address, on a site, of the picture or attachment that it leads to, relative to the top, percent-encoded. */
  file_url: string | null;
}

/** What was recorded, and what was not. */
export interface ReviewPageOutput {
  /** Pages whose review is on record now, by path. */
  reviewed: ReviewedPage[];
  /** Pages that were not recorded because their code changed, with what changed. */
  refused: RefusedPage[];
  /** Paths of pages that name no sources, so there is nothing to record. */
  without_sources: string[];
  /** Whether `.ubp/refs.lock` was written. */
  written: boolean;
  /** Names the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** Which pages. */
export interface ReviewPageParams {
  /** The page: path, id, title or alias. */
  page?: string | null | undefined;
  /** Several pages, each by path, id, title or alias. */
  pages?: string[] | undefined;
  /** Every page that names sources; for people only. */
  all?: boolean | undefined;
  /** `content_hash` of the page as read; agents must pass it. */
  expected_hash?: string | null | undefined;
  /**
   * Also record pages whose sources changed since the last review: they were read again, and what
   * they say is true.
   */
  still_accurate?: boolean | undefined;
}

/** A page whose review is on record. */
export interface ReviewedPage {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Files that were recorded. */
  source_count: number;
  /** Whether the record differs from the one before. */
  changed: boolean;
  /** Entries that stand for no file, which no review settles: mend or delete them. */
  missing: StaleRef[];
  /** What changed in the code since the last review. */
  changes: SourceDifference[];
}

/** What a way to rank reaches. */
export interface Run {
  /** Which evidence ranks. */
  mode: SearchMode;
  /** Weight of relevance against links; `null` where links have no say. */
  alpha: number | null;
  /** Hops over which links lend relevance; `null` where links have no say. */
  depth: number | null;
  /**
   * Normalised discounted cumulated gain of the first ten pages (Järvelin and Kekäläinen 2002), the
   * gain of a page being its grade, as in `ndcg_cut` of trec_eval.
   */
  ndcg_at_10: number;
  /** One over the rank of the first relevant page, 0 beyond the tenth (Voorhees 1999). */
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
   * Share of queries with every relevant page among the first ten: what a question needs that is
   * answered by several pages together.
   */
  all_at_10: number;
  /** Time for embedding the query and ranking. */
  latency_ms: Latency;
  /** Queries that were answered by words in place of vectors. */
  fallbacks: number;
}

/** The page's file. */
export interface SavePageOutput {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** SHA-256 of the file now, to be carried by the next edit. */
  content_hash: string;
  /**
   * Its text now, as `read_page` gives it, where that is not what was sent: the page notes in its front matter
   * when it was changed, and that time moved.
   */
  text: string | null;
}

/** Which page, and its text. */
export interface SavePageParams {
  /** The page: its path, or id, title or alias. */
  page: string;
  /**
   * The whole text, front matter included. Line breaks may be `\n` whatever the file has: lines keep theirs, and so
   * does the file its byte order mark.
   */
  text: string;
  /** `content_hash` of the page as it was read or saved last. */
  expected_hash: string;
}

/** Parts of a score, each 0 to 1. */
export interface ScoreBreakdown {
  /** Cosine similarity of the best section with the query. */
  vector_similarity: number;
  /** Match of the words in the best section, relative to the best match of all. */
  fulltext: number;
  /** Relevance, or more where linked results pass more on. */
  graph_proximity: number;
}

/** What adds up to a score. */
export interface ScoreParts {
  /** The meaning of the best section. */
  meaning: number;
  /** The words of the best section. */
  words: number;
  /** Other sections of the page that were found too. */
  further_sections: number;
  /** The query being its title, alias, path or heading; below 0 where it is that of other pages. */
  name: number;
  /** Linked results. */
  links: number;
}

/** A set of writing systems, by their ISO 15924 long names; empty means all. */
export type Scripts = string[];

/** What was found. */
export interface SearchDocumentsOutput {
  /** Chunks, best first. */
  results: Found[];
  /** The evidence that ranked: `vector`, or `fulltext_fallback`. */
  search_type: SearchType;
  /** What the results lack, where they lack something. */
  note: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** What to look for. */
export interface SearchDocumentsParams {
  /** A question or words, in natural language. */
  query: string;
  /** Most chunks. */
  top_k?: number | null | undefined;
}

/** Which evidence ranks. */
export type SearchMode = "hybrid" | "vector" | "fulltext";

/** What was found. */
export interface SearchOutput {
  /** Pages, best first. */
  results: PageResult[];
  /** Pages found by meaning, words or links before `limit`, at most a few hundred. */
  total_found: number;
  /** The evidence that ranked. */
  search_type: SearchType;
  /** What was asked for and is on no page, a sentence each. */
  unmatched: string[];
  /** Why words alone ranked although meaning was asked for; absent when it did. */
  fallback: Fallback | null;
  /** What was left out to fit `max_tokens`. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** What to look for. */
export interface SearchParams {
  /** Words, a question, or "an exact phrase" in quotes. */
  query: string;
  /** Most pages. */
  limit?: number | null | undefined;
  /** Which evidence ranks. */
  mode?: SearchMode | null | undefined;
  /** Weight of relevance against links. */
  alpha?: number | null | undefined;
  /** Hops over which linked pages lend each other relevance. */
  depth?: number | null | undefined;
  /** Follow only links of these types. */
  link_types?: string[] | undefined;
  /** Only pages of these types. */
  doc_type?: string[] | undefined;
  /** Only pages with all of these tags. */
  tags?: string[] | undefined;
  /** Only pages in this folder or below. */
  folder?: string | null | undefined;
  /** Only pages whose front matter has these values. */
  fields?: Record<string, string> | undefined;
  /** Whole sections instead of snippets. */
  content?: boolean | undefined;
  /** Also pages linked with each result. */
  include_linked?: boolean | undefined;
  /** Also what led to each score. */
  explain?: boolean | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** The evidence that ranked. */
export type SearchType = "hybrid" | "vector" | "fulltext" | "fulltext_fallback";

/** What happened to a section. */
export type SectionChange = "added" | "changed" | "removed";

/** Evidence of one section. */
export interface SectionEvidence {
  /** Names the section within its page. */
  section_id: string;
  /** Its relevance: `meaning`, `words` and `name` together. */
  score: number;
  /** What its meaning adds to that. */
  meaning: number;
  /** What its words add to that. */
  words: number;
  /** What its heading adds, being the query; below 0 where that of other sections is. */
  name: number;
  /**
   * Weight of meaning, 0 to 1, the rest being that of words. For a section without a vector, whose words
   * speak for its meaning too, what the closest sections lack of meaning the same as the query.
   */
  vector_weight: number;
  /** Cosine similarity with the query. */
  vector_similarity: number;
  /** Match of the words relative to the best match of all. */
  fulltext: number;
  /** What each word and phrase of the query adds, most first; together `words`. */
  terms: TermShare[];
}

/** A section whose words match. */
export interface SectionMatch {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** The section's heading; absent before the first heading. */
  section_heading: string | null;
  /** Names the section within its page. */
  section_id: string;
  /** Line of the first word that matches, from 1. */
  line: number;
  /** Text around the words that match. */
  snippet: string;
  /** Where they stand in `snippet`, as UTF-16 offsets `[start, end)`. */
  highlights: Array<[number, number]>;
  /** BM25; larger is better, comparable only within one answer. */
  rank: number;
}

/** A section that was found. */
export interface SectionResult {
  /** Names the section within its page. */
  section_id: string;
  /** Its headings from the top of the page, joined with ` > `; empty before the first heading. */
  heading: string;
  /**
   * First and last line in the file, from 1: of the section or, where it is long and a snippet is shown,
   * of the passage that matches best.
   */
  lines: [number, number];
  /** Line of the first word that matches, or where the text begins. */
  line: number;
  /** The snippet, or the whole section. */
  content: string;
  /** Where the query's words stand in `content`, as UTF-16 offsets `[start, end)`. */
  highlights: Array<[number, number]>;
  /** 0 to 1. */
  score: number;
}

/** A way to rank. */
export interface Setting {
  /** Which evidence ranks. */
  mode: SearchMode;
  /** Weight of relevance against links; `null` where links have no say. */
  alpha: number | null;
  /** Hops over which links lend relevance; `null` where links have no say. */
  depth: number | null;
}

/** How bad a finding is. */
export type Severity = "error" | "warning" | "info";

/** A memory that is named beside another. */
export interface SimilarMemory {
  /** Its id. */
  id: string;
  /** What it is about. */
  type: MemoryType;
  /** Its topic. */
  topic: string;
  /** Its page, relative to the pages folder. */
  filepath: string;
  /** Cosine similarity; absent where only the topics are spelled alike. */
  similarity: number | null;
}

/** A page that should be a memory and cannot be read as one. */
export interface Skipped {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Line of the problem, from 1. */
  line: number;
  /** What is wrong there. */
  reason: string;
}

/** A page that was not changed. */
export interface SkippedPage {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Why. */
  reason: string;
}

/** What pages are sorted by. */
export type SortKey = "title" | "updated_at" | "created_at" | "filepath";

/** Which end comes first. */
export type SortOrder = "asc" | "desc";

/** A commit that changed a source. */
export interface SourceCommit {
  /** Full hexadecimal name. */
  id: string;
  /** Committer time, RFC 3339. */
  time: string;
  /** First line of its message. */
  subject: string;
}

/** What changed. */
export interface SourceDiffOutput {
  /** The page's path relative to the pages folder. */
  filepath: string;
  /** Its freshness. */
  staleness: Staleness;
  /** Its sources that changed or are gone, by path; commits and differences of the first 20. */
  changes: SourceDifference[];
  /** How true the index is. */
  index: IndexState;
}

/** Which page. */
export interface SourceDiffParams {
  /** The page: path, id, title or alias. */
  page: string;
}

/** What happened to a source since the last review. */
export interface SourceDifference {
  /** Path relative to the project. */
  file_path: string;
  /** When it last changed, RFC 3339; absent where nobody can tell. */
  last_modified: string | null;
  /** What is wrong with it. */
  reason: StaleReason;
  /** Where version control knows it was moved to; only for a file that is not there. */
  renamed_to: string | null;
  /**
   * Commits that changed it since, newest first; where the review cannot be found in history, the
   * last one.
   */
  commits: SourceCommit[];
  /**
   * Unified diff from what was reviewed to what is there, at most 200 lines; absent where history
   * does not tell.
   */
  diff: string | null;
}

/** A part of long work. */
export type Stage = "pages" | "links" | "vectors" | "queries" | "suggestions" | "site" | "comparisons";

/** A page that code overtook. */
export interface StalePage {
  /** Its path, relative to the pages folder. */
  filepath: string;
  /** Its freshness now. */
  staleness: Staleness;
  /** The sources behind it. */
  stale_refs: StaleRef[];
}

/** Why a source makes a page less than fresh. */
export type StaleReason = "changed" | "missing" | "unknown_shallow_clone" | "page_edited_after_source" | "suspect";

/** A source that makes its page less than fresh. */
export interface StaleRef {
  /** Path relative to the project. */
  file_path: string;
  /** When it last changed, RFC 3339; absent where nobody can tell. */
  last_modified: string | null;
  /** What is wrong with it. */
  reason: StaleReason;
  /** Where version control knows it was moved to; only for a file that is not there. */
  renamed_to: string | null;
}

/** How far a page can be trusted. */
export type Staleness = "untracked" | "fresh" | "possibly_stale" | "stale";

/** Freshness that changed, each list by path. */
export interface StalenessChanges {
  /** Pages that code overtook: it changed, and they were not reviewed. */
  stale: StalePage[];
  /** Pages that code had overtaken, and that are fresh now. */
  fresh: string[];
}

/** What was decided about a suggestion. */
export type Status = "pending" | "accepted" | "dismissed";

/** The state of the project. */
export interface StatusOutput {
  /** Pages in the index. */
  page_count: number;
  /** Links between pages, one per source, target and type. */
  link_count: number;
  /** Sections in the index. */
  section_count: number;
  /** Pages with vectors for all of their text; pages without text that the model can read have none. */
  vectorized_page_count: number;
  /** Page files that are not in the index. */
  unindexed_page_count: number;
  /** Links that lead nowhere, every occurrence counted. */
  unresolved_link_count: number;
  /** Pages by freshness. */
  freshness: FreshnessCounts;
  /** Pages that are not fresh, worst first. */
  stale_pages: StalePage[];
  /** The embedding model. */
  model: ModelState;
  /** What was left out to fit `max_tokens`. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** Nothing to choose. */
export interface StatusParams {
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A link on the way. */
export interface Step {
  /** Path of the page that the link leads nearer to. */
  filepath: string;
  /** The link's type. */
  link_type: string;
  /** `outlink` where the link stands on the page before, `backlink` where it stands on this one. */
  direction: string;
}

/** Which way a step takes a link. */
export type StepDirection = "outgoing" | "incoming";

/** The suggestions. */
export interface SuggestLinksOutput {
  /** Best first. */
  suggestions: Suggestion[];
  /**
   * Names of other pages in the text of `page`, which does not link to them, in the order of the text; without
   * `page`, those of all pages, the rarest names first, as many as `limit`.
   */
  mentions: Mention[];
  /** Names of `page` in the texts of other pages, which do not link to it, by path. */
  mentioned_by: Mention[];
  /** Whether there are more mentions than those. */
  more_mentions: boolean;
  /** What was left out to fit `max_tokens`. */
  omitted: Omitted;
  /** How true the index is. */
  index: IndexState;
}

/** Which suggestions. */
export interface SuggestLinksParams {
  /** The page that should link: path, id, title or alias. All pages when absent. */
  page?: string | null | undefined;
  /** Least score. */
  threshold?: number | null | undefined;
  /** Most suggestions. */
  limit?: number | null | undefined;
  /** Also suggest what was dismissed or accepted before. */
  include_decided?: boolean | undefined;
  /** Most tokens in the answer. */
  max_tokens?: number | null | undefined;
}

/** A link that is missing. */
export interface Suggestion {
  /** The page that should link. */
  source: PageFields;
  /** The page that it should link to. */
  target: PageFields;
  /** How sure, 0 to 1. */
  score: number;
  /** What speaks for it. */
  reason: string;
  /** The words to make a link of; absent where the text names the target nowhere. */
  place: LinkPlace | null;
  /** What was decided about it. */
  status: Status;
}

/** What a word or phrase of the query adds to a section. */
export interface TermShare {
  /** As it is looked for; `*` behind a last word that also matches longer ones. */
  term: string;
  /** Its share of the section's `words`, in proportion to its BM25 there. */
  score: number;
}

/** A page in reach. */
export interface TraversedPage {
  /** Its id: the one in its front matter, or one derived from its path. */
  doc_id: string;
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Its title. */
  title: string;
  /** Its type. */
  doc_type: string;
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** Fewest hops from the start. */
  depth: number;
  /** A shortest way from the start to here. */
  path: GraphTraverseStep[];
}

/** What was taken back. */
export interface UndoOutput {
  /** The group that was taken back. */
  undone: string;
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this only shows what would be written. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Names the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Why the index was not updated, although the change was written. */
  index_error: string | null;
  /** How true the index is. */
  index: IndexState;
}

/** Which change. */
export interface UndoParams {
  /** Its `audit_id`, or an id that `audit` lists. */
  entry: string;
  /** Only show what would change. */
  dry_run?: boolean | undefined;
}

/** A file that could not be read. */
export interface UnreadableFile {
  /** Its path relative to the pages folder. */
  filepath: string;
  /** Why, in the system's words. */
  reason: string;
}

/** Judgements about pages that are not there. */
export interface Unresolved {
  /** How many. */
  count: number;
  /** The first few. */
  examples: UnresolvedJudgement[];
}

/** A judgement about no page. */
export interface UnresolvedJudgement {
  /** Id of the query. */
  query: string;
  /** The page as the judgement names it. */
  page: string;
  /** Paths of the pages that it could be; none when there is no such page. */
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
  /** When it was written first, RFC 3339. */
  created_at: string;
  /** When it was written last, RFC 3339. */
  updated_at: string;
  /** How far it can be trusted against the code it describes. */
  staleness: Staleness;
  /** SHA-256 of the file after the edit, to be carried by the next one. */
  content_hash: string;
  /** Unified diffs of every file that changed; for an agent at most the first 8,000 bytes. */
  diff: string;
  /** Whether this only shows what would be written. */
  dry_run: boolean;
  /** Files that changed. */
  changed: ChangedFile[];
  /** Names the change in the audit log; absent when nothing was written. */
  audit_id: string | null;
  /** Why the index was not updated, although the change was written. */
  index_error: string | null;
  /** How true the index is. */
  index: IndexState;
  /** Number of replacements of `old`. */
  replaced_count: number;
  /** Ids of the subsections that were kept. */
  kept_sections: string[];
  /** Ids of the subsections that were removed. */
  removed_sections: string[];
}

/** Which page, and its text. */
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

/** A page that is not there. */
export interface WantedPage {
  /** The target as links write it. */
  target: string;
  /** Links to it. */
  links: number;
  /** Pages with such links. */
  pages: number;
}
