//! LIBSVM's `svm-scale`: range files, and data files scaled from text to text.
//!
//! A range file holds `x`, the limits of the scaled values, then `index min max` for each feature with more than
//! one value; a block `y` with the limits and the range of the target may come first. The data are read twice, once for
//! the range and once to be scaled, and never held in memory. The output is byte for byte that of LIBSVM's program:
//! targets as `%.17g`, values as `%g`, no zeros, a space before each line end.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use super::blocks::BLOCK;
use super::input::Input;
use super::libsvm::{Form, ParsedRows, for_each_piece};
use super::range_file::parse;
use super::scale::{check_width, scaled};
use super::{Scaler, format_g, write_atomic};
use crate::error::{DataProblem, Error, ErrorKind, Result, check};

/// The contents of a range file: how `svm-scale` maps each feature, and the target.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// The image of the least value of a feature.
    pub lower: f64,
    /// The image of the largest value of a feature.
    pub upper: f64,
    /// The features with more than one value, by ascending index. All others are scaled to 0.
    pub features: Vec<FeatureRange>,
    /// How the target is scaled; `None` if it is not.
    pub target: Option<TargetRange>,
}

/// The range of one feature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureRange {
    /// Index, from 1.
    pub index: u32,
    /// The least value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

/// The range of the target and its image.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetRange {
    /// The image of the least value.
    pub lower: f64,
    /// The image of the largest value.
    pub upper: f64,
    /// The least value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

/// What scaling has changed in a file, for the warnings of `svm-scale`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScaleReport {
    /// Entries in the file.
    pub entries_before: u64,
    /// Entries written.
    pub entries_after: u64,
    /// Indices with more than one value in the file, but not in the range: scaled to 0.
    pub unseen: Vec<u32>,
}

/// Reads a range file.
///
/// # Errors
/// If the file is not a range file, with line and column, or reading fails.
pub fn read_range(path: &Path) -> Result<Range> {
    let mut input = Input::open(path)?;
    let mut text = Vec::new();
    match io::Read::read_to_end(&mut input, &mut text) {
        Ok(_) => parse(path, &text),
        Err(source) => Err(input.failure(source)),
    }
}

/// Writes a range file.
///
/// # Errors
/// If writing fails.
pub fn write_range(path: &Path, range: &Range) -> Result<()> {
    let pair = |out: &mut dyn Write, a: f64, b: f64| writeln!(out, "{} {}", format_g(a, 17), format_g(b, 17));
    write_atomic(path, |out| {
        if let Some(target) = &range.target {
            out.write_all(b"y\n")?;
            pair(out, target.lower, target.upper)?;
            pair(out, target.min, target.max)?;
        }
        out.write_all(b"x\n")?;
        pair(out, range.lower, range.upper)?;
        for feature in &range.features {
            write!(out, "{} ", feature.index)?;
            pair(out, feature.min, feature.max)?;
        }
        Ok(())
    })
}

impl Range {
    /// Reads a data file and finds the range of its features and, if `target` has limits, of its labels.
    ///
    /// # Errors
    /// If limits do not ascend, the file is not LIBSVM text, has no rows, or a label that must be scaled is not a number.
    pub fn scan(path: &Path, [lower, upper]: [f64; 2], target: Option<[f64; 2]>) -> Result<Self> {
        let ascend = "must be finite and below the upper limit";
        check("lower", lower, lower < upper && upper - lower < f64::INFINITY, ascend)?;
        if let Some([lower, upper]) = target {
            check("y_lower", lower, lower < upper && upper - lower < f64::INFINITY, ascend)?;
        }
        let mut extent = Extent::default();
        let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
        let form = Form { targets: target.is_some(), ..Form::default() };
        for_each_piece(Input::open(path)?, form, BLOCK, |rows| {
            extent.add(rows);
            if target.is_some() {
                for &value in rows.targets() {
                    ends = [ends[0].min(value), ends[1].max(value)];
                }
            }
            Ok(())
        })?;
        if extent.rows == 0 {
            return Err(ErrorKind::Data(DataProblem::Empty).into());
        }
        let target = target.map(|[lower, upper]| TargetRange { lower, upper, min: ends[0], max: ends[1] });
        Ok(Self { lower, upper, features: extent.features(), target })
    }

