//! The check of pull requests: the steps of its action run in a shallow clone of a real git server, against a stand-in for
//! GitHub. Also the job for GitLab and the hooks that the docs recommend.

mod github;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use ubp_core::page::Value as Yaml;
use ubp_tests::skipped;
use ubp_tests::terminal::Terminal;

use crate::process::program;
use github::{Runner, Server, at, said, text, yaml};

const GUIDE: &str =
    "# Guide\n\n## Signing in\n\nSee [[src/login.ts#login]].\n\n## Tokens\n\nSee [[tokens]].\n";
const CODE: &str = "export function login(user: string): string {\n  const told = user.trim().toLowerCase();\n  return told + ' is in';\n}\n";

/// A title and a file name that would act if anything read them as more than text.
const HOSTILE: &str = "`$(touch pwned)` @everyone <img src=x onerror=alert(1)> ![x](https://example.org/x) [y](https://example.org) </details>";

/// A project with a branch, on a server, and a shallow clone of the merge of both, as in a job.
struct PullRequest {
    terminal: Terminal,
    folders: TempDir,
    server: Server,
}

impl PullRequest {
    /// `change` makes the branch.
    fn new(change: impl FnOnce(&Terminal)) -> Self {
        let terminal = Terminal::vault([("docs/guide.md", GUIDE), ("docs/tokens.md", "# Tokens\n")]).unwrap();
        terminal.write("src/login.ts", CODE).unwrap();
        terminal.write(".gitignore", ".ubp/metadata.db*\n.ubp/audit.jsonl\n").unwrap();
        terminal.git("init --quiet --initial-branch=main");
        terminal.git("add --all");
        terminal.git("commit --quiet -m one");
        terminal.git("switch --quiet --create topic");
        change(&terminal);
        terminal.git("add --all");
        terminal.git("commit --quiet -m two");
        // Main goes on, which is no part of the pull request.
        terminal.git("switch --quiet main");
        terminal.write("docs/more.md", "# More\n\n[[nowhere]]\n").unwrap();
        terminal.git("add --all");
        terminal.git("commit --quiet -m three");
        let folders = tempfile::Builder::new().prefix("ubp-pull-").tempdir().unwrap();
        let this = Self { terminal, folders, server: Server::start() };
        this.publish();
        this
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.folders.path().join(name)
    }

    fn publish(&self) {
        let bare = self.folder("server.git");
        if bare.exists() {
            fs::remove_dir_all(&bare).unwrap();
        }
        self.terminal.git("switch --quiet --detach main");
        self.terminal.git("merge --quiet --no-edit topic");
        self.terminal.git("branch --force merged");
        self.terminal.git("switch --quiet main");
        self.git(
            self.folders.path(),
            &["clone", "--quiet", "--bare", &self.terminal.folder().to_string_lossy(), "server.git"],
        );
    }

    fn git(&self, folder: &Path, arguments: &[&str]) -> String {
        let ran = Command::new("git")
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .args(arguments)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", said(&ran));
        String::from_utf8(ran.stdout).unwrap().trim().to_owned()
    }

    /// A checkout as `actions/checkout` makes it: one commit, the merge.
    fn checkout(&self) -> PathBuf {
        let checkout = self.folder("checkout");
        if checkout.exists() {
            fs::remove_dir_all(&checkout).unwrap();
        }
        let url = format!("file://{}", self.folder("server.git").display());
        let arguments = ["clone", "--quiet", "--depth=1", "--branch=merged", &url, "checkout"];
        self.git(self.folders.path(), &arguments);
        assert_eq!(self.git(&checkout, &["rev-list", "--count", "HEAD"]), "1");
        checkout
    }

