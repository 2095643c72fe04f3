//! Early prediction is what it says: the nearest centre, and the exact machine of that cell.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Duration;

use mercer::data::{Dense, Labels, Points, Sparse, Vectors};
use mercer::kernel::{VectorExpr, rbf};
use mercer::model::file::Saved;
use mercer::model::{Cell, Estimator, Event, Job, Local, LocalModel, Slack, Svc, libsvm};
use mercer::solve::{Smo, Stop};

const GAMMA: f64 = 0.8;

fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 40) as f64 / 16_777_216.0
}

/// Points of the square [0, 6]² with three classes in stripes, one label of eight wrong; none of the third class on the left.
fn stripes(n: usize) -> (Dense<f64>, Labels) {
    let mut seed = 5;
    let points: Vec<f64> = (0..2 * n).map(|_| 6.0 * random(&mut seed)).collect();
    let label = |p: &[f64]| {
        let stripe = (p[0] + 2.0 * p[1]) as usize + usize::from(random(&mut seed) < 0.125);
        if p[0] < 3.0 { ["a", "b"][stripe % 2] } else { ["c", "a", "b"][stripe % 3] }
    };
    let labels = Labels::first_seen(points.chunks(2).map(label).collect::<Vec<_>>());
    (Dense::new(2, points), labels)
}

fn svc() -> Svc<VectorExpr> {
    Svc::new(rbf(GAMMA)).c(5.0)
}

