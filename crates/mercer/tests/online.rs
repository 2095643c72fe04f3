//! Streams: the steps are those of the textbook, and what a stream comes to depends on its points alone.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

use mercer::data::{Labels, Points, SplitMix, Vectors};
use mercer::kernel::{VectorExpr, linear};
use mercer::model::{Pegasos, PegasosStream, StepSizes, StochasticLoss};

const CLASSES: [&str; 4] = ["a", "b", "c", "d"];

/// Rows of `d` features and labels of up to `k` classes, noisy.
fn drawn(n: usize, d: usize, k: usize, seed: u64) -> (Vectors, Vec<&'static str>) {
    let mut random = SplitMix(seed);
    let mut uniform = || 2.0 * random.uniform() - 1.0;
    let mut rows = Vec::new();
    let mut labels = Vec::new();
    for _ in 0..n {
        let row: Vec<f64> = (0..d).map(|_| uniform()).collect();
        let at = (row[0] + 0.3 * row[1] + 0.2 * uniform() + 1.5) / 3.0 * k as f64;
        labels.push(CLASSES[(at as usize).min(k - 1)]);
        rows.extend(row);
    }
    (Vectors::dense(d, rows), labels)
}

/// Settings of every kind.
fn settings() -> Vec<Pegasos<VectorExpr>> {
    let mut all = Vec::new();
    // With the small one the first steps are long and projected far.
    for (alpha, loss) in [0.05, 1e-4]
        .into_iter()
        .flat_map(|alpha| [StochasticLoss::Hinge, StochasticLoss::Logistic].map(|loss| (alpha, loss)))
    {
        for steps in [StepSizes::Inverse, StepSizes::Root, StepSizes::Constant] {
            for (batch, projection, averaging) in
                [(1, false, true), (1, true, false), (7, true, true), (5, false, false)]
            {
                let one = Pegasos::new(linear()).loss(loss).steps(steps).step_size(0.3).alpha(Some(alpha));
                all.push(one.batch(batch).projection(projection).averaging(averaging));
            }
        }
    }
    all
}

fn learnt(settings: &Pegasos<VectorExpr>, classes: &[&str], x: &Vectors, y: &[&str]) -> PegasosStream {
    let classes = classes.iter().map(ToString::to_string).collect();
    let mut stream = PegasosStream::new(settings.clone(), classes).unwrap();
    stream.learn(x, &Labels::first_seen(y)).unwrap();
    stream
}

/// The weights and offsets of all functions, as bits.
fn bits(stream: &PegasosStream) -> Vec<u64> {
    let model = stream.model().unwrap();
    let functions = model.expansion.offsets().len();
    let mut all: Vec<f64> = (0..functions).flat_map(|o| model.weights(o)).collect();
    all.extend(model.expansion.offsets());
    all.iter().map(|number| number.to_bits()).collect()
}

/// Weights, the constant last, of a function that is positive for `class`: each step written out with all of w.
fn written_out(settings: &Pegasos<VectorExpr>, x: &Vectors, y: &[&str], class: &str) -> Vec<f64> {
    let (lambda, d) = (settings.alpha.unwrap(), x.width());
    let (mut w, mut sum, mut weights) = (vec![0.0; d + 1], vec![0.0; d + 1], 0.0);
    let rows: Vec<usize> = (0..x.len()).collect();
    for (t, batch) in rows.chunks(settings.batch).enumerate() {
        let t = (t + 1) as f64;
        let eta = match settings.steps {
            StepSizes::Inverse => 1.0 / (lambda * t),
            StepSizes::Root => settings.step_size / t.sqrt(),
            StepSizes::Constant => settings.step_size,
        };
        let mut step = vec![0.0; d + 1];
        for &i in batch {
            let target = if y[i] == class { 1.0 } else { -1.0 };
            let mut row = vec![1.0; d + 1];
            x.row(i).for_each(|k, value| row[k] = value);
            let m: f64 = row.iter().zip(&w).map(|(x, w)| x * w).sum();
            let beta = match settings.loss {
                StochasticLoss::Hinge => f64::from(target * m < 1.0),
                StochasticLoss::Logistic => 1.0 / (1.0 + (target * m).exp()),
            };
            step.iter_mut().zip(&row).for_each(|(s, x)| *s += target * beta * x);
        }
        let share = eta / batch.len() as f64;
        w.iter_mut().zip(&step).for_each(|(w, s)| *w = (1.0 - lambda * eta) * *w + share * s);
        if settings.projection {
            let at_zero: f64 = if settings.loss == StochasticLoss::Hinge { 1.0 } else { 2.0_f64.ln() };
            let norm = w.iter().map(|w| w * w).sum::<f64>().sqrt();
            let factor = ((at_zero / lambda).sqrt() / norm).min(1.0);
            w.iter_mut().for_each(|w| *w *= factor);
        }
        sum.iter_mut().zip(&w).for_each(|(s, w)| *s += t * w);
        weights += t;
    }
    if settings.averaging { sum.iter().map(|s| s / weights).collect() } else { w }
}

