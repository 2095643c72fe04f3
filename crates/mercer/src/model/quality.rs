//! How good a fitted model is, whatever the method: one idea for files, reports and Python.

use super::facts::Facts;
use super::words::{count, rough};
use crate::solve::{Certificate, Stop};

/// How good a model is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Quality {
    /// Not known, as of models read from LIBSVM's text.
    Unknown,
    /// Certificates of the quadratic programmes that were solved, one or more.
    Programmes(Vec<Certificate>),
    /// Certificates of the programmes of parts; nothing is known of the whole, which is an approximation.
    Parts(Vec<Certificate>),
    /// The relative residual of linear equations or of an eigenproblem.
    Residual {
        /// The residual.
        residual: f64,
        /// Iterations; none where the equations were solved directly.
        iterations: Option<u64>,
        /// Whether the residual is what was asked for.
        converged: bool,
    },
    /// The mistakes of an online method in its last pass over the points.
    Mistakes {
        /// Their share of the points.
        share: f64,
        /// Updates made in all passes.
        updates: u64,
    },
    /// What an iterative method has made as small or as large as it could: inertia, evidence.
    Reached {
        /// The word for it, with `_` between its parts.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Iterations.
        iterations: u64,
        /// Whether the iterations ended because nothing changed any more.
        converged: bool,
    },
}

impl Quality {
    /// The residual of an answer that was computed directly.
    #[must_use]
    pub fn direct(residual: f64) -> Self {
        Self::Residual { residual, iterations: None, converged: true }
    }

    /// Certificates of programmes; unknown where there are none.
    #[must_use]
    pub fn of(certificates: &[Certificate]) -> Self {
        if certificates.is_empty() { Self::Unknown } else { Self::Programmes(certificates.to_vec()) }
    }

    /// The certificates, also those of parts.
    #[must_use]
    pub fn certificates(&self) -> &[Certificate] {
        match self {
            Self::Programmes(certificates) | Self::Parts(certificates) => certificates,
            Self::Unknown | Self::Residual { .. } | Self::Mistakes { .. } | Self::Reached { .. } => &[],
        }
    }

    /// The residual, of methods that have one.
    #[must_use]
    pub fn residual(&self) -> Option<f64> {
        match self {
            Self::Residual { residual, .. } => Some(*residual),
            _ => None,
        }
    }

    /// The quality of a method that solves no programme, in words; none of others.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        match self {
            Self::Residual { residual, .. } => Some(format!("relative residual {}", rough(*residual))),
            Self::Mistakes { share, updates } => {
                let share = rough(100.0 * share);
                Some(format!(
                    "mistakes at {share} % of the points in the last pass, {updates} corrections in all"
                ))
            }
            Self::Reached { what, value, iterations, .. } => {
                let (what, iterations) = (what.replace('_', " "), count(*iterations as usize, "iteration"));
                Some(format!("{what} {} after {iterations}", rough(*value)))
            }
            _ => None,
        }
    }

    /// Whether it is known of parts only.
    #[must_use]
    pub fn is_of_parts(&self) -> bool {
        matches!(self, Self::Parts(_))
    }

    /// The certificates taken together; none where there are none.
    #[must_use]
    pub fn totals(&self) -> Option<Totals> {
        Totals::of(self.certificates())
    }

    /// Why the fit ended, where that is known.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        match self {
            Self::Residual { converged, .. } | Self::Reached { converged, .. } => {
                Some(if *converged { Stop::Converged } else { Stop::IterationLimit })
            }
            Self::Mistakes { share, .. } if *share > 0.0 => Some(Stop::IterationLimit),
            Self::Mistakes { .. } => Some(Stop::Converged),
            _ => self.totals().map(|totals| totals.stop),
        }
    }

    /// As facts: the certificates, or the residual.
    #[must_use]
    pub fn facts(&self) -> Facts {
        match self {
            Self::Unknown => Facts::default(),
            Self::Programmes(certificates) | Self::Parts(certificates) => Facts::default()
                .with("certificates", certificates.iter().map(certificate).collect::<Vec<_>>())
                .with("stop", self.stop().map(Stop::name)),
            Self::Residual { residual, iterations, converged } => Facts::default()
                .with("residual", *residual)
                .with("iterations", *iterations)
                .with("converged", *converged),
            Self::Mistakes { share, updates } => {
                Facts::default().with("mistakes", *share).with("iterations", *updates)
            }
            Self::Reached { what, value, iterations, converged } => Facts::default()
                .with(what, *value)
                .with("iterations", *iterations)
                .with("converged", *converged),
        }
    }
}

