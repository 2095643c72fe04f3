//! Level lines of a function on a grid, by marching squares.

use mercer::data::Vectors;

/// A point of the plane.
pub(crate) type Point = [f64; 2];

/// Stands for "below every level" around the grid.
const BELOW: f64 = -1e300;

/// A function sampled at the nodes of a regular grid.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    columns: usize,
    rows: usize,
    origin: Point,
    step: Point,
    values: Vec<f64>,
}

/// A level line, from end to end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) points: Vec<Point>,
    /// Whether the last point joins the first.
    pub(crate) closed: bool,
}

impl Grid {
    /// `columns` nodes along x from one corner to the other, and as many along y as make cells square, without values. At
    /// least two each way.
    pub(crate) fn square(columns: usize, low: Point, high: Point) -> Self {
        let cell = (high[0] - low[0]) / (columns - 1) as f64;
        let rows = (((high[1] - low[1]) / cell).ceil() as usize + 1).max(2);
        let step = [cell, (high[1] - low[1]) / (rows - 1) as f64];
        Self { columns, rows, origin: low, step, values: Vec::new() }
    }

    /// As many nodes each way, from one corner to the other, where both axes have scales of their own. At least two.
    pub(crate) fn stretched(count: usize, low: Point, high: Point) -> Self {
        let step = [0, 1].map(|k| (high[k] - low[k]) / (count - 1) as f64);
        Self { columns: count, rows: count, origin: low, step, values: Vec::new() }
    }

    /// The nodes, row after row.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Point> {
        (0..self.rows * self.columns).map(|at| self.node(at))
    }

    /// The nodes as points, row after row.
    pub(crate) fn points(&self) -> Vectors {
        Vectors::dense(2, self.nodes().flatten().collect::<Vec<f64>>())
    }

    /// The grid with the value of each node, row after row.
    pub(crate) fn with(&self, values: Vec<f64>) -> Self {
        Self { values, ..*self }
    }

    fn node(&self, at: usize) -> Point {
        let (i, j) = (at % self.columns, at / self.columns);
        [self.origin[0] + self.step[0] * i as f64, self.origin[1] + self.step[1] * j as f64]
    }

    /// The lines on which the function has this value.
    pub(crate) fn lines(&self, level: f64) -> Vec<Line> {
        Tracer::new(self, level).lines()
    }

    /// The edges of the region in which the function exceeds this value; all are closed, along the border of the
    /// grid where the region reaches it.
    pub(crate) fn region(&self, level: f64) -> Vec<Line> {
        self.padded().lines(level)
    }

    /// This grid in a frame of nodes below every level. Crossings with the frame come to lie on the border.
    fn padded(&self) -> Self {
        let (columns, rows) = (self.columns + 2, self.rows + 2);
        let mut values = vec![BELOW; columns * rows];
        for j in 0..self.rows {
            let row = &self.values[j * self.columns..(j + 1) * self.columns];
            values[(j + 1) * columns + 1..][..self.columns].copy_from_slice(row);
        }
        let origin = [self.origin[0] - self.step[0], self.origin[1] - self.step[1]];
        Self { columns, rows, origin, step: self.step, values }
    }
}

/// Joins the pieces of a level line that cross the cells.
///
/// Edge 2n leads from node n to its right, edge 2n + 1 to the node above; a crossed edge links at most two others.
struct Tracer<'a> {
    grid: &'a Grid,
    level: f64,
    links: Vec<[Option<usize>; 2]>,
}

impl<'a> Tracer<'a> {
    fn new(grid: &'a Grid, level: f64) -> Self {
        let links = vec![[None; 2]; 2 * grid.values.len()];
        let mut tracer = Self { grid, level, links };
        for j in 0..grid.rows - 1 {
            for i in 0..grid.columns - 1 {
                tracer.cross(j * grid.columns + i);
            }
        }
        tracer
    }

    /// Links the edges that the level crosses in the cell above and right of `node`.
    fn cross(&mut self, node: usize) {
        let (columns, values) = (self.grid.columns, &self.grid.values);
        let corners = [node, node + 1, node + columns + 1, node + columns];
        let above = corners.map(|corner| values[corner] > self.level);
        // Below, right, above, left: edge k joins corners k and k + 1.
        let edges = [2 * node, 2 * (node + 1) + 1, 2 * (node + columns), 2 * node + 1];
        let crossed: Vec<usize> = (0..4).filter(|&k| above[k] != above[(k + 1) % 4]).collect();
        match crossed[..] {
            [a, b] => self.link(edges[a], edges[b]),
            [_, _, _, _] => {
                // A saddle: the middle of the cell decides which corners hang together.
                let middle = corners.iter().map(|&corner| values[corner] / 4.0).sum::<f64>() > self.level;
                let pairs = if middle == above[0] { [[0, 1], [2, 3]] } else { [[3, 0], [1, 2]] };
                pairs.iter().for_each(|&[a, b]| self.link(edges[a], edges[b]));
            }
            _ => {}
        }
    }

