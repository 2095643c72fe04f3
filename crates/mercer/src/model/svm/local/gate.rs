//! Which cell a point belongs to.

use crate::model::compute::Compute;
use crate::model::prelude::*;
use crate::solve::divide::{Cluster, clusters, sample};

pub(super) struct Gate<X, K> {
    /// 2⟨φ(x), m_j⟩ − ‖m_j‖² for each cell j.
    pub(super) expansion: Expansion<X, K>,
    /// Positions of its points.
    pub(super) support: Vec<usize>,
    /// Positions of the points of each cell, ascending; none is empty.
    pub(super) cells: Vec<Vec<usize>>,
}

impl<X: Points, K: Kernel<X> + Clone> Gate<X, K> {
    /// Finds at most `count` clusters on a sample, and puts every point into the nearest. It is the code of the prediction
    /// that does so: a training point is decided by the machine that it had a part in.
    pub(super) fn new(kernel: &K, x: &X, count: usize, compute: &dyn Compute<X>) -> Result<Self> {
        let sample = sample(x.len());
        let mut clusters = clusters(&*compute.gram(kernel, &x.select(&sample))?, count);
        loop {
            let support: Vec<usize> =
                clusters.iter().flat_map(|cluster| &cluster.members).map(|&s| sample[s]).collect();
            let expansion = Expansion::new(
                kernel.clone(),
                x.select(&support),
                coefficients(&clusters),
                clusters.iter().map(|cluster| cluster.square).collect(),
            );
            let mut cells = vec![Vec::new(); clusters.len()];
            let nearest = expansion.map(x, first_largest)?;
            nearest.into_iter().enumerate().for_each(|(i, cell)| cells[cell].push(i));
            if cells.iter().all(|cell| !cell.is_empty()) {
                return Ok(Self { expansion: expansion.unpacked(), support, cells });
            }
            let mut empty = cells.iter().map(Vec::is_empty);
            clusters.retain(|_| !empty.next().unwrap_or(false));
        }
    }
}

/// Each point enters the output of its own cluster.
fn coefficients(clusters: &[Cluster]) -> Coefficients {
    let mut start = 0;
    let block = |(output, cluster): (usize, &Cluster)| {
        let size = cluster.members.len();
        let points = start..start + size;
        start += size;
        CoefficientBlock { points, outputs: vec![output], values: vec![2.0 / size as f64; size] }
    };
    Coefficients { blocks: clusters.iter().enumerate().map(block).collect(), outputs: clusters.len() }
}
