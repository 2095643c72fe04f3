//! What the parts of a machine of cells must be like.

use super::{Flaw, check_classes, check_names, check_numbers, same, weights};
use crate::data::{Points, Vectors};
use crate::kernel::VectorExpr;
use crate::model::{Expansion, LocalModel, SvcModel, VoteRule};

/// The classes, the cells and their machines; gives how many cells there are. What every machine has is checked of the gate
/// as of others.
pub(super) fn check(model: &LocalModel<Vectors, VectorExpr>) -> Result<usize, Flaw> {
    let classes = check_names(&model.classes, 2)?;
    if model.cells.is_empty() {
        return Err("no cells".into());
    }
    let sum = model.cells.iter().try_fold(0_usize, |sum, cell| sum.checked_add(cell.size));
    sum.ok_or("more points in the cells than can be counted")?;
    for (number, cell) in model.cells.iter().enumerate() {
        let flaw = |flaw: Flaw| -> Flaw { format!("cell {number}: {flaw}").into() };
        if cell.class >= classes {
            return Err(flaw(format!("class {} of {classes}", cell.class).into()));
        }
        if let Some(machine) = &cell.machine {
            check_cell(model, machine).map_err(flaw)?;
        }
    }
    Ok(model.cells.len())
}

/// The machine of a cell: a classifier like others, and of the same kind as the whole.
fn check_cell(
    model: &LocalModel<Vectors, VectorExpr>,
    machine: &SvcModel<Vectors, VectorExpr>,
) -> Result<(), Flaw> {
    classifier(machine)?;
    if let Some(name) = machine.classes.iter().find(|name| !model.classes.contains(name)) {
        return Err(format!("class '{name}', which the whole does not have").into());
    }
    same("features", machine.expansion.points().width(), model.gate.points().width())?;
    if machine.expansion.kernel() != model.gate.kernel() {
        return Err("another kernel than that of the whole".into());
    }
    match machine.rule {
        VoteRule::Votes => Ok(()),
        VoteRule::Sum => Err("another rule than votes".into()),
    }
}

/// A classifier whose parts fit together; gives its weights.
pub(in crate::model) fn classifier(machine: &SvcModel<Vectors, VectorExpr>) -> Result<Vec<f64>, Flaw> {
    let (outputs, expansion) = (check_classes(machine)?, &machine.expansion);
    same("offsets", expansion.offsets().len(), outputs)?;
    same("outputs", expansion.coefficients().outputs, outputs)?;
    let (positions, certificates) = (machine.support.len(), machine.certificates.len());
    same(
        "positions of support points",
        positions,
        if positions == 0 { 0 } else { expansion.points().len() },
    )?;
    same("certificates", certificates, if certificates == 0 { 0 } else { outputs })?;
    check_numbers(expansion)?;
    let weights = weights(expansion.coefficients(), &machine.class_sizes)?;
    match weights.iter().all(|weight| weight.is_finite()) {
        true => Ok(weights),
        false => Err("a coefficient is not a finite number".into()),
    }
}

/// The weights of a gate, whose points enter one output each: those of the first cell come first.
pub(super) fn gate(gate: &Expansion<Vectors, VectorExpr>) -> Result<Vec<f64>, Flaw> {
    let (blocks, mut next, mut weights) = (&gate.coefficients().blocks, 0, Vec::new());
    same("blocks of the gate", blocks.len(), gate.coefficients().outputs)?;
    for (cell, block) in blocks.iter().enumerate() {
        if block.points.start != next || block.points.end < next || block.outputs != [cell] {
            return Err("the points that choose a cell do not follow each other".into());
        }
        same("coefficients of the gate", block.values.len(), block.points.len())?;
        next = block.points.end;
        weights.extend_from_slice(&block.values);
    }
    same("coefficients of the gate", next, gate.points().len())?;
    Ok(weights)
}
