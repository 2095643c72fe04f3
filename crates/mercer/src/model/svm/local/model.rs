//! A classifier for each cell.

use rayon::prelude::*;

use crate::model::prelude::*;
use crate::model::quality::{self, Totals};
use crate::model::svm::{SvcModel, VoteRule};

/// Classifiers of cells, and which cell a point belongs to: an approximation of the classifier of all points.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalModel<X, K> {
    /// 2⟨φ(x), m_j⟩ − ‖m_j‖² for each cell j, of which the largest decides; each point enters one output, that of its cell.
    pub gate: Expansion<X, K>,
    /// Positions of the gate's points in the training data, from 0; empty when unknown.
    pub support: Vec<usize>,
    /// The cells.
    pub cells: Vec<Cell<X, K>>,
    /// Class names; numbering as in training.
    pub classes: Vec<String>,
}

/// A part of the training data and its classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell<X, K> {
    /// Training points in it.
    pub size: usize,
    /// The number of their most frequent class, by weight: the answer where there is no classifier, or one without support points.
    pub class: usize,
    /// The classifier of the classes that occur in it; none where that is one.
    pub classifier: Option<SvcModel<X, K>>,
}

impl<X: Points, K: Kernel<X>> LocalModel<X, K> {
    /// The number of the cell that each point belongs to; of several that are equally near the first.
    ///
    /// # Errors
    /// If the points do not fit the model.
    pub fn nearest(&self, points: &X) -> Result<Vec<usize>> {
        self.gate.map(points, first_largest)
    }

    /// The number of the class of each point, by the classifier of its cell.
    fn predict_as(&self, points: &X, _: How) -> Result<Vec<usize>> {
        let mut members = vec![Vec::new(); self.cells.len()];
        self.nearest(points)?.into_iter().enumerate().for_each(|(i, cell)| members[cell].push(i));
        let inside = |(cell, index): (&Cell<X, K>, &Vec<usize>)| self.inside(cell, points, index);
        let found = self.cells.par_iter().zip(&members).map(inside).collect::<Result<Vec<_>>>()?;
        let mut classes = vec![0; points.len()];
        for (index, found) in members.iter().zip(found) {
            index.iter().zip(found).for_each(|(&i, class)| classes[i] = class);
        }
        Ok(classes)
    }

    /// The classes of the points at `index`, which are those of one cell.
    fn inside(&self, cell: &Cell<X, K>, points: &X, index: &[usize]) -> Result<Vec<usize>> {
        let classifier = match &cell.classifier {
            Some(classifier) if !classifier.expansion.points().is_empty() && !index.is_empty() => classifier,
            _ => return Ok(vec![cell.class; index.len()]),
        };
        let number = |name: &String| self.classes.iter().position(|class| class == name);
        let numbers: Vec<usize> =
            classifier.classes.iter().map(|name| number(name).unwrap_or(cell.class)).collect();
        let found = classifier.predict_index(&points.select(index)).map_err(|error| error.about(index))?;
        Ok(found.into_iter().map(|class| numbers[class]).collect())
    }

    /// The certificates of the classifiers of all cells, one after the other. There is none of the whole.
    #[must_use]
    pub fn certificates(&self) -> Vec<Certificate> {
        self.classifiers().flat_map(|classifier| classifier.certificates.iter().copied()).collect()
    }

    /// Support points of all cells together.
    #[must_use]
    pub fn support_points(&self) -> usize {
        self.classifiers().map(|classifier| classifier.expansion.points().len()).sum()
    }

    fn classifiers(&self) -> impl Iterator<Item = &SvcModel<X, K>> {
        self.cells.iter().filter_map(|cell| cell.classifier.as_ref())
    }
}

classifies!(LocalModel);

impl<X: Space> Model<X> for LocalModel<X, X::Kernel> {
    made_of!("local": gate, support, classes);

    fn change(&mut self, change: &mut dyn FnMut(Expansion<X, X::Kernel>) -> Expansion<X, X::Kernel>) {
        self.gate.change(change);
        let classifiers = self.cells.iter_mut().filter_map(|cell| cell.classifier.as_mut());
        classifiers.for_each(|classifier| classifier.expansion.change(change));
    }

    fn support_points(&self) -> usize {
        LocalModel::support_points(self)
    }

    fn quality(&self) -> Quality {
        Quality::Parts(self.certificates())
    }

    fn facts(&self) -> Facts {
        let cell = |cell: &Cell<X, X::Kernel>| {
            let classifier = cell.classifier.as_ref();
            let totals = classifier.and_then(|own| Totals::of(&own.certificates));
            let certificates = |own: &SvcModel<X, X::Kernel>| {
                own.certificates.iter().map(quality::certificate).collect::<Vec<_>>()
            };
            Facts::default()
                .with("rows", cell.size)
                .with("class", cell.class)
                .with("classes", classifier.map(|own| own.classes.as_slice()))
                .with("support_vectors", classifier.map_or(0, |own| own.expansion.points().len()))
                .with("support_positions", classifier.map(|own| own.support.as_slice()))
                .with("offsets", classifier.map(|own| own.expansion.offsets()))
                .with("objective", totals.map(|totals| totals.objective))
                .with("gap", totals.and_then(|totals| totals.gap))
                .with("violation", totals.map(|totals| totals.violation))
                .with("certificates", classifier.map(certificates))
                .with("always", classifier.is_none().then(|| self.classes[cell.class].as_str()))
        };
        Facts::default()
            .with("approximate", true)
            .with("cells", self.cells.iter().map(cell).collect::<Vec<_>>())
    }

