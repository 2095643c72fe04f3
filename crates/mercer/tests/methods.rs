//! Every method of the table, on every space: fitted by name, saved, loaded, and told about.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use mercer::data::{Cells, Dense, Graph, GraphParts, LabelSets, Labels, Points, Records, Vectors};
use mercer::error::ErrorKind;
use mercer::kernel::Kernel as _;
use mercer::model::file::Saved;
use mercer::model::{
    AnyEstimator, AnyKernel, AnyPoints, Card, Event, How, Job, Kind, Method, Quality, Space, TargetKind,
    Targets, Value,
};

const N: usize = 60;

fn vectors(shift: f64) -> AnyPoints {
    let value = |i: usize, k: f64| (i as f64 * k + shift).sin() + (i % 3) as f64;
    Vectors::dense(2, (0..N).flat_map(|i| [value(i, 0.7), value(i, 1.3)]).collect()).into()
}

fn texts(shift: usize) -> AnyPoints {
    let word = |i: usize| ["abcab", "bcbca", "äöäöü"][i % 3].repeat(1 + (i + shift) % 4) + &"xyz"[..i % 3];
    (0..N).map(word).collect::<Vec<String>>().into()
}

/// Sets of one to four vectors of two features.
fn sets(shift: usize) -> AnyPoints {
    let number = |i: usize, k: usize| ((i * 7 + k + shift) as f64 * 0.9).sin() + (i % 3) as f64;
    let set = |i: usize| {
        Vectors::dense(2, (0..2 * (1 + (i + shift) % 4)).map(|k| number(i, k)).collect::<Vec<f64>>())
    };
    (0..N).map(set).collect::<Vec<Vectors>>().into()
}

/// Columns of texts, graphs, sets and numbers.
fn records(shift: usize) -> AnyPoints {
    let AnyPoints::Texts(texts) = texts(shift) else { unreachable!() };
    let AnyPoints::Graphs(graphs) = graphs(shift) else { unreachable!() };
    let AnyPoints::Sets(sets) = sets(shift) else { unreachable!() };
    let numbers = |k: usize| Cells::Numbers((0..N).map(|i| ((i * k + shift) as f64).cos()).collect());
    let columns = [
        ("age", numbers(3)),
        ("name", Cells::Texts(texts)),
        ("molecule", Cells::Graphs(graphs)),
        ("daily dose", numbers(5)),
        ("bag", Cells::Sets(sets)),
    ];
    Records::new(columns.map(|(name, cells)| (name.to_owned(), cells)).into()).unwrap().into()
}

/// Rings, chains and stars with a few labels, and attributes.
fn graphs(shift: usize) -> AnyPoints {
    let graph = |i: usize| {
        let nodes = 4 + (i + shift) % 5;
        let joined = |a: usize| if i % 3 == 2 { (0, a) } else { (a - 1, a) };
        let ring = (i.is_multiple_of(3)).then_some((0, nodes - 1));
        let edges: Vec<_> = (1..nodes).map(joined).chain(ring).collect();
        let labels = Some((0..nodes).map(|a| ["C", "N", "O"][(a * i + shift) % 3].into()).collect());
        let edge_labels = Some((0..edges.len()).map(|a| ["single", "double"][a * i % 2].into()).collect());
        let attributes = Some(Dense::new(1, (0..nodes).map(|a| ((a + i) as f64).sin()).collect()));
        Graph::new(GraphParts { nodes, edges, labels, edge_labels, attributes }).unwrap()
    };
    (0..N).map(graph).collect::<Vec<_>>().into()
}

fn targets(kind: TargetKind, points: fn(bool) -> AnyPoints) -> Targets<AnyPoints> {
    let names = || (0..N).map(|i| ["a", "b", "c"][i % 3]);
    match kind {
        TargetKind::None => Targets::None,
        TargetKind::Classes => Targets::Classes(Labels::first_seen(names())),
        TargetKind::Number | TargetKind::Numbers => {
            Targets::Numbers(vec![(0..N).map(|i| (i % 3) as f64 + (i as f64).sin() * 0.1).collect()])
        }
        TargetKind::Sets => Targets::Sets(LabelSets::split(names())),
        TargetKind::View => Targets::View(points(true)),
        other => panic!("{other:?} is not tried"),
    }
}

fn cards<X: Space>() -> Vec<Card> {
    Method::<X>::all().iter().map(Method::card).collect()
}

