//! Fits in rounds over shards: the answer of the fit in memory, the same bits whoever merges, and what landmarks cost.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;

use mercer::data::{Labels, Points, ReadOptions, SplitMix, Stream, Vectors};
use mercer::kernel::{Kernel, LandmarkChoice, Nystrom, Reference, VectorExpr, linear, rbf};
use mercer::model::{
    Cost, Estimator, Fact, Job, LinearModel, LinearSolver, LinearSvc, LinearSvr, Logistic, Ridge, Rounds,
    Stats, Zones,
};
use mercer::solve::Stop;

type Fitted = LinearModel<Vectors, VectorExpr>;

const N: usize = 240;

struct Case {
    x: Vectors,
    /// ±1
    sides: Vec<f64>,
    numbers: Vec<f64>,
}

fn case(seed: u64) -> Case {
    let mut random = SplitMix(seed);
    let x = Vectors::dense(2, (0..2 * N).map(|_| 2.0 * random.uniform() - 1.0).collect::<Vec<f64>>());
    let noise: Vec<f64> = (0..N).map(|_| 0.3 * (2.0 * random.uniform() - 1.0)).collect();
    let at = |i: usize| 3.0 * x.row(i).get(0).sin() * x.row(i).get(1) + noise[i];
    let numbers: Vec<f64> = (0..N).map(at).collect();
    let sides = numbers.iter().map(|y| if *y > 0.1 { 1.0 } else { -1.0 }).collect();
    Case { x, sides, numbers }
}

fn fitted(kernel: &VectorExpr, x: &Vectors) -> VectorExpr {
    kernel.fitted(&Reference::new(x), &mut |_| ControlFlow::Continue(())).unwrap()
}

fn kernel(m: usize) -> VectorExpr {
    2.0 * linear().on(Nystrom::new(rbf(1.5), m).seed(4).into())
}

/// The stats of the rows from each border to the next.
fn shards(rounds: &Rounds, case: &Case, targets: &[f64], c: f64, borders: &[usize]) -> Vec<Stats> {
    let of = |ends: &[usize]| {
        let rows: Vec<usize> = (ends[0]..ends[1]).collect();
        rounds.stats(&case.x.select(&rows), &targets[ends[0]..ends[1]], &vec![c; rows.len()]).unwrap()
    };
    borders.windows(2).map(of).collect()
}

/// Rounds to their end; how many there were.
fn run(rounds: &mut Rounds, case: &Case, targets: &[f64], c: f64, borders: &[usize]) -> usize {
    let mut count = 0;
    while rounds.certificate().is_none() {
        let stats = Stats::merge(shards(rounds, case, targets, c, borders)).unwrap();
        rounds.solve(&stats).unwrap();
        count += 1;
    }
    count
}

fn cost(cost: Cost, y: f64, c: f64, m: f64) -> f64 {
    match cost {
        Cost::SquaredHinge => c * (1.0 - y * m).max(0.0).powi(2),
        Cost::Logistic => c * (-y * m).exp().ln_1p(),
        Cost::SquaredInsensitive(e) => c * ((y - m).abs() - e).max(0.0).powi(2),
        _ => unreachable!("has a kink"),
    }
}

