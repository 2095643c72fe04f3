//! LIBSVM's model text: what is read is written, and what is written reads back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mercer::model::libsvm;

fuzz_target!(|text: &[u8]| {
    if let Ok(model) = libsvm::parse(text) {
        let printed = libsvm::print(&model).expect("a model of LIBSVM can be written for it");
        assert_eq!(libsvm::parse(printed.as_bytes()).expect("what was written is read"), model);
    }
});
