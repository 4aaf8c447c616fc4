//! Random sequences of proposals, edits and decisions: nothing is lost, nothing is written unasked, and each proposal is
//! in one state.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

const PAGES: [&str; 3] = ["a.md", "b.md", "c.md"];
const AGENTS: [&str; 2] = ["claude 1.0", "codex 1.0"];
const BLOCKS: usize = 4;

#[derive(Debug, Clone)]
enum Step {
    /// An agent proposes other text for a block, or adds to its latest proposal for the page.
    Propose {
        agent: usize,
        page: usize,
        block: usize,
        amends: bool,
    },
    /// A person edits a block.
    Edit {
        page: usize,
        block: usize,
    },
    /// A person accepts one of the proposals, or its first hunk.
    Accept {
        which: usize,
        first: bool,
    },
    Reject {
        which: usize,
    },
    Withdraw {
        agent: usize,
        which: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let (agent, page, block) = (0..AGENTS.len(), 0..PAGES.len(), 0..BLOCKS);
    prop_oneof![
        4 => (agent.clone(), page.clone(), block.clone(), any::<bool>())
            .prop_map(|(agent, page, block, amends)| Step::Propose { agent, page, block, amends }),
        2 => (page, block).prop_map(|(page, block)| Step::Edit { page, block }),
        3 => (any::<usize>(), any::<bool>()).prop_map(|(which, first)| Step::Accept { which, first }),
        1 => any::<usize>().prop_map(|which| Step::Reject { which }),
        1 => (agent, any::<usize>()).prop_map(|(agent, which)| Step::Withdraw { agent, which }),
    ]
}

/// What the test knows about a proposal: its agent, its page and the proposed blocks.
#[derive(Debug, Clone)]
struct Known {
    agent: usize,
    page: usize,
    hash: String,
    blocks: BTreeMap<usize, String>,
    state: &'static str,
}

fn blocks_of(text: &str) -> Vec<String> {
    text.trim_end().split("\n\n").map(str::to_owned).collect()
}

fn text_of(blocks: &[String]) -> String {
    blocks.join("\n\n") + "\n"
}

struct Run {
    project: Project,
    /// The text of each page, by block.
    pages: Vec<Vec<String>>,
    known: BTreeMap<String, Known>,
    count: usize,
}

impl Run {
    fn new() -> Self {
        let pages: Vec<Vec<String>> = PAGES
            .iter()
            .map(|page| (0..BLOCKS).map(|block| format!("Block {block} of {page}.")).collect())
            .collect();
        let texts: Vec<String> = pages.iter().map(|blocks| text_of(blocks)).collect();
        let project = Project::with_pages(PAGES.into_iter().zip(texts.iter().map(String::as_str)));
        Self { project, pages, known: BTreeMap::new(), count: 0 }
    }

    fn ids(&self, agent: Option<usize>) -> Vec<String> {
        let of_agent = |known: &Known| agent.is_none_or(|agent| agent == known.agent);
        self.known.iter().filter(|(_, known)| of_agent(known)).map(|(id, _)| id.clone()).collect()
    }

    fn ask(&self, agent_number: usize, operation: &str, params: Value) -> Result<Value> {
        let proposing = Proposing { params: params.clone(), ..Proposing::default() };
        agent(&self.project, AGENTS[agent_number], &proposing).call(operation, params)
    }

    fn take(&mut self, step: &Step) {
        self.count += 1;
        let token = format!("Text {}.", self.count);
        match *step {
            Step::Propose { agent, page, block, amends } => self.propose(agent, page, block, amends, &token),
            Step::Edit { page, block } => {
                self.pages[page][block].clone_from(&token);
                self.project.put(PAGES[page], &text_of(&self.pages[page]));
                self.project.refresh();
            }
            Step::Accept { which, first } => self.accept(which, first),
            Step::Reject { which } => {
                let ids = self.ids(None);
                let Some(id) = ids.get(which % ids.len().max(1)) else { return };
                let known = self.known.get_mut(id).unwrap();
                let result = call(&self.project, "reject_proposal", json!({ "proposals": [id] }));
                assert_eq!(result.is_ok(), known.state == "open");
                if result.is_ok() {
                    known.state = "rejected";
                }
            }
            Step::Withdraw { agent, which } => {
                let ids = self.ids(Some(agent));
                let Some(id) = ids.get(which % ids.len().max(1)) else { return };
                let result = self.ask(agent, "withdraw_proposal", json!({ "proposal": id }));
                let known = self.known.get_mut(id).unwrap();
                assert_eq!(result.is_ok(), known.state == "open");
                if result.is_ok() {
                    known.state = "withdrawn";
                }
            }
        }
    }

