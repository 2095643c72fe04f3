//! More than two classes, and several labels: which machines there are and which options they have.

mod predicted;
mod task;

use clap::ValueEnum;
use mercer::model::Loss;

pub(crate) use predicted::{Agreed, Predicted, judge_sets};
pub(crate) use task::{Many, class_factors};

use crate::args::{MethodArg, TrainArgs};
use crate::failure::{Failure, Result};
use crate::output::remark;

/// What is fitted to more than two classes, and how it becomes a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MulticlassArg {
    /// A machine for each pair of classes and a vote; ties go to the larger sum of decisions
    Ovo,
    /// A machine for each pair of classes; the decisions for a class against all others are summed
    OvoSum,
    /// A machine for each class against all others; the largest decision wins
    Ovr,
    /// One problem for all classes, no offset; only the worst of the other classes costs
    CrammerSinger,
    /// One problem for all classes, no offset; each of the other classes costs
    WestonWatkins,
    /// One problem for all classes, no offset: multinomial logistic regression with the kernel
    Softmax,
}

impl MulticlassArg {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ovo => "ovo",
            Self::OvoSum => "ovo-sum",
            Self::Ovr => "ovr",
            Self::CrammerSinger | Self::WestonWatkins | Self::Softmax => self.loss().map_or("", Loss::name),
        }
    }

    /// The loss, where all classes are one problem.
    pub(crate) fn loss(self) -> Option<Loss> {
        match self {
            Self::CrammerSinger => Some(Loss::CrammerSinger),
            Self::WestonWatkins => Some(Loss::WestonWatkins),
            Self::Softmax => Some(Loss::Softmax),
            Self::Ovo | Self::OvoSum | Self::Ovr => None,
        }
    }

    /// Whether there is a machine for each pair of classes.
    pub(crate) fn is_pairs(self) -> bool {
        matches!(self, Self::Ovo | Self::OvoSum)
    }
}

/// The machine asked for has a function for each class or label.
pub(crate) fn is_many(args: &TrainArgs) -> bool {
    args.multilabel || args.multiclass.is_some_and(|scheme| !scheme.is_pairs())
}

/// Refuses options that such a machine does not have: they would be ignored.
pub(crate) fn check(args: &TrainArgs) -> Result<()> {
    let method = args.method.name();
    let named = match (args.multilabel, args.multiclass) {
        (true, _) => "--multilabel".to_owned(),
        (false, Some(scheme)) => format!("--multiclass {}", scheme.name()),
        (false, None) => return Ok(()),
    };
    let pairs = !is_many(args);
    if !(args.method == MethodArg::Svc || args.method == MethodArg::NuSvc && pairs) {
        let only = if pairs { "svc and nu-svc have" } else { "svc has" };
        return Err(Failure::Usage(format!("{named}: --method {method} does not have it; {only}")));
    }
    if pairs {
        return check_text(args, &named);
    }
    let together = args.multiclass.and_then(MulticlassArg::loss).is_some();
    let solver = &args.solver;
    let given = [
        ("--weight", !args.weights.is_empty() && args.multilabel),
        ("--squared", args.squared),
        ("--no-offset", args.no_offset),
        ("--first-order", solver.first_order && together),
        ("--no-shrinking", solver.no_shrinking && together),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => check_text(args, &named),
        Some((name, _)) => Err(Failure::Usage(format!("{name}: {named} does not have it"))),
    }
}

/// Refuses what LIBSVM's model text cannot say.
fn check_text(args: &TrainArgs, named: &str) -> Result<()> {
    if args.libsvm && args.multiclass != Some(MulticlassArg::Ovo) {
        let what = format!("{named} with --libsvm: LIBSVM's model text has classifiers by votes of pairs");
        return Err(Failure::Unsupported(what));
    }
    Ok(())
}

/// Says so where labels look like sets and are taken as names of classes.
pub(crate) fn remark_on_sets(classes: &[String]) {
    let is_set =
        |name: &&String| name.contains(',') && name.split(',').all(|part| part.trim().parse::<f64>().is_ok());
    if let Some(name) = classes.iter().find(is_set) {
        remark(format_args!(
            "mercer: note: '{name}' is taken as the name of a class; --multilabel reads it as several labels"
        ));
    }
}
