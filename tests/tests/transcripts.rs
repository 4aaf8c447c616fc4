//! Snapshots of what users see. Each transcript shows a command and its output; `!` marks lines on standard error.

use ubp_tests::terminal::Terminal;

mod completing;
mod evaluating;
mod failures;
mod following;
mod projects;
mod reading;
mod remembering;
mod searching;
mod streams;
mod suggesting;
mod templates;
mod writing;

/// Three pages about signing in, and one about another topic.
fn vault() -> Terminal {
    Terminal::vault([
        (
            "login.md",
            "---\ntitle: Login Feature\ntags: [security]\nstatus: approved\n---\n# Login Feature\n\nUsers sign in with \
             a password; see [[User Database|depends_on]] and [[tokens]].\n\n## Flow\n\nA session token is issued, \
             which [[nowhere]] describes.\n",
        ),
        (
            "db/users.md",
            "---\ntitle: User Database\naliases: [UserDB]\ntype: db-schema\n---\nThe table of users and their passwords.\n",
        ),
        ("tokens.md", "# Tokens\n\nA session token expires after an hour.\n\n## 認証\n\n認証の流れは[[login]]にある。\n"),
        ("notes/tokens.md", "# Old tokens\n\nNobody links here.\n"),
    ])
    .unwrap()
}
