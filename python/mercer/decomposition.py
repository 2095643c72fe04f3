"""Kernel principal components."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer import _data, _mercer
from mercer._algebra import PairwiseAlgebra
from mercer._parameters import COUNT, FLAG, NON_NEGATIVE, declared, parameter
from mercer.errors import NoVarianceError

__all__ = ["KernelPCA"]

#: A negative eigenvalue of more than this share of the largest is no rounding.
_SIGNIFICANT = 1e-5

#: Of parameters that nothing depends on.
_TAKEN = "Taken for scikit-learn's sake"

#: How pre-images are found.
_WAYS = ("auto", "linear", "fixed-point", "distances", "ridge")


@declared
class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PairwiseAlgebra):
    """Kernel principal components.

    The eigenvectors of the centred Gram matrix K̃: directions of largest variance in feature space. A drop-in for
    :class:`sklearn.decomposition.KernelPCA`, with pre-images of four kinds.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the centred Gram matrix, descending.
    eigenvectors_ : ndarray of shape (n_samples, n_components)
        Its eigenvectors.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The share of the variance in feature space along each component.
    dual_coef_ : ndarray of shape (n_samples, n_features)
        Coefficients of the inverse, where it is fitted.
    X_transformed_fit_ : ndarray of shape (n_samples, n_components)
        The training data on the components, where the inverse is fitted.
    gamma_ : float
        The coefficient of the kernel.

    See Also
    --------
    RelevantDimension : How many components matter for a target.

    >>> X = [[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]
    >>> KernelPCA(n_components=1).fit_transform(X).round(2).ravel()
    array([ 5.,  0., -5.])
    """

    n_components: int | None = parameter(default=None, kw_only=False, setting="components", rule=[*COUNT, None])
    alpha: float = parameter(
        default=1.0, doc="The penalty of the ridge regression that `inverse_transform` goes by.", rule=NON_NEGATIVE
    )
    fit_inverse_transform: bool = parameter(default=False, doc="Whether that regression is fitted.", rule=FLAG)
    eigen_solver: str = parameter(
        default="auto", rule=[StrOptions({"auto", "dense", "arpack", "randomized"})],
        doc=f"{_TAKEN}: the library chooses between a full decomposition and its own block Lanczos by size.",
    )
    tol: float = parameter(default=0, doc=f"{_TAKEN}: components are right to rounding.", rule=NON_NEGATIVE)
    max_iter: int | None = parameter(default=None, doc=f"{_TAKEN}.", rule=[*COUNT, None])
    iterated_power: int | str = parameter(
        default="auto", doc=f"{_TAKEN}.", rule=[Interval(Integral, 0, None, closed="left"), StrOptions({"auto"})]
    )
    remove_zero_eig: bool = parameter(
        default=False, rule=FLAG,
        doc="Whether components of zero eigenvalue are left out where `n_components` asks for more than there are.",
    )
    random_state: Any = parameter(default=None, doc=f"{_TAKEN}: nothing is drawn.")
    copy_X: bool = parameter(default=True, doc="Whether `X_fit_` is a copy of the training data.", rule=FLAG)
    n_jobs: int | None = parameter(default=None, doc=f"{_TAKEN}; see `n_threads`.", rule=[None, Integral])

    _method = "kpca"
    _supervised = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = tags.input_tags.sparse and not self.fit_inverse_transform
        return tags

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any]:
        if self.fit_inverse_transform and (self._kind == "values" or self._kind in _data.OBJECTS):
            what = "precomputed kernel" if self._kind == "values" else f"kernel on {self._kind}"
            raise ValueError(f"Cannot fit_inverse_transform with a {what}.")
        if self.fit_inverse_transform and sp.issparse(X):
            raise TypeError("Sparse input cannot be inverted: fit_inverse_transform needs dense X.")
        return super()._checked(X, y)

    def _validated(self, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        copy = self.copy_X and options.get("reset", True) and not sp.issparse(X)
        return super()._validated(X, y, copy=copy, **options)

    def _solved(self, run: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        self._kernel_text = str(kernel)
        try:
            return _signed(super()._solved(run, kernel, points, target, weights))
        except NoVarianceError:
            # All rows are the same to the kernel: no component has a variance.
            return None

    def _found(self, X: Any) -> None:
        super()._found(X)
        model = self._model
        self.X_fit_ = _data.to_python(model.points) if X is None else X
        self._dtype = np.dtype(np.float32 if self.X_fit_.dtype == np.float32 else np.float64)
        facts = {"eigenvalues": np.empty(0), "explained": np.empty(0)} if model is None else model.facts()
        values = facts["eigenvalues"]
        kept = len(values)
        if X is not None:
            self._refuse_negative(facts)
            if self._input not in _data.OBJECTS:
                self.gamma_ = 1.0 / X.shape[1] if self.gamma is None else getattr(self, "_gamma", self.gamma)
            if self.n_components is not None and not self.remove_zero_eig:
                # Zero eigenvalues are kept where they were asked for.
                kept = max(kept, min(self.n_components, X.shape[0]))
        self.explained_variance_ratio_ = facts["explained"]
        self.eigenvalues_ = np.pad(values, (0, kept - len(values)))
        self._n_features_out = kept
        self.eigenvectors_ = np.zeros((self.X_fit_.shape[0], kept))
        if model is not None:
            own = model.coefficients().T * np.sqrt(values) / np.sqrt(_weights(model))[:, None]
            self.eigenvectors_[model.support() if X is not None else slice(None), : len(values)] = own
        if X is not None and self.fit_inverse_transform:
            self._fit_inverse(X)

    def _refuse_negative(self, facts: dict[str, Any]) -> None:
        """Refuses negative eigenvalues beyond rounding, which show where all others are known."""
        values, rows = facts["eigenvalues"], self._fitted_rows
        wanted = rows if self.n_components is None else min(self.n_components, rows)
        if not len(values) or wanted <= len(values) < rows - 1:
            return
        negative = facts["total"] - values.sum()
        if negative < -_SIGNIFICANT * values[0]:
            raise ValueError(
                f"There are significant negative eigenvalues ({negative:g} in all). Either the matrix is"
                " not PSD, or there was an issue while computing the eigendecomposition of the matrix."
            )

    def _fit_inverse(self, X: Any) -> None:
        """A ridge regression from components to features."""
        self.X_transformed_fit_ = self._training_scores()
        points = self._inverse_points(self.X_transformed_fit_)
        kernel = _mercer.Kernel(self._kernel_text)
        targets = np.ascontiguousarray(X, dtype=np.float64)
        settings = {"lambda": self.alpha, "offset": False, "tolerance": 1e-12}
        inverse = _mercer.fit(self._run(), "ridge", settings, kernel, points, targets)
        self.dual_coef_ = inverse.coefficients().T
        self._inverse = inverse.to_bytes()

    def _inverse_points(self, scores: Any) -> Any:
        if self._input == "function":
            return _mercer.Points.gram(self._values(scores, self.X_transformed_fit_))
        return _data.points(np.ascontiguousarray(scores))

    def _training_scores(self) -> Any:
        """The training data on the components. Only rows of weight 0, which the model does not have, take kernel values."""
        found = np.zeros((self._fitted_rows, self._n_features_out))
        if self._model is not None:
            own, support = self._model.own_components(), self._model.support()
            found[support, : own.shape[1]] = own
            left_out = np.setdiff1d(np.arange(self._fitted_rows), support)
            if left_out.size:
                found[left_out] = self._scores(self.X_fit_[left_out])
        return found

    def _scores(self, X: Any) -> Any:
        """Checked rows on the components."""
        found = np.zeros((X.shape[0], self._n_features_out))
        if getattr(self, "_model", None) is not None:
            own = self._model.outputs(self._run(), self._as_points(X), "components")
            found[:, : own.shape[1]] = own
        return found

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Find the components and the place of the training data on them.

        Parameters
        ----------
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
        """Project rows onto the components."""
        X = self._checked_rows(X)
        return self._scores(X).astype(np.float32 if X.dtype == np.float32 else np.float64, copy=False)

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
        found = inverse.outputs(self._run(), self._inverse_points(scores), "decisions", True)
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
        points = self._points(X)
        return self._model.denoise(
            self._run(), points, way, steps=int(max_iter), tolerance=float(tol), neighbours=int(n_neighbors),
            penalty=float(alpha),
        )


def _weights(model: _mercer.Model) -> Any:
    """The weight of each point of a model."""
    found = model.facts().get("point_weights")
    return np.ones(model.coefficients().shape[1]) if found is None else found


def _signed(model: _mercer.Model) -> _mercer.Model:
    """The model with the largest of the training rows positive on each component, as in scikit-learn."""
    coefficients = model.coefficients()
    scores = coefficients / _weights(model)
    largest = np.abs(scores).argmax(axis=1)
    signs = np.where(scores[np.arange(len(scores)), largest] < 0.0, -1.0, 1.0)
    return model.with_coefficients(coefficients * signs[:, None], model.offsets() * signs)
