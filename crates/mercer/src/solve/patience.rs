//! When a solve has stalled.

/// A solve has stalled when neither the objective nor the violation has become better while so many times all variables
/// could have been in a working set: the precision of the kernel rows is used up.
const PATIENCE: usize = 20;

/// The best objective and the best violation since the active variables last changed.
pub(super) struct Patience {
    objective: f64,
    violation: f64,
    /// The round in which one of them last became better.
    round: u64,
}

impl Patience {
    /// Patience that begins anew in `round`.
    pub(super) fn since(round: u64) -> Self {
        Self { objective: f64::INFINITY, violation: f64::INFINITY, round }
    }

    /// Takes in what `round` begins with. Returns whether the solve has stalled, where all variables are `sets` working
    /// sets.
    pub(super) fn is_exhausted(&mut self, round: u64, objective: f64, violation: f64, sets: usize) -> bool {
        if objective < self.objective || violation < self.violation {
            self.objective = self.objective.min(objective);
            self.violation = self.violation.min(violation);
            self.round = round;
            return false;
        }
        round - self.round > (PATIENCE * sets) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends_so_many_rounds_after_the_last_improvement_of_either() {
        let mut patience = Patience::since(3);
        assert!(!patience.is_exhausted(3, 1.0, 1.0, 2));
        assert!(!patience.is_exhausted(10, 2.0, 0.5, 2), "the violation is better");
        assert!(!patience.is_exhausted(50, 1.0, 0.5, 2), "40 rounds later");
        assert!(patience.is_exhausted(51, 1.0, 0.5, 2), "41 rounds later");
        assert!(!patience.is_exhausted(51, 0.9, 0.6, 2), "the objective is better");
    }
}
