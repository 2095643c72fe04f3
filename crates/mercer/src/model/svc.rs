//! Support vector classification.

use crate::model::Expansion;
use crate::solve::Certificate;

/// C-SVC, one-vs-one for more than two classes.
#[derive(Debug, Clone)]
pub struct Svc<K> {
    pub(crate) kernel: K,
}

/// A fitted classifier: the expansion of all pairs of classes over the union of their support points.
///
/// Output p belongs to the pair (a, b), a < b, counted (0,1), (0,2), …, (1,2), …; positive means class a. Support
/// points are sorted by class (then in the order of the training data) and `class_sizes` says how many each class has.
#[derive(Debug, Clone, PartialEq)]
pub struct SvcModel<X, K> {
    /// The decision functions of all pairs.
    pub expansion: Expansion<X, K>,
    /// Class names; numbering as in training.
    pub classes: Vec<String>,
    /// Support points per class.
    pub class_sizes: Vec<usize>,
    /// Positions of the support points in the training data, from 0; empty when unknown (LIBSVM model files).
    pub support: Vec<usize>,
    /// One per pair; empty when unknown (LIBSVM model files).
    pub certificates: Vec<Certificate>,
}
