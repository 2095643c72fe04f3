//! LIBSVM text of any length, piece by piece: memory for some blocks of text, whatever the length.

use std::path::Path;

use super::input::Input;
use super::libsvm::{Form, ParsedRows, for_each_piece};
use super::{LabelColumn, Vectors};
use crate::error::Result;

/// Bytes of a block: as few as parsing on all threads is still worth, so that a slow stream is not waited for long.
const BLOCK: usize = 32 << 10;

/// Reads LIBSVM text from a file, or from standard input for `-`, and hands over the rows and their labels in pieces, in the
/// order of the text. A piece is as wide as its rows are.
///
/// # Errors
/// If the text is not in the format, with line and column, or reading fails; of `visit`, after which nothing more is read.
pub fn read_labelled_pieces(
    path: impl AsRef<Path>,
    mut visit: impl FnMut(Vectors, LabelColumn) -> Result<()> + Send,
) -> Result<()> {
    let piece = |rows: &ParsedRows| {
        let (points, labels) = rows.copied();
        if labels.is_empty() { Ok(()) } else { visit(points.into(), labels) }
    };
    for_each_piece(Input::open(path.as_ref())?, Form::default(), BLOCK, piece)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Points, ReadOptions};

    #[test]
    fn pieces_are_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        let line = |i: usize| format!("{} {}:{} 9000:0.5\n", ["+1", "-1", "odd"][i % 3], i % 7 + 1, i);
        std::fs::write(&path, (0..20_000).map(line).collect::<String>()).unwrap();
        let whole = crate::data::read(&path, &ReadOptions::default()).unwrap();
        let (mut rows, mut pieces) = (0, 0);
        read_labelled_pieces(&path, |points, labels| {
            for i in 0..points.len() {
                assert!(points.row(i).compare(&whole.points.row(rows + i)).is_eq());
                assert_eq!(labels.text(i), whole.labels.as_ref().unwrap().text(rows + i));
            }
            (rows, pieces) = (rows + points.len(), pieces + 1);
            Ok(())
        })
        .unwrap();
        assert!(rows == 20_000 && pieces > 5, "{rows} {pieces}");
        std::fs::write(&path, "1 1:2\n1 3:x\n").unwrap();
        let error = read_labelled_pieces(&path, |_, _| Ok(())).unwrap_err().to_string();
        assert!(error.ends_with("rows:2:5: not a number: 'x'"), "{error}");
    }
}
