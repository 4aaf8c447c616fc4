//! Following links: paths through the graph, and the impact of a change.

use insta::assert_snapshot;
use ubp_tests::terminal::Terminal;

/// Pages about a schema, with pages that depend on it and the code that it describes.
fn vault() -> Terminal {
    let terminal = Terminal::vault([
        (
            "db/users.md",
            "---\ntitle: User Database\naliases: [UserDB]\ntype: db-schema\nsource_refs: ['src/db/']\n---\nusers\n",
        ),
        ("login.md", "---\ntitle: Login\ntype: spec\n---\n[[UserDB|depends_on]] and [[tokens]]\n"),
        ("tokens.md", "---\ntitle: Tokens\ntype: api\n---\nissued by `x`; [[login|implements]]\n"),
        ("guide.md", "---\ntitle: Guide\ntype: guide\n---\nstart with [[Login]]\n"),
        ("ldap.md", "---\ntitle: LDAP\ntype: design\n---\n[[UserDB|conflicts_with]]\n"),
    ])
    .unwrap();
    terminal.write("src/db/users.ts", "export {}\n").unwrap();
    terminal.write("src/lonely.ts", "export {}\n").unwrap();
    terminal
}

#[test]
fn traverse_prints_the_paths_as_a_tree() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("traverse Guide --depth 3 --direction out").transcript(), @"
    $ ubp traverse Guide --depth 3 --direction out
    Guide  guide.md
      -> login.md (references)
        -> db/users.md (depends_on)
        -> tokens.md (references)
    ! 3 of 3 pages reached
    ");
    assert_snapshot!(terminal.ubp("traverse UserDB --direction in --type depends_on").transcript(), @"
    $ ubp traverse UserDB --direction in --type depends_on
    User Database  db/users.md
      <- login.md (depends_on)
    ! 1 of 1 page reached
    ");
    assert_snapshot!(terminal.ubp("traverse Logn").transcript(), @"
    $ ubp traverse Logn
    ! error: no page is called 'Logn'
    ! hint: did you mean login.md?
    exit status 2
    ");
    assert_snapshot!(terminal.ubp("traverse Login --direction up").transcript(), @"
    $ ubp traverse Login --direction up
    ! error: invalid value 'up' for '--direction <WAY>'
    !   [possible values: outgoing, incoming, both]
    ! 
    ! For more information, try '--help'.
    exit status 2
    ");
}

#[test]
fn impact_says_who_is_affected_and_how() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("impact UserDB").transcript(), @"
    $ ubp impact UserDB
    User Database  db/users.md
      1.00  login.md  Login  spec · 1 hop
        <- login.md (depends_on)
      0.70  ldap.md  LDAP  design · 1 hop
        <- ldap.md (conflicts_with)
      0.45  tokens.md  Tokens  api · 2 hops
        <- login.md (depends_on) <- tokens.md (implements)
      0.25  guide.md  Guide  guide · 2 hops
        <- login.md (depends_on) <- guide.md (references)
    ! 4 pages affected
    ");
    assert_snapshot!(terminal.ubp("impact UserDB --link-type depends_on --depth 1").transcript(), @"
    $ ubp impact UserDB --link-type depends_on --depth 1
    User Database  db/users.md
      1.00  login.md  Login  spec · 1 hop
        <- login.md (depends_on)
    ! 1 page affected
    ");
    assert_snapshot!(terminal.ubp("impact UserDB --limit 1").transcript(), @"
    $ ubp impact UserDB --limit 1
    User Database  db/users.md
      1.00  login.md  Login  spec · 1 hop
        <- login.md (depends_on)
    ! 1 of 4 pages affected · by page type: api 1, design 1, guide 1, spec 1 · by link: conflicts_with 1, depends_on 1, implements 1, references 1
    ");
    assert_snapshot!(terminal.ubp("impact guide.md").transcript(), @"
    $ ubp impact guide.md
    Guide  guide.md
    ! no other page is affected
    ");
}

#[test]
fn impact_of_a_file_starts_at_the_pages_that_name_it() {
    let terminal = vault();
    assert_snapshot!(terminal.ubp("impact src/db/users.ts --depth 2").transcript(), @"
    $ ubp impact src/db/users.ts --depth 2
    src/db/users.ts
      1.00  db/users.md  User Database  db-schema · 1 hop
        <- db/users.md (source_refs)
      0.50  login.md  Login  spec · 2 hops
        <- db/users.md (source_refs) <- login.md (depends_on)
      0.35  ldap.md  LDAP  design · 2 hops
        <- db/users.md (source_refs) <- ldap.md (conflicts_with)
    ! 3 pages affected
    ");
    assert_snapshot!(terminal.ubp("impact src/lonely.ts").transcript(), @"
    $ ubp impact src/lonely.ts
    src/lonely.ts
    ! no page names this file in its `source_refs`
    ");
    // A name first means a path relative to the current folder; printed paths are relative to it as well.
    let (above, from_source) = (terminal.ubp("impact src").out, terminal.ubp("-C src impact db").out);
    assert!(above.starts_with("src/\n  1.00  db/users.md"), "{above}");
    assert!(from_source.starts_with("src/db/\n  1.00  db/users.md"), "{from_source}");
    assert_snapshot!(terminal.ubp("impact src/nowhere.ts").transcript(), @"
    $ ubp impact src/nowhere.ts
    ! error: unknown file or folder 'src/nowhere.ts', and no page names it; pass its path relative to the project's folder
    exit status 2
    ");
}
