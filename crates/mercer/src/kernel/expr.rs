//! The kernel algebra, for every input space.
//!
//! If k₁ and k₂ are kernels then so are c·k₁ (c ≥ 0), k₁ + k₂, k₁·k₂, k₁ᵐ, exp(k₁), the normalised and the centred k₁.
//! An [`Expr`] is a tree of these rules over the kernels of a space, its *leaves*. It is data: it compares, prints and
//! parses. The operators keep one canonical form, so that two ways of writing the same product are the same value:
//!
//! - a sum in a sum and a product in a product are flattened,
//! - the constants of a product are multiplied into one, which comes first,
//! - the constants of a sum are added into one, which comes last.
//!
//! ```
//! use mercer::kernel::{linear, rbf};
//!
//! let kernel = rbf(0.5) + linear() * 2.0;
//! assert_eq!(kernel.to_string(), "rbf(gamma=0.5) + 2*linear");
//! assert_eq!(kernel, "rbf(gamma=0.5) + 2*linear".parse()?);
//! # Ok::<(), mercer::Error>(())
//! ```

use std::fmt;
use std::ops::{Add, Mul};

use super::call::Call;
use super::{Bound, Center, Coordinates, Definiteness, Kernel, Listed, Parameter, Reference, Slot, tree};
use crate::data::{Points, Vectors};
use crate::error::{ErrorKind, Result, check};
use crate::linalg::Tick;

/// The largest exponent of a power and degree of a polynomial: beyond it only overflow and underflow are left.
pub const MAX_POWER: u32 = 100;

/// How deep an expression may nest, so that no expression (nor the text of one) can exhaust the stack.
pub const MAX_DEPTH: usize = 64;

