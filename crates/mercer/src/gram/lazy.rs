//! A Gram that computes rows when they are asked for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Gram;
use crate::data::Points;
use crate::error::Result;
use crate::kernel::{Bound, Kernel};
use crate::linalg::{Broken, Lower, Square, Tick};

/// Rows computed at once while a whole matrix is filled.
const BATCH: usize = 512;

/// A promise of rows: points and a kernel bound to them. Holds the points and their packed copy, no kernel value.
pub struct Lazy<'k, X: Points, K: Kernel<X> + ?Sized> {
    kernel: &'k K,
    points: X,
    /// None while resting.
    bound: Arc<Mutex<Option<Arc<dyn Bound<X>>>>>,
    diagonal: Vec<f64>,
    computed: Arc<Counter>,
}

/// Kernel values computed by a Gram and those restricted from it.
#[derive(Default)]
struct Counter {
    own: AtomicU64,
    parent: Option<Arc<Counter>>,
}

impl Counter {
    fn add(&self, values: u64) {
        self.own.fetch_add(values, Ordering::Relaxed);
        if let Some(parent) = &self.parent {
            parent.add(values);
        }
    }
}

impl<'k, X: Points, K: Kernel<X> + ?Sized> Lazy<'k, X, K> {
    /// Binds the kernel to the points.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated on them.
    pub fn new(kernel: &'k K, points: &X) -> Result<Self> {
        Self::counted(kernel, points.clone(), Arc::default())
    }

    /// The same points and the same packed copy of them with a count of its own, for machines side by side: what one of
    /// them computes is counted there, and here too.
    #[must_use]
    pub fn share(&self) -> Self {
        Self {
            kernel: self.kernel,
            points: self.points.clone(),
            bound: Arc::clone(&self.bound),
            diagonal: self.diagonal.clone(),
            computed: Arc::new(Counter { own: AtomicU64::new(0), parent: Some(self.computed.clone()) }),
        }
    }

    fn counted(kernel: &'k K, points: X, computed: Arc<Counter>) -> Result<Self> {
        let bound: Arc<dyn Bound<X>> = kernel.bind(&points)?.into();
        let diagonal = bound.diagonal();
        Ok(Self { kernel, points, bound: Arc::new(Mutex::new(Some(bound))), diagonal, computed })
    }

    /// All n² values in double precision, exactly symmetric. Only half of them are computed.
    ///
    /// # Errors
    /// [`Broken::Interrupted`] if `tick` breaks.
    pub(crate) fn square(&self, tick: Tick<'_>) -> Result<Square, Broken> {
        let (n, bound) = (self.len(), self.bound());
        let mut square = Square::zeros(n);
        for first in (0..n).step_by(BATCH) {
            let batch: Vec<usize> = (first..n.min(first + BATCH)).collect();
            let end = first + batch.len();
            let rows = square.values_mut()[first * n..end * n].chunks_mut(n);
            let mut rows: Vec<&mut [f64]> = rows.map(|row| &mut row[..end]).collect();
            bound.rows_f64(&self.points, &batch, &mut rows);
            batch.iter().zip(rows).for_each(|(&i, row)| row[i] = self.diagonal[i]);
            self.computed.add((batch.len() * end) as u64);
            let done = end as f64 / n as f64;
            if tick(done * done).is_break() {
                return Err(Broken::Interrupted);
            }
        }
        square.mirror();
        Ok(square)
    }

    /// The values on and below the diagonal in double precision.
    ///
    /// # Errors
    /// [`Broken::Interrupted`] if `tick` breaks.
    pub(crate) fn lower(&self, tick: Tick<'_>) -> Result<Lower, Broken> {
        let n = self.len();
        let mut lower = Lower::zeros(n);
        for (batch, rows) in lower.rows_mut().chunks_mut(BATCH).enumerate() {
            self.lower_rows(batch * BATCH, rows);
            let done = (batch * BATCH + rows.len()) as f64 / n as f64;
            if tick(done * done).is_break() {
                return Err(Broken::Interrupted);
            }
        }
        Ok(lower)
    }

    fn bound(&self) -> Arc<dyn Bound<X>> {
        let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        let again =
            || self.kernel.bind(&self.points).expect("a kernel that bound to points binds again").into();
        Arc::clone(bound.get_or_insert_with(again))
    }
}

impl<X: Points, K: Kernel<X> + ?Sized> Gram for Lazy<'_, X, K> {
    fn len(&self) -> usize {
        self.points.len()
    }

    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn rows(&self, rows: &[usize], out: &mut [&mut [f32]]) {
        self.computed.add((rows.len() * self.len()) as u64);
        self.bound().rows(&self.points, rows, out);
        // A point's distance to itself comes out as rounding, never below zero: left alone, every Kᵢᵢ would err to the
        // same side, and the objective with it.
        rows.iter().zip(out).for_each(|(&i, row)| row[i] = self.diagonal[i] as f32);
    }

    fn rows_f64(&self, rows: &[usize], out: &mut [&mut [f64]]) {
        self.computed.add((rows.len() * self.len()) as u64);
        self.bound().rows_f64(&self.points, rows, out);
        rows.iter().zip(out).for_each(|(&i, row)| row[i] = self.diagonal[i]);
    }

    fn lower_rows(&self, first: usize, out: &mut [&mut [f64]]) {
        let rows: Vec<usize> = (first..first + out.len()).collect();
        self.computed.add(out.iter().map(|row| row.len() as u64).sum());
        self.bound().rows_f64(&self.points, &rows, out);
        rows.iter().zip(out).for_each(|(&i, row)| row[i] = self.diagonal[i]);
    }

    fn accumulate(&self, points: &[usize], weights: &[f64], sums: &mut [f64]) {
        self.computed.add((points.len() * self.len()) as u64);
        self.bound().accumulate(&self.points, points, weights, &self.diagonal, sums);
    }

    fn cost(&self) -> f64 {
        self.bound().cost()
    }

    fn restrict<'a>(&'a self, index: &[usize]) -> Box<dyn Gram + 'a> {
        let counter = Counter { own: AtomicU64::new(0), parent: Some(self.computed.clone()) };
        let part = Self::counted(self.kernel, self.points.select(index), Arc::new(counter));
        Box::new(part.expect("a kernel bound to points binds to some of them"))
    }

    fn rest(&self) {
        *self.bound.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn computed(&self) -> u64 {
        self.computed.own.load(Ordering::Relaxed)
    }
}
