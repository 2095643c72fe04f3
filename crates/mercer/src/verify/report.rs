//! What a verification has found.

use crate::model::Facts;
use std::fmt;

/// One number of a certificate, as the file tells it and as it was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// What it belongs to: a pair of classes, a class, a component; empty where there is one of it.
    pub of: String,
    /// The word for it: `gap`, `residual`.
    pub what: &'static str,
    /// What the file tells, or what may not be passed; none where the file does not tell it and any value would do.
    pub told: Option<f64>,
    /// What the definition gives on the data.
    pub found: f64,
    /// By how much rounding alone may part the two.
    pub tolerance: f64,
    /// Whether what is told is true.
    pub holds: bool,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, what, told, found, tolerance, .. } = self;
        if !of.is_empty() {
            write!(f, "{of}: ")?;
        }
        match told {
            Some(told) => write!(f, "{what} {told:.6e} told, {found:.6e} found, {tolerance:.1e} allowed"),
            None => write!(f, "{what} {found:.6e}"),
        }
    }
}

/// Whether the certificate of a model is true, and every number that this rests on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The numbers that were compared.
    pub checks: Vec<Check>,
    /// What does not fit together: a support point that is no row of the data, a coefficient beyond its bound.
    pub flaws: Vec<String>,
    /// What was assumed, and what could not be looked at.
    pub notes: Vec<String>,
}

impl Report {
    /// Whether nothing was found that is not true.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.flaws.is_empty() && self.checks.iter().all(|check| check.holds)
    }

    /// The checks that do not hold.
    pub fn broken(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.holds)
    }

    /// The report as facts: for `--json` and Python.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let check = |check: &Check| {
            Facts::default()
                .with("of", check.of.as_str())
                .with("what", check.what)
                .with("told", check.told)
                .with("found", check.found)
                .with("tolerance", check.tolerance)
                .with("holds", check.holds)
        };
        Facts::default()
            .with("true", self.is_true())
            .with("checks", self.checks.iter().map(check).collect::<Vec<_>>())
            .with("flaws", self.flaws.clone())
            .with("notes", self.notes.clone())
    }

    /// A number that must be as told.
    pub(super) fn equal(&mut self, of: &str, what: &'static str, told: f64, found: f64, tolerance: f64) {
        let holds = told == found || (told - found).abs() <= tolerance;
        self.push(of, what, (Some(told), found, tolerance), holds);
    }

    /// A number that may not pass another.
    pub(super) fn at_most(&mut self, of: &str, what: &'static str, most: f64, found: f64, tolerance: f64) {
        self.push(of, what, (Some(most), found, tolerance), found <= most + tolerance);
    }

    /// A number that the file does not tell.
    pub(super) fn tell(&mut self, of: &str, what: &'static str, found: f64) {
        self.push(of, what, (None, found, 0.0), found.is_finite());
    }

    /// Lists that must be as told, as their largest difference; `allowed` is the tolerance of each.
    pub(super) fn same(
        &mut self,
        of: &str,
        what: &'static str,
        (told, found): (&[f64], &[f64]),
        allowed: impl Fn(usize) -> f64,
    ) {
        if told.len() != found.len() {
            self.flaws.push(format!("{what}: {} told, {} found", told.len(), found.len()));
            return;
        }
        let excess = |i: &usize| ((told[*i] - found[*i]).abs() - allowed(*i), *i);
        let worst =
            (0..told.len()).map(|i| excess(&i)).reduce(|a, b| if b.0 > a.0 || b.0.is_nan() { b } else { a });
        if let Some((_, i)) = worst {
            self.equal(of, what, told[i], found[i], allowed(i));
        }
    }

    /// Something that does not fit.
    pub(super) fn flaw(&mut self, of: &str, flaw: impl fmt::Display) {
        let flaw = if of.is_empty() { flaw.to_string() } else { format!("{of}: {flaw}") };
        // The first of each kind says enough.
        if self.flaws.len() < MOST_FLAWS {
            self.flaws.push(flaw);
        }
    }

    /// Something that was assumed.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn push(
        &mut self,
        of: &str,
        what: &'static str,
        (told, found, tolerance): (Option<f64>, f64, f64),
        holds: bool,
    ) {
        self.checks.push(Check { of: of.to_owned(), what, told, found, tolerance, holds });
    }
}

/// Flaws that are listed, at most.
const MOST_FLAWS: usize = 20;
