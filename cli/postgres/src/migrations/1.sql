-- Version 1. {extensions} is replaced with the schemas of pg_textsearch and vector.

-- One row for each project. Its number names its partitions.
CREATE TABLE ubp.projects (
    project     integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL UNIQUE,
    title       text NOT NULL DEFAULT '',
    tags        text[] NOT NULL DEFAULT '{}',
    commit_id   text,                   -- NULL until the first push is complete
    commit_time bigint,                 -- seconds since 1970
    pushed_at   timestamptz,
    format      integer,                -- of what was pushed; a push with another one replaces everything
    model       text,                   -- identity of the model of the vectors
    dimensions  integer,
    next_page   bigint NOT NULL DEFAULT 1,
    version     bigint NOT NULL DEFAULT 0   -- number of pushes
);

-- What ranking needs to know about all rows of a project.
CREATE TABLE ubp.statistics (
    project integer PRIMARY KEY REFERENCES ubp.projects ON DELETE CASCADE,
    pages   bigint NOT NULL DEFAULT 0,
    rows    bigint NOT NULL DEFAULT 0,
    tokens  bigint NOT NULL DEFAULT 0,
    vectors bigint NOT NULL DEFAULT 0
);

CREATE TABLE ubp.pages (
    project      integer NOT NULL,
    page         bigint NOT NULL,
    path         text COLLATE "C" NOT NULL,
    doc_id       text NOT NULL,
    title        text NOT NULL,
    aliases      text[] NOT NULL,
    doc_type     text NOT NULL,
    tags         text[] NOT NULL,
    front_matter jsonb NOT NULL,
    created_at   text NOT NULL,         -- RFC 3339
    updated_at   text NOT NULL,
    freshness    jsonb,                 -- at the time of the push
    hash         bytea NOT NULL,        -- SHA-256 of the file
    content      bytea NOT NULL,        -- SHA-256 of what the rows are made from
    links        bytea NOT NULL,        -- SHA-256 of where the links lead
    PRIMARY KEY (project, page),
    UNIQUE (project, path)
) PARTITION BY LIST (project);

CREATE TABLE ubp.sections (
    project      integer NOT NULL,
    page         bigint NOT NULL,
    section      integer NOT NULL,      -- from 0
    path         text COLLATE "C" NOT NULL,
    section_id   text NOT NULL,
    level        smallint NOT NULL,
    first_line   integer NOT NULL,
    last_line    integer NOT NULL,
    heading_path text[] NOT NULL,
    text         text NOT NULL,
    PRIMARY KEY (project, page, section)
) PARTITION BY LIST (project);

-- Rows of the full text: a section, or a part of a long one.
CREATE TABLE ubp.passages (
    project    integer NOT NULL,
    page       bigint NOT NULL,
    passage    integer NOT NULL,        -- from 0 on each page
    section    integer NOT NULL,
    path       text COLLATE "C" NOT NULL,
    first_byte integer NOT NULL,
    last_byte  integer NOT NULL,
    first_line integer NOT NULL,
    last_line  integer NOT NULL,
    length     integer NOT NULL,        -- number of tokens in all columns
    tokens     text COLLATE "C" NOT NULL,   -- title four times, headings twice, text; between them |
    PRIMARY KEY (project, page, passage)
) PARTITION BY LIST (project);
CREATE INDEX passages_bm25 ON ubp.passages USING bm25 (tokens) WITH (text_config = 'simple', k1 = 1.2, b = 0.75);
CREATE INDEX passages_words ON ubp.passages USING gin (to_tsvector('simple', tokens))
    WITH (gin_pending_list_limit = 1024);

-- Number of rows that have a token; two adjacent tokens, with a space before each; or a token that begins with a character,
-- after *.
CREATE TABLE ubp.terms (
    project integer NOT NULL,
    term    text COLLATE "C" NOT NULL,
    rows    bigint NOT NULL,
    PRIMARY KEY (project, term) INCLUDE (rows)
) PARTITION BY LIST (project);

