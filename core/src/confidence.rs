//! The meaning of every `confidence` in answers: of the findings that have about this number, this share is right. So of
//! ten findings with 0.8, eight are right. It is on everything that UBP found and nobody wrote: missing links and their
//! types, memories that say the same, and files that were moved. What is certain, such as equal bytes, has none, and
//! neither has what was not measured. (The `confidence` of a memory is another: how much its author trusts it.)
//!
//! Each kind of finding has a scale from what UBP computes, such as a similarity, to that share. The module with the
//! scale says on what it was measured, on how many findings, and how to repeat it.

/// A scale: points from a computed number to the share of right findings, both increasing.
pub(crate) type Scale = [(f64, f64)];

/// The share of right findings at `computed`, on the lines between the points of the scale. Beyond its ends, it is that of
/// the first or last point.
pub(crate) fn of(computed: f64, scale: &Scale) -> f64 {
    for pair in scale.windows(2) {
        if let [(from, low), (to, high)] = *pair
            && computed <= to
        {
            return low + (computed.max(from) - from) / (to - from) * (high - low);
        }
    }
    scale.last().map_or(1.0, |(_, most)| *most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_read_between_its_points_and_ends_with_them() {
        let scale = [(0.2, 0.1), (0.4, 0.5), (1.0, 0.8)];
        for (computed, share) in [(0.0, 0.1), (0.2, 0.1), (0.3, 0.3), (0.4, 0.5), (0.7, 0.65), (1.5, 0.8)] {
            assert!((of(computed, &scale) - share).abs() < 1e-9, "{computed}");
        }
        assert_eq!(of(0.5, &[]), 1.0);
    }
}
