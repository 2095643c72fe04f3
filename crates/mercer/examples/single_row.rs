//! The time of a prediction of one row: `cargo run --release --package mercer --example single_row -- MODEL DATA`.
//!
//! Prints, as JSON, microseconds of a call for sparse rows, for the same rows stored densely, and for dense rows without a zero:
//! the median over the rows of the fastest of several calls, on one thread. Each call is for another row than the call before.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use mercer::data::{Dense, Points, ReadOptions, Vectors, read};
use mercer::kernel::VectorExpr;
use mercer::model::SvcModel;
use mercer::model::file::Saved;

/// Rows that are timed.
const ROWS: usize = 200;
/// Calls for each row, of which the fastest counts.
const REPEATS: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(model), Some(data)) = (arguments.next(), arguments.next()) else {
        return Err("usage: single_row MODEL DATA".into());
    };
    let saved = Saved::load(&model)?;
    let model: &SvcModel<Vectors, VectorExpr> = saved.model.downcast().ok_or("no classifier of vectors")?;
    let expansion = &model.expansion;
    let width = expansion.points().width();
    let rows = read(Path::new(&data), &ReadOptions::default())?.points.with_width(width);
    let sparse: Vec<Vectors> = (0..rows.len().min(ROWS)).map(|i| rows.select(&[i])).collect();
    let dense = |row: &Vectors, shift: f32| -> Vectors {
        Dense::new(width, (0..width).map(|k| row.row(0).get(k) as f32 + shift).collect()).into()
    };
    let padded: Vec<Vectors> = sparse.iter().map(|row| dense(row, 0.0)).collect();
    let full: Vec<Vectors> = sparse.iter().map(|row| dense(row, 0.001)).collect();
    let time = |rows: &[Vectors], call: &dyn Fn(&Vectors)| -> f64 {
        let mut fastest = vec![f64::INFINITY; rows.len()];
        for _ in 0..REPEATS {
            for (row, fastest) in rows.iter().zip(&mut fastest) {
                let start = Instant::now();
                call(row);
                *fastest = fastest.min(start.elapsed().as_secs_f64() * 1e6);
            }
        }
        fastest.sort_by(f64::total_cmp);
        fastest[fastest.len() / 2]
    };
    let decide = |row: &Vectors| drop(black_box(expansion.decisions(row)));
    let double = |row: &Vectors| drop(black_box(expansion.map_double(row, |f| f[0])));
    println!(
        "{{\"sparse\": {:.1}, \"padded\": {:.1}, \"dense\": {:.1}, \"double\": {:.1}}}",
        time(&sparse, &decide),
        time(&padded, &decide),
        time(&full, &decide),
        time(&sparse, &double),
    );
    Ok(())
}
