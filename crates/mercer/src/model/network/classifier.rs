//! Classification by a network: a function for each class, by least squares or by the likelihood.

use super::fit::{Goal, Task, check_lambda};
use super::function::{self, Network};
use super::layer::{Centers, Layer, Width};
use crate::model::prelude::*;
use crate::model::spectral::Lambda;
use crate::solve::network::logistic::softmax;

/// How the output weights of a classifier are fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputFit {
    /// By least squares to +1 for the class of a point and −1 for the others.
    #[default]
    Ridge,
    /// By the likelihood of the classes under a softmax of the functions, which gives probabilities.
    Logistic,
}

words!(OutputFit: OutputFit::Ridge = "ridge", OutputFit::Logistic = "logistic");

/// Classification by an RBF network, and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct RbfNetwork<K> {
    /// k
    pub kernel: K,
    /// The price of ‖v‖², or how it is found.
    pub lambda: Lambda,
    /// How the output weights are fitted.
    pub output: OutputFit,
    /// The hidden layer.
    pub layer: Layer,
}

settings! { RbfNetwork<K>:
    lambda: Lambda | into, "lambda", "0 or more; several, separated by commas, or auto: the best at points left out", "price of the squared output weights";
    output: OutputFit, "output", "ridge or logistic", "fit of the output weights: by least squares, or by the likelihood of the classes, which gives probabilities";
    /// Fits a classifier.
    fit(Labels) -> NetworkClassifier;
}

impl<K> RbfNetwork<K> {
    /// Centres by k-means, the kernel as the unit, least squares with the λ that is best at points left out.
    pub fn new(kernel: K) -> Self {
        Self { kernel, lambda: Lambda::Auto, output: OutputFit::Ridge, layer: Layer::default() }
    }
}
super::with_layer!(RbfNetwork);

impl<X: Points, K: Kernel<X> + Clone> Estimator<X> for RbfNetwork<K> {
    type Target = Labels;
    type Model = NetworkClassifier<X, K>;

    fn check(&self) -> Result<()> {
        self.layer.check()?;
        check_lambda(&self.lambda, self.output == OutputFit::Logistic)
    }

    /// Fits a classifier. With several λ the job's findings have the `path` of errors at points left out.
    fn fit_in(&self, x: &X, y: &Labels, job: &mut Job<'_, X>) -> Result<NetworkClassifier<X, K>> {
        Estimator::<X>::check(self)?;
        let (own, y) = Weighted::classes(x, y, job.weights)?;
        let code = |class: usize| {
            let code = |&own: &u32| if own as usize == class { 1.0 } else { -1.0 };
            y.index().iter().map(code).collect::<Vec<f64>>()
        };
        let targets: Vec<Vec<f64>> = (0..y.classes().len()).map(code).collect();
        let logistic = self.output == OutputFit::Logistic;
        let task = Task { kernel: &self.kernel, layer: &self.layer, lambda: &self.lambda };
        let classes = y.classes().to_vec();
        let network = task.fit(own, &Goal { targets, classes: Some(y), logistic }, job)?;
        Ok(NetworkClassifier { network, classes, output: self.output })
    }
}

/// A fitted classifier: a function for each class, of which the largest decides.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkClassifier<X, K> {
    /// The functions.
    pub network: Network<X, K>,
    /// Class names; numbering as in training.
    pub classes: Vec<String>,
    /// How the output weights were fitted.
    pub output: OutputFit,
}

impl<X: Points, K: Kernel<X>> NetworkClassifier<X, K> {
    /// The number of the class with the largest score for each point; of several the lowest.
    fn predict_as(&self, points: &X, how: How) -> Result<Vec<usize>> {
        let scores = self.network.rows(points, how.double)?;
        Ok((0..scores.len()).map(|i| first_largest(scores.row(i))).collect())
    }

    /// The probability of each class for each point, of a [logistic](OutputFit::Logistic) output.
    ///
    /// # Errors
    /// If the points do not fit the model, or the output is by least squares.
    pub fn probabilities(&self, points: &X) -> Result<Dense<f64>> {
        self.probabilities_as(points, How::default())
    }

    fn probabilities_as(&self, points: &X, how: How) -> Result<Dense<f64>> {
        if self.output == OutputFit::Ridge {
            return without("rbf-network", "probabilities by least squares (take the logistic output)");
        }
        let scores = self.network.rows(points, how.double)?;
        let columns = scores.columns();
        let mut values = scores.values().to_vec();
        values.chunks_mut(columns).for_each(|row| {
            softmax(row);
        });
        Ok(Dense::new(columns, values))
    }
}
classifies!(NetworkClassifier);

impl<X: Space> Model<X> for NetworkClassifier<X, X::Kernel> {
    made_of!("rbf-network": network.expansion, network.support, classes);

    fn quality(&self) -> Quality {
        self.network.quality.clone()
    }

    fn facts(&self) -> Facts {
        self.network.facts().with("output", self.output.value().to_string())
    }

    fn words(&self) -> String {
        let output = self.output.value();
        format!("{}, {}, {output} output", count(self.classes.len(), "class"), self.network.words())
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("class", self.classes.clone())
    }

    fn decisions(&self, points: &X, how: How) -> Result<Dense<f64>> {
        self.network.rows(points, how.double)
    }

    fn is_short(&self, rows: usize, how: How) -> bool {
        self.network.widths.is_empty() && self.network.expansion.is_short(rows, how.double)
    }

    fn predict(&self, points: &X, how: How) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict_as(points, how)?))
    }

    fn scores(&self, points: &X, how: How) -> Result<Dense<f64>> {
        self.network.rows(points, how.double)
    }

    fn probabilities(&self, points: &X, how: How) -> Result<Dense<f64>> {
        self.probabilities_as(points, how)
    }

    fn calibrates(&self) -> Calibrates {
        if self.output == OutputFit::Logistic { Calibrates::Own } else { Calibrates::Nothing }
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        self.network.check(parts::check_names(&self.classes, 2)?)
    }

    /// The entry `output` and what every network has.
    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        writer.entry("output", self.output.value().to_string());
        self.network.write(writer)
    }
}

fn read<X: Space>(reader: &mut Reader<'_>) -> Result<NetworkClassifier<X, X::Kernel>, Flaw> {
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    let word = reader.entry("output")?;
    let output = OutputFit::of(&Value::Word(word.clone()));
    let output = output.ok_or_else(|| format!("output '{word}': this program knows ridge and logistic"))?;
    Ok(NetworkClassifier { network: function::read(reader, classes.len())?, classes, output })
}

pub(in crate::model) fn method<X: Space>() -> Method<X> {
    let summary = "RBF network: a layer of units around centres, outputs by least squares or by the likelihood of the classes";
    Method::new(("rbf-network", summary, "rbf-network", &[]), RbfNetwork::new, RbfNetwork::parameters, read)
}
