//! A fit goes on from a checkpoint to the optimum that it would have found; a file that is no checkpoint of it is refused.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mercer::data::{LabelSets, Labels, SplitMix, Vectors};
use mercer::model::file::{Saved, Writer};
use mercer::model::{
    AnyEstimator, AnyKernel, AnyModel, AnyPoints, CHECKPOINTED, Checkpoint, Event, Job, Method, TargetKind,
    Targets, Totals, Value,
};
use mercer::solve::Stop;
use safetensors::SafeTensors;

const ROWS: usize = 150;

/// Three clouds that overlap, two features.
fn data() -> (AnyPoints, Vec<usize>) {
    let mut random = SplitMix(3);
    let class: Vec<usize> = (0..ROWS).map(|i| i % 3).collect();
    let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
    let x: Vec<f64> = class
        .iter()
        .flat_map(|&c| [c as f64 + normal(), if c == 1 { 1.0 } else { 0.0 } + normal()])
        .collect();
    (Vectors::dense(2, x).into(), class)
}

/// A fit that takes many rounds.
struct Fit {
    estimator: AnyEstimator,
    kernel: AnyKernel,
    x: AnyPoints,
    y: Targets<AnyPoints>,
    folder: tempfile::TempDir,
}

impl Fit {
    fn new(method: &str) -> Self {
        let card = Method::<Vectors>::find(method).unwrap().card();
        let kernel = AnyKernel::Vectors(card.kernel.unwrap_or("rbf(gamma=2)").parse().unwrap());
        let mut estimator = AnyEstimator::new(method, kernel.clone()).unwrap();
        // One step a round; passes over the dual in place of a few steps of Newton's method.
        let many = [("working-set", Value::Whole(2)), ("tolerance", Value::Number(1e-4))];
        let dual = [("solver", Value::Word("dual".into())), ("tolerance", Value::Number(1e-6))];
        let settings = if estimator.get("working-set").is_some() { &many } else { &dual };
        // Logistic regression by Newton's method, whose few steps are rounds too.
        let kept = settings.iter().filter(|(name, _)| method != "logistic" || *name != "solver");
        kept.for_each(|(name, value)| estimator.set(name, value).unwrap());
        let (x, class) = data();
        let words = || class.iter().map(|c| format!("class {c}"));
        let y = match card.target {
            TargetKind::Classes => Targets::Classes(Labels::first_seen(words())),
            TargetKind::Sets => Targets::Sets(LabelSets::split(words())),
            TargetKind::None => Targets::None,
            _ => Targets::Numbers(vec![class.iter().map(|&c| c as f64 * 1.1).collect()]),
        };
        Self { estimator, kernel, x, y, folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("kept")
    }

    /// A checkpoint that is written when a test says so.
    fn open(&self) -> mercer::Result<Checkpoint> {
        self.open_every(Duration::MAX)
    }

    fn open_every(&self, every: Duration) -> mercer::Result<Checkpoint> {
        let fitted = (&self.estimator, &self.kernel);
        Checkpoint::open(&self.file(), every, fitted, (&self.x, &self.y, &[]))
    }

    /// Fits for at most so many rounds; gives the model and how many there were.
    fn run(&self, checkpoint: Option<&Checkpoint>, most: u64) -> (AnyModel, u64) {
        let mut rounds = 0;
        let mut watch = |event: Event<'_>| {
            rounds += u64::from(matches!(event, Event::Round(_)));
            if rounds > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let mut job = Job::new().watched(&mut watch);
        job.checkpoint = checkpoint;
        let model = self.estimator.fit(&self.x, &self.y, &mut job).unwrap();
        (model, rounds)
    }
}

fn totals(model: &AnyModel) -> Totals {
    model.quality().totals().unwrap()
}

#[test]
fn every_method_that_has_them_goes_on_to_the_same_optimum() {
    for method in CHECKPOINTED {
        let fit = Fit::new(method);
        let (whole, rounds) = fit.run(None, u64::MAX);
        assert!(rounds >= 4, "{method}: {rounds} rounds are too few to be interrupted");
        let checkpoint = fit.open().unwrap();
        assert!(!checkpoint.goes_on());
        let (kept, _) = fit.run(Some(&checkpoint), u64::MAX);
        let bytes = |model: &AnyModel| Saved::new(model.clone()).to_bytes().unwrap();
        assert!(bytes(&whole) == bytes(&kept), "{method}: keeping the iterate changes the answer");
        checkpoint.write().unwrap();
        let ended = fit.open().unwrap();
        // From the end there is nothing left to do.
        let (again, few) = fit.run(Some(&ended), u64::MAX);
        assert!(4 * few <= rounds.max(8), "{method}: {few} rounds from the end, {rounds} in all");
        ended.remove().unwrap();
        for share in [4, 2] {
            let first = fit.open().unwrap();
            let (early, _) = fit.run(Some(&first), rounds / share);
            assert_eq!(totals(&early).stop, Stop::Interrupted, "{method}");
            first.write().unwrap();
            let second = fit.open().unwrap();
            assert!(second.goes_on() && second.failure().is_none());
            let (model, left) = fit.run(Some(&second), u64::MAX);
            let (a, b) = (totals(&whole), totals(&model));
            assert_eq!(b.stop, a.stop, "{method}");
            // Each is within its own gap of the optimum.
            let (ours, theirs) = (a.gap.unwrap(), b.gap.unwrap());
            let off = (a.objective - b.objective).abs();
            assert!(off <= ours + theirs + 1e-9 * a.objective.abs(), "{method}: {a:?} {b:?}");
            assert!(left < rounds, "{method}: {left} rounds after {}, {rounds} in all", rounds / share);
            second.remove().unwrap();
        }
        let off = (totals(&again).objective - totals(&whole).objective).abs();
        assert!(off <= totals(&again).gap.unwrap() + totals(&whole).gap.unwrap(), "{method}");
    }
}

#[test]
fn the_iterate_is_written_while_the_fit_goes_on() {
    for method in ["svc", "one-class", "linear-svc"] {
        let fit = Fit::new(method);
        let (whole, rounds) = fit.run(None, u64::MAX);
        let first = fit.open_every(Duration::ZERO).unwrap();
        // What a kill would leave behind: nothing is written when the fit ends.
        let kept = fit.folder.path().join("copy");
        let mut seen = 0;
        let mut watch = |_: Event<'_>| {
            seen += 1;
            if seen == rounds.min(60) / 2 {
                std::fs::copy(fit.file(), &kept).unwrap();
            }
            if seen < rounds.min(60) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let mut job = Job::new().watched(&mut watch).checkpoint(&first);
        fit.estimator.fit(&fit.x, &fit.y, &mut job).unwrap();
        std::fs::rename(&kept, fit.file()).unwrap();
        let second = fit.open().unwrap();
        let (model, left) = fit.run(Some(&second), u64::MAX);
        let (a, b) = (totals(&whole), totals(&model));
        assert!(
            (a.objective - b.objective).abs() <= a.gap.unwrap() + b.gap.unwrap(),
            "{method}: {a:?} {b:?}"
        );
        assert!(b.stop == a.stop && left < rounds, "{method}: {left} rounds, {rounds} in all");
    }
}

#[test]
fn methods_without_are_refused_by_name() {
    let (x, _) = data();
    for method in Method::<Vectors>::all() {
        let name = method.card().name;
        let kernel = AnyKernel::Vectors(method.card().kernel.unwrap_or("rbf(gamma=1)").parse().unwrap());
        let mut estimator = AnyEstimator::new(name, kernel.clone()).unwrap();
        let open = |estimator: &AnyEstimator| {
            let file = Path::new("never written");
            Checkpoint::open(file, Duration::ZERO, (estimator, &kernel), (&x, &Targets::None, &[])).map(drop)
        };
        if CHECKPOINTED.contains(&name) {
            open(&estimator).unwrap();
            if estimator.set("scheme", &Value::Word("crammer-singer".into())).is_ok() {
                let error = open(&estimator).unwrap_err().to_string();
                assert!(error.contains("with the scheme crammer-singer"), "{error}");
            }
        } else {
            let error = open(&estimator).unwrap_err().to_string();
            assert!(error.contains(&format!("a checkpoint of {name}: svc, ")), "{error}");
        }
    }
}

/// A checkpoint of a fit to its end.
fn written(fit: &Fit) -> Vec<u8> {
    let checkpoint = fit.open().unwrap();
    fit.run(Some(&checkpoint), u64::MAX);
    checkpoint.write().unwrap();
    std::fs::read(fit.file()).unwrap()
}

#[test]
fn a_checkpoint_of_another_fit_is_refused_and_says_what_differs() {
    let mut fit = Fit::new("svr");
    written(&fit);
    let refused = |fit: &Fit| fit.open().map(drop).unwrap_err().to_string();
    fit.estimator.set("c", &Value::Number(7.0)).unwrap();
    let error = refused(&fit);
    assert!(error.ends_with("a checkpoint of another fit: with c 1, not 7"), "{error}");
    fit.estimator.set("c", &Value::Number(1.0)).unwrap();
    // How long a fit may take and with how much memory is no part of what is fitted.
    fit.estimator.set("time-limit", &Value::Number(5.0)).unwrap();
    fit.open().unwrap();
    let kernel = std::mem::replace(&mut fit.kernel, AnyKernel::Vectors("linear".parse().unwrap()));
    let error = refused(&fit);
    assert!(error.ends_with("with the kernel rbf(gamma=2), not linear"), "{error}");
    fit.kernel = kernel;
    let Targets::Numbers(lists) = &mut fit.y else { panic!("an svr has numbers") };
    lists[0][17] += 1e-12;
    assert!(refused(&fit).ends_with("to other data"), "{}", refused(&fit));
    let other = Fit::new("svc");
    std::fs::copy(fit.file(), other.file()).unwrap();
    assert!(refused(&other).ends_with("of svr, not of svc"), "{}", refused(&other));
}

#[test]
fn damaged_and_hostile_files_are_refused() {
    let fit = Fit::new("one-class");
    let bytes = written(&fit);
    let open = |bytes: &[u8]| {
        std::fs::write(fit.file(), bytes).unwrap();
        fit.open()
    };
    open(&bytes).unwrap();
    for length in (0..bytes.len()).step_by(7) {
        assert!(open(&bytes[..length]).is_err(), "cut at {length}");
    }
    for place in (0..bytes.len()).step_by(11) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        assert!(open(&damaged).is_err(), "a bit of byte {place}");
    }
    std::fs::remove_file(fit.file()).unwrap();
    std::fs::create_dir(fit.file()).unwrap();
    assert!(fit.open().map(drop).unwrap_err().to_string().ends_with("a checkpoint is a file"));
    std::fs::remove_dir(fit.file()).unwrap();

