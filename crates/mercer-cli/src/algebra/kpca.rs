//! Kernel PCA.

use mercer::model::{Machine, Pca};
use serde_json::json;

use super::{Given, Outcome, followed};
use crate::components;
use crate::failure::{InFile, Result};
use crate::output::{count, rough, short};

/// Components without `--components`.
const COMPONENTS: usize = 10;

/// Components that are listed.
const LINES: usize = 12;

/// Finds the components.
pub(super) fn fit(given: &Given<'_>) -> Result<Outcome> {
    let args = given.args;
    let wanted = args.projections.components.unwrap_or(COMPONENTS);
    let mut pca = Pca::new(given.kernel.clone()).components(wanted).weights(given.weights.clone());
    pca.memory = given.memory;
    pca.check()?;
    let fitted = followed(args.common.quiet, |follow| pca.fit_followed(given.x, follow));
    let model = fitted.in_file(&args.data)?;
    let found = model.components();
    let warning = (found < wanted && args.projections.components.is_some()).then(|| {
        let (there, are) = (count(found, "component"), if found == 1 { "is" } else { "are" });
        format!("{wanted} components were asked for; there {are} {there} with variance")
    });
    let together: f64 = model.explained().iter().sum();
    let table = components::table(&model, LINES).replace('\n', "\n             ");
    let variance = short(model.eigenvalues[0] / model.weights.iter().sum::<f64>());
    let lines = vec![
        ("machine", format!("kpca, {}", count(found, "component"))),
        ("variance", format!("{:.2} % explained; {variance} along the first", 100.0 * together)),
        ("spectrum", table.trim_end().to_owned()),
        ("certificate", format!("relative residual {}", rough(model.residual))),
    ];
    let facts = vec![
        ("components", json!(found)),
        ("eigenvalues", json!(model.eigenvalues)),
        ("explained", json!(model.explained())),
        ("total", json!(model.total)),
        ("residual", json!(model.residual)),
    ];
    Ok(Outcome { machine: Machine::Pca(model), beside: String::new(), lines, facts, warning })
}
