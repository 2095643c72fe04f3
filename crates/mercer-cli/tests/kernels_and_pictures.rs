//! `mercer kernel`, `mercer demo`, completions and manual pages.

mod common;

use common::Place;

#[test]
fn a_kernel_passes_its_check_and_an_indefinite_function_fails() {
    let place = Place::new();
    let run = place.run("kernel check --spectrum 5 rbf(gamma=0.5) @heart_scale").ok();
    assert!(run.out.contains("positive semi-definite on 270 rows"), "{}", run.out);
    assert!(run.out.contains("… 265 more"), "{}", run.out);
    let run = place.run("kernel check --json tanh(gamma=1,coef0=-1) @heart_scale");
    assert_eq!(run.code, Some(3));
    let report = run.json();
    assert_eq!(report["valid"], false);
    assert!(report["witness"].as_f64().unwrap() < 0.0, "{report}");
    assert!(report["smallest"].as_f64().unwrap() < 0.0);
    let run = place.run("kernel check --rows 50 linear @heart_scale").ok();
    assert!(run.out.contains("50 of 270 rows"), "{}", run.out);
}

#[test]
fn kernels_are_shown_in_canonical_form() {
    let place = Place::new();
    place.run("kernel show rbf(0.5)+linear*2").ok().says("rbf(gamma=0.5) + 2*linear").says("0.rbf.gamma");
    place.run("kernel list").ok().says("matern(nu=1.5, length=1)");
}

#[test]
fn the_demo_draws_a_picture_and_says_where() {
    let place = Place::new();
    let out = place.run("demo").ok().out;
    assert!(out.contains("held-out accuracy 90.") && out.contains("mercer-demo.svg"), "{out}");
    let picture = place.read("mercer-demo.svg");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(picture.contains("Held-out accuracy 90.") && picture.contains("support point"));
    place.run("demo --kernel poly(degree=5,coef0=1) -c 0.5 --out other.svg").ok();
    assert_eq!(place.files(), ["mercer-demo.svg", "other.svg"]);
}

#[test]
fn help_names_every_exit_code() {
    let place = Place::new();
    let out = place.run("--help").ok().out;
    for code in ["  0 ", "  1 ", "  2 ", "  3 ", "  4 ", "  5 ", "  130 "] {
        assert!(out.contains(code), "{code}");
    }
    assert!(place.run("--version").ok().out.starts_with("mercer "));
}

#[test]
fn completions_and_manual_pages_are_made() {
    let place = Place::new();
    assert!(place.run("completions bash").ok().out.contains("_mercer"));
    assert!(place.run("man").ok().out.contains(".TH mercer"));
    place.run("man pages").ok();
    assert!(place.read("pages/mercer-train.1").contains("tolerance"));
}

/// A picture that is whole, and in which no number is missing.
fn is_picture(text: &str) {
    assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"), "{}", &text[..text.len().min(200)]);
    for word in ["NaN", "inf ", "inf\"", "-inf"] {
        assert!(!text.contains(word), "{word}");
    }
}

#[test]
fn each_kind_of_figure_is_drawn() {
    let place = Place::new();
    let sinc: String =
        (0..40).map(|i| f64::from(i) / 4.0 - 5.0).map(|x| format!("{},{x}\n", x.sin())).collect();
    std::fs::write(place.path("sinc.csv"), sinc).unwrap();
    for train in [
        "-k rbf(gamma=4) --probability platt @ripley svc.mercer",
        "-m kpca --components 4 -k rbf(gamma=10) @three_clusters kpca.mercer",
        "-m fisher -k rbf(gamma=1) @ripley fisher.mercer",
        "-m som @iris_scale som.mercer",
        "-m svdd -c 0.05 @three_clusters svdd.mercer",
        "-m rvc -k rbf(gamma=4) @ripley rvc.mercer",
        "-s standard @iris_scale iris.mercer",
        "-m rvr -k rbf(gamma=0.5) --label 1 --header no sinc.csv rvr.mercer",
        "-m ridge -k rbf(gamma=1) @ripley ridge.mercer",
        "-m kpca --components 8 -k rbf(gamma=0.001) @digits8x8 digits.mercer",
    ] {
        place.run(&format!("train -q {train}")).ok();
    }
    place.run("search -q --no-refit -k rbf(gamma=2^-3..2^1) -c 2^-1..2^3 --csv scores.csv @ripley").ok();
    for (plot, says) in [
        ("decision-surface svc.mercer @ripley", "support point"),
        ("decision-surface @ripley svc.mercer", "margin, f = ±1"),
        ("decision-surface svdd.mercer @three_clusters", "border, f = 0"),
        ("decision-surface rvc.mercer @ripley", "relevance vector"),
        ("decision-surface ridge.mercer @ripley", "from "),
        ("decision-surface iris.mercer @iris_scale --features 3,4", "class 3"),
        ("decision-surface rvr.mercer sinc.csv --label 1 --header no", "two deviations"),
        ("contours kpca.mercer @three_clusters", "4: eigenvalue"),
        ("components kpca.mercer @three_clusters", "component 2"),
        ("components fisher.mercer @ripley", "component 1"),
        ("margins svc.mercer @ripley", "decision, y f(x) = 0"),
        ("roc svc.mercer @ripley", "area 0.9"),
        ("roc iris.mercer @iris_scale", "class 3: area"),
        ("calibration svc.mercer @ripley", "as it should be"),
        ("risk svc.mercer @ripley", "rows inside the margin"),
        ("denoising digits.mercer @digits8x8 --shape 8x8 --noise gaussian=4", "noisy"),
        ("som-map som.mercer", "U-matrix"),
        ("kernel rbf(gamma=2) linear@gaussians(count=3) --range -2,2", "basis functions"),
        ("gram rbf(gamma=10) @three_clusters", "data:image/png"),
        ("gram rbf(gamma=10) @three_clusters --clusters 3", "cluster 2"),
        ("spectrum rbf(gamma=4) @ripley", "cut, d = "),
        ("nu-sweep rbf(gamma=4) @ripley", "ν = 0.8: 0.7"),
        ("path rbf(gamma=4) @ripley -c 10", "gap: what is proved"),
        ("search scores.csv", "accuracy by rows left out"),
    ] {
        place.run(&format!("plot {plot} -q --out one.svg")).ok();
        let picture = place.read("one.svg");
        is_picture(&picture);
        assert!(picture.contains(says), "{plot}: {says}");
        std::fs::remove_file(place.path("one.svg")).unwrap();
    }
    assert!(place.run("plot kernel linear -o -").ok().out.starts_with("<svg "));
    place.run("plot gram rbf @three_clusters").ok().says("picture  gram.svg");
    assert_eq!(place.run("plot gram rbf @three_clusters --json").ok().json()["kind"], "gram");
}

