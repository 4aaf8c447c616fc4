//! The best of many, when all that is known of each is between what and what it lies.

/// One of many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    /// Where it stands; the earlier one wins a tie.
    pub at: usize,
    /// It is no worse than this.
    pub least: f32,
    /// It is no better than this.
    pub most: f32,
}

/// Those among the offered that may be among the `limit` best, in memory that depends on `limit` alone.
#[derive(Debug)]
pub(super) struct Shortlist {
    limit: usize,
    kept: Vec<Candidate>,
    /// `limit` of the kept are at least as good as this.
    floor: f32,
}

/// So many are kept, or so many for each that is asked for, where no more can be told from the best, as
/// among copies of one text.
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

    /// Where they stand, in that order.
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
