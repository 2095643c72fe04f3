//! The laws of the algebra on random points: each rule of construction keeps a Gram positive semi-definite, and the
//! operators mean what they say.

use proptest::prelude::*;

use super::arbitrary::*;
use super::*;
use crate::data::Points;
use crate::linalg::Eigen;

pub(super) fn gram<L: Definition>(kernel: &Expr<L>, points: &L::Points) -> Vec<Vec<f64>> {
    let at = |i, j| value(kernel, (points, i), (points, j));
    (0..points.len()).map(|i| (0..points.len()).map(|j| at(i, j)).collect()).collect()
}

/// λ_min ≥ −n·1e-12·λ_max: kernel values are right to a few ulps each, which moves an eigenvalue by at most n times
/// as much, relative to the largest.
fn assert_psd<L: Definition>(kernel: &Expr<L>, points: &L::Points) -> Result<(), TestCaseError> {
    prop_assert_eq!(kernel.definiteness(), Definiteness::Psd, "{}", kernel);
    let gram = gram(kernel, points);
    let n = gram.len();
    let eigen = Eigen::new(n, |i, j| gram[i][j])
        .ok_or_else(|| TestCaseError::fail(format!("{kernel}: no eigenvalues")))?;
    let (least, most) = (eigen.values[0], eigen.values[n - 1]);
    prop_assert!(least >= -(n as f64) * 1e-12 * most, "{}: eigenvalues {:e} … {:e}", kernel, least, most);
    Ok(())
}

fn assert_same<L: Definition>(a: &Expr<L>, b: &Expr<L>, points: &L::Points) -> Result<(), TestCaseError> {
    for (left, right) in gram(a, points).into_iter().flatten().zip(gram(b, points).into_iter().flatten()) {
        // Sums of terms of either sign: relative to the terms would be exact, this is enough for O(100) values.
        let tolerance = 1e-12 * left.abs().max(right.abs()).max(1e3);
        prop_assert!((left - right).abs() <= tolerance, "{} = {}, {} = {}", a, left, b, right);
    }
    Ok(())
}

/// The rules of construction that hold in every space keep `a` and `b` positive semi-definite.
pub(super) fn rules<L: Definition>(
    a: &Expr<L>,
    b: &Expr<L>,
    c: f64,
    x: &L::Points,
) -> Result<(), TestCaseError> {
    let k = || a.clone();
    assert_psd(&(c * k()), x)?;
    assert_psd(&(c * k().power(2) + k() + c), x)?;
    assert_psd(&k().normalized().exp(), x)?;
    assert_psd(&(k() + b.clone()), x)?;
    assert_psd(&(k() * b.clone()), x)
}

/// The operators on three kernels and a number obey the laws of arithmetic.
pub(super) fn arithmetic<L: Definition>(
    (a, b, c): (&Expr<L>, &Expr<L>, &Expr<L>),
    s: f64,
    x: &L::Points,
) -> Result<(), TestCaseError> {
    let same = |left: Expr<L>, right: Expr<L>| assert_same(&left, &right, x);
    let (a, b, c) = (|| a.clone(), || b.clone(), || c.clone());
    same((a() + b()) * c(), a() * c() + b() * c())?;
    same(a() + b(), b() + a())?;
    same(a() * b(), b() * a())?;
    same((a() + b()) + c(), a() + (b() + c()))?;
    same((a() * b()) * c(), a() * (b() * c()))?;
    same(a() * a(), a().power(2))?;
    same(s * (a() + b()), s * a() + s * b())?;
    same(a() + 0.0, a())?;
    same(1.0 * a(), a())?;
    let (p, q) = (a().normalized(), b().normalized());
    same((p.clone() + q.clone()).exp(), p.exp() * q.exp())
}

/// k(x, y) = k(y, x).
pub(super) fn symmetry<L: Definition>(k: &Expr<L>, x: &L::Points) -> Result<(), TestCaseError> {
    let gram = gram(k, x);
    for i in 0..gram.len() {
        for j in 0..i {
            let (a, b) = (gram[i][j], gram[j][i]);
            let same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * a.abs();
            prop_assert!(same, "{}: {} {}", k, a, b);
        }
    }
    Ok(())
}

