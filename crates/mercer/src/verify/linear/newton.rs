//! A dual point of a linear problem with few weights, by Newton's method.
//!
//! One row after the other (`bound`) takes the more passes the larger C is. The β that the outputs of w suggest, βᵢ = −loss′(⟨w, xᵢ⟩), are
//! allowed for any w, and prove all the more the smaller the slope of the primal objective is at w: where that is 0, v = Σ βᵢxᵢ is w, and
//! both objectives are the same. So w is taken downhill by Newton's method until they prove what is wanted. Losses with a corner (the
//! hinge, the insensitive one, the plane, the largest of several) have it rounded off over a width μ, and μ is made smaller and smaller:
//! of the hinge, which is t²/2μ there, that costs at most cμ/8 for each row in the corner.
//!
//! Cost of a step: n·d² and d³/3 for d weights.

/// Weights, at most.
const WIDEST: usize = 600;
/// Multiplications in all, at most: a second or two.
const WORK: f64 = 5e9;
/// Steps for each μ, at most.
const STEPS: usize = 50;
/// The first μ, as a share of the largest error.
const FIRST: f64 = 0.01;
/// The factor from one μ to the next.
const SHARPER: f64 = 0.2;
/// How often μ is made smaller: to the last digits of the errors.
const WIDTHS: i32 = 17;
/// Halvings of a step, at most.
const HALVINGS: i32 = 40;
/// The share of the fall that the slope promises which a step must have.
const ARMIJO: f64 = 1e-4;
/// Shares of the largest diagonal value that are added to each, tried one after the other.
const RIDGES: [f64; 4] = [1e-14, 1e-7, 1e-3, 1.0];

/// A primal objective whose corners can be rounded off over a width μ.
pub(super) trait Rounded {
    /// A dual point.
    type Dual;
    /// How many rows there are.
    fn rows(&self) -> usize;
    /// The size of errors, by which μ is measured; none where the losses have no corner.
    fn scale(&self, w: &[f64]) -> Option<f64>;
    /// The objective, corners and all.
    fn primal(&self, w: &[f64]) -> f64;
    /// The objective, corners rounded off.
    fn rounded(&self, w: &[f64], mu: f64) -> f64;
    /// The dual point that the outputs of w suggest, and its value.
    fn dual_point(&self, w: &[f64], mu: f64) -> Option<(f64, Self::Dual)>;
    /// The slope of [`Rounded::rounded`], and the lower half of the matrix of its second derivatives.
    fn shape(&self, w: &[f64], mu: f64) -> (Vec<f64>, Vec<Vec<f64>>);
}

/// The best dual point of the way down from `w`, and its value; none where there are too many weights for this.
pub(super) fn descend<P: Rounded>(problem: &P, mut w: Vec<f64>, wanted: f64) -> Option<(f64, P::Dual)> {
    let price = problem.rows() as f64 * (w.len() as f64).powi(2) + (w.len() as f64).powi(3);
    if w.len() > WIDEST || price > WORK {
        return None;
    }
    let (scale, mut work) = (problem.scale(&w), 0.0);
    let mut best: Option<(f64, P::Dual)> = None;
    for sharper in 0..if scale.is_some() { WIDTHS } else { 1 } {
        let mu = scale.map_or(0.0, |scale| FIRST * scale * SHARPER.powi(sharper));
        for _ in 0..STEPS {
            if let Some(found) = problem.dual_point(&w, mu)
                && best.as_ref().is_none_or(|best| found.0 > best.0)
            {
                best = Some(found);
            }
            work += price;
            // Nothing is above what some weights cost.
            let over = best.as_ref().is_some_and(|best| best.0 >= wanted) || problem.primal(&w) < wanted;
            if over || work > WORK {
                return best;
            }
            let Some(next) = step(problem, &w, mu) else { break };
            w = next;
        }
    }
    best
}

/// The weights after a step that lowers the rounded objective; none where that is at its lowest.
pub(super) fn step<P: Rounded>(problem: &P, w: &[f64], mu: f64) -> Option<Vec<f64>> {
    let (slope, bends) = problem.shape(w, mu);
    let most = (0..w.len()).map(|j| bends[j][j]).fold(0.0, f64::max);
    let now = problem.rounded(w, mu);
    // A weight without penalty does not bend the objective where no row is in its corner: then its step is long, and must be bounded.
    RIDGES.iter().find_map(|ridge| {
        let mut bends = bends.clone();
        (0..w.len()).for_each(|j| bends[j][j] += ridge * most);
        let step = solved(bends, slope.iter().map(|g| -g).collect())?;
        let along: f64 = step.iter().zip(&slope).map(|(s, g)| s * g).sum();
        let next = |share: f64| -> Vec<f64> { w.iter().zip(&step).map(|(w, s)| w + share * s).collect() };
        let falls = |share: &f64| problem.rounded(&next(*share), mu) < now + ARMIJO * share * along;
        (0..HALVINGS).map(|k| 0.5f64.powi(k)).find(falls).map(next)
    })
}

/// Solves Ax = b by Cholesky's factors of A, of which the lower half is given; none where it is not positive definite.
fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for j in 0..n {
        let (done, rest) = a.split_at_mut(j);
        let row = &mut rest[0];
        for (k, above) in done.iter().enumerate() {
            let sum: f64 = above[..k].iter().zip(&row[..k]).map(|(p, q)| p * q).sum();
            row[k] = (row[k] - sum) / above[k];
        }
        let rest = row[j] - row[..j].iter().map(|v| v * v).sum::<f64>();
        if rest.is_nan() || rest <= 0.0 {
            return None;
        }
        row[j] = rest.sqrt();
        let sum: f64 = row[..j].iter().zip(&b).map(|(l, x)| l * x).sum();
        b[j] = (b[j] - sum) / row[j];
    }
    for j in (0..n).rev() {
        b[j] /= a[j][j];
        let x = b[j];
        (0..j).for_each(|k| b[k] -= a[j][k] * x);
    }
    Some(b)
}