/// A kernel on the points of one space, as a leaf of an expression. Its `Display` is its text in an expression.
///
/// A space takes part in the algebra by one type that implements this trait: `Expr<L>` then parses, prints, compares,
/// and is a [`Kernel`] on `L::Points`.
pub trait Leaf: Clone + PartialEq + fmt::Debug + fmt::Display + Send + Sync + 'static {
    /// The points of the space.
    type Points: Points + 'static;

    /// The names of the feature maps in a text.
    const MAPS: &'static [&'static str] = &[];

    /// The names of the feature maps whose first argument is the text of another kernel.
    const MAPS_OVER: &'static [&'static str] = &[];

    /// The names whose first argument is the text of another kernel, on the parts of a point: `set(rbf(gamma=1))`.
    const OVER: &'static [&'static str] = &[];

    /// Each kernel of the space, with the defaults of its parameters.
    fn list() -> Vec<Listed>;

    /// The kernel that a call in a text means, its parameters checked; `None` where no kernel has that name.
    fn parse(call: &Call<'_>) -> Option<Result<Self>>;

    /// A kernel seen through the feature map that a call in a text means; `None` where no map has that name.
    fn parse_map(_kernel: Expr<Self>, _call: &Call<'_>) -> Option<Result<Expr<Self>>> {
        None
    }

    /// Whether points have columns that a kernel may be seen through, `k @ name` and `k @ [name, other]`.
    const COLUMNS: bool = false;

    /// A kernel seen through the columns of these names.
    ///
    /// # Errors
    /// Why it cannot be, in words.
    fn on_columns(_kernel: Expr<Self>, _names: &[String]) -> Result<Expr<Self>, Box<str>> {
        Err("points have no columns".into())
    }

    /// Checks every parameter.
    ///
    /// # Errors
    /// The first parameter outside its range.
    fn check(&self) -> Result<()>;

    /// What is known of its definiteness without looking at data.
    fn definiteness(&self) -> Definiteness;

    /// Whether points are rows of a table of kernel values; see [`Kernel::is_tabled`].
    fn is_tabled(&self) -> bool {
        false
    }

    /// Whether it is the inner product of the points; see [`Kernel::is_linear`].
    fn is_linear(&self) -> bool {
        false
    }

    /// The rows whose inner product it is; see [`Kernel::coordinates`].
    fn coordinates(&self) -> Option<Coordinates> {
        None
    }

    /// A Gaussian with a width for each feature; see [`Kernel::by_feature`].
    fn by_feature(&self, _widths: &[(usize, f64)]) -> Option<Expr<Self>> {
        None
    }

    /// Whether it leaves parameters to data; it has no values then, until [`Leaf::settled`] finds them.
    fn is_open(&self) -> bool {
        false
    }

    /// The kernel with its open parameters found from points; see [`Kernel::fitted`].
    ///
    /// # Errors
    /// If they cannot be found from these points.
    fn settled(self, points: &Self::Points) -> Result<Self> {
        let _ = points;
        Ok(self)
    }

    /// The landmarks that its feature maps have; see [`Kernel::landmarks`].
    fn landmarks(&self) -> Vec<Vectors> {
        Vec::new()
    }

    /// The kernel with landmarks for its feature maps, taken from `landmarks` in turn; see [`Kernel::with_landmarks`].
    ///
    /// # Errors
    /// If there are too few, or a map cannot have them.
    fn with_landmarks(self, landmarks: &mut dyn Iterator<Item = Vectors>) -> Result<Self> {
        let _ = landmarks;
        Ok(self)
    }

    /// Shows each real parameter to `visit`, in an order that depends on the structure only.
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Slot<'_>));

    /// Whether it says which columns of a table it compares.
    fn names_columns(&self) -> bool {
        false
    }

    /// Whether its text needs parentheses beside `*` and `^`.
    fn is_compound(&self) -> bool {
        false
    }

    /// Binds this kernel alone to `columns`. The parameters are checked already.
    ///
    /// # Errors
    /// If the kernel cannot be evaluated on these points.
    fn bind(&self, columns: &Self::Points) -> Result<Box<dyn Bound<Self::Points>>>;

    /// k(x, x) of `points[rows]`, in the order of `rows`.
    fn diagonal(&self, points: &Self::Points, rows: &[usize]) -> Vec<f64>;

    /// Binds an expression of leaves to `columns`. The parameters are checked already.
    ///
    /// As given here it binds each leaf and evaluates the tree from their values in double precision, a block of rows
    /// at a time. A space that can evaluate several leaves together does better.
    ///
    /// # Errors
    /// If a leaf cannot be evaluated on these points, or a diagonal value is not finite in single precision.
    fn bind_expr(expr: &Expr<Self>, columns: &Self::Points) -> Result<Box<dyn Bound<Self::Points>>> {
        tree::bind(expr, columns)
    }

    /// k(x, x) of each of `points` for an expression of leaves. The parameters are checked already.
    ///
    /// # Errors
    /// As [`Leaf::bind_expr`].
    fn diagonal_expr(expr: &Expr<Self>, points: &Self::Points) -> Result<Vec<f64>> {
        Ok(Self::bind_expr(expr, points)?.diagonal())
    }
}

impl<L: Leaf> Kernel<L::Points> for Expr<L> {
    fn bind(&self, columns: &L::Points) -> Result<Box<dyn Bound<L::Points>>> {
        self.check()?;
        L::bind_expr(self, columns)
    }

    fn diagonal(&self, points: &L::Points) -> Result<Vec<f64>> {
        self.check()?;
        L::diagonal_expr(self, points)
    }

    fn definiteness(&self) -> Definiteness {
        Expr::definiteness(self)
    }

    fn is_linear(&self) -> bool {
        matches!(self, Self::Leaf(leaf) if leaf.is_linear())
    }

    fn coordinates(&self) -> Option<Coordinates> {
        match self {
            Self::Leaf(leaf) => leaf.coordinates(),
            Self::Product(factors) => {
                let constant = |factor: &Self| if let Self::Constant(c) = factor { *c } else { 1.0 };
                let factor: f64 = factors.iter().map(constant).product();
                let mut others = factors.iter().filter(|factor| !matches!(factor, Self::Constant(_)));
                let (Some(single), None) = (others.next(), others.next()) else { return None };
                let own = single.coordinates()?;
                let factor = factor * own.factor;
                (factor > 0.0 && factor.is_finite()).then_some(Coordinates { factor, ..own })
            }
            _ => None,
        }
    }

    fn is_tabled(&self) -> bool {
        self.leaves().iter().any(|leaf| leaf.is_tabled())
    }

    fn searched(&self) -> Vec<Parameter> {
        self.parameters()
    }

    fn with_searched(&self, vector: &[f64]) -> Result<Self> {
        self.with_vector(vector)
    }