    fn propose(&mut self, agent: usize, page: usize, block: usize, amends: bool, token: &str) {
        let own = |known: &&Known| known.agent == agent && known.page == page && known.state == "open";
        let earlier = self.known.iter().rfind(|(_, known)| own(known));
        let earlier = earlier.filter(|_| amends).map(|(id, known)| (id.clone(), known.clone()));
        let mut params = json!({ "page": PAGES[page], "new": token });
        let mut blocks = BTreeMap::new();
        let mut old = self.pages[page][block].clone();
        if let Some((_, known)) = &earlier {
            params["expected_hash"] = known.hash.clone().into();
            blocks.clone_from(&known.blocks);
            let shown =
                call(&self.project, "get_proposal", json!({ "proposal": earlier.as_ref().unwrap().0 }));
            let proposed = shown.unwrap()["changes"][0]["text"].as_str().unwrap().to_owned();
            old.clone_from(&blocks_of(&proposed)[block]);
        }
        params["old"] = old.into();
        let answer = self.ask(agent, "update_page", params).unwrap();
        blocks.insert(block, token.to_owned());
        if let Some((id, _)) = earlier {
            self.known.remove(&id);
        }
        let (id, hash) = (answer["proposal"].as_str().unwrap(), answer["content_hash"].as_str().unwrap());
        self.known.insert(id.into(), Known { agent, page, hash: hash.into(), blocks, state: "open" });
    }

    fn accept(&mut self, which: usize, first: bool) {
        let ids = self.ids(None);
        let Some(id) = ids.get(which % ids.len().max(1)) else { return };
        let known = self.known.get_mut(id).unwrap();
        let hunks = if first { vec![1] } else { Vec::new() };
        let result = call(&self.project, "accept_proposal", json!({ "proposals": [id], "hunks": hunks }));
        match result {
            Ok(answer) => {
                assert_eq!(known.state, "open");
                let is_part = answer["accepted"][0]["state"] == "partly_accepted";
                known.state = if is_part { "partly_accepted" } else { "accepted" };
                let count = if is_part { 1 } else { known.blocks.len() };
                for (block, text) in known.blocks.iter().take(count) {
                    self.pages[known.page][*block].clone_from(text);
                }
            }
            Err(error) if known.state == "open" => assert_eq!(error.code(), "conflict", "{error}"),
            Err(error) => assert_eq!(error.code(), "invalid_params", "{error}"),
        }
    }

    /// Checks the pages and proposals after each step.
    fn check(&self) {
        for (page, blocks) in PAGES.iter().zip(&self.pages) {
            assert_eq!(text(&self.project, page), text_of(blocks));
        }
        let listed = call(&self.project, "list_proposals", json!({ "state": "all", "limit": 1000 })).unwrap();
        let listed = listed["proposals"].as_array().unwrap();
        let found: BTreeSet<&str> = listed.iter().map(|one| one["proposal"].as_str().unwrap()).collect();
        assert_eq!(found, self.known.keys().map(String::as_str).collect());
        let open = listed.iter().filter(|one| one["decision"].is_null()).count();
        assert_eq!(crate::proposals::open_count(&self.project.context()).unwrap(), open);
        for proposal in listed {
            let known = &self.known[proposal["proposal"].as_str().unwrap()];
            let state = proposal["state"].as_str().unwrap();
            let expected: &[&str] = if known.state == "open" {
                &["pending", "conflict"]
            } else {
                std::slice::from_ref(&known.state)
            };
            assert!(expected.contains(&state), "{state} is not {}", known.state);
            assert_eq!(proposal["agent"], AGENTS[known.agent]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40,
        rng_seed: RngSeed::Fixed(20_261_125),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_is_lost_and_nothing_is_written_unasked(steps in proptest::collection::vec(step(), 1..25)) {
        let mut run = Run::new();
        for step in &steps {
            run.take(step);
            run.check();
        }
        run.project.embed();
        prop_assert!(run.project.dump() == run.project.rebuilt());
    }
}
