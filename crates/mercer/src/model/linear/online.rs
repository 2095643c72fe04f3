//! A linear classifier that learns from points as they come: Pegasos over a stream.
//!
//! Every point is predicted first and learnt from then, once. What the stream has come to depends on its points and their order
//! alone, to the bit: not on the pieces that they are handed over in, nor on the number of threads. The objective is
//! λ/2 ‖w‖² plus the mean of the costs ([`Pegasos::alpha`] is λ, 10⁻⁴ where it is left open), since the number of points is not known.
//! With averaging the answer is the mean of all iterates, iterate t counted t times.
//!
//! **Classes** are named before or found as they come. Three and more have a function each, told from all others. A class that appears late begins
//! with a function that has seen all points before as others, so that the answer is that of classes which were known
//! from the start, to the bit; this costs one function more.
//!
//! Memory: a vector as long as the features for each function, two with averaging. Time: the entries of the points for each function.
//!
//! ```
//! use mercer::data::{Labels, Vectors};
//! use mercer::kernel::linear;
//! use mercer::model::{Pegasos, PegasosStream};
//!
//! let mut stream = PegasosStream::new(Pegasos::new(linear()), Vec::new())?;
//! for _ in 0..50 {
//!     let x = Vectors::dense(2, vec![0.0, 1.0, 2.0, 0.0]);
//!     stream.learn(&x, &Labels::first_seen(["up", "right"]))?;
//! }
//! assert_eq!(stream.progressive().examples, 100);
//! let new = Vectors::dense(2, vec![0.0, 3.0, 3.0, 0.0]);
//! assert_eq!(stream.model()?.predict(&new)?, ["up", "right"]);
//! # Ok::<(), mercer::Error>(())
//! ```

use rayon::prelude::*;

use super::{LinearModel, Pegasos};
use crate::data::Vectors;
use crate::error::goes;
use crate::kernel::VectorExpr;
use crate::model::prelude::*;
use crate::model::svm::class_weights::factors;
use crate::solve::linear::Stream;

/// λ where it is left open.
const ALPHA: f64 = 1e-4;
/// Entries of points times functions from which on functions learn side by side.
const LARGE: usize = 1 << 14;

/// How well the points of a stream were predicted, each before it was learnt from.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progressive {
    /// Points.
    pub examples: u64,
    /// Those that were predicted to be of another class, or of none where no class was known.
    pub mistakes: u64,
    /// The sum of their costs, of several functions the mean.
    pub cost: f64,
}

/// A point of a stream as it was predicted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Example<'a> {
    /// All points up to this one.
    pub progressive: Progressive,
    /// Its class.
    pub label: &'a str,
    /// The class that it was predicted to be of; none where no class was known.
    pub predicted: Option<&'a str>,
    /// Its entries, the constant feature among them.
    pub features: usize,
}

/// A linear classifier by stochastic steps that can learn on.
#[derive(Debug, Clone, PartialEq)]
pub struct PegasosStream {
    pub(super) settings: Pegasos<VectorExpr>,
    pub(super) classes: Vec<String>,
    /// The function of a class that has not appeared; none where the classes are fixed.
    pub(super) unseen: Option<Stream>,
    pub(super) functions: Vec<Stream>,
    pub(super) width: usize,
    pub(super) progressive: Progressive,
}

impl PegasosStream {
    /// A stream of points of these classes, or, where none are named, of those that appear.
    ///
    /// # Errors
    /// If a setting is out of range; if one class is named, or one twice; if factors are given for classes that are not named.
    pub fn new(settings: Pegasos<VectorExpr>, classes: Vec<String>) -> Result<Self> {
        Estimator::<Vectors>::check(&settings)?;
        if !Kernel::<Vectors>::is_linear(&settings.kernel) {
            let what = "learning from a stream with another kernel than linear";
            return Err(ErrorKind::Unsupported { what: what.into() }.into());
        }
        let mut stream = Self {
            settings,
            classes,
            unseen: None,
            functions: Vec::new(),
            width: 0,
            progressive: Progressive::default(),
        };
        let named = stream.classes.len();
        let twice = (1..named).any(|k| stream.classes[..k].contains(&stream.classes[k]));
        let rule = "two or more different ones, or left open";
        goes(named != 1 && !twice, "classes", &stream.classes.join(","), rule)?;
        let unnamed = |(class, _): &&(String, f64)| !stream.classes.contains(class);
        let unnamed = stream.settings.class_weights.iter().find(unnamed).map_or("", |(class, _)| class);
        goes(unnamed.is_empty(), "weight", unnamed, "of a class that is named before")?;
        match named {
            0 => stream.unseen = Some(stream.fresh()),
            2 => stream.functions = vec![stream.fresh()],
            _ => stream.functions = vec![stream.fresh(); named],
        }
        Ok(stream)
    }