    fn run(&self, inputs: &[(&str, &str)]) -> github::Job {
        let checkout = self.checkout();
        let temporary = self.folder("temporary");
        fs::create_dir_all(&temporary).unwrap();
        let commit = |name: &str| self.git(self.terminal.folder(), &["rev-parse", name]);
        let owned = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let mut given = owned(&[("command", &program().to_string_lossy())]);
        given.extend(owned(inputs));
        let runner = Runner {
            action: Path::new(env!("CARGO_MANIFEST_DIR")).join("../.github/actions/pages-check"),
            checkout: &checkout,
            temporary: &temporary,
            github: owned(&[
                ("github.event.pull_request.base.sha", &commit("main")),
                ("github.event.pull_request.head.sha", &commit("topic")),
                ("github.event.pull_request.number", "7"),
                ("github.token", "secret"),
            ]),
            inputs: given,
            environment: owned(&[
                ("GITHUB_API_URL", &self.server.address),
                ("GITHUB_REPOSITORY", "owner/name"),
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_CONFIG_NOSYSTEM", "1"),
            ]),
        };
        runner.run()
    }
}

/// The branch that most tests use: a contract changes, and a page goes.
fn contract_and_link(terminal: &Terminal) {
    terminal.write("src/login.ts", CODE.replace("user: string", "user: string, tries = 3")).unwrap();
    fs::remove_file(terminal.path("docs/tokens.md")).unwrap();
}

fn has(programs: &[&str]) -> bool {
    programs
        .iter()
        .all(|program| Command::new(program).arg("--version").output().is_ok_and(|ran| ran.status.success()))
}

#[test]
fn one_comment_is_kept_up_to_date() {
    if !has(&["node", "bash"]) {
        return skipped("the action: node and bash are needed");
    }
    let pull = PullRequest::new(contract_and_link);
    let quoting = pull.server.add("User", "<!-- ubp diff --> is how it begins");
    pull.server.add("Bot", "Coverage: 90 %");
    pull.server.add("User", "Nice");
    let job = pull.run(&[]);
    assert!(job.succeeded, "{}", job.log);
    assert_eq!(pull.server.changes(), ["POST /repos/owner/name/issues/7/comments"]);
    let (&id, _) = pull.server.comments.lock().unwrap().kept.last_key_value().unwrap();
    let body = pull.server.body(id);
    assert!(
        body.contains("- `docs/guide.md` § `Signing in`: `src/login.ts#login` has another contract\n"),
        "{body}"
    );
    assert!(body.contains("- `docs/guide.md` line 9 → `tokens`: `docs/tokens.md` was removed\n"), "{body}");
    assert!(!body.contains("nowhere"), "the other branch is no part of it: {body}");
    assert_eq!((job.summary.as_str(), job.outputs["attention"].as_str()), (body.as_str(), "2"));

    // The next push repairs the link. The same comment says so, also if other comments come before it.
    pull.terminal.git("switch --quiet topic");
    pull.terminal
        .write("docs/guide.md", GUIDE.replace("See [[tokens]]", "Signing in needs no token"))
        .unwrap();
    pull.terminal.write("src/login.ts", CODE).unwrap();
    pull.terminal.git("add --all");
    pull.terminal.git("commit --quiet -m four");
    pull.publish();
    let job = pull.run(&[]);
    assert_eq!(pull.server.changes(), [format!("PATCH /repos/owner/name/issues/comments/{id}")]);
    assert_eq!(job.outputs["attention"], "0");
    assert!(!pull.server.body(id).contains("has another contract"));
    assert_eq!(pull.server.body(quoting), "<!-- ubp diff --> is how it begins");
}

#[test]
fn a_claim_that_broke_is_in_the_comment_and_fails_the_check_if_asked_to() {
    if !has(&["node", "bash"]) {
        return skipped("the action: node and bash are needed");
    }
    let pull = PullRequest::new(|terminal| {
        terminal
            .write("src/login.ts", CODE.replace("export function login(", "export function signIn("))
            .unwrap();
        terminal
            .write("docs/guide.md", GUIDE.replace("See [[src/login.ts#login]].", "See the code."))
            .unwrap();
    });
    // The claim is on a page that the pull request does not touch.
    pull.terminal.git("switch --quiet main");
    pull.terminal.write("docs/tokens.md", "# Tokens\n\nCall `login()` first.\n").unwrap();
    pull.terminal.git("commit --quiet --all -m four");
    pull.terminal.git("switch --quiet topic");
    pull.terminal.git("rebase --quiet main");
    pull.terminal.write("docs/new.md", "# New\n").unwrap();
    pull.terminal.git("add --all");
    pull.terminal.git("commit --quiet -m five");
    pull.publish();
    let job = pull.run(&[("fail-on", "claims")]);
    assert!(!job.succeeded, "{}", job.log);
    let removed_in = pull.git(pull.terminal.folder(), &["rev-parse", "--short=10", "topic~1"]);
    let line =
        format!("- `docs/tokens.md` line 3: `login()` was removed in {removed_in}; it is now `signIn`\n");
    assert!(job.summary.contains(&line), "{}", job.summary);
    assert_eq!(job.outputs["attention"], "1", "{}", job.summary);
    assert!(pull.run(&[("fail-on", "broken")]).succeeded);
}

