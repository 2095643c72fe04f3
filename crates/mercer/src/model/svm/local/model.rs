//! A classifier for each cell.

use rayon::prelude::*;

use super::gate::largest;
use crate::data::{Points, Vectors};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::model::{Expansion, SvcModel};
use crate::solve::Certificate;

/// Classifiers of cells, and which cell a point belongs to: an approximation of the classifier of all points.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalModel<X, K> {
    /// 2⟨φ(x), m_j⟩ − ‖m_j‖² for each cell j, of which the largest decides; each point enters one output, that of its cell.
    pub gate: Expansion<X, K>,
    /// Positions of the gate's points in the training data, from 0; empty when unknown.
    pub support: Vec<usize>,
    /// The cells.
    pub cells: Vec<Cell<X, K>>,
    /// Class names; numbering as in training.
    pub classes: Vec<String>,
}

/// A part of the training data and its machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell<X, K> {
    /// Training points in it.
    pub size: usize,
    /// The number of their most frequent class, by weight: the answer where there is no machine, or one without support points.
    pub class: usize,
    /// The classifier of the classes that occur in it; none where that is one.
    pub machine: Option<SvcModel<X, K>>,
}

impl<X: Points, K: Kernel<X>> LocalModel<X, K> {
    /// The number of the cell that each point belongs to; of several that are equally near the first.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn nearest(&self, points: &X) -> Result<Vec<usize>> {
        self.gate.map(points, largest)
    }

    /// The number of the class of each point, by the machine of its cell.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn predict_index(&self, points: &X) -> Result<Vec<usize>> {
        let mut members = vec![Vec::new(); self.cells.len()];
        self.nearest(points)?.into_iter().enumerate().for_each(|(i, cell)| members[cell].push(i));
        let inside = |(cell, index): (&Cell<X, K>, &Vec<usize>)| self.inside(cell, points, index);
        let found = self.cells.par_iter().zip(&members).map(inside).collect::<Result<Vec<_>>>()?;
        let mut classes = vec![0; points.len()];
        for (index, found) in members.iter().zip(found) {
            index.iter().zip(found).for_each(|(&i, class)| classes[i] = class);
        }
        Ok(classes)
    }

    /// The classes of the points at `index`, which are those of one cell.
    fn inside(&self, cell: &Cell<X, K>, points: &X, index: &[usize]) -> Result<Vec<usize>> {
        let machine = match &cell.machine {
            Some(machine) if !machine.expansion.points().is_empty() && !index.is_empty() => machine,
            _ => return Ok(vec![cell.class; index.len()]),
        };
        let number = |name: &String| self.classes.iter().position(|class| class == name);
        let numbers: Vec<usize> =
            machine.classes.iter().map(|name| number(name).unwrap_or(cell.class)).collect();
        let found = machine.predict_index(&points.select(index)).map_err(|error| error.about(index))?;
        Ok(found.into_iter().map(|class| numbers[class]).collect())
    }

    /// The class of each point.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn predict(&self, points: &X) -> Result<Vec<&str>> {
        Ok(self.predict_index(points)?.into_iter().map(|class| self.classes[class].as_str()).collect())
    }

    /// Those of the machines of all cells, one after the other. There is none of the whole.
    #[must_use]
    pub fn certificates(&self) -> Vec<Certificate> {
        self.machines().flat_map(|machine| machine.certificates.iter().copied()).collect()
    }

    /// Support points of all cells together.
    #[must_use]
    pub fn support_points(&self) -> usize {
        self.machines().map(|machine| machine.expansion.points().len()).sum()
    }

    fn machines(&self) -> impl Iterator<Item = &SvcModel<X, K>> {
        self.cells.iter().filter_map(|cell| cell.machine.as_ref())
    }
}

impl<K> LocalModel<Vectors, K> {
    /// The same over `width` features; those that it did not have are zero.
    pub fn widen(&mut self, width: usize) {
        let machines = self.cells.iter_mut().filter_map(|cell| cell.machine.as_mut());
        for expansion in machines.map(|machine| &mut machine.expansion).chain([&mut self.gate]) {
            let narrow = expansion.replace_points(Vectors::dense::<f32>(1, vec![]));
            expansion.replace_points(narrow.with_width(width));
        }
    }
}
