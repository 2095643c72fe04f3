//! Another place to compute can take over all programmes of a fit; what it answers is certified here, or refused.

use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::data::{Labels, Points, Vectors};
use mercer::error::{DataProblem, ErrorKind};
use mercer::gram::{Gram, Lazy};
use mercer::kernel::{Kernel, rbf};
use mercer::model::{Compute, Estimator, Job, NuSvc, OneVsAll, Programme, Programmes, Svc, Svr};
use mercer::solve::{Answer, Watch, unwatched};

/// A stand-in for a device: solves every programme on points of its own, in its own time, and answers all at once.
struct Device {
    /// What is done to the gradient of the first variable before it is handed over.
    lie: f64,
    grams: AtomicUsize,
    solves: AtomicUsize,
}

impl Device {
    fn new(lie: f64) -> Self {
        Self { lie, grams: AtomicUsize::new(0), solves: AtomicUsize::new(0) }
    }
}

impl Compute<Vectors> for Device {
    fn gram<'k>(
        &self,
        kernel: &'k dyn Kernel<Vectors>,
        points: &Vectors,
    ) -> mercer::Result<Box<dyn Gram + 'k>> {
        self.grams.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Lazy::new(kernel, points)?))
    }

    fn solve(
        &self,
        programmes: &Programmes<'_, Vectors>,
        _: Watch<'_>,
    ) -> mercer::Result<Option<Vec<Answer>>> {
        self.solves.fetch_add(1, Ordering::Relaxed);
        let one = |part: usize| {
            let Programme { points, problem } = (programmes.programme)(part);
            let all: Vec<usize> = (0..programmes.points.len()).collect();
            let own = programmes.points.select(&points.unwrap_or(all));
            let gram = Lazy::new(programmes.kernel, &own)?;
            let solved = programmes.solver.solve(&problem, &gram, &mut unwatched())?;
            let mut row = vec![0.0; own.len()];
            let mut gradient = Vec::new();
            for i in 0..own.len() {
                gram.rows_f64(&[i], &mut [&mut row]);
                let sum: f64 = row.iter().zip(&solved.coefficients).map(|(k, b)| k * b).sum();
                gradient.push(sum + problem.linear[i]);
            }
            gradient[0] += self.lie;
            let (coefficients, certificate) = (solved.coefficients, solved.certificate);
            Ok(Answer {
                coefficients,
                gradient,
                iterations: certificate.iterations,
                rows: certificate.rows,
                stop: certificate.stop,
            })
        };
        (0..programmes.count).map(one).collect::<mercer::Result<Vec<_>>>().map(Some)
    }
}

fn data() -> (Vectors, Labels, Vec<f64>) {
    let value = |i: usize, k: f64| (i as f64 * k).sin() + (i % 3) as f64 * 0.8;
    let x = Vectors::dense(2, (0..120).flat_map(|i| [value(i, 0.7), value(i, 1.9)]).collect());
    let y = Labels::first_seen((0..120).map(|i| ["a", "b", "c"][i % 3]));
    (x, y, (0..120).map(|i| value(i, 0.3)).collect())
}

