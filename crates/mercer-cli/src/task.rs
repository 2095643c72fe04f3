//! A machine with its settings and what it is fitted to: one of them for every method of this program.

use mercer::data::{Labels, Vectors};
use mercer::kernel::VectorExpr;
use mercer::model::file::Training;
use mercer::model::{
    Coefficients, Expansion, Function, Local, Machine, NuSvc, OneClass, Svc, SvcModel, Svdd, Svr, VoteRule,
    Zone, libsvm, pairs,
};
use mercer::solve::Smo;

use crate::failure::{Failure, Result};
use crate::fit::{Fitted, fit, watched};
use crate::multiclass::{Many, class_factors};
use crate::progress::Show;

/// The estimator, and beside the points what it needs of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Task {
    /// Classes.
    Svc(Svc<VectorExpr>, Labels),
    /// Classes, by cells.
    Local(Local<VectorExpr>, Labels),
    /// Classes, ν in place of C.
    NuSvc(NuSvc<VectorExpr>, Labels),
    /// Numbers.
    Svr(Svr<VectorExpr>, Vec<f64>),
    /// Nothing but the points.
    OneClass(OneClass<VectorExpr>),
    /// Nothing but the points.
    Svdd(Svdd<VectorExpr>),
    /// A function for each class or label.
    Many(Many),
}

impl Task {
    /// k
    pub(crate) fn kernel(&self) -> &VectorExpr {
        match self {
            Self::Svc(svc, _) | Self::Local(Local { svc, .. }, _) => &svc.kernel,
            Self::NuSvc(svc, _) => &svc.kernel,
            Self::Svr(svr, _) => &svr.kernel,
            Self::OneClass(machine) => &machine.kernel,
            Self::Svdd(svdd) => &svdd.kernel,
            Self::Many(many) => many.kernel(),
        }
    }

    /// How the dual is solved.
    pub(crate) fn solver(&self) -> &Smo {
        match self {
            Self::Svc(svc, _) | Self::Local(Local { svc, .. }, _) => &svc.solver,
            Self::NuSvc(svc, _) => &svc.solver,
            Self::Svr(svr, _) => &svr.solver,
            Self::OneClass(machine) => &machine.solver,
            Self::Svdd(svdd) => &svdd.solver,
            Self::Many(many) => many.solver(),
        }
    }

    /// Weights of the points; empty for 1.
    pub(crate) fn weights_mut(&mut self) -> &mut Vec<f64> {
        match self {
            Self::Svc(svc, _) | Self::Local(Local { svc, .. }, _) => &mut svc.weights,
            Self::NuSvc(svc, _) => &mut svc.weights,
            Self::Svr(svr, _) => &mut svr.weights,
            Self::OneClass(machine) => &mut machine.weights,
            Self::Svdd(svdd) => &mut svdd.weights,
            Self::Many(many) => many.weights_mut(),
        }
    }

    /// Refuses settings out of range.
    pub(crate) fn check(&self) -> mercer::Result<()> {
        self.kernel().check()?;
        match self {
            Self::Svc(svc, _) => svc.check(),
            Self::Local(local, _) => local.check(),
            Self::NuSvc(svc, _) => svc.check(),
            Self::Svr(svr, _) => svr.check(),
            Self::OneClass(machine) => machine.check(),
            // The least C depends on the number of points.
            Self::Svdd(svdd) => svdd.solver.check(),
            Self::Many(many) => many.check(),
        }
    }

    /// Fits with a progress bar and a table of all rounds, as wanted; Ctrl-C ends with the best model so far.
    pub(crate) fn fit(&self, x: &Vectors, show: &Show) -> mercer::Result<Fitted> {
        let solver = self.solver();
        match self {
            Self::Svc(svc, y) => {
                let Fitted { model, seconds, phases, epsilon, .. } = fit(svc, x, y, show)?;
                Ok(Fitted { model: model.into(), seconds, phases, epsilon, c: Vec::new() })
            }
            Self::Local(local, y) => {
                let ((model, phases), seconds) = watched(solver, show, |watch| local.fit_timed(x, y, watch))?;
                Ok(Fitted { model: model.into(), seconds, phases, epsilon: None, c: Vec::new() })
            }
            Self::NuSvc(svc, y) => {
                let (fit, seconds) = watched(solver, show, |watch| svc.fit_timed(x, y, watch))?;
                let (model, phases) = (fit.model.into(), fit.phases);
                Ok(Fitted { model, seconds, phases, epsilon: None, c: fit.c })
            }
            Self::Svr(svr, y) => {
                let (fit, seconds) = watched(solver, show, |watch| svr.fit_timed(x, y, watch))?;
                let (model, phases) = (Machine::Regression(fit.function), fit.phases);
                Ok(Fitted { model, seconds, phases, epsilon: Some(fit.epsilon), c: Vec::new() })
            }
            Self::OneClass(machine) => {
                let ((function, phases), seconds) =
                    watched(solver, show, |watch| machine.fit_timed(x, watch))?;
                Ok(Fitted {
                    model: Machine::OneClass(function),
                    seconds,
                    phases,
                    epsilon: None,
                    c: Vec::new(),
                })
            }
            Self::Svdd(svdd) => {
                let ((sphere, phases), seconds) = watched(solver, show, |watch| svdd.fit_timed(x, watch))?;
                Ok(Fitted { model: sphere.into(), seconds, phases, epsilon: None, c: Vec::new() })
            }
            Self::Many(many) => many.fit(x, show),
        }
    }

