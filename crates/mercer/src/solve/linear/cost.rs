//! What an error costs, as a function of the output m of a point: the cost itself, its dual, and its smoothed form.

/// The cost of an output m where the target is y and the price C.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cost {
    /// C max(0, 1 − ym), y = ±1.
    Hinge,
    /// C max(0, 1 − ym)².
    SquaredHinge,
    /// C log(1 + exp(−ym)).
    Logistic,
    /// C max(0, |y − m| − ε).
    Insensitive(f64),
    /// C max(0, |y − m| − ε)².
    SquaredInsensitive(f64),
}

/// How far from 0 and from C a dual variable of the logistic cost is kept, as a share of C: its logarithm must be finite.
const INSIDE: f64 = 1e-14;

/// log(z/(C − z)) of a share z of C; none where it is as near to 0 or C as it may be.
fn log_odds(z: f64, c: f64) -> Option<f64> {
    let inside = z > INSIDE * c && z < c * (1.0 - INSIDE);
    inside.then(|| (z / (c - z)).ln())
}

impl Cost {
    /// Whether the cost has a derivative everywhere.
    pub(super) fn is_smooth(self) -> bool {
        !matches!(self, Self::Hinge | Self::Insensitive(_))
    }

    /// The cost of the output m.
    #[inline(always)]
    pub(super) fn value(self, y: f64, c: f64, m: f64) -> f64 {
        match self {
            Self::Hinge => c * (1.0 - y * m).max(0.0),
            Self::SquaredHinge => c * (1.0 - y * m).max(0.0).powi(2),
            Self::Logistic => c * ((-(y * m).abs()).exp().ln_1p() + (-y * m).max(0.0)),
            Self::Insensitive(e) => c * ((y - m).abs() - e).max(0.0),
            Self::SquaredInsensitive(e) => c * ((y - m).abs() - e).max(0.0).powi(2),
        }
    }

    /// What a dual variable β adds to the dual objective: −cost*(−β), where cost* is the convex conjugate. Primal and dual objective
    /// are ½‖w‖² + Σ cost and Σ of these − ½‖Σ βx‖².
    #[inline(always)]
    pub(super) fn dual(self, y: f64, c: f64, beta: f64) -> f64 {
        match self {
            Self::Hinge => y * beta,
            Self::SquaredHinge => y * beta - beta * beta / (4.0 * c),
            Self::Logistic => {
                let share = (y * beta / c).clamp(0.0, 1.0);
                let part = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
                -c * (part(share) + part(1.0 - share))
            }
            Self::Insensitive(e) => y * beta - e * beta.abs(),
            Self::SquaredInsensitive(e) => y * beta - e * beta.abs() - beta * beta / (4.0 * c),
        }
    }

    /// By how much the optimality condition of a dual variable is violated, in units of outputs: what β would have to be pushed by, less
    /// where it is at a bound or a kink. This is the projected gradient by which LIBLINEAR's solvers of the dual stop.
    pub(super) fn violation(self, y: f64, c: f64, beta: f64, m: f64) -> f64 {
        let hinge = |push: f64, most: f64| match y * beta {
            own if own <= 0.0 => push.max(0.0),
            own if own >= most => (-push).max(0.0),
            _ => push.abs(),
        };
        let zone = |push: f64, epsilon: f64, most: f64| {
            if beta == 0.0 {
                (push.abs() - epsilon).max(0.0)
            } else {
                let rise = beta.signum() * push - epsilon;
                if beta.abs() >= most { (-rise).max(0.0) } else { rise.abs() }
            }
        };
        match self {
            Self::Hinge => hinge(1.0 - y * m, c),
            Self::SquaredHinge => hinge(1.0 - y * m - y * beta / (2.0 * c), f64::INFINITY),
            Self::Insensitive(epsilon) => zone(y - m, epsilon, c),
            Self::SquaredInsensitive(epsilon) => zone(y - m - beta / (2.0 * c), epsilon, f64::INFINITY),
            Self::Logistic => log_odds(y * beta, c).map_or(0.0, |odds| (odds + y * m).abs()),
        }
    }