    fn by_feature(&self, widths: &[(usize, f64)]) -> Option<Self> {
        if let Self::Leaf(leaf) = self { leaf.by_feature(widths) } else { None }
    }

    fn fitted(&self, reference: &Reference<L::Points>, tick: Tick<'_>) -> Result<Self> {
        self.fitted_to(reference, tick)
    }

    fn reference(&self) -> Result<Option<Reference<L::Points>>> {
        Expr::reference(self)
    }

    fn landmarks(&self) -> Vec<Vectors> {
        self.leaves().into_iter().flat_map(Leaf::landmarks).collect()
    }

    fn with_landmarks(&self, landmarks: Vec<Vectors>) -> Result<Self> {
        let (given, mut refused) = (landmarks.len() as f64, Ok(()));
        let mut rest = landmarks.into_iter();
        let kernel = self.clone().map_leaves(&mut |leaf: L| {
            leaf.clone().with_landmarks(&mut rest).unwrap_or_else(|error| {
                refused = Err(error);
                leaf
            })
        });
        refused?;
        check("lists of landmarks", given, rest.next().is_none(), "must be one for each map that has some")?;
        Ok(kernel)
    }
}

/// A kernel expression: kernels of one space joined by the rules that keep them kernels.
///
/// The operators `+` and `*` (also with a number), [`Expr::power`], [`Expr::exp`], [`Expr::normalized`] and
/// [`Expr::centered`] build it in canonical form: sums and products flattened, the constants of a product merged into its
/// first factor and those of a sum into its last term.
///
/// Every node but two is a function of the kernel *values* at (x, y): [`Expr::Normalized`] also needs the diagonal values at
/// (x, x) and (y, y), and [`Expr::Centered`] the values of x and y with all points that it is centred about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Expr<L> {
    /// A kernel of the space.
    Leaf(L),
    /// The constant kernel, c.
    Constant(f64),
    /// k₁ + k₂ + …
    Sum(Vec<Expr<L>>),
    /// k₁ · k₂ · …
    Product(Vec<Expr<L>>),
    /// kᵐ
    Power(Box<Expr<L>>, u32),
    /// exp(k)
    Exp(Box<Expr<L>>),
    /// k(x, y)/√(k(x, x) k(y, y)), 0 where a diagonal value is not positive
    Normalized(Box<Expr<L>>),
    /// k(x, y) − mean k(·, y) − mean k(x, ·) + mean k(·, ·) over the points that it is [fitted](Kernel::fitted) to
    Centered(Box<Expr<L>>, Center),
}

impl<L> Expr<L> {
    /// The expressions that this one is made of, in the order of the text.
    #[must_use]
    pub fn operands(&self) -> &[Self] {
        match self {
            Self::Leaf(_) | Self::Constant(_) => &[],
            Self::Sum(operands) | Self::Product(operands) => operands,
            Self::Power(k, _) | Self::Exp(k) | Self::Normalized(k) | Self::Centered(k, _) => {
                std::slice::from_ref(k)
            }
        }
    }

    /// Mutable access to the operands. A change leaves what a centred part is centred about as it is.
    pub(super) fn operands_mut(&mut self) -> &mut [Self] {
        match self {
            Self::Leaf(_) | Self::Constant(_) => &mut [],
            Self::Sum(operands) | Self::Product(operands) => operands,
            Self::Power(k, _) | Self::Exp(k) | Self::Normalized(k) | Self::Centered(k, _) => {
                std::slice::from_mut(k)
            }
        }
    }

    /// The sum of `terms` in canonical form; 0 if there are none.
    #[must_use]
    pub fn sum(terms: impl IntoIterator<Item = Self>) -> Self {
        let mut kept = Vec::new();
        let mut constant = None;
        let mut keep = |term| match term {
            Self::Constant(c) => constant = Some(constant.map_or(c, |sum: f64| sum + c)),
            other => kept.push(other),
        };
        for term in terms {
            match term {
                Self::Sum(inner) => inner.into_iter().for_each(&mut keep),
                other => keep(other),
            }
        }
        kept.extend(constant.map(Self::Constant));
        single(kept, 0.0, Self::Sum)
    }

