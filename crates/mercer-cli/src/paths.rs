//! Rules for the paths of a command.

use std::path::Path;

use crate::failure::{Result, usage};

/// Refuses an output that would overwrite one of the inputs.
pub(crate) fn distinct(output: &Path, inputs: &[&Path]) -> Result<()> {
    // A file that does not exist yet is no input.
    let Ok(target) = output.canonicalize() else { return Ok(()) };
    let is_target = |path: &&Path| path.canonicalize().is_ok_and(|path| path == target && path.is_file());
    if inputs.iter().any(is_target) {
        let output = output.display();
        return Err(usage!("{output}: this is an input; the output must go to another file"));
    }
    Ok(())
}

/// Refuses `-` for a model, which is a file.
pub(crate) fn model_file(path: &Path) -> Result<()> {
    if path.as_os_str() == "-" {
        return Err(usage!("-: a model is a file; only data and predictions can be piped"));
    }
    Ok(())
}

/// Refuses a trace that would overwrite the data or the model, or that cannot be written: better before a long fit than
/// after it.
pub(crate) fn trace_file(trace: &Path, data: &Path, model: &Path) -> Result<()> {
    distinct(trace, &[data])?;
    if trace == model {
        let name = trace.display();
        return Err(usage!("--trace {name}: this is the model; the trace must go to another file"));
    }
    Ok(mercer::data::write_atomic(trace, |_| Ok(()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_that_is_an_input_is_refused_however_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&a, "1 1:1").unwrap();
        let around = folder.path().join(".").join("a");
        assert!(distinct(&around, &[&a]).is_err());
        assert!(distinct(&b, &[&a]).is_ok());
        std::fs::write(&b, "").unwrap();
        assert!(distinct(&b, &[&a, Path::new("-")]).is_ok());
        assert!(distinct(Path::new("/dev/null"), &[Path::new("/dev/null")]).is_ok());
    }
}
