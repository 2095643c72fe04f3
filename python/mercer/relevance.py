"""How many components of a kernel matter for a target."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from mercer import _data, _kernel, _mercer
from mercer._labels import classes_in, kind_of, names_of
from mercer._native import NativeEstimator
from mercer._parameters import NON_NEGATIVE, declared, parameter
from mercer.kernels import Kernel

__all__ = ["RelevantDimension"]


@declared
class RelevantDimension(NativeEstimator):
    """How many kernel principal components carry a target, and how much of it is noise.

    The coefficients of the target in the eigenvectors of the Gram matrix are large up to the relevant dimension and noise
    beyond (Braun, Buhmann and Müller). Of several kernels the best is chosen.

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

    See Also
    --------
    KernelPCA : The components themselves.

    >>> import numpy as np
    >>> x = np.linspace(0.0, 1.0, 60)[:, None]
    >>> noise = 0.1 * np.random.default_rng(0).standard_normal(60)
    >>> model = RelevantDimension().fit(x, np.sin(6.0 * x.ravel()) + noise)
    >>> bool(model.dimension_ < 10 and 0.003 < model.noise_ < 0.03)
    True
    """

    kernel: Any = parameter(
        default="rbf", rule=[str, Kernel, list, callable], kind="str, Kernel, list of them or callable",
        doc="As in :class:`SVC`, or a list to choose from, for instance of several widths.",
    )
    degree: float = parameter(default=3, rule=NON_NEGATIVE)
    criterion: str = parameter(
        default="likelihood", rule=[StrOptions({"likelihood", "loo"})],
        doc="What chooses: the likelihood of two components, signal and noise, or leave-one-out.",
    )
    target: str = parameter(
        default="auto", rule=[StrOptions({"auto", "classes", "numbers"})],
        doc='What y is; "auto" takes whole numbers and strings for classes.',
    )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _target(self, y: Any) -> Any:
        """Numbers or classes."""
        y = column_or_1d(y, warn=True)
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

    def _training_points(self, X: Any, weights: Any) -> tuple[Any, _mercer.Points]:
        """The kernels to choose from, and the points."""
        if not isinstance(self.kernel, list):
            kernel, points = super()._training_points(X, weights)
            return [kernel], points
        if not self.kernel:
            raise ValueError("kernel: a list must have one or more kernels")
        points = _data.points(X)
        return [self._one(kernel, points, weights) for kernel in self.kernel], points

    def _one(self, kernel: Any, points: Any, weights: Any) -> _mercer.Kernel:
        found, _ = _kernel.resolved(kernel, self.gamma, self.degree, self.coef0, points, weights)
        if found is None or str(found) == "precomputed":
            raise ValueError(f"kernel: {kernel!r} cannot be one of several")
        return found

    @property
    def _kind(self) -> str:
        return _kernel.kind(self.kernel[0] if isinstance(self.kernel, list) and self.kernel else self.kernel)

    def _solved(self, run: Any, kernel: Any, points: Any, target: Any, weights: Any) -> None:
        found = _mercer.relevance(run, kernel, points, target, weights, leave_one_out=self.criterion == "loo")
        self.dimension_ = found["dimension"]
        self.noise_ = found["noise"]
        self.score_ = found["score"]
        self.eigenvalues_ = found["eigenvalues"]
        self.coefficients_ = np.array(found["coefficients"])
        self.cuts_ = np.array(found["cuts"]).reshape(-1, 3)
        self.trials_ = found["trials"]
        self._chosen = str(kernel[found["chosen"]])
        denoised = found["denoised"]
        self.denoised_ = self.classes_[denoised] if isinstance(target, tuple) else denoised

    @property
    def kernel_(self) -> Kernel:
        """The kernel, of several the best."""
        return Kernel(self._chosen)


def _fractions(y: Any) -> bool:
    """Whether y has numbers that are not whole."""
    return np.issubdtype(np.asarray(y).dtype, np.floating) and bool((y != np.round(y)).any())
