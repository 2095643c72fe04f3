//! Data files larger than memory: rows parsed once into a compact file of blocks, then read block by block.
//!
//! [`Stream::open`] makes the file of blocks beside the data, or finds the one that it made before, which is used again where the data
//! file has the same name, size and time of change and was read in the same way. The file has
//!
//! ```text
//! "mercerSC", the version (4 bytes), 4 zeros; blocks of rows; blocks of labels; a table of both in JSON with what the rows are;
//! the length of the table (8 bytes), its checksum (8 bytes), "mercerSE".
//! ```
//!
//! Every block has a checksum in the table, so that damage is an error with its place and not a wrong answer, and no number of the file
//! is believed before as many bytes are there. Numbers are little-endian.
//!
//! Cost: one pass over the data, on all threads, in memory for a few pieces of them and for the labels (8 bytes a row). A block in memory is
//! about a megabyte, or a single row that is larger.

mod block;
mod build;
mod pieces;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

pub(crate) use block::Rows;
pub use pieces::read_pieces;
pub(super) use pieces::{Piece, Seen};

use super::input::Input;
use super::{Encoding, LabelColumn, ReadOptions, table};
use crate::error::{DataProblem, Error, ErrorKind, Result};
use crate::memory::obtainable;

/// What a file of blocks begins and ends with.
const MAGIC: &[u8; 8] = b"mercerSC";
const END: &[u8; 8] = b"mercerSE";
/// The version of the form of the file.
const VERSION: u32 = 1;
/// Bytes before the first block and after the table.
const HEAD: usize = 16;
const TAIL: usize = 24;
/// Bytes for parsing pieces of a data file, and for each thread that does. With them no allocation failed on two threads under any limit from
/// 60 to 400 MB of address space (86 MB of LIBSVM text, 360,000 rows).
const PARSING: u64 = 32 << 20;
const THREAD: u64 = 8 << 20;
/// Bytes for each label: the column, and the labels that are made of it.
const LABEL: u64 = 24;
/// The ending of the name of a file of blocks.
const ENDING: &str = ".blocks";

/// Called with the share of the data file that has been parsed; a break ends it.
pub type Parsed<'a> = &'a mut (dyn FnMut(f64) -> ControlFlow<()> + Send);

/// The rows of a data file in blocks on disk.
///
/// ```
/// use std::ops::ControlFlow;
/// use mercer::data::{ReadOptions, Stream};
///
/// let folder = tempfile::tempdir()?;
/// let data = folder.path().join("pets.libsvm");
/// std::fs::write(&data, "cat 1:4 2:0.5\ndog 1:30\ncat 1:5 2:0.25\n")?;
/// let stream = Stream::open(&data, None, &ReadOptions::default(), &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!((stream.len(), stream.width(), stream.is_new()), (3, 2, true));
/// assert_eq!(stream.labels()?.unwrap().labels().classes(), ["cat", "dog"]);
/// let again = Stream::open(&data, None, &ReadOptions::default(), &mut |_| ControlFlow::Continue(()))?;
/// assert!(!again.is_new());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Stream {
    path: PathBuf,
    file: File,
    table: Contents,
    /// The first row of each block, and the number of rows at last.
    first: Vec<usize>,
    labels_path: Option<PathBuf>,
    is_new: bool,
    /// Memory for a block of each thread that reads one.
    buffers: Mutex<Vec<Buffers>>,
    made: AtomicUsize,
    read: AtomicU64,
    failure: Mutex<Option<Error>>,
}

#[derive(Debug, Default)]
struct Buffers {
    bytes: Vec<u8>,
    rows: Rows,
}

/// What a data file was when its rows were parsed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Source {
    name: String,
    bytes: u64,
    /// Nanoseconds since 1970, where the system tells.
    modified: Option<u64>,
    /// How it was read.
    reading: String,
}

/// A block of the file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Place {
    offset: u64,
    bytes: u64,
    rows: u64,
    entries: u64,
    checksum: u64,
}

/// The table at the end of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Contents {
    source: Option<Source>,
    rows: u64,
    width: u64,
    entries: u64,
    names: Vec<String>,
    encoding: Option<Encoding>,
    blocks: Vec<Place>,
    labels: Option<LabelBlocks>,
}

/// Where the labels are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct LabelBlocks {
    /// Texts, of which the blocks have the positions; none where labels are numbers.
    texts: Option<Vec<String>>,
    blocks: Vec<Place>,
}

