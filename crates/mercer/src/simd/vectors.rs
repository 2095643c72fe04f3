//! Sums over two long vectors of double precision, by the widest instructions there are.

use super::{fma_f64, multiversion};

/// Partial sums of an inner product: four registers of eight.
const SUMS: usize = 32;

#[inline(always)]
fn add_scaled_body<const FMA: bool>(sums: &mut [f64], factor: f64, values: &[f64]) {
    for (sum, &value) in sums.iter_mut().zip(values) {
        *sum = fma_f64::<FMA>(factor, value, *sum);
    }
}

#[inline(always)]
fn inner_body<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; SUMS];
    let (whole_a, rest_a) = a.as_chunks::<SUMS>();
    let (whole_b, rest_b) = b.as_chunks::<SUMS>();
    for (a, b) in whole_a.iter().zip(whole_b) {
        for lane in 0..SUMS {
            sums[lane] = fma_f64::<FMA>(a[lane], b[lane], sums[lane]);
        }
    }
    let rest = rest_a.iter().zip(rest_b).fold(0.0, |sum, (a, b)| fma_f64::<FMA>(*a, *b, sum));
    sums.iter().sum::<f64>() + rest
}

multiversion! {
    /// sums += factor · values
    fn add_scaled(sums: &mut [f64], factor: f64, values: &[f64]) = add_scaled_body;
}

multiversion! {
    /// aᵀb
    fn inner_product(a: &[f64], b: &[f64]) -> f64 = inner_body;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_written_out() {
        for n in [0, 1, 31, 32, 33, 200] {
            let a: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
            let b: Vec<f64> = (0..n).map(|i| (i as f64 * 0.3).cos()).collect();
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!((inner_product(&a, &b) - plain).abs() < 1e-12, "{n}");
            let mut sums = a.clone();
            add_scaled(&mut sums, -2.5, &b);
            assert!((0..n).all(|i| (sums[i] - (a[i] - 2.5 * b[i])).abs() < 1e-14), "{n}");
        }
    }
}
