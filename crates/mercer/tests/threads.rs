//! Every method gives the same model, byte by byte, on 1, 2, 3 and 8 threads: on points enough for every computation to be
//! divided, and more threads than most machines that run this have.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use mercer::data::{Dense, Graph, GraphParts, LabelSets, Labels, Points, Vectors};
use mercer::model::file::Saved;
use mercer::model::{AnyEstimator, AnyKernel, AnyPoints, Card, Job, Method, Space, TargetKind, Targets};

const THREADS: [usize; 4] = [1, 2, 3, 8];

struct Noise(u64);

impl Noise {
    /// Uniform on [0, 1).
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() * bound as f64) as usize
    }
}

/// Overlapping classes about three centres, of which each point is a neighbour.
fn vectors(n: usize, seed: u64) -> AnyPoints {
    let mut noise = Noise(seed);
    let point = |i: usize, noise: &mut Noise| {
        let shift = (i % 3) as f64;
        [shift, -shift, shift * 0.5, 0.0, 0.0, 0.0].map(|center| center + 2.0 * noise.next() - 1.0)
    };
    Vectors::dense(6, (0..n).flat_map(|i| point(i, &mut noise)).collect()).into()
}

fn texts(n: usize, seed: u64) -> AnyPoints {
    let mut noise = Noise(seed);
    let text = |i: usize, noise: &mut Noise| {
        let letters = ["abcab", "bcbxa", "xyzay"][i % 3].as_bytes();
        (0..10 + noise.below(30)).map(|_| char::from(letters[noise.below(5)])).collect::<String>()
    };
    (0..n).map(|i| text(i, &mut noise)).collect::<Vec<String>>().into()
}

fn graphs(n: usize, seed: u64) -> AnyPoints {
    let mut noise = Noise(seed);
    let graph = |i: usize, noise: &mut Noise| {
        let nodes = 4 + noise.below(8);
        let mut edges: Vec<(usize, usize)> = (1..nodes).map(|a| (noise.below(a), a)).collect();
        edges.extend(
            (i.is_multiple_of(3) && nodes > 2 && !edges.contains(&(0, nodes - 1))).then_some((0, nodes - 1)),
        );
        let labels = Some((0..nodes).map(|_| ["C", "N", "O"][noise.below(2 + i % 2)].into()).collect());
        let attributes = Some(Dense::new(1, (0..nodes).map(|_| noise.next()).collect()));
        Graph::new(GraphParts { nodes, edges, labels, edge_labels: None, attributes }).unwrap()
    };
    (0..n).map(|i| graph(i, &mut noise)).collect::<Vec<_>>().into()
}

fn sets(n: usize, seed: u64) -> AnyPoints {
    let mut noise = Noise(seed);
    let set = |i: usize, noise: &mut Noise| {
        let rows = 1 + noise.below(5);
        Vectors::dense(2, (0..2 * rows).map(|_| noise.next() + (i % 3) as f64).collect::<Vec<f64>>())
    };
    (0..n).map(|i| set(i, &mut noise)).collect::<Vec<Vectors>>().into()
}

/// Classes, numbers and sets of labels of which a fifth is wrong, so that fits have work to do.
fn targets(kind: TargetKind, n: usize, view: &dyn Fn() -> AnyPoints) -> Targets<AnyPoints> {
    let mut noise = Noise(99);
    let mut class = |i: usize| if noise.next() < 0.2 { noise.below(3) } else { i % 3 };
    let classes: Vec<usize> = (0..n).map(&mut class).collect();
    let names = || classes.iter().map(|&class| ["a", "b", "c"][class]);
    match kind {
        TargetKind::None => Targets::None,
        TargetKind::Classes => Targets::Classes(Labels::first_seen(names())),
        TargetKind::Number | TargetKind::Numbers => {
            Targets::Numbers(vec![classes.iter().map(|&class| class as f64 + noise.next()).collect()])
        }
        TargetKind::Sets => Targets::Sets(LabelSets::split(names())),
        TargetKind::View => Targets::View(view()),
        other => panic!("{other:?} is not tried"),
    }
}

fn cards<X: Space>() -> Vec<Card> {
    Method::<X>::all().iter().map(Method::card).collect()
}

/// Fits each method on each number of threads; the files are the same.
fn same_bits(kernel: &str, cards: &[Card], points: &dyn Fn(u64) -> AnyPoints) {
    let x = points(1);
    for card in cards {
        let kernel: AnyKernel = card.kernel.unwrap_or(kernel).parse().unwrap();
        let estimator = AnyEstimator::new(card.name, kernel).unwrap();
        let targets = targets(card.target, x.len(), &|| points(2));
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let model = estimator.fit(&x, &targets, &mut Job::new());
                Saved::new(model.unwrap_or_else(|error| panic!("{}: {error}", card.name))).to_bytes().unwrap()
            })
        };
        let first = on(THREADS[0]);
        for threads in &THREADS[1..] {
            assert!(on(*threads) == first, "{} of {} on {threads} threads", card.name, x.space());
        }
    }
}

#[test]
fn every_method_of_vectors_has_the_same_bits_on_any_number_of_threads() {
    same_bits("rbf(gamma=0.3)", &cards::<Vectors>(), &|seed| vectors(400, seed));
}

/// From 2,000 points on, programmes may be solved in single precision, and divided.
#[test]
fn support_vector_machines_of_many_points_have_the_same_bits_on_any_number_of_threads() {
    let mut cards = cards::<Vectors>();
    cards.retain(|card| card.name.ends_with("svc") || card.name.ends_with("svr") || card.name == "svdd");
    assert!(cards.len() >= 5, "{}", cards.len());
    same_bits("rbf(gamma=0.3)", &cards, &|seed| vectors(2_300, seed));
}

#[test]
fn every_method_of_texts_has_the_same_bits_on_any_number_of_threads() {
    let kernel = "normalized(spectrum(p=2)) + 0.1*normalized(subsequence(p=3))";
    same_bits(kernel, &cards::<Vec<String>>(), &|seed| texts(90, seed));
}

#[test]
fn every_method_of_graphs_has_the_same_bits_on_any_number_of_threads() {
    let kernel = "normalized(wl(h=2)) + 0.1*normalized(propagation)";
    same_bits(kernel, &cards::<Vec<Graph>>(), &|seed| graphs(90, seed));
}

#[test]
fn every_method_of_sets_has_the_same_bits_on_any_number_of_threads() {
    same_bits("normalized(set(rbf(gamma=0.5)))", &cards::<Vec<Vectors>>(), &|seed| sets(90, seed));
}
