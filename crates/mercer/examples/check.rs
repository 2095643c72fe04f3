//! Is it a kernel? By construction, and on data, with the first eigenvalues of its Mercer spectrum:
//! `cargo run --package mercer --example check`, from the root of the repository.

use std::path::Path;

use mercer::data::{ReadOptions, read};
use mercer::kernel::{Limits, VectorExpr, check};

fn main() -> mercer::Result<()> {
    let points = read(Path::new("data/heart_scale.libsvm.gz"), &ReadOptions::default())?.points;
    for text in ["rbf(gamma=0.5)", "tanh(gamma=1, coef0=-1)", "gaussian(l1, sigma=4)"] {
        let kernel: VectorExpr = text.parse()?;
        let validity = check(&kernel, &points, Limits::default())?;
        println!("{kernel}");
        println!("  by construction       {}", validity.definiteness);
        println!("  on {} rows           {}", validity.rows.len(), validity.verdict);
        println!("  smallest eigenvalue   {:.6}", validity.smallest);
        if let Some(witness) = &validity.witness {
            println!("  witness               cᵀKc = {:.6}", witness.value);
        }
        let shown: Vec<String> =
            validity.spectrum.eigenvalues.iter().take(5).map(|value| format!("{value:.4}")).collect();
        println!("  Mercer spectrum       {}, …", shown.join(", "));
    }
    Ok(())
}