#[test]
fn nothing_to_say_makes_no_comment() {
    if !has(&["node", "bash"]) {
        return skipped("the action: node and bash are needed");
    }
    let pull = PullRequest::new(|terminal| {
        terminal.write("src/login.ts", format!("// Signs in.\n{CODE}")).unwrap();
    });
    let job = pull.run(&[("fail-on", "reread,broken")]);
    assert!(job.succeeded, "{}", job.log);
    assert_eq!(
        (pull.server.changes(), job.outputs["attention"].as_str()),
        (Vec::new(), "0"),
        "{}",
        job.summary
    );
}

#[test]
fn the_check_fails_only_if_asked_to() {
    if !has(&["node", "bash"]) {
        return skipped("the action: node and bash are needed");
    }
    let pull = PullRequest::new(contract_and_link);
    for (fail_on, succeeds) in
        [("", true), ("cycles", true), ("reread", false), ("cycles,broken", false), ("nonsense", false)]
    {
        let job = pull.run(&[("fail-on", fail_on), ("comment", "false")]);
        assert_eq!(job.succeeded, succeeds, "{fail_on}: {}", job.log);
        assert_eq!(job.summary.is_empty(), fail_on == "nonsense");
    }
    assert!(pull.server.changes().is_empty());
    // The comment comes before the failure.
    assert!(!pull.run(&[("fail-on", "broken")]).succeeded);
    assert_eq!(pull.server.changes().len(), 1);
    // A fork may not comment. That is not an error.
    pull.server.comments.lock().unwrap().refusal = Some(403);
    let job = pull.run(&[]);
    assert!(job.succeeded && job.log.contains("::notice::no comment"), "{}", job.log);
    pull.server.comments.lock().unwrap().refusal = Some(500);
    assert!(!pull.run(&[]).succeeded);
}

#[test]
fn names_act_neither_in_the_comment_nor_in_the_shell() {
    if !has(&["node", "bash"]) {
        return skipped("the action: node and bash are needed");
    }
    let pull = PullRequest::new(|terminal| {
        contract_and_link(terminal);
        let name = format!("docs/{}.md", HOSTILE.replace('/', "∕"));
        let page = format!(
            "---\ntitle: '{HOSTILE}'\n---\n# {HOSTILE}\n\n## {HOSTILE}\n\n[[src/$(touch pwned).ts#login]] [[@everyone <b>]]\n"
        );
        terminal.write(&name, page).unwrap();
        terminal.write("docs/two\n::error::lines @everyone\n# head.md", "[[x`; touch pwned; `y]]\n").unwrap();
    });
    let job = pull.run(&[]);
    assert!(job.succeeded, "{}", job.log);
    let body = job.summary;
    assert!(body.contains("touch pwned") && body.contains("@everyone"), "{body}");
    for folder in ["checkout", "checkout/docs", "temporary"] {
        assert!(!pull.folder(folder).join("pwned").exists());
    }
    assert!(!job.log.contains("\n::"), "commands for the runner: {}", job.log);
    let outside = outside_of_code(&body);
    for mark in ["@", "pwned", "img", "http", "::error", "<b>", "# head"] {
        assert!(!outside.contains(mark), "{mark}: {outside}");
    }
}

/// What Markdown reads as more than code spans.
fn outside_of_code(text: &str) -> String {
    use pulldown_cmark::{Event, Parser};
    let mut outside = String::new();
    for event in Parser::new(text) {
        match event {
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => outside.push_str(&text),
            Event::Start(tag) => outside.push_str(&format!("{tag:?}")),
            _ => {}
        }
    }
    outside
}