    fn words(&self) -> String {
        let (classes, cells) = (count(self.classes.len(), "class"), count(self.cells.len(), "cell"));
        format!("{classes} by the classifiers of {cells}, approximate")
    }

    fn outputs(&self) -> (&'static str, Vec<String>) {
        ("cell", (1..=self.cells.len()).map(|cell| cell.to_string()).collect())
    }

    fn is_short(&self, _: usize, _: How) -> bool {
        false
    }

    fn decisions(&self, _: &X, _: How) -> Result<Dense<f64>> {
        without("local", "decisions, which do not compare between cells,")
    }

    fn predict(&self, points: &X, _: How) -> Result<Prediction> {
        Ok(Prediction::Classes(self.predict_index(points)?))
    }

    fn check(&self) -> Result<Dense<f64>, Flaw> {
        let classes = parts::check_names(&self.classes, 2)?;
        if self.cells.is_empty() {
            return Err("no cells".into());
        }
        let sum = self.cells.iter().try_fold(0_usize, |sum, cell| sum.checked_add(cell.size));
        sum.ok_or("more points in the cells than can be counted")?;
        for (number, cell) in self.cells.iter().enumerate() {
            let flaw = |flaw: Flaw| -> Flaw { format!("cell {number}: {flaw}").into() };
            if cell.class >= classes {
                return Err(flaw(format!("class {} of {classes}", cell.class).into()));
            }
            if let Some(classifier) = &cell.classifier {
                self.check_cell(classifier).map_err(flaw)?;
            }
        }
        parts::check_numbers(&self.gate, self.cells.len(), &self.support)?;
        gate_weights(&self.gate)
    }

    fn write(&self, writer: &mut Writer) -> Result<(), Flaw> {
        let sizes: Vec<usize> = self.gate.coefficients().blocks.iter().map(|b| b.points.len()).collect();
        writer.counts("gate_sizes", &sizes);
        writer.counts("cell_sizes", &self.cells.iter().map(|cell| cell.size).collect::<Vec<_>>());
        writer.counts("cell_classes", &self.cells.iter().map(|cell| cell.class).collect::<Vec<_>>());
        for (number, cell) in self.cells.iter().enumerate() {
            let prefix = prefix(number);
            match &cell.classifier {
                Some(classifier) => self.write_cell(classifier, &prefix, writer)?,
                None => writer.counts(&format!("{prefix}classes"), &[cell.class]),
            }
        }
        Ok(())
    }
}

/// The weights of a gate, whose points enter one output each: those of the first cell come first.
fn gate_weights<X: Points, K>(gate: &Expansion<X, K>) -> Result<Dense<f64>, Flaw> {
    let (blocks, mut next, mut weights) = (&gate.coefficients().blocks, 0, Vec::new());
    parts::same("blocks of the gate", blocks.len(), gate.coefficients().outputs)?;
    for (cell, block) in blocks.iter().enumerate() {
        if block.points.start != next || block.points.end < next || block.outputs != [cell] {
            return Err("the points that choose a cell do not follow each other".into());
        }
        parts::same("coefficients of the gate", block.values.len(), block.points.len())?;
        next = block.points.end;
        weights.extend_from_slice(&block.values);
    }
    parts::same("coefficients of the gate", next, gate.points().len())?;
    parts::finite(Dense::new(1, weights))
}

/// Before the names of a cell.
fn prefix(number: usize) -> String {
    format!("cell.{number}.")
}

impl<X: Space> LocalModel<X, X::Kernel> {
    /// The classifier of a cell: like others, and of the same kind as the whole.
    fn check_cell(&self, classifier: &SvcModel<X, X::Kernel>) -> Result<(), Flaw> {
        parts::classifier(classifier)?;
        if let Some(name) = classifier.classes.iter().find(|name| !self.classes.contains(name)) {
            return Err(format!("class '{name}', which the whole does not have").into());
        }
        parts::same("features", classifier.expansion.points().width(), self.gate.points().width())?;
        if classifier.expansion.kernel() != self.gate.kernel() {
            return Err("another kernel than that of the whole".into());
        }
        match classifier.rule {
            VoteRule::Votes => Ok(()),
            VoteRule::Sum => Err("another rule than votes".into()),
        }
    }

