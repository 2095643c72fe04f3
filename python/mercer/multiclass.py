"""Classifiers of all classes together, of one class against the others, of several labels, and by cells."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import type_of_target

from mercer import _mercer
from mercer._labels import names_of
from mercer._parameters import POSITIVE, declared, parameter
from mercer._svm import Solved, SupportVectors
from mercer.classification import Probable, Scored, WeightedClasses

__all__ = ["CrammerSingerSVC", "KernelSoftmax", "LocalSVC", "OneVsRestSVC", "WestonWatkinsSVC"]


@declared
class Scores(Scored, WeightedClasses, SupportVectors):
    """A function for each class, of which the largest decides, by a quadratic programme.

    >>> model = Scores(C=10.0).fit([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 1, 2, 2])
    >>> model.predict([[0.5], [2.5], [4.5]])
    array([0, 1, 2])
    """

    C: float = parameter(default=1.0, setting="c", rule=POSITIVE)


@declared
class CrammerSingerSVC(Scores):
    """Support vector classification of all classes in one programme (Crammer and Singer).

    Minimises ½Σ‖w_c‖² + C Σᵢ max over c ≠ yᵢ of max(0, 1 − (F_yᵢ(xᵢ) − F_c(xᵢ))): only the worst of the other classes
    counts.

    See Also
    --------
    WestonWatkinsSVC : Each of the other classes counts.
    SVC : A function for each pair of classes.
    """

    _method = "crammer-singer"


@declared
class WestonWatkinsSVC(Scores):
    """Support vector classification of all classes in one programme (Weston and Watkins).

    Minimises ½Σ‖w_c‖² + C Σᵢ Σ over c ≠ yᵢ of max(0, 1 − (F_yᵢ(xᵢ) − F_c(xᵢ))): each of the other classes counts.

    See Also
    --------
    CrammerSingerSVC : Only the worst of the other classes counts.
    """

    _method = "weston-watkins"


@declared
class OneVsRestSVC(Scores):
    """Support vector classification of each class against all others, or of several labels a row.

    With a matrix of 0 and 1 for y there is a function for each column.

    Attributes
    ----------
    multilabel_ : bool
        Whether rows have several labels.

    See Also
    --------
    SVC : A function for each pair of classes.
    """

    _counts_apart = True
    _method = "ovr"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    def _restore(self, model: _mercer.Model) -> None:
        self.multilabel_ = model.head()["kind"] == "multilabel"
        super()._restore(model)

    def _validated(self, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        if y is not None and not isinstance(y, str):
            options["multi_output"] = type_of_target(y) == "multilabel-indicator"
        return super()._validated(X, y, **options)

    def _target(self, y: Any) -> Any:
        self.multilabel_ = type_of_target(y) == "multilabel-indicator"
        if not self.multilabel_:
            return super()._target(y)
        labels = y.toarray() if sp.issparse(y) else np.asarray(y)
        self.classes_ = np.arange(labels.shape[1])
        self.class_weight_ = np.ones(labels.shape[1])
        self._present = self.classes_
        return names_of(self.classes_), labels != 0

    def _weights(self, weights: Any, target: Any) -> Any:
        return weights if self.multilabel_ else super()._weights(weights, target)

    def _solved(self, run: Any, kernel: Any, points: Any, target: Any, weights: Any) -> Any:
        method = "multilabel" if self.multilabel_ else self._method
        return _mercer.fit(run, method, self._settings(points), kernel, points, target, weights)


@declared
class KernelSoftmax(Probable, Scores):
    """Kernel logistic regression of any number of classes.

    Minimises ½Σ‖w_c‖² + C Σᵢ log Σ_c exp(F_c(xᵢ) − F_yᵢ(xᵢ)): the scores are logarithms of probabilities.

    See Also
    --------
    SVC : Probabilities learnt after the fit, by `probability`.

    >>> model = KernelSoftmax(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> model.predict_proba([[0.0]])[0].sum()
    np.float64(1.0)
    """

    _method = "softmax"
    #: Its exact finish is a system of all rows and classes.
    _exact_rows = 500


@declared
class LocalSVC(WeightedClasses, Solved):
    """Support vector classification by cells, for 100,000 rows and more.

    The data are parted into cells, and each has a classifier of its own: an approximation of :class:`SVC` that costs a
    fraction of its time.

    Attributes
    ----------
    cell_sizes_ : ndarray of shape (n_cells,)
        Training rows of each cell.

    See Also
    --------
    SVC : The exact classifier.

    >>> model = LocalSVC(gamma=2.0, C=10.0, n_cells=2)
    >>> model.fit([[0.0], [0.1], [0.9], [1.0], [50.0], [50.1], [50.9], [51.0]], [0, 0, 1, 1, 1, 1, 2, 2]).cell_sizes_
    array([4, 4])
    >>> model.predict([[0.05], [0.95], [50.0], [50.8]])
    array([0, 1, 1, 2])
    """

    C: float = parameter(default=1.0, setting="c")
    n_cells: int | None = parameter(
        default=None, setting="cells", rule=[Interval(Integral, 1, 512, closed="both"), None]
    )

    _method = "local"

    def _found(self, X: Any) -> None:
        self.cell_sizes_ = np.array([cell["rows"] for cell in self._model.facts()["cells"]])
        super()._found(X)
