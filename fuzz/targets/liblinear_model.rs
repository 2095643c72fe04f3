//! LIBLINEAR's model text: what is read is written, and what is written reads back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mercer::model::liblinear;

fuzz_target!(|text: &[u8]| {
    if let Ok(model) = liblinear::parse(text)
        && model.model.kind() != "one-class"
    {
        let printed = liblinear::print(&model).expect("a linear model can be written for LIBLINEAR");
        assert_eq!(liblinear::parse(printed.as_bytes()).expect("what was written is read"), model);
    }
});
