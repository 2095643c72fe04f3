//! Fewer points for a line that looks as it did.

use super::contour::Point;

/// Pixels by which a line may be off: less than is seen.
const TOLERANCE: f64 = 0.25;

/// The points of a line on the page that are needed for it to pass within the tolerance of all others (Douglas and Peucker 1973).
pub(super) fn thinned(points: &[Point]) -> Vec<Point> {
    let mut kept = vec![false; points.len()];
    let mut pieces = vec![(0, points.len().saturating_sub(1))];
    while let Some((from, to)) = pieces.pop() {
        let Some(kept) = kept.get_mut(from..=to) else { continue };
        (kept[0], kept[to - from]) = (true, true);
        let off = |&k: &usize| distance(points[k], points[from], points[to]);
        if let Some(far) = (from + 1..to).max_by(|a, b| off(a).total_cmp(&off(b)))
            && off(&far) > TOLERANCE
        {
            pieces.extend([(from, far), (far, to)]);
        }
    }
    points.iter().zip(kept).filter(|(_, kept)| *kept).map(|(point, _)| *point).collect()
}

/// From a point to the piece between two others.
fn distance([x, y]: Point, [ax, ay]: Point, [bx, by]: Point) -> f64 {
    let (dx, dy) = (bx - ax, by - ay);
    let square = dx * dx + dy * dy;
    let share = if square > 0.0 { (((x - ax) * dx + (y - ay) * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
    (x - ax - share * dx).hypot(y - ay - share * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_needs_its_ends_and_a_circle_few_points() {
        let straight: Vec<Point> = (0..100).map(|k| [f64::from(k), 2.0 * f64::from(k)]).collect();
        assert_eq!(thinned(&straight), [straight[0], straight[99]]);
        let turn = std::f64::consts::TAU / 1000.0;
        let circle: Vec<Point> = (0..1000)
            .map(|k| [(f64::from(k) * turn).cos() * 50.0, (f64::from(k) * turn).sin() * 50.0])
            .collect();
        let thin = thinned(&circle);
        assert!((10..60).contains(&thin.len()), "{}", thin.len());
        let off = |point: &Point| {
            thin.windows(2).map(|ends| distance(*point, ends[0], ends[1])).fold(f64::INFINITY, f64::min)
        };
        // The last piece, which closes the circle, is missing from the windows.
        assert!(circle[..990].iter().all(|point| off(point) <= TOLERANCE + 1e-9));
    }

    #[test]
    fn short_lines_stay() {
        assert!(thinned(&[]).is_empty());
        assert_eq!(thinned(&[[1.0, 2.0]]), [[1.0, 2.0]]);
    }
}
