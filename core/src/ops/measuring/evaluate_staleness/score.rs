//! Counts what rules report, and how much of it is right.

use std::collections::HashMap;

use super::bindings::{Bindings, Named};
use super::step::{Fate, Step};
use super::{References, Replay, Rule, RuleFigures};
use crate::search::rounded;

const RULES: [Rule; 3] = [Rule::File, Rule::Symbol, Rule::Contract];

/// The counts of one kind of references.
pub(super) struct Score {
    replay: Replay,
    counts: Vec<(Rule, Counts)>,
}

/// What one rule reports.
#[derive(Debug, Default)]
struct Counts {
    reported: usize,
    right: usize,
    edited: usize,
    symbol_edited: usize,
    symbol_right: usize,
    alarms: usize,
    equal_alarms: usize,
}

/// What is known about a place after a change.
struct Known {
    is_edited: bool,
    has_changed_symbol: bool,
    is_code_only: bool,
    has_equal_tokens: bool,
}

impl Score {
    pub fn new(references: References, after_commit: &str) -> Self {
        let rules: &[Rule] = match references {
            References::WrittenFiles => &RULES[..1],
            _ => &RULES,
        };
        Self {
            replay: Replay {
                references,
                after_commit: after_commit.to_owned(),
                change_count: 0,
                code_only_count: 0,
                equal_tokens_count: 0,
                edited_count: 0,
                bound_count: 0,
                gone_count: 0,
                followed_count: 0,
                rules: Vec::new(),
            },
            counts: rules.iter().map(|rule| (*rule, Counts::default())).collect(),
        }
    }

    /// Counts what the rules report of one change.
    pub fn add(&mut self, step: &Step<'_>, bound: &Bindings) {
        let (is_code_only, has_equal_tokens) = (step.is_code_only(), step.has_equal_tokens());
        let replay = &mut self.replay;
        replay.change_count += 1;
        replay.code_only_count += usize::from(is_code_only);
        replay.equal_tokens_count += usize::from(has_equal_tokens);
        replay.edited_count += step.edited_count();
        let mut touched: HashMap<&Named, bool> = HashMap::new();
        for (place, named) in &bound.0 {
            let fates: Vec<Fate> = named
                .iter()
                .filter_map(|one| match one {
                    Named::Symbol(file, name) => step.fate(file, name),
                    _ => None,
                })
                .collect();
            let gone = fates.iter().filter(|fate| matches!(fate, Fate::Gone(_)));
            replay.gone_count += gone.clone().count();
            replay.followed_count += gone.filter(|fate| matches!(fate, Fate::Gone(Some(_)))).count();
            let known = Known {
                is_edited: step.is_edited(place),
                has_changed_symbol: fates.iter().any(|fate| *fate != Fate::Same),
                is_code_only,
                has_equal_tokens,
            };
            for (rule, counts) in &mut self.counts {
                let is_reported = match rule {
                    Rule::File => named
                        .iter()
                        .any(|one| *touched.entry(one).or_insert_with(|| one.covers_any(step.changed()))),
                    Rule::Symbol => known.has_changed_symbol,
                    Rule::Contract => fates.iter().any(|fate| matches!(fate, Fate::Contract | Fate::Gone(_))),
                };
                counts.add(is_reported, &known);
            }
        }
    }

    /// The figures. `bound_count` places have references at the end.
    pub fn finish(self, bound_count: usize) -> Replay {
        let changes = self.replay.code_only_count;
        let rules = self.counts.iter().map(|(rule, counts)| counts.figures(*rule, changes)).collect();
        Replay { bound_count, rules, ..self.replay }
    }
}

impl Counts {
    fn add(&mut self, is_reported: bool, known: &Known) {
        let count = usize::from;
        let is_symbol_edited = known.is_edited && known.has_changed_symbol;
        self.reported += count(is_reported && !known.is_code_only);
        self.right += count(is_reported && known.is_edited);
        self.edited += count(known.is_edited);
        self.symbol_edited += count(is_symbol_edited);
        self.symbol_right += count(is_reported && is_symbol_edited);
        self.alarms += count(is_reported && known.is_code_only);
        self.equal_alarms += count(is_reported && known.has_equal_tokens);
    }

    fn figures(&self, rule: Rule, code_only_count: usize) -> RuleFigures {
        RuleFigures {
            rule,
            reported_count: self.reported,
            right_count: self.right,
            precision: share(self.right, self.reported),
            bound_edited_count: self.edited,
            recall: share(self.right, self.edited),
            symbol_edited_count: self.symbol_edited,
            symbol_recall: share(self.symbol_right, self.symbol_edited),
            alarm_count: self.alarms,
            alarms_per_code_only_change: share(self.alarms, code_only_count),
            equal_tokens_alarm_count: self.equal_alarms,
        }
    }
}

fn share(part: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| rounded(part as f64 / all as f64))
}
