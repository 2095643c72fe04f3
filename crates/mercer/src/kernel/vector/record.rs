//! One record per vector kernel: all that the library knows of it, but for its definition in `value`.
//!
//! The record of a kernel with its parameters has its name, its formula, its parameters, the statistic and the profile
//! that make it fast, its diagonal, the bound of its error in single precision and its definiteness. Parser, printer, checks,
//! searches, the engine and the lists of kernels take these facts from here.

use super::profile::{Definite, Diagonal, Feature, Profile, Single, Statistic, Termwise};
use super::{Factor, Metric, Smoothness, VectorKernel};
use crate::kernel::MAX_POWER;
use crate::kernel::facts::{Facts, Stated};
use crate::kernel::field::Field;

/// What is known of a kernel.
pub(in crate::kernel) struct Record<'a> {
    /// Its name in a text.
    pub(in crate::kernel) name: &'static str,
    /// Where several kernels have one name, what tells this one apart: the name of a first argument and its value.
    pub(in crate::kernel) variant: Option<(&'static str, &'static str)>,
    /// Other names that a text may use.
    pub(in crate::kernel) aliases: &'static [&'static str],
    /// k(x, y) in one line.
    pub(in crate::kernel) formula: &'static str,
    /// What else a user should know, in a few words.
    pub(in crate::kernel) remark: &'static str,
    pub(in crate::kernel) definite: Definite,
    pub(in crate::kernel) statistic: Statistic,
    pub(in crate::kernel) profile: Profile,
    pub(in crate::kernel) diagonal: Diagonal,
    pub(in crate::kernel) single: Single,
    /// Its parameters, in the order of the text.
    pub(in crate::kernel) fields: Vec<Field<'a>>,
}

impl Record<'_> {
    /// A positive semi-definite kernel without parameters that is the statistic itself, computed in double precision: what
    /// a record is where it says nothing else.
    fn new(name: &'static str, formula: &'static str, statistic: Statistic) -> Self {
        Self {
            name,
            variant: None,
            aliases: &[],
            formula,
            remark: "",
            definite: Definite::Always,
            statistic,
            profile: Profile::Identity,
            diagonal: Diagonal::OfStatistic,
            single: Single::Unknown,
            fields: Vec::new(),
        }
    }
}

const METRICS: &[(&str, Metric)] = &[
    ("l1", Metric::L1),
    ("chi2", Metric::ChiSquare),
    ("canberra", Metric::Canberra),
    ("angular", Metric::Angular),
    ("hamming", Metric::Hamming),
];

const SMOOTHNESS: &[(&str, Smoothness)] =
    &[("0.5", Smoothness::Half), ("1.5", Smoothness::ThreeHalves), ("2.5", Smoothness::FiveHalves)];

/// xᵀy.
const DOT: Statistic = Statistic::Dot { centred: false };

/// xᵀy about the mean of the columns, for profiles of ‖x − y‖².
const CENTRED: Statistic = Statistic::Dot { centred: true };

impl Stated for VectorKernel {
    const ALL: &'static [Self] = &[
        Self::Linear,
        Self::Polynomial { degree: 3, gamma: 1.0, coef0: 0.0 },
        Self::Rbf { gamma: 1.0 },
        Self::Tanh { gamma: 1.0, coef0: 0.0 },
        Self::Plummer { epsilon: 1.0, power: 1.0 },
        Self::Laplace { gamma: 1.0 },
        Self::Matern { nu: Smoothness::ThreeHalves, length: 1.0 },
        Self::RationalQuadratic { alpha: 1.0, length: 1.0 },
        Self::Intersection,
        Self::Cosine,
        Self::Gaussian { metric: Metric::L1, sigma: 1.0 },
        Self::Factor(Factor::Norm),
        Self::Factor(Factor::Coordinate(1)),
        Self::Factor(Factor::Bump { gamma: 1.0 }),
        Self::Precomputed,
    ];

    fn facts(&mut self) -> Facts<'_> {
        let Record { name, aliases, variant, formula, remark, definite, fields, .. } = self.record();
        Facts { name, aliases, variant, formula, remark, definiteness: definite.on(None), fields }
    }
}

