//! Noise for experiments.

use mercer::data::{Dense, SplitMix};

use crate::output::range;

/// Noise that is added: of a deviation, or with a probability.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Noise {
    Gaussian(f64),
    Speckle(f64),
}

/// `gaussian=S` or `speckle=P`.
pub(crate) fn parse(text: &str) -> Result<Noise, String> {
    let (kind, size) = text.split_once('=').ok_or("expected gaussian=S or speckle=P")?;
    let size: f64 = size.parse().map_err(|_| format!("'{size}' is not a number"))?;
    match kind {
        "gaussian" if size >= 0.0 && size.is_finite() => Ok(Noise::Gaussian(size)),
        "gaussian" => Err("a deviation must be 0 or more".into()),
        "speckle" if (0.0..=1.0).contains(&size) => Ok(Noise::Speckle(size)),
        "speckle" => Err("a probability must lie in [0, 1]".into()),
        _ => Err(format!("'{kind}': the kinds are gaussian and speckle")),
    }
}

/// The rows with noise added. The same seed gives the same noise.
pub(crate) fn add(rows: &Dense<f64>, noise: Noise, seed: u64) -> Dense<f64> {
    let mut random = SplitMix(seed);
    let [low, high] = range(rows.values());
    let change = |value: f64| match noise {
        // Mean 0, deviation 1, by the method of Box and Muller.
        Noise::Gaussian(deviation) => {
            let radius = (-2.0 * random.uniform().ln()).sqrt();
            value + deviation * (radius * (std::f64::consts::TAU * random.uniform()).cos())
        }
        Noise::Speckle(share) => match random.uniform() {
            u if u < share / 2.0 => low,
            u if u < share => high,
            _ => value,
        },
    };
    Dense::new(rows.columns(), rows.values().iter().copied().map(change).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_has_the_size_asked_for() {
        let rows = Dense::new(10, (0..40_000).map(|i| f64::from(i % 2)).collect());
        let noisy = add(&rows, Noise::Gaussian(0.5), 3);
        let pairs = || noisy.values().iter().zip(rows.values()).map(|(a, b)| a - b);
        let (mean, square) = (pairs().sum::<f64>() / 4e4, pairs().map(|d| d * d).sum::<f64>() / 4e4);
        // Five deviations of either estimate: 0.5/200 and 0.25·√(2/40000).
        assert!(mean.abs() < 0.0125 && (square - 0.25).abs() < 0.009, "{mean} {square}");
        let speckled = add(&rows, Noise::Speckle(0.4), 3);
        let changed = speckled.values().iter().zip(rows.values()).filter(|(a, b)| a != b).count() as f64;
        // Half of the changes give a value what it has already.
        assert!((changed / 4e4 - 0.2).abs() < 0.01, "{changed}");
        assert_eq!(add(&rows, Noise::Speckle(0.4), 3), speckled);
    }
}
