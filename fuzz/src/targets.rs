//! What is fuzzed. Each target answers in words what became of an input: inputs with new answers are worth changing further.

use std::cell::RefCell;
use std::io::{Cursor, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mercer::Result;
use mercer::data::{
    Format, LabelSets, Points, ReadOptions, read_from, read_graphs, read_sets, read_texts_from,
};
use mercer::model::file::Saved;
use mercer::model::{
    AnyEstimator, AnyKernel, AnyPoints, Event, How, Job, Method, TargetKind, Targets, liblinear, libsvm,
};

/// A reader, and what follows it.
pub struct Target {
    /// Its name, and that of its corpus.
    pub name: &'static str,
    /// Words that the mutator puts in.
    pub words: &'static [&'static str],
    /// Tries an input.
    pub run: fn(&[u8]) -> String,
}

/// All targets.
pub const TARGETS: [Target; 12] = [
    Target {
        name: "libsvm-text",
        words: &["\n", " 1:", ":", "+1", "qid:", "#", "0:1", "2,5"],
        run: libsvm_text,
    },
    Target { name: "csv", words: &["\n", ",", "\t", ";", "\"", "\"\"", "label", "\r\n", "NA"], run: csv },
    Target {
        name: "npy",
        words: &["descr", "'<f8'", "'<i8'", "'|b1'", "True", "shape", "(2, 3)", "()"],
        run: npy,
    },
    Target { name: "texts", words: &["\n", "\t", "\r", "\u{fffd}", "é"], run: texts },
    Target { name: "fasta", words: &[">", "\n", " label=", "ACGT", "*"], run: fasta },
    Target {
        name: "graphs",
        words: &["{\"edges\":", "[0,1]", "\"nodes\":", "\"label\":", "[", "]", "}\n", ","],
        run: graphs,
    },
    Target { name: "sets", words: &["\n", "qid:", " 1:", "group", ",", "+1"], run: sets },
    Target {
        name: "kernel-text",
        words: &[
            "rbf(gamma=1)",
            "linear",
            "poly(",
            "tanh",
            " + ",
            " * ",
            "^",
            "exp(",
            "normalized(",
            "centered(",
            "@",
            "(",
            ")",
            ",",
            "=",
            "columns(1..3)",
            "spectrum(p=3)",
            "wl(h=2)",
            "gaussians(",
            "precomputed",
            "mean(",
            "2*",
        ],
        run: kernel_text,
    },
    Target {
        name: "model-file",
        words: &["\"checksum\":\"", "\"kind\":", "null", "\"offset\":", "[]", "{}"],
        run: model_file,
    },
    Target {
        name: "libsvm-model",
        words: &[
            "svm_type ",
            "kernel_type ",
            "nr_class ",
            "total_sv ",
            "rho ",
            "label ",
            "SV\n",
            "nr_sv ",
            "probA ",
            "0:1 ",
        ],
        run: libsvm_model,
    },
    Target {
        name: "liblinear-model",
        words: &["solver_type ", "nr_class ", "label ", "nr_feature ", "bias ", "w\n", "rho "],
        run: liblinear_model,
    },
    Target {
        name: "whole",
        words: &["\n", " 1:", " 2:", "rbf(gamma=1)", "linear", "+1", "-1", "2,5"],
        run: whole,
    },
];

/// The answer of a result: that it is there, or the letters of its error.
fn told<T>(result: &Result<T>) -> String {
    match result {
        Ok(_) => "ok".to_owned(),
        Err(error) => error.to_string().chars().filter(char::is_ascii_alphabetic).take(60).collect(),
    }
}

fn table(input: &[u8], options: &ReadOptions) -> String {
    let table = read_from(Path::new("data"), Cursor::new(input.to_vec()), options);
    match &table {
        Ok(table) => {
            format!(
                "{} {} {}",
                table.points.len().min(9),
                table.points.width().min(9),
                table.labels.is_some()
            )
        }
        _ => told(&table),
    }
}

fn libsvm_text(input: &[u8]) -> String {
    let of = |sets: bool| ReadOptions { format: Some(Format::Libsvm), sets, ..ReadOptions::default() };
    let found = read_from(Path::new("data"), Cursor::new(input.to_vec()), &of(true));
    if let Ok(Some(labels)) = found.map(|table| table.labels) {
        let _ = LabelSets::of(&labels.labels());
    }
    table(input, &of(false))
}

fn csv(input: &[u8]) -> String {
    table(input, &ReadOptions { format: Some(Format::Csv), ..ReadOptions::default() })
}

fn npy(input: &[u8]) -> String {
    table(input, &ReadOptions { format: Some(Format::Npy), ..ReadOptions::default() })
}

fn texts_named(name: &str, input: &[u8]) -> String {
    let table = read_texts_from(Path::new(name), Cursor::new(input.to_vec()), &ReadOptions::default());
    match &table {
        Ok(table) => format!("{} {}", table.points.len().min(9), table.labels.is_some()),
        _ => told(&table),
    }
}

fn texts(input: &[u8]) -> String {
    texts_named("data.tsv", input)
}

fn fasta(input: &[u8]) -> String {
    texts_named("data.fasta", input)
}

/// Hands an input to a reader that takes files.
fn as_file<T>(ending: &str, input: &[u8], read: impl Fn(&Path) -> Result<T>) -> Result<T> {
    thread_local! { static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) }; }
    let path: PathBuf = FOLDER.with_borrow_mut(|folder| {
        let made = || tempfile::tempdir().expect("a temporary folder can be made");
        folder.get_or_insert_with(made).path().join(format!("data.{ending}"))
    });
    let written = std::fs::File::create(&path).and_then(|mut file| file.write_all(input));
    written.expect("a temporary file can be written");
    read(&path)
}

