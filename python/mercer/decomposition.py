"""Components: kernel PCA, canonical correlations, relevant dimensions."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer import _data, _mercer
from mercer._algebra import Algebra
from mercer._native import positive_weights
from mercer._progress import with_callbacks
from mercer.errors import DataError

__all__ = ["KernelPCA"]

#: A negative eigenvalue of more than this share of the largest is no rounding.
_SIGNIFICANT = 1e-5

#: How pre-images are found.
_WAYS = ("auto", "linear", "fixed-point", "distances", "ridge")


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Algebra):
    """Kernel principal components.

    The eigenvectors of the centred Gram matrix K̃: directions of largest variance in feature space. A drop-in for
    :class:`sklearn.decomposition.KernelPCA`, with pre-images of four kinds.

    Parameters
    ----------
    n_components : int, default=None
        How many components; None for all whose eigenvalue is not zero.
    kernel : str, Kernel or callable, default="linear"
        A name of :func:`sklearn.metrics.pairwise.pairwise_kernels` that goes with `gamma`, `degree` and `coef0`; a kernel
        of :mod:`mercer.kernels`, or its text; "precomputed" where the data are kernel values; or a function of two rows.
    gamma : float, "scale" or "auto", default=None
        The coefficient of the named kernels; None and "auto" for 1 / n_features.
    degree : float, default=3
        The power of "poly".
    coef0 : float, default=1
        The constant of "poly" and "sigmoid".
    kernel_params : dict, default=None
        Keywords for a kernel that is a function.
    alpha : float, default=1.0
        The penalty of the ridge regression that `inverse_transform` goes by.
    fit_inverse_transform : bool, default=False
        Whether that regression is fitted.
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
        Taken for scikit-learn's sake: the library chooses between a full decomposition and its own block Lanczos by size.
    tol : float, default=0
        Taken for scikit-learn's sake: components are right to rounding.
    max_iter : int, default=None
        Taken for scikit-learn's sake.
    iterated_power : int or "auto", default="auto"
        Taken for scikit-learn's sake.
    remove_zero_eig : bool, default=False
        Whether components of zero eigenvalue are left out where `n_components` asks for more than there are.
    random_state : int, RandomState instance or None, default=None
        Taken for scikit-learn's sake: nothing is drawn.
    copy_X : bool, default=True
        Whether `X_fit_` is a copy of the training data.
    n_jobs : int, default=None
        Taken for scikit-learn's sake; see `n_threads`.
    verbose : bool, default=False
        Whether a bar shows what is done and the time on standard error.
    n_threads : int, default=None
        Threads; None for what `threadpoolctl`, MERCER_NUM_THREADS, OMP_NUM_THREADS or the machine say, in this order. The
        answer does not depend on it.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred Gram matrix, descending.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Its eigenvectors.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The share of the variance in feature space along each component.
    residual_ : float
        The certificate: the largest ‖K̃v − λv‖ over unit v, divided by the largest λ.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        Coefficients of the inverse, where it is fitted.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        The training data on the components, where the inverse is fitted.
    X_fit_ : {ndarray, sparse matrix} of shape (n_samples, n_features)
        The training data.
    gamma_ : float
        The coefficient of the kernel.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    See Also
    --------
    RelevantDimension : How many components matter for a target.

    Examples
    --------
    >>> from mercer import KernelPCA
    >>> X = [[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]
    >>> KernelPCA(n_components=1).fit_transform(X).round(2).ravel()
    array([ 5.,  0., -5.])
    """

    _parameter_constraints: dict[str, Any] = {
        **Algebra._parameter_constraints,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "kernel_params": [dict, None],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "fit_inverse_transform": ["boolean"],
        "eigen_solver": [StrOptions({"auto", "dense", "arpack", "randomized"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "iterated_power": [Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})],
        "remove_zero_eig": ["boolean"],
        "random_state": ["random_state"],
        "copy_X": ["boolean"],
        "n_jobs": [None, Integral],
    }
    _rowwise = True

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Any = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: int | str = "auto",
        remove_zero_eig: bool = False,
        random_state: Any = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
        verbose: bool = False,
        n_threads: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.n_threads = n_threads

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = tags.input_tags.sparse and not self.fit_inverse_transform
        return tags

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Find the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training vectors, or their kernel values for ``kernel="precomputed"``.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight for each row. A whole number is the same as so many copies of the row; rows of weight 0 are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        name = self._kernel_name()
        if self.fit_inverse_transform and name == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        if self.fit_inverse_transform and sp.issparse(X):
            raise TypeError("Sparse input cannot be inverted: fit_inverse_transform needs dense X.")
        X = self._validated(X, copy=self.copy_X and not sp.issparse(X))
        weights = positive_weights(sample_weight, X.shape[0], X)
        kernel, points = self._begin(X, weights)
        self.gamma_ = 1.0 / X.shape[1] if self.gamma is None else getattr(self, "_gamma", self.gamma)
        with self._following(X, y, None) as run:
            model = self._components(run, kernel, points, weights)
        self._finish(model, X)
        if self.fit_inverse_transform:
            self._fit_inverse(kernel, X)
        return self

    def _restore(self, model: _mercer.Model) -> None:
        super()._restore(model)
        self.X_fit_ = _data.to_python(model.points)
        self._dtype = self.X_fit_.dtype
        values = model.facts()["eigenvalues"]
        self.eigenvalues_ = values
        own = model.coefficients().T * np.sqrt(values)
        self.eigenvectors_ = own / np.sqrt(_weights(model))[:, None]
        self.residual_ = model.quality()["residual"]
        self.explained_variance_ratio_ = values / model.facts()["total"]
        self._n_features_out = len(values)

    def _components(self, run: Any, kernel: Any, points: Any, weights: Any) -> Any:
        count = len(points) if self.n_components is None else min(int(self.n_components), len(points))
        try:
            return _mercer.fit(run, "kpca", {"components": count}, kernel, points, None, weights)
        except DataError as error:
            if "variance" not in str(error) and "same" not in str(error):
                raise
            # All rows are the same to the kernel: no component has a variance.
            return None

    def _finish(self, model: Any, X: Any) -> None:
        """Signs, zeros, and the attributes that people read."""
        rows = X.shape[0]
        self.X_fit_ = X
        self._dtype = X.dtype
        wanted = rows if self.n_components is None else min(int(self.n_components), rows)
        values = np.empty(0) if model is None else model.facts()["eigenvalues"]
        if model is not None:
            total = model.facts()["total"]
            complete = len(values) < wanted or len(values) >= rows - 1
            if complete and values.sum() - total > _SIGNIFICANT * values[0]:
                raise ValueError(
                    f"There are significant negative eigenvalues ({total - values.sum():g} in all). Either the matrix is"
                    " not PSD, or there was an issue while computing the eigendecomposition of the matrix."
                )
            model = self._signed(model, values)
            self._model = model
            self.residual_ = model.quality()["residual"]
            self.explained_variance_ratio_ = values / total
        else:
            self.__dict__.pop("_model", None)
            self.residual_ = 0.0
        # Zero eigenvalues are kept where they were asked for.
        kept = len(values)
        if self.n_components is not None and not self.remove_zero_eig:
            kept = max(kept, wanted)
        self.eigenvalues_ = np.zeros(kept)
        self.eigenvalues_[: len(values)] = values
        self.eigenvectors_ = np.zeros((rows, kept))
        if model is not None:
            own = model.coefficients().T * np.sqrt(values)
            self.eigenvectors_[model.support(), : len(values)] = own / np.sqrt(_weights(model))[:, None]
        else:
            self.explained_variance_ratio_ = np.zeros(0)
        self._n_features_out = kept

    @staticmethod
    def _signed(model: Any, values: Any) -> Any:
        """The largest of the training rows is positive on each component, as in scikit-learn."""
        coefficients = model.coefficients()
        scores = coefficients / _weights(model)
        largest = np.abs(scores).argmax(axis=1)
        signs = np.where(scores[np.arange(len(values)), largest] < 0.0, -1.0, 1.0)
        return model.with_coefficients(coefficients * signs[:, None], model.offsets() * signs)

    def _fit_inverse(self, kernel: Any, X: Any) -> None:
        """A ridge regression from components to features."""
        self.X_transformed_fit_ = self._training_scores()
        points = self._inverse_points(self.X_transformed_fit_)
        own = _mercer.Kernel("precomputed") if hasattr(self, "_X_fit") else kernel
        targets = np.ascontiguousarray(X, dtype=np.float64)
        parameters = {"lambda": float(self.alpha), "offset": False, "tolerance": 1e-12}
        inverse = _mercer.fit(self._run(), "ridge", parameters, own, points, targets)
        self.dual_coef_ = inverse.coefficients().T
        self._inverse = inverse.to_bytes()

    def _inverse_points(self, scores: Any) -> Any:
        if hasattr(self, "_X_fit"):
            return _mercer.Points.gram(self._values(scores, self.X_transformed_fit_))
        return _data.points(np.ascontiguousarray(scores))

    def _scores(self, points: Any, rows: int) -> Any:
        found = np.zeros((rows, self._n_features_out))
        if hasattr(self, "_model"):
            own = self._model.transform(self._run(), points, False)
            found[:, : own.shape[1]] = own
        return found

    def _training_scores(self) -> Any:
        """The training data on the components. Only rows of weight 0, which the model does not have, take kernel values."""
        X = self.X_fit_
        found = np.zeros((X.shape[0], self._n_features_out))
        if hasattr(self, "_model"):
            own, support = self._model.own_components(), self._model.support()
            found[support, : own.shape[1]] = own
            left_out = np.setdiff1d(np.arange(X.shape[0]), support)
            if left_out.size:
                found[left_out] = self._scores(self._points(X[left_out]), left_out.size)
        return found

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Find the components and the place of the training data on them.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training vectors, or their kernel values for ``kernel="precomputed"``.
        y : None
            Ignored.
        **params : dict
            Parameters of `fit`, such as `sample_weight`.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            The training data on the components.
        """
        return self.fit(X, y, **params)._training_scores().astype(self._dtype, copy=False)

    def transform(self, X: Any) -> Any:
        """Project rows onto the components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples_train)
            Rows, or their kernel values with the training rows for ``kernel="precomputed"``.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components)
            Their place on the components.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        return self._scores(self._points(X), X.shape[0]).astype(X.dtype, copy=False)

    def inverse_transform(self, X: Any) -> Any:
        """Find rows whose components these are, by a ridge regression learnt on the training data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Places on the components.

        Returns
        -------
        X_original : ndarray of shape (n_samples, n_features)
            Rows.
        """
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse"
                " transform is not available."
            )
        check_is_fitted(self)
        scores = np.ascontiguousarray(X, dtype=np.float64)
        inverse = _mercer.Model.from_bytes(self._inverse)
        found = inverse.decisions(self._run(), self._inverse_points(scores), True)
        return found.astype(self._dtype, copy=False)

    def denoise(
        self, X: Any, *, way: str = "auto", max_iter: int = 1000, tol: float = 1e-6, n_neighbors: int = 10,
        alpha: float = 1e-3,
    ) -> Any:
        """Rows without what lies along other components than these.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.
        way : {"auto", "linear", "fixed-point", "distances", "ridge"}, default="auto"
            How pre-images are found: exactly for a linear kernel; by fixed-point iteration (Mika et al.) for the RBF
            kernel; by distances (Kwok and Tsang); by ridge regression. "auto" takes the best that the kernel has.
        max_iter : int, default=1000
            Steps of the iteration, at most.
        tol : float, default=1e-6
            The iteration rests where a step is at most this share of the point's norm.
        n_neighbors : int, default=10
            Nearest rows whose distances are taken.
        alpha : float, default=1e-3
            The penalty of the regression.

        Returns
        -------
        X_denoised : ndarray of shape (n_samples, n_features)
            Their pre-images.
        """
        if way not in _WAYS:
            raise ValueError(f"way = {way!r}: must be one of {', '.join(_WAYS)}")
        points = self._checked_points(X)
        return self._model.denoise(
            self._run(), points, way, steps=int(max_iter), tolerance=float(tol), neighbours=int(n_neighbors),
            penalty=float(alpha),
        )


def _weights(model: _mercer.Model) -> Any:
    """The weight of each point of a model."""
    found = model.facts().get("point_weights")
    return np.ones(len(model.points)) if found is None else found
