//! The time of a clustering: `cluster METHOD KERNEL DATA CLUSTERS [NAME=VALUE ...] [rows=N] [labels=FILE]` fits `k-means` or
//! `spectral` by the settings of the table, prints seconds, inertia and agreement with the labels of the data (the adjusted
//! Rand index), and writes the clusters, one on a line. `cluster gap KERNEL DATA CLUSTERS` prints the gap curve of 1 to so
//! many clusters.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use mercer::data::{Points, ReadOptions};
use mercer::model::{AnyEstimator, AnyKernel, AnyPoints, Fact, Gap, Job, KMeans, Targets, Value};

fn main() -> mercer::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let kernel: AnyKernel = words[2].parse()?;
    let table = AnyPoints::read(Some(&kernel), Path::new(&words[3]), &ReadOptions::default())?;
    if words[1] == "gap" {
        let curve = KMeans::new(kernel).gap(&table.points, 1..=words[4].parse().unwrap_or(2), 20)?;
        let line =
            |gap: &Gap| println!("{} {:.4} {:.4} {:.4}", gap.clusters, gap.dispersion, gap.gap(), gap.spread);
        curve.gaps.iter().for_each(line);
        println!("{} components, {} clusters chosen", curve.components, curve.chosen());
        return Ok(());
    }
    let mut estimator = AnyEstimator::new(&words[1], kernel)?;
    estimator.set("clusters", &number(&words[4]))?;
    let (mut rows, mut file) = (table.points.len(), None);
    for word in &words[5..] {
        match word.split_once('=') {
            Some(("rows", count)) => rows = rows.min(count.parse().unwrap_or(rows)),
            Some(("labels", path)) => file = Some(path),
            Some((name, value)) => estimator.set(name, &number(value))?,
            None => {}
        }
    }
    let points = table.points.select(&(0..rows).collect::<Vec<_>>());
    let begin = Instant::now();
    let model = estimator.fit(&points, &Targets::None, &mut Job::new())?;
    let seconds = begin.elapsed().as_secs_f64();
    let facts = model.facts();
    let Some(Fact::Counts(labels)) = facts.get("labels") else { return Ok(()) };
    let agreement =
        table.labels.map_or(f64::NAN, |truth| adjusted_rand(labels, &truth.labels().index()[..rows]));
    println!(
        "{rows} points, {seconds:.3} s, {}, ari {agreement:.4}",
        model.quality().words().unwrap_or_default()
    );
    println!("silhouette {:?}, residual {:?}", facts.get("silhouette"), facts.number("eigenvector_residual"));
    if let Some(path) = file {
        let lines: String = labels.iter().map(|label| format!("{label}\n")).collect();
        std::fs::write(path, lines).map_err(|error| mercer::Error::io(path, error))?;
    }
    Ok(())
}

/// A word as a value: a number where it is one.
fn number(word: &str) -> Value {
    word.parse().map_or_else(|_| Value::Word(word.into()), Value::Number)
}

/// The adjusted Rand index of two partitions (Hubert and Arabie 1985).
fn adjusted_rand(labels: &[usize], truth: &[u32]) -> f64 {
    let pairs = |count: f64| count * (count - 1.0) / 2.0;
    let (mut both, mut first, mut second) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (label, name) in labels.iter().zip(truth) {
        *both.entry((label, name)).or_insert(0.0) += 1.0;
        *first.entry(label).or_insert(0.0) += 1.0;
        *second.entry(name).or_insert(0.0) += 1.0;
    }
    let sum = |counts: Vec<f64>| counts.into_iter().map(pairs).sum::<f64>();
    let (a, b) = (sum(first.into_values().collect()), sum(second.into_values().collect()));
    let expected = a * b / pairs(labels.len() as f64);
    (sum(both.into_values().collect()) - expected) / (0.5 * (a + b) - expected)
}
