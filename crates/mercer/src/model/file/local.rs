//! A machine of cells: the functions that choose the cell as every machine, with the entry `classes` and the tensors `gate_sizes`
//! (how many of their points belong to each cell), `cell_sizes` (training points of each) and `cell_classes` (the most frequent
//! class of each, by number).
//!
//! Cell j has the tensor `cell.j.classes`, the numbers of the classes in it. Where there are several, its classifier stands
//! beside it under the prefix `cell.j.`: the entry `certificates`, tensors `class_sizes`, `coefficients`, `offsets`, `support`,
//! and the points. Kernel and width are those of the whole.

use super::container::{Reader, Writer};
use super::{machine, points, text};
use crate::data::{Points, Vectors};
use crate::kernel::VectorExpr;
use crate::model::layout::{self, Flaw};
use crate::model::{Cell, CoefficientBlock, Coefficients, Expansion, LocalModel, SvcModel, VoteRule};

type Model = LocalModel<Vectors, VectorExpr>;
type Machine = SvcModel<Vectors, VectorExpr>;

/// Writes what it has besides; gives the number of columns.
pub(super) fn write(model: &Model, writer: &mut Writer) -> Result<usize, Flaw> {
    writer.entry("classes", text::print(&model.classes)?);
    let cells = model.cells.len();
    let blocks = &model.gate.coefficients().blocks;
    writer.tensor("gate_sizes", &[cells], blocks.iter().map(|block| block.points.len() as u64));
    writer.tensor("cell_sizes", &[cells], model.cells.iter().map(|cell| cell.size as u64));
    writer.tensor("cell_classes", &[cells], model.cells.iter().map(|cell| cell.class as u64));
    for (number, cell) in model.cells.iter().enumerate() {
        let prefix = prefix(number);
        match &cell.machine {
            Some(machine) => write_cell(model, machine, &prefix, writer)?,
            None => writer.tensor(&format!("{prefix}classes"), &[1], [cell.class as u64]),
        }
    }
    Ok(1)
}

/// Before the names of a cell.
fn prefix(number: usize) -> String {
    format!("cell.{number}.")
}

fn write_cell(model: &Model, machine: &Machine, prefix: &str, writer: &mut Writer) -> Result<(), Flaw> {
    let weights = layout::classifier(machine)?;
    let name = |name: &str| format!("{prefix}{name}");
    let number = |class: &String| model.classes.iter().position(|name| name == class);
    let numbers: Option<Vec<usize>> = machine.classes.iter().map(number).collect();
    let numbers = numbers.ok_or("a cell with a class that the whole does not have")?;
    let classes = numbers.len();
    let expansion = &machine.expansion;
    let counts = |values: &[usize]| values.iter().map(|&value| value as u64).collect::<Vec<_>>();
    writer.entry(&name("certificates"), text::certificates(&machine.certificates)?);
    writer.tensor(&name("classes"), &[classes], counts(&numbers));
    writer.tensor(&name("class_sizes"), &[classes], counts(&machine.class_sizes));
    writer.tensor(&name("coefficients"), &[expansion.points().len(), classes - 1], weights);
    writer.tensor(&name("offsets"), &[expansion.offsets().len()], expansion.offsets().iter().copied());
    writer.tensor(&name("support"), &[machine.support.len()], counts(&machine.support));
    points::write_under(prefix, expansion.points(), writer);
    Ok(())
}

/// Reads it; whoever asked checks how its parts fit.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Model, Flaw> {
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    let (sizes, most) = (reader.counts("cell_sizes")?, reader.counts("cell_classes")?);
    if sizes.len() != most.len() {
        return Err(format!("{} sizes of cells but {} classes of cells", sizes.len(), most.len()).into());
    }
    let points = points::read(reader)?;
    let coefficients = gate(reader, points.len(), sizes.len())?;
    if !text::read_certificates(&reader.entry("certificates")?)?.is_empty() {
        return Err("certificates of the whole, where there are those of cells only".into());
    }
    let gate = machine::expansion(reader, points, coefficients)?;
    let support = reader.counts("support")?;
    let mut cells = Vec::new();
    for (number, (size, class)) in sizes.into_iter().zip(most).enumerate() {
        let (own, machine) = cell(reader, &prefix(number), &classes, gate.kernel())?;
        if machine.is_none() && own != class {
            return Err(format!("cell {number}: one class, {own}, and a most frequent one, {class}").into());
        }
        cells.push(Cell { size, class, machine });
    }
    Ok(LocalModel { gate, support, cells, classes })
}

/// The weights of the points that choose a cell: each enters the output of its own.
fn gate(reader: &mut Reader<'_>, points: usize, cells: usize) -> Result<Coefficients, Flaw> {
    let sizes = reader.counts("gate_sizes")?;
    let (shape, weights) = reader.tensor::<f64>("coefficients", 2)?;
    let sum = sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
    if sizes.len() != cells || sum != Some(points) || shape != [points, 1] {
        return Err(
            "the points that choose a cell are not so many for each cell, with one weight each".into()
        );
    }
    let mut start = 0;
    let block = |(cell, &size): (usize, &usize)| {
        let points = start..start + size;
        start += size;
        let values = weights[points.clone()].to_vec();
        CoefficientBlock { points, outputs: vec![cell], values }
    };
    Ok(Coefficients { blocks: sizes.iter().enumerate().map(block).collect(), outputs: cells })
}

/// The first class of a cell, and its classifier; none where there is one class.
fn cell(
    reader: &mut Reader<'_>,
    prefix: &str,
    classes: &[String],
    kernel: &VectorExpr,
) -> Result<(usize, Option<Machine>), Flaw> {
    let name = |name: &str| format!("{prefix}{name}");
    let numbers = reader.counts(&name("classes"))?;
    if numbers.is_empty() || numbers.iter().any(|&class| class >= classes.len()) {
        let count = classes.len();
        return Err(format!("tensor '{prefix}classes' must have numbers of the {count} classes").into());
    }
    if let [class] = numbers[..] {
        return Ok((class, None));
    }
    let class_sizes = reader.counts(&name("class_sizes"))?;
    let points = points::read_under(prefix, reader)?;
    let (shape, weights) = reader.tensor::<f64>(&name("coefficients"), 2)?;
    let sum = class_sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
    let fits = class_sizes.len() == numbers.len() && sum == Some(points.len());
    if !fits || shape != [points.len(), numbers.len() - 1] {
        let flaw = "is not one row per support point of a class, one column per other class";
        return Err(format!("tensor '{prefix}coefficients' {flaw}").into());
    }
    let machine = SvcModel {
        expansion: Expansion::new(
            kernel.clone(),
            points,
            layout::blocks(&class_sizes, &weights),
            reader.list(&name("offsets"))?,
        ),
        classes: numbers.iter().map(|&class| classes[class].clone()).collect(),
        class_sizes,
        support: reader.counts(&name("support"))?,
        certificates: text::read_certificates(&reader.entry(&name("certificates"))?)?,
        rule: VoteRule::Votes,
    };
    Ok((numbers[0], Some(machine)))
}
