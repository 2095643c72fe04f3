"""What theory says about the errors that a classifier will make."""

from __future__ import annotations

import copy
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples, check_consistent_length, column_or_1d

from mercer import _mercer
from mercer._files import _model_of, load
from mercer._labels import positive_weights


@dataclass(frozen=True)
class Bound:
    """A bound or an estimate of the error of a classifier.

    Parameters
    ----------
    name : str
        Its name, such as "leave-one-out" or "SRM".
    says : str
        What it says of the error: "measured" on rows that the model has not seen, an "estimate", above "leave-one-out",
        above the "error" itself but with the probability `delta`, or a "rule" by which parameters are compared.
    value : float or None
        A share of rows; None where it is not defined or was not asked for.
    vacuous : bool
        Whether it says nothing: it is 1 or more.
    formula : str
        How it is computed.
    assumption : str
        Under which conditions it holds.
    note : str
        What else is to be known of it here.
    interval : tuple of float or None
        The interval of a share that was counted.

    Examples
    --------
    >>> from mercer import SVC
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> bound = SVC(C=10, kernel="linear").fit(X, y).bounds(X, y)["support vectors"]
    >>> bound.value, bound.says, bound.vacuous
    (0.5, 'leave-one-out', False)
    """

    name: str
    says: str
    value: float | None
    vacuous: bool
    formula: str
    assumption: str
    note: str
    interval: tuple[float, float] | None = None

    @classmethod
    def _of(cls, told: dict[str, Any]) -> Bound:
        interval = told["interval"]
        ends = None if interval is None else (float(interval[0]), float(interval[1]))
        return cls(**{**told, "interval": ends})


@dataclass(frozen=True)
class PairBounds:
    """What bounds of a pair of classes rest on, and the bounds.

    Parameters
    ----------
    of : str
        The names of the classes.
    rows : int
        Rows of both classes.
    training_errors : int
        Rows that the optimum misclassifies.
    margin_errors : int
        Rows inside the margin.
    support_vectors : int
        Support vectors of the optimum.
    free_support_vectors : int
        Those of them whose coefficient is inside its interval.
    square_norm : float
        ‖w‖².
    square_radius : float
        R² of a sphere in feature space that holds all rows: the smallest one, to the solver's tolerance.
    square_radius_at_least : float
        What R² of the smallest sphere is at least.
    feature_dimension : float or None
        N, the dimension of the feature space; None where it is not known to be finite.
    vc_dimension : float
        min(⌊R²‖w‖²⌋, N) + 1.
    gap : float
        Duality gap of the optimum that all this is of.
    stop : str
        Why the solver stopped there: short of the optimum, unless it is "converged".
    bounds : tuple of Bound
        The bounds, by use.

    Examples
    --------
    >>> from mercer import SVC
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
    >>> pair, = SVC(C=10, kernel="linear").fit(X, y).bounds(X, y).pairs
    >>> pair.rows, pair.support_vectors, pair.vc_dimension
    (4, 2, 2.0)
    """

    of: str
    rows: int
    training_errors: int
    margin_errors: int
    support_vectors: int
    free_support_vectors: int
    square_norm: float
    square_radius: float
    square_radius_at_least: float
    feature_dimension: float | None
    vc_dimension: float
    gap: float
    stop: str
    bounds: tuple[Bound, ...]

    @classmethod
    def _of(cls, told: dict[str, Any]) -> PairBounds:
        return cls(**{**told, "bounds": tuple(map(Bound._of, told["bounds"]))})


