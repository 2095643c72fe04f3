//! A fitted linear model.

use std::borrow::Cow;

use super::{Cost, Features, LinearScheme, LinearSolver};
use crate::data::Vectors;
use crate::model::prelude::*;
use crate::solve::linear::{Answer, Design};
use crate::solve::network::logistic::softmax;

/// Numbers of a prediction that the calling thread computes by itself.
const SHORT: usize = 1 << 16;

/// Functions ⟨w, x⟩ − b: one for numbers and for two classes, of which it is positive for the first, else one for each class. Where
/// all classes are in one problem, two classes have two functions and all functions one certificate.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel<X, K> {
    /// The functions: the points are the vectors w, each of which enters its own output with coefficient 1.
    pub expansion: Expansion<X, K>,
    /// Class names; none for numbers, and none for one class, whose cost is the hinge.
    pub classes: Vec<String>,
    /// What errors cost in the fit.
    pub cost: Cost,
    /// How several classes are told apart.
    pub scheme: LinearScheme,
    /// How good each function is.
    pub certificates: Vec<Certificate>,
    /// Features of the points where the kernel sees them through maps, and the vectors w are over what the maps make of them.
    pub(super) inputs: Option<usize>,
    /// Positions of support points: none, since the model has only their sums.
    support: Vec<usize>,
}

impl<X: Points, K: Kernel<X> + Clone> LinearModel<X, K> {
    pub(super) fn new(
        kernel: &K,
        solver: &LinearSolver,
        cost: Cost,
        features: &Features,
        answers: Vec<Answer>,
        classes: Vec<String>,
    ) -> Result<Self> {
        let answers = answers.into_iter().map(|a| (a.weights, a.certificate)).unzip();
        Self::of_rows(kernel, solver, cost, features, answers, classes)
    }

    /// A model from the weights of the columns for each function, that of the constant feature last, and its certificates.
    pub(super) fn of_rows(
        kernel: &K,
        solver: &LinearSolver,
        cost: Cost,
        features: &Features,
        (mut rows, certificates): (Vec<Vec<f64>>, Vec<Certificate>),
        classes: Vec<String>,
    ) -> Result<Self> {
        let columns = features.columns();
        // The offset is subtracted.
        let offset = |row: &Vec<f64>| row.get(columns).map_or(0.0, |b| -solver.constant() * b);
        let offsets: Vec<f64> = rows.iter().map(offset).collect();
        rows.iter_mut().for_each(|row| row.truncate(columns));
        Self::of_functions(kernel.clone(), features, (rows, offsets), classes, cost, certificates)
    }

    /// The model of the vectors w, all of one length, with a function for each.
    pub(in crate::model) fn of_weights(
        kernel: K,
        rows: Vec<Vec<f64>>,
        offsets: Vec<f64>,
        classes: Vec<String>,
        cost: Cost,
        certificates: Vec<Certificate>,
    ) -> Result<Self> {
        let features = Features::all(rows.first().map_or(0, Vec::len));
        Self::of_functions(kernel, &features, (rows, offsets), classes, cost, certificates)
    }

    /// The model of functions that are `factor` times as large, with these certificates.
    pub(in crate::model) fn scaled(&self, factor: f64, certificates: Vec<Certificate>) -> Result<Self> {
        let weights =
            self.expansion.points().as_vectors().expect("the weights of a linear model are vectors");
        let (weights, features) = Features::occurring(Cow::Borrowed(weights));
        let all = Features::all(features.columns());
        let scaled = |o: usize| all.of(weights.row(o)).iter().map(|w| factor * w).collect();
        let rows = (0..weights.len()).map(scaled).collect();
        let offsets = self.expansion.offsets().iter().map(|b| factor * b).collect();
        let (kernel, classes) = (self.expansion.kernel().clone(), self.classes.clone());
        Self::of_functions(kernel, &features, (rows, offsets), classes, self.cost, certificates)
    }

