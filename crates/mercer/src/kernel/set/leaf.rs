//! The kernels on sets as leaves of an expression.

use std::fmt;

use super::extent::settled;
use super::over::{self, Pairs};
use super::pyramid::{Grids, MAX_LEVELS};
use crate::data::Vectors;
use crate::error::{ErrorKind, Result};
use crate::kernel::facts::{Facts, Stated};
use crate::kernel::field::Field;
use crate::kernel::{
    Bound, Call, Definiteness, Expr, Leaf, Listed, ListedParameter, Slot, VectorExpr, facts, features, rbf,
};

/// A kernel expression on sets of vectors. Its text has the grammar of every expression, described at
/// [`VectorExpr`](super::super::VectorExpr), without feature maps; the kernels are listed at [`SetLeaf`].
///
/// ```
/// use mercer::kernel::{SetExpr, rbf, set_mean};
///
/// let kernel: SetExpr = "normalized(set(rbf(gamma=0.5) + 1))".parse()?;
/// assert_eq!(kernel, set_mean(rbf(0.5) + 1.0).normalized());
/// # Ok::<(), mercer::Error>(())
/// ```
pub type SetExpr = Expr<SetLeaf>;

/// The kernels on sets of vectors. The text given with each shows its parameters with their defaults.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SetLeaf {
    /// Σ k(x, y)/(|X||Y|). Text: `set(rbf(gamma=1))`.
    Mean(VectorExpr),
    /// ½(Σ_x max_y k(x, y)/|X| + Σ_y max_x k(x, y)/|Y|). Text: `bestmatch(rbf(gamma=1))`.
    BestMatch(VectorExpr),
    /// The pyramid match. Text: `pyramid(side=auto, levels=auto, shifts=1, seed=0, weights=half)`.
    Pyramid(Pyramid),
}

/// What a meeting in grid i of a pyramid weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// 2⁻ⁱ
    Half,
    /// 1/(d 2ⁱ) for d features
    Dimension,
}

/// Parameters of the pyramid match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pyramid {
    /// s, the side of the finest cells. None is found from data: the largest power of two that does not exceed the smallest
    /// distance between two vectors, or, where `levels` is given, the smallest for which s·2ᴸ covers the data.
    pub side: Option<f64>,
    /// L: grids of sides s·2ⁱ, i = 0 … L − 1, and at last one cell that holds all. None is found from data: the fewest for which
    /// s·2ᴸ covers the data.
    pub levels: Option<u32>,
    /// How many pyramids are added up, each shifted by an offset of its own.
    pub shifts: u32,
    /// The seed of the offsets.
    pub seed: u32,
    /// What a meeting weighs.
    pub weights: Weights,
}

const PYRAMID: Pyramid = Pyramid { side: None, levels: None, shifts: 1, seed: 0, weights: Weights::Half };

impl Default for Pyramid {
    fn default() -> Self {
        PYRAMID
    }
}

/// Σ k(x, y)/(|X||Y|) over the vectors of two sets.
#[must_use]
pub fn set_mean(kernel: VectorExpr) -> SetExpr {
    Expr::Leaf(SetLeaf::Mean(kernel))
}

/// The mean over the vectors of each set of the largest k(x, y) with one of the other; indefinite in general.
#[must_use]
pub fn best_match(kernel: VectorExpr) -> SetExpr {
    Expr::Leaf(SetLeaf::BestMatch(kernel))
}

/// The pyramid match with finest cells of this side and so many levels; each that is `None` is found from the sets that an
/// estimator is fitted to.
#[must_use]
pub fn pyramid(side: impl Into<Option<f64>>, levels: impl Into<Option<u32>>) -> SetExpr {
    let (side, levels) = (side.into(), levels.into());
    Expr::Leaf(SetLeaf::Pyramid(Pyramid { side, levels, ..Pyramid::default() }))
}

const MEAN: &str = "set";
const BEST: &str = "bestmatch";

impl Stated for Pyramid {
    const ALL: &'static [Self] = &[PYRAMID];

    fn facts(&mut self) -> Facts<'_> {
        Facts {
            name: "pyramid",
            aliases: &[],
            variant: None,
            formula: "Σ 2⁻ⁱ (vectors that first meet in cells of side s·2ⁱ)",
            remark: "",
            definiteness: Definiteness::Psd,
            fields: vec![
                Field::open_scale("side", "s", &mut self.side),
                Field::open_whole("levels", "L", &mut self.levels, 1..=MAX_LEVELS, "must lie in 1 to 60"),
                Field::whole("shifts", "T", &mut self.shifts, 1..=64, "must lie in 1 to 64"),
                Field::whole("seed", "seed", &mut self.seed, 0..=u32::MAX, "must be a whole number"),
                Field::choice(
                    "weights",
                    "",
                    &mut self.weights,
                    &[("half", Weights::Half), ("dimension", Weights::Dimension)],
                    |a, b| a == b,
                ),
            ],
        }
    }
}

impl fmt::Display for Pyramid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        facts::write(self, f)
    }
}

