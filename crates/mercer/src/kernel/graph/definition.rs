//! The kernels on graphs by their definitions, which share no code with the fast ones: strings for refined labels, Floyd and
//! Warshall for paths, all sets of nodes for graphlets, the product graph for walks.

use super::propagation::Cells;
use super::*;
use crate::data::Graph;
use crate::kernel::arbitrary::Definition;

fn joined(graph: &Graph, a: usize, b: usize) -> bool {
    graph.neighbours(a).contains(&(b as u32))
}

fn edge_label(graph: &Graph, a: usize, b: usize) -> Option<String> {
    let at = graph.neighbours(a).iter().position(|&other| other as usize == b)?;
    graph.edge_labels(a).nth(at).filter(|label| !label.is_empty()).map(str::to_owned)
}

pub(super) fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |b| (0..b).map(move |a| (a, b)))
}

/// Σ [x = y] over two lists.
fn matches<T: PartialEq>(x: &[T], y: &[T]) -> f64 {
    x.iter().map(|a| y.iter().filter(|b| a == *b).count() as f64).sum()
}

fn sorted<T: Ord>(a: T, b: T) -> (T, T) {
    if a <= b { (a, b) } else { (b, a) }
}

fn own_labels(graph: &Graph) -> Vec<String> {
    (0..graph.nodes()).map(|node| format!("{:?}", graph.label(node).unwrap_or(""))).collect()
}

fn refined(graph: &Graph, labels: &[String]) -> Vec<String> {
    let of = |node: usize| {
        let mut around: Vec<&str> =
            graph.neighbours(node).iter().map(|&other| &*labels[other as usize]).collect();
        around.sort_unstable();
        format!("({}|{})", labels[node], around.join(","))
    };
    (0..graph.nodes()).map(of).collect()
}

fn distances(graph: &Graph) -> Vec<Vec<Option<u32>>> {
    let n = graph.nodes();
    let direct = |a: usize, b: usize| if a == b { Some(0) } else { joined(graph, a, b).then_some(1) };
    let mut d: Vec<Vec<Option<u32>>> = (0..n).map(|a| (0..n).map(|b| direct(a, b)).collect()).collect();
    for c in 0..n {
        for a in 0..n {
            for b in 0..n {
                if let (Some(x), Some(y)) = (d[a][c], d[c][b])
                    && d[a][b].is_none_or(|known| x + y < known)
                {
                    d[a][b] = Some(x + y);
                }
            }
        }
    }
    d
}

/// The labels at the ends of each shortest path, and its length.
fn paths(graph: &Graph, labels: &[String]) -> Vec<((String, String), u32)> {
    let d = distances(graph);
    let path = |(a, b): (usize, usize)| Some((sorted(labels[a].clone(), labels[b].clone()), d[a][b]?));
    pairs(graph.nodes()).filter_map(path).collect()
}

fn edge_ends(graph: &Graph, labels: &[String]) -> Vec<(String, String)> {
    let edges = pairs(graph.nodes()).filter(|&(a, b)| joined(graph, a, b));
    edges.map(|(a, b)| sorted(labels[a].clone(), labels[b].clone())).collect()
}

/// The adjacency matrices of the connected sets of `k` nodes.
fn subgraphs(graph: &Graph, k: usize) -> Vec<Vec<Vec<bool>>> {
    let sets = (0..1_usize << graph.nodes()).filter(|set| set.count_ones() as usize == k);
    let matrix = |set: usize| {
        let nodes: Vec<usize> = (0..graph.nodes()).filter(|node| set >> node & 1 == 1).collect();
        nodes.iter().map(|&a| nodes.iter().map(|&b| joined(graph, a, b)).collect()).collect()
    };
    let connected = |m: &Vec<Vec<bool>>| {
        let mut seen = vec![0];
        for _ in 0..k {
            let new: Vec<usize> =
                (0..k).filter(|b| seen.iter().any(|&a: &usize| m[a][*b]) && !seen.contains(b)).collect();
            seen.extend(new);
        }
        seen.len() == k
    };
    sets.map(matrix).filter(connected).collect()
}

fn isomorphic(x: &[Vec<bool>], y: &[Vec<bool>], order: &mut Vec<usize>) -> bool {
    let k = x.len();
    if order.len() == k {
        return (0..k).all(|a| (0..k).all(|b| x[a][b] == y[order[a]][order[b]]));
    }
    (0..k).any(|next| {
        !order.contains(&next) && {
            order.push(next);
            let found = isomorphic(x, y, order);
            order.pop();
            found
        }
    })
}

