//! Random points and expressions for property tests.

use std::fmt::Debug;
use std::str::FromStr;

use proptest::prelude::*;

use super::*;
use crate::data::{Dense, Points, Vectors};
use crate::error::{Error, ErrorKind};

/// Where a text is refused as a kernel or a map, and what was expected there.
pub(crate) fn refused<T: FromStr<Err = Error> + Debug>(text: &str) -> (usize, String) {
    let error = text.parse::<T>().unwrap_err();
    let ErrorKind::KernelText { column, expected, .. } = error.kind() else { panic!("{error}") };
    (*column, expected.to_string())
}

/// Asserts that a text is refused at a column, and that `part` is said there.
pub(crate) fn assert_refused<T: FromStr<Err = Error> + Debug>(text: &str, column: usize, part: &str) {
    let (found, expected) = refused::<T>(text);
    assert!(expected.contains(part), "{text}: {expected}");
    assert_eq!(found, column, "{text}: {expected}");
}

/// A leaf with a definition, slow and plain, that its fast rows are tested against.
pub(crate) trait Definition: Leaf {
    /// k of point `i` of `x` and point `j` of `y`.
    fn value(&self, x: &Self::Points, i: usize, y: &Self::Points, j: usize) -> f64;
}

impl Definition for VectorLeaf {
    fn value(&self, x: &Vectors, i: usize, y: &Vectors, j: usize) -> f64 {
        self.value_in(x.width().max(y.width()), x.row(i), y.row(j))
    }
}

/// An expression by its definition at point `i` of `x` and point `j` of `y`.
pub(crate) fn value<L: Definition>(
    kernel: &Expr<L>,
    (x, i): (&L::Points, usize),
    (y, j): (&L::Points, usize),
) -> f64 {
    let at = |part: &Expr<L>| value(part, (x, i), (y, j));
    match kernel {
        Expr::Leaf(leaf) => leaf.value(x, i, y, j),
        Expr::Constant(c) => *c,
        Expr::Sum(parts) => parts.iter().map(at).sum(),
        Expr::Product(parts) => parts.iter().map(at).product(),
        Expr::Power(inner, power) => at(inner).powi(*power as i32),
        Expr::Exp(inner) => at(inner).exp(),
        Expr::Normalized(inner) => {
            let (xx, yy) = (value(inner, (x, i), (x, i)), value(inner, (y, j), (y, j)));
            if xx > 0.0 && yy > 0.0 { at(inner) / (xx.sqrt() * yy.sqrt()) } else { 0.0 }
        }
        Expr::Centered(inner, center) => {
            let (points, weights) = center.points::<L::Points>().expect("a fitted kernel");
            let total: f64 = weights.iter().sum();
            let mean = |of: &dyn Fn(usize) -> f64| {
                weights.iter().enumerate().map(|(p, w)| w / total * of(p)).sum::<f64>()
            };
            let with_x = mean(&|p| value(inner, (x, i), (points, p)));
            let with_y = mean(&|p| value(inner, (points, p), (y, j)));
            at(inner) - with_x - with_y + mean(&|p| mean(&|q| value(inner, (points, p), (points, q))))
        }
    }
}

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![0.05..4.0_f64, Just(1.0), Just(0.5)]
}

fn smoothness() -> impl Strategy<Value = Smoothness> {
    prop_oneof![Just(Smoothness::Half), Just(Smoothness::ThreeHalves), Just(Smoothness::FiveHalves)]
}

/// Kernels that are positive semi-definite on every data set.
pub(crate) fn definite_leaf() -> impl Strategy<Value = VectorExpr> {
    prop_oneof![
        Just(linear()),
        Just(cosine()),
        (1..4_u32, positive(), 0.0..2.0_f64).prop_map(|(d, g, c)| polynomial(d, g, c)),
        positive().prop_map(rbf),
        (positive(), positive()).prop_map(|(e, n)| plummer(e, n)),
        positive().prop_map(laplace),
        (smoothness(), positive()).prop_map(|(nu, length)| matern(nu, length)),
        (positive(), positive()).prop_map(|(alpha, length)| rational_quadratic(alpha, length)),
        Just(factor(Factor::Norm)),
        (1..4_usize).prop_map(|k| factor(Factor::Coordinate(k))),
        positive().prop_map(|gamma| factor(Factor::Bump { gamma })),
    ]
}

