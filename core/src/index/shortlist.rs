//! The best of many candidates, when each is known only by a lower and an upper bound.

/// One candidate with its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    /// Its position; of two equal candidates, the earlier one wins.
    pub at: usize,
    /// Lower bound.
    pub least: f32,
    /// Upper bound.
    pub most: f32,
}

/// The candidates that may be among the `limit` best, in memory that depends only on `limit`.
#[derive(Debug)]
pub(super) struct Shortlist {
    limit: usize,
    kept: Vec<Candidate>,
    /// `limit` of the kept candidates are at least as good as this.
    floor: f32,
}

/// Maximum number of kept candidates, in total or per result (whichever is larger). It applies if the bounds cannot
/// tell more of them apart, as among copies of one text.
const MOST: usize = 256;
const MOST_EACH: usize = 8;

fn most(limit: usize) -> usize {
    limit.saturating_mul(MOST_EACH).max(MOST)
}

impl Shortlist {
    pub(super) fn new(limit: usize) -> Self {
        let kept = Vec::with_capacity(if limit == 0 { 0 } else { 2 * most(limit) });
        Self { limit, kept, floor: f32::NEG_INFINITY }
    }

    pub(super) fn offer(&mut self, candidate: Candidate) {
        if self.limit == 0 || candidate.most < self.floor {
            return;
        }
        self.kept.push(candidate);
        if self.kept.len() >= 2 * most(self.limit) {
            self.cut();
        }
    }

    /// Positions of the kept candidates, in ascending order.
    pub(super) fn finish(mut self) -> Vec<usize> {
        self.cut();
        let mut places: Vec<usize> = self.kept.into_iter().map(|candidate| candidate.at).collect();
        places.sort_unstable();
        places
    }

    fn cut(&mut self) {
        if self.kept.len() <= self.limit {
            return;
        }
        let (_, last, _) =
            self.kept.select_nth_unstable_by(self.limit - 1, |a, b| b.least.total_cmp(&a.least));
        self.floor = last.least;
        let floor = self.floor;
        self.kept.retain(|candidate| candidate.most >= floor);
        let most = most(self.limit);
        if self.kept.len() > most {
            let middle = |candidate: &Candidate| candidate.least + candidate.most;
            self.kept
                .select_nth_unstable_by(most, |a, b| middle(b).total_cmp(&middle(a)).then(a.at.cmp(&b.at)));
            self.kept.truncate(most);
        }
    }
}