    /// The model of functions over the columns that some features are.
    fn of_functions(
        kernel: K,
        features: &Features,
        (rows, offsets): (Vec<Vec<f64>>, Vec<f64>),
        classes: Vec<String>,
        cost: Cost,
        certificates: Vec<Certificate>,
    ) -> Result<Self> {
        let outputs = rows.len();
        if features.columns() == 0 {
            return Err(ErrorKind::Unsupported { what: "data without features".into() }.into());
        }
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let proved = |own: &Certificate| own.objective.is_finite() && own.gap.is_none_or(f64::is_finite);
        if !finite(&offsets) || !rows.iter().all(|row| finite(row)) || !certificates.iter().all(proved) {
            return Err(ErrorKind::Data(DataProblem::FitNotFinite).into());
        }
        let mut identity = vec![0.0; outputs * outputs];
        (0..outputs).for_each(|o| identity[o * outputs + o] = 1.0);
        let coefficients = Coefficients::full(outputs, outputs, identity);
        let points = X::of_vectors(features.over_all(rows)).ok_or_else(|| ErrorKind::Unsupported {
            what: "linear methods on points that are not vectors".into(),
        })?;
        let expansion = Expansion::new(kernel, points, coefficients, offsets);
        let scheme = LinearScheme::OneVsRest;
        Ok(Self { expansion, classes, cost, scheme, certificates, inputs: None, support: Vec::new() })
    }
}

impl<X: Points, K: Kernel<X>> LinearModel<X, K> {
    /// The model of points with so many features.
    pub(super) fn of_inputs(self, width: usize) -> Self {
        let inputs = (!self.expansion.kernel().is_linear()).then_some(width);
        Self { inputs, ..self }
    }

    /// The rows of points that the vectors w are over.
    pub(crate) fn rows<'x>(&self, points: &'x X) -> Result<Cow<'x, Vectors>> {
        if let Some(expected) = self.inputs {
            let found = points.width();
            if found != expected {
                return Err(ErrorKind::Data(DataProblem::Width { found, expected }).into());
            }
            points.check_finite()?;
        } else {
            self.expansion.check(points)?;
        }
        super::vectors(self.expansion.kernel(), points)
    }
}

impl<X: Points, K: Kernel<X>> LinearModel<X, K> {
    /// The functions at each of `points`: one row per point, one column per function.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn values(&self, points: &X) -> Result<Dense<f64>> {
        let Some(weights) = self.expansion.points().as_vectors() else {
            return self.expansion.rows(points, true);
        };
        let (x, features) = Features::occurring(self.rows(points)?);
        let x = &*x;
        let (design, outputs) = (Design::new(x, 0.0), self.expansion.offsets().len());
        let rows: Vec<u32> = (0..x.len() as u32).collect();
        let (mut all, mut own) = (vec![0.0; outputs * rows.len()], vec![0.0; rows.len()]);
        for (output, offset) in self.expansion.offsets().iter().enumerate() {
            design.products(&rows, &features.of(weights.row(output)), &mut own);
            all.iter_mut().skip(output).step_by(outputs).zip(&own).for_each(|(all, f)| *all = f - offset);
        }
        match all.iter().position(|value| !value.is_finite()) {
            None => Ok(Dense::new(outputs, all)),
            Some(at) => Err(ErrorKind::Data(DataProblem::DecisionNotFinite { row: at / outputs + 1 }).into()),
        }
    }

    /// The weights of function `function`, one for each feature.
    ///
    /// # Panics
    /// If there is no such function.
    #[must_use]
    pub fn weights(&self, function: usize) -> Vec<f64> {
        let mut dense = vec![0.0; self.expansion.points().width()];
        if let Some(weights) = self.expansion.points().as_vectors() {
            weights.row(function).for_each(|k, w| dense[k] = w);
        }
        dense
    }

    /// The number of features that have a weight other than 0 in one of the functions.
    #[must_use]
    pub fn features_used(&self) -> usize {
        self.expansion.points().as_vectors().map_or(0, |weights| {
            let (weights, features) = Features::occurring(Cow::Borrowed(weights));
            let mut used = vec![false; features.columns()];
            (0..weights.len()).for_each(|o| weights.row(o).for_each(|k, w| used[k] |= w != 0.0));
            used.iter().filter(|used| **used).count()
        })
    }

    /// The number of the class of a row of function values.
    fn class(&self, values: &[f64]) -> usize {
        match values {
            [one] => usize::from(*one <= 0.0),
            _ => first_largest(values),
        }
    }

    fn predict_as(&self, points: &X, _: How) -> Result<Vec<usize>> {
        let values = self.values(points)?;
        Ok((0..values.len()).map(|i| self.class(values.row(i))).collect())
    }

    /// A column for each class: of a single function it and its negative.
    fn by_class(&self, values: Dense<f64>, of: impl Fn(f64) -> f64) -> Dense<f64> {
        match values.columns() {
            1 => {
                let both = |&f: &f64| [of(f), of(-f)];
                Dense::new(2, values.values().iter().flat_map(both).collect())
            }
            functions => Dense::new(functions, values.values().iter().map(|&f| of(f)).collect()),
        }
    }

    /// The number of functions that so many classes have.
    fn functions(scheme: LinearScheme, classes: usize) -> usize {
        match scheme {
            LinearScheme::OneVsRest if classes < 3 => 1,
            _ => classes.max(1),
        }
    }
}
classifies!(LinearModel);