/// The fenced block of the docs that contains `words`.
fn recipe(words: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pull-requests.md");
    let docs = fs::read_to_string(docs).unwrap();
    let block = docs
        .split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .find(|block| block.contains(words));
    block.unwrap().to_owned()
}

/// A folder with these programs, each a script, for `PATH`.
fn programs(folder: &Path, scripts: &[(&str, String)]) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).unwrap();
    for (name, script) in scripts {
        let file = programs.join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    format!("{}:{}", programs.display(), std::env::var("PATH").unwrap())
}

#[test]
fn the_job_for_gitlab_keeps_one_note() {
    if !has(&["jq", "curl", "bash"]) {
        return skipped("the job for GitLab: jq, curl and bash are needed");
    }
    let pull = PullRequest::new(contract_and_link);
    let job = yaml(&recipe("CI_MERGE_REQUEST_IID"));
    let Some(Yaml::List(lines)) = at(&job, &["pages", "script"]) else { panic!("no script") };
    let lines: Vec<&str> = lines
        .iter()
        .map(|line| match line {
            Yaml::Text(text) => text.as_str(),
            _ => panic!("{line:?}"),
        })
        .collect();
    let ubp = format!("shift 2; exec '{}' \"$@\"", program().display());
    let path = programs(pull.folders.path(), &[("apt-get", "exit 0".into()), ("npx", ubp)]);
    let commit = |name: &str| pull.git(pull.terminal.folder(), &["rev-parse", name]);
    let base = pull.git(pull.terminal.folder(), &["merge-base", "main", "topic"]);
    let run = || {
        let ran = Command::new("bash")
            .args(["-e", "-o", "pipefail", "-c", &lines.join("\n")])
            .current_dir(pull.terminal.folder())
            .env("PATH", &path)
            .env("CI_API_V4_URL", &pull.server.address)
            .env("CI_MERGE_REQUEST_PROJECT_ID", "5")
            .env("CI_MERGE_REQUEST_IID", "9")
            .env("CI_MERGE_REQUEST_DIFF_BASE_SHA", &base)
            .env("CI_COMMIT_SHA", commit("topic"))
            .env("UBP_TOKEN", "secret")
            .output()
            .unwrap();
        assert!(ran.status.success(), "{}", said(&ran));
        pull.server.changes()
    };
    assert_eq!(run(), ["POST /projects/5/merge_requests/9/notes"]);
    assert!(
        pull.server.body(100).contains("`src/login.ts#login` has another contract"),
        "{}",
        pull.server.body(100)
    );
    assert_eq!(run(), ["PUT /projects/5/merge_requests/9/notes/100"]);
}

#[test]
fn the_recommended_hooks_stop_a_commit_until_its_pages_are_settled() {
    let of_pre_commit = yaml(&recipe("repo: local"));
    let Some(Yaml::List(repositories)) = at(&of_pre_commit, &["repos"]) else { panic!("no repositories") };
    let Some(Yaml::List(hooks)) = at(&repositories[0], &["hooks"]) else { panic!("no hooks") };
    let of_lefthook = yaml(&recipe("commands:"));
    let commands = [
        text(&hooks[0], &["entry"]).unwrap(),
        text(&of_lefthook, &["pre-commit", "commands", "pages", "run"]).unwrap(),
    ];
    let pull = PullRequest::new(contract_and_link);
    pull.terminal.git("switch --quiet topic");
    let status = |command: &str| pull.terminal.ubp(command.strip_prefix("ubp ").unwrap()).status as i32;
    for command in commands {
        pull.terminal.write("src/login.ts", CODE.replace("toLowerCase", "toUpperCase")).unwrap();
        pull.terminal.git("commit --quiet --all --allow-empty -m body");
        assert_eq!(status(command), 0, "{command}");
        pull.terminal.write("src/login.ts", CODE.replace("): string", "): string | null")).unwrap();
        assert_eq!(status(command), 1, "{command}");
        pull.terminal.write("docs/guide.md", GUIDE.replace("See", "Perhaps, see")).unwrap();
        assert_eq!(status(command), 0, "{command}");
        pull.terminal.git("checkout --quiet -- docs/guide.md");
    }
}
