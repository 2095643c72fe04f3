"""Search for parameters by cross-validation."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV, ParameterGrid, check_cv

from mercer import _kernel, _mercer
from mercer._native import NativeEstimator
from mercer.classification import SVC
from mercer.regression import SVR, NuSVR

__all__ = ["SearchCV"]

#: Scores that are computed as scikit-learn computes them, from predictions.
CLASSES = {
    "accuracy", "balanced_accuracy", "f1", "f1_macro", "f1_micro", "f1_weighted", "matthews_corrcoef", "precision", "precision_macro",
    "precision_micro", "precision_weighted", "recall", "recall_macro", "recall_micro", "recall_weighted",
}
#: Of them those that are of a positive class, which is 1.
BINARY = {"f1", "precision", "recall"}
#: Scores of numbers; those that begin with "neg_" are errors.
NUMBERS = {
    "r2", "explained_variance", "neg_max_error", "neg_mean_absolute_error", "neg_mean_squared_error", "neg_median_absolute_error",
    "neg_root_mean_squared_error",
}
#: Parameters that say what a candidate is; of all others the search does not know what they mean for a fold.
KNOWN = {
    "C", "kernel", "gamma", "degree", "coef0", "epsilon", "nu", "tol", "shrinking", "cache_size", "max_iter", "time_limit", "exact",
    "class_weight", "verbose", "n_threads", "probability", "decision_function_shape", "break_ties", "random_state", "multiclass",
}


class SearchCV(GridSearchCV):
    """Search a grid of parameters by cross-validation, with what candidates have in common computed once.

    It takes what :class:`sklearn.model_selection.GridSearchCV` takes and has its attributes. Where the estimator is :class:`SVC`,
    :class:`SVR` or :class:`NuSVR` and the scores are scikit-learn's of predictions, the library scores all candidates: those of an
    :class:`SVC` that differ in C alone share one matrix of kernel values for all folds and pairs of classes, and each C begins from
    the answer for the last. All else is fitted as GridSearchCV does it, with the same answer.

    Parameters
    ----------
    estimator : estimator
        The estimator whose parameters are searched.
    param_grid : dict or list of dict
        For each parameter the values to try.
    scoring : str, callable, list, tuple or dict, default=None
        The score; None for that of the estimator, accuracy or R².
    n_jobs : int, default=None
        Threads, where the library does the work; else jobs of joblib.
    refit : bool, str or callable, default=True
        Whether the best is fitted to all rows; of several scores the name of the one that counts; or a function of `cv_results_` that
        gives the number of the best.
    cv : int, cross-validation generator or iterable, default=None
        The folds; None for 5, stratified where y are classes.
    verbose : int, default=0
        How much is told, where joblib does the work.
    pre_dispatch : int or str, default="2*n_jobs"
        As in GridSearchCV.
    error_score : "raise" or float, default=nan
        The score of a candidate that cannot be fitted.
    return_train_score : bool, default=False
        Whether rows fitted to are scored too; then GridSearchCV does the work.
    racing : bool, default=False
        Whether candidates that are provably beaten are fitted no further: of an :class:`SVC` whose kernel is definite, scored by accuracy
        or balanced accuracy alone. Their scores in the folds that they were not fitted in are NaN.

    Attributes
    ----------
    cv_results_ : dict of ndarray
        For each candidate its parameters, scores, mean, spread and rank.
    best_estimator_ : estimator
        The best, fitted to all rows.
    best_params_ : dict
        Its parameters.
    best_score_ : float
        Its mean score.
    best_index_ : int
        Its number.
    n_splits_ : int
        How many folds there were.
    shared_ : bool
        Whether the library scored the candidates.
    race_ : dict or None
        Of a race `certified`, whether the best is proved to be the best by exact fits of all candidates, `dropped`, how many candidates
        were, and `saved`, the share of the fits that were not made; None where there was none. `cv_results_` then has the ends of the interval in
        which each exact mean lies, `least_test_score` and `most_test_score`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, SearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SearchCV(SVC(), {"C": [0.1, 1, 10], "gamma": [0.01, 0.1, 1]}).fit(X, y)
    >>> search.best_params_
    {'C': 1, 'gamma': 0.1}
    >>> print(round(search.best_score_, 3), search.shared_)
    0.98 True
    """

    _parameter_constraints: dict[str, Any] = {**GridSearchCV._parameter_constraints, "racing": ["boolean"]}

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
        racing: bool = False,
    ) -> None:
        super().__init__(
            estimator, param_grid, scoring=scoring, n_jobs=n_jobs, refit=refit, cv=cv, verbose=verbose, pre_dispatch=pre_dispatch,
            error_score=error_score, return_train_score=return_train_score,
        )
        self.racing = racing

    def fit(self, X: Any, y: Any = None, **params: Any) -> SearchCV:
        """Score every candidate, and fit the best to all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,), default=None
            Their classes or targets.
        **params : dict
            As in GridSearchCV, which then does the work.

        Returns
        -------
        self : object
            The search.
        """
        self._validate_params()
        candidates = list(ParameterGrid(self.param_grid))
        metrics = self._metrics(y, params)
        found = None if metrics is None else self._shared(X, y, candidates, metrics)
        self.shared_ = found is not None
        self.race_: dict[str, Any] | None = None
        if found is None or metrics is None:
            super().fit(X, y, **params)
            return self
        self._finish(X, y, candidates, metrics, *found)
        return self

    def _metrics(self, y: Any, params: dict[str, Any]) -> dict[str, str] | None:
        """The name of each score as `cv_results_` has it, with scikit-learn's; None where the library does not do the work."""
        estimator = self.estimator
        if type(estimator) not in (SVC, SVR, NuSVR) or params or self.return_train_score or y is None:
            return None
        if hasattr(self.cv, "__next__"):
            # Folds that can be asked for once are left to GridSearchCV.
            return None
        classes = isinstance(estimator, SVC)
        usual = "accuracy" if classes else "r2"
        match self.scoring:
            case None:
                names = {"score": usual}
            case str() as name:
                names = {"score": name}
            case list() | tuple() | set() as several if all(isinstance(name, str) for name in several):
                names = {name: name for name in several}
            case dict() as several if all(isinstance(name, str) for name in several.values()):
                names = dict(several)
            case _:
                return None
        if not set(names.values()) <= (CLASSES if classes else NUMBERS):
            return None
        if set(names.values()) & BINARY:
            labels = np.unique(np.asarray(y))
            if len(labels) != 2 or labels.dtype.kind not in "iub" or labels[1] != 1:
                return None
        if len(names) > 1 or "score" not in names:
            if not callable(self.refit) and self.refit is not False and self.refit not in names:
                return None
        return names

    def _shared(self, X: Any, y: Any, candidates: list[dict[str, Any]], metrics: dict[str, str]) -> Any:
        """The splits and the library's outcomes; None where a candidate means something else for each fold."""
        estimators = []
        for values in candidates:
            if not set(values) <= KNOWN:
                return None
            estimator = clone(self.estimator).set_params(**clone(values, safe=False))
            if not self._is_plain(estimator):
                return None
            estimators.append(estimator)
        first = estimators[0]
        try:
            for estimator in estimators:
                estimator._validate_params()
            checked, target_values = first._checked(X, y)
            target = first._target(target_values)
            splits = list(check_cv(self.cv, y, classifier=isinstance(first, SVC)).split(X, y))
            native: list[Any] = []
            points: Any = None
            for estimator in estimators:
                kernel, points = self._bound(estimator, checked, points)
                if kernel is None:
                    return None
                native.append((kernel, estimator._settings(points) | {"exact": False}))
        except (ValueError, TypeError):
            # Whatever is refused is refused by GridSearchCV in its own words.
            return None
        whole = [[np.ascontiguousarray(part, dtype=np.int64) for part in split] for split in splits]
        lists = [(rest, out) for rest, out in whole]
        if any(part.ndim != 1 or len(np.unique(part)) < len(part) for split in lists for part in split):
            return None
        if isinstance(first, SVC) and any(len(np.unique(target[1][rest])) < len(target[0]) for rest, _ in lists):
            return None
        threads = self.n_jobs if isinstance(self.n_jobs, int) and self.n_jobs > 0 else first.n_threads
        run = _mercer.Run(threads if threads is None or threads > 0 else None)
        outcomes, verdict = _mercer.search(
            run, first._method, native, points, target, lists, list(metrics.values()), race=bool(self.racing)
        )
        if any(outcome is None or outcome[2] is not None for outcome in outcomes):
            return None
        return lists, outcomes, verdict

    @staticmethod
    def _is_plain(estimator: NativeEstimator) -> bool:
        """Whether an estimator is the same in every fold, and its scores are those of its predictions alone."""
        gamma, kernel = estimator.gamma, estimator.kernel
        if callable(kernel) or (isinstance(gamma, str) and gamma != "auto" and kernel in ("rbf", "poly", "sigmoid")):
            return False
        if estimator.time_limit is not None or estimator.max_iter != -1:
            return False
        if isinstance(estimator, SVC):
            broken = estimator.break_ties or estimator.decision_function_shape != "ovr"
            return estimator.class_weight is None and not estimator.probability and not broken
        return True

    @staticmethod
    def _bound(estimator: NativeEstimator, X: Any, points: Any) -> tuple[Any, Any]:
        """The native kernel and points of an estimator; the points of the last one where they are known."""
        kernel, points = estimator._training_points(X, None) if points is None else (None, points)
        if kernel is None:
            if estimator._kind == "values":
                return _mercer.Kernel("precomputed"), points
            given = (estimator.kernel, estimator.gamma, estimator.degree, estimator.coef0)
            kernel, _ = _kernel.resolved(*given, points, None)
        return (None if estimator._kind == "function" else kernel), points

    def _finish(
        self, X: Any, y: Any, candidates: list[dict[str, Any]], metrics: dict[str, str], splits: Any, outcomes: Any, verdict: Any
    ) -> None:
        """The attributes of GridSearchCV."""
        count = len(candidates)
        results: dict[str, Any] = {
            "mean_fit_time": np.array([outcome[1] for outcome in outcomes]),
            "std_fit_time": np.zeros(count),
            "mean_score_time": np.zeros(count),
            "std_score_time": np.zeros(count),
        }
        for name in sorted({name for values in candidates for name in values}):
            column = np.ma.MaskedArray(np.empty(count, dtype=object), mask=True)
            for number, values in enumerate(candidates):
                if name in values:
                    column[number] = values[name]
            given = [values[name] for values in candidates if name in values]
            if all(isinstance(value, (int, float, np.number)) and not isinstance(value, bool) for value in given):
                kind = np.result_type(*[type(value) for value in given])
                column = np.ma.MaskedArray(np.ma.filled(column, 0).astype(kind), mask=np.ma.getmaskarray(column))
            results[f"param_{name}"] = column
        results["params"] = candidates
        for number, (name, scoring) in enumerate(metrics.items()):
            sign = -1.0 if scoring.startswith("neg_") else 1.0
            scores = sign * np.array([outcome[0][number] for outcome in outcomes]).reshape(count, len(splits))
            for split in range(len(splits)):
                results[f"split{split}_test_{name}"] = scores[:, split]
            means = scores.mean(axis=1)
            results[f"mean_test_{name}"] = means
            results[f"std_test_{name}"] = scores.std(axis=1)
            merits = np.where(np.isnan(means), -np.inf, means)
            results[f"rank_test_{name}"] = np.array([1 + int((merits > own).sum()) for own in merits], dtype=np.int32)
        self.n_splits_ = len(splits)
        self.cv_results_ = results
        if verdict is not None:
            self.race_ = dict(zip(("certified", "dropped", "saved"), verdict, strict=True))
            ends = [outcome[3][:2] if outcome[3] else (np.nan, np.nan) for outcome in outcomes]
            results["least_test_score"], results["most_test_score"] = np.array(ends).T
        self.multimetric_ = not isinstance(self.scoring, (str, type(None)))
        if self.multimetric_:
            self.scorer_: Any = {name: check_scoring(self.estimator, scoring) for name, scoring in metrics.items()}
        else:
            self.scorer_ = check_scoring(self.estimator, self.scoring)
        name = self.refit if self.multimetric_ else "score"
        if self.refit is False:
            if not self.multimetric_:
                self._choose(results, name, candidates)
            return
        self._choose(results, name, candidates)
        self.best_estimator_ = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
        started = time.time()
        self.best_estimator_.fit(X, y)
        self.refit_time_ = time.time() - started
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_

    def _choose(self, results: dict[str, Any], name: Any, candidates: list[dict[str, Any]]) -> None:
        if callable(self.refit):
            self.best_index_ = self.refit(results)
            if not isinstance(self.best_index_, (int, np.integer)):
                raise TypeError("best_index_ returned is not an integer")
            if not 0 <= self.best_index_ < len(candidates):
                raise IndexError("best_index_ index out of range")
        else:
            self.best_index_ = results[f"rank_test_{name}"].argmin()
            self.best_score_ = results[f"mean_test_{name}"][self.best_index_]
        self.best_params_ = candidates[self.best_index_]
