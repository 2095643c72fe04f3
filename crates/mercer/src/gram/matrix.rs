//! The values of a Gram in double precision, as a matrix that linear algebra works on.
//!
//! Both functions compute n(n + 1)/2 kernel values: those on and below the diagonal, by [`Gram::lower_rows`].

use super::Gram;
use crate::linalg::{Broken, Lower, Square, Tick};

/// Rows computed at once, and between two calls of `tick`.
const BATCH: usize = 512;

/// The values on and below the diagonal: half the memory of [`square`].
///
/// # Errors
/// [`Broken::Interrupted`] if `tick` breaks.
pub(crate) fn lower(gram: &dyn Gram, tick: Tick<'_>) -> Result<Lower, Broken> {
    let mut lower = Lower::zeros(gram.len());
    fill(gram, &mut lower.rows_mut(), tick)?;
    Ok(lower)
}

/// All n² values, exactly symmetric: the half above the diagonal is a copy of the half below it.
///
/// # Errors
/// [`Broken::Interrupted`] if `tick` breaks.
pub(crate) fn square(gram: &dyn Gram, tick: Tick<'_>) -> Result<Square, Broken> {
    let n = gram.len();
    let mut square = Square::zeros(n);
    let rows = square.values_mut().chunks_mut(n.max(1)).enumerate();
    fill(gram, &mut rows.map(|(i, row)| &mut row[..=i]).collect::<Vec<_>>(), tick)?;
    square.mirror();
    Ok(square)
}

/// Fills `rows[i]` with row i of the Gram up to its diagonal.
fn fill(gram: &dyn Gram, rows: &mut [&mut [f64]], tick: Tick<'_>) -> Result<(), Broken> {
    let n = rows.len();
    for (batch, rows) in rows.chunks_mut(BATCH).enumerate() {
        gram.lower_rows(batch * BATCH, rows);
        // The first i rows hold a share of (i/n)² of the values.
        let done = (batch * BATCH + rows.len()) as f64 / n as f64;
        if tick(done * done).is_break() {
            return Err(Broken::Interrupted);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::data::Vectors;
    use crate::gram::{Full, Lazy};
    use crate::kernel::rbf;

    #[test]
    fn both_matrices_have_the_values_of_the_rows() {
        let n = BATCH + 37;
        let x = Vectors::dense(2, (0..2 * n).map(|i| (i as f64 * 0.7).sin()).collect());
        let kernel = rbf(0.5);
        let lazy = Lazy::new(&kernel, &x).expect("binds");
        let full = Full::new(&lazy);
        for gram in [&lazy as &dyn Gram, &full] {
            let (mut shares, mut row) = (Vec::new(), vec![0.0; n]);
            let mut tick = |share: f64| {
                shares.push(share);
                ControlFlow::Continue(())
            };
            let (lower, square) = (lower(gram, &mut tick).unwrap(), square(gram, &mut tick).unwrap());
            assert_eq!(shares.len(), 4);
            assert_eq!((shares[1], shares[3]), (1.0, 1.0));
            for i in 0..n {
                gram.rows_f64(&[i], &mut [&mut row]);
                assert_eq!(lower.row(i), &row[..=i]);
                assert_eq!(&square.row(i)[..=i], &row[..=i]);
                assert!((0..i).all(|j| square.row(j)[i] == row[j]));
            }
        }
        assert!(matches!(square(&lazy, &mut |_| ControlFlow::Break(())), Err(Broken::Interrupted)));
    }
}
