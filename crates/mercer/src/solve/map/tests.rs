//! The solver against maps written out with all coefficients, on vectors and their linear kernel.

use std::ops::ControlFlow;

use super::*;
use crate::gram::Full;

const GRID: Grid = Grid { rows: 3, columns: 4, lattice: Lattice::Rectangular };

/// Points of three features around four places, multiples of 1/64 so that single precision holds their inner products.
fn points(n: usize) -> Vec<[f64; 3]> {
    let value = |i: usize, k: f64| ((((i as f64 * k).sin() + (i % 4) as f64) * 64.0).round() + 32.0) / 64.0;
    (0..n).map(|i| [value(i, 0.7), value(i * i % 101, 1.9), value(i + 3, 0.4)]).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn square_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn gram(x: &[[f64; 3]]) -> Full {
    let values = x.iter().flat_map(|a| x.iter().map(|b| dot(a, b) as f32)).collect();
    Full::from_values(values, x.iter().map(|a| dot(a, a)).collect())
}

fn task<'a>(weights: &'a [f64], widths: [f64; 2], way: Way, grid: Grid) -> Task<'a> {
    let start = (0..weights.len()).map(|i| (i * 7 + i / 5) % grid.units()).collect();
    let schedule = Schedule { epochs: 12, widths, rate: 0.4 };
    Task { grid, schedule, way, start: Start::At(start), weights, hold: true }
}

fn train(task: &Task<'_>, x: &[[f64; 3]]) -> Map {
    let mut go_on = |_: f64| ControlFlow::Continue(());
    task.train(&gram(x), &mut { go_on }, &mut go_on).unwrap()
}

fn start(task: &Task<'_>) -> Vec<usize> {
    let Start::At(units) = &task.start else { panic!("the start is given") };
    units.clone()
}

/// The prototypes of an assignment, as vectors.
fn means(task: &Task<'_>, x: &[[f64; 3]], winners: &[usize], width: f64) -> Vec<Vec<f64>> {
    let grid = task.grid;
    let mean = |j: usize| {
        let h =
            |i: usize| (-grid.square_distance(j, winners[i]) / (2.0 * width * width)).exp() * task.weights[i];
        let total: f64 = (0..x.len()).map(h).sum();
        (0..3).map(|k| (0..x.len()).map(|i| h(i) * x[i][k]).sum::<f64>() / total).collect()
    };
    (0..grid.units()).map(mean).collect()
}

fn nearest(prototypes: &[Vec<f64>], x: &[f64]) -> usize {
    let distance = |j: usize| square_distance(&prototypes[j], x);
    (1..prototypes.len()).fold(0, |best, j| if distance(j) < distance(best) { j } else { best })
}

/// Prototypes of a map in the space of the vectors: ΓX.
fn prototypes(map: &Map, x: &[[f64; 3]], units: usize) -> Vec<Vec<f64>> {
    let sum = |j: usize, k: usize| (0..x.len()).map(|i| map.coefficients[i * units + j] * x[i][k]).sum();
    (0..units).map(|j| (0..3).map(|k| sum(j, k)).collect()).collect()
}

fn assert_prototypes(found: &[Vec<f64>], expected: &[Vec<f64>], tolerance: f64) {
    for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((found - expected).abs() <= tolerance, "{found} {expected}");
    }
}

#[test]
fn batch_training_is_the_batch_map_written_out_on_vectors() {
    let x = points(600);
    let weights: Vec<f64> = (0..600).map(|i| 0.5 + (i % 3) as f64).collect();
    for lattice in [Lattice::Rectangular, Lattice::Hexagonal] {
        let task = task(&weights, [2.0, 0.6], Way::Batch, Grid { lattice, ..GRID });
        let mut winners = start(&task);
        let mut expected = Vec::new();
        for epoch in 0..12 {
            expected = means(&task, &x, &winners, task.schedule.width(epoch));
            let next: Vec<usize> = x.iter().map(|x| nearest(&expected, x)).collect();
            let settled = next == winners && epoch + 1 >= task.schedule.shrinking();
            winners = next;
            if settled {
                break;
            }
        }
        let map = train(&task, &x);
        assert_eq!(map.measures.winners, winners);
        assert_prototypes(&prototypes(&map, &x, 12), &expected, 1e-9);
        for (square, m) in map.square_norms.iter().zip(&expected) {
            assert!((square - dot(m, m)).abs() < 1e-9, "{square} {}", dot(m, m));
        }
        measures_are_those_written_out(&map, &task, &x, &expected);
    }
}

