//! The lines above `SV`.

use super::line::{Line, Lines, Word};
use super::probability;
use crate::error::{ErrorKind, Result};
use crate::kernel::{self, VectorExpr};
use crate::model::file::parts;
use crate::model::probability::Estimate;

/// What the header says, checked against itself.
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) kernel: VectorExpr,
    pub(super) offsets: Vec<f64>,
    /// Support vectors that must follow.
    pub(super) total: usize,
    /// Coefficients of each.
    pub(super) columns: usize,
    pub(super) precomputed: bool,
    pub(super) probability: Option<Estimate>,
}

/// What the machine is, with what only it has.
pub(super) enum Kind {
    Classifier { classes: Vec<String>, class_sizes: Vec<usize> },
    Regression,
    OneClass,
}

/// All names that LIBSVM writes. They may come in any order, each once.
const NAMES: [&str; 13] = [
    "svm_type",
    "kernel_type",
    "degree",
    "gamma",
    "coef0",
    "nr_class",
    "total_sv",
    "rho",
    "label",
    "nr_sv",
    "probA",
    "probB",
    "prob_density_marks",
];

/// The header's lines by name, and the line `SV` that ended them.
pub(super) struct Fields<'a> {
    lines: [Option<Line<'a>>; NAMES.len()],
    end: Line<'a>,
}

/// Reads up to and including the line `SV`.
pub(super) fn read(lines: &mut Lines<'_>) -> Result<Header> {
    let fields = Fields::read(lines)?;
    let kind = fields.one("svm_type")?;
    match kind.text {
        "c_svc" | "nu_svc" => fields.classifier(),
        "epsilon_svr" | "nu_svr" => fields.function(Kind::Regression),
        "one_class" => fields.function(Kind::OneClass),
        other => Err(kind.other(format!("not a machine of LIBSVM: '{other}'"))),
    }
}

impl Fields<'_> {
    fn classifier(&self) -> Result<Header> {
        let kernel = self.kernel()?;
        let count = self.one("nr_class")?;
        let classes = count.whole::<usize>()?;
        let Some(pairs) = parts::pairs(classes).filter(|_| classes >= 2) else {
            return Err(count.other(format!("nr_class = {}: at least two classes are needed", count.text)));
        };
        let labels = self.list("label", classes, |word| word.whole::<i32>())?;
        if let Some(label) = parts::twice(&labels) {
            return Err(self.line("label")?.error(format!("label {label} is listed twice")));
        }
        let class_sizes = self.list("nr_sv", classes, |word| word.whole::<usize>())?;
        let total = self.one("total_sv")?;
        let sum = class_sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
        if sum != Some(total.whole()?) {
            return Err(total.other(format!("total_sv = {}: must be the sum of nr_sv", total.text)));
        }
        let kind = Kind::Classifier { classes: labels.iter().map(i32::to_string).collect(), class_sizes };
        self.header(kernel, kind, pairs, classes - 1)
    }

    fn header(&self, kernel: VectorExpr, kind: Kind, outputs: usize, columns: usize) -> Result<Header> {
        Ok(Header {
            precomputed: kernel == kernel::precomputed(),
            kernel,
            offsets: self.list("rho", outputs, |word| word.number())?,
            total: self.one("total_sv")?.whole()?,
            columns,
            probability: probability::read(self, &kind, outputs)?,
            kind,
        })
    }

    /// A machine with one function, which LIBSVM writes as one of two classes without their names.
    fn function(&self, kind: Kind) -> Result<Header> {
        let kernel = self.kernel()?;
        let count = self.one("nr_class")?;
        if count.whole::<usize>()? != 2 {
            return Err(
                count.other(format!("nr_class = {}: must be 2 where there are no classes", count.text))
            );
        }
        for name in ["label", "nr_sv"] {
            if let Ok(line) = self.line(name) {
                return Err(line.error(format!("'{name}' in a model without classes")));
            }
        }
        self.header(kernel, kind, 1, 1)
    }
}

impl<'a> Fields<'a> {
    fn read(lines: &mut Lines<'a>) -> Result<Self> {
        let mut found = [None; NAMES.len()];
        loop {
            let line = lines.next("a line of the header or SV")?;
            let Some(name) = line.words().next() else {
                return Err(line.error("an empty line in the header"));
            };
            if name.text == "SV" {
                return Ok(Self { lines: found, end: line });
            }
            match NAMES.iter().position(|&known| known == name.text) {
                Some(at) if found[at].is_none() => found[at] = Some(line),
                Some(_) => return Err(name.other(format!("'{}' for the second time", name.text))),
                None => return Err(name.other(format!("not a line of a LIBSVM model: '{}'", name.text))),
            }
        }
    }

    pub(super) fn line(&self, name: &str) -> Result<Line<'a>> {
        let at = NAMES.iter().position(|&known| known == name);
        at.and_then(|at| self.lines[at]).ok_or_else(|| self.end.error(format!("no line '{name}' before SV")))
    }

    fn words(&self, name: &str) -> Result<impl Iterator<Item = Word<'a>>> {
        Ok(self.line(name)?.words().skip(1))
    }

    /// The one word of a line.
    pub(super) fn one(&self, name: &str) -> Result<Word<'a>> {
        let mut words = self.words(name)?;
        match (words.next(), words.next()) {
            (Some(word), None) => Ok(word),
            (Some(_), Some(second)) => Err(second.other(format!("'{name}' has one value"))),
            (None, _) => Err(self.line(name)?.error(format!("'{name}' has no value"))),
        }
    }

    /// The `expected` words of a line. Nothing is set aside for them: the words present make the list.
    pub(super) fn list<T>(
        &self,
        name: &str,
        expected: usize,
        read: impl Fn(Word<'a>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let values = self.words(name)?.map(read).collect::<Result<Vec<T>>>()?;
        if values.len() == expected {
            return Ok(values);
        }
        let found = values.len();
        Err(self.line(name)?.error(format!("'{name}' has {found} values where {expected} are expected")))
    }

    fn kernel(&self) -> Result<VectorExpr> {
        let kind = self.one("kernel_type")?;
        let number = |name| self.one(name)?.number();
        let expression = match kind.text {
            "linear" => kernel::linear(),
            "polynomial" => {
                kernel::polynomial(self.one("degree")?.whole()?, number("gamma")?, number("coef0")?)
            }
            "rbf" => kernel::rbf(number("gamma")?),
            "sigmoid" => kernel::tanh(number("gamma")?, number("coef0")?),
            "precomputed" => kernel::precomputed(),
            other => return Err(kind.other(format!("not a kernel of LIBSVM: '{other}'"))),
        };
        expression.check().map_err(|error| match *error.kind() {
            // The parameters have the names of their lines.
            ErrorKind::Parameter { name, .. } => match self.one(name) {
                Ok(word) => word.other(error.to_string()),
                Err(missing) => missing,
            },
            _ => error,
        })?;
        Ok(expression)
    }
}
