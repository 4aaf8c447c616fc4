//! The best of many projects, without asking each for all that it might contribute.

use std::collections::HashMap;
use std::hash::Hash;

use ubp_core::Result;

/// Fewest rows that a project is asked for.
const FEWEST: usize = 40;
/// How many times its share a project is asked for first.
const SHARES: usize = 4;

/// The `limit` best of all projects with their scores, best first. `ask` returns the best of each of these projects, at most
/// so many; `project` tells where one is from.
///
/// Most projects have few of the best, so all are asked for a part first. Those whose last one is still among the best of
/// all are asked again.
pub(super) async fn best_of_all<T, P: Copy + Eq + Hash>(
    projects: &[P],
    limit: usize,
    project: impl Fn(&T) -> P,
    ask: impl AsyncFn(&[P], usize) -> Result<Vec<(T, f64)>>,
) -> Result<Vec<(T, f64)>> {
    let part = (SHARES * limit).div_ceil(projects.len().max(1)).clamp(FEWEST.min(limit), limit);
    let mut found = ask(projects, part).await?;
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let least = found.get(limit - 1).map_or(f64::NEG_INFINITY, |(_, score)| *score);
    let mut of_projects: HashMap<P, (usize, f64)> = HashMap::new();
    for (one, score) in &found {
        let (count, own) = of_projects.entry(project(one)).or_insert((0, f64::INFINITY));
        (*count, *own) = (*count + 1, own.min(*score));
    }
    let has_more = |one: &P| of_projects.get(one).is_some_and(|(count, own)| *count >= part && *own > least);
    let more: Vec<P> = projects.iter().copied().filter(has_more).collect();
    if part < limit && !more.is_empty() {
        found.retain(|(one, _)| !more.contains(&project(one)));
        found.extend(ask(&more, limit).await?);
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
    }
    found.truncate(limit);
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn the_best_are_found_wherever_they_are() {
        // Of project 3, all are better than any of the others.
        let scores =
            |project: i32| (0..300).map(move |at| f64::from((project == 3) as i32 * 1000 + 300 - at));
        let asked = RefCell::new(Vec::new());
        let ask = async |projects: &[i32], limit: usize| {
            asked.borrow_mut().push((projects.len(), limit));
            Ok(projects
                .iter()
                .flat_map(|project| scores(*project).take(limit).map(move |score| (*project, score)))
                .collect())
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let projects: Vec<i32> = (0..20).collect();
        let found = runtime.block_on(best_of_all(&projects, 200, |one| *one, ask)).unwrap();
        assert_eq!(asked.take(), [(20, 40), (1, 200)]);
        assert!(found.len() == 200 && found.iter().all(|(project, _)| *project == 3));
        let all = runtime.block_on(best_of_all(&projects, 400, |one| *one, ask)).unwrap();
        let mut expected: Vec<f64> = projects.iter().flat_map(|project| scores(*project)).collect();
        expected.sort_by(|a, b| b.total_cmp(a));
        assert_eq!(all.iter().map(|(_, score)| *score).collect::<Vec<_>>(), expected[..400]);
    }
}
