//! Models of texts: trained with kernels of the algebra, as models of vectors are.

use mercer::data::Labels;
use mercer::kernel::{TextExpr, spectrum};
use mercer::model::{Ridge, Svc};

struct Noise(u64);

impl Noise {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// Random sequences of DNA, every second one with the motif TATAAT somewhere in it.
fn sequences(count: usize) -> (Vec<String>, Vec<&'static str>) {
    let mut noise = Noise(3);
    let mut sequence = |i: usize| {
        let letters: String = (0..40).map(|_| char::from(b"ACGT"[noise.below(4)])).collect();
        let mut sequence = letters.replace("TATAAT", "");
        if i.is_multiple_of(2) {
            sequence.insert_str(noise.below(sequence.len()), "TATAAT");
        }
        sequence
    };
    let labels = (0..count).map(|i| if i % 2 == 0 { "motif" } else { "none" }).collect();
    ((0..count).map(&mut sequence).collect(), labels)
}

#[test]
fn a_support_vector_classifier_finds_the_motif() {
    let (texts, labels) = sequences(120);
    let (train, test) = (texts[..80].to_vec(), texts[80..].to_vec());
    let kernel: TextExpr = "normalized(spectrum(p=5))".parse().unwrap();
    let model = Svc::new(kernel).c(10.0).fit(&train, &Labels::first_seen(&labels[..80])).unwrap();
    let gap = model.certificates[0].gap.expect("a spectrum kernel is positive semi-definite");
    assert!((0.0..0.1).contains(&gap), "{gap}");
    let right = |texts: &Vec<String>, labels: &[&str]| {
        model.predict(texts).unwrap().iter().zip(labels).filter(|(found, label)| *found == *label).count()
    };
    assert_eq!(right(&train, &labels[..80]), 80);
    // By chance 20 of 40 are right; 30 or more once in a thousand times.
    let found = right(&test, &labels[80..]);
    assert!(found >= 30, "{found} of 40");
}

#[test]
fn the_bits_of_a_fit_do_not_depend_on_the_number_of_threads() {
    let (texts, labels) = sequences(60);
    let svc = Svc::new("exp(normalized(spectrum(p=3))) + 0.5*spectrum(p=1)".parse::<TextExpr>().unwrap());
    let labels = Labels::first_seen(&labels);
    let fits = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| svc.fit(&texts, &labels).unwrap().decisions(&texts).unwrap())
    });
    assert_eq!(fits[0], fits[1]);
}

#[test]
fn ridge_regression_counts_letters() {
    // The number of letters a is linear in the counts of single letters.
    let (texts, _) = sequences(60);
    let count = |text: &String| text.matches('A').count() as f64;
    let targets: Vec<f64> = texts.iter().map(count).collect();
    let model = Ridge::new(spectrum(1)).lambda(1e-6).fit(&texts, &targets).unwrap();
    let new: Vec<String> = ["AAAA", "ACGT", "xyz"].map(String::from).into();
    for (found, expected) in model.values(&new).unwrap().values().iter().zip([4.0, 1.0]) {
        assert!((found - expected).abs() < 1e-3, "{found} {expected}");
    }
}
