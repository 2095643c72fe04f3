//! Bounds on the error from the margins of the training rows.
//!
//! **Rademacher** (Bartlett and Mendelson 2002; Mohri, Rostamizadeh and Talwalkar 2018, chapter 5): with probability 1 − δ, for all
//! functions with ‖w‖ ≤ Λ and |b| ≤ B at once,
//!
//! $$ R ≤ \frac1n Σ \min(1, ξ_i) + \frac2n \left(Λ \sqrt{\operatorname{tr} K} + B \sqrt n\right) + 3 \sqrt{\frac{\ln(2/δ)}{2n}}. $$
//!
//! **PAC-Bayes** (McAllester 1999; Seeger 2002; Langford 2005): a random classifier, drawn from a normal distribution of unit variance
//! around μ times the direction of (w, b), has on the rows the mean error Q̂(μ) = mean of Φ̄(μ mᵢ), with mᵢ the cosine between (w, b)
//! and yᵢ(φ(xᵢ), 1) and Φ̄ the upper tail of the normal distribution. With probability 1 − δ its true error Q satisfies, for all w, b
//! and μ at once,
//!
//! $$ \operatorname{kl}(\hat Q(μ) ‖ Q) ≤ \frac{μ²/2 + \ln((n + 1)/δ)}{n}, $$
//!
//! and where the classifier itself is wrong the random one is so with probability ½ at least: R ≤ 2Q.

use std::f64::consts::TAU;

/// μ that are tried: powers of 2, four to the octave, from 2⁻⁴ to 2¹².
const OCTAVES: std::ops::RangeInclusive<i32> = -16..=48;
const STEPS_OF_OCTAVE: f64 = 4.0;
/// Halvings of an interval of probabilities: the last bit of a number.
const HALVINGS: usize = 60;
/// Beyond this the series of the normal distribution is left for the continued fraction.
const FAR: f64 = 3.0;

/// The Rademacher bound; `slack` is the mean of min(1, ξ).
pub(super) fn rademacher(slack: f64, norm: f64, offset: f64, trace: f64, n: f64, delta: f64) -> f64 {
    let complexity = (norm * trace.max(0.0).sqrt() + offset.abs() * n.sqrt()) / n;
    slack + 2.0 * complexity + 3.0 * ((2.0 / delta).ln() / (2.0 * n)).sqrt()
}

/// The PAC-Bayes bound 2Q for cosines of the rows, and the μ that gives it.
pub(super) fn pac_bayes(cosines: &[f64], delta: f64) -> (f64, f64) {
    let n = cosines.len() as f64;
    let at = |step: i32| {
        let mu = (f64::from(step) / STEPS_OF_OCTAVE).exp2();
        let error = cosines.iter().map(|m| tail(mu * m)).sum::<f64>() / n;
        (2.0 * inverse_divergence(error, (0.5 * mu * mu + ((n + 1.0) / delta).ln()) / n), mu)
    };
    OCTAVES.map(at).fold((f64::INFINITY, f64::NAN), |best, found| if found.0 < best.0 { found } else { best })
}

/// The largest p with kl(q ‖ p) ≤ most, kl that of two coins.
fn inverse_divergence(q: f64, most: f64) -> f64 {
    let part = |a: f64, b: f64| if a > 0.0 { a * (a / b).ln() } else { 0.0 };
    let divergence = |p: f64| part(q, p) + part(1.0 - q, 1.0 - p);
    let (mut low, mut high) = (q, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if divergence(middle) <= most { low = middle } else { high = middle }
    }
    high
}

/// The probability that a standard normal variable is above x.
pub(super) fn tail(x: f64) -> f64 {
    if x < 0.0 {
        return 1.0 - tail(-x);
    }
    let density = (-0.5 * x * x).exp() / TAU.sqrt();
    if x < FAR {
        // ½ − φ(x) (x + x³/3 + x⁵/(3·5) + …)
        let (mut term, mut sum, mut k) = (x, x, 1.0);
        while term > f64::EPSILON * sum {
            k += 2.0;
            term *= x * x / k;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    // φ(x) / (x + 1/(x + 2/(x + 3/(x + …))))
    density / (1..=HALVINGS).rev().fold(x, |fraction, k| x + k as f64 / fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_that_of_the_normal_distribution() {
        // ½ erfc(x/√2) of the C library.
        for (x, p) in [
            (0.0, 0.5),
            (1.0, 0.158_655_253_931_457),
            (1.959_963_984_540_054, 0.025),
            (2.999, 0.001_354_336_533_727_1),
            (3.001, 0.001_345_472_825_085),
            (5.0, 2.866_515_718_791_94e-7),
        ] {
            assert!((tail(x) - p).abs() <= 1e-11 * p, "{x}: {} {p}", tail(x));
            assert!((tail(-x) - (1.0 - p)).abs() <= 1e-9, "{x}");
        }
    }

    #[test]
    fn the_divergence_is_inverted() {
        // kl(0 ‖ p) = −ln(1 − p).
        assert!((inverse_divergence(0.0, 0.5) - (1.0 - (-0.5f64).exp())).abs() < 1e-14);
        // kl(¼ ‖ ½) = ¼ ln ½ + ¾ ln 3/2.
        let most = 0.25 * 0.5f64.ln() + 0.75 * 1.5f64.ln();
        assert!((inverse_divergence(0.25, most) - 0.5).abs() < 1e-12);
        // Near its least value kl is flat: rounding of 1e-16 is 1e-8 here.
        assert!((inverse_divergence(0.3, 0.0) - 0.3).abs() < 1e-7);
    }

    #[test]
    fn a_pac_bayes_bound_by_hand() {
        // Cosines of 0: half of the random classifiers are wrong whatever μ, and the bound is above 1.
        assert!(pac_bayes(&[0.0; 50], 0.05).0 >= 1.0);
        // Cosines of 1 in a thousand rows: at μ = 4, Φ̄(4) = 3.167e-5 and (8 + ln 20020)/1000 = 0.017905; kl(3.167e-5 ‖ p) is that at
        // p = 0.0183 or so. The best μ is no worse, and the bound is not below twice −ln(1 − p) = ln(20020)/1000.
        let (found, mu) = pac_bayes(&[1.0; 1000], 0.05);
        assert!(found <= 2.0 * 0.0186 && found > 2.0 * 0.0098, "{found} at {mu}");
    }

    #[test]
    fn a_rademacher_bound_by_hand() {
        // n = 100, ‖w‖ = 2, b = 1, tr K = 100, a tenth inside the margin: 0.1 + 2 (2 + 1)/10 + 3 √(ln 40 / 200).
        let found = rademacher(0.1, 2.0, -1.0, 100.0, 100.0, 0.05);
        assert!((found - (0.1 + 0.6 + 3.0 * (40.0f64.ln() / 200.0).sqrt())).abs() < 1e-12);
    }
}