/// k by its definition.
fn value(a: &[f64], b: &[f64]) -> f64 {
    (-GAMMA * a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp()
}

/// ‖φ(x) − m‖² for the mean m of the points of one cell of the gate, written out.
fn distances(model: &LocalModel<Vectors, VectorExpr>, x: &Dense<f64>, i: usize) -> Vec<f64> {
    let mean = |members: &[usize], other: &[f64]| {
        members.iter().map(|&m| value(x.row(m), other)).sum::<f64>() / members.len() as f64
    };
    let blocks = model.gate.coefficients().blocks.iter();
    let clusters = blocks.map(|block| &model.support[block.points.clone()]);
    let distance = |members: &[usize]| {
        let square = members.iter().map(|&m| mean(members, x.row(m))).sum::<f64>() / members.len() as f64;
        1.0 - 2.0 * mean(members, x.row(i)) + square
    };
    clusters.map(distance).collect()
}

#[test]
fn with_one_cell_it_is_the_exact_machine() {
    let (x, y) = stripes(700);
    let x = Vectors::from(x);
    let exact = svc().fit(&x, &y).unwrap();
    let model = Local::new(svc()).cells(1).fit(&x, &y).unwrap();
    assert_eq!(model.cells.len(), 1);
    assert_eq!(model.cells[0].classifier.as_ref(), Some(&exact));
    assert_eq!(model.predict(&x).unwrap(), exact.predict(&x).unwrap());
    assert_eq!(model.certificates(), exact.certificates);
}

#[test]
fn a_point_goes_to_the_nearest_centre() {
    let (x, y) = stripes(1500);
    let points = Vectors::from(x.clone());
    let model = Local::new(svc()).cells(6).fit(&points, &y).unwrap();
    assert_eq!(model.cells.len(), 6);
    let (nearest, mut close) = (model.nearest(&points).unwrap(), 0);
    for (i, &cell) in nearest.iter().enumerate() {
        let distances = distances(&model, &x, i);
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        // Kernel values of the gate are in single precision: of two that are nearer than this to each other either is right.
        assert!(distances[cell] - least < 1e-5, "point {i}: {distances:?}, cell {cell}");
        close += usize::from(distances.iter().filter(|&d| d - least < 1e-5).count() > 1);
    }
    assert!(close < 15, "{close} points lie between two cells");
    // They are means of the points that they are means of: about as far from them as k-means can do.
    let sizes: Vec<usize> = (0..6).map(|cell| nearest.iter().filter(|&&c| c == cell).count()).collect();
    assert_eq!(sizes, model.cells.iter().map(|cell| cell.size).collect::<Vec<_>>());
    assert!(sizes.iter().all(|&size| size > 50), "{sizes:?}");
}

#[test]
fn each_cell_has_the_machine_of_its_own_points() {
    let (x, y) = stripes(1500);
    let x = Vectors::from(x);
    let weights: Vec<f64> = (0..x.len()).map(|i| [0.0, 0.5, 1.0, 2.0, 1.5][i % 5]).collect();
    let tight = || svc().slack(Slack::Squared).tolerance(1e-5);
    let each = tight().class_weight("c", 2.0).class_weight("a", 0.5);
    let model = Local::new(each).cells(7).fit_weighted(&x, &y, &weights).unwrap();
    let (nearest, predicted) = (model.nearest(&x).unwrap(), model.predict(&x).unwrap());
    let (mut all, mut without) = (BTreeSet::new(), 0);
    for (number, cell) in model.cells.iter().enumerate() {
        let index: Vec<usize> = (0..x.len()).filter(|&i| nearest[i] == number && weights[i] > 0.0).collect();
        assert_eq!(cell.size, index.len());
        let own = Labels::first_seen(index.iter().map(|&i| y.name(i)));
        let own_weights: Vec<f64> = index.iter().map(|&i| weights[i]).collect();
        let mut again = tight();
        if own.classes().contains(&"c".to_owned()) {
            again = again.class_weight("c", 2.0);
        } else {
            without += 1;
        }
        let again = again.class_weight("a", 0.5).fit_weighted(&x.select(&index), &own, &own_weights).unwrap();
        let machine = cell.classifier.as_ref().unwrap();
        // The classes may be numbered otherwise, and rounding is that of another cache: the objective is the same.
        let objective = |model: &mercer::model::SvcModel<_, _>| {
            model.certificates.iter().map(|c| c.objective).sum::<f64>()
        };
        let (found, expected) = (objective(machine), objective(&again));
        assert!((found - expected).abs() < 1e-6 * expected.abs(), "cell {number}: {found} {expected}");
        assert!(machine.certificates.iter().all(|c| c.stop == Stop::Converged && c.gap.is_some()));
        let labels = again.predict(&x.select(&index)).unwrap();
        let differ = index.iter().zip(labels).filter(|(i, label)| predicted[**i] != *label).count();
        assert!(differ <= index.len() / 200, "cell {number}: {differ} of {} differ", index.len());
        // Positions are those of the whole data.
        for (place, &i) in machine.support.iter().enumerate() {
            assert!(nearest[i] == number && all.insert(i));
            assert_eq!(machine.expansion.points().select(&[place]), x.select(&[i]));
        }
    }
    assert_eq!(all.len(), model.support_points());
    assert!(without > 0, "every cell has all classes");
}

#[test]
fn cells_side_by_side_are_as_near_the_optimum_as_the_values_between_them_are_small() {
    const C: f64 = 5.0;
    let (x, y) = stripes(300);
    let y = Labels::first_seen((0..300).map(|i| if y.name(i) == "a" { "a" } else { "b" }));
    let sign = |i: usize| if y.name(i) == y.classes()[0] { 1.0 } else { -1.0 };
    let points = Vectors::from(x.clone());
    let machine = svc().c(C).offset(false).tolerance(1e-6);
    let model = Local::new(machine.clone()).cells(5).fit(&points, &y).unwrap();
    let spread = |classifier: &mercer::model::SvcModel<_, _>, beta: &mut Vec<f64>| {
        let first = classifier.classes[0] == y.classes()[0];
        let values = classifier.expansion.coefficients().blocks.iter().flat_map(|block| &block.values);
        classifier.support.iter().zip(values).for_each(|(&i, &b)| beta[i] = if first { b } else { -b });
    };
    let (mut beside, mut best) = (vec![0.0; 300], vec![0.0; 300]);
    model.cells.iter().filter_map(|cell| cell.classifier.as_ref()).for_each(|cell| spread(cell, &mut beside));
    spread(&machine.fit(&points, &y).unwrap(), &mut best);
    let nearest = model.nearest(&points).unwrap();
    let objective = |beta: &[f64]| -> f64 {
        let row = |i: usize| (0..300).map(|j| beta[j] * value(x.row(i), x.row(j))).sum::<f64>();
        (0..300).map(|i| beta[i] * (0.5 * row(i) - sign(i))).sum()
    };
    let between = |i: usize| {
        (0..300).filter(|&j| nearest[i] != nearest[j]).map(|j| value(x.row(i), x.row(j))).sum::<f64>()
    };
    let bound = 0.5 * C * C * (0..300).map(between).sum::<f64>();
    let lost = objective(&beside) - objective(&best);
    assert!(lost > 1e-3 && lost < bound, "{lost} of at most {bound}");
}

#[test]
fn a_mean_price_is_that_of_all_points() {
    let (x, y) = stripes(600);
    let x = Vectors::from(x);
    let mean = Local::new(svc().c(3000.0).mean(true)).cells(4).fit(&x, &y).unwrap();
    assert_eq!(mean, Local::new(svc().c(3000.0 / 600.0)).cells(4).fit(&x, &y).unwrap());
}

#[test]
fn the_bits_do_not_depend_on_the_number_of_threads() {
    let (x, y) = stripes(3000);
    let (x, local) = (Vectors::from(x), Local::new(svc()).cells(9));
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = local.fit(&x, &y).unwrap();
            let predicted = model.predict_index(&x).unwrap();
            (model, predicted)
        })
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
}