#[test]
fn steps_are_those_written_out() {
    for k in [2, 3] {
        let (x, y) = drawn(200, 5, k, 3 + k as u64);
        for settings in settings() {
            let stream = learnt(&settings, &CLASSES[..k], &x, &y);
            let model = stream.model().unwrap();
            for (o, class) in CLASSES[..if k == 2 { 1 } else { k }].iter().enumerate() {
                let expected = written_out(&settings, &x, &y, class);
                let mut found = model.weights(o);
                found.push(-model.expansion.offsets()[o]);
                for (a, b) in found.iter().zip(&expected) {
                    assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{settings:?} {class}: {a} and {b}");
                }
            }
        }
    }
}

#[test]
fn pieces_are_the_whole_to_the_bit() {
    let mut random = SplitMix(11);
    for (case, settings) in settings().into_iter().enumerate() {
        let k = 2 + case % 3;
        let (x, y) = drawn(300, 4, k, case as u64);
        let whole = learnt(&settings, &[], &x, &y);
        let mut stream = PegasosStream::new(settings.clone(), Vec::new()).unwrap();
        let mut first = 0;
        while first < 300 {
            let end = (first + 1 + (40.0 * random.uniform()) as usize).min(300);
            let index: Vec<usize> = (first..end).collect();
            stream.learn(&x.select(&index), &Labels::first_seen(&y[first..end])).unwrap();
            // Through bytes and back, and a model on the way, which changes nothing.
            let _ = stream.model();
            stream = PegasosStream::from_bytes(settings.clone(), &stream.to_bytes().unwrap()).unwrap();
            first = end;
        }
        assert_eq!(stream.to_bytes().unwrap(), whole.to_bytes().unwrap(), "{settings:?}");
        assert_eq!(bits(&stream), bits(&whole), "{settings:?}");
        assert_eq!(stream.progressive(), whole.progressive());
    }
}

#[test]
fn classes_found_are_those_named_to_the_bit() {
    for (case, settings) in settings().into_iter().enumerate() {
        for k in 2..=4 {
            let (x, y) = drawn(250, 3, k, 100 + case as u64);
            let found = learnt(&settings, &[], &x, &y);
            let order: Vec<&str> = found.classes().iter().map(String::as_str).collect();
            assert_eq!(order.len(), k);
            assert_eq!(bits(&found), bits(&learnt(&settings, &order, &x, &y)), "{k} classes, {settings:?}");
        }
    }
}

#[test]
fn bits_do_not_depend_on_the_threads_nor_on_the_storage_of_other_features() {
    let (x, y) = drawn(3000, 40, 4, 5);
    let settings = Pegasos::new(linear()).alpha(Some(1e-3));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| bits(&learnt(&settings, &[], &x, &y)))
    };
    let one = on(1);
    assert!(on(2) == one && on(3) == one);
}

#[test]
fn points_are_predicted_before_they_are_learnt_from() {
    let (x, y) = drawn(120, 3, 3, 8);
    let settings = Pegasos::new(linear()).alpha(Some(1e-2)).averaging(false);
    let mut stream =
        PegasosStream::new(settings.clone(), CLASSES[..3].iter().map(ToString::to_string).collect()).unwrap();
    let (mut seen, mut mistakes) = (Vec::new(), 0);
    stream
        .learn_seen(&x, &Labels::first_seen(&y), |example| seen.push(example.predicted.unwrap().to_owned()))
        .unwrap();
    for i in 1..120 {
        let before = learnt(&settings, &CLASSES[..3], &x.select(&(0..i).collect::<Vec<_>>()), &y[..i]);
        let predicted = before.model().unwrap().predict(&x.select(&[i])).unwrap()[0].to_string();
        assert_eq!(seen[i], predicted, "point {i}");
        mistakes += u64::from(predicted != y[i]);
    }
    mistakes += u64::from(seen[0] != y[0]);
    let told = stream.progressive();
    assert_eq!((told.examples, told.mistakes), (120, mistakes));
    assert!(told.cost > 0.0 && mistakes < 60, "{told:?}");
}