#[test]
fn rounds_end_where_a_fit_in_memory_ends() {
    for seed in 0..4 {
        let case = case(seed);
        let (own, c) = (fitted(&kernel(25), &case.x), [0.1, 1.0, 30.0][seed as usize % 3]);
        let labels = Labels::first_seen(case.sides.iter().map(|y| if *y > 0.0 { "a" } else { "b" }));
        let first = case.sides[0];
        let sides: Vec<f64> = case.sides.iter().map(|y| y * first).collect();
        let solver = || LinearSolver { tolerance: 1e-10, ..LinearSolver::default() };
        let svr = |e: f64| LinearSvr::new(own.clone()).c(c).epsilon(e).loss(Zones::Squared).solver(solver());
        let all: [(Cost, &[f64], Fitted); 4] = [
            (
                Cost::SquaredHinge,
                &sides,
                LinearSvc::new(own.clone()).c(c).solver(solver()).fit(&case.x, &labels).unwrap(),
            ),
            (
                Cost::Logistic,
                &sides,
                Logistic::new(own.clone()).c(c).solver(solver()).fit(&case.x, &labels).unwrap(),
            ),
            (Cost::SquaredInsensitive(0.2), &case.numbers, svr(0.2).fit(&case.x, &case.numbers).unwrap()),
            (Cost::SquaredInsensitive(0.0), &case.numbers, svr(0.0).fit(&case.x, &case.numbers).unwrap()),
        ];
        for (loss, targets, model) in all {
            let mut rounds = Rounds::new(&own, 2, loss).unwrap().until(1e-12, 100);
            let count = run(&mut rounds, &case, targets, c, &[0, 100, 100, 137, N]);
            assert!(count <= if loss == Cost::SquaredInsensitive(0.0) { 1 } else { 30 }, "{loss:?}: {count}");
            let proved = rounds.certificate().unwrap();
            assert_eq!(proved.stop, Stop::Converged);
            let (found, memory) = (proved.objective, model.certificates[0].objective);
            // The larger gap is a 1e-10th of the primal objective.
            assert!((found / memory - 1.0).abs() < 1e-9, "{loss:?}: {found} {memory}");
            // The primal objective by its definition, at the weights as they are.
            let (w, values) = (rounds.weights(), rounds.values(&case.x).unwrap());
            let square: f64 = w.iter().map(|w| w * w).sum();
            let costs: f64 = values.iter().zip(targets).map(|(f, y)| cost(loss, *y, c, *f)).sum();
            let primal = proved.gap.unwrap() - found;
            assert!((primal - 0.5 * square - costs).abs() < 1e-10 * primal, "{loss:?}");
            let other = model.values(&case.x).unwrap();
            assert!(values.iter().zip(other.values()).all(|(a, b)| (a - b).abs() < 1e-4), "{loss:?}");
        }
    }
}

#[test]
fn with_all_points_as_landmarks_squared_errors_are_kernel_ridge() {
    let case = case(7);
    let exact = rbf(30.0);
    let own = fitted(&linear().on(Nystrom::new(exact.clone(), N).into()), &case.x);
    let (lambda, new) = (0.05, Vectors::dense(2, vec![0.1, 0.2, -0.7, 0.4, 0.9, -0.9]));
    let mut rounds =
        Rounds::new(&own, 2, Cost::SquaredInsensitive(0.0)).unwrap().constant(0.0).until(1e-14, 3);
    run(&mut rounds, &case, &case.numbers, 0.5 / lambda, &[0, 50, N]);
    let ridge = Ridge::new(exact).lambda(lambda).offset(false).fit(&case.x, &case.numbers).unwrap();
    let values = ridge.values(&new).unwrap();
    assert!(rounds.values(&new).unwrap().iter().zip(values.values()).all(|(a, b)| (a - b).abs() < 1e-8));
}

#[test]
fn the_bits_depend_on_the_shards_and_on_nothing_else() {
    let case = case(8);
    let rounds = Rounds::new(&fitted(&kernel(20), &case.x), 2, Cost::Logistic).unwrap();
    let borders = [0, 31, 31, 90, 200, 203, N];
    let all = shards(&rounds, &case, &case.sides, 1.0, &borders);
    let merged = Stats::merge(all.clone()).unwrap().to_bytes();
    // By hand: ((0 + 1) + (2 + 3)) + (4 + 5), through bytes.
    let through = |stats: &Stats| Stats::from_bytes(&stats.to_bytes()).unwrap();
    let plus = |a: &Stats, b: &Stats| {
        let mut sum = through(a);
        sum.plus(&through(b)).unwrap();
        sum
    };
    let by_hand = plus(&plus(&plus(&all[0], &all[1]), &plus(&all[2], &all[3])), &plus(&all[4], &all[5]));
    assert!(by_hand.to_bytes() == merged && by_hand.rows() == N as u64);
    // A shard far away knows the kernel, the round and the weights.
    let far = Rounds::new(&fitted(&kernel(20), &case.x), 2, Cost::Logistic)
        .unwrap()
        .at(0, rounds.weights())
        .unwrap();
    assert!(shards(&far, &case, &case.sides, 1.0, &borders)[2].to_bytes() == all[2].to_bytes());
    assert!(far.at(0, &[0.5]).is_err());
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let again =
            pool.install(|| Stats::merge(shards(&rounds, &case, &case.sides, 1.0, &borders)).unwrap());
        assert!(again.to_bytes() == merged, "{threads} threads");
    }
}

