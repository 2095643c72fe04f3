//! Sets against the definition, pair by pair and cell by cell.

use proptest::prelude::*;

use super::*;
use crate::data::{Points, Sparse, Vectors};
use crate::kernel::arbitrary::{Definition, assert_refused, definite_leaf, grown, naive, value};
use crate::kernel::{Definiteness, Expr, Kernel, Limits, Verdict, battery, check, laws, linear, rbf};

impl Definition for SetLeaf {
    fn value(&self, x: &Vec<Vectors>, i: usize, y: &Vec<Vectors>, j: usize) -> f64 {
        let (a, b) = (&x[i], &y[j]);
        let (m, n) = (a.len(), b.len());
        if m == 0 || n == 0 {
            return 0.0;
        }
        match self {
            Self::Mean(kernel) => {
                let mut sum = 0.0;
                for s in 0..m {
                    for t in 0..n {
                        sum += kernel.value_in(3, a.row(s), b.row(t));
                    }
                }
                sum / (m * n) as f64
            }
            Self::BestMatch(kernel) => {
                let best = |from: &Vectors, to: &Vectors| {
                    let of = |s| {
                        (0..to.len())
                            .map(|t| kernel.value_in(3, from.row(s), to.row(t)))
                            .fold(f64::MIN, f64::max)
                    };
                    (0..from.len()).map(of).sum::<f64>() / from.len() as f64
                };
                (best(a, b) + best(b, a)) / 2.0
            }
            // Only without shifts: the offsets have no definition but the code.
            Self::Pyramid(pyramid) => {
                let (finest, levels) = (pyramid.side.unwrap(), pyramid.levels.unwrap());
                let met = |level: u32| {
                    let side = finest * 2_f64.powi(level as i32);
                    let cell =
                        |set: &Vectors, s: usize| -> Vec<i64> {
                            (0..3)
                                .map(|k| {
                                    if level == levels {
                                        0
                                    } else {
                                        (set.row(s).get(k) / side).floor() as i64
                                    }
                                })
                                .collect()
                        };
                    let mut free: Vec<Vec<i64>> = (0..n).map(|t| cell(b, t)).collect();
                    let mut met = 0;
                    for s in 0..m {
                        if let Some(t) = free.iter().position(|other| *other == cell(a, s)) {
                            free.swap_remove(t);
                            met += 1;
                        }
                    }
                    f64::from(met)
                };
                let scale = if pyramid.weights == Weights::Half { 1.0 } else { 3.0 };
                let (mut sum, mut before) = (0.0, 0.0);
                for level in 0..=levels {
                    sum += (met(level) - before) / 2_f64.powi(level as i32) / scale;
                    before = met(level);
                }
                sum
            }
        }
    }
}

fn some_sets() -> impl Strategy<Value = Vec<Vectors>> {
    let number = prop_oneof![4 => -3.0..3.0_f64, 1 => Just(0.0), 1 => Just(1.0)];
    let set = (0..6_usize).prop_flat_map(move |m| {
        (proptest::collection::vec(number.clone(), 3 * m), any::<bool>()).prop_map(
            move |(values, is_sparse)| {
                if !is_sparse {
                    return Vectors::dense(3, values);
                }
                let (mut start, mut index, mut kept) = (vec![0], Vec::new(), Vec::new());
                for row in values.chunks(3) {
                    for (k, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                        index.push(k as u32);
                        kept.push(value);
                    }
                    start.push(index.len());
                }
                Sparse::new(3, start, index, kept).into()
            },
        )
    });
    proptest::collection::vec(set, 1..9)
}

fn definite() -> impl Strategy<Value = SetExpr> {
    let weights = prop_oneof![Just(Weights::Half), Just(Weights::Dimension)];
    prop_oneof![
        definite_leaf().prop_map(set_mean),
        (0.3..2.0_f64, 1..5_u32, weights).prop_map(|(side, levels, weights)| {
            let (side, levels) = (Some(side), Some(levels));
            Expr::Leaf(SetLeaf::Pyramid(Pyramid { side, levels, weights, ..Pyramid::default() }))
        }),
    ]
}

fn expression() -> impl Strategy<Value = SetExpr> {
    let leaf = prop_oneof![
        4 => definite(),
        1 => definite_leaf().prop_map(best_match),
        1 => (0.0..3.0_f64).prop_map(Expr::Constant),
    ];
    grown(leaf)
}

/// Values that a test can compare: none has outgrown the numbers of single precision, or vanished among them.
fn moderate(kernel: &SetExpr, points: &Vec<Vectors>) -> bool {
    let fine = |k: f64| k == 0.0 || (k.is_finite() && (1e-30..1e9).contains(&k.abs()));
    laws::gram(kernel, points).into_iter().flatten().all(fine)
}