impl<X: Space> Model<X> for LinearModel<X, X::Kernel> {
    made_of!(expansion, support, classes);

    fn kind(&self) -> &'static str {
        match (self.classes.is_empty(), self.cost) {
            (true, Cost::Hinge) => "linear-one-class",
            (false, Cost::Hinge | Cost::SquaredHinge) => "linear-svc",
            (_, Cost::Logistic) => "logistic",
            (true, _) | (_, Cost::Insensitive(_) | Cost::SquaredInsensitive(_)) => "linear-svr",
        }
    }

    fn width(&self) -> usize {
        self.inputs.unwrap_or(self.expansion.points().width())
    }

    fn point_word(&self) -> &'static str {
        "weight vector"
    }

    fn quality(&self) -> Quality {
        Quality::of(&self.certificates)
    }

    fn facts(&self) -> Facts {
        let facts = Facts::default().with("loss", cost_word(self.cost));
        let together = self.scheme != LinearScheme::OneVsRest;
        let facts = if together { facts.with("scheme", self.scheme.name()) } else { facts };
        facts.with("features_used", self.features_used())
    }

    fn words(&self) -> String {
        let features = count(self.expansion.points().width(), "feature");
        match (self.classes.len(), self.expansion.offsets().len()) {
            (0, _) => format!("a weight for each of {features}"),
            (2, 1) => format!("2 classes, a weight for each of {features}"),
            (classes, _) => format!("{classes} classes, a function for each, of {features}"),
        }
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        match self.classes.as_slice() {
            [] => ("", vec!["f".to_owned()]),
            [first, second] if self.scheme == LinearScheme::OneVsRest => {
                ("pair", vec![format!("{first} vs {second}")])
            }
            classes => ("class", classes.to_vec()),
        }
    }

    fn double(&self, _: How) -> bool {
        true
    }

    fn decisions(&self, points: &X, _: How) -> Result<Dense<f64>> {
        self.values(points)
    }

    fn class_of(&self, decisions: &[f64]) -> usize {
        self.class(decisions)
    }

    fn is_short(&self, rows: usize, _: How) -> bool {
        rows.saturating_mul(self.expansion.points().width()) <= SHORT
    }

    fn predict(&self, points: &X, how: How) -> Result<Prediction> {
        match (self.classes.is_empty(), self.cost) {
            (true, Cost::Hinge) => return Ok(Prediction::Sides(self.values(points)?.values().to_vec())),
            (true, _) => return Ok(Prediction::Values(self.values(points)?)),
            (false, _) => {}
        }
        Ok(Prediction::Classes(self.predict_as(points, how)?))
    }

    fn scores(&self, points: &X, _: How) -> Result<Dense<f64>> {
        let half = if self.expansion.offsets().len() == 1 { 0.5 } else { 1.0 };
        match self.classes.is_empty() {
            true => without(self.kind(), "scores of classes"),
            false => Ok(self.by_class(self.values(points)?, |f| half * f)),
        }
    }

    /// The logistic function of each class's own function, of more than two as shares of their sum; with the scheme softmax shares of the
    /// exponentials.
    fn probabilities(&self, points: &X, _: How) -> Result<Dense<f64>> {
        if self.cost != Cost::Logistic {
            return without(self.kind(), "probabilities without the logistic loss");
        }
        if self.scheme == LinearScheme::Softmax {
            let mut shares = self.values(points)?.values().to_vec();
            shares.chunks_mut(self.classes.len()).for_each(|scores| {
                softmax(scores);
            });
            return Ok(Dense::new(self.classes.len(), shares));
        }
        let odds = |f: f64| if f >= 0.0 { 1.0 / (1.0 + (-f).exp()) } else { f.exp() / (1.0 + f.exp()) };
        let mut shares = self.by_class(self.values(points)?, odds);
        if self.classes.len() > 2 {
            let share = |row: &[f64]| {
                let sum: f64 = row.iter().sum();
                let even = 1.0 / row.len() as f64;
                row.iter().map(|p| if sum > 0.0 { p / sum } else { even }).collect::<Vec<f64>>()
            };
            let rows = (0..shares.len()).flat_map(|i| share(shares.row(i)));
            shares = Dense::new(self.classes.len(), rows.collect());
        }
        Ok(shares)
    }

    fn calibrates(&self) -> Calibrates {
        if self.cost == Cost::Logistic { Calibrates::Own } else { Calibrates::Nothing }
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let classes = if self.classes.is_empty() { 0 } else { parts::check_names(&self.classes, 2)? };
        let outputs = Self::functions(self.scheme, classes);
        let together = self.scheme != LinearScheme::OneVsRest;
        let loss = if self.scheme == LinearScheme::Softmax { Cost::Logistic } else { Cost::Hinge };
        if together && (self.cost != loss || classes == 0) {
            let (scheme, loss) = (self.scheme.name(), cost_word(loss));
            return Err(format!("{scheme} is a scheme of classes with the loss {loss}").into());
        }
        let numbers = matches!(self.cost, Cost::Insensitive(_) | Cost::SquaredInsensitive(_));
        // A hinge without classes is that of one class.
        if numbers != self.classes.is_empty() && (self.cost != Cost::Hinge || !self.classes.is_empty()) {
            return Err("the loss is not one of this kind of model".into());
        }
        parts::same_or_none("certificates", self.certificates.len(), if together { 1 } else { outputs })?;
        let weights = parts::check(&self.expansion, outputs, &self.support)?;
        let unit = |(at, &w): (usize, &f64)| w == if at / outputs == at % outputs { 1.0 } else { 0.0 };
        match weights.values().len() == outputs * outputs && weights.values().iter().enumerate().all(unit) {
            true => Ok(weights),
            false => Err("the coefficients of a linear model must be those of the unit matrix".into()),
        }
    }

    /// Entry `loss`; entry `scheme` where it is not `ovr`; tensor `epsilon` (one number) of losses that have a zone; entry `inputs`, the
    /// features of the points, where the kernel sees them through maps.
    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        if let Some(inputs) = self.inputs {
            writer.entry("inputs", inputs.to_string());
        }
        writer.entry("loss", cost_word(self.cost));
        if self.scheme != LinearScheme::OneVsRest {
            writer.entry("scheme", self.scheme.name());
        }
        if let Cost::Insensitive(epsilon) | Cost::SquaredInsensitive(epsilon) = self.cost {
            writer.list("epsilon", &[epsilon]);
        }
        Ok(())
    }
}

