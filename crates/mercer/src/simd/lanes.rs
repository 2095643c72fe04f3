//! A row of a matrix against eight vectors that lie interleaved, one in each lane.

use super::{fma_f64, multiversion};

/// One entry of each of eight vectors.
pub(crate) type Lanes = [f64; 8];

/// Rows taken together: what is read or written of the vectors is so many times less.
pub(crate) const ROWS: usize = 8;

#[inline(always)]
fn dot_body<const FMA: bool>(rows: [&[f64]; ROWS], x: &[Lanes]) -> [Lanes; ROWS] {
    let mut sums = [[0.0; 8]; ROWS];
    let rows = rows.map(|row| &row[..x.len()]);
    for (j, x) in x.iter().enumerate() {
        for r in 0..ROWS {
            for lane in 0..8 {
                sums[r][lane] = fma_f64::<FMA>(rows[r][j], x[lane], sums[r][lane]);
            }
        }
    }
    sums
}

#[inline(always)]
fn add_body<const FMA: bool>(x: &mut [Lanes], factors: &[Lanes; ROWS], rows: [&[f64]; ROWS]) {
    let rows = rows.map(|row| &row[..x.len()]);
    for (j, x) in x.iter_mut().enumerate() {
        let mut sum = *x;
        for r in 0..ROWS {
            for lane in 0..8 {
                sum[lane] = fma_f64::<FMA>(factors[r][lane], rows[r][j], sum[lane]);
            }
        }
        *x = sum;
    }
}

multiversion! {
    /// Σⱼ row[j] · x[j] over all of x, for each row and each lane.
    fn lanes_dot(rows: [&[f64]; ROWS], x: &[Lanes]) -> [Lanes; ROWS] = dot_body;
}
multiversion! {
    /// x[j] += Σ factor · row[j] over the rows in their order, for all of x and each lane.
    fn lanes_add(x: &mut [Lanes], factors: &[Lanes; ROWS], rows: [&[f64]; ROWS]) = add_body;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_vectors_of_their_own() {
        for n in [0, 1, 3, 50] {
            let value = |r: usize, j: usize| ((j + 3 * r) as f64 * 0.7).sin();
            let rows: [Vec<f64>; ROWS] = std::array::from_fn(|r| (0..n + r).map(|j| value(r, j)).collect());
            let views = || std::array::from_fn(|r| rows[r].as_slice());
            let x: Vec<Lanes> =
                (0..n).map(|j| std::array::from_fn(|lane| (j as f64 + lane as f64 * 0.1).cos())).collect();
            let sums = lanes_dot(views(), &x);
            let factors: [Lanes; ROWS] =
                std::array::from_fn(|r| std::array::from_fn(|lane| (lane * r) as f64 - 3.0));
            let mut added = x.clone();
            lanes_add(&mut added, &factors, views());
            for lane in 0..8 {
                for r in 0..ROWS {
                    let expected: f64 = rows[r].iter().zip(&x).map(|(a, x)| a * x[lane]).sum();
                    assert!((sums[r][lane] - expected).abs() < 1e-13, "{} {expected}", sums[r][lane]);
                }
                for j in 0..n {
                    let sum: f64 = (0..ROWS).map(|r| factors[r][lane] * rows[r][j]).sum();
                    assert!((added[j][lane] - x[j][lane] - sum).abs() < 1e-12);
                }
            }
        }
    }
}