    /// Writes the scaled rows of a LIBSVM data file.
    ///
    /// # Errors
    /// If the file is not LIBSVM text, a label is not a number, or reading or writing fails.
    pub fn scale_file(&self, path: &Path, out: &mut (dyn Write + Send)) -> Result<ScaleReport> {
        let absent: Vec<String> = self.features.iter().map(|feature| self.entry(feature, 0.0)).collect();
        let mut report = ScaleReport::default();
        let mut others = Extent::default();
        let mut text = String::new();
        let form = Form { targets: true, ..Form::default() };
        for_each_piece(Input::open(path)?, form, BLOCK, |rows| {
            let targets = rows.targets();
            text.clear();
            for (i, &target) in targets.iter().enumerate() {
                text.push_str(&format_g(self.scaled_target(target), 17));
                text.push(' ');
                report.entries_after += self.scale_row(rows.row(i), &absent, &mut text);
                report.entries_before += rows.row(i).0.len() as u64;
                text.push('\n');
            }
            others.add(rows);
            out.write_all(text.as_bytes()).map_err(|source| Error::io("output", source))
        })?;
        let known = |index: u32| self.features.binary_search_by_key(&index, |feature| feature.index).is_ok();
        report.unseen = others.features().iter().map(|f| f.index).filter(|&index| !known(index)).collect();
        Ok(report)
    }

    /// The map of the features as a [`Scaler`], for rows in memory.
    ///
    /// # Errors
    /// If there are more columns than can be scaled.
    pub fn scaler(&self) -> Result<Scaler> {
        let width = self.features.last().map_or(0, |feature| feature.index as usize);
        check_width(width)?;
        let (mut min, mut max) = (vec![0.0; width], vec![0.0; width]);
        for feature in &self.features {
            (min[feature.index as usize - 1], max[feature.index as usize - 1]) = (feature.min, feature.max);
        }
        Ok(Scaler::MinMax { lower: self.lower, upper: self.upper, min, max })
    }

    fn scaled_target(&self, value: f64) -> f64 {
        match self.target {
            None => value,
            Some(TargetRange { lower, upper, min, max }) => {
                scaled(value, [min, max], [lower, upper]).unwrap_or(if value == min { lower } else { value })
            }
        }
    }

    /// The text of a scaled entry, empty if it becomes 0.
    fn entry(&self, feature: &FeatureRange, value: f64) -> String {
        match scaled(value, [feature.min, feature.max], [self.lower, self.upper]) {
            Some(image) if image != 0.0 => format!("{}:{} ", feature.index, format_g(image, 6)),
            _ => String::new(),
        }
    }

    /// Appends the scaled entries of a row. Returns how many.
    fn scale_row(&self, (columns, values): (&[u32], &[f64]), absent: &[String], text: &mut String) -> u64 {
        let mut stored = columns.iter().zip(values).peekable();
        let mut count = 0;
        for (feature, absent) in self.features.iter().zip(absent) {
            while stored.next_if(|&(&column, _)| column + 1 < feature.index).is_some() {}
            let before = text.len();
            match stored.next_if(|&(&column, _)| column + 1 == feature.index) {
                Some((_, &value)) => text.push_str(&self.entry(feature, value)),
                None => text.push_str(absent),
            }
            count += u64::from(text.len() > before);
        }
        count
    }
}

impl Scaler {
    /// The map as `svm-scale` saves it; `None` for a map to mean 0, which `svm-scale` does not have.
    #[must_use]
    pub fn range(&self) -> Option<Range> {
        let Self::MinMax { lower, upper, min, max } = self else { return None };
        let feature = |k: usize| FeatureRange { index: k as u32 + 1, min: min[k], max: max[k] };
        let features = (0..min.len()).filter(|&k| min[k] != max[k]).map(feature).collect();
        Some(Range { lower: *lower, upper: *upper, features, target: None })
    }
}

/// Statistics of the columns seen so far.
#[derive(Default)]
struct Extent {
    rows: usize,
    /// By column, the least and the largest stored value and the number of stored values. Not a list, because a file may
    /// have one column only and that may be the last of 2³¹.
    columns: HashMap<u32, (f64, f64, usize)>,
}

impl Extent {
    fn add(&mut self, rows: &ParsedRows) {
        self.rows += rows.len();
        for i in 0..rows.len() {
            let (columns, values) = rows.row(i);
            for (&k, &value) in columns.iter().zip(values) {
                let (min, max, count) = self.columns.entry(k).or_insert((value, value, 0));
                (*min, *max, *count) = (min.min(value), max.max(value), *count + 1);
            }
        }
    }

    /// The features with more than one value; a value that a row does not store is 0.
    fn features(&self) -> Vec<FeatureRange> {
        let range = |(&k, &(min, max, count)): (&u32, &(f64, f64, usize))| {
            let (min, max) = if count < self.rows { (min.min(0.0), max.max(0.0)) } else { (min, max) };
            (min != max).then_some(FeatureRange { index: k + 1, min, max })
        };
        let mut features: Vec<FeatureRange> = self.columns.iter().filter_map(range).collect();
        features.sort_unstable_by_key(|feature| feature.index);
        features
    }
}

#[cfg(test)]
#[path = "range_tests.rs"]
mod tests;
