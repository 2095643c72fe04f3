//! Choosing: how good a method is on points that it has not seen, and which of its settings is best there.
//!
//! A [`Scheme`] divides points into [`Splits`]; [`cross_validate`] fits without the points of each and takes [`Metric`]s of what is
//! predicted of them; [`evaluate`] does so for many [`Candidate`]s, which a [`Grid`] makes of ranges.
//!
//! | file | what it has |
//! |---|---|
//! | `split` | who is left out when |
//! | `score` | how good predictions are |
//! | `interval`, `binomial` | how far a score may be from the true one |
//! | `validate` | cross-validation |
//! | `search` | candidates, their scores, their log |
//! | `mixture` | the weights of a sum of kernels |

mod binomial;
mod interval;
mod mixture;
mod score;
mod search;
mod split;
mod validate;

pub use binomial::clopper_pearson;
pub use interval::{Fold, Interval, LEVEL, bootstrap, wilson};
pub use mixture::{Mixture, MixtureTerms, mixture, terms, weighted};
pub use score::{Average, Metric, Needs, Said, Truth};
pub use search::{
    Axis, Candidate, Grid, Log, Outcome, Point, Proof, Ranking, Search, Spacing, Told, Verdict, evaluate,
    expand, survivors,
};
pub use split::{Layout, Scheme, Split, Splits};
pub use validate::{Scale, Summary, Task, Terms, Trial, Validation, cross_validate, mean_and_spread};
