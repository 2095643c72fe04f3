//! A view of the pairs: its Gram matrix in factors, its functions, and how well they satisfy their equation.

use rayon::prelude::*;

use crate::data::Points;
use crate::error::{DataProblem, ErrorKind, Result};
use crate::gram::{Gram, Lazy};
use crate::kernel::Kernel;
use crate::linalg::{Features, Tick};
use crate::model::spectral::values;
use crate::solve::cca::combined;

/// Rows of a Gram matrix that are computed at once for the certificate.
const BATCH: usize = 128;

/// A component with so small a ρ is rounding on both sides of its equation: it has no residual.
const NOTHING: f64 = 1e-8;

/// A view as features, and what is needed to look at its Gram matrix again.
pub(super) struct View<'k, X: Points, K: Kernel<X>> {
    gram: Lazy<'k, X, K>,
    pub(super) features: Features,
}

/// A function of one view: its coefficients at the pivots, its offset, its values at the points.
pub(super) struct Component {
    pub(super) coefficients: Vec<f64>,
    pub(super) offset: f64,
    pub(super) values: Vec<f64>,
}

/// Turns each pair so that the point furthest from the mean in the first view lies on the positive side.
pub(super) fn turn(first: &mut [Component], second: &mut [Component]) {
    for (f, g) in first.iter_mut().zip(second) {
        let furthest = f.values.iter().fold(0.0, |far: f64, &v| if v.abs() > far.abs() { v } else { far });
        if furthest < 0.0 {
            for component in [f, g] {
                component.coefficients.iter_mut().chain(&mut component.values).for_each(|v| *v = -*v);
                component.offset = -component.offset;
            }
        }
    }
}

impl<'k, X: Points, K: Kernel<X>> View<'k, X, K> {
    pub(super) fn new(kernel: &'k K, x: &X, limit: usize, tick: Tick<'_>) -> Result<Self> {
        let gram = Lazy::new(kernel, x)?;
        let row = |i: usize| values::rows(&gram, &[i]).map(|mut rows| rows.swap_remove(0));
        let features = Features::of(gram.diagonal(), limit, tick, row)?;
        if features.pivots.is_empty() {
            return Err(ErrorKind::Data(DataProblem::ConstantView).into());
        }
        Ok(Self { gram, features })
    }

    /// The functions whose weights on the features these are.
    pub(super) fn functions(&self, components: &[Vec<f64>], weights: &[f64]) -> Vec<Component> {
        let total: f64 = weights.iter().sum();
        let function = |component: &Vec<f64>| {
            let mut values = combined(&self.features.columns, component);
            let mean = values.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>() / total;
            values.iter_mut().for_each(|v| *v -= mean);
            Component { coefficients: self.features.expand(component.clone()), offset: mean, values }
        };
        components.par_iter().map(function).collect()
    }

    /// The largest ‖K(g − ρf) − ρnκf‖ / ‖Kg‖ over all components, where f and g are values at the points and K and f are about
    /// the mean: the gradient of the constrained problem, on kernel values of its own.
    pub(super) fn residual(
        &self,
        own: &[Component],
        other: &[Component],
        values: &[f64],
        weights: &[f64],
        penalty: f64,
    ) -> Result<f64> {
        let weighted = |v: &[f64]| v.iter().zip(weights).map(|(v, w)| v * w).collect::<Vec<f64>>();
        let difference = |((f, g), rho): ((&Component, &Component), &f64)| {
            let left: Vec<f64> = g.values.iter().zip(&f.values).map(|(g, f)| g - rho * f).collect();
            [weighted(&left), weighted(&g.values)]
        };
        let sides: Vec<Vec<f64>> = own.iter().zip(other).zip(values).flat_map(difference).collect();
        let mut products = self.products(&sides)?;
        let total: f64 = weights.iter().sum();
        for product in &mut products {
            let mean = weighted(product).iter().sum::<f64>() / total;
            product.iter_mut().for_each(|p| *p -= mean);
        }
        let relative = |((sides, f), rho): ((&[Vec<f64>], &Component), &f64)| {
            let left = sides[0].iter().zip(&f.values).map(|(p, f)| (p - rho * penalty * f).powi(2));
            let size = sides[1].iter().map(|p| p * p).sum::<f64>();
            if *rho > NOTHING { (left.sum::<f64>() / size).sqrt() } else { 0.0 }
        };
        let residuals = products.chunks(2).zip(own).zip(values).map(relative);
        Ok(residuals.fold(0.0, |worst, r| if r > worst || r.is_nan() { r } else { worst }))
    }

    /// K times each of `vectors`.
    fn products(&self, vectors: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
        let mut products = vec![Vec::with_capacity(self.gram.len()); vectors.len()];
        let index: Vec<usize> = (0..self.gram.len()).collect();
        for batch in index.chunks(BATCH) {
            let rows = values::rows(&self.gram, batch)?;
            products.par_iter_mut().zip(vectors).for_each(|(product, vector)| {
                let sum = |row: &Vec<f64>| row.iter().zip(vector).map(|(k, v)| k * v).sum::<f64>();
                product.extend(rows.iter().map(sum));
            });
        }
        Ok(products)
    }
}
