use super::*;

/// Numbers that look like draws from N(0, 1), by the central limit.
fn normal(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    let mut uniform = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    move || (0..12).map(|_| uniform()).sum::<f64>() - 6.0
}

/// The k-th cosine on n points, of unit norm; they are orthogonal.
fn cosine(n: usize, k: usize) -> Vec<f64> {
    let value = |i: usize| (std::f64::consts::PI * (i as f64 + 0.5) * k as f64 / n as f64).cos();
    let norm = if k == 0 { 1.0 } else { 2_f64.sqrt() } / (n as f64).sqrt();
    (0..n).map(|i| norm * value(i)).collect()
}

/// The matrix whose eigenvectors are the cosines, in this order of eigenvalues.
fn cosines(n: usize, value: impl Fn(usize) -> f64) -> Eigen {
    let vectors: Vec<Vec<f64>> = (0..n).map(|k| cosine(n, k)).collect();
    Eigen::new(n, |i, j| (0..n).map(|k| value(k) * vectors[k][i] * vectors[k][j]).sum()).unwrap()
}

fn cut(eigen: &Eigen, y: &[f64], criterion: Criterion) -> Relevance {
    let weights = vec![1.0; y.len()];
    Spectrum::new(eigen, &weights).relevance(&[y.to_vec()], criterion).unwrap()
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} where {expected} is expected");
}

/// Least squares of `y` on `columns` over the points other than `left`, by the normal equations, and its value there.
fn prediction_without(columns: &[Vec<f64>], y: &[f64], left: usize) -> f64 {
    let d = columns.len();
    let sum = |f: &dyn Fn(usize) -> f64| (0..y.len()).filter(|&i| i != left).map(f).sum::<f64>();
    let mut system: Vec<Vec<f64>> = (0..d)
        .map(|a| {
            let mut row: Vec<f64> = (0..d).map(|b| sum(&|i| columns[a][i] * columns[b][i])).collect();
            row.push(sum(&|i| columns[a][i] * y[i]));
            row
        })
        .collect();
    for k in 0..d {
        let pivot = (k..d).max_by(|&a, &b| system[a][k].abs().total_cmp(&system[b][k].abs())).unwrap();
        system.swap(k, pivot);
        for row in 0..d {
            if row != k {
                let factor = system[row][k] / system[k][k];
                (k..=d).for_each(|c| system[row][c] -= factor * system[k][c]);
            }
        }
    }
    (0..d).map(|k| system[k][d] / system[k][k] * columns[k][left]).sum()
}