    fn link(&mut self, a: usize, b: usize) {
        for (from, to) in [(a, b), (b, a)] {
            let slot = usize::from(self.links[from][0].is_some());
            self.links[from][slot] = Some(to);
        }
    }

    fn lines(mut self) -> Vec<Line> {
        // Open lines first, from their ends; what is left are rings.
        let is_end = |edge: &usize| self.links[*edge][0].is_some() && self.links[*edge][1].is_none();
        let ends: Vec<usize> = (0..self.links.len()).filter(is_end).collect();
        let edges =
            ends.into_iter().map(|end| (end, false)).chain((0..self.links.len()).map(|edge| (edge, true)));
        edges.filter_map(|(edge, closed)| self.follow(edge, closed)).collect()
    }

    /// Takes the line that begins at `edge` out of the links.
    fn follow(&mut self, edge: usize, closed: bool) -> Option<Line> {
        self.links[edge][0]?;
        let mut points = Vec::new();
        let (mut before, mut next) = (usize::MAX, Some(edge));
        while let Some(here) = next {
            points.push(self.crossing(here));
            let links = std::mem::take(&mut self.links[here]);
            next = links.into_iter().flatten().find(|&to| to != before && self.links[to][0].is_some());
            before = here;
        }
        Some(Line { points, closed })
    }

    /// Where the level crosses an edge, by the straight line between its nodes.
    fn crossing(&self, edge: usize) -> Point {
        let grid = self.grid;
        let (node, upward) = (edge / 2, !edge.is_multiple_of(2));
        let other = node + if upward { grid.columns } else { 1 };
        let (from, to) = (grid.values[node], grid.values[other]);
        let share = ((self.level - from) / (to - from)).clamp(0.0, 1.0);
        let [x, y] = grid.node(node);
        if upward { [x, y + share * grid.step[1]] } else { [x + share * grid.step[0], y] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(count: usize, f: impl Fn(f64, f64) -> f64) -> Grid {
        let grid = Grid::square(count, [-1.0, -1.0], [1.0, 1.0]);
        let value = |at| {
            let [x, y] = grid.node(at);
            f(x, y)
        };
        grid.with((0..grid.rows * count).map(value).collect())
    }

    #[test]
    fn a_circle_is_one_ring_of_its_radius() {
        let lines = grid(101, |x, y| x * x + y * y).lines(0.25);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].closed);
        for [x, y] in &lines[0].points {
            // Linear interpolation of a curvature of 2 on cells of 0.02 is off by at most 0.02²/4 of the square.
            assert!((x.hypot(*y) - 0.5).abs() < 2e-4);
        }
    }

    #[test]
    fn a_straight_line_ends_at_the_border() {
        let lines = grid(11, |x, y| x + 0.3 * y).lines(0.05);
        assert_eq!(lines.len(), 1);
        assert!(!lines[0].closed);
        let ends = [lines[0].points[0], lines[0].points[lines[0].points.len() - 1]];
        assert!(ends.iter().all(|end| (end[1].abs() - 1.0).abs() < 1e-9), "{ends:?}");
        assert!(lines[0].points.iter().all(|[x, y]| (x + 0.3 * y - 0.05).abs() < 1e-9));
    }

    #[test]
    fn regions_are_closed_along_the_border() {
        let rings = grid(21, |x, _| x).region(0.5);
        assert_eq!(rings.len(), 1);
        assert!(rings[0].closed);
        assert!((area(&rings[0].points) - 1.0).abs() < 1e-9);
        let whole = grid(21, |_, _| 1.0).region(0.0);
        assert!((area(&whole[0].points) - 4.0).abs() < 0.1);
    }

    #[test]
    fn two_saddle_branches_do_not_touch() {
        let lines = grid(20, |x, y| x * y).lines(0.1);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| !line.closed));
    }

    /// The shoelace formula.
    fn area(ring: &[Point]) -> f64 {
        let next = ring.iter().cycle().skip(1);
        ring.iter().zip(next).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum::<f64>().abs() / 2.0
    }
}