/// The points that units without points take from their neighbours, written out.
fn take_far_points(grid: Grid, x: &[[f64; 3]], prototypes: &[Vec<f64>], winners: &mut [usize]) -> usize {
    let mut squares: Vec<f64> =
        x.iter().zip(&*winners).map(|(x, &unit)| square_distance(&prototypes[unit], x)).collect();
    let mut taken = 0;
    for unit in 0..grid.units() {
        let count = |unit: usize| winners.iter().filter(|&&other| other == unit).count();
        if count(unit) == 0 {
            let free: Vec<usize> = (0..x.len())
                .filter(|&i| grid.adjacent(unit, winners[i]) && count(winners[i]) > 1 && squares[i] > 1e-9)
                .collect();
            let farthest = free.iter().copied().reduce(|a, b| if squares[b] > squares[a] { b } else { a });
            if let Some(i) = farthest {
                (winners[i], squares[i]) = (unit, 0.0);
                taken += 1;
            }
        }
    }
    taken
}

#[test]
fn units_without_points_take_the_farthest_ones_of_their_neighbours() {
    // Fewer than three points a unit, in four heaps: at the end of a plain batch map many units are empty.
    let (x, weights) = (points(70), vec![1.0; 70]);
    for lattice in [Lattice::Rectangular, Lattice::Hexagonal] {
        let grid = Grid { rows: 5, columns: 6, lattice };
        let task = task(&weights, [1.5, 0.3], Way::Batch, grid);
        let (mut winners, mut expected, mut all, mut filling) = (start(&task), Vec::new(), 0, true);
        for epoch in 0..12 {
            expected = means(&task, &x, &winners, task.schedule.width(epoch));
            let mut next: Vec<usize> = x.iter().map(|x| nearest(&expected, x)).collect();
            let narrow = epoch + 1 >= task.schedule.shrinking();
            let taken = match narrow && filling && epoch < 10 {
                true => take_far_points(grid, &x, &expected, &mut next),
                false => 0,
            };
            let unchanged = narrow && next == winners;
            (all, filling) = (all + taken, filling && !(unchanged && taken > 0));
            if unchanged && taken == 0 || epoch == 11 {
                break;
            }
            winners = next;
        }
        assert!(all > 0);
        let map = train(&task, &x);
        assert_prototypes(&prototypes(&map, &x, 30), &expected, 1e-9);
        let empty = map.measures.hits.iter().filter(|&&hits| hits == 0.0).count();
        assert!(empty <= 2, "{empty}");
    }
}

fn measures_are_those_written_out(map: &Map, task: &Task<'_>, x: &[[f64; 3]], m: &[Vec<f64>]) {
    let (grid, total) = (task.grid, task.weights.iter().sum::<f64>());
    let (mut error, mut torn, mut hits) = (0.0, 0.0, vec![0.0; m.len()]);
    for (x, w) in x.iter().zip(task.weights) {
        let mut order: Vec<usize> = (0..m.len()).collect();
        order.sort_by(|&a, &b| square_distance(&m[a], x).total_cmp(&square_distance(&m[b], x)));
        error += w * square_distance(&m[order[0]], x).sqrt();
        torn += if grid.adjacent(order[0], order[1]) { 0.0 } else { *w };
        hits[order[0]] += w;
    }
    assert!((map.measures.quantisation - error / total).abs() < 1e-9);
    assert!((map.measures.topographic - torn / total).abs() < 1e-12);
    assert_eq!(map.measures.hits, hits);
    for (unit, &median) in map.measures.medians.iter().enumerate() {
        let least = x.iter().map(|x| square_distance(&m[unit], x)).fold(f64::INFINITY, f64::min);
        assert!(square_distance(&m[unit], &x[median]) < least + 1e-9);
    }
    for (&[a, b], distance) in grid.pairs().iter().zip(&map.measures.between) {
        assert!((square_distance(&m[a], &m[b]).sqrt() - distance).abs() < 1e-6);
    }
}

#[test]
fn without_a_neighbourhood_it_is_k_means() {
    let (x, weights) = (points(300), vec![1.0; 300]);
    let task = task(&weights, [1e-3, 0.0], Way::Batch, Grid { rows: 1, columns: 5, ..GRID });
    let mut winners = start(&task);
    for _ in 0..12 {
        let mean = |j: usize| {
            let own: Vec<&[f64; 3]> =
                x.iter().zip(&winners).filter(|own| *own.1 == j).map(|own| own.0).collect();
            assert!(!own.is_empty());
            (0..3).map(|k| own.iter().map(|x| x[k]).sum::<f64>() / own.len() as f64).collect()
        };
        let means: Vec<Vec<f64>> = (0..5).map(mean).collect();
        winners = x.iter().map(|x| nearest(&means, x)).collect();
    }
    assert_eq!(train(&task, &x).measures.winners, winners);
}

