//! A Gram that computes rows when they are asked for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Gram;
use crate::data::Points;
use crate::error::Result;
use crate::kernel::{Bound, Kernel};

/// A promise of rows: points and a kernel bound to them. Holds the points and their packed copy, no kernel value.
pub struct Lazy<'k, X: Points, K: Kernel<X> + ?Sized> {
    kernel: &'k K,
    points: X,
    /// The kernel bound to the points, which holds their packed copy; `None` after [`Gram::release_scratch`], until it is
    /// needed again.
    bound: Arc<Mutex<Option<Arc<dyn Bound<X>>>>>,
    diagonal: Vec<f64>,
    computed: Arc<Counter>,
}

/// Counts the kernel values computed by a Gram and by the Grams restricted from it.
#[derive(Default)]
pub(super) struct Counter {
    values: AtomicU64,
    parent: Option<Arc<Counter>>,
}

impl Counter {
    /// A counter that begins at `values`.
    pub(super) fn from(values: u64) -> Arc<Self> {
        Arc::new(Self { values: AtomicU64::new(values), parent: None })
    }

    /// A counter whose values are counted by this one too.
    pub(super) fn child(self: &Arc<Self>) -> Arc<Self> {
        Arc::new(Self { values: AtomicU64::new(0), parent: Some(Arc::clone(self)) })
    }

    pub(super) fn add(&self, values: u64) {
        self.values.fetch_add(values, Ordering::Relaxed);
        if let Some(parent) = &self.parent {
            parent.add(values);
        }
    }

    pub(super) fn values(&self) -> u64 {
        self.values.load(Ordering::Relaxed)
    }
}

impl<'k, X: Points, K: Kernel<X> + ?Sized> Lazy<'k, X, K> {
    /// Binds the kernel to the points.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated on the points.
    pub fn new(kernel: &'k K, points: &X) -> Result<Self> {
        Self::counted(kernel, points.clone(), Arc::default())
    }

    fn counted(kernel: &'k K, points: X, computed: Arc<Counter>) -> Result<Self> {
        let bound: Arc<dyn Bound<X>> = kernel.bind(&points)?.into();
        let diagonal = bound.diagonal();
        Ok(Self { kernel, points, bound: Arc::new(Mutex::new(Some(bound))), diagonal, computed })
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
        // The computed distance of a point to itself is a rounding error, never below zero. Without this line the errors
        // of all Kᵢᵢ would have one sign, and add up in the objective.
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

    fn lower_rows_single(&self, first: usize, out: &mut [&mut [f32]]) {
        let rows: Vec<usize> = (first..first + out.len()).collect();
        self.computed.add(out.iter().map(|row| row.len() as u64).sum());
        self.bound().rows(&self.points, &rows, out);
        rows.iter().zip(out).for_each(|(&i, row)| row[i] = self.diagonal[i] as f32);
    }

    fn accumulate(&self, points: &[usize], weights: &[f64], sums: &mut [f64]) {
        self.computed.add((points.len() * self.len()) as u64);
        self.bound().accumulate(&self.points, points, weights, &self.diagonal, sums);
    }

    fn cost(&self) -> f64 {
        self.bound().cost()
    }

    fn restrict<'a>(&'a self, index: &[usize]) -> Box<dyn Gram + 'a> {
        let part = Self::counted(self.kernel, self.points.select(index), self.computed.child());
        Box::new(part.expect("a kernel bound to points binds to some of them"))
    }

    fn share(&self) -> Box<dyn Gram + '_> {
        Box::new(Self {
            kernel: self.kernel,
            points: self.points.clone(),
            bound: Arc::clone(&self.bound),
            diagonal: self.diagonal.clone(),
            computed: self.computed.child(),
        })
    }

    fn release_scratch(&self) {
        *self.bound.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn computed(&self) -> u64 {
        self.computed.values()
    }
}
