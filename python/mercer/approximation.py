"""Features whose inner products come near to a kernel, for linear models on very many rows."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer import _data, _kernel, _mercer
from mercer.kernels import Kernel

__all__ = ["Nystroem"]


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Features by landmarks: the projection onto their span in the feature space of a kernel.

    With landmarks Z and L the Cholesky factor of their Gram matrix, a row x becomes L⁻¹ k(Z, x), so that inner products of the features are
    k(x, Z) K⁻¹ k(Z, y). A stand-in for :class:`sklearn.kernel_approximation.Nystroem`, whose features differ from these by a rotation;
    landmarks that are combinations of others are left out.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian"}, str or Kernel, default="rbf"
        A name that goes with `gamma`, `degree` and `coef0`; a kernel of :mod:`mercer.kernels`, or its text.
    gamma : float or {"scale", "auto"}, default=None
        The coefficient of the kernel: None and "auto" for 1 / n_features, "scale" for 1 / (n_features * X.var()).
    coef0 : float, default=1
        The constant of "poly".
    degree : float, default=3
        The power of "poly".
    n_components : int, default=100
        Landmarks, at most.
    choose : {"uniform", "kmeans", "leverage", "pivot"}, default="uniform"
        How they are chosen: drawn; as centres of clusters; drawn by ridge leverage; as pivots of a Cholesky factor.
    random_state : int, RandomState instance or None, default=None
        What they are drawn by.
    n_threads : int, default=None
        Threads; None for what the machine has. The features do not depend on it.

    Attributes
    ----------
    components_ : ndarray or sparse matrix of shape (n_landmarks, n_features)
        The landmarks.
    n_features_in_ : int
        Number of features.

    See Also
    --------
    mercer.kernels.nystrom : The same as a map of a kernel, for every estimator of this package.

    Examples
    --------
    >>> from mercer.approximation import Nystroem
    >>> X = [[0.0], [1.0], [2.0]]
    >>> features = Nystroem(gamma=0.5, n_components=3, random_state=0).fit_transform(X)
    >>> (features @ features.T).round(3)
    array([[1.   , 0.607, 0.135],
           [0.607, 1.   , 0.607],
           [0.135, 0.607, 1.   ]])
    """

    _parameter_constraints: dict[str, Any] = {
        "kernel": [str, Kernel],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale", "auto"}), None],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "degree": [Interval(Real, 1, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "choose": [StrOptions({"uniform", "kmeans", "leverage", "pivot"})],
        "random_state": ["random_state"],
        "n_threads": [Interval(Integral, 1, _mercer.MAX_THREADS, closed="both"), None],
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: float | str | None = None,
        coef0: float = 1.0,
        degree: float = 3.0,
        n_components: int = 100,
        choose: str = "uniform",
        random_state: Any = None,
        n_threads: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.n_components = n_components
        self.choose = choose
        self.random_state = random_state
        self.n_threads = n_threads

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        found = state.pop("_features", None)
        if found is not None:
            state["_kept"] = (found.kernel, [_data.to_python(each) for each in found.landmarks()])
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        kept = state.pop("_kept", None)
        if kept is not None:
            kernel, landmarks = kept
            state = {**state, "_features": _mercer.Features.restored(kernel, [_data.points(each) for each in landmarks])}
        super().__setstate__(state)

    def _run(self) -> Any:
        return _mercer.Run(threads=self.n_threads)

    def _points(self, X: Any, reset: bool) -> Any:
        return _data.points(validate_data(self, X, reset=reset, dtype=_data.precisions(X), accept_sparse="csr"))

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Nystroem:
        """Choose landmarks.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows that they are chosen from.
        y : None
            Ignored.

        Returns
        -------
        self : Nystroem
            The estimator.

        Examples
        --------
        >>> from mercer.approximation import Nystroem
        >>> Nystroem(n_components=2).fit([[0.0], [1.0], [2.0]]).components_.shape
        (2, 1)
        """
        points = self._points(X, True)
        kernel, _ = _kernel.resolved(self.kernel, self.gamma, self.degree, self.coef0, points, None)
        if kernel is None:
            raise ValueError(f"kernel={self.kernel!r}: landmarks are of a kernel of this package")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        text = f"nystrom({kernel}, landmarks={self.n_components}, choose={self.choose}, seed={seed})"
        self._features = _mercer.Features.fitted(self._run(), _mercer.Kernel(f"linear @ {text}"), points)
        self.components_ = _data.to_python(self._features.landmarks()[0])
        self._n_features_out = self.components_.shape[0]
        return self

    def transform(self, X: Any) -> Any:
        """Features of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        features : ndarray of shape (n_samples, n_landmarks)
            Their features.

        Examples
        --------
        >>> from mercer.approximation import Nystroem
        >>> X = [[0.0], [1.0], [2.0]]
        >>> Nystroem(n_components=2).fit(X).transform(X).shape
        (3, 2)
        """
        check_is_fitted(self, "_features")
        return self._features.transform(self._run(), self._points(X, False))

    def residual(self, X: Any) -> Any:
        """What the landmarks leave of k(x, x): the squared distance of each row from their span.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        residual : ndarray of shape (n_samples,)
            A number for each row, not negative.

        Examples
        --------
        >>> import numpy as np
        >>> from mercer.approximation import Nystroem
        >>> model = Nystroem(gamma=1.0, n_components=1, random_state=0).fit([[0.0], [0.0]])
        >>> bool(abs(model.residual([[1.0]])[0] - (1 - np.exp(-2))) < 1e-12)
        True
        """
        check_is_fitted(self, "_features")
        return self._features.residual(self._run(), self._points(X, False))