    /// A stream that goes on from the weights of a model after so many steps: not where the fit of the model was, but
    /// from its answer.
    ///
    /// # Errors
    /// As [`PegasosStream::new`]; if the model is not one of its classes, a function for two or one for each.
    pub fn resumed(
        settings: Pegasos<VectorExpr>,
        model: &LinearModel<Vectors, VectorExpr>,
        steps: u64,
    ) -> Result<Self> {
        let mut stream = Self::new(settings, model.classes.clone())?;
        let offsets = model.expansion.offsets();
        if stream.functions.len() != offsets.len() || stream.classes.is_empty() || model.inputs.is_some() {
            return Err(ErrorKind::Unsupported {
                what: "stochastic steps from a model that is no classifier of one function a class".into(),
            }
            .into());
        }
        stream.widen(model.expansion.points().width())?;
        for (o, (function, offset)) in stream.functions.iter_mut().zip(offsets).enumerate() {
            let weights = model.weights(o);
            function.state.vector[0] = -offset;
            function.state.vector[1..].copy_from_slice(&weights);
            function.state.square = function.state.vector.iter().map(|w| w * w).sum();
            function.state.steps = steps;
        }
        Ok(stream)
    }

    fn fresh(&self) -> Stream {
        let constant = if self.settings.offset { 1.0 } else { 0.0 };
        Stream::new(&self.settings.how(), self.settings.cost(), self.alpha(), self.width, constant)
    }