#[test]
fn online_training_is_the_rule_written_out_with_all_coefficients() {
    let x = points(90);
    let weights: Vec<f64> = (0..90).map(|i| 1.0 + (i % 2) as f64).collect();
    let task = task(&weights, [1.5, 0.5], Way::Online(None), GRID);
    let mut m = means(&task, &x, &start(&task), 1.5);
    for epoch in 0..12 {
        let (width, rate) = (task.schedule.width(epoch), task.schedule.rate(epoch));
        for (x, &weight) in x.iter().zip(&weights) {
            for _ in 0..weight as usize {
                let winner = nearest(&m, x);
                for (j, m) in m.iter_mut().enumerate() {
                    let h = (-GRID.square_distance(j, winner) / (2.0 * width * width)).exp();
                    m.iter_mut().zip(x).for_each(|(m, x)| *m += rate * h * (x - *m));
                }
            }
        }
    }
    let map = train(&task, &x);
    assert_prototypes(&prototypes(&map, &x, 12), &m, 1e-5);
    assert_eq!(map.measures.winners, x.iter().map(|x| nearest(&m, x)).collect::<Vec<_>>());
    assert_eq!((map.epochs, map.settled), (12, false));
    let sums = (0..12).map(|j| map.coefficients.iter().skip(j).step_by(12).sum::<f64>());
    assert!(
        map.coefficients.iter().all(|&gamma| gamma >= 0.0)
            && sums.into_iter().all(|s| (s - 1.0).abs() < 1e-12)
    );
}

#[test]
fn values_that_are_not_held_make_the_same_map() {
    let (x, weights) = (points(700), vec![1.0; 700]);
    for way in [Way::Batch, Way::Online(Some(3))] {
        let held = task(&weights, [2.0, 0.5], way, GRID);
        let computed = Task { hold: false, ..held.clone() };
        let (a, b) = (train(&held, &x), train(&computed, &x));
        assert_eq!(a.measures.winners, b.measures.winners);
        assert!(a.coefficients.iter().zip(&b.coefficients).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}

#[test]
fn components_lay_the_grid_over_the_plane_of_largest_variance() {
    // Points on a tilted plane, longer along one side; the longer side of the grid goes along it.
    let x: Vec<[f64; 3]> = (0..240)
        .map(|i| {
            let (a, b) = ((i % 20) as f64 - 9.5, (i / 20) as f64 - 5.5);
            [1000.0 + a, 0.5 * b, 0.25 * b]
        })
        .collect();
    let weights = vec![1.0; 240];
    let values = Values::<f64>::new(&gram(&x), true, &mut |_| ControlFlow::Continue(())).map(|values| {
        let grid = Grid { rows: 3, columns: 6, ..GRID };
        start::components(&values, &weights, grid).unwrap()
    });
    let units = values.unwrap();
    let (column, row) = (|i: usize| units[i] % 6, |i: usize| units[i] / 6);
    assert!((0..240).all(|i| column(i) == column(i % 20) && row(i) == row(i / 20 * 20)));
    assert!((1..20).all(|i| column(i) >= column(i - 1)) || (1..20).all(|i| column(i) <= column(i - 1)));
    assert_eq!((column(0).abs_diff(column(19)), row(0).abs_diff(row(239))), (5, 2));
}

#[test]
fn the_width_shrinks_to_its_end_value() {
    for (epochs, widths) in [(1, [3.0, 0.5]), (2, [3.0, 0.5]), (10, [3.0, 0.5]), (10, [2.0, 0.0])] {
        let schedule = Schedule { epochs, widths, rate: 0.5 };
        let all: Vec<f64> = (0..epochs).map(|epoch| schedule.width(epoch)).collect();
        assert!(all.is_sorted_by(|a, b| a >= b) && all.last() == Some(&widths[1]));
        assert!(epochs == 1 || all[0] == widths[0]);
        assert!(
            (schedule.rate(0) - 0.5).abs() < 1e-15 && (schedule.rate(9) - 0.02).abs() < 1e-12 || epochs < 10
        );
    }
}

#[test]
fn single_precision_makes_the_same_map_of_values_that_it_holds() {
    let (x, weights) = (points(300), vec![1.0; 300]);
    let mut go_on = |_: f64| ControlFlow::Continue(());
    for way in [Way::Batch, Way::Online(None)] {
        let task = task(&weights, [2.0, 0.5], way, GRID);
        let single = task.train_in::<f32>(&gram(&x), &mut { go_on }, &mut go_on).unwrap();
        let double = train(&task, &x);
        assert_eq!(single.measures.winners, double.measures.winners);
        assert!((single.measures.quantisation - double.measures.quantisation).abs() < 1e-5);
    }
}

#[test]
fn memory_of_any_size_can_be_asked_for() {
    assert_eq!(bytes(10, 4), 8 * (160 + 384));
    assert_eq!((bytes(usize::MAX, usize::MAX), value_bytes(usize::MAX)), (u64::MAX, u64::MAX));
}