#[test]
fn a_class_is_not_predicted_before_it_has_appeared() {
    let (x, y) = drawn(150, 3, 4, 9);
    let mut stream = PegasosStream::new(Pegasos::new(linear()).alpha(Some(1e-2)), Vec::new()).unwrap();
    let mut seen: Vec<&str> = Vec::new();
    stream
        .learn_seen(&x, &Labels::first_seen(&y), |example| {
            assert_eq!(example.predicted.is_none(), seen.is_empty());
            example.predicted.iter().for_each(|class| assert!(seen.contains(class), "{class}"));
            seen.push(y[seen.len()]);
        })
        .unwrap();
    assert_eq!(stream.classes().len(), 4);
}

#[test]
fn a_long_stream_comes_near_the_optimum() {
    let (x, y) = drawn(20_000, 6, 2, 21);
    let labels = Labels::first_seen(&y);
    let lambda = 1e-2;
    let model = learnt(&Pegasos::new(linear()).alpha(Some(lambda)), &[], &x, &y).model().unwrap();
    let first = labels.classes()[0].as_str();
    let objective = |weights: &[f64], offset: f64| {
        let norm: f64 = weights.iter().map(|w| w * w).sum::<f64>() + offset * offset;
        let cost = |i: usize| {
            let mut m = -offset;
            x.row(i).for_each(|k, value| m += value * weights[k]);
            (1.0 - if y[i] == first { m } else { -m }).max(0.0)
        };
        0.5 * lambda * norm + (0..x.len()).map(cost).sum::<f64>() / x.len() as f64
    };
    let exact = mercer::model::LinearSvc::new(linear())
        .loss(mercer::model::Hinges::Hinge)
        .c(1.0 / (lambda * 20_000.0));
    let exact = exact.tolerance(1e-8).fit(&x, &labels).unwrap();
    let best = objective(&exact.weights(0), exact.expansion.offsets()[0]);
    let found = objective(&model.weights(0), model.expansion.offsets()[0]);
    assert!(found >= best * (1.0 - 1e-7) && found <= 1.005 * best, "{found} and {best}");
}

#[test]
fn what_cannot_be_learnt_from_is_refused_and_nothing_is_learnt() {
    let (x, y) = drawn(20, 2, 2, 1);
    let mut stream = learnt(&Pegasos::new(linear()), &["a", "b"], &x, &y);
    let before = stream.to_bytes().unwrap();
    let refused = |stream: &mut PegasosStream, x: Vectors, y: &[&str]| {
        stream.learn(&x, &Labels::first_seen(y)).unwrap_err().to_string()
    };
    let strange = refused(&mut stream, Vectors::dense(2, vec![0.0, 1.0, 1.0, 1.0]), &["a", "z"]);
    assert_eq!(strange, "class 'z' is not one of those named");
    assert!(refused(&mut stream, Vectors::dense(2, vec![0.0, f64::NAN]), &["a"]).contains("row 1"));
    assert!(
        refused(&mut stream, Vectors::dense(2, vec![0.0, 1.0]), &["a", "b"]).contains("one for each point")
    );
    assert_eq!(stream.to_bytes().unwrap(), before);
    let one = learnt(&Pegasos::new(linear()), &[], &x.select(&[0]), &y[..1]).model().unwrap_err();
    assert!(one.to_string().starts_with("only one class"), "{one}");
    assert!(PegasosStream::new(Pegasos::new(linear()), vec!["a".into()]).is_err());
    assert!(PegasosStream::new(Pegasos::new(linear()).alpha(Some(-1.0)), Vec::new()).is_err());
    assert!(PegasosStream::new(Pegasos::new(linear()).class_weight("a", 2.0), Vec::new()).is_err());
    // Damaged or shortened states are refused, whichever byte it is.
    for at in (0..before.len()).step_by(7) {
        let mut bytes = before.clone();
        bytes[at] ^= 0x10;
        assert!(PegasosStream::from_bytes(Pegasos::new(linear()), &bytes).is_err(), "byte {at}");
        assert!(PegasosStream::from_bytes(Pegasos::new(linear()), &before[..at]).is_err(), "{at} bytes");
    }
    assert!(PegasosStream::from_bytes(Pegasos::new(linear()).averaging(false), &before).is_err());
}

#[test]
fn a_model_can_be_gone_on_from() {
    let (x, y) = drawn(400, 3, 3, 4);
    let settings = Pegasos::new(linear()).alpha(Some(1e-2));
    let labels = Labels::first_seen(&y);
    let model = settings.fit(&x, &labels).unwrap();
    let stream = PegasosStream::resumed(settings, &model, 1000).unwrap();
    let same = stream.model().unwrap();
    assert_eq!(same.predict(&x).unwrap(), model.predict(&x).unwrap());
    assert_eq!(same.weights(1), model.weights(1));
}
