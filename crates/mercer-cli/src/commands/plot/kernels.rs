//! Figures of kernels, and of fits by a kernel to a data file.

use std::ops::ControlFlow;
use std::path::Path;

use mercer::data::{Dense, Labels, Points, ReadOptions, Vectors};
use mercer::gram::{cross, square};
use mercer::kernel::Kernel;
use mercer::model::file::Saved;
use mercer::model::{AnyEstimator, AnyKernel, AnyPoints, Event, How, Job, Prediction, Rde, Targets, Value};

use super::asked::{two_features, undone};
use super::said::over_plane;
use super::{Picture, PlotArgs};
use crate::args::Scaling;
use crate::failure::{InFile, Result, usage};
use crate::input::Input;
use crate::output::{count, short};
use crate::plot::{self, Captions, Heat, Known, Profile, Step};
use crate::system;

/// Points along a profile.
const NODES: usize = 201;
/// Rows of which all pairs, or all eigenvalues, are computed.
const MOST_ROWS: usize = 1500;
/// Shares ν that are drawn.
const SHARES: [f64; 8] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
/// Pixels of a small picture.
const PANEL: f64 = 220.0;

/// The kernel that was named first.
fn kernel(args: &PlotArgs, at: usize) -> Result<AnyKernel> {
    let text = args.what[at].to_string_lossy();
    let kernel: AnyKernel = text.parse()?;
    kernel.check()?;
    Ok(kernel)
}

/// A kernel and the rows that were named after it, with their labels.
struct Fit {
    kernel: AnyKernel,
    input: Input,
    file: String,
}

impl Fit {
    fn read(args: &PlotArgs) -> Result<Self> {
        let (kernel, data) = (kernel(args, 0)?, &args.what[1]);
        let options = ReadOptions { targets: args.regression, ..args.data_options.options() };
        let input = Input::read(data, Some(&kernel), &options, Scaling::None)?;
        if input.x.is_empty() {
            return Err(usage!("{}: no rows to draw", data.display()));
        }
        let file = data.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { kernel, input, file })
    }

    fn labels(&mut self, data: &Path) -> Result<Labels> {
        let labels = self.input.labels(data)?.labels().libsvm_order();
        labels.check(self.input.x.len()).in_file(data)?;
        Ok(labels)
    }

    fn captions(&self, title: String) -> Captions {
        Captions { title, subtitle: format!("{}, {}", self.file, self.kernel) }
    }
}

pub(super) fn profiles(args: &PlotArgs) -> Result<Picture> {
    let [low, high] = match args.range[..] {
        [] => [-1.0, 1.0],
        [low, high] if low < high && (high - low).is_finite() => [low, high],
        _ => return Err(usage!("--range: two numbers, the lower first, such as -2,2")),
    };
    let across: Vec<f64> = (0..NODES).map(|i| low + (high - low) * (i as f64 / (NODES - 1) as f64)).collect();
    let (x, zero) = (Vectors::dense(1, across.clone()), Vectors::dense(1, vec![0.0_f64]));
    let mut shown = Vec::new();
    for at in 0..args.what.len() {
        let AnyKernel::Vectors(kernel) = kernel(args, at)? else {
            return Err(usage!("{}: profiles are of kernels of numbers", args.what[at].display()));
        };
        let values = cross::<f64, _, _>(&kernel, &x, &zero)?;
        let curve =
            |of: &mut dyn Iterator<Item = f64>| across.iter().copied().zip(of).map(|(x, y)| [x, y]).collect();
        let basis = match kernel.coordinates() {
            Some(coordinates) if !coordinates.maps.is_empty() => {
                let rows = coordinates.of(&x)?;
                (0..rows.width()).map(|j| curve(&mut (0..NODES).map(|i| rows.row(i).get(j)))).collect()
            }
            _ => Vec::new(),
        };
        let name = args.what[at].to_string_lossy().into_owned();
        shown.push(Profile { name, basis, values: curve(&mut values.into_iter()) });
    }
    let names: Vec<&str> = shown.iter().map(|profile| profile.name.as_str()).collect();
    let says = format!("kernels  {}", names.join(", "));
    let captions = Captions {
        title: "Kernels of a number".into(),
        subtitle: "k(x, y) = Σ φⱼ(x) φⱼ(y) where there are basis functions; below, y = 0".into(),
    };
    Ok(Picture { svg: plot::profiles(&shown, &captions), says })
}

