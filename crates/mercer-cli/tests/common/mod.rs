//! Runs the program in a folder of its own.
#![expect(dead_code, reason = "each test file uses its part")]
#![expect(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A temporary folder in which the program runs.
pub(crate) struct Place {
    folder: TempDir,
}

/// What came of a run.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Run {
    /// The run, which must have ended well.
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self
    }

    /// The run, which must have ended with this code.
    pub(crate) fn refused(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.err);
        self
    }

    /// The run, which must have written these words to standard output or standard error.
    pub(crate) fn says(self, words: &str) -> Self {
        assert!(self.out.contains(words) || self.err.contains(words), "{}{}", self.out, self.err);
        self
    }

    /// The object that ends standard output.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(self.out.lines().last().unwrap()).unwrap()
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A file of this folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The text of a file.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// All files, sorted by name.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Trains by each of two lists of arguments; the two models must be the same to the byte.
    pub(crate) fn trains_alike(&self, first: &str, second: &str) {
        let model = |arguments: &str| {
            self.run(&format!("train -q {arguments} alike.mercer")).ok();
            std::fs::read(self.path("alike.mercer")).unwrap()
        };
        assert!(model(first) == model(second), "{first}; {second}");
    }

    /// The program with arguments separated by spaces; `@name` is a data set of the repository.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.folder.path());
        for word in arguments.split_whitespace() {
            match word.strip_prefix('@') {
                Some(name) => command.arg(data(name)),
                None => command.arg(word),
            };
        }
        command
    }

    /// Runs each line `ARGUMENTS => CODE MESSAGE` of a table, its arguments in the place of `{}` in `command`: the run must
    /// end with that code and say that message.
    pub(crate) fn refuses(&self, command: &str, table: &str) {
        let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
        for line in lines {
            let (arguments, expected) = line.split_once(" => ").unwrap();
            let (code, message) = expected.split_once(' ').unwrap();
            let run = self.run(&command.replace("{}", arguments)).refused(code.parse().unwrap());
            assert!(run.err.contains(message), "{line}: {}", run.err);
        }
    }

    /// Runs the program.
    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.command(arguments).output().unwrap().into()
    }
}

/// The program under test.
pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_mercer"))
}

/// A data set of the repository.
pub(crate) fn data(name: &str) -> PathBuf {
    let file = format!("../../data/{name}.libsvm.gz");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file).canonicalize().unwrap()
}

/// The number after `name` in lines such as `obj = -100.877288, rho = 0.424462`.
pub(crate) fn number(text: &str, name: &str) -> f64 {
    let pattern = format!("{name} = ");
    let at = text.find(&pattern).unwrap_or_else(|| panic!("no {name} in {text}")) + pattern.len();
    let word: String = text[at..].chars().take_while(|c| c.is_ascii_digit() || ".-e+".contains(*c)).collect();
    word.parse().unwrap()
}

/// Asserts that two numbers differ by at most `tolerance`.
pub(crate) fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} where {expected} ± {tolerance} is expected");
}

/// Rows `y 1:x`, y = sin(x) and a little noise, x from 0 to 6 in no order.
pub(crate) fn wave(rows: usize) -> String {
    let line = |i: usize| {
        let (x, noise) =
            (6.0 * ((i * 61) % rows) as f64 / rows as f64, ((i * 37) % 101) as f64 / 1010.0 - 0.05);
        format!("{:.6} 1:{x:.6}\n", x.sin() + noise)
    };
    (0..rows).map(line).collect()
}

/// Two noisy classes in five dimensions that take long to tell apart with a large C.
pub(crate) fn noisy(rows: usize) -> String {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    let mut text = String::new();
    for _ in 0..rows {
        text.push_str(if random() < 0.5 { "1" } else { "-1" });
        (1..=5).for_each(|k| text.push_str(&format!(" {k}:{:.6}", random())));
        text.push('\n');
    }
    text
}
