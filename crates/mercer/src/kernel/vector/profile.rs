//! The parts that a vector kernel is made of: a statistic of two points and a profile of that statistic.
//!
//! The engine computes each statistic for a tile of pairs at once and then applies the profile to the tile, in slices, so
//! that a profile costs one call a slice and not one a value.

use crate::kernel::Definiteness;

/// A statistic of two points x and y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::kernel) enum Statistic {
    /// xᵀy. Where only differences matter (`centred`), of the points about the mean of the columns.
    Dot { centred: bool },
    /// A sum over the features of both points.
    Termwise(Termwise),
    /// f(x) f(y).
    Factor(Feature),
    /// The value of x in the column that is the serial number of y.
    Lookup,
}

/// A sum over features of a function of both values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::kernel) enum Termwise {
    /// Σ|xₖ − yₖ|
    AbsoluteDifference,
    /// Σ(xₖ − yₖ)²/(xₖ + yₖ), terms of two zeros left out
    ChiSquare,
    /// Σ|xₖ − yₖ|/(|xₖ| + |yₖ|), terms of two zeros left out
    Canberra,
    /// How many features differ.
    Differs,
    /// Σmin(xₖ, yₖ)
    Minimum,
}

impl Termwise {
    /// The term of one feature.
    #[inline(always)]
    pub(in crate::kernel) fn term(self, a: f64, b: f64) -> f64 {
        match self {
            Self::AbsoluteDifference => (a - b).abs(),
            Self::ChiSquare => {
                let sum = a + b;
                if sum == 0.0 { 0.0 } else { (a - b) * (a - b) / sum }
            }
            Self::Canberra => {
                let sum = a.abs() + b.abs();
                if sum == 0.0 { 0.0 } else { (a - b).abs() / sum }
            }
            Self::Differs => f64::from(u8::from(a != b)),
            Self::Minimum => a.min(b),
        }
    }
}

/// A function f of one point, for the kernel f(x) f(y).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::kernel) enum Feature {
    /// ‖x‖
    Norm,
    /// The feature with this index from 1.
    Coordinate(usize),
    /// exp(−γ‖x‖²)
    Bump { gamma: f64 },
}

/// Replaces each value of a slice by a function of it.
pub(in crate::kernel) type EachValue = Box<dyn Fn(&mut [f64]) + Send + Sync>;

/// Replaces each inner product of a row with columns by a function of it, of the squared norm of the row and of the
/// squared norm of its column.
pub(in crate::kernel) type EachProduct = Box<dyn Fn(&mut [f64], f64, &[f64]) + Send + Sync>;

/// The kernel as a function of its statistic.
pub(in crate::kernel) enum Profile {
    /// The statistic itself.
    Identity,
    /// A function of the statistic.
    Of(EachValue),
    /// A function of the share that the statistic is of the number of features.
    OfShare(EachValue),
    /// A function of ‖x − y‖², from inner products.
    OfSquare(EachValue),
    /// exp(−γ‖x − y‖²), from inner products, by vector instructions.
    Gaussian { gamma: f64 },
    /// A function of xᵀy, ‖x‖² and ‖y‖².
    OfNorms(EachProduct),
}

impl Profile {
    /// A function of the statistic.
    pub(super) fn of(f: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Self {
        Self::Of(each(f))
    }

    /// A function of the share that the statistic is of the number of features.
    pub(super) fn of_share(f: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Self {
        Self::OfShare(each(f))
    }

    /// A function of ‖x − y‖².
    pub(super) fn of_square(f: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Self {
        Self::OfSquare(each(f))
    }

    /// A function of xᵀy, ‖x‖² and ‖y‖².
    pub(super) fn of_norms(f: impl Fn(f64, f64, f64) -> f64 + Send + Sync + 'static) -> Self {
        Self::OfNorms(Box::new(move |dots, row, columns| {
            dots.iter_mut().zip(columns).for_each(|(dot, &column)| *dot = f(*dot, row, column));
        }))
    }
}

impl Profile {
    /// k(x, x), given the statistic of x with itself and ‖x‖².
    pub(in crate::kernel) fn own(&self, statistic: f64, square: f64) -> f64 {
        let one = |f: &EachValue, value: f64| {
            let mut values = [value];
            f(&mut values);
            values[0]
        };
        match self {
            Self::Identity => statistic,
            Self::Of(f) | Self::OfShare(f) => one(f, statistic),
            Self::OfSquare(f) => one(f, 0.0),
            Self::Gaussian { .. } => 1.0,
            Self::OfNorms(f) => {
                let mut dots = [statistic];
                f(&mut dots, square, &[square]);
                dots[0]
            }
        }
    }
}

fn each(f: impl Fn(f64) -> f64 + Send + Sync + 'static) -> EachValue {
    Box::new(move |values| values.iter_mut().for_each(|value| *value = f(*value)))
}

/// k(x, x).
pub(in crate::kernel) enum Diagonal {
    /// The profile of the statistic of a point with itself.
    OfStatistic,
    /// This number.
    Value(f64),
    /// A function of ‖x‖².
    OfSquare(fn(f64) -> f64),
}

/// How far off a value is when it is computed in single precision.
pub(in crate::kernel) enum Single {
    /// Not known: never computed so.
    Unknown,
    /// Given R², the largest squared norm, how large a value can be and how steep the profile. The error is the slope
    /// times that of an inner product.
    Slope(Box<dyn Fn(f64) -> (f64, f64)>),
    /// As far as its own last bit: a product of two numbers.
    Rounded,
    /// Not at all: given, not computed.
    Exact,
}

impl Single {
    /// A profile of values up to 1 that is at most so steep.
    pub(super) fn slope(slope: f64) -> Self {
        Self::Slope(Box::new(move |_| (1.0, slope)))
    }
}

/// What is known of the definiteness of a kernel on features of any sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::kernel) enum Definite {
    /// Positive semi-definite.
    Always,
    /// Positive semi-definite where no feature is negative.
    OnNonNegative,
    /// Positive semi-definite on one feature, not known on several.
    OnOneFeature,
    /// Not known.
    Unknown,
}

impl Definite {
    /// The definiteness on so many features, where their number is known.
    pub(super) fn on(self, features: Option<usize>) -> Definiteness {
        match self {
            Self::Always => Definiteness::Psd,
            Self::OnNonNegative => Definiteness::PsdOnNonNegative,
            Self::OnOneFeature if features == Some(1) => Definiteness::Psd,
            Self::OnOneFeature | Self::Unknown => Definiteness::Unknown,
        }
    }
}