fn graphs(input: &[u8]) -> String {
    told(&as_file("jsonl", input, |path| read_graphs(path, &ReadOptions::default())))
}

fn sets(input: &[u8]) -> String {
    let of = |ending| told(&as_file(ending, input, |path| read_sets(path, &ReadOptions::default())));
    of("libsvm") + &of("csv")
}

fn kernel_text(input: &[u8]) -> String {
    let kernel = String::from_utf8_lossy(input).parse::<AnyKernel>();
    if let Ok(kernel) = &kernel {
        let again: AnyKernel = kernel.to_string().parse().expect("what was printed parses");
        assert_eq!(again.to_string(), kernel.to_string(), "what was printed parses to the same");
    }
    told(&kernel)
}

fn model_file(input: &[u8]) -> String {
    let check = |bytes: &[u8]| {
        let saved = Saved::from_bytes(bytes);
        if let Ok(saved) = &saved {
            let written = saved.to_bytes().expect("what was read can be written");
            let again = Saved::from_bytes(&written).expect("what was written is read");
            assert_eq!(again.to_bytes().expect("what was read can be written"), written);
        }
        told(&saved)
    };
    check(input) + &sealed(input).map_or_else(String::new, |sealed| check(&sealed))
}

/// The same bytes with the checksum they should have: without it no change would get past the checksum.
fn sealed(bytes: &[u8]) -> Option<Vec<u8>> {
    const KEY: &[u8] = b"\"checksum\":\"";
    let place = bytes.windows(KEY.len()).position(|window| window == KEY)? + KEY.len();
    let mut sealed = bytes.to_vec();
    sealed.get_mut(place..place + 8)?.fill(b'0');
    let mut crc = flate2::Crc::new();
    crc.update(sealed.get(8..)?);
    sealed[place..place + 8].copy_from_slice(format!("{:08x}", crc.sum()).as_bytes());
    Some(sealed)
}

fn libsvm_model(input: &[u8]) -> String {
    let model = libsvm::parse(input);
    if let Ok(model) = &model {
        let printed = libsvm::print(model).expect("a model of LIBSVM can be written for it");
        assert_eq!(&libsvm::parse(printed.as_bytes()).expect("what was written is read"), model);
    }
    told(&model)
}

fn liblinear_model(input: &[u8]) -> String {
    let model = liblinear::parse(input);
    if let Ok(model) = &model
        && model.model.kind() != "one-class"
    {
        let printed = liblinear::print(model).expect("a linear model can be written for LIBLINEAR");
        assert_eq!(&liblinear::parse(printed.as_bytes()).expect("what was written is read"), model);
    }
    told(&model)
}

/// Rows that a fit is tried on, at most.
const ROWS: usize = 24;
/// Features of these, at most.
const WIDTH: usize = 1000;
/// The time after which a fit is asked to end.
const PATIENCE: Duration = Duration::from_millis(100);

/// The first line is a kernel, its first byte says the method; then LIBSVM's text.
fn whole(input: &[u8]) -> String {
    let (first, text) = input.split_at(input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len()));
    let Some((&method, kernel)) = first.split_first() else { return String::new() };
    let kernel = String::from_utf8_lossy(kernel).parse::<AnyKernel>();
    let Ok(kernel) = kernel else { return told(&kernel) };
    let methods: Vec<_> = Method::<mercer::data::Vectors>::all().iter().map(Method::card).collect();
    let card = &methods[usize::from(method) % methods.len()];
    let options = ReadOptions { format: Some(Format::Libsvm), ..ReadOptions::default() };
    let table = read_from(Path::new("data"), Cursor::new(text.to_vec()), &options);
    let Ok(table) = table else { return told(&table) };
    let (x, Some(labels)) = (table.points, table.labels) else { return String::new() };
    if x.len() > ROWS || x.width() > WIDTH {
        return "large".to_owned();
    }
    let numbers = || labels.numbers();
    let y = match card.target {
        TargetKind::Classes => Targets::Classes(labels.labels()),
        TargetKind::Number | TargetKind::Numbers => match numbers() {
            Ok(numbers) => Targets::Numbers(vec![numbers]),
            Err(error) => return told(&Err::<(), _>(error)),
        },
        TargetKind::Sets => Targets::Sets(LabelSets::of(&labels.labels())),
        TargetKind::View => Targets::View(x.clone().into()),
        _ => Targets::None,
    };
    let x: AnyPoints = x.into();
    let answer = fitted(card.name, kernel, &x, &y);
    format!("{} {}", card.name, told(&answer))
}

fn fitted(method: &str, kernel: AnyKernel, x: &AnyPoints, y: &Targets<AnyPoints>) -> Result<()> {
    let started = Instant::now();
    let mut watch = |_: Event<'_>| {
        if started.elapsed() > PATIENCE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut job = Job::new().memory(Some(64 << 20)).watched(&mut watch);
    let model = AnyEstimator::new(method, kernel)?.fit(x, y, &mut job)?;
    let bytes = Saved::new(model).to_bytes()?;
    let again = Saved::from_bytes(&bytes).expect("what was written is read");
    assert_eq!(again.to_bytes()?, bytes, "a model is written as it was read");
    again.model.predict(x, How::default())?;
    Ok(())
}
