//! Spaces of inputs: what points of a space are to kernels, models and files.
//!
//! The spaces there are stand in one list, in `any`: [`AnyPoints`] and [`AnyKernel`] are made from it. [`AnyModel`] and
//! [`AnyEstimator`] are what the doors hold.

mod any;
mod estimator;
mod model;

use std::fmt::{Debug, Display};
use std::path::Path;
use std::str::FromStr;

pub use any::{AnyKernel, AnyPoints, SPACES, listed_kernels};
pub use estimator::AnyEstimator;
pub use model::AnyModel;

use super::file::{Flaw, Reader, Writer};
use crate::data::{self, Graph, Points, ReadOptions, Records, Table, Vectors};
use crate::error::{Error, Result};
use crate::kernel::{
    Expr, GraphExpr, GraphLeaf, Kernel, Leaf, Listed, RecordExpr, SetExpr, SetLeaf, TextExpr, TextLeaf,
    VectorExpr, VectorKernel, VectorLeaf, rbf, set_mean, spectrum, wl,
};

/// A space of inputs that has a kernel algebra and a form in model files.
pub trait Space: Points + Debug + PartialEq + 'static {
    /// The word for it.
    const NAME: &'static str;

    /// The word for the space that these points are of.
    fn space(&self) -> &'static str {
        Self::NAME
    }

    /// Its kernel expressions.
    type Kernel: Kernel<Self> + Clone + PartialEq + Debug + Display + FromStr<Err = Error> + 'static;

    /// Each named kernel of the space, with the defaults of its parameters.
    fn kernels() -> Vec<Listed>;

    /// A kernel on points of the space that these are of, from its text.
    ///
    /// # Errors
    /// If the text is no such kernel.
    fn parse_kernel(&self, text: &str) -> Result<Self::Kernel> {
        text.parse()
    }

    /// Refuses a kernel with parameters out of range.
    ///
    /// # Errors
    /// The first rule broken.
    fn check_kernel(kernel: &Self::Kernel) -> Result<()>;

    /// The kernel where none is named, for points with so many features.
    fn default_kernel(width: usize) -> Self::Kernel;

    /// The kernel where none is named, for these points.
    fn usual_kernel(&self) -> Self::Kernel {
        Self::default_kernel(self.width())
    }

    /// Points with `width` features, the new ones zero; as they are where the space has none.
    #[must_use]
    fn widened(self, width: usize) -> Self {
        let _ = width;
        self
    }

    /// Whether the points are the values of the kernel.
    fn is_precomputed(kernel: &Self::Kernel) -> bool {
        let _ = kernel;
        false
    }

    /// Reads a data file of points for the kernel, as far as that is known.
    ///
    /// # Errors
    /// If the file cannot be read, with the place of what is wrong in it.
    fn read_table(kernel: Option<&Self::Kernel>, path: &Path, options: &ReadOptions) -> Result<Table<Self>>;

    /// Writes the points into a model file, `prefix` before each name.
    fn write(&self, prefix: &str, writer: &mut Writer);

    /// Reads points from a model file.
    ///
    /// # Errors
    /// What is wrong with them.
    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw>;

    /// How points are stored, in words.
    fn storage(&self) -> &'static str;
}

impl Space for Vectors {
    const NAME: &'static str = "vectors";
    type Kernel = VectorExpr;

    fn kernels() -> Vec<Listed> {
        VectorLeaf::list()
    }

    fn check_kernel(kernel: &VectorExpr) -> Result<()> {
        kernel.check()
    }

    /// rbf with γ = 1/features, as LIBSVM has it.
    fn default_kernel(width: usize) -> VectorExpr {
        rbf(1.0 / width.max(1) as f64)
    }

    fn widened(self, width: usize) -> Self {
        self.with_width(width)
    }

    fn is_precomputed(kernel: &VectorExpr) -> bool {
        kernel.leaves().iter().any(|leaf| leaf.kernel == VectorKernel::Precomputed)
    }

    fn read_table(kernel: Option<&VectorExpr>, path: &Path, options: &ReadOptions) -> Result<Table> {
        let precomputed = kernel.is_some_and(Self::is_precomputed);
        data::read(path, &ReadOptions { precomputed, ..options.clone() })
    }