    // Whole files with a right checksum and wrong numbers.
    let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
    let (entries, tensors) = (header.metadata().clone().unwrap(), SafeTensors::deserialize(&bytes).unwrap());
    let words = |name: &str, width: usize| -> Vec<Vec<u8>> {
        tensors.tensor(name).unwrap().data().chunks(width).map(<[u8]>::to_vec).collect()
    };
    let altered = |change: &dyn Fn(&mut Vec<f64>)| {
        let mut writer = Writer::default();
        for key in ["format", "version", "recipe", "kernel", "data"] {
            writer.entry(key, entries[key].as_str());
        }
        for key in ["lists", "parts"] {
            let list = words(key, 4).into_iter().map(|word| u32::from_le_bytes(word.try_into().unwrap()));
            writer.tensor(key, &[list.len()], list);
        }
        for key in ["problems", "weights-of", "dual-of"] {
            let list = words(key, 8).into_iter().map(|word| u64::from_le_bytes(word.try_into().unwrap()));
            writer.tensor(key, &[list.len()], list);
        }
        let dual = words("dual", 8).into_iter().map(|word| f64::from_le_bytes(word.try_into().unwrap()));
        let mut dual: Vec<f64> = dual.collect();
        change(&mut dual);
        writer.list("dual", &dual);
        writer.list("weights", &[]);
        writer.finish().unwrap()
    };
    assert_eq!(altered(&|_| {}), bytes);
    let error = |change: &dyn Fn(&mut Vec<f64>)| {
        let checkpoint = open(&altered(change));
        let fitted = checkpoint.and_then(|checkpoint| {
            let mut job = Job::new().checkpoint(&checkpoint);
            fit.estimator.fit(&fit.x, &fit.y, &mut job)
        });
        fitted.map(drop).unwrap_err().to_string()
    };
    assert!(error(&|dual| dual[3] = f64::NAN).contains("not finite"));
    assert!(error(&|dual| dual[3] = f64::INFINITY).contains("not finite"));
    let outside = error(&|dual| dual[3] = -1e-9);
    assert!(outside.contains("problem 1: start = -1e-9: must lie in the box"), "{outside}");
    assert!(error(&|dual| dual[3] = 1e300).contains("must lie in the box"));
    let sum = error(&|dual| dual.iter_mut().for_each(|value| *value *= 0.99));
    assert!(sum.contains("problem 1: sum of coefficients"), "{sum}");
    assert!(error(&|dual| dual.truncate(5)).contains("do not fill"));
}

#[test]
fn a_file_that_cannot_be_written_does_not_end_the_fit() {
    let mut fit = Fit::new("svc");
    fit.estimator.set("tolerance", &Value::Number(1e-3)).unwrap();
    let checkpoint = {
        let file = fit.folder.path().join("no such folder").join("kept");
        let fitted = (&fit.estimator, &fit.kernel);
        Checkpoint::open(&file, Duration::ZERO, fitted, (&fit.x, &fit.y, &[])).unwrap()
    };
    let (model, _) = fit.run(Some(&checkpoint), u64::MAX);
    assert_eq!(totals(&model).stop, Stop::Converged);
    assert!(checkpoint.failure().unwrap().contains("no such folder"));
    assert!(checkpoint.write().is_err());
    checkpoint.remove().unwrap();
}
