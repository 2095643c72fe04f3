//! The silhouette in feature space (Rousseeuw 1987).

use rayon::prelude::*;

use super::geometry::Geometry;

/// The mean over the points of (b − a)/max(a, b), with a the mean distance ‖φᵢ − φⱼ‖ from the other points of the own cluster
/// and b the least mean distance from those of another one; 0 of a point that is alone. Where all weights are whole numbers a point of
/// weight w counts as w points, w − 1 of them in its own place; else weights are shares, and only what they are to each other counts. n²
/// distances.
pub(crate) fn silhouette(geometry: &dyn Geometry, weights: &[f64], labels: &[usize], sizes: &[f64]) -> f64 {
    if sizes.len() < 2 {
        return 0.0;
    }
    let squares = geometry.squares();
    let copies = weights.iter().all(|w| w.fract() == 0.0);
    let mut members = vec![0_usize; sizes.len()];
    labels.iter().for_each(|&c| members[c] += 1);
    let of_point = |(products, sums): &mut (Vec<f64>, Vec<f64>), i: usize| {
        products.resize(labels.len(), 0.0);
        sums.clear();
        sums.resize(sizes.len(), 0.0);
        geometry.products(i, products);
        for (product, own) in products.iter_mut().zip(squares) {
            *product = (squares[i] + own - 2.0 * *product).max(0.0).sqrt();
        }
        products[i] = 0.0;
        for ((distance, &c), w) in products.iter().zip(labels).zip(weights) {
            sums[c] += w * distance;
        }
        let own = labels[i];
        if members[own] == 1 && (!copies || weights[i] == 1.0) {
            return 0.0;
        }
        let a = sums[own] / (sizes[own] - if copies { 1.0 } else { weights[i] });
        let others = (0..sizes.len()).filter(|&c| c != own).map(|c| sums[c] / sizes[c]);
        let b = others.fold(f64::INFINITY, f64::min);
        if a.max(b) > 0.0 { weights[i] * (b - a) / a.max(b) } else { 0.0 }
    };
    let each: Vec<f64> = (0..labels.len()).into_par_iter().map_init(Default::default, of_point).collect();
    each.iter().sum::<f64>() / weights.iter().sum::<f64>()
}