impl VectorKernel {
    /// The record of this kernel; its fields borrow the parameters.
    pub(in crate::kernel) fn record(&mut self) -> Record<'_> {
        match self {
            Self::Linear => Record {
                single: Single::Slope(Box::new(|square| (square, 1.0))),
                ..Record::new("linear", "xᵀy", DOT)
            },

            Self::Polynomial { degree, gamma, coef0 } => {
                let (m, g, c) = (*degree, *gamma, *coef0);
                Record {
                    aliases: &["polynomial"],
                    remark: "a kernel where c ≥ 0",
                    definite: if c >= 0.0 { Definite::Always } else { Definite::Unknown },
                    profile: Profile::of(move |s| (g * s + c).powi(m as i32)),
                    single: Single::Slope(Box::new(move |square| {
                        let (base, m) = (g * square + c.abs(), f64::from(m));
                        (base.powf(m), m * g * base.powf(m - 1.0))
                    })),
                    fields: vec![
                        Field::whole("degree", "m", degree, 1..=MAX_POWER, "must lie in 1 to 100"),
                        Field::scale("gamma", "γ", gamma),
                        // Below 0 the kernel need not be one.
                        Field::shift("coef0", "c", coef0, 0.0),
                    ],
                    ..Record::new("poly", "(γ xᵀy + c)^m", DOT)
                }
            }

            Self::Rbf { gamma } => Record {
                profile: Profile::Gaussian { gamma: *gamma },
                single: Single::slope(*gamma),
                fields: vec![
                    Field::scale("gamma", "γ", gamma).or("sigma", "1/(2σ²)", |sigma| 0.5 / (sigma * sigma)),
                ],
                ..Record::new("rbf", "exp(−γ‖x − y‖²)", CENTRED)
            },

            Self::Tanh { gamma, coef0 } => {
                let (g, c) = (*gamma, *coef0);
                Record {
                    aliases: &["sigmoid"],
                    remark: "indefinite in general",
                    definite: Definite::Unknown,
                    profile: Profile::of(move |s| (g * s + c).tanh()),
                    single: Single::slope(g),
                    fields: vec![
                        Field::scale("gamma", "γ", gamma),
                        Field::shift("coef0", "c", coef0, f64::NEG_INFINITY),
                    ],
                    ..Record::new("tanh", "tanh(γ xᵀy + c)", DOT)
                }
            }

            Self::Plummer { epsilon, power } => {
                let (e, n) = (*epsilon, *power);
                Record {
                    profile: Profile::of_square(move |d| (d + e * e).powf(-n / 2.0)),
                    fields: vec![Field::scale("epsilon", "ε", epsilon), Field::scale("power", "N", power)],
                    ..Record::new("plummer", "(‖x − y‖² + ε²)^(−N/2)", CENTRED)
                }
            }

            Self::Laplace { gamma } => {
                let g = *gamma;
                Record {
                    profile: Profile::of(move |s| (-g * s).exp()),
                    fields: vec![Field::scale("gamma", "γ", gamma)],
                    ..Record::new(
                        "laplace",
                        "exp(−γ Σ|xₖ − yₖ|)",
                        Statistic::Termwise(Termwise::AbsoluteDifference),
                    )
                }
            }

            Self::Matern { nu, length } => {
                let (smoothness, l) = (*nu, *length);
                Record {
                    profile: Profile::of_square(move |d| matern(smoothness, d.sqrt() / l)),
                    fields: vec![
                        Field::choice("nu", "ν", nu, SMOOTHNESS, PartialEq::eq),
                        Field::scale("length", "ℓ", length),
                    ],
                    ..Record::new("matern", "Matérn of smoothness ν over ‖x − y‖/ℓ", CENTRED)
                }
            }

            Self::RationalQuadratic { alpha, length } => {
                let (a, l) = (*alpha, *length);
                Record {
                    profile: Profile::of_square(move |d| (1.0 + d / (2.0 * a * l * l)).powf(-a)),
                    fields: vec![Field::scale("alpha", "α", alpha), Field::scale("length", "ℓ", length)],
                    ..Record::new("rational", "(1 + ‖x − y‖²/(2αℓ²))^(−α)", CENTRED)
                }
            }

            Self::Intersection => Record {
                remark: "a kernel where no feature is negative",
                definite: Definite::OnNonNegative,
                ..Record::new("intersection", "Σ min(xₖ, yₖ)", Statistic::Termwise(Termwise::Minimum))
            },

            Self::Cosine => Record {
                profile: Profile::of_norms(cosine),
                diagonal: Diagonal::OfSquare(|square| f64::from(u8::from(square > 0.0))),
                ..Record::new("cosine", "xᵀy/(‖x‖‖y‖), 0 if one is zero", DOT)
            },

            Self::Gaussian { metric, sigma } => {
                let s = *sigma;
                let bell = move |d: f64| (-d / (2.0 * s * s)).exp();
                // exp(−D²/(2σ²)) is positive semi-definite for every σ if and only if D² is conditionally negative
                // definite (Schoenberg). For χ², (x − y)²/(x + y) = x + y − 4xy/(x + y), and xy/(x + y) is positive
                // semi-definite on positive numbers. For the other metrics it is D and not D² that is conditionally
                // negative definite; with one feature the L1 distance is the Euclidean one, and the squared Hamming
                // distance is 1 − [x = y].
                let (statistic, profile, definite) = match metric {
                    Metric::L1 => (
                        Statistic::Termwise(Termwise::AbsoluteDifference),
                        Profile::of(move |d| bell(d * d)),
                        Definite::OnOneFeature,
                    ),
                    Metric::ChiSquare => {
                        (Statistic::Termwise(Termwise::ChiSquare), Profile::of(bell), Definite::OnNonNegative)
                    }
                    Metric::Canberra => (
                        Statistic::Termwise(Termwise::Canberra),
                        Profile::of(move |d| bell(d * d)),
                        Definite::Unknown,
                    ),
                    Metric::Angular => (
                        DOT,
                        Profile::of_norms(move |dot, x, y| {
                            // A zero vector is at a right angle to all but another zero vector.
                            let same = x == 0.0 && y == 0.0;
                            let angle = if same { 0.0 } else { cosine(dot, x, y).clamp(-1.0, 1.0).acos() };
                            bell(angle * angle)
                        }),
                        Definite::Unknown,
                    ),
                    Metric::Hamming => (
                        Statistic::Termwise(Termwise::Differs),
                        Profile::of_share(move |share| bell(share * share)),
                        Definite::OnOneFeature,
                    ),
                };
                Record {
                    definite,
                    profile,
                    diagonal: Diagonal::Value(1.0),
                    fields: vec![
                        Field::choice("metric", "", metric, METRICS, PartialEq::eq)
                            .required("; over the Euclidean distance it is rbf"),
                        Field::scale("sigma", "σ", sigma),
                    ],
                    ..Record::new("gaussian", "exp(−D(x, y)²/(2σ²))", statistic)
                }
            }

            Self::Factor(function) => factor(function),

            Self::Precomputed => Record {
                remark: "LIBSVM rows 0:serial 1:value …",
                definite: Definite::Unknown,
                single: Single::Exact,
                ..Record::new("precomputed", "the data are kernel values", Statistic::Lookup)
            },
        }
    }
}

