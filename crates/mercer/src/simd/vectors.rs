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
fn add_products<const FMA: bool>(sums: &mut [f64; SUMS], a: &[f64; SUMS], b: &[f64; SUMS]) {
    for lane in 0..SUMS {
        sums[lane] = fma_f64::<FMA>(a[lane], b[lane], sums[lane]);
    }
}

#[inline(always)]
fn inner_body<const FMA: bool>(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; SUMS];
    let (whole_a, rest_a) = a.as_chunks::<SUMS>();
    let (whole_b, rest_b) = b.as_chunks::<SUMS>();
    for (a, b) in whole_a.iter().zip(whole_b) {
        add_products::<FMA>(&mut sums, a, b);
    }
    // What is left, filled up with zeros: a sum number by number would wait for each addition.
    let (mut last_a, mut last_b) = ([0.0; SUMS], [0.0; SUMS]);
    last_a[..rest_a.len()].copy_from_slice(rest_a);
    last_b[..rest_b.len()].copy_from_slice(rest_b);
    add_products::<FMA>(&mut sums, &last_a, &last_b);
    let [s, t, u, v] = [0, 8, 16, 24].map(|first| -> [f64; 8] { std::array::from_fn(|i| sums[first + i]) });
    let eight: [f64; 8] = std::array::from_fn(|i| (s[i] + t[i]) + (u[i] + v[i]));
    let four: [f64; 4] = std::array::from_fn(|i| eight[i] + eight[i + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
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
        for n in [0, 1, 7, 8, 9, 31, 32, 33, 63, 200] {
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
