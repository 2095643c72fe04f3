//! The state of a stream as bytes, so that it can learn on in another process, to the bit.
//!
//! The container is that of model files: entries `classes` and `open`, tensors `counts` (features, examples, mistakes) and `cost`, and for
//! each function, `unseen` among them, its vectors, numbers and the points that wait for their step.

use std::path::Path;

use super::{Pegasos, PegasosStream, Progressive};
use crate::kernel::VectorExpr;
use crate::model::file::{FORMAT, VERSION, open};
use crate::model::prelude::*;
use crate::solve::linear::Stream;

impl PegasosStream {
    /// What the stream has come to, without its settings.
    ///
    /// # Errors
    /// If there are more functions than a file can name.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut writer = Writer::default();
        writer.entry("format", FORMAT);
        writer.entry("version", VERSION);
        writer.entry("stream", if self.unseen.is_some() { "open" } else { "closed" });
        let Progressive { examples, mistakes, cost } = self.progressive;
        writer.counts("counts", &[self.width, self.functions.len(), examples as usize, mistakes as usize]);
        writer.list("cost", &[cost]);
        let written = text::print(&self.classes).and_then(|classes| {
            writer.entry("classes", classes);
            let functions = self.functions.iter().chain(&self.unseen).enumerate();
            functions.for_each(|(i, function)| write(function, &i.to_string(), &mut writer));
            writer.finish()
        });
        written.map_err(flawed)
    }

    /// A stream that goes on where that of the bytes was, with the settings that it had.
    ///
    /// # Errors
    /// If the bytes are damaged, or not those of a stream with such settings.
    pub fn from_bytes(settings: Pegasos<VectorExpr>, bytes: &[u8]) -> Result<Self> {
        read(settings, bytes).map_err(flawed)
    }
}

fn flawed(problem: Flaw) -> crate::Error {
    ErrorKind::ModelFile { path: Path::new("<memory>").to_owned(), problem }.into()
}

fn write(function: &Stream, name: &str, writer: &mut Writer) {
    let state = &function.state;
    let tensor = |part: &str| format!("{name}.{part}");
    writer.list(&tensor("vector"), &state.vector);
    writer.list(&tensor("missed"), &state.missed);
    writer.list(&tensor("numbers"), &[state.scale, state.square, state.scales, state.count]);
    writer.counts(&tensor("counts"), &[state.steps as usize, function.waiting]);
    let (points, betas): (Vec<_>, Vec<f64>) = function.kept.iter().map(|(kept, beta)| (kept, *beta)).unzip();
    writer.list(&tensor("betas"), &betas);
    writer.counts(&tensor("lengths"), &points.iter().map(|kept| kept.len()).collect::<Vec<_>>());
    let entries = || points.iter().flat_map(|kept| kept.iter());
    writer.counts(&tensor("index"), &entries().map(|entry| entry.0 as usize).collect::<Vec<_>>());
    writer.list(&tensor("values"), &entries().map(|entry| entry.1).collect::<Vec<_>>());
}

fn read(settings: Pegasos<VectorExpr>, bytes: &[u8]) -> Result<PegasosStream, Flaw> {
    let mut reader = open(bytes)?;
    let is_open = reader.entry("stream")? == "open";
    let classes: Vec<String> = text::parse("classes", &reader.entry("classes")?)?;
    let counts = reader.counts("counts")?;
    let [width, functions, examples, mistakes] = counts[..] else {
        return Err("four counts of a stream".into());
    };
    let [cost] = reader.list::<f64>("cost")?[..] else { return Err("one cost of a stream".into()) };
    let given = if is_open { Vec::new() } else { classes.clone() };
    let fresh = PegasosStream::new(settings, given).map_err(|error| error.to_string())?;
    let template = fresh.functions.first().or(fresh.unseen.as_ref()).ok_or("a stream without a function")?;
    let expected = match classes.len() {
        0 => 0,
        1 | 2 => 1,
        more => more,
    };
    if functions != expected {
        return Err(format!("{functions} functions of {} classes", classes.len()).into());
    }
    let all = (0..functions + usize::from(is_open))
        .map(|i| read_function(template, width, &i.to_string(), &mut reader))
        .collect::<Result<Vec<Stream>, Flaw>>()?;
    reader.finish()?;
    let (functions, unseen) = all.split_at(functions);
    Ok(PegasosStream {
        settings: fresh.settings,
        classes,
        unseen: unseen.first().cloned(),
        functions: functions.to_vec(),
        width,
        progressive: Progressive { examples: examples as u64, mistakes: mistakes as u64, cost },
    })
}

fn read_function(
    template: &Stream,
    width: usize,
    name: &str,
    reader: &mut Reader<'_>,
) -> Result<Stream, Flaw> {
    let tensor = |part: &str| format!("{name}.{part}");
    let mut function = template.clone();
    let state = &mut function.state;
    // Of a stream that is read nothing is allocated by the width that it claims.
    let averaged = !state.missed.is_empty();
    state.vector = reader.list(&tensor("vector"))?;
    state.missed = reader.list(&tensor("missed"))?;
    let length = Some(state.vector.len());
    if length != width.checked_add(1) || state.missed.len() != if averaged { state.vector.len() } else { 0 } {
        return Err("weights of another number of features, or of other settings".into());
    }
    let numbers = reader.list::<f64>(&tensor("numbers"))?;
    let counts = reader.counts(&tensor("counts"))?;
    let ([scale, square, scales, count], [steps, waiting]) = (&numbers[..], &counts[..]) else {
        return Err("numbers of a function".into());
    };
    (state.scale, state.square, state.scales, state.count) = (*scale, *square, *scales, *count);
    state.steps = *steps as u64;
    function.waiting = *waiting;
    let (betas, lengths) = (reader.list::<f64>(&tensor("betas"))?, reader.counts(&tensor("lengths"))?);
    let (index, values) = (reader.counts(&tensor("index"))?, reader.list::<f64>(&tensor("values"))?);
    let whole = lengths.iter().try_fold(0_usize, |sum, &length| sum.checked_add(length));
    let fits = whole == Some(index.len())
        && index.len() == values.len()
        && betas.len() == lengths.len()
        && index.iter().all(|&k| k <= width);
    if !fits {
        return Err("points that wait and do not fit together".into());
    }
    let mut entries = index.into_iter().map(|k| k as u32).zip(values);
    let kept = lengths.iter().zip(betas);
    function.kept = kept.map(|(&length, beta)| (entries.by_ref().take(length).collect(), beta)).collect();
    Ok(function)
}
