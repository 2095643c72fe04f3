//! Kernel values times coefficients: the last step of a prediction.

use super::{OUTPUTS, fma_f64, multiversion};

/// Partial sums of a long inner product, added in a fixed order at the end.
const LANES: usize = 16;

#[inline(always)]
fn readout_body<const FMA: bool>(kernel: &[f32], coefficients: &[f64], out: &mut [f64]) {
    if let [out] = out {
        let mut sums = [0.0; LANES];
        let (kernels, coefficient_chunks) = (kernel.chunks_exact(LANES), coefficients.chunks_exact(LANES));
        let rest = kernels.remainder().iter().zip(coefficient_chunks.remainder());
        let rest: f64 = rest.map(|(&k, &c)| f64::from(k) * c).sum();
        for (k, c) in kernels.zip(coefficient_chunks) {
            for l in 0..LANES {
                sums[l] = fma_f64::<FMA>(f64::from(k[l]), c[l], sums[l]);
            }
        }
        *out += sums.iter().sum::<f64>() + rest;
        return;
    }
    for (&k, row) in kernel.iter().zip(coefficients.chunks_exact(out.len())) {
        let k = f64::from(k);
        for (sum, &c) in out.iter_mut().zip(row) {
            *sum = fma_f64::<FMA>(k, c, *sum);
        }
    }
}

multiversion! {
    /// `out[o] += Σ kernel[i] · coefficients[i][o]`; the coefficients lie point after point.
    fn readout(kernel: &[f32], coefficients: &[f64], out: &mut [f64]) = readout_body;
}

#[inline(always)]
fn add_strip_body<const FMA: bool>(part: &[f32], outputs: usize, sums: &mut [f64], stride: usize) {
    for (sums, part) in sums.chunks_mut(stride).zip(part.chunks_exact(OUTPUTS)) {
        for (sum, &value) in sums[..outputs].iter_mut().zip(&part[..outputs]) {
            *sum += f64::from(value);
        }
    }
}

multiversion! {
    /// Adds the first `outputs` of each [`OUTPUTS`] values of `part` to the rows of `sums`, which begin `stride` apart.
    fn add_strip(part: &[f32], outputs: usize, sums: &mut [f64], stride: usize) = add_strip_body;
}

#[inline(always)]
fn widen_body<const FMA: bool>(part: &[f32], sums: &mut [f64]) {
    sums.iter_mut().zip(part).for_each(|(sum, &value)| *sum += f64::from(value));
}

multiversion! {
    /// Adds numbers in single precision to sums in double precision.
    fn add_widened(part: &[f32], sums: &mut [f64]) = widen_body;
}

#[inline(always)]
fn add_body<const FMA: bool>(part: &[f64], sums: &mut [f64]) {
    sums.iter_mut().zip(part).for_each(|(sum, &value)| *sum += value);
}

multiversion! {
    /// Adds numbers to sums.
    fn add_f64(part: &[f64], sums: &mut [f64]) = add_body;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_equal_those_written_out() {
        let kernel: Vec<f32> = (0..53).map(|i| (i as f32 * 0.37).sin()).collect();
        for outputs in [1, 2, 9] {
            let coefficients: Vec<f64> = (0..53 * outputs).map(|i| (i as f64 * 0.11).cos()).collect();
            let mut out = vec![0.5; outputs];
            readout(&kernel, &coefficients, &mut out);
            for o in 0..outputs {
                let sum: f64 = (0..53).map(|i| f64::from(kernel[i]) * coefficients[i * outputs + o]).sum();
                assert!((out[o] - 0.5 - sum).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn a_strip_is_added_to_sums_that_lie_apart() {
        let part: Vec<f32> = (0..3 * OUTPUTS).map(|i| i as f32).collect();
        let mut sums = vec![0.5; 2 * 40 + 9];
        add_strip(&part, 9, &mut sums, 40);
        for (place, sum) in sums.iter().enumerate() {
            let (row, output) = (place / 40, place % 40);
            let added = if output < 9 { (row * OUTPUTS + output) as f64 } else { 0.0 };
            assert_eq!(*sum, 0.5 + added);
        }
    }
}
