//! The time of a whole Gram: `gram KERNEL DATA [THREADS]` prints seconds of reading and of computing in double precision.

use std::path::Path;
use std::time::Instant;

use mercer::data::{Points, ReadOptions};
use mercer::gram;
use mercer::model::{AnyKernel, AnyPoints};

fn main() -> mercer::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let kernel: AnyKernel = words[1].parse()?;
    let begin = Instant::now();
    let table = AnyPoints::read(Some(&kernel), Path::new(&words[2]), &ReadOptions::default())?;
    let read = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let values = gram::square::<f64, _, _>(&kernel, &table.points)?;
    let seconds = begin.elapsed().as_secs_f64();
    let sum: f64 = values.iter().sum();
    println!("{} points, read {read:.3} s, gram {seconds:.3} s, sum {sum:e}", table.points.len());
    Ok(())
}
