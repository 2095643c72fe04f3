//! The time of a whole Gram: `gram KERNEL DATA` prints seconds of reading and of computing in double precision, and what the process
//! grew by meanwhile, over the size of the Gram (0 where the system does not tell).

use std::path::Path;
use std::time::Instant;

use mercer::data::{Points, ReadOptions};
use mercer::gram;
use mercer::model::{AnyKernel, AnyPoints};

/// A line of what Linux tells of this process, in bytes: `VmRSS:`, what it holds, or `VmHWM:`, the most that it has held.
fn memory(line: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let found =
        status.lines().find_map(|text| text.strip_prefix(line)?.split_whitespace().next()?.parse().ok());
    1024.0 * found.unwrap_or(0.0)
}

fn main() -> mercer::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let kernel: AnyKernel = words[1].parse()?;
    let begin = Instant::now();
    let table = AnyPoints::read(Some(&kernel), Path::new(&words[2]), &ReadOptions::default())?;
    let read = begin.elapsed().as_secs_f64();
    let held = memory("VmRSS:");
    let begin = Instant::now();
    let values = gram::square::<f64, _, _>(&kernel, &table.points)?;
    let seconds = begin.elapsed().as_secs_f64();
    let growth = (memory("VmHWM:") - held).max(0.0) / size_of_val(&values[..]) as f64;
    let sum: f64 = values.iter().sum();
    let points = table.points.len();
    println!("{points} points, read {read:.3} s, gram {seconds:.4} s, growth {growth:.3} , sum {sum:e}");
    Ok(())
}
