//! Early prediction: which options it has, and what is said of machines of cells.

use std::fmt::Write;

use mercer::data::{Points, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::{Cell, LocalModel, Machine};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{PredictArgs, TrainArgs};
use crate::failure::{Failure, Result};
use crate::fit::Totals;
use crate::inspect;
use crate::multiclass::MulticlassArg;
use crate::output::{count, rough, short};

/// Machines of cells of this program.
pub(crate) type Cells = LocalModel<Vectors, VectorExpr>;

/// Refuses options that a machine of cells does not have: they would be ignored.
pub(crate) fn check(args: &TrainArgs) -> Result<()> {
    if args.early.is_none() {
        return Ok(());
    }
    if let Some(scheme) = args.multiclass.filter(|&scheme| scheme != MulticlassArg::Ovo) {
        let name = scheme.name();
        return Err(Failure::Usage(format!("--multiclass {name}: --early does not have it; it has ovo")));
    }
    let given = [("--multilabel", args.multilabel), ("--probability", args.probability.is_some())];
    if let Some((name, _)) = given.iter().find(|(_, given)| *given) {
        return Err(Failure::Usage(format!("{name}: --early does not have it")));
    }
    if args.libsvm {
        let what = "--early with --libsvm: LIBSVM's model text has one classifier, not one for each cell";
        return Err(Failure::Unsupported(what.into()));
    }
    Ok(())
}

/// Refuses to predict what a machine of cells does not have.
pub(crate) fn check_prediction(args: &PredictArgs) -> Result<()> {
    let given =
        [("--decisions", args.decisions), ("--scores", args.scores), ("--probabilities", args.probabilities)];
    let Some((name, _)) = given.iter().find(|(_, given)| *given) else { return Ok(()) };
    let (model, why) = (args.model.display(), "whose decisions do not compare with each other's");
    Err(Failure::Usage(format!("{name}: {model} has a machine for each cell (--early), {why}")))
}

/// The machine of cells, if it is one.
pub(crate) fn cells(machine: &Machine) -> Option<&Cells> {
    match machine {
        Machine::Local(model) => Some(model),
        _ => None,
    }
}

/// Support points, of cells those of all.
pub(crate) fn support_points(machine: &Machine) -> usize {
    cells(machine).map_or_else(|| machine.expansion().points().len(), LocalModel::support_points)
}

/// What `--json` says of a fit by cells.
#[derive(Serialize)]
pub(crate) struct Summary {
    /// Rows of each cell.
    sizes: Vec<usize>,
    /// Sums over the cells, each a problem of its own.
    objective: f64,
    gap: Option<f64>,
}

impl Summary {
    /// Nothing for another machine.
    pub(crate) fn of(machine: &Machine, totals: &Totals) -> Option<Self> {
        let sizes = cells(machine)?.cells.iter().map(|cell| cell.size).collect();
        Some(Self { sizes, objective: totals.objective, gap: totals.gap })
    }
}

/// The line about cells, where there are any.
pub(crate) fn line(machine: &Machine) -> String {
    let Some(model) = cells(machine) else { return String::new() };
    let sizes = || model.cells.iter().map(|cell| cell.size);
    let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
    let rows = if least == most { format!("{most}") } else { format!("{least} to {most}") };
    let number = count(model.cells.len(), "cell");
    format!("approximate  {number} of {rows} rows; each row is decided by the machine of its cell alone\n")
}

/// The object of `mercer inspect --json` for a cell.
pub(crate) fn object(cell: &Cell<Vectors, VectorExpr>) -> Value {
    let machine = cell.machine.as_ref();
    json!({
        "rows": cell.size,
        "class": cell.class,
        "classes": machine.map(|machine| &machine.classes),
        "support_vectors": machine.map_or(0, |machine| machine.expansion.points().len()),
        "support_positions": machine.map(|machine| &machine.support),
        "offsets": machine.map(|machine| machine.expansion.offsets()),
        "certificates": machine.map(|machine| {
            machine.certificates.iter().map(inspect::certificate).collect::<Vec<_>>()
        }),
    })
}

/// A line for each cell.
pub(crate) fn table(text: &mut String, model: &Cells) {
    let head = ["cell", "rows", "classes", "support", "objective", "gap", "violation"];
    let [cell, rows, classes, support, objective, gap, violation] = head;
    let _ = writeln!(
        text,
        "{cell:>4} {rows:>9} {classes:>7} {support:>9} {objective:>11} {gap:>9} {violation:>9}  stop"
    );
    for (number, cell) in model.cells.iter().enumerate().take(inspect::LINES) {
        let _ = write!(text, "{:>4} {:>9} ", number + 1, cell.size);
        let Some(machine) = &cell.machine else {
            let _ = writeln!(text, "{:>7} {:>9}  always '{}'", 1, 0, model.classes[cell.class]);
            continue;
        };
        let _ = write!(text, "{:>7} {:>9}", machine.classes.len(), machine.expansion.points().len());
        if let Some(totals) = Totals::of(&machine.certificates) {
            let gap = totals.gap.map_or("-".into(), rough);
            let (objective, violation) = (short(totals.objective), rough(totals.violation));
            let _ = write!(text, " {objective:>11} {gap:>9} {violation:>9}  {}", totals.stop);
        }
        text.push('\n');
    }
    inspect::rest(text, model.cells.len());
}
