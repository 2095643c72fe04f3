"""How many components of a kernel matter for a target."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from mercer import _data, _kernel, _mercer
from mercer._algebra import Algebra
from mercer._native import classes_in, kind_of, names_of, positive_weights
from mercer._progress import with_callbacks
from mercer.kernels import Kernel

__all__ = ["RelevantDimension"]


class RelevantDimension(Algebra):
    """How many kernel principal components carry a target, and how much of it is noise.

    The coefficients of the target in the eigenvectors of the Gram matrix are large up to the relevant dimension and noise
    beyond (Braun, Buhmann and Müller). Of several kernels the best is chosen.

    Parameters
    ----------
    kernel : str, Kernel, list of them or callable, default="rbf"
        As in :class:`SVC`, or a list to choose from, for instance of several widths.
    degree : int, default=3
        The power of "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        The coefficient of named kernels.
    coef0 : float, default=0.0
        The constant of "poly" and "sigmoid".
    criterion : {"likelihood", "loo"}, default="likelihood"
        What chooses: the likelihood of two components, signal and noise, or leave-one-out.
    target : {"auto", "classes", "numbers"}, default="auto"
        What y is; "auto" takes whole numbers and strings for classes.
    verbose : bool, default=False
        Whether a bar shows violation, gap and time on standard error.
    n_threads : int, default=None
        Threads; None for what `threadpoolctl`, MERCER_NUM_THREADS, OMP_NUM_THREADS or the machine say, in this order. The
        answer does not depend on it.

    Attributes
    ----------
    dimension_ : int
        Components that matter.
    noise_ : float
        The variance of the noise; of classes the share of rows whose class is noise, an estimate of the Bayes error.
    score_ : float
        The criterion at the cut; less is better.
    kernel_ : Kernel
        The kernel, of several the best.
    eigenvalues_ : ndarray of shape (n_samples,)
        The spectrum, descending.
    coefficients_ : ndarray of shape (n_targets, n_samples)
        The target in the eigenvectors.
    cuts_ : ndarray of shape (n_cuts, 3)
        Each place where the spectrum can be cut: dimension, likelihood, leave-one-out error.
    trials_ : list of tuple or None
        What came of each kernel: dimension, score and noise.
    denoised_ : ndarray of shape (n_samples,)
        The target without noise.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    See Also
    --------
    KernelPCA : The components themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RelevantDimension
    >>> x = np.linspace(0.0, 1.0, 60)[:, None]
    >>> noise = 0.1 * np.random.default_rng(0).standard_normal(60)
    >>> model = RelevantDimension().fit(x, np.sin(6.0 * x.ravel()) + noise)
    >>> bool(model.dimension_ < 10 and 0.003 < model.noise_ < 0.03)
    True
    """

    _parameter_constraints: dict[str, Any] = {
        **Algebra._parameter_constraints,
        "kernel": [str, Kernel, list, callable],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0.0, None, closed="left")],
        "criterion": [StrOptions({"likelihood", "loo"})],
        "target": [StrOptions({"auto", "classes", "numbers"})],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        criterion: str = "likelihood",
        target: str = "auto",
        verbose: bool = False,
        n_threads: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.criterion = criterion
        self.target = target
        self.verbose = verbose
        self.n_threads = n_threads

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Estimate dimension and noise.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or (n_samples, n_samples)
            Training vectors, or their kernel values for ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Numbers or class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight for each row. A whole number is the same as so many copies of the row; rows of weight 0 are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y = self._validated(X, y)
        y = column_or_1d(y, warn=True)
        weights = positive_weights(sample_weight, X.shape[0], X)
        kernels, points = self._candidates(X, weights)
        target = self._target(y)
        with self._following(X, y, None) as run:
            found = _mercer.relevance(
                run, kernels, points, target, weights, leave_one_out=self.criterion == "loo"
            )
        self.dimension_ = found["dimension"]
        self.noise_ = found["noise"]
        self.score_ = found["score"]
        self.eigenvalues_ = found["eigenvalues"]
        self.coefficients_ = np.array(found["coefficients"])
        self.cuts_ = np.array(found["cuts"]).reshape(-1, 3)
        self.trials_ = found["trials"]
        self._chosen = str(kernels[found["chosen"]])
        denoised = found["denoised"]
        self.denoised_ = self.classes_[denoised] if isinstance(target, tuple) else denoised
        return self

    @property
    def kernel_(self) -> Kernel:
        """The kernel, of several the best."""
        return Kernel(self._chosen)

    def _target(self, y: Any) -> Any:
        """Numbers or classes."""
        classes = self.target == "classes" or (
            self.target == "auto" and type_of_target(y) in ("binary", "multiclass") and not _fractions(y)
        )
        self.__dict__.pop("classes_", None)
        if not classes:
            return y.astype(np.float64).reshape(-1, 1)
        check_classification_targets(y)
        self.classes_, index = classes_in(y)
        if len(self.classes_) < 2:
            raise ValueError("The number of classes has to be greater than one; got 1 class")
        return names_of(self.classes_), index, kind_of(self.classes_)

    def _candidates(self, X: Any, weights: Any) -> tuple[list[Any], Any]:
        """The kernels to choose from, and the points."""
        if not isinstance(self.kernel, list):
            kernel, points = self._begin(X, weights)
            return [kernel], points
        if not self.kernel:
            raise ValueError("kernel: a list must have one or more kernels")
        points = _data.points(X)
        return [self._one(kernel, points, weights) for kernel in self.kernel], points

    def _one(self, kernel: Any, points: Any, weights: Any) -> Any:
        native = _kernel.native(kernel)
        if native is not None:
            return native
        gamma = _kernel.gamma_of(self.gamma, points, weights)
        found = _kernel.named(kernel, gamma, self.degree, self.coef0) if isinstance(kernel, str) else None
        if found is None or kernel == "precomputed":
            raise ValueError(f"kernel: {kernel!r} cannot be one of several")
        return found


def _fractions(y: Any) -> bool:
    """Whether y has numbers that are not whole."""
    return np.issubdtype(np.asarray(y).dtype, np.floating) and bool((y != np.round(y)).any())
