//! Level lines of a function on a grid, by marching squares.

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
    /// Its points.
    pub(crate) points: Vec<Point>,
    /// Whether the last point joins the first.
    pub(crate) closed: bool,
}

impl Grid {
    /// `columns` × `rows` nodes from one corner to the other, with the value of each, row after row. At least two
    /// each way.
    pub(crate) fn new(columns: usize, low: Point, high: Point, rows: usize, values: Vec<f64>) -> Self {
        let step = [(high[0] - low[0]) / (columns - 1) as f64, (high[1] - low[1]) / (rows - 1) as f64];
        Self { columns, rows, origin: low, step, values }
    }

    /// Where node (i, j) lies.
    pub(crate) fn node(&self, i: usize, j: usize) -> Point {
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

    /// The same grid in a frame of nodes below every level. Crossings with the frame come to lie on the border.
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
        let ends =
            (0..self.links.len()).filter(|&e| self.links[e][0].is_some() && self.links[e][1].is_none());
        let ends: Vec<usize> = ends.collect();
        let mut lines: Vec<Line> = ends.into_iter().filter_map(|edge| self.follow(edge, false)).collect();
        lines.extend((0..self.links.len()).filter_map(|edge| self.follow(edge, true)).collect::<Vec<_>>());
        lines
    }

    /// Takes the line that begins at `edge` out of the links.
    fn follow(&mut self, edge: usize, closed: bool) -> Option<Line> {
        let mut next = self.links[edge][0];
        next?;
        let mut points = Vec::new();
        let (mut before, mut here) = (usize::MAX, edge);
        while next.is_some() || before != usize::MAX {
            points.push(self.crossing(here));
            let links = std::mem::take(&mut self.links[here]);
            let on = links.into_iter().flatten().find(|&to| to != before && self.links[to][0].is_some());
            match on {
                Some(to) => (before, here, next) = (here, to, Some(to)),
                None => break,
            }
        }
        Some(Line { points, closed })
    }

    /// Where the level crosses an edge, by the straight line between its nodes.
    fn crossing(&self, edge: usize) -> Point {
        let grid = self.grid;
        let node = edge / 2;
        let (i, j) = (node % grid.columns, node / grid.columns);
        let (upward, other) =
            if edge.is_multiple_of(2) { (false, node + 1) } else { (true, node + grid.columns) };
        let (from, to) = (grid.values[node], grid.values[other]);
        let share = ((self.level - from) / (to - from)).clamp(0.0, 1.0);
        let [x, y] = grid.node(i, j);
        if upward { [x, y + share * grid.step[1]] } else { [x + share * grid.step[0], y] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(count: usize, f: impl Fn(f64, f64) -> f64) -> Grid {
        let mut grid = Grid::new(count, [-1.0, -1.0], [1.0, 1.0], count, vec![0.0; count * count]);
        for j in 0..count {
            for i in 0..count {
                let [x, y] = grid.node(i, j);
                grid.values[j * count + i] = f(x, y);
            }
        }
        grid
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
