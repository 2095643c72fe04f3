//! MurmurHash3 of 32 bits for x86 by Austin Appleby, with seed 0: blocks of four bytes are multiplied, rotated and mixed in.

const C1: u32 = 0xcc9e_2d51;
const C2: u32 = 0x1b87_3593;

fn scrambled(block: u32) -> u32 {
    block.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2)
}

/// The hash of some bytes.
pub(super) fn hash(bytes: &[u8]) -> u32 {
    let (blocks, rest) = bytes.as_chunks::<4>();
    let mut hash = blocks.iter().fold(0_u32, |hash, block| {
        let mixed = hash ^ scrambled(u32::from_le_bytes(*block));
        mixed.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
    });
    let last = rest.iter().rev().fold(0_u32, |last, &byte| last << 8 | u32::from(byte));
    hash ^= scrambled(last) ^ bytes.len() as u32;
    for (shift, factor) in [(16, 0x85eb_ca6b), (13, 0xc2b2_ae35)] {
        hash = (hash ^ hash >> shift).wrapping_mul(factor);
    }
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    #[test]
    fn hashes_are_the_published_ones() {
        let known = [
            ("", 0),
            ("a", 0x3c25_69b2),
            ("abc", 0xb3dd_93fa),
            ("hello", 0x248b_fa47),
            ("hello, world", 0x149b_bb7f),
        ];
        for (text, expected) in known {
            assert_eq!(super::hash(text.as_bytes()), expected, "{text}");
        }
    }
}
