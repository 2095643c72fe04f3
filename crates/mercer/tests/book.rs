//! The Rust of the book, compiled and run. A test for each block; the last one looks that no block of a page is missing here.
#![expect(unused_variables, reason = "a page names what a reader would go on with")]

use std::path::Path;

/// The folder of the project.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn data() -> mercer::Result<()> {
    std::env::set_current_dir(root()).unwrap();
    use mercer::data::{Points, ReadOptions, read};
    use std::path::Path;

    let table = read(Path::new("data/heart_scale.libsvm.gz"), &ReadOptions::default())?;
    assert_eq!((table.points.len(), table.points.width()), (270, 13));
    let labels = table.labels.expect("LIBSVM rows begin with a label").labels();
    Ok(())
}

#[test]
fn kernels_1() -> mercer::Result<()> {
    use mercer::kernel::{VectorExpr, linear, rbf};

    let kernel = rbf(0.5) + 2.0 * linear();
    assert_eq!(kernel.to_string(), "rbf(gamma=0.5) + 2*linear");
    assert_eq!("rbf(0.5) + linear*2".parse::<VectorExpr>()?, kernel);
    Ok(())
}

#[test]
fn kernels_2() -> mercer::Result<()> {
    use mercer::data::Labels;
    use mercer::kernel::TextExpr;
    use mercer::model::Svc;

    let texts: Vec<String> = ["der Hund", "die Katze", "the dog", "the cat"].map(String::from).into();
    let labels = Labels::first_seen(["de", "de", "en", "en"]);
    let kernel: TextExpr = "normalized(spectrum(p=3) + 0.5*spectrum(p=2))".parse()?;
    let model = Svc::new(kernel).fit(&texts, &labels)?;
    assert_eq!(model.predict(&vec!["the horse".to_string()])?, ["en"]);
    Ok(())
}

#[test]
fn kernels_3() -> mercer::Result<()> {
    use mercer::data::Vectors;
    use mercer::kernel::Pointwise;

    let brownian =
        Pointwise::psd(|x: &Vectors, i: usize, y: &Vectors, j: usize| x.row(i).get(0).min(y.row(j).get(0)));
    Ok(())
}

#[test]
fn multiclass() -> mercer::Result<()> {
    use mercer::data::{Labels, Vectors};
    use mercer::kernel::rbf;
    use mercer::model::{Loss, Together};

    let x = Vectors::dense(1, vec![-2.0, -1.8, 0.0, 0.2, 1.9, 2.0]);
    let y = Labels::first_seen(["low", "low", "middle", "middle", "high", "high"]);
    let model = Together::new(rbf(0.5)).loss(Loss::Softmax).c(10.0).fit(&x, &y)?;
    assert_eq!(model.predict(&Vectors::dense(1, vec![0.1]))?, ["middle"]);
    Ok(())
}

#[test]
fn probability() -> mercer::Result<()> {
    use mercer::data::{Labels, Vectors};
    use mercer::kernel::rbf;
    use mercer::model::Svc;
    use mercer::model::probability::{Curve, Settings};

    let x = Vectors::dense(1, (0..40).map(|i| f64::from(i) / 10.0).collect());
    let y = Labels::first_seen((0..40).map(|i| if i < 20 { "low" } else { "high" }));
    let svc = Svc::new(rbf(0.5)).c(10.0);
    let model = svc.fit(&x, &y)?;
    let settings = Settings { method: Curve::Isotonic, folds: 10, seed: 7 };
    let probability = svc.fit_probability(&x, &y, &settings)?;
    let p = probability.predict(&model, &Vectors::dense(1, vec![0.5]))?; // one row, columns low and high
    Ok(())
}

#[test]
fn rde() -> mercer::Result<()> {
    use mercer::data::Vectors;
    use mercer::kernel::rbf;
    use mercer::model::Rde;

    let x: Vec<f64> = (0..100).map(|i| f64::from(i) / 50.0 - 1.0).collect();
    let y: Vec<f64> =
        x.iter().enumerate().map(|(i, x)| (3.0 * x).sin() + if i % 3 == 0 { 0.14 } else { -0.07 }).collect();
    let found = Rde::among([0.01, 0.1, 1.0, 10.0, 100.0].map(rbf)).fit(&Vectors::dense(1, x), &y)?;
    assert!((0.007..0.013).contains(&found.noise.value()));
    Ok(())
}