#[test]
fn the_number_of_cells_goes_with_the_points() {
    let (x, y) = stripes(400);
    let x = Vectors::from(x);
    let count = |local: Local<VectorExpr>| local.fit(&x, &y).map(|model| model.cells.len());
    assert_eq!(count(Local::new(svc())).unwrap(), 1);
    assert_eq!(count(Local::new(svc()).cells(40)).unwrap(), 40);
    for cells in [0, 513] {
        let error = count(Local::new(svc()).cells(cells)).unwrap_err().to_string();
        assert_eq!(error, format!("cells = {cells}: must be from 1 to 512"));
    }
    // Three different points are three cells, each of one class.
    let few = Vectors::dense(1, [0.0, 1.0, 5.0].repeat(20));
    let model =
        Local::new(svc()).cells(8).fit(&few, &Labels::first_seen(["u", "v", "u"].repeat(20))).unwrap();
    assert!(model.cells.iter().all(|cell| cell.classifier.is_none() && cell.size == 20));
    assert_eq!(model.predict(&Vectors::dense(1, vec![4.0, 0.9, -1.0])).unwrap(), ["u", "v", "u"]);
}

#[test]
fn sparse_points_and_a_file_decide_as_dense_ones_do() {
    let (x, y) = stripes(900);
    let rows = x.len();
    let sparse =
        Sparse::new(2, (0..=rows).map(|i| 2 * i).collect(), [0, 1].repeat(rows), x.values().to_vec());
    let (dense, sparse) = (Vectors::from(x), Vectors::from(sparse));
    let local = Local::new(svc()).cells(5);
    let (model, other) = (local.fit(&dense, &y).unwrap(), local.fit(&sparse, &y).unwrap());
    let predicted = model.predict_index(&dense).unwrap();
    let found = other.predict_index(&sparse).unwrap();
    let differ = predicted.iter().zip(&found).filter(|(a, b)| a != b).count();
    assert!(differ < 9, "{differ} of 900 differ");
    let saved = Saved::from(other);
    let mut back = Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap();
    assert_eq!(back, saved);
    back.model.widen(7);
    let model = back.model.downcast::<LocalModel<Vectors, VectorExpr>>().unwrap();
    assert_eq!(model.predict_index(&sparse.clone().with_width(7)).unwrap(), found);
    assert!(model.predict_index(&sparse).unwrap_err().to_string().contains("7"));
    let error = libsvm::print(&saved).unwrap_err().to_string();
    assert!(error.contains("kind 'local' in a LIBSVM model"), "{error}");
}

