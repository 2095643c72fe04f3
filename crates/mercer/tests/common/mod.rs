//! What several of these tests need.

use std::path::{Path, PathBuf};

use mercer::data::{Labels, ReadOptions, Vectors, read};

/// A file of the repository's own data folder.
pub fn own(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data").join(file)
}

/// Points and labels of a data file, in LIBSVM's order of classes.
pub fn load(path: &Path) -> (Vectors, Labels) {
    let table = read(path, &ReadOptions::default()).expect("the file is there and sound");
    (table.points, table.labels.expect("the file has labels").labels().libsvm_order())
}

/// A small generator of numbers in [0, 1), for data made on the spot.
pub struct Noise(pub u64);

impl Noise {
    /// The next number.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}
