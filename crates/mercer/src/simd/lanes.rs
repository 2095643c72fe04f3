//! Products of rows of a matrix with eight interleaved vectors, one in each lane.

use super::{fma_f64, multiversion};

/// One entry of each of eight vectors.
pub(crate) type Lanes = [f64; 8];

/// Rows that are taken together: the vectors are read and written only once for all of them.
pub(crate) const ROWS: usize = 8;

#[inline(always)]
fn dot_body<const FMA: bool, T: Copy + Into<f64>>(rows: [&[T]; ROWS], x: &[Lanes]) -> [Lanes; ROWS] {
    let mut sums = [[0.0; 8]; ROWS];
    let rows = rows.map(|row| &row[..x.len()]);
    for (j, x) in x.iter().enumerate() {
        for r in 0..ROWS {
            for lane in 0..8 {
                sums[r][lane] = fma_f64::<FMA>(rows[r][j].into(), x[lane], sums[r][lane]);
            }
        }
    }
    sums
}

#[inline(always)]
fn add_body<const FMA: bool, T: Copy + Into<f64>>(
    x: &mut [Lanes],
    factors: &[Lanes; ROWS],
    rows: [&[T]; ROWS],
) {
    let rows = rows.map(|row| &row[..x.len()]);
    for (j, x) in x.iter_mut().enumerate() {
        let mut sum = *x;
        for r in 0..ROWS {
            for lane in 0..8 {
                sum[lane] = fma_f64::<FMA>(factors[r][lane], rows[r][j].into(), sum[lane]);
            }
        }
        *x = sum;
    }
}

macro_rules! for_rows_of {
    ($T:ty, $dot:ident = $dot_body:ident, $add:ident = $add_body:ident) => {
        #[inline(always)]
        fn $dot_body<const FMA: bool>(rows: [&[$T]; ROWS], x: &[Lanes]) -> [Lanes; ROWS] {
            dot_body::<FMA, $T>(rows, x)
        }
        #[inline(always)]
        fn $add_body<const FMA: bool>(x: &mut [Lanes], factors: &[Lanes; ROWS], rows: [&[$T]; ROWS]) {
            add_body::<FMA, $T>(x, factors, rows);
        }
        multiversion! {
            /// `Σⱼ row[j] · x[j]` over all of x, for each row and each lane.
            fn $dot(rows: [&[$T]; ROWS], x: &[Lanes]) -> [Lanes; ROWS] = $dot_body;
        }
        multiversion! {
            /// `x[j] += Σ factor · row[j]` over the rows in their order, for all of x and each lane.
            fn $add(x: &mut [Lanes], factors: &[Lanes; ROWS], rows: [&[$T]; ROWS]) = $add_body;
        }
    };
}
// `multiversion!` takes no type parameters.
for_rows_of!(f64, lanes_dot = lanes_dot_body, lanes_add = lanes_add_body);
for_rows_of!(f32, lanes_dot_f32 = lanes_dot_f32_body, lanes_add_f32 = lanes_add_f32_body);

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