#[test]
fn a_limit_and_a_wish_to_stop_end_every_cell() {
    let (x, y) = stripes(2000);
    let x = Vectors::from(x);
    let stops = |model: &LocalModel<Vectors, VectorExpr>| -> Vec<Stop> {
        model.certificates().iter().map(|c| c.stop).collect()
    };
    let brief = svc().solver(Smo { time_limit: Some(Duration::ZERO), ..Smo::default() });
    let model = Local::new(brief).cells(4).fit(&x, &y).unwrap();
    assert!(stops(&model).iter().all(|&stop| stop == Stop::TimeLimit));
    // What was not reached has its most frequent class.
    let nearest = model.nearest(&x).unwrap();
    for (number, Cell { class, .. }) in model.cells.iter().enumerate() {
        let count =
            |c: usize| (0..x.len()).filter(|&i| nearest[i] == number && y.index()[i] as usize == c).count();
        assert!((0..3).all(|other| count(other) <= count(*class)), "cell {number}");
    }
    let common: Vec<usize> = nearest.iter().map(|&cell| model.cells[cell].class).collect();
    assert_eq!(model.predict_index(&x).unwrap(), common);
    let (mut calls, mut parts) = (0, BTreeSet::new());
    let mut watch = |event: Event<'_>| {
        let Event::Round(progress) = event else { panic!("a solver has rounds") };
        calls += 1;
        parts.insert((progress.part, progress.parts));
        if calls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let model = Local::new(svc()).cells(4).fit_in(&x, &y, &mut Job::new().watched(&mut watch)).unwrap();
    assert!(stops(&model).contains(&Stop::Interrupted));
    assert_eq!(calls, 3);
    assert!(parts.iter().all(|&(part, parts)| part < 4 && parts == 4));
}

#[test]
fn what_cannot_be_used_is_refused() {
    let fit = |svc: Svc<VectorExpr>, values: Vec<f64>, labels: &[&str]| {
        let model = Local::new(svc).cells(2).fit(&Vectors::dense(1, values), &Labels::first_seen(labels));
        model.unwrap_err().to_string()
    };
    let labels = ["a", "b", "a", "b"];
    assert!(fit(svc(), vec![0.0, f64::NAN, 1.0, 2.0], &labels).contains("row 2, column 1"));
    assert!(fit(svc(), vec![0.0; 3], &labels).contains("4"));
    assert!(fit(svc(), vec![], &[]).contains("no"));
    assert!(fit(svc(), vec![0.0; 4], &["a"; 4]).contains("only one class"));
    assert!(fit(svc().c(-1.0), vec![0.0; 4], &labels).contains("c = -1"));
    assert!(fit(svc().class_weight("z", 2.0), vec![0.0; 4], &labels).contains("class 'z'"));
    let weighted = |weights: &[f64]| {
        let (x, y) = (Vectors::dense(1, vec![0.0; 4]), Labels::first_seen(labels));
        Local::new(svc()).cells(2).fit_weighted(&x, &y, weights).unwrap_err().to_string()
    };
    assert!(weighted(&[1.0; 3]).contains("one for each point"));
    assert!(weighted(&[1.0, 0.0, 1.0, 0.0]).contains("only one class"));
    // Two points that no function can tell apart are named by their rows in the data.
    let inseparable = fit(svc().c(f64::INFINITY), vec![0.0, 9.0, 9.1, 9.0, 0.1], &["a", "a", "b", "b", "a"]);
    assert!(inseparable.contains("points 2 and 4"), "{inseparable}");
}
