//! A matrix of numbers as an image inside an SVG: a PNG with a palette, as the text of a `data:` address.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::ink::cividis;

/// Least pixels of a side: not all programs that show an SVG keep the edges of larger ones.
const LEAST: usize = 480;

/// Values row after row from the top, as shares of the colour map.
pub(super) fn image(width: usize, shares: &[f64]) -> String {
    let width = width.max(1);
    let times = LEAST.div_ceil(width);
    let (columns, rows) = (width * times, shares.len() / width * times);
    let mut header = Vec::new();
    header.extend((columns as u32).to_be_bytes());
    header.extend((rows as u32).to_be_bytes());
    // Eight bits a pixel, which are places in the palette.
    header.extend([8, 3, 0, 0, 0]);
    let palette: Vec<u8> = (0..=255).flat_map(|k| cividis(f64::from(k) / 255.0)).collect();
    let mut lines = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in shares.chunks(width) {
        let pixel = |share: &f64| (share.clamp(0.0, 1.0) * 255.0).round() as u8;
        let pixels = row.iter().flat_map(|share| std::iter::repeat_n(pixel(share), times));
        // Each line begins with its filter: none. Writing into memory does not fail.
        let line: Vec<u8> = std::iter::once(0).chain(pixels).collect();
        (0..times).for_each(|_| _ = lines.write_all(&line));
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, body) in [
        (b"IHDR", header),
        (b"PLTE", palette),
        (b"IDAT", lines.finish().unwrap_or_default()),
        (b"IEND", Vec::new()),
    ] {
        chunk(&mut file, kind, &body);
    }
    format!("data:image/png;base64,{}", base64(&file))
}

/// Length, kind, content, checksum.
fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], body: &[u8]) {
    file.extend((body.len() as u32).to_be_bytes());
    let begin = file.len();
    file.extend(kind);
    file.extend(body);
    let mut sum = flate2::Crc::new();
    sum.update(&file[begin..]);
    file.extend(sum.sum().to_be_bytes());
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let all =
            three.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for k in 0..4 {
            let letter = char::from(LETTERS[(all >> (18 - 6 * k)) as usize & 63]);
            let _ = write!(text, "{}", if k <= three.len() { letter } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_rfc_4648() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn an_image_has_a_header_and_the_checksum_of_its_end() {
        let text = image(2, &[0.0, 0.5, 1.0, 0.25]);
        assert!(text.starts_with("data:image/png;base64,iVBORw0KGgo"));
        let mut end = Vec::new();
        chunk(&mut end, b"IEND", &[]);
        // The twelve bytes that every PNG ends with.
        assert_eq!(end, [0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82]);
    }
}
