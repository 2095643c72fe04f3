//! Rows of tables: the names of the columns with their kinds in the header, and the cells of each as points of its kind, `column.1.`
//! and so on before their names.

use super::container::{Flaw, Reader, Writer};
use super::graphs::{read_graphs, write_graphs};
use super::points::{read_sets, read_texts, write_sets, write_texts};
use super::text;
use crate::data::{Cells, Records};

/// Writes rows of a table, `prefix` before all names.
pub(in crate::model) fn write_records(prefix: &str, records: &Records, writer: &mut Writer) {
    let columns: Vec<(&str, &str)> = records.columns().map(|(name, cells)| (name, cells.kind())).collect();
    // Names and words always have a form in JSON.
    writer.entry(&format!("{prefix}records"), serde_json::to_string(&columns).unwrap_or_default());
    for (k, (_, cells)) in records.columns().enumerate() {
        let prefix = format!("{prefix}column.{}.", k + 1);
        match cells {
            Cells::Numbers(cells) => writer.list(&format!("{prefix}numbers"), cells),
            Cells::Texts(cells) => write_texts(&prefix, cells, writer),
            Cells::Graphs(cells) => write_graphs(&prefix, cells, writer),
            Cells::Sets(cells) => write_sets(&prefix, cells, writer),
        }
    }
}

pub(in crate::model) fn read_records(prefix: &str, reader: &mut Reader<'_>) -> Result<Records, Flaw> {
    let key = format!("{prefix}records");
    let columns: Vec<(String, String)> = text::parse(&key, &reader.entry(&key)?)?;
    let mut found = Vec::with_capacity(columns.len());
    for (k, (name, kind)) in columns.into_iter().enumerate() {
        let prefix = format!("{prefix}column.{}.", k + 1);
        let cells = match kind.as_str() {
            "numbers" => Cells::Numbers(reader.list(&format!("{prefix}numbers"))?),
            "texts" => Cells::Texts(read_texts(&prefix, reader)?),
            "graphs" => Cells::Graphs(read_graphs(&prefix, reader)?),
            "sets" => Cells::Sets(read_sets(&prefix, reader)?),
            _ => {
                return Err(format!(
                    "column '{name}' of '{kind}': this program reads numbers, texts, graphs, sets"
                )
                .into());
            }
        };
        found.push((name, cells));
    }
    Records::new(found).map_err(|error| Flaw::from(error.to_string()))
}
