use super::*;
use crate::data::Vectors;
use crate::kernel::VectorExpr;
use crate::model::{Slack, Svc};

/// Bounds of a fit to rows of `width` features, the first class positive.
fn fitted(
    kernel: &str,
    change: impl Fn(Svc<VectorExpr>) -> Svc<VectorExpr>,
    (width, x): (usize, &[f64]),
    y: &[&str],
) -> PairBounds {
    let (x, y) = (Vectors::dense(width, x.to_vec()), Labels::first_seen(y.iter().copied()));
    let mut svc = change(Svc::new(kernel.parse().unwrap()));
    svc.solver.tolerance = 1e-6;
    svc.solver.exact = true;
    let saved = recipe_of(&svc, Saved::from(svc.fit(&x, &y).unwrap()), x.len());
    bounds(&saved, &x.into(), &y, &[], &Question::default()).unwrap().pairs.remove(0)
}

/// The model with the parameters of its fit, as the program saves it.
fn recipe_of(svc: &Svc<VectorExpr>, saved: Saved, rows: usize) -> Saved {
    use crate::model::Value;
    use crate::model::file::Recipe;
    let parameters = vec![
        ("c".to_owned(), Value::Number(svc.c)),
        ("offset".to_owned(), Value::Flag(svc.offset)),
        ("squared".to_owned(), Value::Flag(svc.slack == Slack::Squared)),
    ];
    let recipe = Recipe { method: "svc".into(), parameters, rows, weight: rows as f64, prices: Vec::new() };
    Saved { recipe: Some(recipe), ..saved }
}

fn value(pair: &PairBounds, name: &str) -> f64 {
    pair.get(name).and_then(|bound| bound.value).unwrap()
}

fn near(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-6 * (1.0 + wanted.abs()), "{found}, not {wanted}");
}

#[test]
fn four_points_on_a_line_by_hand() {
    // f(x) = −x: α = ½ at ±1, ‖w‖ = 1, R = 2, one feature.
    let pair =
        fitted("linear", |svc| svc.c(10.0), (1, &[-2.0, -1.0, 1.0, 2.0]), &["low", "low", "high", "high"]);
    assert_eq!((pair.support, pair.free, pair.training_errors, pair.margin_errors), (2, 2, 0, 0));
    near(pair.square_norm, 1.0);
    near(pair.square_radius, 4.0);
    near(pair.square_radius_at_least, 4.0);
    assert_eq!((pair.features, pair.vc_dimension), (Some(1.0), 2.0));
    // Without −1 the threshold is −½, and −1 is still low.
    near(value(&pair, "leave-one-out"), 0.0);
    // α S² = ½ · 2² ≥ 1: the span does not see that −2 takes over.
    near(value(&pair, "span"), 0.5);
    near(value(&pair, "xi-alpha"), 0.5);
    near(value(&pair, "support vectors"), 0.5);
    near(value(&pair, "radius-margin"), 4.0);
    near(value(&pair, "radius-margin rule"), 1.0);
    // n = 4, d = 2: √((2 (ln 4 + 1) − ln 0.0125) / 4), and a quarter more.
    let srm = ((2.0 * (4.0f64.ln() + 1.0) + 80.0f64.ln()) / 4.0).sqrt();
    near(value(&pair, "SRM"), srm);
    near(value(&pair, "SRM, uniform"), srm + 0.25);
    // tr K = 10: 2 √10/4 + 3 √(ln 40 / 8).
    near(value(&pair, "Rademacher"), 0.5 * 10.0f64.sqrt() + 3.0 * (40.0f64.ln() / 8.0).sqrt());
}

#[test]
fn the_corners_of_a_square_by_hand() {
    // (xᵀy + 1)² on (±1, ±1): K = 8I + 1. α = 1/8 at all, ‖w‖² = ½, R² = 6, N = 6.
    let corners = [1.0, 1.0, -1.0, -1.0, 1.0, -1.0, -1.0, 1.0];
    let pair = fitted("poly(degree=2, coef0=1)", |svc| svc.c(10.0), (2, &corners), &["a", "a", "b", "b"]);
    near(pair.square_norm, 0.5);
    near(pair.square_radius, 6.0);
    assert_eq!((pair.support, pair.free, pair.features, pair.vc_dimension), (4, 4, Some(6.0), 4.0));
    // S² = 8 + 8/3, and 1 − (8 + 8/3)/8 = −1/3 is the decision at a corner by the other three.
    for name in ["leave-one-out", "span", "xi-alpha", "support vectors"] {
        near(value(&pair, name), 1.0);
    }
    near(value(&pair, "radius-margin"), 4.0 * 6.0 * 0.5 / 4.0);
}

#[test]
fn two_points_inside_the_margin_by_hand() {
    // C = 0.1 at ±1: α = 0.1 at both, f(x) = 0.2 x, ξ = 0.8. Without one of them there is one class.
    let pair = fitted("linear", |svc| svc.c(0.1), (1, &[1.0, -1.0]), &["a", "b"]);
    assert_eq!((pair.support, pair.free, pair.training_errors, pair.margin_errors), (2, 0, 0, 2));
    near(pair.square_norm, 0.04);
    near(value(&pair, "leave-one-out"), 1.0);
    // 2 · 0.1 · (1 + 1) + 0.8 ≥ 1.
    near(value(&pair, "xi-alpha"), 1.0);
    assert!(pair.get("xi-alpha").unwrap().note.contains("does not hold here"));
    near(value(&pair, "radius-margin"), (4.0 * 0.2 + 1.6) / 2.0);
}

#[test]
fn squared_slacks_and_no_offset_by_hand() {
    // x = ±1, w = 2α, c = 1, ξ = α: 1 − 2α = α, α = 1/3; the function is the same with an offset and without.
    let plain = |svc: Svc<VectorExpr>| Svc { slack: Slack::Squared, ..svc };
    let bare = |svc: Svc<VectorExpr>| Svc { slack: Slack::Squared, offset: false, ..svc };
    let pair = fitted("linear", plain, (1, &[1.0, -1.0]), &["a", "b"]);
    near(pair.square_norm, 4.0 / 9.0);
    // K + I: k(x, x) = 2, so that 4 R²Σα/n with R² = 2 (centre 0 of both components' mean: 2 − 0.5).
    near(value(&pair, "radius-margin"), 4.0 * 1.5 * (2.0 / 3.0) / 2.0);
    let pair = fitted("linear", bare, (1, &[1.0, -1.0]), &["a", "b"]);
    near(pair.square_norm, 4.0 / 9.0);
    near(value(&pair, "radius-margin"), 2.0 * (2.0 / 3.0) / 2.0);
    // α k̃ = 2/3 < 1: no error; but a class of one row is gone without that row, which is then an error.
    near(value(&pair, "xi-alpha"), 0.0);
}