@dataclass(frozen=True)
class Bounds:
    """What theory says about a classifier. A bound is had by its name.

    Parameters
    ----------
    bounds : tuple of Bound
        Of the classifier as a whole: what was measured, and with more than two classes its leave-one-out error.
    pairs : tuple of PairBounds
        Of each pair of classes.
    notes : tuple of str
        What was assumed, and what could not be looked at.

    Examples
    --------
    >>> from mercer import SVC
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> found = SVC(C=10, kernel="linear").fit(X, y).bounds(X, y)
    >>> found["leave-one-out"].value
    0.0
    """

    bounds: tuple[Bound, ...]
    pairs: tuple[PairBounds, ...]
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> Bound:
        listed = self.bounds + (self.pairs[0].bounds if len(self.pairs) == 1 else ())
        for bound in listed:
            if bound.name == name:
                return bound
        raise KeyError(name)

    def __str__(self) -> str:
        def lines(bounds: tuple[Bound, ...]) -> list[str]:
            values = ("-" if bound.value is None else f"{bound.value:.4g}" for bound in bounds)
            return [
                f"  {bound.name:20} {value:>9}  {'vacuous' if bound.vacuous else '':7}  {bound.says:13}  {bound.formula}"
                for bound, value in zip(bounds, values, strict=True)
            ]

        parts = [line for pair in self.pairs for line in (pair.of, *lines(pair.bounds))]
        return "\n".join((*lines(self.bounds), *parts, *(f"note: {note}" for note in self.notes)))


def bounds(
    model: Any, X: Any, y: Any, sample_weight: Any = None, *, X_test: Any = None, y_test: Any = None, delta: float = 0.05,
    leave_one_out: bool = True, C: float | None = None, nu: float | None = None, tol: float | None = None,
) -> Bounds:
    """Bound the error of a classifier by what theory says, from the data that it was fitted to.

    Of :class:`SVC` and :class:`NuSVC` with kernels that are positive semi-definite. Data that the model was not fitted to are
    refused.

    Parameters
    ----------
    model : SVC or NuSVC, or str or path-like
        A fitted estimator, or the file of one.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of str, graphs or sets
        The data of the fit.
    y : array-like of shape (n_samples,)
        The classes of the fit.
    sample_weight : array-like of shape (n_samples,), default=None
        The weights of the fit, which must be equal, or 0, within each class.
    X_test : {array-like, sparse matrix} of shape (n_test, n_features), or list of str, graphs or sets, default=None
        Rows that the model has not seen: their errors are counted.
    y_test : array-like of shape (n_test,), default=None
        The classes of these.
    delta : float, default=0.05
        The probability with which a bound on the error, or the interval of a test, may fail.
    leave_one_out : bool, default=True
        Whether to compute the exact leave-one-out error, which takes the longest.
    C : float, default=None
        C of the fit, where the model does not tell it: LIBSVM's does not.
    nu : float, default=None
        nu of the fit, where the model does not tell it.
    tol : float, default=None
        The largest violation that a model without a certificate may have; None for 0.001.

    Returns
    -------
    found : Bounds
        The bounds by use, each with its formula and assumption, and what they rest on.

    Examples
    --------
    >>> from mercer import SVC, bounds
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> found = bounds(SVC(C=10, kernel="linear").fit(X, y), X, y, X_test=[[0.5], [3.5], [1.9]], y_test=[0, 1, 1])
    >>> found["leave-one-out"].value, found["SRM"].vacuous, round(found["test"].value, 3)
    (0.0, True, 0.333)
    """
    fitted = load(model) if isinstance(model, (str, os.PathLike)) else model
    native = _model_of(fitted)
    # The checks of a fit leave their traces in a copy.
    estimator = copy.copy(fitted)
    X, y = estimator._checked(X, y)
    target = estimator._target(y)
    weights = estimator._weights(positive_weights(sample_weight, _num_samples(X), X), target)
    _, points = estimator._training_points(X, weights)
    told = native.bounds(estimator._run(), points, target, weights, (C, nu, tol), delta, leave_one_out)
    whole = list(map(Bound._of, told["bounds"]))
    if X_test is not None:
        y_test = column_or_1d(y_test)
        check_consistent_length(X_test, y_test)
        errors = int(np.count_nonzero(fitted.predict(X_test) != y_test))
        whole.insert(0, Bound._of(_mercer.counted(errors, len(y_test), delta)))
    return Bounds(tuple(whole), tuple(map(PairBounds._of, told["pairs"])), tuple(told["notes"]))
