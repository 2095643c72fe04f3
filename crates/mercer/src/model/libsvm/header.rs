//! The lines above `SV`.

use super::line::{Line, Lines, Word};
use crate::error::{ErrorKind, Result};
use crate::kernel::{self, VectorExpr};
use crate::model::layout;

/// What the header says, checked against itself.
pub(super) struct Header {
    pub(super) kernel: VectorExpr,
    pub(super) classes: Vec<String>,
    pub(super) class_sizes: Vec<usize>,
    pub(super) offsets: Vec<f64>,
    /// Support vectors that must follow.
    pub(super) total: usize,
    pub(super) precomputed: bool,
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
struct Fields<'a> {
    lines: [Option<Line<'a>>; NAMES.len()],
    end: Line<'a>,
}

/// Reads up to and including the line `SV`.
pub(super) fn read(lines: &mut Lines<'_>) -> Result<Header> {
    let fields = Fields::read(lines)?;
    let kind = fields.one("svm_type")?;
    if !matches!(kind.text, "c_svc" | "nu_svc") {
        let what = format!("LIBSVM models of type '{}'; c_svc and nu_svc are read", kind.text).into();
        return Err(ErrorKind::Unsupported { what }.into());
    }
    let kernel = fields.kernel()?;
    let count = fields.one("nr_class")?;
    let classes = count.whole::<usize>()?;
    let Some(pairs) = layout::pairs(classes).filter(|_| classes >= 2) else {
        return Err(count.other(format!("nr_class = {}: at least two classes are needed", count.text)));
    };
    let labels = fields.list("label", classes, |word| word.whole::<i32>())?;
    let mut sorted = labels.clone();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(fields.line("label")?.error(format!("label {} is listed twice", twice[0])));
    }
    let offsets = fields.list("rho", pairs, |word| word.number())?;
    let class_sizes = fields.list("nr_sv", classes, |word| word.whole::<usize>())?;
    let total = fields.one("total_sv")?;
    let sum = class_sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
    if sum != Some(total.whole()?) {
        return Err(total.other(format!("total_sv = {}: must be the sum of nr_sv", total.text)));
    }
    Ok(Header {
        precomputed: kernel == kernel::precomputed(),
        kernel,
        classes: labels.iter().map(i32::to_string).collect(),
        class_sizes,
        offsets,
        total: total.whole()?,
    })
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

    fn line(&self, name: &str) -> Result<Line<'a>> {
        let at = NAMES.iter().position(|&known| known == name);
        at.and_then(|at| self.lines[at]).ok_or_else(|| self.end.error(format!("no line '{name}' before SV")))
    }

    fn words(&self, name: &str) -> Result<impl Iterator<Item = Word<'a>>> {
        Ok(self.line(name)?.words().skip(1))
    }

    /// The one word of a line.
    fn one(&self, name: &str) -> Result<Word<'a>> {
        let mut words = self.words(name)?;
        match (words.next(), words.next()) {
            (Some(word), None) => Ok(word),
            (Some(_), Some(second)) => Err(second.other(format!("'{name}' has one value"))),
            (None, _) => Err(self.line(name)?.error(format!("'{name}' has no value"))),
        }
    }

    /// The `expected` words of a line. Nothing is set aside for them: the words present make the list.
    fn list<T>(&self, name: &str, expected: usize, read: impl Fn(Word<'a>) -> Result<T>) -> Result<Vec<T>> {
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
