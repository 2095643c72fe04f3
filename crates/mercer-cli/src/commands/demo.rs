//! `mercer demo`: the whole way on a small real data set, with a picture at its end.
//!
//! Ripley's synthetic two-class problem in the plane (Pattern Recognition and Neural Networks, 1996): 250 points to
//! train on, 1000 held out; no rule can be right more often than 92 %.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use mercer::data::{self, Labels, Points, ReadOptions, Vectors};
use mercer::kernel::{VectorExpr, rbf};
use mercer::model::{Svc, SvcModel, Totals};

use crate::failure::{Result, usage};
use crate::output::{answer, is_stdout, rough, save, seconds, short};
use crate::plot::{Captions, Field, Known, Surface, plane, points};
use crate::system;

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// File for the picture
    #[arg(long, value_name = "FILE", default_value = "mercer-demo.svg")]
    out: PathBuf,
    /// Kernel expression
    #[arg(long, short, value_name = "EXPRESSION")]
    kernel: Option<VectorExpr>,
    /// C: the price of a margin error
    #[arg(long = "c", short, value_name = "C", allow_negative_numbers = true)]
    c: Option<f64>,
}

const TRAIN: &[u8] = include_bytes!("../../../../data/ripley.libsvm.gz");
const TEST: &[u8] = include_bytes!("../../../../data/ripley.t.libsvm.gz");
/// Chosen by cross-validation on the training points.
const GAMMA: f64 = 4.0;
const C: f64 = 1.0;

pub(crate) fn run(args: &DemoArgs) -> Result<()> {
    system::start_threads(0)?;
    let (x, y) = read("ripley", TRAIN)?;
    let (held_out, labels) = read("ripley.t", TEST)?;
    let kernel = args.kernel.clone().unwrap_or_else(|| rbf(GAMMA));
    kernel.check()?;
    let svc = Svc::new(kernel).c(args.c.unwrap_or(C));
    let started = Instant::now();
    let model = svc.fit(&x, &y)?;
    let fit_seconds = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let predicted = model.predict(&held_out)?;
    let correct = predicted.iter().enumerate().filter(|(i, found)| **found == labels.name(*i)).count();
    let predict_seconds = started.elapsed().as_secs_f64();
    let rows = held_out.len();
    let accuracy = format!("{:.1} % ({correct} of {rows})", 100.0 * correct as f64 / rows.max(1) as f64);

    let totals = Totals::of(&model.certificates).ok_or_else(|| usage!("no certificate"))?;
    let gap = totals.gap.map_or(String::new(), |gap| format!(", duality gap {}", rough(gap)));
    let found = format!("{}, C = {}: {} support points", svc.kernel, svc.c, model.expansion.points().len());
    let (title, subtitle) = (format!("Held-out accuracy {accuracy}"), format!("Ripley's data, {found}{gap}"));
    save(&args.out, &surface(&model, &x, &y)?.draw(&Captions { title, subtitle }))?;
    if is_stdout(&args.out) {
        return Ok(());
    }
    answer(format_args!(
        "Ripley's data: two classes in the plane, {} points to train on, {rows} held out.\n\n\
         train    {found} in {}\n\
         certify  {}: objective {}{gap}, violation {}\n\
         predict  held-out accuracy {accuracy} in {}; the best possible is about 92 %\n\
         picture  {}\n\n\
         Next: mercer train --help, or mercer demo --kernel \"poly(degree=5, coef0=1)\"\n",
        x.len(),
        seconds(fit_seconds),
        totals.stop,
        short(totals.objective),
        rough(totals.violation),
        seconds(predict_seconds),
        std::path::absolute(&args.out).unwrap_or_else(|_| args.out.clone()).display(),
    ))
}

/// What the model says over the plane of the training points.
fn surface(model: &SvcModel<Vectors, VectorExpr>, x: &Vectors, y: &Labels) -> Result<Surface> {
    let points = points(x);
    let (grid, low, high) = plane(&points, usize::MAX);
    let field = Field::Decision(model.decisions(&grid.points())?.values().to_vec(), true);
    let rings = model.support.iter().map(|&i| points[i]).collect();
    let known = Known::Classes(y.index().iter().map(|&class| class as usize).collect());
    let axes = ["x₁", "x₂"].map(str::to_owned);
    let (classes, ring) = (model.classes.clone(), "support point");
    Ok(Surface { grid, low, high, field, points, known, classes, rings, ring, axes })
}

fn read(name: &str, bytes: &'static [u8]) -> Result<(Vectors, Labels)> {
    let table = data::read_from(Path::new(name), Cursor::new(bytes), &ReadOptions::default())?;
    let labels = table.labels.map_or_else(|| Labels::new(vec![], vec![]), |labels| labels.labels());
    Ok((table.points.with_width(2), labels.libsvm_order()))
}
