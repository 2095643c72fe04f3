//! The container: safetensors with a header of exactly one form and a checksum.
//!
//! Eight bytes with the length of the header (little-endian), the header (JSON, filled with blanks to a multiple of
//! eight bytes), then the bytes of the tensors. Any reader of safetensors opens it. Two things are stricter here:
//!
//! - the header has one form (keys sorted, no blanks between them), so that a model is always the same bytes and a
//!   header with a key twice, or with something hidden between its keys, is refused;
//! - the metadata entry `checksum` is the CRC-32 of header and tensors, taken with eight zeros in its own place.

use std::collections::BTreeMap;
use std::fmt::Write;

use flate2::Crc;
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};

use crate::data::Dense;

/// What is wrong with a model, in words; with the name of the file it becomes an error.
pub type Flaw = Box<str>;

/// The largest header that readers of safetensors accept.
const MAX_HEADER: usize = 100_000_000;

/// Bytes of the length in front of the header, and what the header's length is a multiple of.
const WORD: usize = 8;

const CHECKSUM: &str = "checksum";
const NO_CHECKSUM: &str = "00000000";

/// A type of element that tensors of a model file have.
pub trait Element: Copy {
    /// The name of the type in files.
    const DTYPE: Dtype;
    /// Appends the bytes of the element.
    fn put(self, out: &mut Vec<u8>);
    /// The element of some bytes, which must be as many as it has.
    fn take(bytes: &[u8]) -> Self;
}

macro_rules! element {
    ($($type:ty = $dtype:ident),*) => {$(
        impl Element for $type {
            const DTYPE: Dtype = Dtype::$dtype;
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn take(bytes: &[u8]) -> Self {
                let mut word = [0; size_of::<Self>()];
                word.copy_from_slice(bytes);
                Self::from_le_bytes(word)
            }
        }
    )*};
}
// These have `to_le_bytes` by name only: the standard library has no trait for it.
element!(f32 = F32, f64 = F64, u8 = U8, u32 = U32, u64 = U64);

/// Collects the entries and tensors of a model file and writes them out.
#[derive(Debug, Default)]
pub struct Writer {
    metadata: BTreeMap<String, String>,
    tensors: BTreeMap<String, (TensorInfo, Vec<u8>)>,
}

impl Writer {
    /// Adds an entry of the header.
    pub fn entry(&mut self, key: &str, value: impl Into<String>) {
        self.metadata.insert(key.to_owned(), value.into());
    }

    /// Adds a tensor.
    pub fn tensor<T: Element>(&mut self, name: &str, shape: &[usize], values: impl IntoIterator<Item = T>) {
        let mut bytes = Vec::new();
        values.into_iter().for_each(|value| value.put(&mut bytes));
        let info = TensorInfo { dtype: T::DTYPE, shape: shape.to_vec(), data_offsets: (0, bytes.len()) };
        self.tensors.insert(name.to_owned(), (info, bytes));
    }

    /// Adds a list of numbers.
    pub fn list(&mut self, name: &str, values: &[f64]) {
        self.tensor(name, &[values.len()], values.iter().copied());
    }

    /// Adds a list of positions or counts.
    pub fn counts(&mut self, name: &str, values: &[usize]) {
        self.tensor(name, &[values.len()], values.iter().map(|&value| value as u64));
    }

    /// Adds where each of several lists begins that lie one after the other, and where the last one ends.
    pub(super) fn starts(&mut self, name: &str, lengths: impl Iterator<Item = usize>) {
        let mut starts = vec![0];
        lengths.for_each(|length| starts.push(starts[starts.len() - 1] + length));
        self.counts(name, &starts);
    }

    /// Adds a table of numbers.
    pub fn table(&mut self, name: &str, rows: &Dense<f64>) {
        self.tensor(name, &[rows.len(), rows.columns()], rows.values().iter().copied());
    }

    /// Starts from the content of a file, for tests that then change it.
    #[cfg(test)]
    pub(in crate::model) fn copy(bytes: &[u8]) -> Self {
        let reader = Reader::open(bytes).unwrap();
        let data = |info: &TensorInfo| reader.data[info.data_offsets.0..info.data_offsets.1].to_vec();
        let tensors = reader.tensors.iter().map(|(name, info)| (name.clone(), (info.clone(), data(info))));
        Self { tensors: tensors.collect(), metadata: reader.metadata }
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If the header is too long.
    pub fn finish(mut self) -> Result<Vec<u8>, Flaw> {
        let mut order: Vec<_> = self.tensors.into_iter().collect();
        // Large elements first: then every tensor is aligned.
        order.sort_by_key(|(_, (info, _))| std::cmp::Reverse(info.dtype.bitsize()));
        let (mut tensors, mut data) = (BTreeMap::new(), Vec::new());
        for (name, (mut info, bytes)) in order {
            info.data_offsets = (data.len(), data.len() + bytes.len());
            data.extend_from_slice(&bytes);
            tensors.insert(name, info);
        }
        let checksum = checksum(&self.metadata, &tensors, &data)?;
        self.metadata.insert(CHECKSUM.to_owned(), checksum);
        let header = header(&self.metadata, &tensors)?;
        if header.len() > MAX_HEADER {
            return Err("the names and numbers of the header take more than 100 MB".into());
        }
        let mut bytes = Vec::with_capacity(WORD + header.len() + data.len());
        bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&header);
        bytes.extend_from_slice(&data);
        Ok(bytes)
    }
}

