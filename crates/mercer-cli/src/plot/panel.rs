//! Rows of images, grey on white.

use std::fmt::Write;

use super::svg::{Anchor, Page, document};

/// Greys that are told apart.
const GREYS: usize = 16;
/// Pixels of the page that an image's width takes, and the space beside it.
const WIDTH: f64 = 64.0;
const SPACE: f64 = 8.0;
/// Where the images begin: left of it stand the names.
const LEFT: f64 = 200.0;

/// A row of images and what it shows.
pub(crate) struct Images {
    pub(crate) name: String,
    pub(crate) remark: String,
    /// Values of each image, row after row.
    pub(crate) images: Vec<Vec<f64>>,
}

/// The picture. Values are drawn from white at `low` to black at `high`; what lies beyond is as these.
pub(crate) fn panel(
    rows: &[Images],
    (height, width): (usize, usize),
    [low, high]: [f64; 2],
    title: &str,
) -> String {
    let scale = WIDTH / width as f64;
    let tall = scale * height as f64 + SPACE;
    let mut body = String::new();
    for (r, row) in rows.iter().enumerate() {
        let top = 16.0 + r as f64 * tall;
        let mut names = Page::new(1.0, [0.0; 2], [1.0; 2], [0.0; 4]);
        names.text([LEFT - 14.0, top + tall / 2.0 - 4.0], 14.0, Anchor::End, &row.name);
        names.text([LEFT - 14.0, top + tall / 2.0 + 13.0], 12.0, Anchor::End, &row.remark);
        body += &names.fragment([0.0, 0.0]);
        for (i, image) in row.images.iter().enumerate() {
            let left = LEFT + i as f64 * (WIDTH + SPACE);
            let _ = writeln!(
                body,
                r#"<g shape-rendering="crispEdges" transform="translate({left:.1} {top:.1}) scale({scale:.3})">"#
            );
            draw(&mut body, image, (height, width), [low, high]);
            body += "</g>\n";
        }
    }
    let most = rows.iter().map(|row| row.images.len()).max().unwrap_or(0);
    let size = [LEFT + most as f64 * (WIDTH + SPACE) + 12.0, 24.0 + rows.len() as f64 * tall];
    document(size, title, &body)
}

/// A path for each grey, of runs of equal pixels.
fn draw(body: &mut String, image: &[f64], (height, width): (usize, usize), [low, high]: [f64; 2]) {
    let grey = |value: f64| {
        let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
        (share * (GREYS - 1) as f64).round() as usize
    };
    let mut paths = vec![String::new(); GREYS];
    for (y, line) in image.chunks(width).enumerate().take(height) {
        let mut x = 0;
        while x < line.len() {
            let own = grey(line[x]);
            let run = line[x..].iter().take_while(|value| grey(**value) == own).count();
            let _ = write!(paths[own], "M{x} {y}h{run}v1h-{run}z");
            x += run;
        }
    }
    let _ = writeln!(
        body,
        r##"<rect width="{width}" height="{height}" fill="#ffffff" stroke="#999999" stroke-width="0.1"/>"##
    );
    // White is there already.
    for (level, path) in paths.iter().enumerate().skip(1).filter(|(_, path)| !path.is_empty()) {
        let light = 255 - level * 255 / (GREYS - 1);
        let _ = writeln!(body, r##"<path d="{path}" fill="#{light:02x}{light:02x}{light:02x}"/>"##);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pixels_are_one_run_and_white_is_not_drawn() {
        let images = vec![vec![1.0, 1.0, 0.0, 0.0, 0.0, 9.0]];
        let rows = [Images { name: "a<b".into(), remark: String::new(), images }];
        let picture = panel(&rows, (2, 3), [0.0, 1.0], "t");
        assert!(picture.contains("M0 0h2v1h-2zM2 1h1v1h-1z") && picture.contains("a&lt;b"), "{picture}");
        assert_eq!(picture.matches("<path").count(), 1);
    }
}