#[test]
fn figures_of_what_cannot_be_drawn_are_refused() {
    let place = Place::new();
    place.run("train -q @ripley svc.mercer").ok();
    place.run("train -q @iris_scale iris.mercer").ok();
    place.run("train -q -m kpca @iris_scale kpca.mercer").ok();
    std::fs::write(place.path("empty.csv"), "").unwrap();
    std::fs::write(place.path("one.txt"), "1 1:0 2:0\n1 1:1 2:1\n").unwrap();
    std::fs::write(place.path("rows.csv"), "rank,kernel,c,accuracy,accuracy spread\n1,rbf\n").unwrap();
    let before = place.files();
    for (plot, code, says) in [
        ("pie svc.mercer @ripley", 2, "pie"),
        ("roc svc.mercer", 2, "takes 2: mercer plot roc MODEL DATA"),
        ("roc svc.mercer @ripley @ripley", 2, "3 given"),
        ("roc svc.mercer @ripley --clusters 3", 2, "--clusters: roc does not have it"),
        ("roc svc.mercer @ripley -o roc.png", 2, "pictures are SVG here"),
        ("roc svc.mercer nowhere.txt", 4, "nowhere.txt"),
        ("roc nowhere.mercer @ripley", 4, "nowhere.mercer"),
        ("roc svc.mercer one.txt", 2, "nothing to tell apart"),
        ("roc svc.mercer @iris_scale", 2, "knows no class"),
        ("roc svc.mercer empty.csv", 1, "no rows"),
        ("calibration svc.mercer @ripley", 2, "--probability"),
        ("margins iris.mercer @iris_scale", 2, "two classes"),
        ("contours kpca.mercer @iris_scale", 2, "two features, not 4"),
        ("contours svc.mercer @ripley", 2, "kernel PCA"),
        ("components svc.mercer @ripley", 2, "no components"),
        ("decision-surface svc.mercer @ripley --features 1,7", 2, "there are 2"),
        ("decision-surface svc.mercer @ripley --features 1", 2, "two different ones"),
        ("decision-surface svc.mercer @ripley -o svc.mercer", 2, "pictures are SVG"),
        ("denoising kpca.mercer @iris_scale", 2, "--shape"),
        ("denoising kpca.mercer @iris_scale --shape 8x8", 2, "a row has 4 features"),
        ("som-map svc.mercer", 2, "self-organising map"),
        ("kernel rbg(gamma=1)", 2, "did you mean rbf"),
        ("kernel spectrum(p=3)", 2, "kernels of numbers"),
        ("kernel linear --range 2,1", 2, "the lower first"),
        ("gram rbf(gamma=nan) @ripley", 2, "gamma"),
        ("gram rbf @digits8x8", 2, "1797 rows"),
        ("gram rbf @three_clusters --clusters 0", 2, "clusters"),
        ("nu-sweep rbf @iris_scale", 2, "of two"),
        ("path rbf @iris_scale", 2, "of two"),
        ("path rbf @ripley -c -1", 2, "c = -1"),
        ("search rows.csv", 2, "rows.csv:2: 2 cells"),
        ("search @ripley", 1, ""),
        ("search empty.csv", 2, "empty.csv:1"),
    ] {
        let run = place.run(&format!("plot {plot}"));
        assert!(
            run.code == Some(code) || says.is_empty() && run.code != Some(0),
            "{plot}: {:?} {}",
            run.code,
            run.err
        );
        run.says(says);
    }
    assert_eq!(place.files(), before);
}
