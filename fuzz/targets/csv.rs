//! Tables of text, plain or compressed.
#![no_main]

use std::io::Cursor;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use mercer::data::{Format, ReadOptions, read_from};

fuzz_target!(|text: &[u8]| {
    let options = ReadOptions { format: Some(Format::Csv), ..ReadOptions::default() };
    let _ = read_from(Path::new("data"), Cursor::new(text.to_vec()), &options);
});
