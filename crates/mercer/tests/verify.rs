//! A true certificate of every method is found to be true, and one that was altered is found out.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is the report")]

use mercer::data::{LabelSets, Labels, Points, SplitMix, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::file::{Recipe, Saved, Training};
use mercer::model::{
    AnyEstimator, AnyKernel, AnyPoints, How, Job, Method, TargetKind, Targets, Value, libsvm,
};
use mercer::verify::{Asked, Report, verify};

/// Rows of the data.
const ROWS: usize = 60;

/// Two or three clouds that overlap, three features.
fn points(seed: u64, classes: usize) -> (Vectors, Vec<usize>) {
    let mut random = SplitMix(seed);
    let class: Vec<usize> = (0..ROWS).map(|i| i % classes).collect();
    let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
    let x = class
        .iter()
        .flat_map(|&c| [0.9 * c as f64 + normal(), 1.0 - 0.7 * c as f64 + normal(), 2.0 + normal()]);
    (Vectors::dense(3, x.collect::<Vec<f64>>()), class)
}

/// What a method is fitted to.
fn targets(kind: TargetKind, x: &Vectors, class: &[usize]) -> Targets<AnyPoints> {
    let number = |i: usize| (x.row(i).get(0) * 1.3).sin() + 0.3 * x.row(i).get(1);
    match kind {
        TargetKind::Classes => {
            Targets::Classes(Labels::first_seen(class.iter().map(|c| format!("class {c}"))))
        }
        TargetKind::Number => Targets::Numbers(vec![(0..x.len()).map(number).collect()]),
        TargetKind::Numbers => {
            let other = |i: usize| number(i) * number(i) - 1.0;
            Targets::Numbers(vec![(0..x.len()).map(number).collect(), (0..x.len()).map(other).collect()])
        }
        TargetKind::Sets => {
            let set = |i: usize| {
                if x.row(i).get(0) > 0.5 { format!("a,{}", class[i]) } else { class[i].to_string() }
            };
            Targets::Sets(LabelSets::split((0..x.len()).map(set)))
        }
        TargetKind::View => {
            let rows =
                (0..x.len()).flat_map(|i| [x.row(i).get(1).powi(2), x.row(i).get(0) + x.row(i).get(2)]);
            Targets::View(Vectors::dense(2, rows.collect::<Vec<f64>>()).into())
        }
        _ => Targets::None,
    }
}

/// A fit, and all that a verification is given.
struct Fit {
    name: String,
    saved: Saved,
    x: AnyPoints,
    y: Targets<AnyPoints>,
    weights: Vec<f64>,
}

impl Fit {
    fn new(method: &str, settings: &[(&str, Value)], classes: usize, weighted: bool) -> Self {
        let card = Method::<Vectors>::find(method).unwrap().card();
        Self::of(method, card.kernel.unwrap_or("rbf(gamma=0.3)"), settings, (classes, weighted))
    }

    fn of(
        method: &str,
        kernel: &str,
        settings: &[(&str, Value)],
        (classes, weighted): (usize, bool),
    ) -> Self {
        let (x, class) = points(5, classes);
        let card = Method::<Vectors>::find(method).unwrap().card();
        let kernel: VectorExpr = kernel.parse().unwrap();
        let mut estimator = AnyEstimator::new(method, AnyKernel::Vectors(kernel)).unwrap();
        let told: Vec<String> = settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        settings.iter().for_each(|(name, value)| estimator.set(name, value).unwrap());
        let weights: Vec<f64> =
            if weighted { (0..ROWS).map(|i| [1.0, 2.0, 0.5, 0.0][i % 4]).collect() } else { Vec::new() };
        let (y, x) = (targets(card.target, &x, &class), AnyPoints::from(x));
        let mut job = Job::new().weights(&weights);
        let name = format!("{method} {} of {classes} classes, weights: {weighted}", told.join(" "));
        let model = estimator.fit(&x, &y, &mut job).unwrap_or_else(|error| panic!("{name}: {error}"));
        let training = Training::of(&estimator, &job.found, model.classes());
        let recipe = Some(Recipe::of(&estimator, &job.found, ROWS, &weights));
        let saved = Saved { training, recipe, ..Saved::new(model) };
        // Through the file, as a second party has it.
        let saved = Saved::from_bytes(&saved.to_bytes().unwrap()).unwrap();
        Self { name, saved, x, y, weights }
    }

    /// Whether another model costs as much as the one fitted, of ε-insensitive losses.
    fn costs_as_much_as(&self, other: &Saved) -> bool {
        let number = |name: &str| self.saved.recipe.as_ref().unwrap().number(name).unwrap();
        let flag = |name: &str| self.saved.recipe.as_ref().unwrap().flag(name).unwrap_or(false);
        let squared = self.name.contains("squared-insensitive");
        let cost = |saved: &Saved| {
            let Targets::Numbers(y) = &self.y else { panic!("a regression has numbers") };
            let outputs = saved.model.decisions(&self.x, How::default()).unwrap();
            let errors =
                outputs.values().iter().zip(&y[0]).map(|(f, y)| ((f - y).abs() - number("epsilon")).max(0.0));
            let losses: f64 = errors.map(|error| if squared { error * error } else { error }).sum();
            let offset =
                if flag("free-offset") { 0.0 } else { saved.model.offsets()[0] / number("constant") };
            number("c") * losses + 0.5 * offset * offset
        };
        let (own, other) = (cost(&self.saved), cost(other));
        (own - other).abs() <= 1e-9 * own
    }

    fn verify(&self) -> Report {
        verify(&self.saved, &self.x, &self.y, &self.weights, &Asked::default()).unwrap()
    }
}

fn word(word: &str) -> Value {
    Value::Word(word.to_owned())
}

/// Fits of every method of the table, with the settings that change what is certified, to two classes and three, with weights and
/// without; else one of each.
fn fits(all: bool) -> Vec<Fit> {
    let weights = || Value::Weights(vec![("class 1".to_owned(), 3.0)]);
    let settings: Vec<(&str, Vec<(&str, Value)>)> = vec![
        ("svc", vec![("c", Value::Number(10.0))]),
        ("svc", vec![("squared", Value::Flag(true))]),
        ("svc", vec![("offset", Value::Flag(false))]),
        ("svc", vec![("mean", Value::Flag(true)), ("c", Value::Number(50.0))]),
        ("svc", vec![("weight", weights())]),
        ("svc", vec![("exact", Value::Flag(true)), ("tolerance", Value::Number(1e-6))]),
        ("svc", vec![("c", Value::Number(1e4)), ("max-iterations", Value::Whole(50))]),
        ("nu-svc", vec![]),
        ("nu-svc", vec![("nu", Value::Number(0.05))]),
        ("nu-svc", vec![("weight", weights())]),
        ("svr", vec![("c", Value::Number(5.0))]),
        ("svr", vec![("squared", Value::Flag(true)), ("epsilon", Value::Number(0.0))]),
        ("nu-svr", vec![("nu", Value::Number(0.4))]),
        ("one-class", vec![("nu", Value::Number(0.2))]),
        ("svdd", vec![("c", Value::Number(0.1))]),
        ("svdd", vec![("nu", Value::Number(0.3))]),
        ("ovr", vec![("weight", weights())]),
        ("crammer-singer", vec![("c", Value::Number(3.0))]),
        ("weston-watkins", vec![("c", Value::Number(3.0))]),
        ("softmax", vec![("c", Value::Number(3.0))]),
        ("multilabel", vec![]),
        ("local", vec![("cells", Value::Whole(3))]),
        ("linear-svc", vec![]),
        ("linear-svc", vec![("loss", word("hinge")), ("weight", weights())]),
        ("linear-svc", vec![("loss", word("hinge")), ("free-offset", Value::Flag(true))]),
        ("linear-svc", vec![("penalty", word("l1"))]),
        ("linear-svc", vec![("penalty", word("l1")), ("free-offset", Value::Flag(true))]),
        ("linear-svc", vec![("scheme", word("crammer-singer")), ("loss", word("hinge"))]),
        ("linear-svc", vec![("scheme", word("weston-watkins")), ("loss", word("hinge"))]),
        ("linear-svc", vec![("offset", Value::Flag(false))]),
        ("logistic", vec![]),
        ("logistic", vec![("penalty", word("l1"))]),
        ("logistic", vec![("scheme", word("softmax"))]),
        ("logistic", vec![("free-offset", Value::Flag(true)), ("constant", Value::Number(2.0))]),
        ("linear-svr", vec![]),
        ("linear-svr", vec![("loss", word("squared-insensitive")), ("free-offset", Value::Flag(true))]),
        ("linear-svr", vec![("free-offset", Value::Flag(true))]),
        ("linear-one-class", vec![("nu", Value::Number(0.3))]),
        ("pegasos", vec![]),
        ("pegasos", vec![("alpha", Value::Number(0.01)), ("loss", word("logistic"))]),
        ("ridge", vec![("lambda", Value::Number(0.1))]),
        ("ridge", vec![("lambda", word("auto")), ("offset", Value::Flag(false))]),
        ("ridge", vec![("solver", word("cg")), ("tolerance", Value::Number(1e-4))]),
        ("fisher", vec![]),
        ("fisher", vec![("points", Value::Whole(10))]),
        ("cca", vec![]),
        ("cca", vec![("rank", Value::Whole(8))]),
        ("kpca", vec![("components", Value::Whole(4))]),
        ("kpca", vec![]),
        ("rvr", vec![]),
        ("rvr", vec![("noise", Value::Number(0.05)), ("offset", Value::Flag(false))]),
        ("rvc", vec![]),
        ("rvc", vec![("likelihood", word("multinomial"))]),
        ("rbf-network", vec![("units", Value::Whole(12))]),
        (
            "rbf-network",
            vec![("output", word("logistic")), ("units", Value::Whole(9)), ("lambda", Value::Number(0.1))],
        ),
        (
            "rbf-network",
            vec![("width", word("nearest")), ("centers", word("k-medoids")), ("units", Value::Whole(9))],
        ),
        ("rbf-network-regression", vec![("units", Value::Whole(12))]),
        ("k-means", vec![("clusters", Value::Whole(4))]),
        ("k-means", vec![("clusters", Value::Whole(4)), ("batch", Value::Whole(20))]),
        ("spectral", vec![("clusters", Value::Whole(3))]),
        ("spectral", vec![("clusters", Value::Whole(3)), ("neighbors", Value::Whole(9))]),
        ("perceptron", vec![]),
        (
            "perceptron",
            vec![
                ("average", Value::Flag(false)),
                ("offset", Value::Flag(false)),
                ("passes", Value::Whole(3)),
            ],
        ),
        ("perceptron", vec![("budget", Value::Whole(8))]),
        ("som", vec![("map-rows", Value::Whole(3)), ("map-columns", Value::Whole(4))]),
        (
            "som",
            vec![
                ("map-rows", Value::Whole(3)),
                ("map-columns", Value::Whole(4)),
                ("grid", word("hexagonal")),
                ("training", word("online")),
            ],
        ),
    ];
    let every: Vec<&str> = Method::<Vectors>::all().iter().map(|method| method.card().name).collect();
    for name in &every {
        assert!(settings.iter().any(|(method, _)| method == name), "nothing verifies {name}");
    }
    let fit = |(method, settings): &(&str, Vec<(&str, Value)>)| {
        let given = |classes, weighted| Fit::new(method, settings, classes, weighted);
        if all { vec![given(2, false), given(3, false), given(3, true)] } else { vec![given(3, false)] }
    };
    settings.iter().flat_map(fit).collect()
}

fn told(fit: &Fit, report: &Report) -> String {
    let broken: Vec<String> = report.broken().map(|check| format!("  {check}")).collect();
    format!("{}\n{}\n{}", fit.name, broken.join("\n"), report.flaws.join("\n"))
}

#[test]
fn every_method_is_what_it_says() {
    let mut wrong = Vec::new();
    for fit in fits(true) {
        let report = fit.verify();
        if !report.is_true() {
            wrong.push(told(&fit, &report));
        }
        assert!(!report.checks.is_empty(), "{}: nothing was looked at", fit.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn relevance_vectors_of_kernels_of_any_width_are_what_they_say() {
    let multinomial = [("likelihood", word("multinomial"))];
    let mut wrong = Vec::new();
    for gamma in [0.001, 0.01, 0.1, 1.0, 10.0] {
        let kernel = format!("rbf(gamma={gamma})");
        let fits = [
            ("rvr", &[][..], (2, false)),
            ("rvr", &[], (2, true)),
            ("rvc", &[], (2, true)),
            ("rvc", &[], (3, false)),
            ("rvc", &multinomial, (3, true)),
        ];
        for (method, settings, of) in fits {
            let fit = Fit::of(method, &kernel, settings, of);
            let report = fit.verify();
            if !report.is_true() {
                wrong.push(format!("{kernel}: {}", told(&fit, &report)));
            }
            // What rounding is allowed stays far below what an alteration makes.
            let loose = report.checks.iter().find(|check| check.tolerance > 1e-2);
            assert!(loose.is_none(), "{kernel} {}: {loose:?}", fit.name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A model file taken apart, as somebody would who changes it and makes the checksum anew.
struct File {
    header: String,
    data: Vec<u8>,
}

impl File {
    fn of(saved: &Saved) -> Self {
        let bytes = saved.to_bytes().unwrap();
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let header = String::from_utf8(bytes[8..8 + length].to_vec()).unwrap();
        Self { header: header.trim_end().to_owned(), data: bytes[8 + length..].to_vec() }
    }

    /// The file with a checksum of its own.
    fn read(&self) -> mercer::Result<Saved> {
        let at = self.header.find("\"checksum\":\"").unwrap() + 12;
        let with = |sum: &str| {
            let mut header = format!("{}{sum}{}", &self.header[..at], &self.header[at + 8..]).into_bytes();
            header.resize(header.len().next_multiple_of(8), b' ');
            [header, self.data.clone()].concat()
        };
        let mut crc = u32::MAX;
        for byte in with("00000000") {
            crc ^= u32::from(byte);
            (0..8).for_each(|_| crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 });
        }
        let bytes = with(&format!("{:08x}", !crc));
        let header = bytes.len() - self.data.len();
        Saved::from_bytes(&[&(header as u64).to_le_bytes()[..], &bytes].concat())
    }

    /// Where the numbers of a tensor are.
    fn tensor(&self, name: &str) -> Option<std::ops::Range<usize>> {
        let entry = self.header.find(&format!("\"{name}\":{{\"dtype\":\"F64\""))?;
        let offsets = &self.header[entry..];
        let offsets = &offsets[offsets.find("\"data_offsets\":[")? + 16..];
        let (start, end) = offsets[..offsets.find(']')?].split_once(',')?;
        Some(start.parse().unwrap()..end.parse().unwrap())
    }

    fn number(&self, at: usize) -> f64 {
        f64::from_le_bytes(self.data[at..at + 8].try_into().unwrap())
    }

    /// Changes one of the larger numbers of a tensor by a hundredth.
    fn change(mut self, name: &str, random: &mut SplitMix) -> Option<Self> {
        let places: Vec<usize> = self.tensor(name)?.step_by(8).collect();
        let most = places.iter().map(|&at| self.number(at).abs()).fold(0.0, f64::max);
        let large: Vec<usize> = places.into_iter().filter(|&at| self.number(at).abs() > 0.1 * most).collect();
        let at = *large.get((random.uniform() * large.len() as f64) as usize)?;
        let changed = 1.01 * self.number(at);
        // A number near 0 that is off by a hundredth is as true as it was.
        if changed.abs() < 1e-2 {
            return None;
        }
        self.data[at..at + 8].copy_from_slice(&changed.to_le_bytes());
        Some(self)
    }

    /// Changes a number of the certificates by a share of the objective, or of itself where it is larger.
    fn certify(mut self, name: &str, share: f64) -> Option<Self> {
        let place = |name: &str| {
            let key = format!("\\\"{name}\\\":");
            let at = self.header.find(&key)? + key.len();
            Some(at..at + self.header[at..].find(',')?)
        };
        let objective: f64 = self.header[place("objective")?].parse().ok()?;
        let own = place(name)?;
        let told: f64 = self.header[own.clone()].parse().ok()?;
        if objective.abs() < 1e-4 {
            return None;
        }
        self.header.replace_range(own, &format!("{:?}", told + share * objective.abs().max(told.abs())));
        Some(self)
    }
}

/// What a change by a hundredth must be found in.
const NUMBERS: [&str; 19] = [
    "coefficients",
    "coefficients",
    "coefficients",
    "offsets",
    "offsets",
    "square_center",
    "eigenvalues",
    "values",
    "correlations",
    "ratios",
    "centers",
    "centres",
    "evidence",
    "precisions",
    "inertia",
    "errors",
    "cell.0.coefficients",
    "cell.1.offsets",
    "points",
];

#[test]
fn what_was_altered_is_found_out() {
    let (mut random, mut missed, mut tried) = (SplitMix(20), Vec::new(), 0);
    for fit in fits(false) {
        let file = || File::of(&fit.saved);
        let mut changed: Vec<(String, Option<File>)> =
            NUMBERS.iter().map(|name| ((*name).to_owned(), file().change(name, &mut random))).collect();
        for (name, share) in [("objective", 0.01), ("objective", -0.01), ("gap", 0.02), ("gap", -0.02)] {
            changed.push((format!("{name} and {share} of the objective"), file().certify(name, share)));
        }
        for (what, file) in changed {
            let Some(file) = file else { continue };
            // What does not fit together is no model.
            let Ok(saved) = file.read() else { continue };
            // A tube has room for its function: another offset inside it may cost no more, and then nothing that is told is false.
            let harmless =
                fit.name.starts_with("linear-svr") && what == "offsets" && fit.costs_as_much_as(&saved);
            // The gap of a fit that was ended early at a large C is known only to what the slopes are, times C.
            let unsure = fit.name.starts_with("svc c=10000") && what.starts_with("gap");
            if harmless || unsure {
                continue;
            }
            tried += 1;
            let report = verify(&saved, &fit.x, &fit.y, &fit.weights, &Asked::default()).unwrap();
            if report.is_true() {
                missed.push(format!("{}: {what}", fit.name));
            }
        }
    }
    assert!(tried > 300, "{tried}");
    assert!(missed.is_empty(), "{} of {tried}:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn other_data_are_told() {
    let mut missed = Vec::new();
    for fit in fits(false) {
        let AnyPoints::Vectors(x) = &fit.x else { panic!("vectors") };
        let all: Vec<usize> = (0..ROWS).collect();
        // A row less; a number of a support point that is off by a hundredth; the targets of another order.
        let mut found = Vec::new();
        let less = x.select(&all[1..]);
        let weights = fit.weights.get(1..).unwrap_or_default();
        found.push((
            "a row less",
            verify(&fit.saved, &less.into(), &fit.y.select(&all[1..]), weights, &Asked::default()),
        ));
        if let Some(&row) = fit.saved.model.support().first() {
            let mut values: Vec<f64> = (0..ROWS).flat_map(|i| (0..3).map(move |j| x.row(i).get(j))).collect();
            values[3 * row] *= 1.01;
            let other = Vectors::dense(3, values);
            found.push((
                "a support point",
                verify(&fit.saved, &other.into(), &fit.y, &fit.weights, &Asked::default()),
            ));
        }
        if !matches!(fit.y, Targets::None) {
            let turned: Vec<usize> = all.iter().map(|i| (i + 7) % ROWS).collect();
            found.push((
                "other targets",
                verify(&fit.saved, &fit.x, &fit.y.select(&turned), &fit.weights, &Asked::default()),
            ));
        }
        for (what, report) in found {
            // Not a model that anybody would take for one of these data.
            if report.is_ok_and(|report| report.is_true()) {
                missed.push(format!("{}: {what}", fit.name));
            }
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn models_of_libsvm_are_audited() {
    for (method, settings, asked) in [
        ("svc", vec![("c", Value::Number(2.0))], Asked { c: Some(2.0), ..Asked::default() }),
        ("svc", vec![("c", Value::Number(2.0))], Asked::default()),
        ("nu-svc", vec![], Asked::default()),
        ("svr", vec![], Asked { epsilon: Some(0.1), c: Some(1.0), ..Asked::default() }),
        ("svr", vec![], Asked::default()),
        ("nu-svr", vec![], Asked::default()),
        ("one-class", vec![], Asked::default()),
    ] {
        for classes in [2, 3] {
            let mut fit = Fit::new(method, &settings, classes, false);
            // LIBSVM's classes are whole numbers.
            if let Targets::Classes(labels) = &fit.y {
                let names = (1..=classes).map(|c| c.to_string()).collect();
                let numbered = Labels::new(names, labels.index().to_vec());
                let mut bytes = File::of(&fit.saved);
                (0..classes).for_each(|c| {
                    bytes.header = bytes.header.replace(&format!("class {c}"), &(c + 1).to_string())
                });
                (fit.saved, fit.y) = (bytes.read().unwrap(), Targets::Classes(numbered));
            }
            // LIBSVM prints eight digits of a feature.
            let text = libsvm::print(&fit.saved).unwrap();
            let saved = libsvm::parse(text.as_bytes()).unwrap();
            let report = verify(&saved, &fit.x, &fit.y, &[], &asked).unwrap();
            assert!(report.is_true(), "{method} {classes}\n{}", told(&fit, &report));
            let (mut own, offsets) = (saved.model.coefficients().clone(), saved.model.offsets().to_vec());
            own.blocks[0].values[0] *= 1.01;
            let changed = Saved { model: saved.model.clone().with_values(&own, &offsets), ..saved.clone() };
            let report = verify(&changed, &fit.x, &fit.y, &[], &asked).unwrap();
            assert!(!report.is_true() || asked == Asked::default(), "{method} {classes}: a coefficient");
        }
    }
}