    /// The dual variable nearest to β that is allowed.
    #[inline(always)]
    pub(super) fn allowed(self, y: f64, c: f64, beta: f64) -> f64 {
        match self {
            Self::Hinge => y * (y * beta).clamp(0.0, c),
            Self::SquaredHinge => y * (y * beta).max(0.0),
            Self::Logistic => y * (y * beta).clamp(INSIDE * c, c * (1.0 - INSIDE)),
            Self::Insensitive(_) => beta.clamp(-c, c),
            Self::SquaredInsensitive(_) => beta,
        }
    }

    /// β, minus the derivative of the cost at the output m, and the second derivative. A cost that has a kink is smoothed: it is that
    /// whose dual has the term (β − prior)²/(2σ) besides.
    #[inline(always)]
    pub(super) fn answer(self, y: f64, c: f64, (prior, sigma): (f64, f64), m: f64) -> (f64, f64) {
        match self {
            Self::Hinge => {
                let t = y * prior + sigma * (1.0 - y * m);
                if t <= 0.0 {
                    (0.0, 0.0)
                } else if t >= c {
                    (y * c, 0.0)
                } else {
                    (y * t, sigma)
                }
            }
            Self::SquaredHinge => {
                let z = 1.0 - y * m;
                if z <= 0.0 { (0.0, 0.0) } else { (2.0 * c * z * y, 2.0 * c) }
            }
            Self::Logistic => {
                let e = (-(y * m).abs()).exp();
                let wrong = if y * m >= 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) };
                (c * y * wrong, c * e / ((1.0 + e) * (1.0 + e)))
            }
            Self::Insensitive(epsilon) => {
                let t = prior + sigma * (y - m);
                let size = t.abs() - sigma * epsilon;
                if size <= 0.0 {
                    (0.0, 0.0)
                } else if size >= c {
                    (c * t.signum(), 0.0)
                } else {
                    (size * t.signum(), sigma)
                }
            }
            Self::SquaredInsensitive(epsilon) => {
                let size = (y - m).abs() - epsilon;
                if size <= 0.0 { (0.0, 0.0) } else { (2.0 * c * size * (y - m).signum(), 2.0 * c) }
            }
        }
    }
}

/// Newton steps to the best dual variable of a point.
const STEPS: usize = 50;
/// The share of the slope at the beginning that the last of them may leave.
const LEFT: f64 = 1e-3;
/// A slope that is rounding, as a share of what it is the sum of.
const ROUNDING: f64 = 1e-14;

