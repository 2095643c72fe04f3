//! LIBSVM's data text, plain or compressed.
#![no_main]

use std::io::Cursor;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use mercer::data::{Format, LabelSets, ReadOptions, read_from};

fuzz_target!(|text: &[u8]| {
    for sets in [false, true] {
        let options = ReadOptions { format: Some(Format::Libsvm), sets, ..ReadOptions::default() };
        let table = read_from(Path::new("data"), Cursor::new(text.to_vec()), &options);
        if let (true, Ok(Some(labels))) = (sets, table.map(|table| table.labels)) {
            LabelSets::of(&labels.labels());
        }
    }
});