#[test]
fn both_criteria_are_what_their_definitions_say() {
    let n = 24;
    let mut random = normal(3);
    let y: Vec<f64> = (0..n).map(|_| random()).collect();
    let eigen = cosines(n, |k| 1.0 / (1.0 + k as f64));
    let found = cut(&eigen, &y, Criterion::TwoComponents);
    let columns: Vec<Vec<f64>> = (0..n).map(|k| cosine(n, k)).collect();
    let s: Vec<f64> = columns.iter().map(|u| u.iter().zip(&y).map(|(u, y)| u * y).sum()).collect();
    assert_eq!(found.cuts.iter().map(|cut| cut.dimension).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
    let mean = |part: &[f64]| part.iter().map(|s| s * s).sum::<f64>() / part.len() as f64;
    for cut in &found.cuts {
        let d = cut.dimension;
        let (first, second) = (mean(&s[..d]), mean(&s[d..]));
        let share = d as f64 / n as f64;
        let expected =
            if first < second { mean(&s).ln() } else { share * first.ln() + (1.0 - share) * second.ln() };
        close(cut.likelihood, expected, 1e-12);
        let errors = (0..n).map(|i| (y[i] - prediction_without(&columns[..d], &y, i)).powi(2));
        close(cut.leave_one_out, errors.sum::<f64>() / n as f64, 1e-11);
    }
    close(found.without_cut, mean(&s).ln(), 1e-13);
    let target = &found.targets[0];
    let d = found.dimension();
    close(target.relevant, mean(&s[..d]), 1e-13);
    close(target.noise, mean(&s[d..]), 1e-13);
    for (i, value) in target.denoised.iter().enumerate() {
        close(*value, (0..d).map(|k| s[k] * columns[k][i]).sum(), 1e-13);
    }
}

#[test]
fn a_known_dimension_and_a_known_noise_are_found() {
    let (n, sigma) = (300, 0.2);
    let eigen = cosines(n, |k| 0.9_f64.powi(k as i32));
    for (seed, dimension) in [(1, 1), (2, 4), (3, 12), (4, 40)] {
        let mut random = normal(seed);
        let mut y: Vec<f64> = (0..n).map(|_| sigma * random()).collect();
        for k in 0..dimension {
            let size = if k % 2 == 0 { 3.0 } else { -3.0 };
            y.iter_mut().zip(cosine(n, k)).for_each(|(y, u)| *y += size * u);
        }
        for criterion in [Criterion::TwoComponents, Criterion::LeaveOneOut] {
            let found = cut(&eigen, &y, criterion);
            let most = if criterion == Criterion::TwoComponents { 0 } else { dimension / 4 + 6 };
            let over = found.dimension() - dimension.min(found.dimension());
            assert!(found.dimension() >= dimension && over <= most, "{dimension}: {}", found.dimension());
            // The standard deviation of a variance from m draws is √(2/m) of it; three of those.
            let tolerance = 3.0 * sigma.powi(2) * (2.0 / (n - dimension) as f64).sqrt();
            close(found.targets[0].noise, sigma.powi(2), tolerance);
        }
    }
}

#[test]
fn equal_eigenvalues_are_not_cut_apart() {
    let n = 20;
    let eigen = cosines(n, |k| [4.0, 4.0, 4.0, 2.0, 1.0, 1.0].get(k).copied().unwrap_or(0.0));
    let y: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
    let found = cut(&eigen, &y, Criterion::TwoComponents);
    assert_eq!(found.cuts.iter().map(|cut| cut.dimension).collect::<Vec<_>>(), [3, 4, 6]);
    // The sum over each space does not depend on its basis.
    let sums: Vec<f64> = [0..3, 3..4, 4..6, 6..20]
        .map(|block| found.targets[0].coefficients[block].iter().map(|s| s * s).sum())
        .to_vec();
    for (sum, block) in sums.iter().zip([0..3, 3..4, 4..6, 6..20]) {
        let square = |k: usize| cosine(n, k).iter().zip(&y).map(|(u, y)| u * y).sum::<f64>().powi(2);
        close(*sum, block.map(square).sum(), 1e-12);
    }
}

#[test]
fn a_matrix_without_leading_part_cannot_be_cut() {
    let y = [1.0, -1.0, 1.0, -1.0];
    for scale in [1.0, 0.0, -1.0] {
        let eigen = Eigen::new(4, |i, j| if i == j { scale } else { 0.0 }).unwrap();
        let spectrum = Spectrum::new(&eigen, &[1.0; 4]);
        assert!(spectrum.relevance(&[y.to_vec()], Criterion::TwoComponents).is_none(), "{scale}");
    }
}

#[test]
fn leading_vectors_without_any_of_the_target_are_not_relevant() {
    // Without the constraint σ₁ ≥ σ₂ the cut after the first coefficient, which is 0, would have the greatest likelihood.
    let n = 40;
    let eigen = cosines(n, |k| 0.8_f64.powi(k as i32));
    let mut random = normal(5);
    let mut y: Vec<f64> = (0..n).map(|_| 0.3 * random()).collect();
    for k in [1, 2] {
        y.iter_mut().zip(cosine(n, k)).for_each(|(y, u)| *y += 2.0 * u);
    }
    let mean = y.iter().sum::<f64>() / n as f64;
    y.iter_mut().for_each(|y| *y -= mean);
    let found = cut(&eigen, &y, Criterion::TwoComponents);
    assert_eq!(found.dimension(), 3);
    assert_eq!(found.cuts[0].likelihood, found.without_cut);
}

#[test]
fn a_target_that_is_fitted_exactly_has_no_noise() {
    let n = 30;
    let eigen = cosines(n, |k| 0.7_f64.powi(k as i32));
    let y: Vec<f64> = cosine(n, 0).iter().zip(cosine(n, 2)).map(|(a, b)| a - 2.0 * b).collect();
    for criterion in [Criterion::TwoComponents, Criterion::LeaveOneOut] {
        let found = cut(&eigen, &y, criterion);
        assert_eq!(found.dimension(), 3, "{criterion:?}");
        assert!(found.targets[0].noise <= 1e-28 && found.score().is_finite());
    }
    // A target of zeros.
    let nothing = cut(&eigen, &vec![0.0; n], Criterion::TwoComponents);
    assert!(nothing.score().is_finite() && nothing.dimension() == 1);
}

#[test]
fn a_point_with_a_vector_to_itself_is_predicted_to_be_nothing() {
    // K = diag(3, 2, 1, ½): h = 1 for the points before the cut.
    let eigen = Eigen::new(4, |i, j| if i == j { [3.0, 2.0, 1.0, 0.5][i] } else { 0.0 }).unwrap();
    let y = [5.0, 1.0, -1.0, 2.0];
    let found = cut(&eigen, &y, Criterion::LeaveOneOut);
    for cut in &found.cuts {
        close(cut.leave_one_out, (25.0 + 1.0 + 1.0 + 4.0) / 4.0, 1e-14);
    }
}
