//! The time, error and memory of an RBF network: `network KERNEL TRAIN TEST UNITS [LAMBDA] [OUTPUT] [ROUNDS]` fits a classifier and prints
//! seconds of the fit and of predicting, the share of errors on the test data, and the most memory that the process had.
//!
//! LAMBDA is a number or `auto`, OUTPUT `ridge` or `logistic`, ROUNDS the iterations of k-means. `RAYON_NUM_THREADS=1` for one thread.

use std::path::Path;
use std::time::Instant;

use mercer::data::{Labels, ReadOptions, Table, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::{Lambda, Layer, OutputFit, RbfNetwork, Space};

fn read(kernel: &VectorExpr, path: &str) -> mercer::Result<(Vectors, Labels)> {
    let Table { points, labels, .. } =
        Vectors::read_table(Some(kernel), Path::new(path), &ReadOptions::default())?;
    let labels =
        labels.ok_or(mercer::error::ErrorKind::Unsupported { what: "data without labels".into() })?;
    Ok((points, labels.labels()))
}

/// Megabytes that the process had at most, where the system tells.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? / 1024.0)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().collect();
    let word = |at: usize, otherwise: &str| words.get(at).map_or_else(|| otherwise.to_owned(), Clone::clone);
    let kernel: VectorExpr = word(1, "rbf(gamma=1)").parse()?;
    let (x, y) = read(&kernel, &word(2, "train"))?;
    let (new, expected) = read(&kernel, &word(3, "test"))?;
    let lambda = match word(5, "auto").as_str() {
        "auto" => Lambda::Auto,
        number => Lambda::Value(number.parse()?),
    };
    let output = if word(6, "ridge") == "logistic" { OutputFit::Logistic } else { OutputFit::Ridge };
    let layer =
        Layer { units: Some(word(4, "100").parse()?), rounds: word(7, "5").parse()?, ..Layer::default() };
    let network = RbfNetwork::new(kernel).layer(layer).lambda(lambda).output(output);
    let begin = Instant::now();
    let model = network.fit(&x, &y)?;
    let fitted = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let found = model.predict(&new)?;
    let predicted = begin.elapsed().as_secs_f64();
    let wrong = found
        .iter()
        .zip(expected.index())
        .filter(|(found, own)| **found != expected.classes()[**own as usize]);
    let share = 100.0 * wrong.count() as f64 / found.len().max(1) as f64;
    let lambda = model.network.lambda;
    println!(
        "fit {fitted:.3} s, predict {predicted:.3} s, error {share:.2} %, lambda {lambda:e}, peak {:.0} MB",
        peak().unwrap_or(0.0)
    );
    Ok(())
}