/// The diagonal of a normalised kernel is 1, or 0 where the kernel is not positive.
pub(super) fn unit_diagonal<L: Definition>(k: &Expr<L>, x: &L::Points) -> Result<(), TestCaseError> {
    for i in 0..x.len() {
        let found = value(&k.clone().normalized(), (x, i), (x, i));
        let expected = if value(k, (x, i), (x, i)) > 0.0 { 1.0 } else { 0.0 };
        prop_assert!((found - expected).abs() <= 1e-14);
    }
    Ok(())
}

proptest! {
    #[test]
    fn rules_1_and_3_to_6_hold_in_every_space(
        (a, b, c, x) in (definite_leaf(), definite_leaf(), 0.0..5.0_f64, points())
    ) {
        rules(&a, &b, c, &x)?;
        assert_psd(&linear().exp(), &x)?;
    }

    #[test]
    fn rule_2_a_factor_on_both_sides((k, i, x) in (definite_leaf(), 1..4_usize, points())) {
        for f in [Factor::Norm, Factor::Coordinate(i), Factor::Bump { gamma: 0.3 }] {
            assert_psd(&(factor(f) * k.clone()), &x)?;
        }
    }

    #[test]
    fn rule_3_a_polynomial_with_positive_coefficients(
        (k, c, x) in (definite_leaf(), proptest::collection::vec(0.0..2.0_f64, 1..4), points())
    ) {
        let terms = c.iter().zip(0_u32..).map(|(&c, m)| if m == 0 { constant(c) } else { c * k.clone().power(m) });
        assert_psd(&Expr::sum(terms), &x)?;
    }

    #[test]
    fn rule_7_a_kernel_of_features((k, map, x) in (definite_leaf(), map(), points())) {
        assert_psd(&k.on(map), &x)?;
    }

    #[test]
    fn rule_8_a_semi_definite_form((values, x) in (proptest::collection::vec(-2.0..2.0_f64, 6), points())) {
        assert_psd(&linear().on(Map::Matrix { rows: 3, values }), &x)?;
    }

    #[test]
    fn rules_9_and_10_kernels_of_some_of_the_variables((a, b, x) in (definite_leaf(), definite_leaf(), points())) {
        let (a, b) = (a.on(Map::Columns(vec![0, 1])), b.on(Map::Columns(vec![1, 2])));
        assert_psd(&(a.clone() + b.clone()), &x)?;
        assert_psd(&(a * b), &x)?;
    }

    #[test]
    fn all_rules_together((k, x) in (definite_expression(), points())) {
        prop_assume!(gram(&k, &x).into_iter().flatten().all(|value| value.is_finite() && value.abs() < 1e12));
        assert_psd(&k, &x)?;
    }

    #[test]
    fn kernels_for_non_negative_features_are_definite_there(
        (sigma, x) in (0.2..3.0_f64, points())
    ) {
        let positive = Map::Sigmoids { low: -1.0, high: 1.0, count: 3, width: 0.5 };
        for k in [intersection(), gaussian(Metric::ChiSquare, sigma)] {
            assert_psd(&k.on(positive.clone()), &x)?;
        }
    }

    #[test]
    fn every_expression_is_symmetric((k, x) in (expression(), points())) {
        symmetry(&k, &x)?;
    }

    #[test]
    fn operators_obey_the_laws_of_arithmetic(
        (a, b, c, s, x) in (definite_leaf(), definite_leaf(), definite_leaf(), 0.0..3.0_f64, points())
    ) {
        arithmetic((&a, &b, &c), s, &x)?;
    }

    #[test]
    fn normalising_puts_ones_on_the_diagonal((k, x) in (definite_leaf(), points())) {
        unit_diagonal(&k, &x)?;
    }

    #[test]
    fn composition_distributes_over_the_algebra(
        (a, b, map, x) in (definite_leaf(), definite_leaf(), map(), points())
    ) {
        let whole = (a.clone() + 2.0 * b.clone()).on(map.clone());
        assert_same(&whole, &(a.on(map.clone()) + 2.0 * b.on(map.clone())), &x)?;
        let mapped = map.apply_all(&x).unwrap();
        let plain = gram(&linear(), &mapped);
        for (found, expected) in gram(&linear().on(map), &x).iter().flatten().zip(plain.iter().flatten()) {
            prop_assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0));
        }
    }
}
