//! The answer of a solver so far, for a later solve to begin with.

use std::fmt;

/// A place to start from: weights of the features, of methods that have them, and dual variables.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Start {
    /// w; empty for a method with a kernel.
    pub weights: Vec<f64>,
    /// β
    pub dual: Vec<f64>,
}

impl Start {
    /// Dual variables alone.
    pub(crate) fn of_dual(dual: Vec<f64>) -> Self {
        Self { weights: Vec::new(), dual }
    }

    /// Whether it is one of a problem with so many weights and points.
    pub(crate) fn fits(&self, width: usize, points: usize) -> bool {
        self.weights.len() == width && self.dual.len() == points
    }
}

/// What a solver would answer now. It is copied out only when it is asked for, which costs as much as the answer is long; nothing that
/// the solver does depends on whether it is.
#[derive(Clone, Copy, Default)]
pub struct Iterate<'a>(Option<&'a (dyn Fn() -> Start + Sync)>);

impl<'a> Iterate<'a> {
    pub(crate) fn of(copy: &'a (dyn Fn() -> Start + Sync)) -> Self {
        Self(Some(copy))
    }

    /// The answer so far; none from a solver that cannot go on from one.
    #[must_use]
    pub fn start(self) -> Option<Start> {
        self.0.map(|copy| copy())
    }
}

impl fmt::Debug for Iterate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Iterate(…)" } else { "Iterate(none)" })
    }
}

/// Two reports on a solve are compared by what they tell, not by the answer that can be had from them.
impl PartialEq for Iterate<'_> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
