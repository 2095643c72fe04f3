//! The table of LIBLINEAR's solvers.

use crate::model::Cost;

/// A solver of LIBLINEAR, and the method here that solves the same problem.
#[derive(Debug, PartialEq)]
pub struct Solver {
    /// The value of `-s`.
    pub number: u8,
    /// The value of `solver_type`.
    pub name: &'static str,
    /// What it is, in words.
    pub about: &'static str,
    /// What its models have learnt.
    pub learnt: Learnt,
    /// The method of the table of methods, and the settings by which it has the solver's problem.
    pub method: (&'static str, &'static [(&'static str, &'static str)]),
    /// Whether its objective is that of the dual.
    pub dual: bool,
    /// LIBLINEAR's default of `-e`.
    pub tolerance: f64,
}

/// What a model tells of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Learnt {
    /// Its class, by the loss of the fit. ε of a model that was read is not known.
    Classes(Cost),
    /// A number, by the loss of the fit.
    Numbers(Cost),
    /// Whether it is one of the points of training.
    Inside,
}

impl Solver {
    /// The solver of a value of `-s`.
    #[must_use]
    pub fn numbered(number: u8) -> Option<&'static Self> {
        SOLVERS.iter().find(|solver| solver.number == number)
    }

    /// The solver of a value of `solver_type`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        SOLVERS.iter().find(|solver| solver.name == name)
    }

    /// Whether a model of two classes has two functions, each the negative of the other.
    pub(super) fn has_function_for_each_of_two(&self) -> bool {
        self.name == "MCSVM_CS"
    }
}

const HINGE: &[(&str, &str)] = &[("loss", "hinge")];
const SQUARED_HINGE: &[(&str, &str)] = &[("loss", "squared-hinge")];
const ZONE: &[(&str, &str)] = &[("loss", "insensitive")];
const SQUARED_ZONE: &[(&str, &str)] = &[("loss", "squared-insensitive")];

/// All solvers of LIBLINEAR 2.50.
pub static SOLVERS: [Solver; 12] = [
    Solver {
        number: 0,
        name: "L2R_LR",
        about: "logistic regression",
        learnt: Learnt::Classes(Cost::Logistic),
        method: ("logistic", &[]),
        dual: false,
        tolerance: 0.01,
    },
    Solver {
        number: 1,
        name: "L2R_L2LOSS_SVC_DUAL",
        about: "support vector classification, squared hinge (dual)",
        learnt: Learnt::Classes(Cost::SquaredHinge),
        method: ("linear-svc", SQUARED_HINGE),
        dual: true,
        tolerance: 0.1,
    },
    Solver {
        number: 2,
        name: "L2R_L2LOSS_SVC",
        about: "support vector classification, squared hinge",
        learnt: Learnt::Classes(Cost::SquaredHinge),
        method: ("linear-svc", SQUARED_HINGE),
        dual: false,
        tolerance: 0.01,
    },
    Solver {
        number: 3,
        name: "L2R_L1LOSS_SVC_DUAL",
        about: "support vector classification, hinge (dual)",
        learnt: Learnt::Classes(Cost::Hinge),
        method: ("linear-svc", HINGE),
        dual: true,
        tolerance: 0.1,
    },
    Solver {
        number: 4,
        name: "MCSVM_CS",
        about: "support vector classification by Crammer and Singer",
        learnt: Learnt::Classes(Cost::Hinge),
        method: ("linear-svc", &[("loss", "hinge"), ("scheme", "crammer-singer")]),
        dual: true,
        tolerance: 0.1,
    },
    Solver {
        number: 5,
        name: "L1R_L2LOSS_SVC",
        about: "support vector classification, squared hinge, L1 penalty",
        learnt: Learnt::Classes(Cost::SquaredHinge),
        method: ("linear-svc", &[("loss", "squared-hinge"), ("penalty", "l1")]),
        dual: false,
        tolerance: 0.01,
    },
    Solver {
        number: 6,
        name: "L1R_LR",
        about: "logistic regression, L1 penalty",
        learnt: Learnt::Classes(Cost::Logistic),
        method: ("logistic", &[("penalty", "l1")]),
        dual: false,
        tolerance: 0.01,
    },
    Solver {
        number: 7,
        name: "L2R_LR_DUAL",
        about: "logistic regression (dual)",
        learnt: Learnt::Classes(Cost::Logistic),
        method: ("logistic", &[("solver", "dual")]),
        dual: true,
        tolerance: 0.1,
    },
    Solver {
        number: 11,
        name: "L2R_L2LOSS_SVR",
        about: "support vector regression, squared errors beyond p",
        learnt: Learnt::Numbers(Cost::SquaredInsensitive(0.0)),
        method: ("linear-svr", SQUARED_ZONE),
        dual: false,
        tolerance: 1e-4,
    },
    Solver {
        number: 12,
        name: "L2R_L2LOSS_SVR_DUAL",
        about: "support vector regression, squared errors beyond p (dual)",
        learnt: Learnt::Numbers(Cost::SquaredInsensitive(0.0)),
        method: ("linear-svr", SQUARED_ZONE),
        dual: true,
        tolerance: 0.1,
    },
    Solver {
        number: 13,
        name: "L2R_L1LOSS_SVR_DUAL",
        about: "support vector regression, errors beyond p (dual)",
        learnt: Learnt::Numbers(Cost::Insensitive(0.0)),
        method: ("linear-svr", ZONE),
        dual: true,
        tolerance: 0.1,
    },
    Solver {
        number: 21,
        name: "ONECLASS_SVM",
        about: "one-class support vector machine (dual)",
        learnt: Learnt::Inside,
        method: ("linear-one-class", &[]),
        dual: true,
        tolerance: 0.01,
    },
];
