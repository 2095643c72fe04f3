//! The decompressed bytes of a file, with line and column for messages.
//!
//! Compression is recognised by the first bytes of a file, not by its name: gzip (also of several members, as `cat a.gz
//! b.gz` makes them) and zstd are decompressed by a thread of their own, other files are read as they are. The path `-` is
//! standard input.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::ahead::Ahead;
use crate::error::{Error, ParseProblem, Result};

/// Bytes read from the file at once: enough that the time of system calls does not matter.
const BUFFER: usize = 256 << 10;
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// A stream of decompressed bytes that keeps count of the line and column it has been read to.
pub(crate) struct Input {
    path: PathBuf,
    reader: Box<dyn Read + Send>,
    compressed: bool,
    /// Bytes that were read by [`Input::peek`]; `head[taken..]` are still to be returned.
    head: Vec<u8>,
    taken: usize,
    /// An error that was met by [`Input::peek`], to be returned after `head`: a decoder may not report it twice.
    pending: Option<io::Error>,
    line: u64,
    column: u64,
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Self::new(path, io::stdin());
        }
        let file = File::open(path).map_err(|source| Error::io(path, source))?;
        Self::new(path, file)
    }

    /// Decompresses the bytes of `reader`; `path` is the name in messages.
    pub(crate) fn new(path: &Path, reader: impl Read + Send + 'static) -> Result<Self> {
        let mut raw = Self::plain(path, Box::new(reader));
        let magic = raw.peek(ZSTD.len())?;
        let (gzip, zstd) = (magic.starts_with(GZIP), magic.starts_with(ZSTD));
        let mut input = if gzip || zstd {
            let path = raw.path.clone();
            let buffered = BufReader::with_capacity(BUFFER, raw);
            let reader: Box<dyn Read + Send> = if gzip {
                Box::new(Ahead::new(MultiGzDecoder::new(buffered)))
            } else {
                let decoder = zstd::Decoder::with_buffer(buffered);
                Box::new(Ahead::new(decoder.map_err(|source| Error::io(&path, source))?))
            };
            Self { compressed: true, ..Self::plain(&path, reader) }
        } else {
            raw
        };
        if input.peek(BYTE_ORDER_MARK.len())?.starts_with(BYTE_ORDER_MARK) {
            input.taken += BYTE_ORDER_MARK.len();
        }
        Ok(input)
    }

    fn plain(path: &Path, reader: Box<dyn Read + Send>) -> Self {
        let path = path.to_owned();
        Self {
            path,
            reader,
            compressed: false,
            head: Vec::new(),
            taken: 0,
            pending: None,
            line: 1,
            column: 1,
        }
    }

    /// The name of the input in messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The next `count` bytes (fewer only at the end), which will be read again.
    pub(crate) fn peek(&mut self, count: usize) -> Result<&[u8]> {
        while self.head.len() - self.taken < count {
            let missing = count - (self.head.len() - self.taken);
            if self.pending.is_some() {
                break;
            }
            match (&mut self.reader).take(missing as u64).read_to_end(&mut self.head) {
                Ok(0) => break,
                Ok(_) => {}
                Err(source) => self.pending = Some(source),
            }
        }
        if self.head.len() == self.taken
            && let Some(source) = self.pending.take()
        {
            return Err(self.failure(source));
        }
        let end = self.head.len().min(self.taken + count);
        Ok(&self.head[self.taken..end])
    }

    /// The error of a failed read: one of the operating system, or damage of the compressed stream at the position
    /// reached.
    pub(crate) fn failure(&self, source: io::Error) -> Error {
        if self.compressed && source.raw_os_error().is_none() {
            Error::parse(&self.path, self.line, self.column, ParseProblem::Truncated)
        } else {
            Error::io(&self.path, source)
        }
    }

    fn advance(&mut self, read: &[u8]) {
        match memchr::memrchr(b'\n', read) {
            Some(last) => {
                self.line += memchr::memchr_iter(b'\n', read).count() as u64;
                self.column = (read.len() - last) as u64;
            }
            None => self.column += read.len() as u64,
        }
    }
}

