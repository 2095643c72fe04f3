//! Figures of tables that other commands write.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::{Picture, PlotArgs};
use crate::failure::{Result, usage};
use crate::output::count;
use crate::plot::heat_map::{self, Map};

/// Bytes of the largest table that is read: some hundred thousand candidates.
const LARGEST: u64 = 1 << 26;

/// The scores of a search over its first two parameters of several values; of others the best.
pub(super) fn search(args: &PlotArgs) -> Result<Picture> {
    let file = &args.what[0];
    let mut text = String::new();
    let told = |source| mercer::Error::io(file, source);
    File::open(file).and_then(|open| open.take(LARGEST).read_to_string(&mut text)).map_err(told)?;
    if text.len() as u64 == LARGEST {
        return Err(usage!("{}: more than a table of a search has", file.display()));
    }
    let mut lines = text.lines();
    let head = cells(lines.next().unwrap_or_default());
    // rank, kernel, parameters, then the score, its spread, the score of each fold, …
    let score = (2..head.len()).find(|&k| head.get(k + 1) == Some(&format!("{} spread", head[k])));
    let (Some(score), true) = (score, head.first().is_some_and(|name| name == "rank")) else {
        return Err(not_a_table(file, 1, "no table of mercer search --csv"));
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (number, line) in lines.enumerate() {
        let row = cells(line);
        if row.len() != head.len() {
            return Err(not_a_table(
                file,
                number + 2,
                &format!("{} cells, the head has {}", row.len(), head.len()),
            ));
        }
        rows.push(row);
    }
    let values = |k: usize| {
        let mut all: Vec<String> =
            rows.iter().map(|row| row[k].clone()).filter(|cell| !cell.is_empty()).collect();
        let number = |text: &String| text.parse::<f64>().unwrap_or(f64::NAN);
        all.sort_by(|a, b| number(a).total_cmp(&number(b)).then_with(|| a.cmp(b)));
        all.dedup();
        all
    };
    let several: Vec<usize> = (2..score).filter(|&k| values(k).len() > 1).collect();
    let [across, up, ..] = several[..] else {
        return Err(usage!("{}: there must be two parameters with several values", file.display()));
    };
    let (columns, up_values) = (values(across), values(up));
    let mut cells: Vec<Option<(usize, f64)>> = vec![None; columns.len() * up_values.len()];
    let mut marked = None;
    for (number, row) in rows.iter().enumerate() {
        let place = |k: usize, all: &[String]| all.iter().position(|value| *value == row[k]);
        let (Some(column), Some(line)) = (place(across, &columns), place(up, &up_values)) else { continue };
        if row[0].is_empty() {
            continue;
        }
        let read = |k: usize, what: &str| {
            row[k]
                .parse::<f64>()
                .ok()
                .filter(|value| value.is_finite())
                .ok_or_else(|| not_a_table(file, number + 2, &format!("'{}' is no {what}", row[k])))
        };
        let (rank, value) = (read(0, "rank")? as usize, read(score, "score")?);
        let cell = &mut cells[line * columns.len() + column];
        if cell.is_none_or(|(other, _)| rank < other) {
            *cell = Some((rank, value));
        }
        if rank == 1 && marked.is_none() {
            marked = Some((column, line));
        }
    }
    let found: Vec<(usize, f64)> = cells.iter().flatten().copied().collect();
    let [best, worst] = [found.iter().min_by_key(|cell| cell.0), found.iter().max_by_key(|cell| cell.0)];
    let less_is_better = matches!((best, worst), (Some(best), Some(worst)) if best.1 < worst.1);
    let says = format!("search   {} of {}", count(rows.len(), "candidate"), file.display());
    let map = Map {
        title: format!("{} by rows left out", head[score]),
        names: [head[across].clone(), head[up].clone()],
        columns,
        rows: up_values,
        cells: cells.into_iter().map(|cell| cell.map(|(_, value)| value)).collect(),
        less_is_better,
        marked,
    };
    Ok(Picture { svg: heat_map::draw(&map), says })
}

fn not_a_table(file: &Path, line: usize, what: &str) -> crate::failure::Failure {
    usage!("{}:{line}: {what}", file.display())
}

/// The cells of a line; a cell in quotation marks may hold commas.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let cell = cells.last_mut().expect("there is a cell from the beginning");
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                cell.push('"');
                letters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            letter => cell.push(letter),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_in_quotation_marks_hold_commas_and_quotation_marks() {
        assert_eq!(cells("1,\"a(b=1, c=2)\",,\"say \"\"no\"\"\""), ["1", "a(b=1, c=2)", "", "say \"no\""]);
        assert_eq!(cells(""), [""]);
    }
}