/// The record of f(x) f(y).
fn factor(function: &mut Factor) -> Record<'_> {
    let (word, formula, feature, fields) = match function {
        Factor::Norm => ("norm", "‖x‖ ‖y‖", Feature::Norm, Vec::new()),
        Factor::Coordinate(index) => {
            ("coordinate", "xⱼ yⱼ", Feature::Coordinate(*index), vec![Field::index("index", "j", index)])
        }
        Factor::Bump { gamma } => {
            let feature = Feature::Bump { gamma: *gamma };
            ("bump", "exp(−γ‖x‖²) exp(−γ‖y‖²)", feature, vec![Field::scale("gamma", "γ", gamma)])
        }
    };
    Record {
        variant: Some(("function", word)),
        single: Single::Rounded,
        fields,
        ..Record::new("factor", formula, Statistic::Factor(feature))
    }
}

fn cosine(dot: f64, x: f64, y: f64) -> f64 {
    if x > 0.0 && y > 0.0 { dot / (x * y).sqrt() } else { 0.0 }
}

fn matern(nu: Smoothness, r: f64) -> f64 {
    match nu {
        Smoothness::Half => (-r).exp(),
        Smoothness::ThreeHalves => (1.0 + 3f64.sqrt() * r) * (-(3f64.sqrt()) * r).exp(),
        Smoothness::FiveHalves => (1.0 + 5f64.sqrt() * r + 5.0 * r * r / 3.0) * (-(5f64.sqrt()) * r).exp(),
    }
}