impl Read for Input {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let waiting = &self.head[self.taken..];
        let count = if waiting.is_empty() {
            if let Some(source) = self.pending.take() {
                return Err(source);
            }
            self.reader.read(out)?
        } else {
            let count = waiting.len().min(out.len());
            out[..count].copy_from_slice(&waiting[..count]);
            self.taken += count;
            count
        };
        self.advance(&out[..count]);
        Ok(count)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write;

    use super::*;
    use crate::error::ErrorKind;

    /// `text` as a gzip member.
    pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: Vec<u8>) -> Result<Vec<u8>> {
        let mut input = Input::new(Path::new("f"), io::Cursor::new(bytes))?;
        let mut text = Vec::new();
        match input.read_to_end(&mut text) {
            Ok(_) => Ok(text),
            Err(source) => Err(input.failure(source)),
        }
    }

    fn lines(count: usize) -> Vec<u8> {
        (0..count)
            .flat_map(|i| format!("{} 1:{}\n", i % 2, (i as u32).wrapping_mul(2_654_435_761)).into_bytes())
            .collect()
    }

    #[test]
    fn plain_gzip_and_zstd_read_alike() {
        let text = lines(5000);
        assert_eq!(read(text.clone()).unwrap(), text);
        assert_eq!(read(gzip(&text)).unwrap(), text);
        assert_eq!(read(zstd::encode_all(&text[..], 3).unwrap()).unwrap(), text);
    }

    #[test]
    fn members_follow_one_another() {
        let (a, b) = (lines(10), lines(20));
        assert_eq!(read([gzip(&a), gzip(&b)].concat()).unwrap(), [a.clone(), b.clone()].concat());
        let frames = [zstd::encode_all(&a[..], 3).unwrap(), zstd::encode_all(&b[..], 3).unwrap()].concat();
        assert_eq!(read(frames).unwrap(), [a, b].concat());
    }

    #[test]
    fn truncation_is_reported_where_the_text_ends() {
        let text = lines(50_000);
        for packed in [gzip(&text), zstd::encode_all(&text[..], 3).unwrap()] {
            let mut input =
                Input::new(Path::new("f"), io::Cursor::new(packed[..packed.len() / 2].to_vec())).unwrap();
            let mut got = Vec::new();
            let source = input.read_to_end(&mut got).unwrap_err();
            assert_eq!(got, text[..got.len()]);
            let error = input.failure(source);
            let ErrorKind::Parse { line, column, problem, .. } = error.kind() else { panic!() };
            let end = memchr::memrchr(b'\n', &got).map_or(0, |at| at + 1);
            assert_eq!(*line, 1 + memchr::memchr_iter(b'\n', &got).count() as u64);
            assert_eq!(*column, 1 + (got.len() - end) as u64);
            assert_eq!(*problem, ParseProblem::Truncated);
        }
    }

    #[test]
    fn truncation_met_while_looking_ahead_is_not_forgotten() {
        let text = lines(500);
        for packed in [gzip(&text), zstd::encode_all(&text[..], 3).unwrap()] {
            for end in [packed.len() - 1, packed.len() - 5, packed.len() / 2, 11] {
                let reader = io::Cursor::new(packed[..end].to_vec());
                let outcome = Input::new(Path::new("f"), reader).and_then(|mut input| {
                    input.peek(1 << 20)?;
                    let mut text = Vec::new();
                    let read = input.read_to_end(&mut text);
                    read.map_err(|source| input.failure(source))
                });
                let error = outcome.unwrap_err().to_string();
                assert!(error.ends_with("the compressed data ends early or is damaged"), "{error}");
            }
        }
    }

    #[test]
    fn a_byte_order_mark_is_not_text() {
        assert_eq!(read(b"\xef\xbb\xbf1 1:2\n".to_vec()).unwrap(), b"1 1:2\n");
    }

    #[test]
    fn a_missing_file_is_named() {
        let Err(error) = Input::open(Path::new("no/such/file")) else { panic!("no such file") };
        assert!(error.to_string().starts_with("no/such/file: "), "{error}");
    }
}