impl Stream {
    /// The rows of a data file: those of the file of blocks `blocks` (by default the name of the data file and `.blocks`), which is made
    /// unless it is there and was made from the same data read in the same way. `-` is standard input and needs a name for the blocks.
    ///
    /// # Errors
    /// As [`read`](super::read); if a CSV file has columns of words, or an NPY file is stored column after column; if the file of blocks is
    /// damaged, is another kind of file, or cannot be written; [`ErrorKind::Interrupted`] if `parsed` breaks.
    pub fn open(
        data: &Path,
        blocks: Option<&Path>,
        options: &ReadOptions,
        parsed: Parsed<'_>,
    ) -> Result<Self> {
        let path = match blocks {
            Some(path) => path.to_owned(),
            None if data.as_os_str() == "-" => {
                let what = "a stream from standard input without a name for its file of blocks".into();
                return Err(ErrorKind::Unsupported { what }.into());
            }
            None => Self::path_beside(data),
        };
        let instead = "give the process more address space, or fewer threads";
        let threads = rayon::current_num_threads() as u64;
        obtainable("parsing a stream", PARSING + THREAD * threads, instead)?;
        let source = Source::of(data, options)?;
        let there = path.try_exists().map_err(|source| Error::io(&path, source))?;
        if there && let Some(stream) = Self::load(&path)?.filter(|found| found.is_of(source.as_ref())) {
            return stream.with_labels(options);
        }
        build::build(data, source, &path, options, parsed)?;
        match Self::load(&path)? {
            Some(stream) => Self { is_new: true, ..stream }.with_labels(options),
            None => Err(flaw(&path, 0, "the file changed while it was read")),
        }
    }

    /// The file of blocks of a data file where no other is named: beside it.
    #[must_use]
    pub fn path_beside(data: &Path) -> PathBuf {
        let mut name = data.as_os_str().to_owned();
        name.push(ENDING);
        name.into()
    }

    /// Opens a file of blocks; none where it is one of another version.
    fn load(path: &Path) -> Result<Option<Self>> {
        let fail = |source| Error::io(path, source);
        let file = File::open(path).map_err(fail)?;
        let size = file.metadata().map_err(fail)?.len();
        let mut head = [0; HEAD];
        if size < HEAD as u64 || read_at(&file, 0, &mut head).is_err() || !head.starts_with(MAGIC) {
            return Err(flaw(path, 0, "not a file of blocks, and so it is not overwritten"));
        }
        if head[8..12] != VERSION.to_le_bytes() {
            return Ok(None);
        }
        let table = Contents::read(path, &file, size)?;
        let first = table.check(path, size)?;
        Ok(Some(Self {
            path: path.to_owned(),
            file,
            table,
            first,
            labels_path: None,
            is_new: false,
            buffers: Mutex::default(),
            made: AtomicUsize::new(0),
            read: AtomicU64::new(0),
            failure: Mutex::default(),
        }))
    }

    /// Whether the blocks are of these data; standard input is never the same.
    fn is_of(&self, source: Option<&Source>) -> bool {
        source.is_some() && self.table.source.as_ref() == source
    }

    fn with_labels(mut self, options: &ReadOptions) -> Result<Self> {
        self.labels_path = options.labels_path.clone();
        match self.is_empty() {
            true => Err(ErrorKind::Data(DataProblem::Empty).into()),
            false => Ok(self),
        }
    }

    /// The file of blocks.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file of blocks was made by this call.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first[self.first.len() - 1]
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of features.
    #[must_use]
    pub fn width(&self) -> usize {
        self.table.width as usize
    }

    /// The number of entries of all rows.
    #[must_use]
    pub fn stored(&self) -> usize {
        self.table.entries as usize
    }