impl fmt::Display for SetLeaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mean(kernel) => write!(f, "{MEAN}({kernel})"),
            Self::BestMatch(kernel) => write!(f, "{BEST}({kernel})"),
            Self::Pyramid(pyramid) => pyramid.fmt(f),
        }
    }
}

/// The kernel between the parentheses of a call; rbf where there is none.
fn inner(call: &Call<'_>) -> Result<VectorExpr> {
    let argument = match &call.arguments[..] {
        [] => return Ok(rbf(1.0)),
        [argument] => argument,
        [_, second, ..] => {
            return Err(call.fail(second.start, format!("{} takes one kernel on vectors", call.name)));
        }
    };
    argument.value.parse().map_err(|error: crate::Error| match error.kind() {
        ErrorKind::KernelText { column, expected, .. } => {
            call.fail(argument.at + column - 1, expected.clone())
        }
        _ => error,
    })
}

/// A kernel over one on vectors, as a list shows it.
fn listed(
    name: &'static str,
    formula: &'static str,
    remark: &'static str,
    definiteness: Definiteness,
) -> Listed {
    let kernel = ListedParameter {
        name: "kernel",
        default: Some("rbf(gamma=1)".into()),
        domain: "a kernel on vectors".into(),
        alternative: None,
    };
    let text = format!("{name}(rbf(gamma=1))");
    Listed { name, aliases: &[], text, formula, remark, definiteness, parameters: vec![kernel] }
}

impl Leaf for SetLeaf {
    type Points = Vec<Vectors>;

    const OVER: &'static [&'static str] = &[MEAN, BEST];

    fn list() -> Vec<Listed> {
        let mut all = vec![
            listed(MEAN, "Σ k(x, y)/(|X||Y|)", "over any kernel k on vectors", Definiteness::Psd),
            listed(
                BEST,
                "½(Σ max_y k(x, y)/|X| + Σ max_x k(x, y)/|Y|)",
                "over any kernel k on vectors; indefinite in general",
                Definiteness::Unknown,
            ),
        ];
        all.extend(facts::list::<Pyramid>());
        all
    }

    fn parse(call: &Call<'_>) -> Option<Result<Self>> {
        match call.name {
            MEAN => Some(inner(call).map(Self::Mean)),
            BEST => Some(inner(call).map(Self::BestMatch)),
            _ => facts::parse(call).map(|pyramid| pyramid.map(Self::Pyramid)),
        }
    }

    fn check(&self) -> Result<()> {
        let kernel = match self {
            Self::Pyramid(pyramid) => return facts::check(pyramid),
            Self::Mean(kernel) | Self::BestMatch(kernel) => kernel,
        };
        kernel.check()?;
        if kernel.is_centered() {
            let what =
                format!("{self}: the vectors of a set have no centre; centre the kernel on sets").into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        if kernel.leaves().iter().any(|leaf| leaf.is_open()) {
            let what = format!("{self}: landmarks among the vectors of sets").into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        if kernel.leaves().iter().any(|leaf| leaf.kernel == crate::kernel::VectorKernel::Precomputed) {
            let what = "sets under a precomputed kernel, which has no vectors".into();
            return Err(ErrorKind::Unsupported { what }.into());
        }
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        match self {
            Self::Mean(kernel) => kernel.definiteness(),
            Self::BestMatch(_) => Definiteness::Unknown,
            Self::Pyramid(pyramid) if facts::check(pyramid).is_ok() => Definiteness::Psd,
            Self::Pyramid(_) => Definiteness::Unknown,
        }
    }

    fn is_open(&self) -> bool {
        matches!(self, Self::Pyramid(Pyramid { side, levels, .. }) if side.is_none() || levels.is_none())
    }

    fn settled(self, points: &Vec<Vectors>) -> Result<Self> {
        match self {
            Self::Pyramid(pyramid) => Ok(Self::Pyramid(settled(pyramid, points)?)),
            other => Ok(other),
        }
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Slot<'_>)) {
        match self {
            Self::Mean(kernel) => kernel.visit(&mut |slot| visit(slot.under(MEAN))),
            Self::BestMatch(kernel) => kernel.visit(&mut |slot| visit(slot.under(BEST))),
            Self::Pyramid(pyramid) => facts::visit(pyramid, visit),
        }
    }

    fn bind(&self, columns: &Vec<Vectors>) -> Result<Box<dyn Bound<Vec<Vectors>>>> {
        match self {
            Self::Mean(kernel) => over::bind(kernel, Pairs::Mean, columns),
            Self::BestMatch(kernel) => over::bind(kernel, Pairs::Best, columns),
            Self::Pyramid(pyramid) => features::bind(Grids::new(pyramid)?, columns),
        }
    }

    fn diagonal(&self, points: &Vec<Vectors>, rows: &[usize]) -> Vec<f64> {
        match self {
            Self::Mean(kernel) => over::own(kernel, Pairs::Mean, points, rows),
            Self::BestMatch(kernel) => over::own(kernel, Pairs::Best, points, rows),
            // All of a set meets itself in the finest grid, whatever the grids.
            Self::Pyramid(pyramid) => features::squares(&Grids::any(pyramid), points, rows),
        }
    }
}
