//! `mercer features`: texts as sparse rows, and files turned into rows alike.

use std::path::{Path, PathBuf};

use clap::Args;
use mercer::data::{self, Points, Table, TermUnit, TextFeatures, TextMap, Weighting};

use super::convert::write_table;
use crate::args::{DataArgs, Word, words};
use crate::failure::{InFile, Result};
use crate::output::{count, remark};
use crate::paths;

#[derive(Debug, Args)]
pub(crate) struct FeaturesArgs {
    /// What to make, in full: counts, tfidf or hashed with settings, for instance "tfidf(ngrams=1..2, min_df=2)"
    #[arg(long, value_name = "FEATURES", conflicts_with_all = ["hash", "tfidf", "ngrams", "unit", "restore"])]
    features: Option<TextFeatures>,
    /// Columns by the hash of a term, 2^BITS of them, in place of a vocabulary
    #[arg(long, value_name = "BITS")]
    hash: Option<u32>,
    /// Weigh terms by how rare they are
    #[arg(long)]
    tfidf: bool,
    /// Terms of A to B words or characters [default: 1..1]
    #[arg(long, value_name = "A..B")]
    ngrams: Option<String>,
    /// What terms are made of
    #[arg(long, value_parser = words(&UNITS), default_value = "word")]
    unit: TermUnit,
    /// Save the features, to make rows of other files alike
    #[arg(long, value_name = "FILE", conflicts_with = "restore")]
    save: Option<PathBuf>,
    /// Make rows by what --save saved, or by the features of a model, instead of by this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hash", "tfidf", "ngrams"])]
    restore: Option<PathBuf>,
    /// Do not say what was made
    #[arg(long, short)]
    quiet: bool,
    /// Texts: `label<TAB>text` lines, CSV or TSV with a column `text`; `--label none`: lines of text alone; `-` is standard input
    data: PathBuf,
    /// File to write; its name tells the format: .csv, else LIBSVM text [default: LIBSVM text to standard output]
    out: Option<PathBuf>,
    #[command(flatten)]
    data_options: DataArgs,
}

const UNITS: [Word<TermUnit>; 3] = [
    ("word", "Words of two and more letters, digits and _", TermUnit::Word),
    ("char", "Characters", TermUnit::Char),
    (
        "char_wb",
        "Characters of what stands between white space, with a space before and after",
        TermUnit::CharWb,
    ),
];

impl FeaturesArgs {
    /// The features that were asked for.
    fn features(&self) -> mercer::Result<TextFeatures> {
        if let Some(features) = &self.features {
            return Ok(features.clone());
        }
        let weighting = match (self.tfidf, self.hash) {
            (true, _) => Weighting::Tfidf,
            (false, Some(_)) => Weighting::Hashed,
            (false, None) => Weighting::Counts,
        };
        let mut features = match &self.ngrams {
            None => TextFeatures::new(weighting),
            // The parser of features knows ranges.
            Some(range) => format!("counts(ngrams={range})").parse().map(|read: TextFeatures| {
                TextFeatures { ngrams: read.ngrams, ..TextFeatures::new(weighting) }
            })?,
        };
        features.unit = self.unit;
        features.bits = self.hash.or(features.bits);
        features.check()?;
        Ok(features)
    }
}

pub(crate) fn run(args: &FeaturesArgs) -> Result<()> {
    for output in args.out.iter().chain(&args.save) {
        paths::distinct(output, &[&args.data])?;
    }
    let given = args.restore.as_ref().map(TextMap::load).transpose()?;
    let features = args.features()?;
    let texts = data::read_texts(&args.data, &args.data_options.options()).in_file(&args.data)?;
    let map = given.map_or_else(|| features.fit(&texts.points, &[]), Ok).in_file(&args.data)?;
    args.save.iter().try_for_each(|path| map.save(path))?;
    let names = map.vocabulary().to_vec();
    let table = Table { points: map.apply(&texts.points), labels: texts.labels, encoding: None, names };
    write_table(args.out.as_deref().unwrap_or(Path::new("-")), &table, None)?;
    if !args.quiet {
        let (rows, columns) = (count(table.points.len(), "row"), count(map.width(), "feature"));
        remark(format_args!("{}: {rows}, {columns}", map.features()));
    }
    Ok(())
}