    /// The same for some of the points.
    pub(crate) fn part(&self, rows: &[usize]) -> Self {
        let mut part = match self {
            Self::Svc(svc, y) => {
                let labels = Labels::first_seen(rows.iter().map(|&i| y.name(i))).libsvm_order();
                Self::Svc(svc.clone(), labels)
            }
            Self::NuSvc(svc, y) => {
                let labels = Labels::first_seen(rows.iter().map(|&i| y.name(i))).libsvm_order();
                Self::NuSvc(svc.clone(), labels)
            }
            Self::Local(local, y) => Self::Local(local.clone(), y.select(rows)),
            Self::Svr(svr, y) => Self::Svr(svr.clone(), rows.iter().map(|&i| y[i]).collect()),
            Self::OneClass(_) | Self::Svdd(_) => self.clone(),
            Self::Many(many) => Self::Many(many.part(rows)),
        };
        let weights = part.weights_mut();
        if !weights.is_empty() {
            *weights = rows.iter().map(|&i| weights[i]).collect();
        }
        part
    }

    /// What a model file says of how its model was trained; `epsilon` is that of the fit.
    pub(crate) fn training(&self, epsilon: Option<f64>) -> Training {
        let tolerance = self.solver().tolerance;
        let none = Training { c: None, nu: None, epsilon: None, class_weights: Vec::new(), tolerance };
        match self {
            Self::Svc(svc, y) | Self::Local(Local { svc, .. }, y) => {
                let class_weights = class_factors(&svc.class_weights, &svc.weights, y);
                Training { c: Some(svc.c), class_weights, ..none }
            }
            Self::NuSvc(svc, _) => Training { nu: Some(svc.nu), ..none },
            Self::Svr(svr, _) => {
                let nu = match svr.zone {
                    Zone::Epsilon(_) => None,
                    Zone::Nu(nu) => Some(nu),
                };
                Training { c: Some(svr.c), nu, epsilon, ..none }
            }
            Self::OneClass(machine) => Training { nu: Some(machine.nu), ..none },
            Self::Svdd(svdd) => Training { c: Some(svdd.c), ..none },
            Self::Many(many) => many.training(none),
        }
    }

    /// Refuses what LIBSVM's model text cannot say, before time is spent on a fit: other kernels and machines than its
    /// own, classes that are not whole numbers.
    pub(crate) fn check_libsvm(&self) -> Result<()> {
        let classes = match self {
            Self::Svc(_, y) | Self::NuSvc(_, y) => y.classes(),
            Self::Svr(..) | Self::OneClass(_) => &[],
            Self::Svdd(_) => {
                let what = "a sphere (svdd) as LIBSVM's model text, which has classifiers, svr and one-class";
                return Err(Failure::Unsupported(what.into()));
            }
            Self::Local(..) => {
                let what = "a classifier for each cell as LIBSVM's model text, which has one";
                return Err(Failure::Unsupported(what.into()));
            }
            Self::Many(_) => {
                let what = "a function for each class as LIBSVM's model text, which has pairs of classes";
                return Err(Failure::Unsupported(what.into()));
            }
        };
        let outputs = if classes.is_empty() { 1 } else { pairs(classes.len()).len() };
        let coefficients = match classes {
            [] => Coefficients::single(vec![]),
            _ => Coefficients { blocks: vec![], outputs },
        };
        let expansion = Expansion::new(
            self.kernel().clone(),
            Vectors::dense::<f32>(1, vec![]),
            coefficients,
            vec![0.0; outputs],
        );
        let empty = match self {
            Self::Svc(..) | Self::NuSvc(..) => Machine::Classifier(SvcModel {
                expansion,
                classes: classes.to_vec(),
                class_sizes: vec![0; classes.len()],
                support: vec![],
                certificates: vec![],
                rule: VoteRule::Votes,
            }),
            _ => Machine::Regression(Function { expansion, support: vec![], certificate: None }),
        };
        libsvm::print(&empty.into())?;
        Ok(())
    }
}