fn cost_word(cost: Cost) -> &'static str {
    match cost {
        Cost::Hinge => "hinge",
        Cost::SquaredHinge => "squared-hinge",
        Cost::Logistic => "logistic",
        Cost::Insensitive(_) => "insensitive",
        Cost::SquaredInsensitive(_) => "squared-insensitive",
    }
}

pub(super) fn read<X: Space>(reader: &mut Reader<'_>) -> Result<LinearModel<X, X::Kernel>, Flaw> {
    let classes: Vec<String> =
        reader.optional("classes").map(|json| text::parse("classes", &json)).transpose()?.unwrap_or_default();
    let cost = match reader.entry("loss")?.as_str() {
        "hinge" => Cost::Hinge,
        "squared-hinge" => Cost::SquaredHinge,
        "logistic" => Cost::Logistic,
        "insensitive" => Cost::Insensitive(parts::number(reader, "epsilon")?),
        "squared-insensitive" => Cost::SquaredInsensitive(parts::number(reader, "epsilon")?),
        other => return Err(format!("loss '{other}' is not known").into()),
    };
    let scheme = match reader.optional("scheme") {
        None => LinearScheme::OneVsRest,
        Some(word) => LinearScheme::named(&word).ok_or_else(|| format!("scheme '{word}' is not known"))?,
    };
    let outputs = LinearModel::<X, X::Kernel>::functions(scheme, classes.len());
    let certificates = text::read_certificates(&reader.entry("certificates")?)?;
    let expansion: Expansion<X, X::Kernel> = parts::read_full(reader, "", outputs)?;
    let kernel = expansion.kernel();
    let Some(coordinates) = kernel.coordinates().filter(|_| expansion.points().as_vectors().is_some()) else {
        return Err("a linear model has the kernel linear, or linear @ map, on vectors".into());
    };
    let inputs: Option<usize> = match kernel.is_linear() {
        true => None,
        false => Some(text::parse("inputs", &reader.entry("inputs")?)?),
    };
    if let Some(width) = inputs
        && coordinates.width(width).ok() != Some(expansion.points().width())
    {
        return Err("the maps of the kernel make other features of the points than the weights are of".into());
    }
    Ok(LinearModel {
        expansion,
        classes,
        cost,
        scheme,
        certificates,
        inputs,
        support: reader.counts("support")?,
    })
}
