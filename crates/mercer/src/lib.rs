//! Kernel machines, exact and certified.
//!
//! mercer fits support vector classifiers with any kernel that its algebra can write, and hands out with every
//! answer a certificate: how far it can be from the best there is, and why the solver stopped.
//!
//! ```
//! use std::io::Cursor;
//! use std::path::Path;
//!
//! use mercer::data::{ReadOptions, Vectors, read_from};
//! use mercer::kernel::VectorExpr;
//! use mercer::model::{Svc, file::Saved};
//!
//! // `data::read(path, &options)` does the same for a file: LIBSVM text, CSV or NPY, also compressed.
//! let text = "low 1:-2\nlow 1:-1\nhigh 1:1\nhigh 1:2\n";
//! let table = read_from(Path::new("example"), Cursor::new(text), &ReadOptions::default())?;
//! let labels = table.labels.expect("every line begins with a label").labels();
//!
//! let kernel: VectorExpr = "rbf(gamma=0.5) + 2*linear".parse()?;
//! let model = Svc::new(kernel).c(10.0).fit(&table.points, &labels)?;
//! assert!(model.certificates[0].gap.expect("a sum of kernels is a kernel") < 0.01);
//! assert_eq!(model.predict(&Vectors::dense(1, vec![-1.5, 3.0]))?, ["low", "high"]);
//!
//! // A model file is numbers, names and the text of the kernel; nothing in it can run.
//! let saved = Saved::from(model);
//! assert_eq!(Saved::from_bytes(&saved.to_bytes()?)?, saved);
//! # Ok::<(), mercer::Error>(())
//! ```
//!
//! # The walk
//!
//! A file becomes points and labels ([`data::read`]). An estimator ([`model::Svc`]) binds its kernel
//! ([`kernel::Kernel::bind`]) to the points: a Gram matrix that computes rows when they are asked for ([`gram::Lazy`]).
//! Each pair of classes is a quadratic programme of numbers only ([`solve::Problem`]); the solver ([`solve::Smo`])
//! asks the Gram for blocks of rows, through a cache, until the optimality conditions hold, and writes the certificate
//! ([`solve::Certificate`]). What is left is an expansion over the support points ([`model::Expansion`]), which predicts
//! and is saved ([`model::file`]). `TOUR.md` of the repository goes through it file by file.
//!
//! # Modules
//!
//! Each uses only those before it: `error`, `memory` and the private `simd`, then
//!
//! 1. [`data`]: points, labels, scaling, and the files they come from;
//! 2. [`kernel`]: the leaves, the algebra, its text, the check on data; fast blocks of kernel values;
//! 3. [`gram`]: Gram matrices that are lazy, cached, full or part of another;
//! 4. [`solve`]: the quadratic programme of all support vector machines, its solver, its certificate;
//! 5. [`model`]: estimators, models and model files, mercer's and LIBSVM's;
//! 6. [`select`]: cross-validation and its scores;
//! 7. [`verify`](mod@verify): whether the certificate of a model is true, from the model and its training data alone;
//! 8. [`bounds`](mod@bounds): what theory says about the errors that a classifier will make.
//!
//! # Promises
//!
//! - Answers do not depend on the number of threads, to the bit (on the same instruction set).
//! - Kernel values are computed in single precision only where a bound says that it is enough.
//! - Reading a file, be it data or model, never panics, and takes memory in proportion to what the file really holds.
//! - Every error says what, where and the rule ([`ErrorKind`] has the fields).
//!
//! Work is spread over rayon's current thread pool. There are no cargo features. `MERCER_SIMD=avx2` or `baseline` in the
//! environment lowers the instruction set, which is chosen at run time otherwise.

pub mod bounds;
pub mod data;
pub mod error;
pub mod gram;
pub mod kernel;
mod linalg;
pub mod memory;
pub mod model;
pub mod select;
mod simd;
pub mod solve;
pub mod verify;

pub use error::{Error, ErrorKind, Result};
pub use simd::{keep_little_freed_memory, return_freed_memory};

/// The most threads that the program and the Python package work on: more than a computer that one process runs on has cores.
pub const MAX_THREADS: usize = 1024;
