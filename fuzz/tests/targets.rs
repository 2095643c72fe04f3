//! Every target takes its corpus, and what a part of a second makes of it.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use mercer_fuzz::run::{Current, corpus, run};
use mercer_fuzz::targets::TARGETS;

/// Time for each target beyond its corpus.
const TIME: Duration = Duration::from_millis(250);

#[test]
fn no_target_fails() {
    for target in &TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
        let inputs = corpus(&folder);
        assert!(!inputs[0].is_empty(), "{}: no corpus", target.name);
        let outcome = run(target, inputs, (1, TIME), (&Current::default(), &AtomicBool::new(false)));
        if let Some((input, what)) = outcome.failure {
            panic!("{}: {what}: {:?}", target.name, String::from_utf8_lossy(&input));
        }
        assert!(outcome.answers > 1, "{}: {outcome:?}", target.name);
    }
}