CREATE TABLE ubp.vectors (
    project   integer NOT NULL,
    page      bigint NOT NULL,
    section   integer NOT NULL,
    ordinal   integer NOT NULL,
    path      text COLLATE "C" NOT NULL,
    middle    integer NOT NULL,         -- byte of the section's text in the middle of what was embedded
    lot       integer NOT NULL,         -- random, for samples
    embedding halfvec NOT NULL,         -- unit length
    PRIMARY KEY (project, page, section, ordinal)
) PARTITION BY LIST (project);
CREATE INDEX vectors_lots ON ubp.vectors (lot);

CREATE TABLE ubp.links (
    project     integer NOT NULL,
    page        bigint NOT NULL,
    link        integer NOT NULL,
    path        text COLLATE "C" NOT NULL,
    line        integer NOT NULL,
    kind        smallint NOT NULL,      -- 0 wiki, 1 embed, 2 Markdown, 3 front matter, 4 an entry of sources
    link_type   text NOT NULL,
    target      text NOT NULL,          -- as written
    text        text,
    context     text NOT NULL,
    state       smallint NOT NULL,      -- 0 unresolved, 1 page, 2 source, 3 attachment
    target_path text COLLATE "C",
    source      text,
    anchor      text,
    ambiguous   boolean NOT NULL,
    PRIMARY KEY (project, page, link)
) PARTITION BY LIST (project);
CREATE INDEX links_by_target ON ubp.links (target_path) WHERE target_path IS NOT NULL;

CREATE TABLE ubp.sources (
    project integer NOT NULL,
    page    bigint NOT NULL,
    path    text COLLATE "C" NOT NULL,
    source  text NOT NULL,
    line    integer NOT NULL            -- of the block of code that shows it; 0 in front matter
) PARTITION BY LIST (project);
CREATE INDEX sources_by_page ON ubp.sources (page);
CREATE INDEX sources_by_source ON ubp.sources (source);

-- Which pages a role may read. Of the rules that match, the last one counts; without one, nothing is visible.
CREATE TABLE ubp.rights (
    rule     integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    role     name NOT NULL,             -- and roles that are members of it
    projects text NOT NULL,             -- glob
    path     text NOT NULL,             -- glob; one that matches a folder covers everything in it
    may_read boolean NOT NULL
);

