//! Broken kernels, each of which the battery must catch, and good ones, which it must pass.

use super::arbitrary::naive;
use super::*;
use crate::data::{Dense, Points, Vectors};
use crate::error::Result;

/// What is wrong with a kernel that is otherwise xᵀy + 1.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Flaw {
    None,
    Diagonal,
    Single,
    Alone,
    Subset,
    Threads,
    Columns,
    Bind,
}

#[derive(Clone)]
struct Flawed {
    flaw: Flaw,
    columns: Vectors,
}

impl Kernel<Vectors> for Flawed {
    fn bind(&self, columns: &Vectors) -> Result<Box<dyn Bound<Vectors>>> {
        match self.flaw {
            Flaw::Bind => rbf(-1.0).check().map(|()| unreachable!("gamma < 0 is refused")),
            flaw => Ok(Box::new(Self { flaw, columns: columns.clone() })),
        }
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::Psd
    }
}

impl Bound<Vectors> for Flawed {
    fn columns(&self) -> usize {
        self.columns.len() + usize::from(self.flaw == Flaw::Columns)
    }

    fn diagonal(&self) -> Vec<f64> {
        let value = |i| (linear() + 1.0).value(self.columns.row(i), self.columns.row(i));
        let wrong = if self.flaw == Flaw::Diagonal { 1.0 + 1e-6 } else { 1.0 };
        (0..self.columns.len()).map(|i| wrong * value(i)).collect()
    }

    fn rows(&self, points: &Vectors, rows: &[usize], out: &mut [&mut [f32]]) {
        let mut double = vec![vec![0.0; self.columns()]; rows.len()];
        let mut views: Vec<&mut [f64]> = double.iter_mut().map(Vec::as_mut_slice).collect();
        self.rows_f64(points, rows, &mut views);
        let wrong = if self.flaw == Flaw::Single { 1.0 + 1e-4 } else { 1.0 };
        for (row, double) in out.iter_mut().zip(&double) {
            row.iter_mut().zip(double).for_each(|(entry, value)| *entry = (wrong * value) as f32);
        }
    }

    fn rows_f64(&self, points: &Vectors, rows: &[usize], out: &mut [&mut [f64]]) {
        let wrong = match self.flaw {
            Flaw::Alone if rows.len() == 1 => 1.0 + f64::EPSILON,
            Flaw::Threads if rayon::current_num_threads() == 1 => 1.0 + f64::EPSILON,
            Flaw::Subset if self.columns.len() < points.len() => 1.0 + 1e-6,
            _ => 1.0,
        };
        for (row, &i) in out.iter_mut().zip(rows) {
            for j in 0..self.columns.len() {
                row[j] = wrong * (linear() + 1.0).value(points.row(i), self.columns.row(j));
            }
        }
    }
}

fn points() -> Vectors {
    Dense::new(2, (0..20).map(|k| (k as f64 * 0.7).sin()).collect()).into()
}

fn failures<K: Kernel<Vectors>>(kernel: &K) -> Vec<Failure> {
    battery(kernel, &points()).err().unwrap_or_default()
}

#[test]
fn good_kernels_pass() {
    for text in [
        "linear",
        "(1e-5*linear)^9",
        "rbf(2) + 0.5*poly(degree=2, coef0=1)",
        "normalized(exp(linear))",
        "tanh",
        "plummer",
    ] {
        let kernel = naive(text.parse::<VectorExpr>().expect("a kernel"));
        assert_eq!(failures(&kernel), [], "{text}");
    }
    assert_eq!(failures(&Flawed { flaw: Flaw::None, columns: points() }), []);
}

#[test]
fn each_flaw_is_caught_and_nothing_else_is_said() {
    for flaw in
        [Flaw::Diagonal, Flaw::Single, Flaw::Alone, Flaw::Subset, Flaw::Threads, Flaw::Columns, Flaw::Bind]
    {
        let found = failures(&Flawed { flaw, columns: points() });
        let [failure] = &found[..] else { panic!("{flaw:?}: {found:?}") };
        let caught = match failure {
            Failure::Diagonal { at: 0, .. } => Flaw::Diagonal,
            Failure::Single { at: (0, 0), .. } => Flaw::Single,
            Failure::Alone { .. } => Flaw::Alone,
            Failure::Subset { .. } => Flaw::Subset,
            Failure::Threads { .. } => Flaw::Threads,
            Failure::Columns { found: 11, expected: 10 } => Flaw::Columns,
            Failure::Error { step: "bind", .. } => Flaw::Bind,
            _ => Flaw::None,
        };
        assert_eq!(caught, flaw, "{failure}");
    }
}

#[test]
fn asymmetric_function_is_caught() {
    let order = Pointwise::new(|_: &Vectors, i: usize, _: &Vectors, j: usize| 1.0 + (i as f64 - j as f64));
    let found = failures(&order);
    assert!(matches!(found[0], Failure::Asymmetric { at: (1, 0), value: 2.0, transposed: 0.0 }), "{found:?}");
}

#[test]
fn false_claim_of_definiteness_is_caught_and_no_claim_is_not() {
    let distance = |x: &Vectors, i: usize, y: &Vectors, j: usize| (x.row(i).get(0) - y.row(j).get(0)).abs();
    let found = failures(&Pointwise::psd(distance));
    assert!(matches!(found[..], [Failure::NotPsd { smallest, .. }] if smallest < -0.1), "{found:?}");
    assert_eq!(failures(&Pointwise::new(distance)), []);
}

#[test]
fn nan_is_caught() {
    let root = Pointwise::new(|x: &Vectors, i: usize, y: &Vectors, j: usize| {
        (x.row(i).get(0) * y.row(j).get(0)).sqrt()
    });
    let found = failures(&root);
    assert!(matches!(found[..], [Failure::NotFinite { value, .. }] if value.is_nan()), "{found:?}");
}

#[test]
fn no_points_break_no_law() {
    let none: Vectors = Dense::<f64>::new(2, vec![]).into();
    assert_eq!(battery(&naive(linear()), &none), Ok(()));
}