    /// The bytes of all blocks of rows.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.table.blocks.iter().map(|place| place.bytes).sum()
    }

    /// The bytes of blocks of rows that have been read so far.
    #[must_use]
    pub fn read_bytes(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// How many blocks of rows have been in memory at once, at most.
    #[must_use]
    pub fn buffers(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }

    /// Names of the features; none where the file has none.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.table.names
    }

    /// How the columns of a CSV file became features.
    #[must_use]
    pub fn encoding(&self) -> Option<&Encoding> {
        self.table.encoding.as_ref()
    }

    /// A label for each row, if the data file or the file of labels of the options has labels.
    ///
    /// # Errors
    /// If the blocks of labels are damaged, the file of labels cannot be read, or there is not one label per row.
    pub fn labels(&self) -> Result<Option<LabelColumn>> {
        labels_fit(self.len() as u64)?;
        let found = match (&self.labels_path, &self.table.labels) {
            (Some(path), _) => table::read_labels(path)?,
            (None, None) => return Ok(None),
            (None, Some(labels)) => self.read_labels(labels)?,
        };
        match found.len() == self.len() {
            true => Ok(Some(found)),
            false => {
                let (points, labels) = (self.len(), found.len());
                Err(ErrorKind::Data(DataProblem::Lengths { points, labels }).into())
            }
        }
    }

    fn read_labels(&self, labels: &LabelBlocks) -> Result<LabelColumn> {
        let (mut bytes, mut values) = (Vec::new(), Vec::new());
        for (number, place) in labels.blocks.iter().enumerate() {
            self.bytes_at(place, "labels", number, &mut bytes)?;
            block::decode_numbers(&bytes, &mut values)
                .map_err(|problem| flaw(&self.path, place.offset, problem))?;
        }
        let Some(texts) = &labels.texts else { return Ok(LabelColumn::Numbers(values)) };
        let code = |value: &f64| (0.0..texts.len() as f64).contains(value).then_some(*value as u32);
        let codes: Option<Vec<u32>> = values.iter().map(code).collect();
        let place = labels.blocks.first().map_or(HEAD as u64, |place| place.offset);
        let codes = codes.ok_or_else(|| flaw(&self.path, place, "a label is none of the texts"))?;
        Ok(LabelColumn::Texts { texts: texts.clone(), codes })
    }

    /// The number of blocks of rows.
    pub(crate) fn blocks(&self) -> usize {
        self.table.blocks.len()
    }

    /// The rows of a block.
    pub(crate) fn rows_of(&self, block: usize) -> Range<usize> {
        self.first[block]..self.first[block + 1]
    }

    /// The most bytes that a block takes in memory, as it is in the file and as rows.
    pub(crate) fn block_bytes(&self) -> usize {
        let bytes = |place: &Place| place.bytes + 8 * (place.rows + 1) + 12 * place.entries;
        self.table.blocks.iter().map(bytes).max().unwrap_or(0) as usize
    }

    /// Visits the rows of a block, unless reading has failed before or fails now: the first failure is kept, and nothing is read after
    /// it. To be looked at by [`Stream::failed`] and [`Stream::outcome`].
    pub(crate) fn visit(&self, block: usize, visit: impl FnOnce(&Rows)) {
        if self.failed() {
            return;
        }
        let mut own = lock(&self.buffers).pop().unwrap_or_else(|| {
            self.made.fetch_add(1, Ordering::Relaxed);
            Buffers::default()
        });
        match self.decode(block, &mut own) {
            Ok(()) => visit(&own.rows),
            Err(error) => drop(lock(&self.failure).get_or_insert(error)),
        }
        lock(&self.buffers).push(own);
    }

    fn decode(&self, block: usize, own: &mut Buffers) -> Result<()> {
        let place = &self.table.blocks[block];
        self.bytes_at(place, "rows", block, &mut own.bytes)?;
        // Rows and entries take a byte each: of more than there are bytes the block is refused.
        let most = |count: u64| count.min(place.bytes) as usize;
        if !own.rows.can_hold(most(place.rows), most(place.entries)) {
            return Err(no_room(self.block_bytes()));
        }
        self.read.fetch_add(place.bytes, Ordering::Relaxed);
        let decoded = block::decode(&own.bytes, self.width(), &mut own.rows);
        decoded.map_err(|problem| flaw(&self.path, place.offset, problem))?;
        match own.rows.len() as u64 == place.rows && own.rows.values.len() as u64 == place.entries {
            true => Ok(()),
            false => Err(flaw(&self.path, place.offset, "the block has other rows than the table says")),
        }
    }

    /// Whether reading has failed.
    pub(crate) fn failed(&self) -> bool {
        lock(&self.failure).is_some()
    }

    /// The failure of the passes so far, if there was one.
    pub(crate) fn outcome(&self) -> Result<()> {
        lock(&self.failure).take().map_or(Ok(()), Err)
    }

    /// The bytes of a block, after a look at their checksum.
    fn bytes_at(&self, place: &Place, what: &str, number: usize, bytes: &mut Vec<u8>) -> Result<()> {
        // No more than the file had when it was opened: the table was checked against its size.
        bytes.clear();
        bytes.try_reserve(place.bytes as usize).map_err(|_| no_room(place.bytes as usize))?;
        bytes.resize(place.bytes as usize, 0);
        read_at(&self.file, place.offset, bytes).map_err(|source| match source.kind() {
            io::ErrorKind::UnexpectedEof => flaw(
                &self.path,
                place.offset,
                &format!("the file ends within block {} of {what}", number + 1),
            ),
            _ => Error::io(&self.path, source),
        })?;
        if checksum(bytes) == place.checksum {
            return Ok(());
        }
        let problem =
            format!("the checksum of block {} of {what} does not match: the file is damaged", number + 1);
        Err(flaw(&self.path, place.offset, &problem))
    }
}