/// The share z of C, 0 < z < C, at which z log z + (C − z) log(C − z) + q/2 (z − old)² + m (z − old) is (nearly) least: the best dual variable
/// of a point of the logistic cost with ‖x‖² = q, whose margin is m (Yu, Huang and Lin 2011). Of z and C − z the smaller is solved for,
/// which is where the function is steep: Newton's steps from there, or from a tenth, go up to the minimum.
pub(super) fn best_share(q: f64, c: f64, old: f64, m: f64) -> f64 {
    // Where the slope at C/2 is negative, the minimum is above.
    let upper = 0.5 * q * (c - 2.0 * old) + m < 0.0;
    let (own, slope) = if upper { (c - old, -m) } else { (old, m) };
    let at = |z: f64| q * (z - own) + slope + (z / (c - z)).ln();
    let first = at(own);
    if first.is_nan() || first.abs() <= ROUNDING * (slope.abs() + first.abs() + 1.0) {
        return old;
    }
    let mut z = if own > 0.5 * c { 0.1 * own } else { own };
    for _ in 0..STEPS {
        let value = at(z);
        if value.abs() <= LEFT * first.abs() {
            break;
        }
        let next = z - value / (q + 1.0 / z + 1.0 / (c - z));
        z = if next > 0.0 { next.min(0.5 * (z + c)) } else { 0.1 * z };
    }
    if upper { c - z } else { z }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Cost; 5] = [
        Cost::Hinge,
        Cost::SquaredHinge,
        Cost::Logistic,
        Cost::Insensitive(0.3),
        Cost::SquaredInsensitive(0.3),
    ];

    #[test]
    fn the_best_share_is_where_its_slope_vanishes() {
        // By halving: the slope rises with z.
        for c in [1e-3, 1.0, 50.0] {
            for q in [1e-6, 0.5, 3.0, 1e4] {
                for old in [1e-13, 1e-4, 0.3, 0.5, 0.9, 1.0 - 1e-9] {
                    for m in [-30.0, -2.0, 0.0, 0.4, 25.0] {
                        let old = old * c;
                        let slope = |z: f64| q * (z - old) + m + (z / (c - z)).ln();
                        let (mut low, mut high) = (0.0, c);
                        for _ in 0..200 {
                            let middle = 0.5 * (low + high);
                            if slope(middle) > 0.0 { high = middle } else { low = middle }
                        }
                        let first = slope(old).abs();
                        let found = best_share(q, c, old, m);
                        let near = slope(found).abs() <= 2e-3 * first || (found - low).abs() <= 1e-12 * c;
                        assert!(near, "C {c}, q {q}, old {old}, m {m}: {found} and {low}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_violation_is_0_at_the_best_dual_variable_alone() {
        for cost in ALL {
            for (y, c) in [(1.0, 0.7), (-1.0, 2.0)] {
                for m in OUTPUTS {
                    // The best β for an output that is held: minus a derivative of the cost there.
                    let beta = cost.answer(y, c, (0.0, 1e9), m).0;
                    assert!(cost.violation(y, c, beta, m) <= 1e-8, "{cost:?} {m} {beta}");
                    let other = cost.allowed(y, c, 0.5 * (beta + y * 0.9 * c));
                    if (other - beta).abs() > 1e-3 {
                        assert!(cost.violation(y, c, other, m) > 1e-4, "{cost:?} {m} {other}");
                    }
                }
            }
        }
    }

    /// Outputs on both sides of every kink, and none on one.
    const OUTPUTS: [f64; 7] = [-3.1, -1.2, -0.4, 0.05, 0.9, 1.6, 4.2];

    #[test]
    fn the_dual_is_the_conjugate() {
        // The largest of (−cost(m) + … ) over a fine grid of outputs: −cost*(−β) = min over m of cost(m) + βm.
        for cost in ALL {
            for (y, c) in [(1.0, 0.7), (-1.0, 2.0)] {
                for share in [0.1, 0.5, 0.9] {
                    let beta = y * c * share;
                    let least = (-400_000..400_000)
                        .map(|k| f64::from(k) * 1e-4)
                        .map(|m| cost.value(y, c, m) + beta * m)
                        .fold(f64::INFINITY, f64::min);
                    let dual = cost.dual(y, c, beta);
                    assert!((dual - least).abs() < 1e-4, "{cost:?} {y} {beta}: {dual} and {least}");
                }
            }
        }
    }

    #[test]
    fn beta_is_minus_the_derivative_and_its_slope_the_curvature() {
        let h = 1e-6;
        for cost in ALL.into_iter().filter(|cost| cost.is_smooth()) {
            for (y, m) in [1.0, -1.0].into_iter().flat_map(|y| OUTPUTS.map(|m| (y, m))) {
                let (beta, curvature) = cost.answer(y, 0.7, (0.0, 1.0), m);
                let slope = (cost.value(y, 0.7, m + h) - cost.value(y, 0.7, m - h)) / (2.0 * h);
                assert!((beta + slope).abs() < 1e-8, "{cost:?} {y} {m}");
                let change =
                    cost.answer(y, 0.7, (0.0, 1.0), m + h).0 - cost.answer(y, 0.7, (0.0, 1.0), m - h).0;
                assert!((curvature + change / (2.0 * h)).abs() < 1e-6, "{cost:?} {y} {m}");
            }
        }
    }

    #[test]
    fn a_smoothed_cost_has_the_beta_that_the_dual_wants() {
        // β is the largest of dual(β) − βm − (β − prior)²/(2σ), by a grid.
        let (c, prior, sigma) = (0.7, 0.2, 0.8);
        for cost in [Cost::Hinge, Cost::Insensitive(0.3)] {
            for m in OUTPUTS {
                let value = |beta: f64| {
                    cost.dual(1.0, c, beta) - beta * m - (beta - prior) * (beta - prior) / (2.0 * sigma)
                };
                let allowed = (-70_000..=70_000).map(|k| f64::from(k) * 1e-5);
                let allowed = allowed.filter(|&beta| cost.allowed(1.0, c, beta) == beta);
                let best = allowed.max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap();
                let (beta, _) = cost.answer(1.0, c, (prior, sigma), m);
                assert!((beta - best).abs() < 1e-4, "{cost:?} {m}: {beta} and {best}");
            }
        }
    }
}
