//! Kernel expressions: what parses prints, and what is printed parses to the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mercer::kernel::VectorExpr;

fuzz_target!(|text: &str| {
    if let Ok(kernel) = text.parse::<VectorExpr>() {
        let again: VectorExpr = kernel.to_string().parse().expect("what was printed parses");
        assert_eq!(again, kernel);
    }
});