    /// The product of `factors` in canonical form; 1 if there are none.
    #[must_use]
    pub fn product(factors: impl IntoIterator<Item = Self>) -> Self {
        let mut kept = Vec::new();
        let mut constant = None;
        let mut keep = |factor| match factor {
            Self::Constant(c) => constant = Some(constant.map_or(c, |product: f64| product * c)),
            other => kept.push(other),
        };
        for factor in factors {
            match factor {
                Self::Product(inner) => inner.into_iter().for_each(&mut keep),
                other => keep(other),
            }
        }
        kept.splice(0..0, constant.map(Self::Constant));
        single(kept, 1.0, Self::Product)
    }

    /// kᵐ.
    #[must_use]
    pub fn power(self, exponent: u32) -> Self {
        Self::Power(Box::new(self), exponent)
    }

    /// exp(k).
    #[must_use]
    pub fn exp(self) -> Self {
        Self::Exp(Box::new(self))
    }

    /// k(x, y)/√(k(x, x) k(y, y)): the cosine of the angle in feature space.
    #[must_use]
    pub fn normalized(self) -> Self {
        Self::Normalized(Box::new(self))
    }

    /// k(x, y) − mean k(·, y) − mean k(x, ·) + mean k(·, ·): the inner product about the mean, in feature space, of the points
    /// that the kernel is fitted to. Every method fits its kernel to its training points; see [`Kernel::fitted`].
    ///
    /// Cost: n² kernel values for n points when it is fitted, then n for each point that is not one of them.
    #[must_use]
    pub fn centered(self) -> Self {
        Self::Centered(Box::new(self), Center::default())
    }

    /// Whether a part of it is centred.
    #[must_use]
    pub fn is_centered(&self) -> bool {
        matches!(self, Self::Centered(..)) || self.operands().iter().any(Self::is_centered)
    }

    /// The leaves, from left to right.
    #[must_use]
    pub fn leaves(&self) -> Vec<&L> {
        match self {
            Self::Leaf(leaf) => vec![leaf],
            _ => self.operands().iter().flat_map(Self::leaves).collect(),
        }
    }

    /// The expression with each leaf changed. It is another kernel, and not fitted to any points.
    #[must_use]
    pub fn map_leaves<M>(self, change: &mut impl FnMut(L) -> M) -> Expr<M> {
        let mut boxed = |k: Box<Self>| Box::new(k.map_leaves(change));
        match self {
            Self::Power(k, m) => Expr::Power(boxed(k), m),
            Self::Exp(k) => Expr::Exp(boxed(k)),
            Self::Normalized(k) => Expr::Normalized(boxed(k)),
            Self::Centered(k, _) => Expr::Centered(boxed(k), Center::default()),
            Self::Leaf(leaf) => Expr::Leaf(change(leaf)),
            Self::Constant(c) => Expr::Constant(c),
            Self::Sum(terms) => Expr::Sum(terms.into_iter().map(|k| k.map_leaves(change)).collect()),
            Self::Product(factors) => {
                Expr::Product(factors.into_iter().map(|k| k.map_leaves(change)).collect())
            }
        }
    }
}

/// The only operand, or the node of several, or the neutral constant of none.
fn single<L>(mut operands: Vec<Expr<L>>, neutral: f64, node: fn(Vec<Expr<L>>) -> Expr<L>) -> Expr<L> {
    match operands.len() {
        0 | 1 => operands.pop().unwrap_or(Expr::Constant(neutral)),
        _ => node(operands),
    }
}

impl<L: Leaf> Expr<L> {
    /// Checks every parameter, constant and exponent.
    ///
    /// # Errors
    /// The first one outside its range: a constant that is negative (then the rules no longer make kernels) or not
    /// finite, an exponent outside 1 to [`MAX_POWER`], an expression nested deeper than [`MAX_DEPTH`], or a
    /// parameter of a leaf.
    pub fn check(&self) -> Result<()> {
        self.check_at(1)
    }

