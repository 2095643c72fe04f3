"""What the estimators that are linear algebra have in common."""

from __future__ import annotations

from typing import Any

from mercer._native import NativeEstimator
from mercer._parameters import NON_NEGATIVE, RULES, declared, parameter


@declared
class Algebra(NativeEstimator):
    """An estimator that is linear algebra on a Gram matrix.

    Attributes
    ----------
    residual_ : float
        The certificate: the largest relative residual of the linear systems or eigenproblems that were solved.
    """

    degree: float = parameter(default=3, rule=NON_NEGATIVE)
    gamma: float | str | None = parameter(default="scale", rule=[*RULES["gamma"], None])

    def _found(self, X: Any) -> None:
        self.residual_ = 0.0 if self._model is None else self._model.quality()["residual"]


@declared
class PairwiseAlgebra(Algebra):
    """An estimator whose kernel is named as in scikit-learn's pairwise kernels.

    Attributes
    ----------
    X_fit_ : {ndarray, sparse matrix} of shape (n_samples, n_features)
        The training data.
    """

    kernel: Any = parameter(
        default="linear", kind="str, Kernel or callable",
        doc="A name of :func:`sklearn.metrics.pairwise.pairwise_kernels` that goes with `gamma`, `degree` and `coef0`; a"
        ' kernel of :mod:`mercer.kernels`, or its text, such as ``"spectrum(p=3)"`` where X are texts; "precomputed" where'
        " the data are kernel values; or a function of two rows.",
    )
    gamma: float | str | None = parameter(
        default=None, doc='The coefficient of the named kernels; None and "auto" for 1 / n_features.',
        rule=[*RULES["gamma"], None],
    )
    coef0: float = parameter(default=1)
    kernel_params: dict[str, Any] | None = parameter(
        default=None, doc="Keywords for a kernel that is a function.", rule=[dict, None]
    )

    _rowwise = True