/// 1ᵀ(I − λW)⁻¹1 by elimination, or 1ᵀexp(λW)1 by the series, W written out.
fn walks(x: &Graph, y: &Graph, lambda: f64, kind: WalkKind, labels: WalkLabels) -> f64 {
    let nodes_count = matches!(labels, WalkLabels::Nodes | WalkLabels::Both);
    let edges_count = matches!(labels, WalkLabels::Edges | WalkLabels::Both);
    let all = (0..x.nodes()).flat_map(|a| (0..y.nodes()).map(move |b| (a, b)));
    let nodes: Vec<(usize, usize)> = all.filter(|&(a, b)| !nodes_count || x.label(a) == y.label(b)).collect();
    let entry = |&(a, b): &(usize, usize), &(c, d): &(usize, usize)| {
        let edge = joined(x, a, c) && joined(y, b, d);
        let same = !edges_count || edge_label(x, a, c) == edge_label(y, b, d);
        f64::from(u8::from(edge && same))
    };
    let w: Vec<Vec<f64>> =
        nodes.iter().map(|p| nodes.iter().map(|q| lambda * entry(p, q)).collect()).collect();
    let n = nodes.len();
    match kind {
        WalkKind::Geometric => {
            let mut rows: Vec<Vec<f64>> = (0..n)
                .map(|i| (0..n).map(|j| f64::from(u8::from(i == j)) - w[i][j]).chain([1.0]).collect())
                .collect();
            for c in 0..n {
                for r in (0..n).filter(|&r| r != c) {
                    let factor = rows[r][c] / rows[c][c];
                    let pivot = rows[c].clone();
                    rows[r].iter_mut().zip(&pivot).for_each(|(value, p)| *value -= factor * p);
                }
            }
            (0..n).map(|i| rows[i][n] / rows[i][i]).sum()
        }
        WalkKind::Exponential => {
            let (mut term, mut sum) = (vec![1.0; n], n as f64);
            for l in 1..200 {
                term = w
                    .iter()
                    .map(|row| row.iter().zip(&term).map(|(a, b)| a * b).sum::<f64>() / f64::from(l))
                    .collect();
                sum += term.iter().sum::<f64>();
            }
            sum
        }
    }
}

/// The label and cell of each node, in each round.
fn cells(graph: &Graph, h: u32, width: f64, seed: u32) -> Vec<(u32, String, f64)> {
    let (n, columns) = (graph.nodes(), graph.attributes().columns());
    let mut values: Vec<Vec<f64>> =
        (0..n).map(|a| (0..columns).map(|k| graph.attributes().row(a)[k]).collect()).collect();
    let mut found = Vec::new();
    for round in 0..=h {
        let (offset, direction) = Cells { rounds: h, width, seed }.cut(round, columns);
        for (label, row) in own_labels(graph).into_iter().zip(&values) {
            let along: f64 = (0..columns).map(|k| row[k] * direction[k]).sum();
            found.push((round, label, ((along + offset) / width).floor()));
        }
        let mean = |a: usize, k: usize| {
            let around: Vec<f64> = (0..n).filter(|&b| joined(graph, a, b)).map(|b| values[b][k]).collect();
            if around.is_empty() { values[a][k] } else { around.iter().sum::<f64>() / around.len() as f64 }
        };
        values = (0..n).map(|a| (0..columns).map(|k| mean(a, k)).collect()).collect();
    }
    found
}

impl Definition for GraphLeaf {
    fn value(&self, x: &Vec<Graph>, i: usize, y: &Vec<Graph>, j: usize) -> f64 {
        let (x, y) = (&x[i], &y[j]);
        match *self {
            Self::Vertices => matches(&own_labels(x), &own_labels(y)),
            Self::Edges => {
                let edges = |graph: &Graph| -> Vec<_> {
                    let own = own_labels(graph);
                    let all = pairs(graph.nodes()).filter(|&(a, b)| joined(graph, a, b));
                    let kind = |(a, b): (usize, usize)| {
                        (sorted(own[a].clone(), own[b].clone()), edge_label(graph, a, b))
                    };
                    all.map(kind).collect()
                };
                matches(&edges(x), &edges(y))
            }
            Self::Wl { h, base } => {
                let (mut xl, mut yl) = (own_labels(x), own_labels(y));
                let mut sum = 0.0;
                for round in 0..=h {
                    if round > 0 {
                        (xl, yl) = (refined(x, &xl), refined(y, &yl));
                    }
                    sum += match base {
                        WlBase::Subtree => matches(&xl, &yl),
                        WlBase::Edge => matches(&edge_ends(x, &xl), &edge_ends(y, &yl)),
                        WlBase::Path => matches(&paths(x, &xl), &paths(y, &yl)),
                    };
                }
                sum
            }
            Self::Path { lengths, c } => {
                let alike = |d: u32, e: u32| match lengths {
                    PathLengths::Delta => f64::from(u8::from(d == e)),
                    PathLengths::Brownian => f64::from(c.saturating_sub(d.abs_diff(e))),
                };
                let (xs, ys) = (paths(x, &own_labels(x)), paths(y, &own_labels(y)));
                let same = |(p, d): &(_, u32)| {
                    ys.iter().filter(|(q, _)| p == q).map(|(_, e)| alike(*d, *e)).sum::<f64>()
                };
                xs.iter().map(same).sum()
            }
            Self::Graphlet { k, .. } => {
                let (xs, ys) = (subgraphs(x, k as usize), subgraphs(y, k as usize));
                let same = |s: &Vec<Vec<bool>>| {
                    ys.iter().filter(|t| isomorphic(s, t, &mut Vec::new())).count() as f64
                };
                xs.iter().map(same).sum()
            }
            Self::Walk { lambda, kind, labels } => walks(x, y, lambda, kind, labels),
            Self::Propagation { h, width, seed } => {
                matches(&cells(x, h, width, seed), &cells(y, h, width, seed))
            }
        }
    }
}