#[test]
fn a_device_takes_over_all_programmes_at_once() {
    let (x, y, targets) = data();
    let device = Device::new(0.0);
    let svc = Svc::new(rbf(0.7)).c(5.0).tolerance(1e-6);
    let there = svc.fit_in(&x, &y, &mut Job::new().on(&device)).unwrap();
    let here = svc.fit(&x, &y).unwrap();
    assert_eq!((device.solves.load(Ordering::Relaxed), device.grams.load(Ordering::Relaxed)), (1, 0));
    for (a, b) in there.certificates.iter().zip(&here.certificates) {
        assert!((a.objective - b.objective).abs() < 1e-6 * b.objective.abs(), "{a:?} {b:?}");
        assert!(a.gap.unwrap() < 1e-3 && a.violation < 1e-5, "{a:?}");
    }
    let (a, b) = (there.decisions(&x).unwrap(), here.decisions(&x).unwrap());
    assert!(a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() < 1e-4));

    // ν-SVR doubles its variables, one against all shares its points; ν-SVC has two sums.
    let svr = Svr::new(rbf(0.7)).c(2.0).nu(0.4).tolerance(1e-6);
    let (a, b) =
        (svr.fit_in(&x, &targets, &mut Job::new().on(&device)).unwrap(), svr.fit(&x, &targets).unwrap());
    let (a, b) = (a.values(&x).unwrap(), b.values(&x).unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-4));
    let ovr = OneVsAll::new(rbf(0.7)).c(2.0).tolerance(1e-6);
    let (a, b) = (ovr.fit_in(&x, &y, &mut Job::new().on(&device)).unwrap(), ovr.fit(&x, &y).unwrap());
    assert_eq!(a.predict(&x).unwrap(), b.predict(&x).unwrap());
    let nu = NuSvc::new(rbf(0.7)).nu(0.3).tolerance(1e-6);
    let (a, b) = (nu.fit_in(&x, &y, &mut Job::new().on(&device)).unwrap(), nu.fit(&x, &y).unwrap());
    let (a, b) = (a.certificates[0].objective, b.certificates[0].objective);
    assert!((a - b).abs() < 1e-4 * b.abs(), "{a} {b}");
    // That of ν-SVC twice: its margin is small, and the second time the unit is such that it is near 1.
    assert_eq!(device.solves.load(Ordering::Relaxed), 5);
}

#[test]
fn an_answer_that_is_not_true_is_refused_by_its_point() {
    let (x, y, _) = data();
    let device = Device::new(0.01);
    let error = Svc::new(rbf(0.7)).fit_in(&x, &y, &mut Job::new().on(&device)).unwrap_err();
    let ErrorKind::Data(DataProblem::Gradient { row: 1, told, computed }) = error.kind() else {
        panic!("{error}")
    };
    assert!((told - computed - 0.01).abs() < 1e-6, "{error}");
}

/// A place that makes Grams and leaves the solving to the processor.
struct Counting(AtomicUsize);

impl Compute<Vectors> for Counting {
    fn gram<'k>(
        &self,
        kernel: &'k dyn Kernel<Vectors>,
        points: &Vectors,
    ) -> mercer::Result<Box<dyn Gram + 'k>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Lazy::new(kernel, points)?))
    }
}

#[test]
fn every_gram_of_a_fit_comes_from_the_place_it_runs_on() {
    let (x, y, targets) = data();
    let place = Counting(AtomicUsize::new(0));
    let grams = || place.0.swap(0, Ordering::Relaxed);
    Svc::new(rbf(0.7)).fit_in(&x, &y, &mut Job::new().on(&place)).unwrap();
    assert_eq!(grams(), 1, "one for all pairs of classes");
    // No room for all values.
    let tight = mercer::solve::Smo { cache_bytes: 0, ..Default::default() };
    Svc::new(rbf(0.7)).solver(tight).fit_in(&x, &y, &mut Job::new().on(&place)).unwrap();
    assert_eq!(grams(), 3, "one for each pair of classes");
    OneVsAll::new(rbf(0.7)).fit_in(&x, &y, &mut Job::new().on(&place)).unwrap();
    assert_eq!(grams(), 1, "one for all classes");
    mercer::model::Ridge::new(rbf(0.7)).fit_in(&x, &[targets], &mut Job::new().on(&place)).unwrap();
    mercer::model::Pca::new(rbf(0.7)).fit_in(&x, &(), &mut Job::new().on(&place)).unwrap();
    mercer::model::Fisher::new(rbf(0.7)).fit_in(&x, &y, &mut Job::new().on(&place)).unwrap();
    mercer::model::Together::new(rbf(0.7)).fit_in(&x, &y, &mut Job::new().on(&place)).unwrap();
    assert_eq!(grams(), 4);
}