pub(super) fn gram(args: &PlotArgs) -> Result<Picture> {
    let mut fit = Fit::read(args)?;
    let n = fit.input.x.len();
    if n > MOST_ROWS {
        return Err(usage!("{}: {n} rows; all pairs of {MOST_ROWS} can be drawn", fit.file));
    }
    let (class, names) = match args.clusters {
        Some(clusters) => clusters_of(&fit, clusters, args.common.seed)?,
        None => match fit.input.labels(&args.what[1]) {
            Ok(labels) => {
                let labels = labels.labels().libsvm_order();
                let class = labels.index().iter().map(|&class| class as usize).collect();
                (class, labels.classes().iter().map(|name| format!("class {name}")).collect())
            }
            Err(_) => (vec![0; n], vec![count(n, "row")]),
        },
    };
    let about = fit.kernel.about(&fit.input.x).in_file(&args.what[1])?;
    let values = square::<f64, _, _>(&about, &fit.input.x).in_file(&args.what[1])?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| class[i]);
    let ordered = order
        .iter()
        .flat_map(|&i| order.iter().map(move |&j| (i, j)))
        .map(|(i, j)| values[i * n + j])
        .collect();
    let size = |k: usize| class.iter().filter(|class| **class == k).count();
    let groups: Vec<(String, usize)> =
        names.into_iter().enumerate().map(|(k, name)| (name, size(k))).collect();
    let ordering = if args.clusters.is_some() { "cluster" } else { "class" };
    let captions = fit.captions(format!("Kernel values of {}, by {ordering}", count(n, "row")));
    let says = format!("gram     {n} × {n} values of {} on {}", fit.kernel, fit.file);
    Ok(Picture { svg: plot::heat(&Heat { values: ordered, rows: n, groups }, &captions), says })
}

/// The cluster of each row, and what the clusters are called.
fn clusters_of(fit: &Fit, clusters: usize, seed: u64) -> Result<(Vec<usize>, Vec<String>)> {
    let mut estimator = AnyEstimator::new("k-means", fit.kernel.clone())?;
    estimator.set("clusters", &Value::Whole(clusters as u64))?;
    estimator.set("seed", &Value::Whole(seed))?;
    let model = system::fitting(|| estimator.fit(&fit.input.x, &Targets::None, &mut Job::new()))?;
    match model.predict(&fit.input.x, How::default())? {
        Prediction::Classes(class) => {
            Ok((class, model.classes().iter().map(|name| format!("cluster {name}")).collect()))
        }
        _ => Err(usage!("--clusters: no clusters were found")),
    }
}

pub(super) fn spectrum(args: &PlotArgs) -> Result<Picture> {
    let mut fit = Fit::read(args)?;
    let n = fit.input.x.len();
    if n > MOST_ROWS {
        return Err(usage!(
            "{}: {n} rows; eigenvalues of {MOST_ROWS} can be drawn; mercer rde samples",
            fit.file
        ));
    }
    let data = &args.what[1];
    let rde = Rde::among(vec![fit.kernel.clone()]);
    let found = if args.regression {
        let targets = fit.input.labels(data)?.numbers().in_file(data)?;
        system::fitting(|| rde.fit_in(&fit.input.x, &targets, &mut Job::new()))
    } else {
        let labels = fit.labels(data)?;
        system::fitting(|| rde.fit_labels_in(&fit.input.x, &labels, &mut Job::new()))
    };
    let found = found.in_file(data)?;
    let d = found.relevance.dimension();
    let captions = fit.captions(format!("{d} of {n} dimensions relevant"));
    let says = format!("spectrum {d} of {n} dimensions of {} are relevant on {}", fit.kernel, fit.file);
    Ok(Picture { svg: plot::spectrum(&found.relevance, &captions), says })
}

