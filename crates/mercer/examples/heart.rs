//! Train, certify, predict, save: `cargo run --package mercer --example heart`, from the root of the repository.

use std::path::Path;

use mercer::data::{ReadOptions, read};
use mercer::kernel::rbf;
use mercer::model::{Svc, file::Saved};

fn main() -> mercer::Result<()> {
    let table = read(Path::new("data/heart_scale.libsvm.gz"), &ReadOptions::default())?;
    let (x, y) = (table.points, table.labels.expect("every line has a label").labels());
    let model = Svc::new(rbf(0.5)).c(10.0).fit(&x, &y)?;
    println!("{:?}", model.certificates[0]);
    let right = model.predict(&x)?.iter().enumerate().filter(|&(i, class)| *class == y.name(i)).count();
    println!("{right} of {} training rows are right", y.len());
    Saved::from(model).save("heart.mercer")
}