    fn check_at(&self, depth: usize) -> Result<()> {
        check("depth", depth as f64, depth <= MAX_DEPTH, "an expression may nest at most 64 deep")?;
        match self {
            Self::Leaf(leaf) => leaf.check()?,
            Self::Constant(c) => {
                check("constant", *c, *c >= 0.0 && c.is_finite(), "must be finite and not negative")?;
            }
            Self::Power(_, m) => {
                check("power", f64::from(*m), (1..=MAX_POWER).contains(m), "must lie in 1 to 100")?;
            }
            Self::Normalized(k) if k.leaves().iter().any(|leaf| leaf.is_tabled()) => {
                let what = "normalized(…) of a precomputed kernel: new rows of a table do not say k(x, x); normalise the table";
                return Err(ErrorKind::Unsupported { what: what.into() }.into());
            }
            _ => {}
        }
        self.operands().iter().try_for_each(|k| k.check_at(depth + 1))
    }

    /// What is known of its definiteness without looking at data: an expression is as definite as the least definite
    /// of its parts, because every rule of the algebra keeps a kernel a kernel; a negative constant is no kernel.
    #[must_use]
    pub fn definiteness(&self) -> Definiteness {
        match self {
            Self::Leaf(leaf) => leaf.definiteness(),
            Self::Constant(c) if !(*c >= 0.0 && c.is_finite()) => Definiteness::Unknown,
            _ => self.operands().iter().map(Self::definiteness).max().unwrap_or(Definiteness::Psd),
        }
    }
}

/// An operator between kernels, and between a kernel and a number on either side.
macro_rules! operator {
    ($trait:ident, $method:ident, $join:ident) => {
        impl<L> $trait for Expr<L> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self::$join([self, other])
            }
        }

        impl<L> $trait<f64> for Expr<L> {
            type Output = Self;
            fn $method(self, constant: f64) -> Self {
                Self::$join([self, Self::Constant(constant)])
            }
        }

        impl<L> $trait<Expr<L>> for f64 {
            type Output = Expr<L>;
            fn $method(self, kernel: Expr<L>) -> Expr<L> {
                kernel.$method(self)
            }
        }
    };
}
operator!(Add, add, sum);
operator!(Mul, mul, product);

#[cfg(test)]
mod tests {
    use crate::error::ErrorKind;
    use crate::kernel::{Expr, VectorExpr, constant, linear, rbf};

    #[test]
    fn scaled_leaf_is_a_product_with_its_constant_first() {
        let expected = Expr::Product(vec![Expr::Constant(2.0), linear()]);
        assert_eq!(2.0 * linear(), expected);
        assert_eq!(linear() * 2.0, expected);
        assert_eq!(linear() * constant(2.0), expected);
    }

    #[test]
    fn sums_and_products_are_flattened_and_their_constants_merged() {
        let sum = (linear() + 1.0) + (rbf(1.0) + 2.0);
        assert_eq!(sum, Expr::Sum(vec![linear(), rbf(1.0), Expr::Constant(3.0)]));
        let product = (2.0 * linear()) * (rbf(1.0) * 3.0);
        assert_eq!(product, Expr::Product(vec![Expr::Constant(6.0), linear(), rbf(1.0)]));
    }

    #[test]
    fn sum_of_none_is_zero_and_product_of_none_is_one() {
        assert_eq!(VectorExpr::sum([]), constant(0.0));
        assert_eq!(VectorExpr::product([]), constant(1.0));
        assert_eq!(Expr::sum([linear()]), linear());
    }

    #[test]
    fn a_coefficient_of_one_is_kept() {
        assert_eq!(1.0 * linear(), Expr::Product(vec![Expr::Constant(1.0), linear()]));
    }

    #[test]
    fn negative_and_nan_constants_are_refused_by_check() {
        for refused in [-1.0, f64::NAN, f64::INFINITY] {
            for kernel in [refused * linear(), linear() + refused, (constant(refused) + linear()).exp()] {
                let error = kernel.check().unwrap_err();
                let ErrorKind::Parameter { name, .. } = error.kind() else { panic!("{error}") };
                assert_eq!(*name, "constant");
            }
        }
        (0.0 * linear()).check().unwrap();
    }

    #[test]
    fn exponents_and_depth_are_limited() {
        linear().power(100).check().unwrap();
        assert!(linear().power(0).check().is_err());
        assert!(linear().power(101).check().is_err());
        let nested = |depth| (1..depth).fold(linear(), |kernel, _| kernel.exp());
        nested(64).check().unwrap();
        assert!(nested(65).check().is_err());
    }
}
