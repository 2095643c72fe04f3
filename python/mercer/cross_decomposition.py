"""Kernel canonical correlations."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_array, check_consistent_length

from mercer import _data, _kernel, _mercer
from mercer._algebra import Algebra
from mercer._native import Expanded
from mercer._parameters import COUNT, POSITIVE, RULES, declared, parameter
from mercer.errors import UnsupportedError
from mercer.kernels import Kernel

__all__ = ["KernelCCA"]


@declared
class KernelCCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Expanded, Algebra):
    """Kernel canonical correlation analysis of two views.

    Finds pairs of functions f of the first view and g of the second that go together: the largest cov(f, g) for
    var f + α‖f‖² ≤ 1 and the same of g.

    Attributes
    ----------
    alpha_ : float
        The price of ‖f‖² that was taken.
    alpha_scores_ : ndarray of shape (n_alphas,)
        How good each of several `alpha` is by `choose`; there where there were several.
    values_ : ndarray of shape (n_components,)
        cov(f, g) of each component under the constraint, descending.
    correlations_ : ndarray of shape (n_components,)
        The correlation of f and g on the training data.

    See Also
    --------
    KernelPCA : Components of one view.

    >>> import numpy as np
    >>> t = np.linspace(-1.0, 1.0, 40)[:, None]
    >>> model = KernelCCA(n_components=1).fit(t, t**2)
    >>> bool(model.correlations_[0] > 0.95)
    True
    >>> KernelCCA(n_components=1, alpha=[1e-3, 10.0]).fit(t, t**2).alpha_
    0.001
    """

    kernel: Any = parameter(default="rbf", rule=[str, Kernel])
    n_components: int = parameter(default=2, kw_only=False, setting="components", rule=COUNT)
    alpha: Any = parameter(
        default=0.02, rule=[*POSITIVE, "array-like"], kind="float or array-like of float",
        doc="The price of ‖f‖² beside the variance of f, in both views; of several the best by `choose`.",
    )
    choose: str = parameter(
        default="cv", setting="choose", rule=[StrOptions({"cv", "permutation"})],
        doc="How one of several `alpha` is chosen: by the correlations on rows left out, in five folds, or by how far the"
        " correlations are from those of views torn apart, five times.",
    )
    kernel_y: Any = parameter(
        default=None, doc="The kernel of the second view; None for the same as of the first.", rule=[str, Kernel, None]
    )
    gamma_y: float | str = parameter(
        default="scale", doc="The coefficient of a kernel of the second view that is a name.", rule=RULES["gamma"]
    )
    rank: int | None = parameter(default=None, setting="rank", rule=[*COUNT, None])
    random_state: Any = parameter(
        default=None, doc="What the trials of `choose` are drawn by; None is the same each time."
    )

    _method = "cca"
    # y is checked as a second view.
    _supervised = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    @property
    def _second(self) -> Any:
        """The kernel of the second view."""
        return self.kernel if self.kernel_y is None else self.kernel_y

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any]:
        if y is None:
            raise ValueError("KernelCCA requires y to be passed, but the target y is None: it is the second view.")
        X, second = super()._checked(X, None)[0], self._checked_second(y)
        check_consistent_length(X, second)
        return X, second

    def _checked_second(self, y: Any) -> Any:
        kind = _kernel.kind(self._second)
        if kind in _data.OBJECTS:
            return _data.objects(y, kind, self._second)
        found = check_array(y, dtype=_data.precisions(y), accept_sparse="csr", input_name="y", ensure_2d=False)
        return found.reshape(-1, 1) if found.ndim == 1 else found

    def _target(self, y: Any) -> Any:
        return _data.points(y)

    def _solved(self, run: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        second, _ = _kernel.resolved(self._second, self.gamma_y, self.degree, self.coef0, target, weights)
        if second is None or str(second) == "precomputed":
            raise ValueError(f"the kernel of the second view cannot be {self._second!r}")
        if second.space != kernel.space:
            raise UnsupportedError(f"a view of {kernel.space} and one of {second.space}: both must be of one space")
        several = np.ndim(self.alpha) > 0
        alpha = np.asarray(self.alpha, dtype=np.float64).ravel().tolist() if several else self.alpha
        settings = self._settings(points) | {"kappa": alpha, "seed": self._seed(), "second-kernel": str(second)}
        return _mercer.fit(run, self._method, settings, kernel, points, target, weights)

    def _found(self, X: Any) -> None:
        super()._found(X)
        facts, found = self._model.facts(), self._model.found()
        self.alpha_ = facts["kappa"]
        self.__dict__.pop("alpha_scores_", None)
        if "scores" in found:
            self.alpha_scores_ = found["scores"]
        self.values_ = facts["values"]
        self.correlations_ = facts["correlations"]
        self._n_features_out = len(self.values_)

    def transform(self, X: Any, y: Any = None) -> Any:
        """Evaluate the functions.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of str
            Rows of the first view.
        y : {array-like, sparse matrix} of shape (n_samples, n_targets) or list of str, default=None
            Rows of the second view.

        Returns
        -------
        X_new : ndarray of shape (n_samples, n_components), or a tuple of two
            f of each row; with y also g of each row of the second view.
        """
        points = self._points(X)
        first = self._model.outputs(self._run(), points, "components")
        if y is None:
            return first
        return first, self._model.outputs(self._run(), _data.points(self._checked_second(y)), "second")

    def score(self, X: Any, y: Any) -> float:
        """The correlation of the first pair of functions on these rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of str
            Rows of the first view.
        y : {array-like, sparse matrix} of shape (n_samples, n_targets), or list of str
            Rows of the second view.

        Returns
        -------
        score : float
            Between -1 and 1; 0 where one of the functions does not vary.
        """
        f, g = (values[:, 0] for values in self.transform(X, y))
        spread = f.std() * g.std()
        return float(np.mean((f - f.mean()) * (g - g.mean())) / spread) if spread > 0.0 else 0.0
