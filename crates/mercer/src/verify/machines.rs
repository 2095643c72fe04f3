//! Machines whose dual is a quadratic programme: of pairs of classes, of classes, of labels, of cells; regressions; one class; spheres.

mod functions;

use super::data::Data;
use super::programme::{Certified, Programme, Told};
use super::report::Report;
use super::values::{DOUBLE, SINGLE, Sum, lists};
use crate::error::Result;
use crate::kernel::{Definiteness, Kernel};
use crate::model::{
    Expansion, Function, LocalModel, Model, MultiLabelModel, Role, ScoreModel, Space, SvcModel, SvddModel,
    Targets, pairs,
};
use crate::solve::{Certificate, Stop};
use functions::{one_class, regression, sphere};

/// The largest C that nu-SVC with class weights goes on with.
const MOST_C: f64 = 1e6;
/// The violation that an answer without a certificate may have where none was asked for: LIBSVM's default.
const TOLERANCE: f64 = 1e-3;
/// The share by which sums show that ν left no margin, and C-SVC stands in its place.
const OTHER: f64 = 1e-3;

/// Verifies a model of one of these kinds; else answers that it is none.
pub(super) fn verify<X: Space>(
    model: &(dyn Model<X> + 'static),
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<bool> {
    if let Some(model) = model.downcast::<SvcModel<X, X::Kernel>>() {
        let all: Vec<usize> = (0..data.len()).collect();
        classifier("", model, &all, data, report)?;
    } else if let Some(model) = model.downcast::<LocalModel<X, X::Kernel>>() {
        cells(model, data, report)?;
    } else if let Some(model) = model.downcast::<Function<X, X::Kernel>>() {
        match model.role {
            Role::Regression => regression(model, data, report)?,
            Role::OneClass => one_class(model, data, report)?,
        }
    } else if let Some(model) = model.downcast::<SvddModel<X, X::Kernel>>() {
        sphere(model, data, report)?;
    } else if let Some(model) = model.downcast::<MultiLabelModel<X, X::Kernel>>() {
        labels(&model.scores, data, report)?;
    } else if let Some(model) =
        model.downcast::<ScoreModel<X, X::Kernel>>().filter(|model| model.loss.is_none())
    {
        classes(model, data, report)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Sums of a list of outputs at all rows, and β of each output at each row.
struct Spread {
    beta: Vec<Vec<f64>>,
    sums: Vec<Vec<Sum>>,
}

/// The outputs of an expansion; `rows` are the rows that its points are.
fn spread<X: Space>(
    expansion: &Expansion<X, X::Kernel>,
    rows: &[usize],
    data: &Data<'_, X>,
    exact: bool,
    report: &mut Report,
) -> Result<Spread> {
    let lists = lists(expansion.coefficients());
    let columns = data.x.select(rows);
    let values = data.values(expansion.kernel(), &columns, report)?;
    let sums = values.sums(&lists, if exact { DOUBLE } else { SINGLE });
    Ok(Spread { beta: coefficients(&lists, rows, data.len()), sums })
}

/// β of each output at each of `n` rows; `rows` are the rows that its points are.
fn coefficients(lists: &[Vec<(usize, f64)>], rows: &[usize], n: usize) -> Vec<Vec<f64>> {
    let spread = |list: &Vec<(usize, f64)>| {
        let mut beta = vec![0.0; n];
        list.iter().for_each(|&(k, b)| beta[rows[k]] = b);
        beta
    };
    lists.iter().map(spread).collect()
}

pub(super) fn definite<X: Space>(kernel: &X::Kernel) -> bool {
    kernel.definiteness() == Definiteness::Psd
}

/// What is told of programme `number`: its certificate, or that it has none.
fn told<X: Space>(
    certificates: &[Certificate],
    number: usize,
    data: &Data<'_, X>,
    tolerant: bool,
) -> Certified {
    let Some(own) = certificates.get(number) else {
        return Certified::Within(data.asked.tolerance.unwrap_or(TOLERANCE));
    };
    let tolerance = data.recipe.and_then(|recipe| recipe.number("tolerance"));
    let tolerance = tolerance.or(data.training.map(|training| training.tolerance));
    Certified::By(Told {
        objective: own.objective,
        gap: own.gap,
        violation: own.violation,
        tolerance: tolerance.filter(|_| tolerant && own.stop == Stop::Converged),
    })
}

fn exact(certificates: &[Certificate]) -> bool {
    !certificates.is_empty() && certificates.iter().all(|own| own.exact)
}

/// The programme of two classes over some rows: which are positive, and the price of each.
pub(crate) struct Pair {
    pub(crate) of: String,
    /// The rows of both classes.
    pub(crate) rows: Vec<usize>,
    pub(crate) positive: Vec<bool>,
    pub(crate) prices: Vec<f64>,
    pub(crate) squared: bool,
    pub(crate) offset: bool,
    /// ν c Σw, where that is fixed in place of the price of a unit margin.
    pub(crate) share: Option<f64>,
}

impl Pair {
    fn compare(
        &self,
        (beta, sums, b): (&[f64], &[Sum], f64),
        certified: Certified,
        definite: bool,
        report: &mut Report,
    ) {
        let n = self.rows.len();
        let sign = |k: usize| if self.positive[k] { 1.0 } else { -1.0 };
        let hard = !self.squared && self.prices.iter().any(|c| c.is_infinite());
        let bound = |k: usize| if self.squared { f64::INFINITY } else { self.prices[k] };
        let loss = |k: usize, f: f64| {
            let slack = (1.0 - sign(k) * f).max(0.0);
            if slack == 0.0 {
                0.0
            } else if self.squared {
                0.5 * self.prices[k] * slack * slack
            } else {
                self.prices[k] * slack
            }
        };
        let by_class = self.share.is_some();
        let share = self.share.unwrap_or(0.0);
        let programme = Programme {
            of: self.of.clone(),
            linear: (0..n).map(|k| if by_class { 0.0 } else { -sign(k) }).collect(),
            lower: (0..n).map(|k| if self.positive[k] { 0.0 } else { -bound(k) }).collect(),
            upper: (0..n).map(|k| if self.positive[k] { bound(k) } else { 0.0 }).collect(),
            kink: 0.0,
            ridge: if self.squared { self.prices.iter().map(|c| 1.0 / c).collect() } else { Vec::new() },
            group: (0..n).map(|k| usize::from(by_class && !self.positive[k])).collect(),
            sums: match (self.offset, by_class) {
                (false, _) => Vec::new(),
                (true, false) => vec![0.0],
                (true, true) => vec![0.5 * share, -0.5 * share],
            },
            beside: if by_class { vec![1.0, -1.0] } else { vec![0.0] },
            loss: &loss,
            constant: -share,
            hard,
            definite,
        };
        let own: Vec<f64> = self.rows.iter().map(|&i| beta[i]).collect();
        let u: Vec<Sum> = self.rows.iter().map(|&i| sums[i]).collect();
        programme.compare(&own, &u, b, certified, report);
    }
}

/// A classifier of pairs over some rows.
fn classifier<X: Space>(
    prefix: &str,
    model: &SvcModel<X, X::Kernel>,
    members: &[usize],
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<()> {
    let Some(class) = data.classes_of(&model.classes, members, report) else { return Ok(()) };
    let Some(rows) = support_rows(prefix, model, &class, data, report) else { return Ok(()) };
    let expansion = &model.expansion;
    let Spread { beta, sums } = spread(expansion, &rows, data, exact(&model.certificates), report)?;
    let definite = definite::<X>(expansion.kernel());
    let programmes = programmes_of_pairs((prefix, model, members), &class, &beta, data, report);
    for (number, pair) in programmes.iter().enumerate() {
        let Some(pair) = pair else { continue };
        let answer = (beta[number].as_slice(), sums[number].as_slice(), expansion.offsets()[number]);
        let certified = told(&model.certificates, number, data, true);
        pair.compare(answer, certified, definite, report);
    }
    Ok(())
}

/// The programme of each pair of a classifier that was fitted to all rows, and its β at each row of the data; none where the data are not
/// those of the fit, of which flaws tell.
pub(crate) fn programmes<X: Space>(
    model: &SvcModel<X, X::Kernel>,
    data: &Data<'_, X>,
    report: &mut Report,
) -> Option<Vec<(Option<Pair>, Vec<f64>)>> {
    let members: Vec<usize> = (0..data.len()).collect();
    let class = data.classes_of(&model.classes, &members, report)?;
    let rows = support_rows("", model, &class, data, report)?;
    let beta = coefficients(&lists(model.expansion.coefficients()), &rows, data.len());
    let pairs = programmes_of_pairs(("", model, &members), &class, &beta, data, report);
    Some(pairs.into_iter().zip(beta).collect())
}

/// The row that each support point of a classifier is.
fn support_rows<X: Space>(
    prefix: &str,
    model: &SvcModel<X, X::Kernel>,
    class: &[Option<usize>],
    data: &Data<'_, X>,
    report: &mut Report,
) -> Option<Vec<usize>> {
    let (expansion, mut first) = (&model.expansion, 0);
    // Support points are sorted by class.
    let mut of_point = Vec::with_capacity(expansion.points().len());
    for (c, &size) in model.class_sizes.iter().enumerate() {
        of_point.resize(first + size, c);
        first += size;
    }
    let wanted = |k: usize, row: usize| class[row] == of_point.get(k).copied();
    let rows = data.rows_of(expansion.kernel(), expansion.points(), &model.support, &wanted, report)?;
    if let Some(k) = (0..rows.len()).find(|&k| !wanted(k, rows[k])) {
        let row = data.name(rows[k]);
        report.flaw(
            prefix,
            format_args!("row {row} is a support point of another class than that of the data"),
        );
        return None;
    }
    Some(rows)
}

/// The programme of each pair of a classifier over some of the rows; none for a pair that was broken off. `beta` are the coefficients of
/// each pair at each row.
fn programmes_of_pairs<X: Space>(
    (prefix, model, members): (&str, &SvcModel<X, X::Kernel>, &[usize]),
    class: &[Option<usize>],
    beta: &[Vec<f64>],
    data: &Data<'_, X>,
    report: &mut Report,
) -> Vec<Option<Pair>> {
    let factors = data.factors(&model.classes);
    let prices = Prices::new(&model.classes, data, report);
    let mut programmes = Vec::new();
    for (number, (a, b)) in pairs(model.classes.len()).into_iter().enumerate() {
        let of = format!("{prefix}{} vs {}", model.classes[a], model.classes[b]);
        let rows: Vec<usize> =
            members.iter().copied().filter(|&i| class[i] == Some(a) || class[i] == Some(b)).collect();
        let positive: Vec<bool> = rows.iter().map(|&i| class[i] == Some(a)).collect();
        let price = prices.of_pair(number, &rows, (&beta[number], class, model.classes.len()), data);
        let Some((price, share)) = price else {
            report.note(format!("{of}: broken off before there was a margin; nothing is told of it"));
            programmes.push(None);
            continue;
        };
        let of_row = |&i: &usize| match &price {
            Price::Number(c) => c * class[i].map_or(1.0, |class| factors[class]) * data.weights[i],
            Price::OfClass(c) => class[i].map_or(0.0, |class| c[class]) * data.weights[i],
        };
        programmes.push(Some(Pair {
            of,
            prices: rows.iter().map(of_row).collect(),
            rows,
            positive,
            squared: data.flag("squared").unwrap_or(false),
            offset: data.flag("offset").unwrap_or(true),
            share,
        }));
    }
    programmes
}

/// C before weights, or that of each class, factors and all.
enum Price {
    Number(f64),
    OfClass(Vec<f64>),
}

/// How the prices of a classifier's programmes are known.
enum Prices {
    /// C is known.
    Known(f64),
    /// ν is known; C of each pair was found, or follows from the sum of the coefficients.
    Share { nu: f64, found: Vec<f64>, weighted: bool },
    /// Nothing is known: the largest coefficient of each class of a pair is its C.
    Inferred,
}

impl Prices {
    fn new<X: Space>(classes: &[String], data: &Data<'_, X>, report: &mut Report) -> Self {
        let of_nu = match data.recipe {
            Some(recipe) => recipe.method == "nu-svc",
            None => data.training.is_some_and(|training| training.nu.is_some()) && data.asked.c.is_none(),
        };
        if let (true, Some(nu)) = (of_nu, data.number("nu")) {
            let found = data.recipe.map_or_else(Vec::new, |recipe| recipe.prices.clone());
            let weighted = data.factors(classes).iter().any(|factor| *factor != 1.0);
            return Self::Share { nu, found, weighted };
        }
        if let Some(c) = data.number("c") {
            let mean = data.flag("mean").unwrap_or(false);
            return Self::Known(if mean { c / data.total() } else { c });
        }
        report.note("C is not told: taken to be the largest coefficient of each class of a pair");
        Self::Inferred
    }

    /// The price of a pair, and the sum of its coefficients where ν fixes that; none where there is no price.
    fn of_pair<X: Space>(
        &self,
        number: usize,
        rows: &[usize],
        (beta, class, classes): (&[f64], &[Option<usize>], usize),
        data: &Data<'_, X>,
    ) -> Option<(Price, Option<f64>)> {
        match self {
            Self::Known(c) => Some((Price::Number(*c), None)),
            Self::Inferred => {
                let mut most = vec![0.0_f64; classes];
                for &i in rows {
                    if let Some(class) = class[i] {
                        most[class] = most[class].max(beta[i].abs() / data.weights[i]);
                    }
                }
                Some((Price::OfClass(most), None))
            }
            Self::Share { nu, found, weighted } => {
                let total: f64 = rows.iter().map(|&i| data.weights[i]).sum();
                let sum: f64 = rows.iter().map(|&i| beta[i].abs()).sum();
                let c = found.get(number).copied().unwrap_or(sum / (nu * total));
                if *weighted {
                    return Some((Price::Number(c.min(MOST_C)), None));
                }
                if !c.is_finite() {
                    return None;
                }
                // A pair too unequal for ν has the largest that it can have: twice the share of its smaller class.
                let first = class[rows[0]];
                let own: f64 = rows.iter().filter(|&&i| class[i] == first).map(|&i| data.weights[i]).sum();
                let share = nu.min(2.0 * own.min(total - own) / total) * total * c;
                Some((Price::Number(c), ((share - sum).abs() <= OTHER * share).then_some(share)))
            }
        }
    }
}

/// A classifier for each cell; the nearest mean says which cell a row was in.
fn cells<X: Space>(model: &LocalModel<X, X::Kernel>, data: &Data<'_, X>, report: &mut Report) -> Result<()> {
    let any = |_: usize, _: usize| true;
    let gate = &model.gate;
    let Some(rows) = data.rows_of(gate.kernel(), gate.points(), &model.support, &any, report) else {
        return Ok(());
    };
    let Spread { sums, .. } = spread(gate, &rows, data, false, report)?;
    for (cell, list) in lists(gate.coefficients()).iter().enumerate() {
        let of = format!("cell {}", cell + 1);
        let share = vec![2.0 / list.len() as f64; list.len()];
        let told: Vec<f64> = list.iter().map(|(_, weight)| *weight).collect();
        report.same(&of, "weight of a row in the mean", (&told, &share), |k| 1e-12 * share[k]);
        // 2⟨φ(x), m⟩ is the sum, so that half of its mean over the rows of m is ‖m‖².
        let of_mean = |&(k, weight): &(usize, f64)| 0.25 * weight * sums[cell][rows[k]].value;
        let square: f64 = list.iter().map(of_mean).sum();
        let size: f64 = list.iter().map(|entry| of_mean(entry).abs()).sum();
        report.equal(&of, "squared norm of the mean", gate.offsets()[cell], square, 1e-5 * size);
    }
    let mut members = vec![Vec::new(); model.cells.len()];
    for i in 0..data.len() {
        let value = |cell: usize| sums[cell][i].value - gate.offsets()[cell];
        let best =
            (1..members.len()).fold(0, |best, cell| if value(cell) > value(best) { cell } else { best });
        members[best].push(i);
    }
    report.note("certificates of the cells, not of the whole, of which nothing is promised");
    for (number, (cell, members)) in model.cells.iter().zip(&members).enumerate() {
        let of = format!("cell {}: ", number + 1);
        report.equal(&of, "rows", cell.size as f64, members.len() as f64, 0.0);
        if let Some(own) = &cell.classifier {
            classifier(&of, own, members, data, report)?;
        }
    }
    Ok(())
}

/// A machine for each class against all others.
fn classes<X: Space>(
    model: &ScoreModel<X, X::Kernel>,
    data: &Data<'_, X>,
    report: &mut Report,
) -> Result<()> {
    let Some(class) = data.classes(&model.classes, report) else { return Ok(()) };
    let factors = data.factors(&model.classes);
    let member = |output: usize, i: usize| class[i] == output;
    let factor = |i: usize| factors[class[i]];
    each(model, data, &member, &factor, report)
}

/// A machine for each label against those that do not have it.
fn labels<X: Space>(model: &ScoreModel<X, X::Kernel>, data: &Data<'_, X>, report: &mut Report) -> Result<()> {
    let Targets::Sets(sets) = &data.y else {
        report.flaw("", "the data have no labels");
        return Ok(());
    };
    let sets = sets.over(&model.classes);
    let members: Vec<Vec<bool>> = (0..model.classes.len()).map(|label| sets.members(label)).collect();
    let member = |output: usize, i: usize| members[output][i];
    each(model, data, &member, &|_| 1.0, report)
}

/// Machines on all rows, each with its own positive rows.
fn each<X: Space>(
    model: &ScoreModel<X, X::Kernel>,
    data: &Data<'_, X>,
    member: &dyn Fn(usize, usize) -> bool,
    factor: &dyn Fn(usize) -> f64,
    report: &mut Report,
) -> Result<()> {
    let Some(c) = data.number("c") else {
        report.flaw("", "the file does not tell C; name it");
        return Ok(());
    };
    let expansion = &model.expansion;
    let any = |_: usize, _: usize| true;
    let Some(rows) = data.rows_of(expansion.kernel(), expansion.points(), &model.support, &any, report)
    else {
        return Ok(());
    };
    let Spread { beta, sums } = spread(expansion, &rows, data, exact(&model.certificates), report)?;
    let all: Vec<usize> = (0..data.len()).collect();
    let (definite, mut next) = (definite::<X>(expansion.kernel()), 0);
    for (output, name) in model.classes.iter().enumerate() {
        let positive: Vec<bool> = all.iter().map(|&i| member(output, i)).collect();
        let offset = expansion.offsets()[output];
        let alike = positive.iter().all(|&p| p) || !positive.iter().any(|&p| p);
        if alike {
            // A label of all rows or of none has no programme: its decision is 1 or -1 everywhere.
            let wanted = if positive.first() == Some(&true) { -1.0 } else { 1.0 };
            report.equal(name, "offset", offset, wanted, 0.0);
            continue;
        }
        let pair = Pair {
            of: name.clone(),
            prices: all.iter().map(|&i| c * factor(i) * data.weights[i]).collect(),
            rows: all.clone(),
            positive,
            squared: false,
            offset: true,
            share: None,
        };
        let certified = told(&model.certificates, next, data, true);
        pair.compare((&beta[output], &sums[output], offset), certified, definite, report);
        next += 1;
    }
    Ok(())
}