/// A certificate as facts.
#[must_use]
pub(super) fn certificate(certificate: &Certificate) -> Facts {
    Totals::of(std::slice::from_ref(certificate))
        .map_or_else(Facts::default, |own| own.facts(certificate.exact))
}

/// The certificates of several programmes taken together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Totals {
    /// Sum of the objectives.
    pub objective: f64,
    /// Sum of the gaps; absent if one is.
    pub gap: Option<f64>,
    /// Largest violation.
    pub violation: f64,
    /// Sum of the steps.
    pub iterations: u64,
    /// Sum of the kernel rows computed.
    pub rows: f64,
    /// The least good reason to stop.
    pub stop: Stop,
}

impl Totals {
    /// Totals of a fit that had no programme to solve.
    pub const NOTHING: Self = Self {
        objective: 0.0,
        gap: Some(0.0),
        violation: 0.0,
        iterations: 0,
        rows: 0.0,
        stop: Stop::Converged,
    };

    /// Sums up; nothing for no certificates.
    #[must_use]
    pub fn of(certificates: &[Certificate]) -> Option<Self> {
        let stop = certificates.iter().map(|c| c.stop).max_by_key(|&stop| badness(stop))?;
        Some(Self {
            objective: certificates.iter().map(|c| c.objective).sum(),
            gap: certificates.iter().map(|c| c.gap).sum(),
            violation: certificates.iter().map(|c| c.violation).fold(0.0, f64::max),
            iterations: certificates.iter().map(|c| c.iterations).sum(),
            rows: certificates.iter().map(|c| c.rows).sum(),
            stop,
        })
    }

    /// The totals as the facts of one certificate, with whether all of them are exact.
    #[must_use]
    pub fn facts(&self, exact: bool) -> Facts {
        Facts::default()
            .with("objective", self.objective)
            .with("gap", self.gap)
            .with("violation", self.violation)
            .with("iterations", self.iterations)
            .with("kernel_rows", self.rows)
            .with("stop", self.stop.name())
            .with("exact", exact)
    }

    /// The gap as a share of the primal objective: objectives of the dual are negative, primal = gap − dual.
    #[must_use]
    pub fn relative_gap(&self) -> Option<f64> {
        let primal = self.gap? - self.objective;
        (primal > 0.0).then(|| self.gap.unwrap_or(0.0) / primal)
    }
}

fn badness(stop: Stop) -> u8 {
    match stop {
        Stop::Converged => 0,
        Stop::Stalled => 1,
        Stop::IterationLimit => 2,
        Stop::TimeLimit => 3,
        Stop::Interrupted => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_sums_and_the_worst() {
        let one = |gap, violation, stop| Certificate {
            objective: -2.0,
            gap,
            violation,
            iterations: 3,
            rows: 1.5,
            stop,
            exact: false,
        };
        let good = one(Some(0.5), 0.1, Stop::Converged);
        let totals = Totals::of(&[good, one(Some(0.25), 0.3, Stop::Stalled), good]).unwrap();
        assert_eq!((totals.objective, totals.gap), (-6.0, Some(1.25)));
        assert_eq!((totals.violation, totals.iterations, totals.rows), (0.3, 9, 4.5));
        assert_eq!(totals.stop, Stop::Stalled);
        assert_eq!(Totals::of(&[good, one(None, 0.0, Stop::Interrupted)]).unwrap().gap, None);
        assert_eq!(Totals::of(&[]), None);
    }
}