fn other_leaf() -> impl Strategy<Value = VectorExpr> {
    let metric = prop_oneof![
        Just(Metric::L1),
        Just(Metric::ChiSquare),
        Just(Metric::Canberra),
        Just(Metric::Angular),
        Just(Metric::Hamming)
    ];
    prop_oneof![
        (positive(), -2.0..2.0_f64).prop_map(|(g, c)| tanh(g, c)),
        (1..4_u32, positive(), -2.0..0.0_f64).prop_map(|(d, g, c)| polynomial(d, g, c)),
        Just(intersection()),
        (metric, positive()).prop_map(|(metric, sigma)| gaussian(metric, sigma)),
    ]
}

/// Maps of points with three features or more.
pub(crate) fn map() -> impl Strategy<Value = Map> {
    let grid = || (-2.0..0.0_f64, 0.0..2.0_f64, 1..4_u32, positive());
    prop_oneof![
        proptest::collection::vec(0..3_usize, 1..7).prop_map(Map::Columns),
        Just(Map::Columns(vec![0, 1, 2])),
        (0..3_u32).prop_map(|degree| Map::Monomials { degree }),
        grid().prop_map(|(low, high, count, width)| Map::Gaussians { low, high, count, width }),
        grid().prop_map(|(low, high, count, width)| Map::Sigmoids { low, high, count, width }),
        proptest::collection::vec(-2.0..2.0_f64, 6).prop_map(|values| Map::Matrix { rows: 3, values }),
    ]
}

/// Expressions over some leaves.
pub(crate) fn grown<L: Leaf>(
    leaf: impl Strategy<Value = Expr<L>> + 'static,
) -> impl Strategy<Value = Expr<L>> {
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Expr::sum),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Expr::product),
            (0.0..3.0_f64, inner.clone()).prop_map(|(c, k)| c * k),
            (0.0..3.0_f64, inner.clone()).prop_map(|(c, k)| k + c),
            (inner.clone(), 1..4_u32).prop_map(|(k, m)| k.power(m)),
            inner.clone().prop_map(Expr::normalized),
            // Normalised first, so that nothing overflows.
            inner.prop_map(|k| k.normalized().exp()),
        ]
    })
}

/// Any valid expression; a map, if any, right at its leaf or over the whole.
pub(crate) fn expression() -> impl Strategy<Value = VectorExpr> {
    let leaf = prop_oneof![
        3 => definite_leaf(),
        1 => other_leaf(),
        1 => (definite_leaf(), map()).prop_map(|(k, map)| k.on(map)),
        1 => (0.0..3.0_f64).prop_map(constant),
    ];
    (grown(leaf), proptest::option::weighted(0.2, map()))
        .prop_map(|(kernel, map)| map.into_iter().fold(kernel, VectorExpr::on))
}

/// Expressions that are positive semi-definite by construction.
pub(crate) fn definite_expression() -> impl Strategy<Value = VectorExpr> {
    grown(prop_oneof![
        3 => definite_leaf(),
        1 => (definite_leaf(), map()).prop_map(|(k, map)| k.on(map)),
    ])
}

/// 2 to 12 points of three features.
pub(crate) fn points() -> impl Strategy<Value = Vectors> {
    (2..12_usize).prop_flat_map(|n| {
        proptest::collection::vec(prop_oneof![4 => -1.5..1.5_f64, 1 => Just(0.0)], 3 * n)
            .prop_map(|values| Dense::new(3, values).into())
    })
}

/// The kernel by its definition, one pair at a time.
pub(crate) fn naive<L: Definition>(kernel: Expr<L>) -> impl Kernel<L::Points> {
    let definiteness = kernel.definiteness();
    let function = move |x: &L::Points, i: usize, y: &L::Points, j: usize| value(&kernel, (x, i), (y, j));
    match definiteness {
        Definiteness::Psd => Pointwise::psd(function),
        _ => Pointwise::new(function),
    }
}