fn rows(kernel: &SetExpr, columns: &Vec<Vectors>, points: &Vec<Vectors>) -> Vec<Vec<f64>> {
    let bound = kernel.bind(columns).unwrap_or_else(|error| panic!("{kernel}: {error}"));
    let all: Vec<usize> = (0..points.len()).collect();
    let mut values = vec![vec![f64::NAN; columns.len()]; points.len()];
    bound.rows_f64(points, &all, &mut values.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    values
}

proptest! {
    #[test]
    fn expressions_follow_their_definition((k, columns, points) in (expression(), some_sets(), some_sets())) {
        prop_assume!(moderate(&k, &columns) && moderate(&k, &points));
        let found = rows(&k, &columns, &points);
        for i in 0..points.len() {
            for j in 0..columns.len() {
                let exact = value(&k, (&points, i), (&columns, j));
                prop_assert!((found[i][j] - exact).abs() <= 1e-10 * exact.abs().max(1.0), "{}: {} {}", k, found[i][j], exact);
            }
        }
    }

    #[test]
    fn expressions_pass_the_battery((k, x) in (expression(), some_sets())) {
        prop_assume!(moderate(&k, &x));
        prop_assert_eq!(battery(&k, &x), Ok(()), "{}", k);
        prop_assert_eq!(battery(&naive(k), &x), Ok(()));
    }

    #[test]
    fn the_laws_of_the_algebra_hold((a, b, c, s, x) in (definite(), definite(), definite(), 0.0..3.0_f64, some_sets())) {
        prop_assume!([&a, &b, &c].iter().all(|k| moderate(&(*k).clone().power(3), &x)));
        laws::rules(&a, &b, s, &x)?;
        laws::arithmetic((&a, &b, &c), s, &x)?;
        laws::unit_diagonal(&a, &x)?;
    }

    #[test]
    fn shifted_pyramids_are_kernels_of_the_seed((x, seed, shifts) in (some_sets(), 0..9_u32, 2..5_u32)) {
        let pyramid = |seed| Expr::Leaf(SetLeaf::Pyramid(Pyramid { side: Some(0.5), levels: Some(3), shifts, seed, ..Pyramid::default() }));
        prop_assert_eq!(battery(&pyramid(seed), &x), Ok(()));
        prop_assert_eq!(rows(&pyramid(seed), &x, &x), rows(&pyramid(seed), &x, &x));
        for (own, set) in pyramid(seed).bind(&x).unwrap().diagonal().iter().zip(&x) {
            prop_assert!((own - f64::from(shifts) * set.len() as f64).abs() <= 1e-12 * own.max(1.0));
        }
    }

    #[test]
    fn parsing_what_was_printed_gives_it_back(kernel in expression()) {
        prop_assert_eq!(kernel.to_string().parse::<SetExpr>().unwrap(), kernel);
    }
}

fn line(values: &[f64]) -> Vectors {
    Vectors::dense(1, values.to_vec())
}

#[test]
fn two_sets_on_a_line_worked_out_by_hand() {
    // Cells of side 1: {0.5} meets {0.9}; 2.2 and 3.1 meet in [2, 4); 7.5 meets nothing left but in the one cell of all.
    let sets = vec![line(&[0.5, 2.2, 7.5]), line(&[0.9, 3.1])];
    let k = rows(&pyramid(1.0, 3), &sets, &sets);
    for (found, exact) in k.iter().flatten().zip([3.0, 1.5, 1.5, 2.0]) {
        assert!((found - exact).abs() <= 1e-15, "{k:?}");
    }
    let k = rows(&pyramid(1.0, 3).normalized(), &sets, &sets);
    assert!((k[0][1] - 1.5 / 6_f64.sqrt()).abs() <= 1e-15);
    // The mean of the products, and the best of each.
    let sets = vec![line(&[1.0, 3.0]), line(&[2.0, 4.0])];
    assert_eq!(rows(&set_mean(linear()), &sets, &sets), [[4.0, 6.0], [6.0, 9.0]]);
    assert_eq!(
        rows(&best_match(linear()), &sets, &sets)[0][1],
        0.5 * ((4.0 + 12.0) / 2.0 + (6.0 + 12.0) / 2.0)
    );
}

#[test]
fn shifted_pyramids_are_added_up() {
    let sets: Vec<Vectors> = (0..5_usize)
        .map(|i| {
            Vectors::dense(3, (0..3 * (i + 1)).map(|k| ((7 * i + k) as f64).sin() * 4.0).collect::<Vec<_>>())
        })
        .collect();
    let one = Pyramid { side: Some(0.5), levels: Some(3), ..Pyramid::default() };
    let (shifts, seed) = (3, 11);
    let all = Expr::Leaf(SetLeaf::Pyramid(Pyramid { shifts, seed, ..one }));
    let found = rows(&all, &sets, &sets);
    // The definition without shifts, of the sets moved by each offset: none, then draws from 0 to the side of the one cell of all.
    let mut sums = vec![vec![0.0; sets.len()]; sets.len()];
    for turn in 0..shifts {
        let mut random = crate::data::SplitMix(u64::from(seed) << 32 | u64::from(turn));
        let offsets = [0; 3].map(|_| if turn == 0 { 0.0 } else { 0.5 * 8.0 * random.uniform() });
        let moved = |set: &Vectors| {
            let values = (0..set.len()).flat_map(|i| (0..3).map(move |k| set.row(i).get(k) + offsets[k]));
            Vectors::dense(3, values.collect::<Vec<_>>())
        };
        let moved: Vec<Vectors> = sets.iter().map(moved).collect();
        for (i, sums) in sums.iter_mut().enumerate() {
            for (j, sum) in sums.iter_mut().enumerate() {
                *sum += SetLeaf::Pyramid(one).value(&moved, i, &moved, j);
            }
        }
    }
    for (found, exact) in found.iter().flatten().zip(sums.iter().flatten()) {
        assert!((found - exact).abs() <= 1e-13 * exact, "{found} {exact}");
    }
    assert_ne!(found[0][1], 3.0 * SetLeaf::Pyramid(one).value(&sets, 0, &sets, 1));
}

#[test]
fn a_best_match_is_not_definite_and_a_witness_is_found() {
    assert_eq!(best_match(rbf(1.0)).definiteness(), Definiteness::Unknown);
    let pairs: Vec<Vectors> = [(0.0, 1.0), (1.0, 2.0), (0.0, 2.0), (3.0, 0.0), (1.0, 3.0), (2.0, 3.0)]
        .iter()
        .map(|&(a, b)| line(&[a, b]))
        .collect();
    let validity = check(&best_match(rbf(1.0)), &pairs, Limits::default()).unwrap();
    assert!(matches!(validity.verdict, Verdict::Indefinite), "{:?}", validity.verdict);
    let validity = check(&set_mean(rbf(1.0)), &pairs, Limits::default()).unwrap();
    assert_eq!(validity.verdict, Verdict::PositiveSemidefinite);
}

#[test]
fn an_empty_set_has_no_value_with_any() {
    let sets = vec![line(&[]), line(&[1.0])];
    for kernel in [set_mean(rbf(1.0)), best_match(rbf(1.0)), pyramid(1.0, 2)] {
        for kernel in [kernel.clone(), kernel.normalized()] {
            let k = rows(&kernel, &sets, &sets);
            assert_eq!((k[0][0], k[0][1], k[1][0]), (0.0, 0.0, 0.0), "{kernel}");
            assert!((k[1][1] - 1.0).abs() <= 1e-15, "{kernel}");
        }
    }
}

#[test]
fn sets_of_other_features_are_refused_by_number() {
    let sets = vec![Vectors::dense(2, vec![1.0, 2.0]), line(&[1.0])];
    for kernel in [set_mean(rbf(1.0)), pyramid(1.0, 2)] {
        let error = kernel.bind(&sets).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("set 2: 1 features where other sets have 2"));
    }
}