/// Entries and tensors as found in the bytes of a model file. Each is taken out once; what is left over is refused.
#[derive(Debug)]
pub struct Reader<'a> {
    header: &'a [u8],
    metadata: BTreeMap<String, String>,
    tensors: BTreeMap<String, TensorInfo>,
    data: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Finds the header and checks that its tensors are exactly the bytes that follow.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, Flaw> {
        let (length, rest) = bytes.split_first_chunk::<WORD>().ok_or("shorter than any model")?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        if length > MAX_HEADER || length > rest.len() {
            return Err("the header is longer than the file".into());
        }
        let (header, data) = rest.split_at(length);
        let found: Metadata = serde_json::from_slice(header).map_err(|error| format!("header: {error}"))?;
        if found.data_len() != data.len() {
            let (told, found) = (found.data_len(), data.len());
            return Err(format!("the header tells of {told} bytes of tensors, the file has {found}").into());
        }
        let metadata = found.metadata().iter().flatten().map(|(k, v)| (k.clone(), v.clone())).collect();
        let tensors = found.tensors().into_iter().map(|(name, info)| (name, info.clone())).collect();
        Ok(Self { header, metadata, tensors, data })
    }

    /// The value of an entry that stays.
    pub(in crate::model) fn peek(&self, key: &str) -> Option<&str> {
        self.metadata.get(key).map(String::as_str)
    }

    /// Checks the form of the header and the checksum, which it takes out.
    pub(super) fn verify(&mut self) -> Result<(), Flaw> {
        if header(&self.metadata, &self.tensors)? != self.header {
            return Err("the header is not in the form in which models are written".into());
        }
        let told = self.entry(CHECKSUM)?;
        if told != checksum(&self.metadata, &self.tensors, self.data)? {
            return Err("the checksum does not match: the file is damaged".into());
        }
        Ok(())
    }

    /// Takes out an entry of the header.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn entry(&mut self, key: &str) -> Result<String, Flaw> {
        self.optional(key).ok_or_else(|| format!("no entry '{key}'").into())
    }

    /// Takes out an entry of the header that need not be there.
    pub fn optional(&mut self, key: &str) -> Option<String> {
        self.metadata.remove(key)
    }

    /// The type of the elements of a tensor.
    pub(super) fn dtype(&self, name: &str) -> Option<Dtype> {
        self.tensors.get(name).map(|info| info.dtype)
    }

    /// The last dimension of a tensor; 0 where there is none.
    pub(in crate::model) fn columns(&self, name: &str) -> usize {
        self.tensors.get(name).and_then(|info| info.shape.last()).copied().unwrap_or(0)
    }

    /// Takes out a tensor with `rank` dimensions: its shape and values.
    ///
    /// # Errors
    /// If there is none of that name, or it has other dimensions or elements.
    pub fn tensor<T: Element>(&mut self, name: &str, rank: usize) -> Result<(Vec<usize>, Vec<T>), Flaw> {
        let info = self.tensors.remove(name).ok_or_else(|| format!("no tensor '{name}'"))?;
        if info.dtype != T::DTYPE || info.shape.len() != rank {
            return Err(format!("tensor '{name}' must have {rank} dimensions of {}", T::DTYPE).into());
        }
        let (start, end) = info.data_offsets;
        let bytes = self.data.get(start..end).ok_or_else(|| format!("tensor '{name}' is not in the file"))?;
        Ok((info.shape, bytes.chunks_exact(size_of::<T>()).map(T::take).collect()))
    }

    /// Takes out the values of a tensor with one dimension.
    ///
    /// # Errors
    /// As [`Reader::tensor`].
    pub fn list<T: Element>(&mut self, name: &str) -> Result<Vec<T>, Flaw> {
        Ok(self.tensor(name, 1)?.1)
    }

    /// Takes out the values of a tensor with one dimension that need not be there.
    pub(in crate::model) fn list_or_none<T: Element>(&mut self, name: &str) -> Result<Vec<T>, Flaw> {
        if self.tensors.contains_key(name) { self.list(name) } else { Ok(Vec::new()) }
    }

    /// Takes out a list of positions or counts.
    ///
    /// # Errors
    /// As [`Reader::tensor`]; if a number is too large for this machine.
    pub fn counts(&mut self, name: &str) -> Result<Vec<usize>, Flaw> {
        let count =
            |value: u64| usize::try_from(value).map_err(|_| format!("tensor '{name}': {value} is too large"));
        Ok(self.list::<u64>(name)?.into_iter().map(count).collect::<Result<_, _>>()?)
    }

    /// Takes out where lists begin that are `length` elements together; refuses others with `flaw`.
    pub(super) fn starts(&mut self, name: &str, length: usize, flaw: &str) -> Result<Vec<usize>, Flaw> {
        let start = self.counts(name)?;
        let whole = start.first() == Some(&0) && start.last() == Some(&length) && start.is_sorted();
        if whole { Ok(start) } else { Err(flaw.into()) }
    }

    /// Refuses entries and tensors that were not taken out.
    pub(in crate::model) fn finish(self) -> Result<(), Flaw> {
        match self.metadata.keys().chain(self.tensors.keys()).next() {
            Some(name) => Err(format!("unknown entry or tensor '{name}'").into()),
            None => Ok(()),
        }
    }
}

