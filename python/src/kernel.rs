//! Kernel expressions as Python objects.

use mercer::data::Points as _;
use mercer::gram::{Value, cross, square};
use mercer::kernel::{Definiteness, Kernel as _, Limits, ListedParameter, Map, check, median_gamma};
use mercer::model::{AnyKernel, AnyPoints, listed_kernels};
use mercer::{ErrorKind, Result};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use crate::errors::raise;
use crate::points::Points;
use crate::validity::Validity;
use crate::work::Run;

/// A kernel on points of some space.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Kernel(pub(crate) AnyKernel);

/// A parameter: its path, value, lowest and highest value, and whether it is searched on a log scale.
type Parameter = (String, f64, f64, f64, bool);

#[pymethods]
impl Kernel {
    /// Reads the text of a kernel.
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        text.parse().map(Self).map_err(raise)
    }

    /// The constant kernel on points of the same space.
    fn constant(&self, value: f64) -> PyResult<Self> {
        checked(self.0.constant(value))
    }

    /// The word for the space of its points.
    #[getter]
    fn space(&self) -> &'static str {
        self.0.space()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    /// k + l.
    fn plus(&self, other: &Self) -> PyResult<Self> {
        self.0.clone().plus(other.0.clone()).map_err(raise).and_then(checked)
    }

    /// k · l.
    fn times(&self, other: &Self) -> PyResult<Self> {
        self.0.clone().times(other.0.clone()).map_err(raise).and_then(checked)
    }

    /// kᵐ.
    fn power(&self, exponent: i64) -> PyResult<Self> {
        let Ok(whole) = u32::try_from(exponent) else {
            let (value, rule) = (exponent as f64, "must lie in 1 to 100");
            return Err(raise(ErrorKind::Parameter { name: "power", value, rule }.into()));
        };
        checked(self.0.clone().power(whole))
    }

    /// exp(k).
    fn exp(&self) -> PyResult<Self> {
        checked(self.0.clone().exp())
    }

    /// k(x, y)/√(k(x, x) k(y, y)).
    fn normalized(&self) -> PyResult<Self> {
        checked(self.0.clone().normalized())
    }

    /// k(x, y) − mean k(·, y) − mean k(x, ·) + mean k(·, ·).
    fn centered(&self) -> PyResult<Self> {
        checked(self.0.clone().centered())
    }

    /// k(φ(x), φ(y)), φ the map of a text.
    fn on(&self, map: &str) -> PyResult<Self> {
        match &self.0 {
            AnyKernel::Vectors(kernel) => {
                checked(AnyKernel::Vectors(kernel.clone().on(map.parse().map_err(raise)?)))
            }
            other => {
                let what = format!("feature maps of {}", other.space()).into();
                Err(raise(ErrorKind::Unsupported { what }.into()))
            }
        }
    }

    /// The real parameters, in the order of the text.
    fn parameters(&self) -> Vec<Parameter> {
        self.0.parameters().into_iter().map(|p| (p.path, p.value, p.low, p.high, p.log)).collect()
    }

    /// This kernel with one parameter of another value.
    fn with_parameter(&self, path: &str, value: f64) -> PyResult<Self> {
        self.0.with_parameter(path, value).map(Self).map_err(raise)
    }

    /// What is known of its definiteness without looking at data.
    #[getter]
    fn definite(&self) -> &'static str {
        definite(self.0.definiteness())
    }

    /// All k(xᵢ, yⱼ); of a missing y all k(xᵢ, xⱼ).
    #[pyo3(signature = (x, y=None, *, single=false))]
    fn gram<'py>(
        &self,
        py: Python<'py>,
        x: &Points,
        y: Option<&Points>,
        single: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (kernel, x, y) = (self.0.clone(), x.0.clone(), y.map(|y| y.0.clone()));
        of_space(&x, self.space())?;
        y.as_ref().map_or(Ok(()), |y| of_space(y, self.space()))?;
        Ok(match single {
            true => matrix::<f32>(py, kernel, x, y)?.into_any(),
            false => matrix::<f64>(py, kernel, x, y)?.into_any(),
        })
    }

    /// k(xᵢ, xᵢ) of each point.
    #[pyo3(signature = (x) -> "numpy.typing.NDArray[numpy.float64]")]
    fn diagonal<'py>(&self, py: Python<'py>, x: &Points) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let kernel = self.0.clone();
        Ok(PyArray1::from_vec(py, at(py, &x.0, move |points| kernel.about(points)?.diagonal(points))?))
    }

    /// The columns of a table that the kernel reads, each with the kind of its cells; none of a kernel on other points.
    #[getter]
    fn columns(&self) -> PyResult<Vec<(String, &'static str)>> {
        let AnyKernel::Records(kernel) = &self.0 else { return Ok(Vec::new()) };
        Ok(kernel.columns().map_err(raise)?.into_iter().map(|(name, cells)| (name, cells.kind())).collect())
    }

    /// The kernel as a fit to points uses it: with the parameters that it leaves to data, and what it is centred about.
    fn settled(&self, py: Python<'_>, x: &Points) -> PyResult<Self> {
        let kernel = self.0.clone();
        of_space(&x.0, self.space())?;
        at(py, &x.0, move |points| kernel.about(points)).map(Self)
    }

    /// Checks the kernel on points.
    fn check(&self, py: Python<'_>, x: &Points, rows: usize, eigenfunctions: usize) -> PyResult<Validity> {
        let kernel = self.0.clone();
        let limits = Limits { rows, eigenfunctions };
        let found = at(py, &x.0, move |points| {
            let kernel = kernel.about(&points.select(&limits.sample(points.len())))?;
            check(&kernel, points, limits)
        })?;
        Ok(Validity::new(found, &x.0))
    }
}