#[test]
fn what_landmarks_cost_bounds_the_distance_from_the_exact_optimum() {
    let mut tightest = f64::INFINITY;
    for (seed, choose) in [
        (1, LandmarkChoice::Uniform),
        (2, LandmarkChoice::KMeans),
        (3, LandmarkChoice::Leverage),
        (4, LandmarkChoice::Pivot),
    ] {
        let case = case(seed);
        let (exact, c) = (rbf(1.0), 0.5);
        for loss in [Cost::SquaredHinge, Cost::Logistic, Cost::SquaredInsensitive(0.1)] {
            let targets = if loss == Cost::SquaredInsensitive(0.1) { &case.numbers } else { &case.sides };
            let primal = |rounds: &Rounds| {
                let proved = rounds.certificate().unwrap();
                proved.gap.unwrap() - proved.objective
            };
            let solved = |m: usize| {
                let own = fitted(&linear().on(Nystrom::new(exact.clone(), m).choose(choose).into()), &case.x);
                let mut rounds = Rounds::new(&own, 2, loss).unwrap().until(1e-11, 100);
                run(&mut rounds, &case, targets, c, &[0, N]);
                rounds
            };
            // All points as landmarks: the exact problem.
            let optimum = primal(&solved(N));
            let mut last = f64::INFINITY;
            for m in [4, 10, 25] {
                let rounds = solved(m);
                let part = |rows: std::ops::Range<usize>| {
                    let own: Vec<usize> = rows.clone().collect();
                    rounds
                        .left_out(&case.x.select(&own), &targets[rows.clone()], &vec![c; rows.len()])
                        .unwrap()
                };
                let bound = rounds.exact_gap(part(0..100) + part(100..N)).unwrap();
                let miss = primal(&rounds) - optimum;
                assert!(
                    miss <= bound * (1.0 + 1e-9) + 1e-9 * optimum,
                    "{choose:?} {loss:?} {m}: {miss} {bound}"
                );
                assert!(miss >= -1e-7 * optimum && bound <= last, "{choose:?} {loss:?} {m}: {bound} {last}");
                last = bound;
                tightest = tightest.min(bound / miss.max(1e-9 * optimum));
            }
        }
    }
    // A bound that were infinitely large would hold too.
    assert!(tightest < 1000.0, "{tightest}");
}