/// Fits every method of a space by name and puts the model through its file. The kernel has no negative values, which are no
/// affinities for spectral clustering.
fn through_the_file(kernel: &str, cards: &[Card], points: fn(bool) -> AnyPoints) {
    let (x, new) = (points(false), points(true));
    for card in cards {
        let kernel: AnyKernel = card.kernel.unwrap_or(kernel).parse().unwrap();
        let estimator = AnyEstimator::new(card.name, kernel.clone()).unwrap();
        estimator.check().unwrap();
        let model = estimator.fit(&x, &targets(card.target, points), &mut Job::new());
        let model = model.unwrap_or_else(|error| panic!("{}: {error}", card.name));
        // The model has what the kernel left to the data.
        let settled = kernel.about(&x).unwrap();
        assert_eq!((model.kind(), model.kernel()), (card.kind, settled), "{}", card.name);
        // All points, in an order that a method may choose.
        if let Some(reference) = model.kernel().reference().unwrap() {
            assert_eq!(reference.weights.iter().sum::<f64>(), N as f64, "{}", card.name);
        }
        assert_ne!(model.quality(), Quality::Unknown, "{} has a quality", card.name);
        assert!(!model.words().is_empty() && !model.outputs().1.is_empty());
        let saved = Saved::new(model);
        let back = Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap();
        assert_eq!(back, saved, "{}", card.name);
        assert_eq!(back.model.space(), x.space());
        let how = How::default();
        let (before, after) = (saved.model.predict(&new, how), back.model.predict(&new, how));
        match (before, after) {
            (Ok(before), Ok(after)) => assert_eq!(before, after, "{}", card.name),
            (Err(_), Err(_)) => {
                let (a, b) = (saved.model.components(&new).unwrap(), back.model.components(&new).unwrap());
                assert_eq!(a, b, "{}", card.name);
            }
            (before, after) => panic!("{}: {before:?} {after:?}", card.name),
        }
    }
}

#[test]
fn every_method_fits_vectors_by_name_and_comes_back_from_its_file() {
    through_the_file("rbf(gamma=0.5) + 0.1*poly(gamma=1, degree=2, coef0=1)", &cards::<Vectors>(), |new| {
        vectors(if new { 0.1 } else { 0.0 })
    });
}

/// A count of work that a fit may go on with for ever, and is asked to end, or a count of things that it does not have.
#[test]
fn no_whole_number_is_too_large_for_a_method() {
    let x = vectors(0.0);
    let mut tried = 0;
    for card in cards::<Vectors>() {
        for about in card.parameters.iter().filter(|about| about.kind == Kind::Whole) {
            for number in [1_000_000_000_000, i64::MAX as u64] {
                let kernel: AnyKernel = card.kernel.unwrap_or("rbf(gamma=0.5)").parse().unwrap();
                let mut estimator = AnyEstimator::new(card.name, kernel).unwrap();
                if estimator.set(about.name, &Value::Whole(number)).is_err() || estimator.check().is_err() {
                    continue;
                }
                let (started, name) = (Instant::now(), format!("{} {} = {number}", card.name, about.name));
                let mut watch = |_: Event<'_>| match started.elapsed() > Duration::from_millis(50) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                };
                let mut job = Job::new().watched(&mut watch);
                // An answer or an error, and neither an abort nor a wait without end.
                let _ = estimator.fit(&x, &targets(card.target, |_| vectors(0.1)), &mut job);
                assert!(started.elapsed() < Duration::from_secs(10), "{name}: {:?}", started.elapsed());
                tried += 1;
            }
        }
    }
    assert!(tried > 40, "{tried}");
}

#[test]
fn every_method_fits_texts_by_name_and_comes_back_from_its_file() {
    let kernel = "normalized(spectrum(p=2)) + 0.1*spectrum(p=1)";
    through_the_file(kernel, &cards::<Vec<String>>(), |new| texts(usize::from(new)));
}

#[test]
fn every_method_fits_graphs_by_name_and_comes_back_from_its_file() {
    let kernel = "normalized(wl(h=2)) + 0.1*edges + normalized(propagation)";
    through_the_file(kernel, &cards::<Vec<Graph>>(), |new| graphs(usize::from(new)));
}

#[test]
fn every_method_of_sets_goes_through_the_file() {
    for kernel in [
        "normalized(set(rbf(gamma=0.5))) + pyramid(side=0.5, levels=3, shifts=2)",
        "set(linear + 9)",
        "1 + normalized(pyramid(shifts=2))",
    ] {
        through_the_file(kernel, &cards::<Vec<Vectors>>(), |new| sets(usize::from(new)));
    }
}

