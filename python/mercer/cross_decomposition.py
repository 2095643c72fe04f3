"""Kernel canonical correlations."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted

from mercer import _data, _kernel, _mercer
from mercer._algebra import KERNEL, Algebra
from mercer._native import positive_weights
from mercer._progress import with_callbacks
from mercer.kernels import Kernel

__all__ = ["KernelCCA"]


class KernelCCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Algebra):
    """Kernel canonical correlation analysis of two views.

    Finds pairs of functions f of the first view and g of the second that go together: the largest cov(f, g) for
    var f + α‖f‖² ≤ 1 and the same of g.

    Parameters
    ----------
    n_components : int, default=2
        How many pairs of functions; fewer where a view has a smaller rank.
    alpha : float, default=0.02
        The price of ‖f‖² beside the variance of f, in both views.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"}, str, Kernel or callable, default="rbf"
        A name that goes with `gamma`, `degree` and `coef0`; a kernel of :mod:`mercer.kernels`, or its text, such as
        ``"rbf(gamma=0.5) + 2*linear"``; "precomputed" where the data are kernel values; or a function of two matrices
        that gives them.
    degree : int, default=3
        The power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        The coefficient of "rbf", "poly" and "sigmoid": 1 / (n_features * X.var()) for "scale", the variance that of the
        weighted rows, 1 / n_features for "auto".
    coef0 : float, default=0.0
        The constant of "poly" and "sigmoid".
    kernel_y : str or Kernel, default=None
        The kernel of the second view; None for the same as of the first.
    gamma_y : {"scale", "auto"} or float, default="scale"
        The coefficient of a kernel of the second view that is a name.
    rank : int, default=None
        The largest rank of a Gram matrix: less memory, and an approximation where its own is larger.
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    n_threads : int, default=None
        Threads; None for what `threadpoolctl`, MERCER_NUM_THREADS, OMP_NUM_THREADS or the machine say, in this order. The
        answer does not depend on it.

    Attributes
    ----------
    values_ : ndarray of shape (n_components,)
        cov(f, g) of each component under the constraint, descending.
    correlations_ : ndarray of shape (n_components,)
        The correlation of f and g on the training data.
    support_ : ndarray of shape (n_support,)
        Indices of the rows that f is built from.
    dual_coef_ : ndarray of shape (n_components, n_support)
        Their coefficients.
    residual_ : float
        The certificate: the largest relative residual of the eigenproblem.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    See Also
    --------
    KernelPCA : Components of one view.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelCCA
    >>> t = np.linspace(-1.0, 1.0, 40)[:, None]
    >>> model = KernelCCA(n_components=1).fit(t, t**2)
    >>> bool(model.correlations_[0] > 0.95)
    True
    """

    _parameter_constraints: dict[str, Any] = {
        **Algebra._parameter_constraints,
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0.0, None, closed="neither")],
        "kernel": [str, Kernel],
        "kernel_y": [str, Kernel, None],
        "gamma_y": KERNEL["gamma"],
        "rank": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        alpha: float = 0.02,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        kernel_y: Any = None,
        gamma_y: float | str = "scale",
        rank: int | None = None,
        verbose: bool = False,
        n_threads: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.kernel_y = kernel_y
        self.gamma_y = gamma_y
        self.rank = rank
        self.verbose = verbose
        self.n_threads = n_threads

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the functions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The first view.
        y : {array-like, sparse matrix} of shape (n_samples, n_targets) or (n_samples,)
            The second view.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight for each row. A whole number is the same as so many copies of the row; rows of weight 0 are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if y is None:
            raise ValueError("KernelCCA requires y to be passed, but the target y is None: it is the second view.")
        X = self._validated(X)
        second = self._second(y)
        check_consistent_length(X, second)
        weights = positive_weights(sample_weight, X.shape[0], X)
        kernel, points = self._begin(X, weights)
        other, others = self._second_kernel(second, weights)
        with self._following(X, y, None) as run:
            parameters = {
                "kappa": float(self.alpha), "components": int(self.n_components), "rank": self.rank,
                "second-kernel": str(other),
            }
            self._model = _mercer.fit(run, "cca", parameters, kernel, points, others, weights)
        self._found()
        return self

    def _restore(self, model: _mercer.Model) -> None:
        super()._restore(model)
        self._found()

    def _found(self) -> None:
        """The attributes that people read."""
        details = self._model.facts()
        self.values_ = details["values"]
        self.correlations_ = details["correlations"]
        self.residual_ = self._model.quality()["residual"]
        self.support_ = self._model.support()
        self.dual_coef_ = self._model.coefficients()
        self._n_features_out = len(self.values_)

    @staticmethod
    def _second(y: Any) -> Any:
        found = check_array(
            y, dtype=[np.float64, np.float32], accept_sparse="csr", input_name="y", ensure_2d=False
        )
        return found.reshape(-1, 1) if found.ndim == 1 else found

    def _second_kernel(self, second: Any, weights: Any) -> tuple[Any, Any]:
        kernel = self.kernel if self.kernel_y is None else self.kernel_y
        points = _data.points(second)
        native = _kernel.native(kernel)
        if native is not None:
            return native, points
        gamma = 0.0 if kernel == "linear" else _kernel.gamma_of(self.gamma_y, points, weights)
        found = _kernel.named(kernel, gamma, self.degree, self.coef0) if kernel != "precomputed" else None
        if found is None:
            raise ValueError(f"the kernel of the second view cannot be {kernel!r}")
        return found, points

    def transform(self, X: Any, y: Any = None) -> Any:
        """Evaluate the functions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of the first view.
        y : {array-like, sparse matrix} of shape (n_samples, n_targets), default=None
            Rows of the second view.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components), or a tuple of two
            f of each row; with y also g of each row of the second view.
        """
        points = self._checked_points(X)
        first = self._model.transform(self._run(), points, False)
        if y is None:
            return first
        return first, self._model.transform(self._run(), _data.points(self._second(y)), True)

    def fit_transform(self, X: Any, y: Any, **params: Any) -> Any:
        """Find the functions and their values on the first view.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The first view.
        y : {array-like, sparse matrix} of shape (n_samples, n_targets) or (n_samples,)
            The second view.
        **params : dict
            Parameters of `fit`, such as `sample_weight`.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            f of each row.
        """
        return self.fit(X, y, **params).transform(X)

    def score(self, X: Any, y: Any) -> float:
        """The correlation of the first pair of functions on these rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows of the first view.
        y : {array-like, sparse matrix} of shape (n_samples, n_targets)
            Rows of the second view.

        Returns
        -------
        score : float
            Between -1 and 1; 0 where one of the functions does not vary.
        """
        check_is_fitted(self)
        f, g = (values[:, 0] for values in self.transform(X, y))
        spread = f.std() * g.std()
        return float(np.mean((f - f.mean()) * (g - g.mean())) / spread) if spread > 0.0 else 0.0
