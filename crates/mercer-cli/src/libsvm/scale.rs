//! `svm-scale`: from text to text.

use std::io::{BufWriter, Write};

use mercer::data::{Range, read_range, write_range};

use super::options::Scale;
use crate::failure::{Failure, InFile, Result, usage};
use crate::output::remark;

pub(super) fn run(words: &[String]) -> Result<()> {
    let options = Scale::parse(words)?;
    if options.data.as_os_str() == "-" {
        return Err(usage!("-: the data are read twice and must be a file"));
    }
    let range = match &options.restore {
        Some(path) => read_range(path)?,
        None => Range::scan(&options.data, options.limits, options.target).in_file(&options.data)?,
    };
    if let Some(path) = &options.save {
        write_range(path, &range)?;
    }
    let mut out = BufWriter::new(std::io::stdout());
    let report = range.scale_file(&options.data, &mut out).in_file(&options.data)?;
    out.flush().map_err(Failure::Output)?;
    if let Some(restored) = &options.restore {
        for index in report.unseen {
            remark(format_args!(
                "WARNING: feature index {index} appeared in file {} was not seen in the scaling factor file {}. \
                 The feature is scaled to 0.",
                options.data.display(),
                restored.display(),
            ));
        }
    }
    if report.entries_after > report.entries_before {
        remark(format_args!(
            "WARNING: original #nonzeros {}\n       > new      #nonzeros {}\n\
             If feature values are non-negative and sparse, use -l 0 rather than the default -l -1",
            report.entries_before, report.entries_after,
        ));
    }
    Ok(())
}
