//! How many tests passed, by the closing lines of `cargo test` and pytest.

use std::fmt;
use std::ops::AddAssign;

/// What closing lines add up to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Count {
    /// Adds `test result: ok. 3 passed; 0 failed; 1 ignored; …`; other lines add nothing.
    pub(crate) fn add_cargo(&mut self, line: &str) {
        let figures = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "));
        if let Some((_, figures)) = figures {
            self.add_figures(figures.split("; "));
        }
    }

    /// Adds `==== 1 failed, 3 passed, 2 skipped in 0.12s ====`; other lines add nothing.
    pub(crate) fn add_pytest(&mut self, line: &str) {
        let bare = line.strip_prefix("==").map(|rest| rest.trim_matches(['=', ' ']));
        if let Some((figures, _)) = bare.and_then(|rest| rest.rsplit_once(" in ")) {
            self.add_figures(figures.split(", "));
        }
    }

    fn add_figures<'a>(&mut self, figures: impl Iterator<Item = &'a str>) {
        for (figure, what) in figures.filter_map(|figure| figure.split_once(' ')) {
            let n = figure.parse::<usize>().unwrap_or(0);
            match what {
                "passed" | "xpassed" => self.passed += n,
                // A test whose set-up fails is an error to pytest; one that is expected to fail proves nothing.
                "failed" | "error" | "errors" => self.failed += n,
                "ignored" | "skipped" | "xfailed" => self.skipped += n,
                _ => {}
            }
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_add_up_over_test_programs() {
        let mut count = Count::default();
        count.add_cargo("running 3 tests");
        count.add_cargo(
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
        );
        count.add_cargo("test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out");
        assert_eq!(count, Count { passed: 7, failed: 2, skipped: 1 });
    }

    #[test]
    fn closing_line_of_pytest_is_read() {
        let mut count = Count::default();
        count.add_pytest("============ test session starts =============");
        count.add_pytest("=========== warnings summary in brief ===========");
        count.add_pytest("tests/test_stubs.py ...   3 passed in words of a test");
        count.add_pytest(
            "== 2 failed, 30 passed, 4 skipped, 1 xfailed, 5 warnings, 1 error in 61.20s (0:01:01) ==",
        );
        assert_eq!(count, Count { passed: 30, failed: 3, skipped: 5 });
    }
}
