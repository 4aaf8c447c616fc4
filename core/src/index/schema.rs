//! The tables. Everything in them can be rebuilt from the files.

/// Incremented whenever a table or the meaning of a column changes. An index of another version is rebuilt.
pub(super) const VERSION: i32 = 12;

/// Identifies the file as a UBP index ("UBPi").
pub(super) const APPLICATION_ID: i32 = 0x5542_5069;

pub(super) const TABLES: &str = r#"
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Which pages changed in the last generations. Processes keep what they derived from the index in memory, and update it
-- for these pages.
CREATE TABLE changes (
    counter    TEXT NOT NULL,       -- generation or vector_generation
    generation INTEGER NOT NULL,
    page       INTEGER NOT NULL,    -- may be gone
    PRIMARY KEY (counter, generation, page)
) WITHOUT ROWID;

CREATE TABLE pages (
    page         INTEGER PRIMARY KEY,
    path         TEXT NOT NULL UNIQUE,
    doc_id       TEXT NOT NULL,
    own_id       TEXT,              -- id in the front matter
    title        TEXT NOT NULL,
    doc_type     TEXT NOT NULL,
    created_at   TEXT NOT NULL,     -- RFC 3339
    updated_at   TEXT NOT NULL,
    size         INTEGER NOT NULL,
    hash         BLOB NOT NULL,     -- SHA-256 of the raw bytes
    front_matter TEXT NOT NULL,     -- JSON object
    diagnostics  TEXT NOT NULL      -- JSON array
);
-- A covering index for comparing the index with all files.
CREATE INDEX pages_by_file ON pages(path, size, hash);
CREATE INDEX pages_by_doc_id ON pages(doc_id);
CREATE INDEX pages_by_own_id ON pages(own_id) WHERE own_id IS NOT NULL;
CREATE INDEX pages_by_hash ON pages(hash);

-- When each page's file was read. A copy of the index for another worktree changes little but this.
CREATE TABLE page_files (
    page        INTEGER PRIMARY KEY REFERENCES pages(page) ON DELETE CASCADE,
    modified    INTEGER NOT NULL,   -- nanoseconds; 0 makes the next refresh read the content
    fingerprint INTEGER NOT NULL
);

CREATE TABLE sections (
    section      INTEGER PRIMARY KEY,
    page         INTEGER NOT NULL REFERENCES pages(page) ON DELETE CASCADE,
    ordinal      INTEGER NOT NULL,
    section_id   TEXT NOT NULL,
    level        INTEGER NOT NULL,
    first_line   INTEGER NOT NULL,
    last_line    INTEGER NOT NULL,
    heading_path TEXT NOT NULL,     -- JSON array
    vector_model INTEGER,           -- model of the current vectors; NULL while they are pending
    text         TEXT NOT NULL,     -- last column, so that long texts are read only when needed
    UNIQUE (page, section_id)
);
CREATE INDEX sections_without_vectors ON sections(vector_model, section);

CREATE VIRTUAL TABLE fulltext USING fts5(
    title, headings, body,
    content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Bytes of terms that FTS5 collects in memory before it writes and merges them.
INSERT INTO fulltext(fulltext, rank) VALUES ('hashsize', 8388608);

-- The stems in the full text, and which rows have them.
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fulltext, row);
CREATE VIRTUAL TABLE vocabulary_in_rows USING fts5vocab(fulltext, instance);

-- The parts of long sections, each of which is a row of the full text. Short sections have no row here: their
-- row in the full text has the number of the section, like the first passage of a long section.
CREATE TABLE passages (
    passage    INTEGER PRIMARY KEY, -- row in the full text; never the number of another section
    section    INTEGER NOT NULL REFERENCES sections(section) ON DELETE CASCADE,
    first_byte INTEGER NOT NULL,    -- of the section's text
    last_byte  INTEGER NOT NULL,    -- exclusive
    first_line INTEGER NOT NULL,    -- from the section's first line, which is 0
    last_line  INTEGER NOT NULL
);
CREATE INDEX passages_by_section ON passages(section);