/// The header's one form.
fn header(
    metadata: &BTreeMap<String, String>,
    tensors: &BTreeMap<String, TensorInfo>,
) -> Result<Vec<u8>, Flaw> {
    let json = |value: Result<String, serde_json::Error>| value.map_err(|error| error.to_string());
    let mut text = String::from("{\"__metadata__\":");
    text.push_str(&json(serde_json::to_string(metadata))?);
    for (name, info) in tensors {
        let (name, info) = (json(serde_json::to_string(name))?, json(serde_json::to_string(info))?);
        write!(text, ",{name}:{info}").map_err(|error| error.to_string())?;
    }
    text.push('}');
    let mut bytes = text.into_bytes();
    bytes.resize(bytes.len().next_multiple_of(WORD), b' ');
    Ok(bytes)
}

/// CRC-32 of the header, with zeros in the place of the checksum, and the tensors; eight hexadecimal digits.
fn checksum(
    metadata: &BTreeMap<String, String>,
    tensors: &BTreeMap<String, TensorInfo>,
    data: &[u8],
) -> Result<String, Flaw> {
    let mut metadata = metadata.clone();
    metadata.insert(CHECKSUM.to_owned(), NO_CHECKSUM.to_owned());
    let mut crc = Crc::new();
    crc.update(&header(&metadata, tensors)?);
    crc.update(data);
    Ok(format!("{:08x}", crc.sum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut writer = Writer::default();
        writer.entry("format", "test");
        writer.tensor("wide", &[2, 1], [1.5_f64, -2.0]);
        writer.tensor("narrow", &[3], [1_u32, 2, 3]);
        writer.finish().unwrap()
    }

    #[test]
    fn other_readers_of_safetensors_open_it() {
        let bytes = sample();
        let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        let wide = tensors.tensor("wide").unwrap();
        assert_eq!((wide.dtype(), wide.shape()), (Dtype::F64, [2, 1].as_slice()));
        assert_eq!(wide.data()[..8], 1.5_f64.to_le_bytes());
        assert_eq!(bytes.len() % 4, 0);
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = sample();
        let mut reader = Reader::open(&bytes).unwrap();
        reader.verify().unwrap();
        assert_eq!(reader.entry("format").unwrap(), "test");
        assert_eq!(reader.tensor::<f64>("wide", 2).unwrap(), (vec![2, 1], vec![1.5, -2.0]));
        assert_eq!(reader.list::<u32>("narrow").unwrap(), [1, 2, 3]);
        reader.finish().unwrap();
    }

    #[test]
    fn what_is_left_over_is_refused() {
        let bytes = sample();
        let reader = Reader::open(&bytes).unwrap();
        assert!(reader.finish().unwrap_err().contains("unknown entry"));
    }

    #[test]
    fn tensors_that_add_up_to_more_than_memory_are_refused() {
        // Eight tensors of 2^61 - 1 bytes each end just below 2^64.
        let size = (1_u64 << 61) - 1;
        let tensors: Vec<String> = (0..8)
            .map(|i| {
                let (start, end) = (i * size, (i + 1) * size);
                format!("\"t{i}\":{{\"dtype\":\"U8\",\"shape\":[{size}],\"data_offsets\":[{start},{end}]}}")
            })
            .collect();
        let header = format!("{{{}}}", tensors.join(","));
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        assert!(Reader::open(&bytes).unwrap_err().contains("the file has 0"));
    }
}
