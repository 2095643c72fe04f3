//! Scores over two parameters, as cells whose colour and number say how good they are.

use std::fmt::Write;

use super::ink::{cividis, hex};
use super::svg::document;
use crate::output::short;

/// Pixels of a cell.
const CELL: [f64; 2] = [62.0, 30.0];
/// Pixels left of and above the cells, and below them.
const LEFT: f64 = 120.0;
const TOP: f64 = 48.0;
const BELOW: f64 = 64.0;
/// What is drawn.
pub(crate) struct Map {
    pub(crate) title: String,
    /// Across, and up.
    pub(crate) names: [String; 2],
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<String>,
    /// Row after row, the lowest first.
    pub(crate) cells: Vec<Option<f64>>,
    pub(crate) less_is_better: bool,
    /// The cell that is taken: column and row.
    pub(crate) marked: Option<(usize, usize)>,
}

pub(crate) fn draw(map: &Map) -> String {
    let (columns, rows) = (map.columns.len() as f64, map.rows.len() as f64);
    let size = [LEFT + columns * CELL[0] + 24.0, TOP + rows * CELL[1] + BELOW];
    let known: Vec<f64> = map.cells.iter().flatten().copied().collect();
    let low = known.iter().copied().fold(f64::INFINITY, f64::min);
    let high = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let good = |value: f64| {
        let share = if high > low { (value - low) / (high - low) } else { 1.0 };
        if map.less_is_better { 1.0 - share } else { share }
    };
    let place = |column: usize, row: usize| {
        [LEFT + column as f64 * CELL[0], TOP + (rows - 1.0 - row as f64) * CELL[1]]
    };
    let mut body = format!("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", size[0], size[1]);
    text(&mut body, [size[0] / 2.0, 26.0], 15.0, "middle", "#000000", &map.title);
    for (number, cell) in map.cells.iter().enumerate() {
        let [x, y] = place(number % map.columns.len(), number / map.columns.len());
        let fill = cell.map_or_else(|| "#ffffff".to_owned(), |value| hex(cividis(good(value))));
        let [w, h] = CELL;
        let _ = writeln!(
            body,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{fill}\" stroke=\"#ffffff\"/>"
        );
        if let Some(value) = cell {
            let ink = if good(*value) > 0.45 { "#000000" } else { "#ffffff" };
            text(&mut body, [x + w / 2.0, y + h / 2.0 + 4.0], 11.0, "middle", ink, &figure(*value));
        }
    }
    if let Some((column, row)) = map.marked {
        let ([x, y], [w, h]) = (place(column, row), CELL);
        for (width, stroke) in [(5.0, "#ffffff"), (2.5, "#d55e00")] {
            let _ = writeln!(
                body,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\"/>"
            );
        }
    }
    let bottom = TOP + rows * CELL[1];
    for (column, value) in map.columns.iter().enumerate() {
        text(
            &mut body,
            [place(column, 0)[0] + CELL[0] / 2.0, bottom + 18.0],
            11.0,
            "middle",
            "#000000",
            &label(value),
        );
    }
    for (row, value) in map.rows.iter().enumerate() {
        text(
            &mut body,
            [LEFT - 8.0, place(0, row)[1] + CELL[1] / 2.0 + 4.0],
            11.0,
            "end",
            "#000000",
            &label(value),
        );
    }
    text(
        &mut body,
        [LEFT + columns * CELL[0] / 2.0, bottom + 44.0],
        13.0,
        "middle",
        "#000000",
        &map.names[0],
    );
    text(&mut body, [16.0, TOP + rows * CELL[1] / 2.0], 13.0, "start", "#000000", &map.names[1]);
    document(size, &map.title, &body)
}

/// A value of a parameter, short.
fn label(value: &str) -> String {
    value.parse::<f64>().map_or_else(|_| value.to_owned(), short)
}

fn figure(value: f64) -> String {
    if (0.0..=1.0).contains(&value) { format!("{value:.3}") } else { short(value) }
}

fn text(body: &mut String, [x, y]: [f64; 2], size: f64, anchor: &str, ink: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        body,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{ink}\" font-family=\"sans-serif\">{words}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_light_and_the_worst_dark() {
        let map = Map {
            title: "a < b".into(),
            names: ["gamma".into(), "c".into()],
            columns: vec!["0.5".into(), "2".into()],
            rows: vec!["1".into()],
            cells: vec![Some(0.9), None],
            less_is_better: false,
            marked: Some((0, 0)),
        };
        let drawn = draw(&map);
        assert!(drawn.contains("a &lt; b") && drawn.contains("0.900") && drawn.contains("#ffea46"));
    }
}
