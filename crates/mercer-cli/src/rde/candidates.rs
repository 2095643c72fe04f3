//! The kernels to choose from.

use mercer::data::Vectors;
use mercer::kernel::{Parameter, VectorExpr, median_gamma, rbf};

use crate::args::RdeArgs;
use crate::failure::{Failure, Result};
use crate::values::Grid;

/// Powers of two around the median distance: from kernels that see all points alike to those that see each alone.
const AROUND_MEDIAN: std::ops::RangeInclusive<i32> = -10..=6;
/// Powers of two around a value that is there.
const AROUND_VALUE: std::ops::RangeInclusive<i32> = -8..=8;

/// Kernels that differ in one parameter.
pub(super) struct Candidates {
    pub(super) kernels: Vec<VectorExpr>,
    /// The parameter and its values, one for each kernel; none for a single kernel as it is.
    pub(super) grid: Option<(String, Vec<f64>)>,
}

impl Candidates {
    pub(super) fn new(args: &RdeArgs, x: &Vectors) -> Result<Self> {
        let (kernel, grid) = match (&args.kernel, &args.grid) {
            (None, grid) => (rbf(1.0), grid.clone().unwrap_or(Grid::Auto)),
            (Some(kernel), Some(grid)) => (kernel.clone(), grid.clone()),
            (Some(kernel), None) => {
                kernel.check()?;
                return Ok(Self { kernels: vec![kernel.clone()], grid: None });
            }
        };
        kernel.check()?;
        let parameter = parameter(&kernel, args.parameter.as_deref())?;
        let values = match grid {
            Grid::Values(values) => values,
            Grid::Auto => automatic(&kernel, &parameter, x)?,
        };
        let with = |&value: &f64| kernel.with_parameter(&parameter.path, value);
        let kernels = values.iter().map(with).collect::<mercer::Result<Vec<_>>>()?;
        Ok(Self { kernels, grid: Some((parameter.path, values)) })
    }
}

/// The parameter meant: the one named, else the only one, else the only gamma.
fn parameter(kernel: &VectorExpr, named: Option<&str>) -> Result<Parameter> {
    let all = kernel.parameters();
    let list = || all.iter().map(|p| p.path.as_str()).collect::<Vec<_>>().join(", ");
    let of = |keep: &dyn Fn(&Parameter) -> bool| -> Vec<Parameter> {
        all.iter().filter(|parameter| keep(parameter)).cloned().collect()
    };
    let found = match named {
        Some(name) => of(&|parameter| parameter.path == name),
        None if all.len() == 1 => all.clone(),
        None => of(&|parameter| parameter.path.ends_with(".gamma")),
    };
    match (<[Parameter; 1]>::try_from(found), named) {
        (Ok([parameter]), _) => Ok(parameter),
        _ if all.is_empty() => Err(Failure::Usage(format!("--grid: {kernel} has no parameter to change"))),
        (Err(_), Some(name)) => {
            Err(Failure::Usage(format!("--parameter {name}: {kernel} does not have it; it has {}", list())))
        }
        (Err(_), None) => {
            Err(Failure::Usage(format!("--grid: say which of {} it is for, by --parameter", list())))
        }
    }
}

fn automatic(kernel: &VectorExpr, parameter: &Parameter, x: &Vectors) -> Result<Vec<f64>> {
    // The median distance is that of the points, not of what a map makes of them.
    let plain = parameter.path.ends_with("rbf.gamma") && !kernel.to_string().contains('@');
    let (middle, powers) = match plain.then(|| median_gamma(x)) {
        Some(Some(gamma)) => (gamma, AROUND_MEDIAN),
        Some(None) => return Err(Failure::Usage("--grid auto: all rows are the same".into())),
        None => (parameter.value, AROUND_VALUE),
    };
    if !parameter.log || middle <= 0.0 {
        let path = &parameter.path;
        return Err(Failure::Usage(format!("--grid auto: {path} may be 0; say its values")));
    }
    // Whole powers of two read better than multiples of a median.
    let middle = middle.log2().round().exp2();
    Ok(powers.map(|power| middle * f64::from(power).exp2()).collect())
}
