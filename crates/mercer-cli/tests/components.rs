//! Kernel PCA from the command line: train, inspect, transform, draw, denoise.

#![expect(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod common;

use common::{Place, assert_close};

/// Points near a circle, as CSV.
fn circle(rows: usize, off: f64) -> String {
    let row = |i: usize| {
        let angle = i as f64 * 2.399_963;
        let radius = 1.0 + off * ((i * 7919 % 101) as f64 / 50.5 - 1.0);
        format!("{:.6},{:.6},0.25\n", radius * angle.cos(), radius * angle.sin())
    };
    format!("x,y,z\n{}", (0..rows).map(row).collect::<String>())
}

fn column(text: &str, at: usize) -> Vec<f64> {
    text.lines().skip(1).map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

#[test]
fn components_of_the_lecture_have_its_structure() {
    let place = Place::new();
    let run = place.run("train -m kpca --components 8 -k rbf(gamma=10) --json @three_clusters c.mercer").ok();
    let report = run.json();
    let values: Vec<f64> =
        report["eigenvalues"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    // The lecture's figure, within two of the deviations that other draws of the same clusters have.
    let lecture = [21.72, 21.65, 4.11, 3.93, 3.66, 3.09, 2.60, 2.53];
    let deviations = [0.67, 0.74, 0.44, 0.32, 0.31, 0.29, 0.29, 0.32];
    for ((found, expected), deviation) in values.iter().zip(lecture).zip(deviations) {
        assert_close(*found, expected, 2.0 * deviation);
    }
    assert!(report["residual"].as_f64().unwrap() < 1e-12);
    place.run("transform --figure c.svg @three_clusters c.mercer c.csv").ok();
    let text = place.read("c.csv");
    assert!(text.starts_with("component1,component2,"), "{text}");
    let scores: Vec<Vec<f64>> = (0..8).map(|c| column(&text, c)).collect();
    let means = |c: usize| [0, 30, 60].map(|from| scores[c][from..from + 30].iter().sum::<f64>() / 30.0);
    let spread = |c: usize, cluster: usize| {
        let part = &scores[c][30 * cluster..30 * cluster + 30];
        let mean = part.iter().sum::<f64>() / 30.0;
        (part.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / 30.0).sqrt()
    };
    // Components 1 and 2 together separate the clusters: their means are far apart for the spread within.
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        let apart = (means(0)[a] - means(0)[b]).hypot(means(1)[a] - means(1)[b]);
        let within = (0..2).flat_map(|c| [spread(c, a), spread(c, b)]).fold(0.0, f64::max);
        assert!(apart > 4.0 * within, "clusters {a} and {b}: {apart} {within}");
    }
    // Components 3 to 5 halve clusters: one of them has both signs, far from 0 for its size, and the mean of each is small.
    for c in 2..5 {
        let halved = (0..3).any(|cluster| {
            let part = &scores[c][30 * cluster..30 * cluster + 30];
            let above = part.iter().filter(|score| **score > 0.05).count();
            let below = part.iter().filter(|score| **score < -0.05).count();
            above >= 8 && below >= 8
        });
        assert!(halved, "component {}", c + 1);
        assert!(means(c).iter().all(|mean| mean.abs() < 0.1), "component {}: {:?}", c + 1, means(c));
    }
    let picture = place.read("c.svg");
    assert!(picture.contains("1: eigenvalue 21.8") && picture.ends_with("</svg>\n"));
    let shown = place.run("inspect c.mercer").ok().out;
    assert!(shown.contains("8 components") && shown.contains("relative residual"), "{shown}");
}

#[test]
fn data_and_model_stand_in_either_order_and_components_can_be_fewer() {
    let place = Place::new();
    place.write("a.csv", circle(60, 0.1));
    place.run("train -m kpca --components 4 -k rbf(1) --label none a.csv a.mercer").ok();
    let one = place.run("transform --label none a.csv a.mercer").ok();
    let other = place.run("transform --label none a.mercer a.csv").ok();
    assert_eq!(one.out, other.out);
    assert!(one.err.contains("60 rows, 4 components"), "{}", one.err);
    place.run("transform --label none --components 2 a.csv a.mercer two.csv").ok();
    assert!(place.read("two.csv").starts_with("component1,component2\n"));
    let warned = place.run("train -m kpca --components 9 -k linear --label none a.csv b.mercer").ok();
    assert!(warned.err.contains("9 components were asked for; there are 2 components"), "{}", warned.err);
}

#[test]
fn noise_is_taken_out_of_a_table() {
    let place = Place::new();
    place.write("clean.csv", circle(120, 0.0));
    place.write("noisy.csv", circle(120, 0.25));
    place.run("train -m kpca --components 6 -k rbf(0.5) -s standard --label none clean.csv a.mercer").ok();
    for way in ["fixed-point", "distances --neighbours 2", "ridge"] {
        let line =
            format!("denoise --way {way} --label none --clean clean.csv --json noisy.csv a.mercer out.csv");
        let report = place.run(&line).ok().json();
        let noise = report["noise_mean_square"].as_f64().unwrap();
        let error = report["models"][0]["mean_square_error"].as_f64().unwrap();
        assert!(error < 0.35 * noise, "{way}: {error} {noise}");
        let text = place.read("out.csv");
        assert!(text.starts_with("x,y,z\n"), "{text}");
        // In the units of the data, not of the scaling.
        assert!(column(&text, 2).iter().all(|z| (z - 0.25).abs() < 1e-9));
    }
    place.run("train -m kpca --components 1 -k linear --label none clean.csv b.mercer").ok();
    let line = "denoise --label none --noise gaussian=0.1 --seed 7 --components 2,4,6 --beside b.mercer \
                --shape 1x3 --panel p.svg clean.csv a.mercer";
    let out = place.run(line).ok().out;
    assert!(out.contains("came to rest") && out.contains("linear") && out.contains("  <"), "{out}");
    assert!(place.read("p.svg").contains("kernel PCA, "));
    assert_eq!(place.run(line).ok().out.lines().count(), out.lines().count());
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let place = Place::new();
    place.write("a.csv", circle(30, 0.1));
    place.write("same.csv", "x,y,z\n1,2,3\n1,2,3\n");
    place.run("train -m kpca --components 3 -k laplace(1) --label none a.csv a.mercer").ok();
    place.run("train -m one-class --label none a.csv one.mercer").ok();
    let refused = |line: &str, code: i32, text: &str| {
        let run = place.run(line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.err);
        assert!(run.err.contains(text), "{line}: {}", run.err);
    };
    refused("train -m kpca --components 0 --label none a.csv b.mercer", 2, "components = 0");
    refused("train -m kpca -c 1 --label none a.csv b.mercer", 2, "does not have it; it has --components");
    refused("train --components 3 --label z a.csv b.mercer", 2, "--components");
    refused("train -m kpca --label none same.csv b.mercer", 1, "no variance");
    refused("train -m kpca --memory 1 --label none a.csv b.mercer", 2, "--memory 1");
    refused("transform --label none a.csv one.mercer", 2, "has no components");
    refused("transform --components 9 --label none a.csv a.mercer", 2, "components = 9");
    refused("transform --figure f.svg --label none a.csv a.mercer", 2, "over two features");
    refused("predict --label none a.csv a.mercer", 5, "use mercer transform");
    refused("denoise --label none a.csv one.mercer", 2, "has no components");
    refused("denoise --way fixed-point --label none a.csv a.mercer", 5, "another kernel than rbf");
    refused("denoise --way distances --label none a.csv a.mercer", 5, "neither distance nor inner product");
    refused("denoise --components 1,2 --label none a.csv a.mercer", 2, "need --clean or --noise");
    refused("denoise --panel p.svg --shape 2x2 --label none a.csv a.mercer", 2, "a row has 3 features");
    refused("denoise --noise pink=1 --label none a.csv a.mercer", 2, "gaussian and speckle");
    refused("denoise --clean same.csv --label none a.csv a.mercer", 2, "same.csv has 2 rows");
    refused("convert a.mercer a.model", 5, "kpca");
}