    fn write(&self, prefix: &str, writer: &mut Writer) {
        crate::model::file::write_vectors(prefix, self, writer);
    }

    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        crate::model::file::read_vectors(prefix, reader)
    }

    fn storage(&self) -> &'static str {
        match self {
            Self::Dense32(_) => "dense, single precision",
            Self::Dense64(_) => "dense, double precision",
            Self::Sparse32(_) => "sparse, single precision",
            Self::Sparse64(_) => "sparse, double precision",
        }
    }
}

impl Space for Vec<String> {
    const NAME: &'static str = "texts";
    type Kernel = TextExpr;

    fn kernels() -> Vec<Listed> {
        TextLeaf::list()
    }

    fn check_kernel(kernel: &TextExpr) -> Result<()> {
        kernel.check()
    }

    /// The normalised 3-spectrum.
    fn default_kernel(_: usize) -> TextExpr {
        spectrum(3).normalized()
    }

    fn read_table(_: Option<&TextExpr>, path: &Path, options: &ReadOptions) -> Result<Table<Self>> {
        data::read_texts(path, options)
    }

    fn write(&self, prefix: &str, writer: &mut Writer) {
        crate::model::file::write_texts(prefix, self, writer);
    }

    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        crate::model::file::read_texts(prefix, reader)
    }

    fn storage(&self) -> &'static str {
        "texts"
    }
}

impl Space for Vec<Vectors> {
    const NAME: &'static str = "sets";
    type Kernel = SetExpr;

    fn kernels() -> Vec<Listed> {
        SetLeaf::list()
    }

    fn check_kernel(kernel: &SetExpr) -> Result<()> {
        kernel.check()
    }

    /// The normalised mean of rbf with γ = 1/features.
    fn default_kernel(width: usize) -> SetExpr {
        set_mean(rbf(1.0 / width.max(1) as f64)).normalized()
    }

    fn widened(self, width: usize) -> Self {
        self.into_iter().map(|set| set.with_width(width)).collect()
    }

    fn read_table(_: Option<&SetExpr>, path: &Path, options: &ReadOptions) -> Result<Table<Self>> {
        data::read_sets(path, options)
    }

    fn write(&self, prefix: &str, writer: &mut Writer) {
        crate::model::file::write_sets(prefix, self, writer);
    }

    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        crate::model::file::read_sets(prefix, reader)
    }

    fn storage(&self) -> &'static str {
        "sets of vectors"
    }
}

impl Space for Vec<Graph> {
    const NAME: &'static str = "graphs";
    type Kernel = GraphExpr;

    fn kernels() -> Vec<Listed> {
        GraphLeaf::list()
    }

    fn check_kernel(kernel: &GraphExpr) -> Result<()> {
        kernel.check()
    }

    /// Weisfeiler–Lehman subtrees of five rounds, normalised.
    fn default_kernel(_: usize) -> GraphExpr {
        wl(5).normalized()
    }

    fn read_table(_: Option<&GraphExpr>, path: &Path, options: &ReadOptions) -> Result<Table<Self>> {
        data::read_graphs(path, options)
    }

    fn write(&self, prefix: &str, writer: &mut Writer) {
        crate::model::file::write_graphs(prefix, self, writer);
    }

    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        crate::model::file::read_graphs(prefix, reader)
    }

    fn storage(&self) -> &'static str {
        "graphs"
    }
}

impl Space for Records {
    const NAME: &'static str = "records";
    type Kernel = RecordExpr;

    /// None of its own: those of the other spaces, each with its columns.
    fn kernels() -> Vec<Listed> {
        Vec::new()
    }

    fn check_kernel(kernel: &RecordExpr) -> Result<()> {
        kernel.check()?;
        kernel.columns().map(|_| ())
    }

    fn default_kernel(_: usize) -> RecordExpr {
        Expr::Constant(1.0)
    }

    fn read_table(kernel: Option<&RecordExpr>, path: &Path, options: &ReadOptions) -> Result<Table<Self>> {
        let wanted = kernel.map_or_else(|| Ok(Vec::new()), RecordExpr::columns)?;
        data::read_records(path, wanted, options)
    }

    fn write(&self, prefix: &str, writer: &mut Writer) {
        crate::model::file::write_records(prefix, self, writer);
    }

    fn read(prefix: &str, reader: &mut Reader<'_>) -> Result<Self, Flaw> {
        crate::model::file::read_records(prefix, reader)
    }

    fn storage(&self) -> &'static str {
        "columns of a table"
    }
}
