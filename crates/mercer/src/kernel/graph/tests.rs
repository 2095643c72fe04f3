//! Graphs against their definitions, and what is known of them by hand.

use std::sync::Arc;

use proptest::prelude::*;

use super::definition::pairs;
use super::*;
use crate::data::{Dense, Graph, GraphParts};
use crate::kernel::arbitrary::{assert_refused, grown, naive, value};
use crate::kernel::{Definiteness, Expr, Kernel, Leaf, Limits, Verdict, battery, check, laws};

fn rows(kernel: &GraphExpr, columns: &Vec<Graph>, points: &Vec<Graph>) -> (Vec<Vec<f64>>, Vec<Vec<f32>>) {
    let bound = kernel.bind(columns).unwrap_or_else(|error| panic!("{kernel}: {error}"));
    let all: Vec<usize> = (0..points.len()).collect();
    let mut double = vec![vec![f64::NAN; columns.len()]; points.len()];
    let mut single = vec![vec![f32::NAN; columns.len()]; points.len()];
    bound.rows_f64(points, &all, &mut double.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    bound.rows(points, &all, &mut single.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    (double, single)
}

fn texts(labels: &[&str]) -> Option<Vec<Arc<str>>> {
    Some(labels.iter().map(|&label| label.into()).collect())
}

fn plain(nodes: usize, edges: &[(usize, usize)]) -> Graph {
    Graph::new(GraphParts { nodes, edges: edges.to_vec(), ..GraphParts::default() }).unwrap()
}

fn labelled(labels: &[&str], edges: &[(usize, usize)]) -> Graph {
    let parts = GraphParts {
        nodes: labels.len(),
        edges: edges.to_vec(),
        labels: texts(labels),
        ..GraphParts::default()
    };
    Graph::new(parts).unwrap()
}

fn cycle(n: usize) -> Graph {
    plain(n, &(0..n).map(|a| (a, (a + 1) % n)).collect::<Vec<_>>())
}

/// Up to six nodes with few labels, so that parts meet; one graph in four has no labels of nodes, or of edges.
fn graph_parts() -> impl Strategy<Value = GraphParts> {
    (0..7_usize).prop_flat_map(|nodes| {
        let possible: Vec<(usize, usize)> = pairs(nodes).collect();
        let choices = proptest::collection::vec(proptest::bool::weighted(0.45), possible.len());
        let labels = proptest::collection::vec(prop_oneof![Just("C"), Just("N")], nodes);
        let edge_labels =
            proptest::collection::vec(prop_oneof![3 => Just("s"), 1 => Just("d")], possible.len());
        let attributes = proptest::collection::vec(-2.0..2.0_f64, 2 * nodes);
        (choices, labels, edge_labels, attributes, 0..16_u32).prop_map(
            move |(chosen, labels, edge_labels, attributes, with)| {
                let kept = possible.iter().zip(&edge_labels).zip(&chosen).filter(|(_, chosen)| **chosen);
                let (edges, edge_labels): (Vec<_>, Vec<_>) =
                    kept.map(|((&edge, &label), _)| (edge, Arc::from(label))).unzip();
                GraphParts {
                    nodes,
                    edges,
                    labels: (with % 4 > 0).then(|| labels.into_iter().map(Arc::from).collect()),
                    edge_labels: (with / 4 > 0).then_some(edge_labels),
                    attributes: Some(Dense::new(2, attributes)),
                }
            },
        )
    })
}

fn graphs() -> impl Strategy<Value = Vec<Graph>> {
    proptest::collection::vec(graph_parts().prop_map(|parts| Graph::new(parts).unwrap()), 1..8)
}

/// Kernels whose values are whole numbers.
fn counting() -> impl Strategy<Value = GraphExpr> {
    let base = prop_oneof![Just(WlBase::Subtree), Just(WlBase::Edge), Just(WlBase::Path)];
    prop_oneof![
        Just(vertices()),
        Just(edges()),
        (base, 0..4_u32).prop_map(|(base, h)| wl_over(base, h)),
        Just(path()),
        (1..5_u32).prop_map(path_within),
        (3..6_u32).prop_map(graphlet),
        (0..3_u32, 0.3..3.0_f64).prop_map(|(h, width)| propagation(h, width)),
    ]
}

/// λ below 1/25, the limit of a graph with six nodes.
fn walking() -> impl Strategy<Value = GraphExpr> {
    let kind = prop_oneof![Just(WalkKind::Geometric), Just(WalkKind::Exponential)];
    let labels = prop_oneof![
        Just(WalkLabels::No),
        Just(WalkLabels::Nodes),
        Just(WalkLabels::Edges),
        Just(WalkLabels::Both)
    ];
    (0.001..0.038_f64, kind, labels).prop_map(|(lambda, kind, labels)| walk(lambda, kind, labels))
}

fn leaf() -> impl Strategy<Value = GraphExpr> {
    prop_oneof![3 => counting(), 1 => walking()]
}

fn expression() -> impl Strategy<Value = GraphExpr> {
    grown(prop_oneof![4 => leaf(), 1 => (0.0..3.0_f64).prop_map(Expr::Constant)])
}

/// Values that a test can compare: no power of a power has outgrown the numbers.
fn moderate(kernel: &GraphExpr, points: &Vec<Graph>) -> bool {
    laws::gram(kernel, points).into_iter().flatten().all(|k| k.is_finite() && k.abs() < 1e12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn parts_are_counted_exactly((k, columns, points) in (counting(), graphs(), graphs())) {
        let (double, single) = rows(&k, &columns, &points);
        for i in 0..points.len() {
            for j in 0..columns.len() {
                let exact = value(&k, (&points, i), (&columns, j));
                prop_assert_eq!(double[i][j], exact, "{}", k);
                prop_assert_eq!(f64::from(single[i][j]), exact);
            }
        }
    }

    #[test]
    fn walks_are_those_of_the_product_graph((k, columns, points) in (walking(), graphs(), graphs())) {
        let (double, single) = rows(&k, &columns, &points);
        for i in 0..points.len() {
            for j in 0..columns.len() {
                let exact = value(&k, (&points, i), (&columns, j));
                // The weights of eigenvectors are right to 1e-15 of the number of pairs, at most 36, and 1/(1 − λρρ') ≤ 20.
                prop_assert!((double[i][j] - exact).abs() <= 1e-11 * exact.max(1.0), "{}: {} {}", k, double[i][j], exact);
                prop_assert!((f64::from(single[i][j]) - exact).abs() <= 1e-6 * exact.max(1.0));
            }
        }
    }

    #[test]
    fn expressions_follow_their_definition((k, columns, points) in (expression(), graphs(), graphs())) {
        prop_assume!(moderate(&k, &columns) && moderate(&k, &points));
        let (double, _) = rows(&k, &columns, &points);
        for i in 0..points.len() {
            for j in 0..columns.len() {
                let exact = value(&k, (&points, i), (&columns, j));
                let scale = exact.abs().max(1.0);
                prop_assert!((double[i][j] - exact).abs() <= 1e-9 * scale, "{}: {} {}", k, double[i][j], exact);
            }
        }
    }

    #[test]
    fn expressions_pass_the_battery((k, x) in (expression(), graphs())) {
        prop_assume!(moderate(&k, &x));
        prop_assert_eq!(battery(&k, &x), Ok(()), "{}", k);
        prop_assert_eq!(battery(&naive(k), &x), Ok(()));
    }

    #[test]
    fn the_laws_of_the_algebra_hold((a, b, c, s, x) in (leaf(), leaf(), leaf(), 0.0..3.0_f64, graphs())) {
        laws::rules(&a, &b, s, &x)?;
        laws::arithmetic((&a, &b, &c), s, &x)?;
        laws::symmetry(&(a.clone() + s * b.normalized()), &x)?;
        laws::unit_diagonal(&a, &x)?;
    }

    #[test]
    fn the_order_of_nodes_changes_nothing((k, parts, x, shift) in (leaf(), graph_parts(), graphs(), 1..7_usize)) {
        let n = parts.nodes;
        let place = |node: usize| (node * 5 + shift) % n.max(1);
        prop_assume!(n != 5);
        let mut moved = parts.clone();
        moved.edges = parts.edges.iter().map(|&(a, b)| (place(b), place(a))).collect();
        for node in 0..n {
            if let (Some(new), Some(old)) = (&mut moved.labels, &parts.labels) {
                new[place(node)] = old[node].clone();
            }
        }
        let old = parts.attributes.as_ref().unwrap();
        let mut values = old.values().to_vec();
        (0..n).for_each(|node| values[2 * place(node)..][..2].copy_from_slice(old.row(node)));
        moved.attributes = Some(Dense::new(2, values));
        let (double, _) = rows(&k, &x, &vec![Graph::new(parts).unwrap(), Graph::new(moved).unwrap()]);
        for (one, other) in double[0].iter().zip(&double[1]) {
            prop_assert!((one - other).abs() <= 1e-11 * one.abs(), "{}: {} {}", k, one, other);
        }
    }

    #[test]
    fn parsing_what_was_printed_gives_it_back(kernel in expression()) {
        prop_assert_eq!(kernel.to_string().parse::<GraphExpr>().unwrap(), kernel);
    }
}

#[test]
fn two_triangles_worked_out_by_hand() {
    let triangle = [(0, 1), (1, 2), (2, 0)];
    let points = vec![labelled(&["C", "C", "C"], &triangle), labelled(&["C", "C", "N"], &triangle)];
    for (kernel, expected) in [
        (vertices(), [[9.0, 6.0], [6.0, 5.0]]),
        (edges(), [[9.0, 3.0], [3.0, 5.0]]),
        // Round 1: C|CC three times; C|CN twice and N|CC once.
        (wl(1), [[18.0, 6.0], [6.0, 10.0]]),
        (path(), [[9.0, 3.0], [3.0, 5.0]]),
        (graphlet(3), [[1.0, 1.0], [1.0, 1.0]]),
        (graphlet(4), [[0.0; 2]; 2]),
    ] {
        assert_eq!(rows(&kernel, &points, &points).0, expected, "{kernel}");
    }
    // ρ = 2 with the vector of ones: 9/(1 − 4λ) and 9·exp(4λ).
    let geometric = walk(0.1, WalkKind::Geometric, WalkLabels::No);
    assert!((rows(&geometric, &points, &points).0[0][1] - 15.0).abs() <= 1e-12);
    let exponential = walk(0.1, WalkKind::Exponential, WalkLabels::No);
    assert!((rows(&exponential, &points, &points).0[0][1] - 9.0 * 0.4_f64.exp()).abs() <= 1e-12);
}

#[test]
fn labels_that_no_column_has_count_in_the_norm_only() {
    let columns = vec![labelled(&["C", "C"], &[(0, 1)])];
    // X and Y are told apart: 1² + 1² in round 0, not 2².
    let points = vec![labelled(&["X", "Y"], &[]), labelled(&["C", "X"], &[(0, 1)]), columns[0].clone()];
    let (double, _) = rows(&wl(1), &columns, &points);
    assert_eq!(double, [[0.0], [2.0], [8.0]]);
    let own = wl(1).bind(&columns).unwrap().own(&points, &[0, 1, 2]);
    assert_eq!(own, Some(vec![4.0, 4.0, 8.0]));
    let (normalized, _) = rows(&wl(1).normalized(), &columns, &points);
    assert!((normalized[1][0] - 2.0 / 32_f64.sqrt()).abs() <= 1e-15);
    assert!((normalized[2][0] - 1.0).abs() <= 1e-15);
    let walks = walk(0.1, WalkKind::Geometric, WalkLabels::Nodes);
    let (double, _) = rows(&walks, &columns, &points);
    assert_eq!((double[0][0], double[1][0]), (0.0, 2.0));
}

#[test]
fn a_graph_without_nodes_has_zeros_with_all_graphs() {
    let points = vec![plain(0, &[]), cycle(5)];
    for listed in GraphLeaf::list() {
        let kernel: GraphExpr = listed.text.parse().unwrap();
        for kernel in [kernel.clone(), kernel.normalized()] {
            let (double, _) = rows(&kernel, &points, &points);
            assert_eq!((double[0][0], double[0][1], double[1][0]), (0.0, 0.0, 0.0), "{kernel}");
            assert!(double[1][1].is_finite());
        }
    }
}

#[test]
fn no_label_matches_no_label_whatever_else_has_one() {
    let with = |edge_labels: Option<Vec<Arc<str>>>| {
        let edges = vec![(0, 1), (1, 2)];
        Graph::new(GraphParts { nodes: 3, edges, edge_labels, ..GraphParts::default() }).unwrap()
    };
    let points = vec![with(None), with(texts(&["", "double"])), with(texts(&["", ""]))];
    assert_eq!(points[0], points[2]);
    let (double, _) = rows(&edges(), &points, &points);
    // Two edges without a label, and one.
    assert_eq!((double[0][0], double[0][1], double[1][1]), (4.0, 2.0, 2.0));
    let kernel = walk(0.1, WalkKind::Geometric, WalkLabels::Edges);
    let (double, _) = rows(&kernel, &points, &points);
    assert!((double[0][1] - value(&kernel, (&points, 0), (&points, 1))).abs() <= 1e-12);
    // Nodes likewise, and a label that no column has is not taken for none.
    let nodes = vec![labelled(&["", "C"], &[]), plain(2, &[]), labelled(&["N", "C"], &[])];
    let (double, _) = rows(&vertices(), &vec![nodes[1].clone()], &nodes);
    assert_eq!(double.concat(), [2.0, 4.0, 0.0]);
}

#[test]
fn walks_of_a_graph_too_large_are_refused_by_its_number() {
    const NODES: usize = 1 << 18;
    let pairs: Vec<(usize, usize)> = (0..NODES / 2).map(|k| (2 * k, 2 * k + 1)).collect();
    let (small, large, alone) = (cycle(3), plain(NODES, &pairs), plain(NODES, &[]));
    // 32·2³⁶ bytes.
    let message = "graph 2: random walks need 2097152 MB for its nodes, squared, and there are ";
    let kernel = |labels| walk(0.1, WalkKind::Geometric, labels);
    for (labels, graph) in
        [(WalkLabels::No, &large), (WalkLabels::Nodes, &large), (WalkLabels::Nodes, &alone)]
    {
        let kernel = kernel(labels);
        let error = kernel.bind(&vec![small.clone(), graph.clone()]).err().unwrap().to_string();
        assert!(error.starts_with(message), "{error}");
        let bound = kernel.normalized().bind(&vec![small.clone()]).unwrap();
        let error = bound.admits(&vec![small.clone(), graph.clone()]).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    // A node without neighbours takes no part: every pair of nodes is a walk of length 0.
    let diagonal = kernel(WalkLabels::No).bind(&vec![alone]).unwrap().diagonal();
    assert_eq!(diagonal, [(NODES * NODES) as f64]);
}

#[test]
fn walks_without_a_sum_are_refused_by_graph() {
    // ρ of a cycle is 2, of the complete graph with four nodes 3.
    let complete = plain(4, &pairs(4).collect::<Vec<_>>());
    let kernel = walk(0.12, WalkKind::Geometric, WalkLabels::No);
    let error = kernel.bind(&vec![cycle(5), complete.clone()]).err().unwrap().to_string();
    assert!(error.starts_with("lambda = 0.12: must be below 1/ρ² = 0.11"), "{error}");
    assert!(error.contains("graph 2"), "{error}");
    for labels in [WalkLabels::No, WalkLabels::Nodes] {
        assert!(walk(0.25, WalkKind::Geometric, labels).bind(&vec![cycle(6)]).is_err());
        assert!(walk(0.24, WalkKind::Geometric, labels).bind(&vec![cycle(6)]).is_ok());
        assert!(walk(2.0, WalkKind::Exponential, labels).bind(&vec![cycle(6)]).is_ok());
        // A later graph: 0.2·2·3 ≥ 1 has no sum, and no value that is not a number.
        let kernel = walk(0.2, WalkKind::Geometric, labels);
        let (double, _) = rows(&kernel, &vec![cycle(5)], &vec![complete.clone(), cycle(3)]);
        assert_eq!(double[0][0], f64::INFINITY);
        assert!((double[1][0] - 15.0 / (1.0 - 0.8)).abs() <= 1e-10);
    }
}

#[test]
fn samples_of_graphlets_come_near_the_counts() {
    let sampled = |samples, seed| Expr::Leaf(GraphLeaf::Graphlet { k: 4, samples, seed });
    let edges: Vec<(usize, usize)> = pairs(30).filter(|(a, b)| (a * 7 + b * 11) % 5 < 2).collect();
    let points = vec![plain(30, &edges), cycle(30), cycle(4)];
    let (exact, _) = rows(&graphlet(4), &points, &points);
    let (first, _) = rows(&sampled(20_000, 1), &points, &points);
    let (second, _) = rows(&sampled(20_000, 2), &points, &points);
    // a = 7: ε = √(2 (7 ln 2 + ln 1000)/20000) < 0.035, and N = 27405.
    let norm = |k: f64| k.sqrt();
    assert!((norm(first[0][0]) - norm(exact[0][0])).abs() <= 0.035 * 27_405.0);
    assert_ne!(first, second);
    assert_eq!(first, rows(&sampled(20_000, 1), &points, &points).0);
    // One set of four nodes is no more than the samples: counted exactly.
    assert_eq!(first[2][2], 1.0);
}

#[test]
fn text_of_kernels_is_parsed_and_refused_by_column() {
    for (text, canonical) in [
        ("vertices", "vertices"),
        ("wl", "wl(h=5, base=subtree)"),
        ("wl(h=2, base=path)", "wl(h=2, base=path)"),
        ("path", "path(lengths=delta, c=3)"),
        ("path(lengths=brownian, c=4)", "path(lengths=brownian, c=4)"),
        ("graphlet(k=5)", "graphlet(k=5, samples=0, seed=0)"),
        ("walk(labels=both)", "walk(lambda=0.01, kind=geometric, labels=both)"),
        ("propagation(width=0.5)", "propagation(h=3, width=0.5, seed=0)"),
        ("0.5*edges + normalized(wl(h=1))", "0.5*edges + normalized(wl(h=1, base=subtree))"),
    ] {
        assert_eq!(text.parse::<GraphExpr>().unwrap().to_string(), canonical);
    }
    let refused = assert_refused::<GraphExpr>;
    refused("wl(h=101)", 6, "h = 101: must lie in 0 to 100");
    refused("wl(h=-1)", 6, "not a whole number");
    refused("wl(base=tree)", 9, "subtree, edge, path");
    refused("graphlet(k=6)", 12, "must lie in 3 to 5");
    refused("path(c=0)", 8, "must lie in 1 to 100");
    refused("walk(lambda=0)", 13, "must be positive and finite");
    refused("propagation(width=-1)", 19, "must be positive and finite");
    refused("vertices(3)", 10, "vertices takes no parameters");
    refused("graphlets", 1, "did you mean graphlet?");
    assert_eq!(wl(101).definiteness(), Definiteness::Unknown);
    assert!(wl(101).bind(&vec![cycle(3)]).is_err());
    assert!((walk(0.1, WalkKind::Geometric, WalkLabels::No) + 1.0).parameters()[0].path.ends_with("lambda"));
}

#[test]
fn the_check_on_data_works_on_graphs() {
    let points: Vec<Graph> = (3..9).map(cycle).collect();
    let validity = check(&wl(2).normalized(), &points, Limits::default()).unwrap();
    assert_eq!(validity.verdict, Verdict::PositiveSemidefinite);
}