-- A glob as a regular expression, without anchors.
CREATE FUNCTION ubp.expression(glob text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
    at integer := 1;
    c text;
    depth integer := 0;
    found text := '';
BEGIN
    WHILE at <= length(glob) LOOP
        c := substr(glob, at, 1);
        IF substr(glob, at, 3) = '**/' THEN found := found || '(?:.*/)?'; at := at + 2;
        ELSIF substr(glob, at, 2) = '**' THEN found := found || '.*'; at := at + 1;
        ELSIF c = '*' THEN found := found || '[^/]*';
        ELSIF c = '?' THEN found := found || '[^/]';
        ELSIF c = '{' THEN found := found || '(?:'; depth := depth + 1;
        ELSIF c = '}' AND depth > 0 THEN found := found || ')'; depth := depth - 1;
        ELSIF c = ',' AND depth > 0 THEN found := found || '|';
        ELSIF c = '[' AND strpos(substr(glob, at + 2), ']') > 0 THEN
            found := found || '[' || regexp_replace(substr(glob, at + 1, strpos(substr(glob, at + 2), ']')), '^!', '^')
                || ']';
            at := at + strpos(substr(glob, at + 2), ']') + 1;
        ELSIF c = '\' AND at < length(glob) THEN
            at := at + 1;
            found := found || regexp_replace(substr(glob, at, 1), '([^[:alnum:]])', '\\\1');
        ELSE found := found || regexp_replace(c, '([^[:alnum:]])', '\\\1');
        END IF;
        at := at + 1;
    END LOOP;
    IF depth > 0 THEN RAISE EXCEPTION '"%" is not a glob: { without }', glob; END IF;
    RETURN found;
END $$;

-- What a role may read in each project: a regular expression for paths; an empty one for the whole project.
CREATE FUNCTION ubp.readable(caller name) RETURNS TABLE (project integer, pattern text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    rule record;
BEGIN
    FOR project IN SELECT p.project FROM ubp.projects p LOOP
        pattern := NULL;
        FOR rule IN
            SELECT r.path, r.may_read FROM ubp.rights r JOIN pg_roles ON rolname = r.role
            JOIN ubp.projects p ON p.project = readable.project
            WHERE pg_has_role(caller, pg_roles.oid, 'MEMBER')
              AND p.name ~* ('^(?:' || ubp.expression(r.projects) || ')$')
            ORDER BY r.rule
        LOOP
            IF rule.path IN ('', '/', '**') THEN
                pattern := CASE WHEN rule.may_read THEN '' END;
            ELSIF rule.may_read AND pattern IS DISTINCT FROM '' THEN
                pattern := concat_ws('|', pattern,
                    '(?:' || ubp.expression(rtrim(rule.path, '/')) || ')(?:/.*)?$');
            ELSIF NOT rule.may_read AND pattern IS NOT NULL THEN
                pattern := '(?!(?:' || ubp.expression(rtrim(rule.path, '/')) || ')(?:/.*)?$)(?:'
                    || CASE pattern WHEN '' THEN '.*$' ELSE pattern END || ')';
            END IF;
        END LOOP;
        IF pattern IS NOT NULL THEN RETURN NEXT; END IF;
    END LOOP;
END $$;

-- The projects of which a role may read everything.
CREATE FUNCTION ubp.whole_projects(caller name) RETURNS integer[]
LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(project), '{}') FROM ubp.readable(caller) WHERE pattern = ''
$$;

-- The projects of which a role may read a part, each with a regular expression for paths.
CREATE FUNCTION ubp.parts_of_projects(caller name) RETURNS jsonb
LANGUAGE sql STABLE AS $$
    SELECT coalesce(jsonb_object_agg(project, '^(?:' || pattern || ')'), '{}')
    FROM ubp.readable(caller) WHERE pattern <> ''
$$;

-- Lets a role read pages, or hides pages from it.
CREATE FUNCTION ubp.allow(role name, projects text DEFAULT '*', path text DEFAULT '**', may_read boolean DEFAULT true)
RETURNS integer LANGUAGE sql AS $$
    SELECT 1 WHERE '' ~ ('^(?:' || ubp.expression(projects) || '|' || ubp.expression(path) || ')?$');
    INSERT INTO ubp.rights(role, projects, path, may_read) VALUES (role, projects, path, may_read) RETURNING rule
$$;

-- The number of a project, which is created if necessary.
CREATE FUNCTION ubp.add_project(wanted text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {extensions}, pg_temp AS $$
DECLARE
    number integer;
    part text;
BEGIN
    SELECT project INTO number FROM ubp.projects WHERE name = wanted;
    IF number IS NOT NULL THEN RETURN number; END IF;
    INSERT INTO ubp.projects(name) VALUES (wanted) RETURNING project INTO number;
    INSERT INTO ubp.statistics(project) VALUES (number);
    FOREACH part IN ARRAY ARRAY['pages', 'sections', 'terms', 'vectors', 'links', 'sources'] LOOP
        EXECUTE format('CREATE TABLE ubp.%I PARTITION OF ubp.%I FOR VALUES IN (%s)',
            part || '_' || number, part, number);
    END LOOP;
    -- See attach_passages.
    EXECUTE format('CREATE TABLE ubp.%I (LIKE ubp.passages)', 'passages_' || number);
    EXECUTE format('GRANT INSERT ON ubp.%I TO ubp_push', 'passages_' || number);
    RETURN number;
END $$;

-- Deletes a project with everything in it; false if there is none.
CREATE FUNCTION ubp.remove_project(wanted text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {extensions}, pg_temp AS $$
DECLARE
    number integer;
    part text;
BEGIN
    DELETE FROM ubp.projects WHERE name = wanted RETURNING project INTO number;
    IF number IS NULL THEN RETURN false; END IF;
    FOREACH part IN ARRAY ARRAY['pages', 'sections', 'passages', 'terms', 'vectors', 'links', 'sources'] LOOP
        EXECUTE format('DROP TABLE ubp.%I', part || '_' || number);
    END LOOP;
    RETURN true;
END $$;

-- Makes the rows of a project's first push a partition. pg_textsearch 0.6 stores how many rows there are only when it builds
-- an index: one that was built before its rows came finds nothing once the server has restarted.
CREATE FUNCTION ubp.attach_passages(number integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {extensions}, pg_temp AS $$
BEGIN
    EXECUTE format('REVOKE INSERT ON ubp.%I FROM ubp_push', 'passages_' || number);
    EXECUTE format('ALTER TABLE ubp.passages ATTACH PARTITION ubp.%I FOR VALUES IN (%s)',
        'passages_' || number, number);
END $$;

-- Indexes the vectors of a project.
CREATE FUNCTION ubp.index_vectors(number integer, numbers integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {extensions}, pg_temp AS $$
BEGIN
    EXECUTE format('DROP INDEX IF EXISTS ubp.%I', 'vectors_' || number || '_hnsw');
    EXECUTE format(
        'CREATE INDEX %I ON ubp.%I USING hnsw ((embedding::halfvec(%s)) halfvec_ip_ops)',
        'vectors_' || number || '_hnsw', 'vectors_' || number, numbers);
END $$;

-- Deletes the index of a project's vectors, before all of them are replaced.
CREATE FUNCTION ubp.forget_vectors(number integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {extensions}, pg_temp AS $$
BEGIN
    EXECUTE format('DROP INDEX IF EXISTS ubp.%I', 'vectors_' || number || '_hnsw');
END $$;

DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'ubp_read') THEN CREATE ROLE ubp_read NOLOGIN; END IF;
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'ubp_push') THEN CREATE ROLE ubp_push NOLOGIN; END IF;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN NULL;    -- another database of the server has just created them
END $$;

DO $$
DECLARE
    part text;
BEGIN
    REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ubp FROM PUBLIC;
    GRANT USAGE ON SCHEMA ubp TO ubp_read, ubp_push;
    GRANT SELECT ON ubp.schema_version TO ubp_read, ubp_push;
    GRANT EXECUTE ON FUNCTION ubp.readable, ubp.whole_projects, ubp.parts_of_projects TO ubp_read, ubp_push;
    GRANT EXECUTE ON FUNCTION ubp.add_project, ubp.remove_project, ubp.attach_passages, ubp.index_vectors,
        ubp.forget_vectors TO ubp_push;
    FOREACH part IN ARRAY ARRAY['projects', 'statistics', 'pages', 'sections', 'passages', 'terms', 'vectors', 'links',
                                'sources'] LOOP
        EXECUTE format('ALTER TABLE ubp.%I ENABLE ROW LEVEL SECURITY', part);
        EXECUTE format('GRANT SELECT ON ubp.%I TO ubp_read', part);
        EXECUTE format('GRANT SELECT, UPDATE ON ubp.%I TO ubp_push', part);
        IF part NOT IN ('projects', 'statistics') THEN
            EXECUTE format('GRANT INSERT, DELETE ON ubp.%I TO ubp_push', part);
        END IF;
        EXECUTE format('CREATE POLICY push ON ubp.%I TO ubp_push USING (true) WITH CHECK (true)', part);
        EXECUTE format('CREATE POLICY whole ON ubp.%I FOR SELECT TO ubp_read
            USING (project = ANY ((SELECT ubp.whole_projects(current_user))::integer[]))', part);
        IF part NOT IN ('projects', 'statistics', 'terms', 'links') THEN
            EXECUTE format('CREATE POLICY part ON ubp.%I FOR SELECT TO ubp_read
                USING (path ~* ((SELECT ubp.parts_of_projects(current_user)) ->> project::text))', part);
        END IF;
    END LOOP;
END $$;
CREATE POLICY part ON ubp.projects FOR SELECT TO ubp_read
    USING ((SELECT ubp.parts_of_projects(current_user)) ? project::text);
-- Where a link leads tells the name of a page.
CREATE POLICY part ON ubp.links FOR SELECT TO ubp_read
    USING (path ~* ((SELECT ubp.parts_of_projects(current_user)) ->> project::text)
        AND (target_path IS NULL
            OR target_path ~* ((SELECT ubp.parts_of_projects(current_user)) ->> project::text)));
