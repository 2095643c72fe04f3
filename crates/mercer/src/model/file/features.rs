//! Features of texts in files: entry `text_features`, the vocabulary as texts, tensor `features.idf`.

use std::path::Path;

use super::{FORMAT, Flaw, Reader, VERSION, Writer, file_error, open, read_texts, write_texts};
use crate::data::{TextMap, write_bytes};
use crate::error::{Error, Result};

/// The name of the entry; a file of features alone has no model beside it.
const ENTRY: &str = "text_features";
const PREFIX: &str = "features.";

pub(super) fn write(map: &TextMap, writer: &mut Writer) {
    writer.entry(ENTRY, map.features().to_string());
    write_texts(PREFIX, map.vocabulary(), writer);
    writer.list("features.idf", map.idf());
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Option<TextMap>, Flaw> {
    let Some(text) = reader.optional(ENTRY) else { return Ok(None) };
    let features = text.parse().map_err(|error: Error| Flaw::from(error.to_string()))?;
    TextMap::from_parts(features, read_texts(PREFIX, reader)?, reader.list("features.idf")?).map(Some)
}

impl TextMap {
    /// Writes the features alone to a file, which appears whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let mut writer = Writer::default();
        writer.entry("format", FORMAT);
        writer.entry("version", VERSION);
        write(self, &mut writer);
        write_bytes(path, &writer.finish().map_err(|flaw| file_error(path, flaw))?)
    }

    /// Reads a file of [`TextMap::save`], or the features of a model file.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged or has no features of texts.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| Error::io(path, source))?;
        let found = open(&bytes).and_then(|mut reader| read(&mut reader));
        let found = found.and_then(|found| found.ok_or_else(|| "no features of texts".into()));
        found.map_err(|flaw| file_error(path, flaw))
    }
}
