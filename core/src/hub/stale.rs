//! Stale pages, and pages that depend on stale pages of other projects.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::Connection;
use serde_json::{Map, Value};

use super::linked::Elsewhere;
use super::named::{self, NamedPage};
use super::{Hub, Project, read, share_tokens, unreachable, written};
use crate::freshness::{self, Assessment, Suspect};
use crate::index::questions::pages;
use crate::ops::check_staleness::{self, Output, Params, Suspects};
use crate::ops::page::path_of;
use crate::search::across::{member_of, number, within};
use crate::show::Page;
use crate::{Context, Error, Result};

/// What one project answers, with the pages of other projects in it.
type Answered = Result<(Output, Elsewhere)>;

impl Hub<'_> {
    /// The stale pages of the projects at these positions: of one as its answer, of several by project.
    pub(super) fn ask_freshness(
        &self,
        chosen: &[usize],
        mut params: Map<String, Value>,
        page: Option<&mut dyn Page>,
    ) -> Result<Value> {
        share_tokens(&mut params, chosen.len());
        let mut answers = self.freshness(chosen, &read(params)?)?;
        let mut told = |name: &str, page: Option<&mut dyn Page>| {
            let answer = answers.remove(name);
            let (output, elsewhere) =
                answer.unwrap_or_else(|| Err(Error::Internal(format!("project {name} is gone"))))?;
            if let Some(page) = page {
                check_staleness::show(&output, &mut NamedPage::new(name, page, &elsewhere));
            }
            Ok(named::of(name, written(&output)?, &elsewhere))
        };
        match chosen {
            [one] => match &self.projects[*one] {
                Project { name, context: Ok(_), .. } => told(name, page),
                Project { name, context: Err(error), .. } => Err(unreachable(name, error)),
            },
            several => self.each(several, page, &mut |name, _, page| told(name, page)),
        }
    }

    fn freshness(&self, chosen: &[usize], params: &Params) -> Result<BTreeMap<String, Answered>> {
        let places: BTreeSet<usize> = chosen.iter().flat_map(|&at| self.connected(at)).collect();
        let places: Vec<usize> = places.into_iter().collect();
        self.in_one_state(&places, |members| {
            let mut assessed: Vec<_> =
                members.iter().map(|(_, context)| freshness::assess(context, None)).collect();
            let mut all = HashMap::new();
            for (at, own) in assessed.iter().enumerate() {
                let verdict = |(page, one): (&i64, &Assessment)| {
                    (number(at, *page), Assessment { staleness: one.staleness, ..Assessment::default() })
                };
                all.extend(own.iter().flatten().map(verdict));
            }
            let mut suspects: BTreeMap<usize, Vec<Suspect>> = BTreeMap::new();
            for suspect in freshness::suspects(&self.graph_of(&members)?, &all) {
                suspects.entry(member_of(suspect.page)).or_default().push(suspect);
            }
            let mut answers = BTreeMap::new();
            for (at, (name, _)) in members.iter().enumerate() {
                if chosen.iter().any(|place| self.projects[*place].name == *name) {
                    let own = std::mem::replace(&mut assessed[at], Ok(HashMap::new()));
                    let suspects = suspects.remove(&at).unwrap_or_default();
                    let answer = own.and_then(|own| answer(at, &members, params.clone(), own, suspects));
                    match answer {
                        Err(Error::Cancelled) => return Err(Error::Cancelled),
                        answer => answers.insert((*name).to_owned(), answer),
                    };
                }
            }
            Ok(answers)
        })
    }
}

/// What the project at a position answers.
fn answer(
    at: usize,
    members: &[(&str, Context<'_>)],
    params: Params,
    assessments: HashMap<i64, Assessment>,
    suspects: Vec<Suspect>,
) -> Answered {
    let mut elsewhere: Vec<String> = Vec::new();
    let mut own_numbers = Vec::with_capacity(suspects.len());
    for suspect in suspects {
        let mut path = Vec::with_capacity(suspect.path.len());
        for page in suspect.path {
            path.push(match member_of(page) {
                own if own == at => within(page),
                other => {
                    let (name, context) = &members[other];
                    let found = context.index.read(|db| pages::path(db, within(page)))?;
                    elsewhere.push(format!("{name}:{found}"));
                    // Negative, so no page has it.
                    -i64::try_from(elsewhere.len()).unwrap_or(i64::MAX)
                }
            });
        }
        own_numbers.push(Suspect { page: within(suspect.page), path });
    }
    let path = |db: &Connection, page: i64| {
        let other = usize::try_from(-page).ok().and_then(|place| elsewhere.get(place.checked_sub(1)?));
        other.map_or_else(|| path_of(db, page), |path| Ok(path.clone()))
    };
    let suspects = Suspects { suspects: own_numbers, path: &path };
    let output = check_staleness::run_among(&members[at].1, params, assessments, suspects)?;
    Ok((output, elsewhere.into_iter().collect()))
}
