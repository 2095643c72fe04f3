//! A method as a value: its name, its parameters, how it is fitted and how its models are read.

use super::estimator::{Estimator, Target, TargetKind, Targets};
use super::facts::Facts;
use super::file::{Flaw, Reader};
use super::fitted::{Model, without};
use super::job::Job;
use super::probability::{Estimate, Settings};
use super::setting::{About, Parameter, Value};
use super::space::Space;
use crate::data::Stream;
use crate::error::{ErrorKind, Result};
use crate::memory::within_memory;

/// What is told of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Its name: `svc`, `nu-svc`, `ridge`.
    pub name: &'static str,
    /// What it does, on one line.
    pub summary: &'static str,
    /// What must be known of each point.
    pub target: TargetKind,
    /// The word for its models in files; several methods may share it.
    pub kind: &'static str,
    /// The kernel of a method that is linear in the features of its points, or in those of an explicit map; none where it takes any.
    pub kernel: Option<&'static str>,
    /// Kinds of probabilities that can be learnt beside it: `sigmoid`, `isotonic`, `noise`, `density`.
    pub probabilities: &'static [&'static str],
    /// Its parameters.
    pub parameters: Vec<About>,
}

impl Card {
    /// The parameter of that name.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&About> {
        self.parameters.iter().find(|about| about.name == name)
    }

    /// The card as facts, its parameters as parts.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let parameter = |about: &About| {
            Facts::default()
                .with("name", about.name)
                .with("domain", about.domain)
                .with("meaning", about.meaning)
                .with("default", about.default.clone())
        };
        let probabilities: Vec<String> = self.probabilities.iter().map(|&kind| kind.to_owned()).collect();
        Facts::default()
            .with("name", self.name)
            .with("summary", self.summary)
            .with("kind", self.kind)
            .with("target", self.target.name())
            .with("kernel", self.kernel)
            .with("probabilities", probabilities)
            .with("parameters", self.parameters.iter().map(parameter).collect::<Vec<_>>())
    }
}