/// The error of a block that there is no memory for.
fn no_room(needed: usize) -> Error {
    let instead = "give the process more address space, or fewer threads";
    ErrorKind::Memory { what: "a block of a stream", needed: needed as u64, budget: 0, instead }.into()
}

/// Refuses more labels than there is memory for.
fn labels_fit(rows: u64) -> Result<()> {
    obtainable("the labels of a stream", rows.saturating_mul(LABEL), "give the process more address space")
}

impl Source {
    /// What a file is now; nothing of standard input.
    fn of(path: &Path, options: &ReadOptions) -> Result<Option<Self>> {
        if path.as_os_str() == "-" {
            return Ok(None);
        }
        let file = std::fs::metadata(path).map_err(|source| Error::io(path, source))?;
        let since = |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).ok();
        let modified =
            file.modified().ok().and_then(since).and_then(|since| u64::try_from(since.as_nanos()).ok());
        let ReadOptions { format, label, features, header, delimiter, encoding, labels_path, .. } = options;
        // Labels beside the data are not kept in the blocks, but decide whether the data have a column of their own.
        let reading =
            format!("{:?}", (format, label, features, header, delimiter, encoding, labels_path.is_some()));
        let name = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        Ok(Some(Self { name, bytes: file.len(), modified, reading }))
    }
}

impl Contents {
    /// The table of a file of that size.
    fn read(path: &Path, file: &File, size: u64) -> Result<Self> {
        let early = || flaw(path, size, "the file ends early: it is not complete");
        let mut tail = [0; TAIL];
        let at = size.checked_sub(TAIL as u64).filter(|&at| at >= HEAD as u64).ok_or_else(early)?;
        read_at(file, at, &mut tail).map_err(|source| Error::io(path, source))?;
        let word = |at: usize| u64::from_le_bytes(tail[at..at + 8].try_into().expect("eight bytes"));
        if &tail[16..] != END {
            return Err(early());
        }
        let start = at.checked_sub(word(0)).filter(|&start| start >= HEAD as u64);
        let start = start.ok_or_else(|| flaw(path, at, "the length of the table is not believable"))?;
        let mut text = vec![0; (at - start) as usize];
        read_at(file, start, &mut text).map_err(|source| Error::io(path, source))?;
        if checksum(&text) != word(8) {
            return Err(flaw(path, start, "the checksum of the table does not match: the file is damaged"));
        }
        serde_json::from_slice(&text).map_err(|error| {
            let byte = start + error.column().saturating_sub(1) as u64;
            flaw(path, byte, &format!("the table is not in its form: {error}"))
        })
    }

    /// Refuses a table that does not fit its file; gives the first row of each block.
    fn check(&self, path: &Path, size: u64) -> Result<Vec<usize>> {
        let odd = |place: &Place| flaw(path, place.offset, "a block of the table is not one of the file");
        let inside = |place: &Place| {
            let end = place.offset.checked_add(place.bytes).filter(|&end| end <= size);
            end.is_some() && place.offset >= HEAD as u64 && place.rows.max(place.entries) <= place.bytes
        };
        let labels = self.labels.iter().flat_map(|labels| &labels.blocks);
        if let Some(place) = self.blocks.iter().chain(labels).find(|place| !inside(place)) {
            return Err(odd(place));
        }
        let (mut first, mut rows, mut entries) = (vec![0], 0_u64, 0_u64);
        for place in &self.blocks {
            (rows, entries) = (rows.saturating_add(place.rows), entries.saturating_add(place.entries));
            first.push(rows as usize);
        }
        if rows != self.rows || entries != self.entries || rows > u64::from(u32::MAX) {
            return Err(flaw(path, HEAD as u64, "the blocks do not have the rows that the table says"));
        }
        // A column takes a byte of text at least, but one number in the table must not be believed: only sparse rows tell it.
        let widest = 1_u64 << 32;
        match self.width <= widest {
            true => Ok(first),
            false => Err(flaw(path, HEAD as u64, "the width that the table says is beyond 2³²")),
        }
    }
}

fn flaw(path: &Path, byte: u64, problem: &str) -> Error {
    ErrorKind::BlockFile { path: path.to_owned(), byte, problem: problem.into() }.into()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fills `bytes` with those of the file from `offset` on, from any thread.
#[cfg(unix)]
fn read_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(not(unix))]
fn read_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _held = lock(&ONE_AT_A_TIME);
    let mut file = file;
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

/// A checksum of 64 bits. Each step is a bijection of the sum and of the word, so that a change of one word always changes it.
fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let sum = mix(sum, u64::from_le_bytes(last));
    mix(sum, sum >> 32)
}
