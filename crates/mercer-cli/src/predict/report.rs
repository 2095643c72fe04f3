//! What is said of predictions as a whole.

use serde::Serialize;

use crate::multiclass::Agreed;
use crate::output::{seconds, short};

/// The object of `--json`.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) rows: usize,
    pub(super) accuracy: Option<f64>,
    pub(super) correct: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mean_squared_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) r_squared: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) inside: Option<usize>,
    #[serde(flatten)]
    pub(super) sets: Option<Agreed>,
    pub(super) read_seconds: f64,
    pub(super) predict_seconds: f64,
    pub(super) rows_per_second: f64,
    pub(super) threads: usize,
    pub(super) peak_bytes: Option<u64>,
}

impl Report {
    /// In words.
    pub(super) fn summary(&self) -> String {
        let mut text = String::new();
        let share = |count: usize| short(100.0 * count as f64 / self.rows as f64);
        if let Some(correct) = self.correct {
            text += &format!("accuracy  {} % ({correct} of {})\n", share(correct), self.rows);
        }
        if let Some(error) = self.mean_squared_error {
            let explained = match self.r_squared {
                Some(share) if share.is_finite() => format!(", R² {}", short(share)),
                _ => String::new(),
            };
            text += &format!("error     mean square {}{explained}\n", short(error));
        }
        if let Some(inside) = self.inside {
            text += &format!("inside    {} % ({inside} of {})\n", share(inside), self.rows);
        }
        if let Some(sets) = self.sets {
            text += &sets.summary();
        }
        text + &format!(
            "work      {} rows in {}, {:.0} rows/s\n",
            self.rows,
            seconds(self.predict_seconds),
            self.rows_per_second,
        )
    }
}