#[test]
fn regression() -> mercer::Result<()> {
    use mercer::data::Vectors;
    use mercer::kernel::rbf;
    use mercer::model::{OneClass, Svr};

    let x = Vectors::dense(1, (0..40).map(|i| f64::from(i) / 10.0).collect());
    let y: Vec<f64> = (0..40).map(|i| (f64::from(i) / 10.0).sin()).collect();
    let f = Svr::new(rbf(1.0)).c(10.0).epsilon(0.01).fit(&x, &y)?;
    assert!((f.values(&x)?[7] - 0.7f64.sin()).abs() < 0.012);

    let inside = OneClass::new(rbf(1.0)).nu(0.1).fit(&x)?;
    assert!(inside.values(&Vectors::dense(1, vec![1.0]))?[0] > 0.0);
    assert!(inside.values(&Vectors::dense(1, vec![9.0]))?[0] < 0.0);
    Ok(())
}

#[test]
fn ridge() -> mercer::Result<()> {
    use mercer::data::Vectors;
    use mercer::kernel::rbf;
    use mercer::model::Ridge;

    let x = Vectors::dense(1, (0..40).map(|i| f64::from(i) / 10.0).collect());
    let y: Vec<f64> = (0..40).map(|i| (f64::from(i) / 10.0).sin()).collect();
    let path = Ridge::new(rbf(1.0)).path(&x, std::slice::from_ref(&y), &[1e-6, 1e-3, 1.0])?;
    let model = Ridge::new(rbf(1.0)).lambda(path.best().lambda).fit(&x, &y)?;
    assert!((model.values(&x)?.row(7)[0] - 0.7f64.sin()).abs() < 1e-3);
    Ok(())
}

#[test]
fn solver() -> mercer::Result<()> {
    use mercer::data::Vectors;
    use mercer::gram::Lazy;
    use mercer::kernel::linear;
    use mercer::solve::{Problem, Smo, Stop, unwatched};

    // Two points on a line: w = 1, b = 0, β = ±1/2.
    let x = Vectors::dense(1, vec![1.0, -1.0]);
    let kernel = linear();
    let gram = Lazy::new(&kernel, &x)?;
    let problem = Problem::c_svc(&[true, false], &[10.0, 10.0]);
    let solution = Smo::default().solve(&problem, &gram, &mut unwatched())?;
    assert_eq!(solution.coefficients, [0.5, -0.5]);
    assert_eq!(solution.certificate.stop, Stop::Converged);
    Ok(())
}

#[test]
fn svc() -> mercer::Result<()> {
    use mercer::data::{Labels, Vectors};
    use mercer::kernel::rbf;
    use mercer::model::Svc;

    let x = Vectors::dense(1, vec![-2.0, -1.0, 1.0, 2.0]);
    let y = Labels::first_seen(["low", "low", "high", "high"]);
    let model = Svc::new(rbf(0.5)).c(10.0).class_weight("low", 2.0).fit(&x, &y)?;
    assert_eq!(model.predict(&Vectors::dense(1, vec![-1.5, 3.0]))?, ["low", "high"]);
    let certificate = model.certificates[0]; // one for each pair
    Ok(())
}

#[test]
fn sets() -> mercer::Result<()> {
    use mercer::data::Vectors;
    use mercer::kernel::{Kernel, linear, set_mean};

    let sets = vec![Vectors::dense(1, vec![1.0, 3.0]), Vectors::dense(1, vec![2.0, 4.0])];
    let mut row = [0.0; 2];
    set_mean(linear()).bind(&sets)?.rows_f64(&sets, &[0], &mut [&mut row]);
    assert_eq!(row, [4.0, 6.0]);
    Ok(())
}

#[test]
fn open_pyramid() -> mercer::Result<()> {
    use mercer::data::{Labels, Vectors};
    use mercer::kernel::pyramid;
    use mercer::model::Svc;

    let sets: Vec<Vectors> =
        [[0.5, 2.25], [1.0, 2.5], [7.5, 9.0], [6.25, 7.75]].map(|set| Vectors::dense(1, set.to_vec())).into();
    let model = Svc::new(pyramid(None, None)).fit(&sets, &Labels::first_seen(["a", "a", "b", "b"]))?;
    // 2.25 and 2.5 are the nearest; the extent is 8.5 ≤ 0.25·2⁶.
    assert_eq!(model.expansion.kernel(), &pyramid(0.25, 6));
    Ok(())
}

#[test]
fn tables() -> mercer::Result<()> {
    use mercer::data::{Cells, Labels, Records};
    use mercer::kernel::RecordExpr;
    use mercer::model::Svc;

    let names = Cells::Texts(["anna", "hanna", "bob", "rob"].map(String::from).into());
    let ages = Cells::Numbers(vec![30.0, 31.0, 40.0, 44.0]);
    let rows = Records::new(vec![("name".into(), names), ("age".into(), ages)])?;
    let kernel: RecordExpr = "normalized(spectrum(p=2)@name) + rbf(gamma=0.01)@age".parse()?;
    let model = Svc::new(kernel).fit(&rows, &Labels::first_seen(["a", "a", "b", "b"]))?;
    assert_eq!(model.predict(&rows)?, ["a", "a", "b", "b"]);
    Ok(())
}

