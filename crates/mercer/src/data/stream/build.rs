//! Making a file of blocks.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::pieces::{Piece, Seen, for_each_piece};
use super::{
    Contents, END, HEAD, Input, LabelBlocks, MAGIC, Parsed, Place, Rows, Source, VERSION, block, checksum,
    labels_fit,
};
use crate::data::column::ColumnBuilder;
use crate::data::write::replace;
use crate::data::{LabelColumn, ReadOptions};
use crate::error::{DataProblem, Error, ErrorKind, Result};

/// Bytes that the rows of a block take in memory, about: small enough for a cache of the second level, large enough for a disk.
const SIZE: usize = 1 << 20;
/// Labels in a block of labels.
const LABELS: usize = 1 << 16;

/// Makes the file of blocks `path` of a data file, completely or not at all.
pub(super) fn build(
    data: &Path,
    source: Option<Source>,
    path: &Path,
    options: &ReadOptions,
    parsed: Parsed<'_>,
) -> Result<()> {
    let taken = Arc::new(AtomicU64::new(0));
    let input = open(data, &taken)?;
    let whole = source.as_ref().map_or(0, |source| source.bytes);
    let share = || if whole > 0 { taken.load(Ordering::Relaxed) as f64 / whole as f64 } else { 0.0 };
    let mut failure = None;
    let outcome = replace(path, |file| {
        let mut writer = Writer::new(path, file);
        let written = writer.begin().and_then(|()| {
            let seen = for_each_piece(input, options, |piece| {
                writer.push(piece)?;
                match parsed(share()) {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(()) => Err(ErrorKind::Interrupted.into()),
                }
            })?;
            writer.finish(seen, source, options)
        });
        written.map_err(|error| {
            failure = Some(error);
            io::Error::other("the file of blocks was not made")
        })
    });
    match failure {
        Some(error) => Err(error),
        None => outcome.map_err(|source| Error::io(path, source)),
    }
}

/// Opens a data file whose bytes are counted as they are read.
fn open(data: &Path, taken: &Arc<AtomicU64>) -> Result<Input> {
    struct Counted<R>(R, Arc<AtomicU64>);
    impl<R: Read> Read for Counted<R> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.0.read(out)?;
            self.1.fetch_add(count as u64, Ordering::Relaxed);
            Ok(count)
        }
    }
    if data.as_os_str() == "-" {
        return Input::new(data, Counted(io::stdin(), taken.clone()));
    }
    let file = File::open(data).map_err(|source| Error::io(data, source))?;
    Input::new(data, Counted(file, taken.clone()))
}

/// A file of blocks being written.
struct Writer<'a> {
    path: &'a Path,
    out: BufWriter<&'a mut File>,
    offset: u64,
    blocks: Vec<Place>,
    /// Rows of the next block.
    rows: Rows,
    bytes: Vec<u8>,
    labels: ColumnBuilder,
    /// Rows so far, those of the next block among them.
    pushed: u64,
    count: u64,
    entries: u64,
}

impl<'a> Writer<'a> {
    fn new(path: &'a Path, file: &'a mut File) -> Self {
        Self {
            path,
            out: BufWriter::with_capacity(1 << 18, file),
            offset: 0,
            blocks: Vec::new(),
            rows: Rows::default(),
            bytes: Vec::new(),
            labels: ColumnBuilder::default(),
            pushed: 0,
            count: 0,
            entries: 0,
        }
    }

    fn begin(&mut self) -> Result<()> {
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(MAGIC);
        head[8..12].copy_from_slice(&VERSION.to_le_bytes());
        self.write(&head)
    }

    fn push(&mut self, piece: &Piece) -> Result<()> {
        // The column grows by doubling, and takes both sizes while it does.
        let rows = self.pushed + piece.rows.len() as u64;
        if rows.next_power_of_two() > self.pushed.next_power_of_two() {
            labels_fit(rows.next_power_of_two())?;
        }
        self.pushed = rows;
        self.labels.append(&piece.labels);
        for i in 0..piece.rows.len() {
            let entries = piece.rows.start[i]..piece.rows.start[i + 1];
            self.rows.push(&piece.rows.index[entries.clone()], &piece.rows.values[entries]);
            if 8 * self.rows.len() + 12 * self.rows.values.len() >= SIZE {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Writes the rows so far as a block.
    fn flush(&mut self) -> Result<()> {
        if self.rows.len() == 0 {
            return Ok(());
        }
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        block::encode(&self.rows, &mut bytes);
        let (rows, entries) = (self.rows.len() as u64, self.rows.values.len() as u64);
        let place = self.place(&bytes, rows, entries)?;
        self.blocks.push(place);
        (self.count, self.entries) = (self.count + rows, self.entries + entries);
        if self.count > u64::from(u32::MAX) {
            return Err(ErrorKind::Unsupported { what: "a stream of 2³² rows or more".into() }.into());
        }
        self.bytes = bytes;
        self.rows.clear();
        Ok(())
    }

    fn place(&mut self, bytes: &[u8], rows: u64, entries: u64) -> Result<Place> {
        let place = Place {
            offset: self.offset,
            bytes: bytes.len() as u64,
            rows,
            entries,
            checksum: checksum(bytes),
        };
        self.write(bytes)?;
        Ok(place)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.offset += bytes.len() as u64;
        self.out.write_all(bytes).map_err(|source| Error::io(self.path, source))
    }

    fn finish(&mut self, seen: Seen, source: Option<Source>, options: &ReadOptions) -> Result<()> {
        self.flush()?;
        if self.count == 0 {
            return Err(ErrorKind::Data(DataProblem::Empty).into());
        }
        let labels = std::mem::take(&mut self.labels).finish();
        if options.targets && options.labels_path.is_none() && seen.labelled {
            labels.as_numbers()?;
        }
        let labels = if seen.labelled { Some(self.label_blocks(labels)?) } else { None };
        let contents = Contents {
            source,
            rows: self.count,
            width: seen.width as u64,
            entries: self.entries,
            names: seen.names,
            encoding: seen.encoding,
            blocks: std::mem::take(&mut self.blocks),
            labels,
        };
        let text = serde_json::to_vec(&contents).map_err(|error| Error::io(self.path, error.into()))?;
        self.write(&text)?;
        self.write(&(text.len() as u64).to_le_bytes())?;
        self.write(&checksum(&text).to_le_bytes())?;
        self.write(END)?;
        self.out.flush().map_err(|source| Error::io(self.path, source))
    }

    fn label_blocks(&mut self, labels: LabelColumn) -> Result<LabelBlocks> {
        let mut blocks = Vec::new();
        let mut write = |values: &[f64]| {
            let mut bytes = Vec::new();
            block::encode_numbers(values, &mut bytes);
            blocks.push(self.place(&bytes, values.len() as u64, 0)?);
            Ok::<(), Error>(())
        };
        let texts = match labels {
            LabelColumn::Numbers(values) => {
                values.chunks(LABELS).try_for_each(&mut write)?;
                None
            }
            LabelColumn::Texts { texts, codes } => {
                for codes in codes.chunks(LABELS) {
                    write(&codes.iter().map(|&code| f64::from(code)).collect::<Vec<_>>())?;
                }
                Some(texts)
            }
        };
        Ok(LabelBlocks { texts, blocks })
    }
}
