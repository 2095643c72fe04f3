//! A separation with its optimum and the decisions at rows that are left out.

use super::Question;
use super::left_out::LeftOut;
use super::optimum::Optimum;
use super::pair::Ground;
use super::report::{AtPrice, PairBounds};
use super::separation::Separation;
use super::span::Spans;
use super::sphere::Sphere;
use super::table::Table;
use crate::error::{ErrorKind, Result};
use crate::gram::Gram;
use crate::solve::standing::Cost;

/// The optimum of a pair of classes, and what follows from it.
pub(super) struct Solved {
    pub(super) separation: Separation,
    pub(super) optimum: Optimum,
    /// Where it was asked for.
    pub(super) left_out: Option<LeftOut>,
    pub(super) bounds: PairBounds,
    /// At other prices.
    pub(super) at_prices: Vec<AtPrice>,
}

/// What is known of a kernel before its values.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfKernel {
    /// Whether it is positive semi-definite by construction.
    pub(super) definite: bool,
    /// N, the dimension of its feature space, where that is known to be finite.
    pub(super) features: Option<f64>,
}

impl Solved {
    /// Goes on from the coefficients of a model to the optimum, and bounds its error; `gram` is that of the rows of the pair.
    ///
    /// # Errors
    /// If the kernel is not positive semi-definite on the rows, or their values do not fit into memory; those of the solver.
    pub(super) fn new(
        separation: Separation,
        beta: Vec<f64>,
        gram: &dyn Gram,
        kernel: OfKernel,
        question: &Question,
    ) -> Result<Self> {
        let table = Table::new(gram)?;
        if !kernel.definite && table.is_definite() != Some(true) {
            let what = format!(
                "bounds of {} with a kernel that is not positive semi-definite on its rows, or not known to be",
                separation.of
            );
            return Err(ErrorKind::Unsupported { what: what.into() }.into());
        }
        let optimum = Optimum::new(&separation, &table, beta)?;
        let spans = Spans::new(&separation, &optimum, &table);
        let left_out = question
            .leave_one_out
            .then(|| LeftOut::new(&separation, &table, &optimum, &spans))
            .transpose()?;
        let sphere = Sphere::new(&table, &vec![0.0; separation.len()])?;
        let ground = Ground {
            separation: &separation,
            table: &table,
            optimum: &optimum,
            spans: &spans,
            left_out: left_out.as_ref(),
            sphere,
            features: kernel.features,
            delta: question.delta,
        };
        let bounds = ground.bounds()?;
        let at_prices = at_prices(&ground, &question.prices)?;
        Ok(Self { separation, optimum, left_out, bounds, at_prices })
    }

    /// The kernel values again, which are not kept.
    ///
    /// # Errors
    /// If they do not fit into memory.
    pub(super) fn table(&self, gram: &dyn Gram) -> Result<Table> {
        Table::new(gram)
    }
}

/// The bounds at other prices, in prices of the model, each solved from the one before it.
fn at_prices(ground: &Ground<'_>, factors: &[f64]) -> Result<Vec<AtPrice>> {
    if ground.separation.cost == Cost::Infinite {
        return Ok(Vec::new());
    }
    let mut start = ground.optimum.beta.clone();
    let mut found = Vec::with_capacity(factors.len());
    for &factor in factors {
        let price = ground.separation.price.iter().map(|c| factor * c).collect();
        let separation = Separation { price, ..ground.separation.clone() };
        let optimum = Optimum::new(&separation, ground.table, start)?;
        let spans = Spans::new(&separation, &optimum, ground.table);
        let own =
            Ground { separation: &separation, optimum: &optimum, spans: &spans, left_out: None, ..*ground };
        found.push(AtPrice { factor, pair: own.bounds()? });
        start = optimum.beta;
    }
    Ok(found)
}
