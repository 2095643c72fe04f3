//! The model file: what is read is written, and what is written reads back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mercer::model::file::Saved;

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    if let Some(sealed) = sealed(bytes) {
        check(&sealed);
    }
});

fn check(bytes: &[u8]) {
    if let Ok(saved) = Saved::from_bytes(bytes) {
        let written = saved.to_bytes().expect("what was read can be written");
        let again = Saved::from_bytes(&written).expect("what was written is read");
        assert_eq!(again.to_bytes().expect("what was read can be written"), written);
    }
}

/// The same bytes with the checksum they should have: without it no change would get past the checksum.
fn sealed(bytes: &[u8]) -> Option<Vec<u8>> {
    const KEY: &[u8] = b"\"checksum\":\"";
    let place = bytes.windows(KEY.len()).position(|window| window == KEY)? + KEY.len();
    let mut sealed = bytes.to_vec();
    sealed.get_mut(place..place + 8)?.fill(b'0');
    let mut crc = flate2::Crc::new();
    crc.update(sealed.get(8..)?);
    sealed[place..place + 8].copy_from_slice(format!("{:08x}", crc.sum()).as_bytes());
    Some(sealed)
}