/// What names a method: its name, its summary, the kind of its models, the probabilities that can be learnt beside it.
pub(super) type Title = (&'static str, &'static str, &'static str, &'static [&'static str]);

type Make<X> = dyn Fn(<X as Space>::Kernel) -> Box<dyn Configured<X>>;
type Read<X> = dyn Fn(&mut Reader<'_>) -> Result<Box<dyn Model<X>>, Flaw>;

/// A method over points of the space `X`.
pub struct Method<X: Space> {
    title: Title,
    make: Box<Make<X>>,
    read: Box<Read<X>>,
}

impl<X: Space> Method<X> {
    /// A method whose estimator is made from a kernel by `new`, with `parameters` by name; `read` reads its models.
    pub(super) fn new<E>(
        title: Title,
        new: fn(X::Kernel) -> E,
        parameters: fn() -> Vec<Parameter<E>>,
        read: fn(&mut Reader<'_>) -> Result<E::Model, Flaw>,
    ) -> Self
    where
        E: Estimator<X, Model: Model<X> + 'static, Target: Target<X>> + Clone + Send + Sync + 'static,
    {
        let make = move |kernel| -> Box<dyn Configured<X>> {
            let estimator = new(kernel);
            let mut rows = parameters();
            rows.iter_mut().for_each(|row| row.about.default = row.get(&estimator));
            Box::new(Listed {
                title,
                parameters,
                defaults: rows.into_iter().map(|row| row.about).collect(),
                estimator,
            })
        };
        let read =
            move |reader: &mut Reader<'_>| -> Result<Box<dyn Model<X>>, Flaw> { Ok(Box::new(read(reader)?)) };
        Self { title, make: Box::new(make), read: Box::new(read) }
    }

    /// All methods on points of this space.
    #[must_use]
    pub fn all() -> Vec<Self> {
        super::methods::all()
    }

    /// The method of that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(name: &str) -> Result<Self> {
        Self::all().into_iter().find(|method| method.title.0 == name).ok_or_else(|| {
            let names: Vec<&str> = Self::all().iter().map(|method| method.title.0).collect();
            let what = format!("method '{name}'; there are {}", names.join(", "));
            ErrorKind::Unsupported { what: what.into() }.into()
        })
    }

    /// An estimator with the method's defaults.
    #[must_use]
    pub fn make(&self, kernel: X::Kernel) -> Box<dyn Configured<X>> {
        (self.make)(kernel)
    }

    /// What is told of it.
    #[must_use]
    pub fn card(&self) -> Card {
        self.make(X::default_kernel(1)).card()
    }

    /// What must be known of each point for a model of this kind.
    pub(super) fn target(kind: &str) -> TargetKind {
        let method = Self::all().into_iter().find(|method| method.title.2 == kind);
        method.map_or(TargetKind::None, |method| method.card().target)
    }

    /// Reads a model of the kind that a file names.
    pub(super) fn read(kind: &str, reader: &mut Reader<'_>) -> Result<Box<dyn Model<X>>, Flaw> {
        match Self::all().into_iter().find(|method| method.title.2 == kind) {
            Some(method) => (method.read)(reader),
            None => {
                let mut known: Vec<&str> = Self::all().iter().map(|method| method.title.2).collect();
                known.dedup();
                Err(format!("method '{kind}': this program reads {}", known.join(", ")).into())
            }
        }
    }
}

/// The models of a path of C, each with its C.
pub type Path<X> = Vec<(f64, Box<dyn Model<X>>)>;

/// An estimator of some method whose parameters are known by name.
pub trait Configured<X: Space>: Send + Sync {
    /// What is told of the method, and of the parameters with their defaults.
    fn card(&self) -> Card;

    /// Sets a parameter.
    ///
    /// # Errors
    /// If the method does not have it, or the value is of another kind.
    fn set(&mut self, name: &str, value: &Value) -> Result<()>;

    /// A parameter; none where the method does not have it.
    fn get(&self, name: &str) -> Option<Value>;

    /// Refuses parameters out of range.
    ///
    /// # Errors
    /// The first rule broken.
    fn check(&self) -> Result<()>;

    /// Fits a model.
    ///
    /// # Errors
    /// If a parameter, the points or the targets cannot be used, or the targets are of another kind.
    fn fit(&self, x: &X, y: &Targets<X>, job: &mut Job<'_, X>) -> Result<Box<dyn Model<X>>>;

    /// Fits a model to rows on disk.
    ///
    /// # Errors
    /// As [`Estimator::fit_stream`]; if the targets are of another kind.
    fn fit_stream(&self, x: &Stream, y: &Targets<X>, job: &mut Job<'_, X>) -> Result<Box<dyn Model<X>>>;

    /// Fits a model for each C of a path.
    ///
    /// # Errors
    /// As [`Estimator::fit_path`]; if the targets are of another kind.
    fn fit_path(&self, x: &X, y: &Targets<X>, job: &mut Job<'_, X>) -> Result<Path<X>>;

    /// Learns what the decisions of a model that was just fitted are worth.
    ///
    /// # Errors
    /// As [`Estimator::learn`].
    fn learn(
        &self,
        x: &X,
        y: &Targets<X>,
        model: &(dyn Model<X> + 'static),
        settings: &Settings,
        job: &mut Job<'_, X>,
    ) -> Result<Option<Estimate>>;

    /// A copy.
    fn copy(&self) -> Box<dyn Configured<X>>;
}

/// An estimator that stands in the table.
struct Listed<E> {
    title: Title,
    parameters: fn() -> Vec<Parameter<E>>,
    defaults: Vec<About>,
    estimator: E,
}

impl<X: Space, E> Configured<X> for Listed<E>
where
    E: Estimator<X, Model: Model<X> + 'static, Target: Target<X>> + Clone + Send + Sync + 'static,
{
    fn card(&self) -> Card {
        let (name, summary, kind, probabilities) = self.title;
        let (target, parameters) = (E::Target::KIND, self.defaults.clone());
        Card { name, summary, target, kind, kernel: E::KERNEL, probabilities, parameters }
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        let row = (self.parameters)().into_iter().find(|row| row.about.name == name);
        let (method, known) =
            (self.title.0, || self.defaults.iter().map(|about| about.name).collect::<Vec<_>>());
        let Some(row) = row else {
            let what = format!("parameter '{name}' of method '{method}'; it has {}", known().join(", "));
            return Err(ErrorKind::Unsupported { what: what.into() }.into());
        };
        if row.set(&mut self.estimator, value) {
            return Ok(());
        }
        let (value, rule) = (value.to_string().into(), row.about.domain);
        Err(ErrorKind::Setting { name: row.about.name, value, rule }.into())
    }

    fn get(&self, name: &str) -> Option<Value> {
        let row = (self.parameters)().into_iter().find(|row| row.about.name == name)?;
        Some(row.get(&self.estimator))
    }

    fn check(&self) -> Result<()> {
        self.estimator.check()
    }

    fn fit(&self, x: &X, y: &Targets<X>, job: &mut Job<'_, X>) -> Result<Box<dyn Model<X>>> {
        within_memory(|| Ok(Box::new(self.estimator.fit_in(x, self.target(y)?, job)?) as Box<dyn Model<X>>))
    }

    fn fit_stream(&self, x: &Stream, y: &Targets<X>, job: &mut Job<'_, X>) -> Result<Box<dyn Model<X>>> {
        within_memory(|| {
            Ok(Box::new(self.estimator.fit_stream(x, self.target(y)?, job)?) as Box<dyn Model<X>>)
        })
    }

    fn fit_path(&self, x: &X, y: &Targets<X>, job: &mut Job<'_, X>) -> Result<Path<X>> {
        let path = within_memory(|| self.estimator.fit_path(x, self.target(y)?, job))?;
        Ok(path.into_iter().map(|(c, model)| (c, Box::new(model) as Box<dyn Model<X>>)).collect())
    }

    fn learn(
        &self,
        x: &X,
        y: &Targets<X>,
        model: &(dyn Model<X> + 'static),
        settings: &Settings,
        job: &mut Job<'_, X>,
    ) -> Result<Option<Estimate>> {
        match model.downcast::<E::Model>() {
            Some(model) => within_memory(|| self.estimator.learn(x, self.target(y)?, model, settings, job)),
            None => without(model.kind(), "probabilities by another method's estimator"),
        }
    }

    fn copy(&self) -> Box<dyn Configured<X>> {
        let Self { title, parameters, defaults, estimator } = self;
        let (title, parameters) = (*title, *parameters);
        Box::new(Self { title, parameters, defaults: defaults.clone(), estimator: estimator.clone() })
    }
}

impl<E> Listed<E> {
    fn target<'y, X: Space>(&self, y: &'y Targets<X>) -> Result<&'y E::Target>
    where
        E: Estimator<X, Target: Target<X>>,
    {
        E::Target::of(y).ok_or_else(|| {
            let wanted = E::Target::KIND.words();
            let what = format!("method '{}' fitted to anything but {wanted}", self.title.0);
            ErrorKind::Unsupported { what: what.into() }.into()
        })
    }
}