#[test]
fn every_method_of_tables_goes_through_the_file() {
    let text = "normalized(spectrum(p=2)@name) + normalized(wl(h=2))@molecule*(rbf(1)@[age, \"daily dose\"]) + set@bag + pyramid(levels=4)@bag";
    through_the_file(text, &cards::<Records>(), |new| records(usize::from(new)));
}

/// exp keeps affinities positive.
#[test]
fn every_method_has_a_centred_kernel_about_all_of_its_points_and_its_file_keeps_them() {
    through_the_file("exp(0.5*centered(rbf + normalized(centered(linear))))", &cards::<Vectors>(), |new| {
        vectors(if new { 0.1 } else { 0.0 })
    });
    let texts = |new| texts(usize::from(new));
    through_the_file("exp(centered(normalized(spectrum(p=2))))", &cards::<Vec<String>>(), texts);
    let graphs = |new| graphs(usize::from(new));
    through_the_file("exp(centered(normalized(wl(h=2))))", &cards::<Vec<Graph>>(), graphs);
    through_the_file("exp(centered(set))", &cards::<Vec<Vectors>>(), |new| sets(usize::from(new)));
    let text = "exp(centered(normalized(spectrum(p=2)@name) + rbf(1)@[age, \"daily dose\"]))";
    through_the_file(text, &cards::<Records>(), |new| records(usize::from(new)));
}

#[test]
fn names_are_one_each_and_parameters_can_be_set_to_what_they_are() {
    let all = cards::<Vectors>();
    let names: BTreeSet<&str> = all.iter().map(|card| card.name).collect();
    assert_eq!(names.len(), all.len());
    assert!(names.contains("svc") && names.contains("kpca"), "{names:?}");
    for card in &all {
        let mut estimator = AnyEstimator::new(card.name, "linear".parse().unwrap()).unwrap();
        let own: BTreeSet<&str> = card.parameters.iter().map(|about| about.name).collect();
        let letters: Vec<char> = card.parameters.iter().filter_map(|about| about.letter).collect();
        let different: BTreeSet<&char> = letters.iter().collect();
        assert!(own.len() == card.parameters.len() && different.len() == letters.len(), "{}", card.name);
        for about in &card.parameters {
            assert_eq!(
                estimator.get(about.name).as_ref(),
                Some(&about.default),
                "{} {}",
                card.name,
                about.name
            );
            estimator.set(about.name, &about.default).unwrap();
            assert!(!about.meaning.is_empty() && !about.domain.is_empty());
            // A value of another kind is refused with what it can be.
            let other = if about.kind == Kind::Weights { Value::Flag(true) } else { Value::Weights(vec![]) };
            let error = estimator.set(about.name, &other).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Setting { .. }),
                "{} {}: {error}",
                card.name,
                about.name
            );
        }
        let error = estimator.set("no-such", &Value::Flag(true)).unwrap_err().to_string();
        assert!(error.contains("'no-such'") && error.contains(card.name), "{error}");
        estimator.check().unwrap();
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let kernel = || "linear".parse::<AnyKernel>().unwrap();
    let error = AnyEstimator::new("boosting", kernel()).err().unwrap().to_string();
    assert!(error.contains("'boosting'") && error.contains("nu-svc"), "{error}");
    let svc = AnyEstimator::new("svc", kernel()).unwrap();
    let classes = Targets::Classes(Labels::first_seen((0..N).map(|i| ["a", "b"][i % 2])));
    let error = svc.fit(&texts(0), &classes, &mut Job::new()).err().unwrap().to_string();
    assert!(error.contains("'texts'") && error.contains("'vectors'"), "{error}");
    let error = svc.fit(&vectors(0.0), &Targets::None, &mut Job::new()).err().unwrap().to_string();
    assert!(error.contains("a class for each point"), "{error}");
    for (text, column, part) in [
        ("spektrum(p=3)", 1, "spectrum"),
        ("rbf(gamma=1) + spectrum(p=3)", 16, "spectrum"),
        ("", 1, "expected"),
        // Vectors know all of it and refuse it by a rule; to other spaces a word further to the right is unknown.
        ("normalized(precomputed)", 1, "new rows of a table do not say k(x, x)"),
        ("1e308*1e308*vertices", 1, "must be finite"),
    ] {
        let error = text.parse::<AnyKernel>().unwrap_err();
        let ErrorKind::KernelText { column: found, .. } = error.kind() else { panic!("{error}") };
        assert_eq!(*found, column, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
    let model = svc.fit(&vectors(0.0), &classes, &mut Job::new()).unwrap();
    assert!(model.predict(&texts(0), How::default()).is_err());
    assert_eq!(model.points().len(), model.support_points());
}