#[test]
fn words_of_texts() -> mercer::Result<()> {
    use mercer::kernel::{Kernel, spectrum};

    let texts: Vec<String> = ["banana", "ananas"].map(String::from).into();
    let mut row = [0.0; 2];
    spectrum(2).bind(&texts)?.rows_f64(&texts, &[0], &mut [&mut row]);
    assert_eq!(row, [9.0, 8.0]);
    Ok(())
}

#[test]
fn subsequences_of_texts() -> mercer::Result<()> {
    use mercer::kernel::{Kernel, subsequence};

    let texts: Vec<String> = ["car", "cat"].map(String::from).into();
    let mut row = [0.0; 2];
    subsequence(2, 0.5).normalized().bind(&texts)?.rows_f64(&texts, &[0], &mut [&mut row]);
    assert!((row[1] - 4.0 / 9.0).abs() < 1e-15);
    Ok(())
}

#[test]
fn features_of_texts() -> mercer::Result<()> {
    use mercer::data::TextFeatures;

    let texts: Vec<String> = ["the cat sat", "the dog"].map(String::from).into();
    let map = "tfidf".parse::<TextFeatures>()?.fit(&texts, &[])?;
    assert_eq!(map.vocabulary(), ["cat", "dog", "sat", "the"]);
    assert!((map.idf()[0] - (3.0_f64 / 2.0).ln() - 1.0).abs() < 1e-15);
    Ok(())
}

#[test]
fn a_centred_kernel() -> mercer::Result<()> {
    use mercer::data::Vectors;
    use mercer::kernel::{Kernel, Reference, linear};
    use std::ops::ControlFlow;

    let points = Vectors::dense(1, vec![1.0, 3.0, 5.0]);
    let kernel = linear().centered().fitted(&Reference::new(&points), &mut |_| ControlFlow::Continue(()))?;
    assert_eq!(
        mercer::gram::square::<f64, _, _>(&kernel, &points)?,
        [4.0, 0.0, -4.0, 0.0, 0.0, 0.0, -4.0, 0.0, 4.0]
    );
    Ok(())
}

#[test]
fn rounds_over_shards() -> mercer::Result<()> {
    use mercer::data::{Points, Vectors};
    use mercer::kernel::{Kernel, Nystrom, Reference, linear, rbf};
    use mercer::model::{Cost, Rounds, Stats};
    use std::ops::ControlFlow;

    let x = Vectors::dense(1, (0..90).map(|i| f64::from(i) / 10.0).collect::<Vec<_>>());
    let y: Vec<f64> = (0..90).map(|i| if (f64::from(i) / 10.0).sin() > 0.0 { 1.0 } else { -1.0 }).collect();
    let kernel = linear().on(Nystrom::new(rbf(1.0), 20).into());
    let kernel = kernel.fitted(&Reference::new(&x), &mut |_| ControlFlow::Continue(()))?;
    let mut rounds = Rounds::new(&kernel, 1, Cost::SquaredHinge)?;
    while rounds.certificate().is_none() {
        // Each shard tells its sums as bytes, wherever it is; a shard may be empty or of one class.
        let shard = |rows: std::ops::Range<usize>| -> mercer::Result<Vec<u8>> {
            let own: Vec<usize> = rows.clone().collect();
            let stats = rounds.stats(&x.select(&own), &y[rows.clone()], &vec![10.0; rows.len()])?;
            Ok(stats.to_bytes())
        };
        let told = [shard(0..10)?, shard(10..10)?, shard(10..90)?];
        let stats = told.iter().map(|bytes| Stats::from_bytes(bytes)).collect::<mercer::Result<_>>()?;
        rounds.solve(&Stats::merge(stats)?)?;
    }
    let right = rounds.values(&x)?.iter().zip(&y).filter(|(f, y)| *f * *y > 0.0).count();
    assert!(right >= 85);
    Ok(())
}

#[test]
fn every_block_of_the_book_stands_here() {
    // As the formatter may break lines differently, blanks and the commas before a closing bracket do not count.
    let plain = |text: &str| {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        text.replace(",)", ")").replace(",]", "]").replace(",}", "}")
    };
    let own = plain(include_str!("book.rs"));
    let mut blocks = 0;
    for page in std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()) {
        if page.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&page).unwrap();
        for block in text.split("\n```rust\n").skip(1) {
            let block = block.split("\n```").next().unwrap_or_default();
            assert!(own.contains(&plain(block)), "{}: not tested:\n{block}", page.display());
            blocks += 1;
        }
    }
    assert!(blocks >= 11, "{blocks} blocks");
}
