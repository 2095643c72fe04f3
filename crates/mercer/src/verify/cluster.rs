//! Clusters and maps: nearest centres, inertia, eigenvectors, the errors of a map.

use super::algebra::{norm, outputs};
use super::data::Data;
use super::report::Report;
use super::values::{DOUBLE, SINGLE, Sum, Values, lists};
use crate::error::Result;
use crate::model::{KMeansModel, Model, SomModel, Space, SpectralModel};

/// Verifies a model of one of these kinds; else answers that it is none.
pub(super) fn verify<X: Space>(
    model: &(dyn Model<X> + 'static),
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<bool> {
    if let Some(model) = model.downcast::<KMeansModel<X, X::Kernel>>() {
        k_means(model, data, report)?;
    } else if let Some(model) = model.downcast::<SpectralModel<X, X::Kernel>>() {
        spectral(model, data, report)?;
    } else if let Some(model) = model.downcast::<SomModel<X, X::Kernel>>() {
        map(model, data, report)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// The largest of some scores, and the second; of equal ones the first.
fn two_largest(scores: &[f64]) -> (usize, Option<usize>) {
    let best = (1..scores.len()).fold(0, |best, k| if scores[k] > scores[best] { k } else { best });
    let rest = (0..scores.len()).filter(|&k| k != best);
    (best, rest.reduce(|a, b| if scores[b] > scores[a] { b } else { a }))
}

/// Half the squared norm of each centre Σ βφ over the rows, and its rounding.
fn halves(lists: &[Vec<(usize, f64)>], rows: &[usize], sums: &[Vec<Sum>]) -> Vec<Sum> {
    let half = |(list, sums): (&Vec<(usize, f64)>, &Vec<Sum>)| Sum {
        value: 0.5 * list.iter().map(|&(k, b)| b * sums[rows[k]].value).sum::<f64>(),
        error: 0.5 * list.iter().map(|&(k, b)| b.abs() * sums[rows[k]].error).sum::<f64>(),
        one_sided: 0.0,
    };
    lists.iter().zip(sums).map(half).collect()
}

fn k_means<X: Space>(
    model: &KMeansModel<X, X::Kernel>,
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<()> {
    let (expansion, n) = (&model.expansion, data.len());
    if model.labels.len() != n {
        report.flaw("", format_args!("{} rows have a cluster, of {n}", model.labels.len()));
        return Ok(());
    }
    let Some((rows, sums)) = outputs(expansion, &model.support, data, SINGLE, report)? else { return Ok(()) };
    let (all, clusters) = (lists(expansion.coefficients()), model.classes.len());
    let halves = halves(&all, &rows, &sums);
    let half: Vec<f64> = halves.iter().map(|half| half.value).collect();
    report.same("", "half the squared norm of a centre", (expansion.offsets(), &half), |c| {
        halves[c].error + 1e-12
    });
    let mut sizes = vec![0.0; clusters];
    (0..n).for_each(|i| sizes[model.labels[i]] += data.weights[i]);
    report.same("", "weight of a cluster", (&model.sizes, &sizes), |c| 1e-9 * sizes[c]);
    // Of exact iterations a centre is the mean of its own rows.
    let exact = data.recipe.is_some_and(|recipe| recipe.get("batch").is_none());
    if exact && model.converged() {
        for (c, list) in all.iter().enumerate() {
            let of = format!("cluster {}", model.classes[c]);
            let strange = list.iter().any(|&(k, _)| model.labels[rows[k]] != c);
            let own = model.labels.iter().filter(|label| **label == c).count();
            if strange || own != list.len() {
                report.flaw(&of, "the centre is not the mean of the rows of the cluster");
            }
            let wanted: Vec<f64> = list.iter().map(|&(k, _)| data.weights[rows[k]] / sizes[c]).collect();
            let told: Vec<f64> = list.iter().map(|(_, b)| *b).collect();
            report.same(&of, "weight of a row in its centre", (&told, &wanted), |k| 1e-9 * wanted[k]);
        }
    }
    let diagonal = data.diagonal(expansion.kernel())?;
    let (mut inertia, mut error, mut far) = (0.0, 0.0, 0.0);
    for i in 0..n {
        let score = |c: usize| sums[c][i].value - half[c];
        let own = model.labels[i];
        inertia += data.weights[i] * (diagonal[i] - 2.0 * score(own));
        error +=
            data.weights[i] * (SINGLE * diagonal[i].abs() + 2.0 * (sums[own][i].error + halves[own].error));
        let best = (0..clusters).map(score).fold(f64::NEG_INFINITY, f64::max);
        let room = 2.0 * (sums[own][i].error + halves[own].error) + SINGLE * diagonal[i].abs();
        far = f64::max(far, best - score(own) - room);
    }
    report.equal("", "inertia", model.inertia(), inertia, error);
    if model.converged() && exact {
        report.at_most("", "distance that another centre is nearer", 0.0, far, 1e-9);
    }
    Ok(())
}

fn spectral<X: Space>(
    model: &SpectralModel<X, X::Kernel>,
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<()> {
    let (n, count) = (data.len(), model.eigenvalues.len());
    let kernel = model.expansion.kernel();
    let any = |_: usize, _: usize| true;
    let Some(rows) = data.rows_of(kernel, model.expansion.points(), &model.support, &any, report) else {
        return Ok(());
    };
    if rows.len() != n || model.labels.len() != n || rows.iter().enumerate().any(|(k, &i)| k != i) {
        report.flaw("", "the points of the graph are not the rows of the data");
        return Ok(());
    }
    let (values, _) = Values::new(kernel, &data.x, &data.x)?;
    let k = values.all();
    let w = &data.weights;
    let degree = |a: &[Vec<f64>], i: usize| {
        let others: f64 = (0..n).filter(|&j| j != i).map(|j| w[j] * a[i][j]).sum();
        others + (w[i] - 1.0).max(0.0) * a[i][i]
    };
    let a = match model.neighbors {
        None => {
            // Values below the rounding of the largest degree, or of the largest k(x, x), are no edges.
            let least = f64::EPSILON * (0..n).map(|i| degree(&k, i).max(k[i][i])).fold(0.0, f64::max);
            let edge = |value: f64| if value < least { 0.0 } else { value };
            k.into_iter().map(|row| row.into_iter().map(edge).collect()).collect()
        }
        Some(neighbors) => graph(&k, &data.weights, neighbors as f64),
    };
    let own = |i: usize| (w[i] - 1.0).max(0.0) * a[i][i];
    let degrees: Vec<f64> = (0..n).map(|i| degree(&a, i)).collect();
    let b = |i: usize, j: usize| match i == j {
        true if degrees[i] == 0.0 => 1.0,
        true => own(i) / degrees[i],
        false if degrees[i] == 0.0 || degrees[j] == 0.0 => 0.0,
        false => (w[i] * w[j]).sqrt() * a[i][j] / (degrees[i] * degrees[j]).sqrt(),
    };
    let places = model.embedding();
    let root = |i: usize| (w[i] * if degrees[i] == 0.0 { 1.0 } else { degrees[i] }).sqrt();
    let mut worst = 0.0_f64;
    for (c, &lambda) in model.eigenvalues.iter().enumerate() {
        if lambda <= 1e-12 {
            report.note("an eigenvalue that is 0 has no function; it is not looked at");
            continue;
        }
        let u: Vec<f64> = (0..n).map(|i| places.row(i)[c] * root(i)).collect();
        let of = format!("eigenvector {}", c + 1);
        report.equal(&of, "squared length", 1.0, u.iter().map(|u| u * u).sum(), 1e-6);
        let image: Vec<f64> = (0..n).map(|i| (0..n).map(|j| b(i, j) * u[j]).sum()).collect();
        let rayleigh: f64 = u.iter().zip(&image).map(|(u, v)| u * v).sum();
        report.equal(&of, "eigenvalue", lambda, rayleigh, 1e-9 + model.residual);
        worst = worst.max(norm(image.iter().zip(&u).map(|(v, u)| v - lambda * u)));
    }
    report.at_most("", "residual", model.residual, worst, 1e-10 + 0.01 * model.residual);
    let mut sizes = vec![0.0; model.classes.len()];
    (0..n).for_each(|i| sizes[model.labels[i]] += w[i]);
    report.same("", "weight of a cluster", (&model.sizes, &sizes), |c| 1e-9 * sizes[c]);
    let square = |i: usize, c: usize| {
        (0..count).map(|t| (places.row(i)[t] - model.centres.row(c)[t]).powi(2)).sum::<f64>()
    };
    let inertia: f64 = (0..n).map(|i| w[i] * square(i, model.labels[i])).sum();
    let size: f64 = (0..n).map(|i| w[i] * places.row(i).iter().map(|y| y * y).sum::<f64>()).sum();
    report.equal("", "inertia", model.inertia(), inertia, 1e-9 * size);
    let nearer = |i: usize| {
        let best = (0..model.classes.len()).map(|c| square(i, c)).fold(f64::INFINITY, f64::min);
        square(i, model.labels[i]) - best
    };
    report.at_most(
        "",
        "distance that another centre is nearer",
        0.0,
        (0..n).map(nearer).fold(0.0, f64::max),
        1e-9 * size,
    );
    let total: Vec<f64> = (0..model.classes.len() * count)
        .map(|at| {
            let (c, t) = (at / count, at % count);
            (0..n).filter(|&i| model.labels[i] == c).map(|i| w[i] * places.row(i)[t]).sum::<f64>() / sizes[c]
        })
        .collect();
    report.same("", "centre", (model.centres.values(), &total), |_| {
        1e-6 * (size / data.total()).sqrt() + 1e-12
    });
    Ok(())
}

/// ½(N + Nᵀ) of the nearest neighbours, each counted by its weight, the last by what is left.
fn graph(k: &[Vec<f64>], weights: &[f64], wanted: f64) -> Vec<Vec<f64>> {
    let n = k.len();
    let mut near = vec![vec![0.0; n]; n];
    for i in 0..n {
        let mut order: Vec<usize> = (0..n).collect();
        let distance = |j: usize| if j == i { f64::NEG_INFINITY } else { k[i][i] + k[j][j] - 2.0 * k[i][j] };
        order.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
        let mut left = wanted;
        for j in order {
            if left <= 0.0 {
                break;
            }
            near[i][j] = (left / weights[j]).min(1.0);
            left -= weights[j];
        }
    }
    (0..n).map(|i| (0..n).map(|j| 0.5 * (near[i][j] + near[j][i])).collect()).collect()
}

fn map<X: Space>(model: &SomModel<X, X::Kernel>, data: &Data<'_, X>, report: &mut Report) -> Result<()> {
    let (expansion, n, grid) = (&model.expansion, data.len(), model.grid);
    if model.winners.len() != n {
        report.flaw("", format_args!("{} rows have a unit, of {n}", model.winners.len()));
        return Ok(());
    }
    let rounding = if n > 2048 { SINGLE } else { DOUBLE };
    let Some((rows, sums)) = outputs(expansion, &model.support, data, rounding, report)? else {
        return Ok(());
    };
    let (all, units) = (lists(expansion.coefficients()), grid.units());
    let halves = halves(&all, &rows, &sums);
    let half: Vec<f64> = halves.iter().map(|half| half.value).collect();
    report.same("", "half the squared norm of a prototype", (expansion.offsets(), &half), |c| {
        4.0 * halves[c].error + 1e-12
    });
    let share: Vec<f64> = all.iter().map(|list| list.iter().map(|(_, g)| g).sum()).collect();
    report.same("", "sum of the coefficients", (&share, &vec![1.0; units]), |_| 1e-9);
    let diagonal = data.diagonal(expansion.kernel())?;
    let total = data.total();
    let (mut quantisation, mut error, mut torn, mut doubtful, mut far) = (0.0, 0.0, 0.0, 0.0, 0.0_f64);
    let mut hits = vec![0.0; units];
    for i in 0..n {
        let scores: Vec<f64> = (0..units).map(|u| sums[u][i].value - half[u]).collect();
        let (best, second) = two_largest(&scores);
        let own = model.winners[i];
        let room = 4.0 * (sums[own][i].error + halves[own].error) + rounding * diagonal[i].abs() + 1e-14;
        far = far.max(scores[best] - scores[own] - room);
        let (w, square) = (data.weights[i], (diagonal[i] - 2.0 * scores[own]).max(0.0));
        hits[own] += w;
        quantisation += w * square.sqrt() / total;
        error += w * ((square + 2.0 * room).sqrt() - (square - 2.0 * room).max(0.0).sqrt()) / total;
        if let Some(second) = second {
            let second = if best == own { second } else { best };
            torn += if grid.adjacent(own, second) { 0.0 } else { w / total };
            // Several units may be as near as the second.
            let near = (0..units).filter(|&u| u != own && scores[second] - scores[u] <= room).count();
            doubtful += if near > 1 { w / total } else { 0.0 };
        }
    }
    report.at_most("", "distance that another unit is nearer", 0.0, far, 1e-12);
    report.equal("", "quantisation error", model.quantisation_error, quantisation, error + 1e-12);
    report.equal("", "topographic error", model.topographic_error, torn, doubtful + 1e-9);
    report.same("", "weight of a unit", (&model.hits, &hits), |u| 1e-9 * hits[u].max(1.0));
    let pairs = grid.pairs();
    let found: Vec<f64> = pairs
        .iter()
        .map(|&[a, b]| {
            let cross: f64 = all[a].iter().map(|&(k, g)| g * sums[b][rows[k]].value).sum();
            (2.0 * half[a] + 2.0 * half[b] - 2.0 * cross).max(0.0)
        })
        .collect();
    let squares: Vec<f64> = model.between.iter().map(|d| d * d).collect();
    let allowed = |p: usize| {
        let [a, b] = pairs[p];
        8.0 * (halves[a].error + halves[b].error) + 1e-12
    };
    report.same("", "squared distance of neighbours", (&squares, &found), allowed);
    Ok(())
}