#[test]
fn a_stream_is_fitted_as_the_rows_in_memory() {
    let case = case(9);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.libsvm");
    let text: String = (0..N)
        .map(|i| format!("{} 1:{:?} 2:{:?}\n", case.sides[i], case.x.row(i).get(0), case.x.row(i).get(1)))
        .collect();
    std::fs::write(&path, text).unwrap();
    let stream =
        Stream::open(&path, None, &ReadOptions::default(), &mut |_| ControlFlow::Continue(())).unwrap();
    let labels = stream.labels().unwrap().unwrap().labels();
    let solver = LinearSolver { tolerance: 1e-11, ..LinearSolver::default() };
    let svc = LinearSvc::new(kernel(30)).solver(solver.clone());
    let mut job = Job::<Vectors>::new().memory(256 << 20);
    let on_disk: Fitted = svc.fit_stream(&stream, &labels, &mut job).unwrap();
    let mut beside = Job::new();
    let in_memory = svc.fit_in(&case.x, &labels, &mut beside).unwrap();
    let objective = |model: &Fitted| model.certificates[0].objective;
    assert!((objective(&on_disk) / objective(&in_memory) - 1.0).abs() < 1e-9);
    let exact = |job: &Job<'_, Vectors>| match job.found.get("exact_gap") {
        Some(Fact::Numbers(own)) => own[0],
        other => panic!("{other:?}"),
    };
    assert!((exact(&job) / exact(&beside) - 1.0).abs() < 1e-3 && exact(&job) > 0.0);
    assert_eq!(on_disk.predict(&case.x).unwrap(), in_memory.predict(&case.x).unwrap());
    // Frequencies have no landmarks, and nothing is known of what they cost.
    let waves: VectorExpr = "linear @ fourier(rbf(gamma=1), frequencies=20)".parse().unwrap();
    let mut job = Job::<Vectors>::new();
    Logistic::new(waves).solver(solver).fit_stream(&stream, &labels, &mut job).unwrap();
    assert!(job.found.get("exact_gap").is_none());
    let refused = |k: VectorExpr, solver: LinearSolver| {
        LinearSvc::new(k)
            .solver(solver)
            .fit_stream(&stream, &labels, &mut Job::<Vectors>::new())
            .unwrap_err()
            .to_string()
    };
    assert!(refused(rbf(1.0), LinearSolver::default()).contains("linear @ map"));
    let free = LinearSolver { free_offset: true, ..LinearSolver::default() };
    assert!(refused(kernel(5), free).contains("free offset"));
    let hinge = LinearSvc::new(kernel(5)).loss(mercer::model::Hinges::Hinge);
    let error = hinge.fit_stream(&stream, &labels, &mut Job::<Vectors>::new()).unwrap_err();
    assert!(error.to_string().contains("kink"), "{error}");
    let little =
        LinearSvc::new(kernel(30)).fit_stream(&stream, &labels, &mut Job::<Vectors>::new().memory(1 << 20));
    assert!(matches!(little.unwrap_err().kind(), mercer::ErrorKind::Memory { .. }));
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let case = case(10);
    let own = fitted(&kernel(6), &case.x);
    let mut rounds = Rounds::new(&own, 2, Cost::SquaredHinge).unwrap();
    let one = || Vectors::dense(2, vec![0.1, 0.2]);
    let rule = |x: &Vectors, y: &[f64], c: &[f64]| rounds.stats(x, y, c).unwrap_err().to_string();
    assert!(rule(&one(), &[0.5], &[1.0]).contains("must be 1 or -1"));
    assert!(rule(&one(), &[f64::NAN], &[1.0]).contains("finite"));
    assert!(rule(&one(), &[1.0], &[-1.0]).contains("not negative"));
    assert!(rule(&one(), &[], &[1.0]).contains("one per point"));
    assert!(rule(&Vectors::dense(3, vec![0.0; 3]), &[1.0], &[1.0]).contains('3'));
    assert!(rule(&Vectors::dense(2, vec![0.0, f64::INFINITY]), &[1.0], &[1.0]).contains("finite"));
    let nothing = rounds.stats(&Vectors::dense(2, Vec::<f64>::new()), &[], &[]).unwrap();
    assert!(rounds.solve(&nothing).is_err() && Stats::merge(Vec::new()).is_err());
    let stats = rounds.stats(&case.x, &case.sides, &vec![1.0; N]).unwrap();
    // Of another kernel, other landmarks, another round.
    let mut others = vec![
        Rounds::new(&fitted(&kernel(5), &case.x), 2, Cost::SquaredHinge).unwrap(),
        Rounds::new(&fitted(&kernel(6), &one()), 2, Cost::SquaredHinge).unwrap(),
        Rounds::new(&own, 2, Cost::Logistic).unwrap(),
    ];
    for other in &mut others {
        assert!(other.solve(&stats).unwrap_err().to_string().contains("another fit"));
        let theirs = other.stats(&one(), &[1.0], &[1.0]).unwrap();
        assert!(stats.clone().plus(&theirs).is_err());
    }
    rounds.solve(&stats).unwrap();
    assert!(rounds.solve(&stats).unwrap_err().to_string().contains("round 0 in round 1"));
    let bytes = stats.to_bytes();
    for cut in [0, 10, 47, bytes.len() - 1] {
        assert!(Stats::from_bytes(&bytes[..cut]).is_err());
    }
    for place in [0, 17, 41, 60, bytes.len() - 3] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x40;
        assert!(Stats::from_bytes(&damaged).is_err(), "{place}");
    }
    // A number of features that would fill all memory.
    let mut hostile = bytes.clone();
    hostile[40..48].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(Stats::from_bytes(&hostile).is_err());
    let open = Rounds::new(&kernel(6), 2, Cost::Logistic).unwrap_err();
    assert!(open.to_string().contains("before it is fitted"), "{open}");
    assert!(Rounds::new(&rbf(1.0), 2, Cost::Logistic).is_err());
    assert!(Rounds::new(&own, 2, Cost::Hinge).unwrap_err().to_string().contains("kink"));
    assert!(Rounds::new(&own, 3, Cost::Logistic).is_err());
}