-- What each page is called, so that a page is found by a part of its name even if it has no text.
CREATE VIRTUAL TABLE name_words USING fts5(
    names, folders,                 -- title, aliases and file name; the path to the file
    content = '', contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TABLE title_terms (          -- each page's title and aliases in the full text
    page  INTEGER PRIMARY KEY REFERENCES pages(page) ON DELETE CASCADE,
    terms TEXT NOT NULL
);

-- Facts about a page that its file does not contain. They belong to this machine: sites do not have them.
CREATE TABLE documents (
    page       INTEGER PRIMARY KEY REFERENCES pages(page) ON DELETE CASCADE,
    indexed_at INTEGER NOT NULL,    -- in seconds since 1970
    chunk_size INTEGER              -- maximum length of a chunk in characters; NULL for the default of the index
);

CREATE TABLE names (
    key  TEXT NOT NULL,             -- folded
    kind INTEGER NOT NULL,          -- 0 file name, 1 title, 2 alias
    page INTEGER NOT NULL REFERENCES pages(page) ON DELETE CASCADE,
    PRIMARY KEY (key, kind, page)
) WITHOUT ROWID;
CREATE INDEX names_by_page ON names(page);

CREATE TABLE aliases (
    page  INTEGER NOT NULL REFERENCES pages(page) ON DELETE CASCADE,
    alias TEXT NOT NULL,
    PRIMARY KEY (page, alias)
) WITHOUT ROWID;

CREATE TABLE tags (
    tag  TEXT NOT NULL,             -- as written
    key  TEXT NOT NULL,             -- folded
    page INTEGER NOT NULL REFERENCES pages(page) ON DELETE CASCADE,
    PRIMARY KEY (key, page)
) WITHOUT ROWID;
CREATE INDEX tags_by_page ON tags(page);

CREATE TABLE anchors (
    page INTEGER NOT NULL REFERENCES pages(page) ON DELETE CASCADE,
    key  TEXT NOT NULL,             -- folded heading, or ^block
    PRIMARY KEY (page, key)
) WITHOUT ROWID;

CREATE TABLE links (
    link        INTEGER PRIMARY KEY,
    page        INTEGER NOT NULL REFERENCES pages(page) ON DELETE CASCADE,
    kind        INTEGER NOT NULL,   -- 0 wiki, 1 embed, 2 markdown, 3 front matter
    line        INTEGER NOT NULL,
    link_type   TEXT NOT NULL,
    target      TEXT NOT NULL,      -- as written
    text        TEXT,
    context     TEXT NOT NULL,
    state       INTEGER NOT NULL DEFAULT 0,  -- 0 unresolved, 1 page, 2 source, 3 attachment
    target_page INTEGER REFERENCES pages(page) ON DELETE SET NULL,
    source      TEXT,               -- file of the project, for state 2
    anchor      TEXT,               -- part after the #, unless it belongs to the name
    ambiguous   INTEGER NOT NULL DEFAULT 0,
    may_be_file INTEGER NOT NULL    -- whether the target looks like a file of the project, which may come to exist
);
CREATE INDEX links_by_page ON links(page);
CREATE INDEX links_by_target ON links(target_page);
-- A covering index for reading the graph.
CREATE INDEX links_as_edges ON links(page, target_page, link_type) WHERE target_page IS NOT NULL;
-- SQLite uses these for queries with the same condition, letter by letter.
CREATE INDEX links_to_files ON links(page, source) WHERE state = 2;
CREATE INDEX broken_links ON links(page) WHERE state = 0;
CREATE INDEX links_to_missing_files ON links(link) WHERE state = 0 AND may_be_file = 1;
CREATE INDEX entries_without_file ON links(link) WHERE kind = 4 AND state = 3 AND may_be_file = 1;

CREATE TABLE link_keys (
    key  TEXT NOT NULL,             -- every name that changes the destination when it is added or removed
    link INTEGER NOT NULL REFERENCES links(link) ON DELETE CASCADE,
    PRIMARY KEY (key, link)
) WITHOUT ROWID;
CREATE INDEX link_keys_by_link ON link_keys(link);

CREATE TABLE source_refs (
    page   INTEGER NOT NULL REFERENCES pages(page) ON DELETE CASCADE,
    source TEXT NOT NULL,           -- file, folder, glob or symbol, relative to the project
    line   INTEGER NOT NULL,        -- of the block of code that shows it; 0 in front matter
    PRIMARY KEY (page, source, line)
) WITHOUT ROWID;

CREATE TABLE expiries (
    page INTEGER PRIMARY KEY REFERENCES pages(page) ON DELETE CASCADE,
    time INTEGER NOT NULL           -- from when on the page is stale by its own word, in seconds since 1970
);

CREATE TABLE models (
    model      INTEGER PRIMARY KEY,
    identity   TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL
);

CREATE TABLE vectors (
    vector INTEGER PRIMARY KEY,
    model  INTEGER NOT NULL REFERENCES models(model) ON DELETE CASCADE,
    hash   BLOB NOT NULL,           -- SHA-256 of the embedded text
    data   BLOB NOT NULL,           -- f32, little endian, unit length
    UNIQUE (model, hash)
);

-- Has all columns that vectors in memory need, so that a single scan of this table loads them. Of `vectors`,
-- only the rows close to a query are read.
CREATE TABLE section_vectors (
    section INTEGER NOT NULL REFERENCES sections(section) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    vector  INTEGER NOT NULL REFERENCES vectors(vector) ON DELETE CASCADE,
    middle  INTEGER NOT NULL,       -- byte of the section's text in the middle of what was embedded
    page    INTEGER NOT NULL,       -- the section's
    model   INTEGER NOT NULL,       -- the vector's
    scale   REAL,                   -- NULL for a vector that cannot be compared with anything
    error   REAL,                   -- length of the rounding error
    rounded BLOB,                   -- numbers as multiples of the scale, 8 bits each, two's complement
    PRIMARY KEY (section, ordinal)
) WITHOUT ROWID;
CREATE INDEX section_vectors_by_vector ON section_vectors(vector);
"#;