    /// λ, the price of ½‖w‖² beside the mean of the costs.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        self.settings.alpha.unwrap_or(ALPHA)
    }

    /// The classes named, or those that have appeared, in that order.
    #[must_use]
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// How well points were predicted before they were learnt from.
    #[must_use]
    pub fn progressive(&self) -> Progressive {
        self.progressive
    }

    /// The number of features seen.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Learns from points in their order.
    ///
    /// # Errors
    /// If there is not one label for each point, a number is not finite, a class is not one of those that were named, or there is no memory
    /// for the weights of so many features. Nothing is learnt then.
    pub fn learn(&mut self, x: &Vectors, y: &Labels) -> Result<()> {
        self.learn_seen(x, y, |_| ())
    }

    /// Learns from points in their order; `see` is told how each was predicted.
    ///
    /// # Errors
    /// As [`PegasosStream::learn`].
    pub fn learn_seen(&mut self, x: &Vectors, y: &Labels, mut see: impl FnMut(Example<'_>)) -> Result<()> {
        check("labels", y.index().len() as f64, y.index().len() == x.len(), "must be one for each point")?;
        x.check_finite()?;
        let known = |name: &String| self.classes.iter().position(|class| class == name);
        let mut place: Vec<Option<usize>> = y.classes().iter().map(known).collect();
        if self.unseen.is_none() {
            let strange = y.index().iter().map(|&class| class as usize).find(|&class| place[class].is_none());
            if let Some(class) = strange {
                return Err(
                    ErrorKind::Data(DataProblem::StrangeClass(y.classes()[class].as_str().into())).into()
                );
            }
        }
        self.widen(x.width())?;
        let mut first = 0;
        while first < x.len() {
            let class = y.index()[first] as usize;
            let before = self.classes.len();
            if place[class].is_none() {
                place[class] = Some(self.classes.len());
                self.appear(y.classes()[class].clone());
            }
            let rest = &y.index()[first..];
            let known = rest.iter().map_while(|&class| place[class as usize]).collect::<Vec<usize>>();
            self.learn_known(x, (first, before), &known, &mut see);
            first += known.len();
        }
        Ok(())
    }

    /// Makes room for the weights of `width` features.
    fn widen(&mut self, width: usize) -> Result<()> {
        if width > self.width {
            let vectors = if self.settings.averaging { 2 } else { 1 };
            let functions = self.functions.len() as u64 + u64::from(self.unseen.is_some());
            let needed = 8 * vectors * functions * width as u64;
            room(
                "the weights of the features",
                needed,
                None,
                "take fewer features, as by mercer features --hash",
            )?;
            self.width = width;
            self.functions.iter_mut().chain(&mut self.unseen).for_each(|function| function.widen(width));
        }
        Ok(())
    }

    /// Takes up a class that has not appeared before.
    fn appear(&mut self, class: String) {
        let unseen = self.unseen.as_ref().expect("classes that were not named are found as they come");
        match self.classes.len() {
            0 => self.functions.push(unseen.negated()),
            // Two classes have one function.
            1 => {}
            2 => self.functions.extend([self.functions[0].negated(), unseen.clone()]),
            _ => self.functions.push(unseen.clone()),
        }
        self.classes.push(class);
    }

    /// Learns from the points from `first` on, whose classes are known; `before` that point so many were.
    fn learn_known(
        &mut self,
        x: &Vectors,
        (first, before): (usize, usize),
        classes: &[usize],
        see: &mut impl FnMut(Example<'_>),
    ) {
        let factors = factors(&self.settings.class_weights, &self.classes);
        let two = self.functions.len() == 1;
        let one = |(function, stream): (usize, &mut Stream)| {
            let learn = |(i, &class): (usize, &usize)| {
                let target = if class == function { 1.0 } else { -1.0 };
                let price =
                    if two || class == function { factors.get(class).copied().unwrap_or(1.0) } else { 1.0 };
                let output = stream.learn(x.row(first + i), target, price);
                (output, stream.cost(target, output))
            };
            classes.iter().enumerate().map(learn).collect::<Vec<(f64, f64)>>()
        };
        let count = self.functions.len();
        let mut all: Vec<(usize, &mut Stream)> = self
            .functions
            .iter_mut()
            .enumerate()
            .chain(self.unseen.iter_mut().map(|unseen| (usize::MAX, unseen)))
            .collect();
        let work = all.len() * classes.len() * (x.stored() / x.len().max(1) + 1);
        let seen: Vec<Vec<(f64, f64)>> = if all.len() > 1 && work >= LARGE {
            all.into_par_iter().map(one).collect()
        } else {
            all.drain(..).map(one).collect()
        };
        let seen = &seen[..count];
        for (i, &class) in classes.iter().enumerate() {
            // The point that a class appears with cannot be predicted to be of it.
            let known = if i == 0 { before } else { self.classes.len() };
            let outputs: Vec<f64> = seen.iter().map(|outputs| outputs[i].0).collect();
            let predicted = predicted(&outputs, known);
            let progressive = &mut self.progressive;
            progressive.examples += 1;
            progressive.mistakes += u64::from(predicted != Some(class));
            progressive.cost += seen.iter().map(|outputs| outputs[i].1).sum::<f64>() / count as f64;
            see(Example {
                progressive: *progressive,
                label: &self.classes[class],
                predicted: predicted.map(|class| self.classes[class].as_str()),
                features: x.row(first + i).stored() + usize::from(self.settings.offset),
            });
        }
    }

    /// The model that the stream has come to. Points that wait for their step count as a step of fewer.
    ///
    /// # Errors
    /// If fewer than two classes have appeared.
    pub fn model(&self) -> Result<LinearModel<Vectors, VectorExpr>> {
        match self.classes.as_slice() {
            [] => return Err(ErrorKind::Data(DataProblem::Empty).into()),
            [class] => return Err(ErrorKind::Data(DataProblem::OneClass(class.as_str().into())).into()),
            _ => {}
        }
        let answers: Vec<Vec<f64>> = self.functions.iter().map(Stream::answer).collect();
        let offsets = answers.iter().map(|answer| -answer[0]).collect();
        let rows = answers.into_iter().map(|answer| answer[1..].to_vec()).collect();
        let kernel = self.settings.kernel.clone();
        LinearModel::of_weights(kernel, rows, offsets, self.classes.clone(), self.settings.cost(), Vec::new())
    }
}

/// The class of outputs among the first `known`; none where there are none.
fn predicted(outputs: &[f64], known: usize) -> Option<usize> {
    match (outputs, known) {
        (_, 0) => None,
        (_, 1) => Some(0),
        ([one], _) => Some(usize::from(*one <= 0.0)),
        _ => Some(first_largest(&outputs[..known])),
    }
}
