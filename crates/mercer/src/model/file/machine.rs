//! The machine itself: the entries and tensors of each method.
//!
//! All have `method`, `kernel`, `certificates`, `coefficients`, `offsets`, `support` and the points. A classifier has
//! `classes` and `class_sizes` besides, and a `rule` where it is not votes; machines with a function for each class or label
//! have `classes`, a sphere `square_center`, a ridge regression `ridge`; a Fisher discriminant, a canonical correlation and a
//! kernel PCA what `fisher`, `cca` and `pca` list, a machine of cells what `local` does.

use super::container::{Reader, Writer};
use super::{cca, fisher, local, pca, points, ridge, scores, text};
use crate::data::{Points, Vectors};
use crate::error::Error;
use crate::kernel::VectorExpr;
use crate::model::layout::{self, Flaw};
use crate::model::{Coefficients, Expansion, Function, Machine, SvcModel, SvddModel, VoteRule};

pub(super) fn write(machine: &Machine, writer: &mut Writer) -> Result<(), Flaw> {
    let weights = layout::check(machine)?;
    let expansion = machine.expansion();
    expansion.kernel().check().map_err(|error| error.to_string())?;
    writer.entry("method", machine.method());
    writer.entry("kernel", expansion.kernel().to_string());
    writer.entry("certificates", text::certificates(machine.certificates())?);
    let counts = |values: &[usize]| values.iter().map(|&value| value as u64).collect::<Vec<_>>();
    let columns = match machine {
        Machine::Classifier(model) => {
            writer.entry("classes", text::print(&model.classes)?);
            writer.tensor("class_sizes", &[model.class_sizes.len()], counts(&model.class_sizes));
            if model.rule != VoteRule::default() {
                writer.entry("rule", model.rule.name());
            }
            model.classes.len() - 1
        }
        Machine::Scores(model) => scores::write(model, writer)?,
        Machine::MultiLabel(model) => scores::write(&model.scores, writer)?,
        Machine::Fisher(model) => fisher::write(model, writer)?,
        Machine::Cca(model) => cca::write(model, writer)?,
        Machine::Pca(model) => pca::write(model, writer),
        Machine::Local(model) => local::write(model, writer)?,
        Machine::Regression(_) | Machine::OneClass(_) => 1,
        Machine::Ridge(model) => ridge::write(model, writer)?,
        Machine::Sphere(sphere) => {
            writer.tensor("square_center", &[1], [sphere.square_center]);
            1
        }
    };
    writer.tensor("coefficients", &[expansion.points().len(), columns], weights);
    writer.tensor("offsets", &[expansion.offsets().len()], expansion.offsets().iter().copied());
    writer.tensor("support", &[machine.support().len()], counts(machine.support()));
    points::write(expansion.points(), writer);
    Ok(())
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Machine, Flaw> {
    let method = reader.entry("method")?;
    let machine = match method.as_str() {
        "svc" => Machine::Classifier(classifier(reader)?),
        "svr" => Machine::Regression(function(reader)?),
        "one-class" => Machine::OneClass(function(reader)?),
        "svdd" => Machine::Sphere(sphere(reader)?),
        "ridge" => Machine::Ridge(ridge::read(reader)?),
        "fisher" => Machine::Fisher(fisher::read(reader)?),
        "cca" => Machine::Cca(cca::read(reader)?),
        "kpca" => Machine::Pca(pca::read(reader)?),
        "local" => Machine::Local(local::read(reader)?),
        word if Machine::METHODS.contains(&word) => scores::read(word, reader)?,
        _ => {
            let known = Machine::METHODS.join(", ");
            return Err(format!("method '{method}': this program reads {known}").into());
        }
    };
    layout::check(&machine)?;
    Ok(machine)
}

fn classifier(reader: &mut Reader<'_>) -> Result<SvcModel<Vectors, VectorExpr>, Flaw> {
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    let class_sizes = reader.counts("class_sizes")?;
    let points = points::read(reader)?;
    let (shape, weights) = reader.tensor::<f64>("coefficients", 2)?;
    let sum = class_sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size));
    if class_sizes.len() != classes.len() || classes.len() < 2 {
        return Err(format!("{} classes but {} class sizes", classes.len(), class_sizes.len()).into());
    }
    if sum != Some(shape[0]) || shape[1] != classes.len() - 1 {
        return Err("the coefficients are not one row per support point, one column per other class".into());
    }
    Ok(SvcModel {
        expansion: expansion(reader, points, layout::blocks(&class_sizes, &weights))?,
        classes,
        class_sizes,
        support: reader.counts("support")?,
        certificates: text::read_certificates(&reader.entry("certificates")?)?,
        rule: rule(reader)?,
    })
}

/// How pairs become a class; files without it are votes.
fn rule(reader: &mut Reader<'_>) -> Result<VoteRule, Flaw> {
    let Some(name) = reader.optional("rule") else { return Ok(VoteRule::default()) };
    let known = VoteRule::ALL.into_iter().find(|rule| rule.name() == name);
    known.ok_or_else(|| format!("rule '{name}': this program knows votes and sum").into())
}

fn function(reader: &mut Reader<'_>) -> Result<Function<Vectors, VectorExpr>, Flaw> {
    let points = points::read(reader)?;
    let (shape, weights) = reader.tensor::<f64>("coefficients", 2)?;
    if shape != [points.len(), 1] {
        return Err("the coefficients are not one row per support point, one column".into());
    }
    let certificates = text::read_certificates(&reader.entry("certificates")?)?;
    if certificates.len() > 1 {
        return Err(format!("{} certificates where 1 are expected", certificates.len()).into());
    }
    Ok(Function {
        expansion: expansion(reader, points, Coefficients::single(weights))?,
        support: reader.counts("support")?,
        certificate: certificates.into_iter().next(),
    })
}

fn sphere(reader: &mut Reader<'_>) -> Result<SvddModel<Vectors, VectorExpr>, Flaw> {
    let function = function(reader)?;
    let center: Vec<f64> = reader.list("square_center")?;
    let (&[square_center], &[offset]) = (center.as_slice(), function.expansion.offsets()) else {
        return Err("a sphere must have one offset and one square_center".into());
    };
    Ok(SvddModel { square_radius: layout::square_radius(square_center, offset), square_center, function })
}

pub(super) fn expansion(
    reader: &mut Reader<'_>,
    points: Vectors,
    coefficients: Coefficients,
) -> Result<Expansion<Vectors, VectorExpr>, Flaw> {
    let kernel = reader.entry("kernel")?.parse().map_err(|error: Error| error.to_string())?;
    Ok(Expansion::new(kernel, points, coefficients, reader.list("offsets")?))
}