#[test]
fn text_of_kernels_is_parsed_and_refused_by_column() {
    for (text, canonical) in [
        ("set", "set(rbf(gamma=1))"),
        ("set( rbf(0.5) @ columns(1, 2) + 1 )", "set(rbf(gamma=0.5) @ columns(1, 2) + 1)"),
        ("2*bestmatch(linear)", "2*bestmatch(linear)"),
        ("pyramid(side=0.5)", "pyramid(side=0.5, levels=auto, shifts=1, seed=0, weights=half)"),
        ("pyramid(side=auto, levels=3)", "pyramid(side=auto, levels=3, shifts=1, seed=0, weights=half)"),
        ("normalized(set(exp(linear)*(linear + 1)^2))", "normalized(set(exp(linear)*(linear + 1)^2))"),
    ] {
        assert_eq!(text.parse::<SetExpr>().unwrap().to_string(), canonical);
    }
    let refused = assert_refused::<SetExpr>;
    refused("set(rbg(1))", 5, "did you mean rbf?");
    refused("1 + set(linear + rbf(gamma=0))", 28, "must be positive");
    refused("set(linear, linear)", 13, "takes one kernel on vectors");
    refused("set(linear", 4, "a '(' without its ')'");
    refused("pyramid(levels=0)", 16, "must lie in 1 to 60");
    refused("pyramid(side=0)", 14, "must be positive and finite");
    refused("pyramid(side=none)", 14, "'none' is not a number");
    refused("spectrum(2)", 1, "known: set, bestmatch, pyramid");
    refused("set(set(linear))", 5, "unknown kernel 'set'");
    let paths: Vec<_> = "set(2*rbf) + pyramid(side=1) + pyramid"
        .parse::<SetExpr>()
        .unwrap()
        .parameters()
        .into_iter()
        .map(|p| p.path)
        .collect();
    assert_eq!(paths, ["0.set.0.constant", "0.set.1.rbf.gamma", "1.pyramid.side"]);
}