pub(super) fn nu_sweep(args: &PlotArgs) -> Result<Picture> {
    let mut fit = Fit::read(args)?;
    let data = &args.what[1];
    let labels = fit.labels(data)?;
    if labels.classes().len() != 2 {
        return Err(usage!(
            "{}: {}; a sweep of ν is of two",
            fit.file,
            count(labels.classes().len(), "class")
        ));
    }
    let AnyPoints::Vectors(points) = &fit.input.x else {
        return Err(usage!("{}: a plane is of rows of numbers", fit.file));
    };
    let class: Vec<usize> = labels.index().iter().map(|&class| class as usize).collect();
    let (n, classes, y) = (labels.len() as f64, labels.classes().to_vec(), Targets::Classes(labels));
    let (mut pages, mut told) = (Vec::new(), Vec::new());
    for nu in SHARES {
        let mut estimator = AnyEstimator::new("nu-svc", fit.kernel.clone())?;
        estimator.set("nu", &Value::Number(nu))?;
        let model = match system::fitting(|| estimator.fit(&fit.input.x, &y, &mut Job::new())) {
            Ok(model) => model,
            // A larger ν than the smaller class allows.
            Err(error) if pages.is_empty() => return Err(error).in_file(data),
            Err(_) => break,
        };
        let support = model.support_points() as f64 / n;
        let decisions = model.decisions(&fit.input.x, How::default())?;
        let sign = if model.class_of(&[1.0]) == 0 { 1.0 } else { -1.0 };
        let inside = decisions.values().iter().zip(&class).filter(|(f, class)| {
            let side = if **class == 0 { sign } else { -sign };
            side * *f < 1.0 - 1e-3
        });
        let errors = inside.count() as f64 / n;
        let saved = Saved::new(model);
        let rows: Dense<f64> = undone(&saved, points);
        let features = two_features(args, &[], rows.columns())?;
        let surface = over_plane(&saved, &rows, Known::Classes(class.clone()), classes.clone(), features)?;
        // Where ν is less than what cannot be avoided there is no margin, and the function is that of a large C.
        let title = match errors > nu + 1.0 / n {
            true => format!("ν = {nu}: no such margin"),
            false => format!("ν = {nu}: {} ≤ ν ≤ {}", short(errors), short(support)),
        };
        pages.push(surface.panel(PANEL, &title));
        told.push(format!("{nu}: {} and {}", short(errors), short(support)));
    }
    let captions = Captions {
        title: "ν-SVC for growing ν".into(),
        subtitle: format!(
            "{}, {}; margin errors ≤ ν ≤ support points, as shares of the rows",
            fit.file, fit.kernel
        ),
    };
    let says = format!("nu       margin errors and support points, as shares: {}", told.join("; "));
    Ok(Picture { svg: plot::sheet(pages, 4, &captions), says })
}

pub(super) fn path(args: &PlotArgs) -> Result<Picture> {
    let mut fit = Fit::read(args)?;
    let data = &args.what[1];
    let labels = fit.labels(data)?;
    if labels.classes().len() != 2 {
        return Err(usage!(
            "{}: {}; the path is of one problem, of two",
            fit.file,
            count(labels.classes().len(), "class")
        ));
    }
    let mut estimator = AnyEstimator::new("svc", fit.kernel.clone())?;
    estimator.set("c", &Value::Number(args.c.unwrap_or(1.0)))?;
    estimator.set("working-set", &Value::Whole(args.working_set.unwrap_or(2) as u64))?;
    // The gap on the way is then of all rows.
    estimator.set("shrinking", &Value::Flag(false))?;
    let tolerance = estimator.get("tolerance").and_then(|tolerance| tolerance.number()).unwrap_or(1e-3);
    let mut steps = Vec::new();
    let mut look = |event: Event<'_>| {
        if let Event::Round(progress) = event {
            steps.push(Step {
                steps: progress.iterations as f64,
                objective: progress.objective,
                gap: progress.gap,
                violation: progress.violation,
            });
        }
        if system::stop_wanted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut job = Job::new().watched(&mut look);
    let model =
        system::fitting(|| estimator.fit(&fit.input.x, &Targets::Classes(labels), &mut job)).in_file(data)?;
    drop(job);
    let (c, rounds) = (short(args.c.unwrap_or(1.0)), count(steps.len(), "round"));
    let last = steps.last().map_or(0.0, |step| step.steps);
    let captions = Captions {
        title: format!("The path of the solver: {} steps", short(last)),
        subtitle: format!("{}, {}, C = {c}, {rounds}", fit.file, fit.kernel),
    };
    let says = format!("path     {rounds}, {last} steps, {}", count(model.support_points(), "support point"));
    Ok(Picture { svg: plot::path(&steps, tolerance, &captions), says })
}