/// The text of a feature map in the form that is printed.
#[pyfunction]
pub(crate) fn map_text(text: &str) -> PyResult<String> {
    text.parse::<Map>().map(|map| map.to_string()).map_err(raise)
}

/// A named kernel: its name, its formula, a remark, and its parameters with the values allowed.
type Listed = (&'static str, &'static str, &'static str, Vec<(&'static str, String)>);

/// The named kernels of all spaces: of each its name, its formula, a remark, and its parameters with the values
/// that they may have.
#[pyfunction]
pub(crate) fn kernels() -> Vec<Listed> {
    let parameter = |parameter: &ListedParameter| (parameter.name, parameter.domain.clone());
    let listed = listed_kernels().into_iter().flat_map(|(_, kernels)| kernels);
    listed.map(|k| (k.name, k.formula, k.remark, k.parameters.iter().map(parameter).collect())).collect()
}

/// γ = 1/median ‖x − y‖² over pairs of different points, none where all are the same.
#[pyfunction]
#[pyo3(name = "median_gamma")]
pub(crate) fn median(py: Python<'_>, x: &Points) -> PyResult<Option<f64>> {
    let points = x.vectors()?.clone();
    at(py, &x.0, move |_| Ok(median_gamma(&points)))
}

/// The word for what is known of a kernel.
pub(crate) fn definite(definiteness: Definiteness) -> &'static str {
    match definiteness {
        Definiteness::Psd => "psd",
        Definiteness::PsdOnNonNegative => "psd on non-negative",
        Definiteness::Unknown => "unknown",
    }
}

fn checked(kernel: AnyKernel) -> PyResult<Kernel> {
    kernel.check().map(|()| Kernel(kernel)).map_err(raise)
}

fn matrix<T: Value + Element>(
    py: Python<'_>,
    kernel: AnyKernel,
    x: AnyPoints,
    y: Option<AnyPoints>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let shape = [x.len(), y.as_ref().map_or(x.len(), |y| y.len())];
    room::<T>(shape)?;
    let values = Run::default().job(py, move |_| match y {
        Some(y) => cross(&kernel.about(&y)?, &x, &y),
        None => square(&kernel.about(&x)?, &x),
    });
    PyArray1::from_vec(py, values?).reshape(shape)
}

/// Refuses a matrix that there is no memory for: to find out when it is made would end the process.
fn room<T>(shape: [usize; 2]) -> PyResult<()> {
    let [n, m] = shape;
    let fits = n.checked_mul(m).is_some_and(|size| Vec::<T>::new().try_reserve_exact(size).is_ok());
    if fits { Ok(()) } else { Err(PyMemoryError::new_err(format!("no memory for {n} × {m} kernel values"))) }
}

/// Runs a job on points that must be finite, with the interpreter free.
pub(crate) fn at<T: Send + 'static>(
    py: Python<'_>,
    points: &AnyPoints,
    job: impl FnOnce(&AnyPoints) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let points = points.clone();
    Run::default().job(py, move |_| points.check_finite().and_then(|()| job(&points)))
}

/// Refuses points of another space than a kernel's.
pub(crate) fn of_space(points: &AnyPoints, space: &str) -> PyResult<()> {
    if points.space() == space {
        return Ok(());
    }
    let what = format!("a kernel on {space} at points that are {}", points.space()).into();
    Err(raise(ErrorKind::Unsupported { what }.into()))
}
