//! Clusters: k-means in feature space, spectral clustering, and the choice of their number.

mod gap;
mod k_means;
mod spectral;

pub use gap::{Gap, GapCurve};
pub use k_means::{Clusters, Initial, KMeans, KMeansModel};
pub use spectral::{Spectral, SpectralModel};

use super::method::Method;
use super::prelude::*;
use super::space::Space;

pub(super) fn methods<X: Space>() -> Vec<Method<X>> {
    vec![k_means::method(), spectral::method()]
}

/// Clusters where nothing is said.
const CLUSTERS: usize = 8;
/// Runs from different starts where nothing is said.
const RESTARTS: usize = 10;
/// Most iterations of a run where nothing is said.
const ITERATIONS: usize = 300;

/// The names of clusters: their numbers from 0.
fn names(clusters: usize) -> Vec<String> {
    (0..clusters).map(|c| c.to_string()).collect()
}

/// Refuses more clusters than points.
fn check_clusters(clusters: usize, points: usize) -> Result<()> {
    if clusters <= points {
        return Ok(());
    }
    Err(ErrorKind::TooMany { name: "clusters", value: clusters, most: points, what: "points" }.into())
}

/// Refuses labels that are no number of a cluster, and sizes that are not positive.
fn check_parts(labels: &[usize], sizes: &[f64], clusters: usize) -> Result<(), Flaw> {
    parts::same("sizes of clusters", sizes.len(), clusters)?;
    if !sizes.iter().all(|size| *size > 0.0 && size.is_finite()) {
        return Err("the size of a cluster is not a positive, finite number".into());
    }
    if labels.iter().any(|label| *label >= clusters) {
        return Err("a point of a cluster that is not there".into());
    }
    Ok(())
}

/// How a fit ended, as files hold it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ended {
    inertia: f64,
    iterations: u64,
    converged: bool,
}

impl Ended {
    fn quality(self) -> Quality {
        let Self { inertia, iterations, converged } = self;
        Quality::Reached { what: "inertia", value: inertia, iterations, converged }
    }

    /// Tensors `inertia` (one number) and `iterations` (two: how many, and 1 if the last one changed nothing, else 0).
    fn write(self, writer: &mut Writer) {
        writer.list("inertia", &[self.inertia]);
        writer.tensor("iterations", &[2], [self.iterations, u64::from(self.converged)]);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        let inertia = parts::number(reader, "inertia")?;
        match reader.list::<u64>("iterations")?[..] {
            [iterations, converged @ (0 | 1)] if inertia.is_finite() => {
                Ok(Self { inertia, iterations, converged: converged == 1 })
            }
            _ => Err("the inertia is not finite, or 'iterations' is not a number and 0 or 1".into()),
        }
    }
}
