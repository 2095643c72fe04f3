//! Trains a self-organising map and prints the time and both errors:
//! `cargo run --release --package mercer --example som -- FILE [ROWS] [EPOCHS] [END_RADIUS] [KERNEL] [batch|online]`.
//!
//! FILE holds vectors in any format that the library reads; ROWS is how many of its first rows are taken, 0 for all.

use std::path::Path;
use std::time::Instant;

use mercer::data::{Points, ReadOptions, read};
use mercer::kernel::VectorExpr;
use mercer::model::{Som, Training};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, default: &str| given.get(at).map_or_else(|| default.to_owned(), Clone::clone);
    let table = read(Path::new(&argument(0, "data/heart_scale.libsvm.gz")), &ReadOptions::default())?;
    let rows: usize = argument(1, "0").parse()?;
    let x = if rows == 0 { table.points } else { table.points.select(&(0..rows).collect::<Vec<_>>()) };
    let kernel: VectorExpr = argument(4, "linear").parse()?;
    let training = if argument(5, "batch") == "online" { Training::Online } else { Training::Batch };
    let som = Som::new(kernel).epochs(argument(2, "20").parse()?).end_radius(argument(3, "0.3").parse()?);
    let start = Instant::now();
    let model = som.training(training).fit(&x)?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} points, {} epochs in {seconds:.3} s: quantisation error {:.4}, topographic error {:.4}",
        x.len(),
        model.epochs,
        model.quantisation_error,
        model.topographic_error
    );
    Ok(())
}