    fn write_cell(
        &self,
        classifier: &SvcModel<X, X::Kernel>,
        prefix: &str,
        writer: &mut Writer,
    ) -> Result<(), Flaw> {
        let weights = parts::classifier(classifier)?;
        let name = |name: &str| format!("{prefix}{name}");
        let number = |class: &String| self.classes.iter().position(|name| name == class);
        let numbers: Option<Vec<usize>> = classifier.classes.iter().map(number).collect();
        let numbers = numbers.ok_or("a cell with a class that the whole does not have")?;
        let offsets = classifier.expansion.offsets();
        writer.entry(&name("certificates"), text::certificates(&classifier.certificates)?);
        writer.counts(&name("classes"), &numbers);
        writer.counts(&name("class_sizes"), &classifier.class_sizes);
        writer.table(&name("coefficients"), &weights);
        writer.list(&name("offsets"), offsets);
        writer.counts(&name("support"), &classifier.support);
        classifier.expansion.points().write(prefix, writer);
        Ok(())
    }
}

/// Reads a model of cells: the functions that choose the cell like those of other models, with the entry `classes` and the
/// tensors `gate_sizes` (how many of their points belong to each cell), `cell_sizes` (training points of each) and
/// `cell_classes` (the most frequent class of each, by number).
///
/// Cell j has the tensor `cell.j.classes`, the numbers of the classes in it. Where there are several, its classifier stands
/// beside it under the prefix `cell.j.`: the entry `certificates`, tensors `class_sizes`, `coefficients`, `offsets`,
/// `support`, and the points. Kernel and width are those of the whole.
pub(super) fn read<X: Space>(reader: &mut Reader<'_>) -> Result<LocalModel<X, X::Kernel>, Flaw> {
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    let (sizes, most) = (reader.counts("cell_sizes")?, reader.counts("cell_classes")?);
    if sizes.len() != most.len() {
        return Err(format!("{} sizes of cells but {} classes of cells", sizes.len(), most.len()).into());
    }
    if !text::read_certificates(&reader.entry("certificates")?)?.is_empty() {
        return Err("certificates of the whole, where there are those of cells only".into());
    }
    let points = X::read("", reader)?;
    let coefficients = read_gate(reader, points.len(), sizes.len())?;
    let kernel = parts::read_kernel(&points, reader, "")?;
    let gate = Expansion::new(kernel, points, coefficients, reader.list("offsets")?);
    let support = reader.counts("support")?;
    let mut cells = Vec::new();
    for (number, (size, class)) in sizes.into_iter().zip(most).enumerate() {
        let (first, classifier) = read_cell(reader, &prefix(number), &classes, gate.kernel())?;
        if classifier.is_none() && first != class {
            return Err(format!("cell {number}: one class, {first}, and a most frequent one, {class}").into());
        }
        cells.push(Cell { size, class, classifier });
    }
    Ok(LocalModel { gate, support, cells, classes })
}

/// The weights of the points that choose a cell: each enters the output of its own.
fn read_gate(reader: &mut Reader<'_>, points: usize, cells: usize) -> Result<Coefficients, Flaw> {
    let sizes = reader.counts("gate_sizes")?;
    let (shape, weights) = reader.tensor::<f64>("coefficients", 2)?;
    let sum = sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
    if sizes.len() != cells || sum != Some(points) || shape != [points, 1] {
        return Err(
            "the points that choose a cell are not so many for each cell, with one weight each".into()
        );
    }
    let mut start = 0;
    let block = |(cell, &size): (usize, &usize)| {
        let points = start..start + size;
        start += size;
        let values = weights[points.clone()].to_vec();
        CoefficientBlock { points, outputs: vec![cell], values }
    };
    Ok(Coefficients { blocks: sizes.iter().enumerate().map(block).collect(), outputs: cells })
}

/// The first class of a cell, and its classifier; none where there is one class.
#[expect(clippy::type_complexity, reason = "a class and what may be there besides")]
fn read_cell<X: Space>(
    reader: &mut Reader<'_>,
    prefix: &str,
    classes: &[String],
    kernel: &X::Kernel,
) -> Result<(usize, Option<SvcModel<X, X::Kernel>>), Flaw> {
    let name = |name: &str| format!("{prefix}{name}");
    let numbers = reader.counts(&name("classes"))?;
    if numbers.is_empty() || numbers.iter().any(|&class| class >= classes.len()) {
        let count = classes.len();
        return Err(format!("tensor '{prefix}classes' must have numbers of the {count} classes").into());
    }
    if let [class] = numbers[..] {
        return Ok((class, None));
    }
    let class_sizes = reader.counts(&name("class_sizes"))?;
    parts::same("class sizes", class_sizes.len(), numbers.len())?;
    let (points, coefficients) = parts::read_pair_parts::<X>(reader, prefix, &class_sizes)?;
    let classifier = SvcModel {
        expansion: Expansion::new(kernel.clone(), points, coefficients, reader.list(&name("offsets"))?),
        classes: numbers.iter().map(|&class| classes[class].clone()).collect(),
        class_sizes,
        support: reader.counts(&name("support"))?,
        certificates: text::read_certificates(&reader.entry(&name("certificates"))?)?,
        rule: VoteRule::Votes,
    };
    Ok((numbers[0], Some(classifier)))
}