/// The largest difference of two rows along a feature.
fn apart(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn found(kernel: &SetExpr, sets: &Vec<Vectors>) -> (f64, u32) {
    match kernel.settled(sets).unwrap() {
        Expr::Leaf(SetLeaf::Pyramid(Pyramid { side: Some(side), levels: Some(levels), .. })) => {
            (side, levels)
        }
        other => panic!("{other} is open"),
    }
}

proptest! {
    #[test]
    fn open_grids_part_what_differs_and_cover_the_data((sets, scale) in (some_sets(), -40..40_i32)) {
        let rows: Vec<Vec<f64>> = sets
            .iter()
            .flat_map(|set| (0..set.len()).map(|i| (0..3).map(|k| set.row(i).get(k)).collect()))
            .collect();
        let pairs = rows.iter().flat_map(|x| rows.iter().map(|y| apart(x, y)));
        let smallest = pairs.clone().filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min);
        let largest = pairs.fold(0.0, f64::max);
        let (side, levels) = found(&pyramid(None, None), &sets);
        let top = side * 2_f64.powi(levels as i32);
        prop_assert_eq!(side.log2().fract(), 0.0);
        prop_assert!(side <= smallest && (2.0 * side > smallest || smallest.is_infinite()), "{} {}", side, smallest);
        prop_assert!(top >= largest && (top / 2.0 < largest || levels == 1), "{} {}", top, largest);
        // Given levels: the side is the smallest power of two that covers the data with them.
        let (side, levels) = found(&pyramid(None, 4), &sets);
        prop_assert_eq!(levels, 4);
        prop_assert!(largest == 0.0 || (16.0 * side >= largest && 8.0 * side < largest), "{} {}", side, largest);
        // A given side stays; another unit of length by a power of two scales the side alone.
        prop_assert_eq!(found(&pyramid(0.3, None), &sets).0, 0.3);
        if largest > 0.0 {
            let factor = 2_f64.powi(scale);
            let scaled: Vec<Vectors> = sets
                .iter()
                .map(|set| Vectors::dense(3, (0..set.len()).flat_map(|i| (0..3).map(move |k| (i, k)))
                    .map(|(i, k)| factor * set.row(i).get(k)).collect::<Vec<f64>>()))
                .collect();
            let (was, now) = (found(&pyramid(None, None), &sets), found(&pyramid(None, None), &scaled));
            prop_assert_eq!((was.0 * factor, was.1), now);
        }
    }
}

#[test]
fn open_grids_of_one_vector_or_none_are_the_unit_grid() {
    for sets in [vec![], vec![line(&[])], vec![line(&[3.0, 3.0]), line(&[3.0])]] {
        assert_eq!(found(&pyramid(None, None), &sets), (1.0, 1));
    }
    // Numbers that no 60 levels span: the coarsest cells cover them all the same.
    let (side, levels) = found(&pyramid(None, None), &vec![line(&[0.0, 1e-300, 1e300])]);
    assert_eq!(levels, 60);
    assert!(side * 60_f64.exp2() >= 1e300 && side * 59_f64.exp2() < 1e300);
    let error = pyramid(None, None).settled(&vec![line(&[1.0]), line(&[0.0, f64::NAN])]).unwrap_err();
    assert_eq!(error.to_string(), "row 2, column 1: not a finite number");
}

#[test]
fn an_open_pyramid_has_no_values_before_it_is_settled() {
    let kernel = pyramid(None, None).normalized();
    assert!(kernel.reference().is_err() && pyramid(1.0, 3).reference().is_ok());
    let sets = vec![line(&[0.5, 2.25]), line(&[1.0, 2.5]), line(&[7.5]), line(&[6.25, 7.75])];
    let error = kernel.bind(&sets).err().map(|error| error.to_string()).unwrap();
    assert!(error.contains("before side and levels are found from data"), "{error}");
    // The nearest are 2.25 and 2.5, 7.5 and 7.75; the extent is 7.25 <= 8 = 2^5/4.
    let text = "normalized(pyramid(side=0.25, levels=5, shifts=1, seed=0, weights=half))";
    assert_eq!(kernel.settled(&sets).unwrap().to_string(), text);
}
