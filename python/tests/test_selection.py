"""SearchCV gives what GridSearchCV gives, whether the library does the work or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_blobs, make_moons, make_regression
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer, zero_one_loss
from sklearn.model_selection import GridSearchCV, KFold, RepeatedStratifiedKFold, ShuffleSplit
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, KernelRidge, SearchCV

GRID = {"C": [0.05, 1.0, 30.0, 1000.0], "gamma": [0.003, 0.05, 1.0]}


def scaled(load: Any) -> Any:
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def halves(y: Any) -> Any:
    return np.array(["low", "high"])[(y > 4).astype(int)]


def sets() -> dict[str, Any]:
    digits, y = load_digits(return_X_y=True)
    found = {
        "iris": scaled(load_iris),
        "wine": scaled(load_wine),
        "breast cancer": scaled(load_breast_cancer),
        "digits": (digits[:300] / 16.0, y[:300]),
        "digits, two names": (digits[:200] / 16.0, halves(y[:200])),
        "moons": make_moons(150, noise=0.3, random_state=1),
    }
    for seed in range(6):
        found[f"blobs {seed}"] = make_blobs(90, centers=2 + seed % 3, cluster_std=3.0, random_state=seed)
    return found


SETS = sets()


def compare(ours: Any, theirs: Any) -> None:
    """Same parameters, scores and ranks."""
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    for name, expected in theirs.cv_results_.items():
        if name.startswith(("split", "mean_test", "std_test")):
            np.testing.assert_allclose(ours.cv_results_[name], expected, rtol=1e-12, atol=1e-12)
        elif name.startswith("rank"):
            np.testing.assert_array_equal(ours.cv_results_[name], expected)
        elif name == "params":
            assert ours.cv_results_[name] == expected
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, abs=1e-12)
    assert ours.n_splits_ == theirs.n_splits_


@pytest.mark.parametrize("name", SETS)
def test_same_as_grid_search(name: str) -> None:
    X, y = SETS[name]
    ours = SearchCV(SVC(tol=1e-6), GRID).fit(X, y)
    assert ours.shared_
    theirs = GridSearchCV(SVC(tol=1e-6), GRID).fit(X, y)
    compare(ours, theirs)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.parametrize("name", SETS)
def test_a_race_finds_what_exact_fits_find(name: str) -> None:
    X, y = SETS[name]
    race = SearchCV(SVC(), GRID, racing=True).fit(X, y)
    exact = SearchCV(SVC(tol=1e-7), GRID).fit(X, y)
    assert race.shared_ and race.race_ is not None and exact.race_ is None
    means = exact.cv_results_["mean_test_score"]
    assert (race.cv_results_["least_test_score"] <= means).all() and (means <= race.cv_results_["most_test_score"]).all()
    if race.race_["certified"]:
        assert race.best_params_ == exact.best_params_
    assert race.race_["saved"] == 0 or race.race_["dropped"] > 0


def test_most_races_are_decided() -> None:
    races = [SearchCV(SVC(), GRID, racing=True).fit(*SETS[name]).race_ for name in SETS]
    assert sum(race["certified"] for race in races) >= len(SETS) - 2
    assert sum(race["saved"] > 0.1 for race in races) >= len(SETS) // 2


def test_no_race_by_other_scores_or_of_kernels_that_are_not_definite() -> None:
    X, y = SETS["wine"]
    assert SearchCV(SVC(), GRID, scoring="f1_macro", racing=True).fit(X, y).race_ is None
    assert SearchCV(SVC(kernel="sigmoid"), GRID, racing=True).fit(X, y).race_ is None
    with pytest.raises(ValueError, match="racing"):
        SearchCV(SVC(), GRID, racing="yes").fit(X, y)


@pytest.mark.parametrize("cv", [3, KFold(4, shuffle=True, random_state=1), ShuffleSplit(3, test_size=0.2, train_size=0.5, random_state=0),
                                RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)])
def test_any_folds(cv: Any) -> None:
    X, y = SETS["wine"]
    grid = [{"kernel": ["linear"], "C": [0.1, 10.0]}, {"kernel": ["rbf", "poly"], "gamma": [0.01, 0.1], "C": [1.0]}]
    ours = SearchCV(SVC(tol=1e-6), grid, cv=cv).fit(X, y)
    assert ours.shared_
    compare(ours, GridSearchCV(SVC(tol=1e-6), grid, cv=cv).fit(X, y))


def test_several_scores_and_a_choice_of_ones_own() -> None:
    X, y = SETS["breast cancer"]
    scoring = ["accuracy", "f1", "balanced_accuracy", "matthews_corrcoef"]
    for refit in ("f1", False, lambda results: int(results["mean_test_f1"].argmax())):
        ours = SearchCV(SVC(tol=1e-6), GRID, scoring=scoring, refit=refit).fit(X, y)
        assert ours.shared_
        theirs = GridSearchCV(SVC(tol=1e-6), GRID, scoring=scoring, refit=refit).fit(X, y)
        for name in theirs.cv_results_:
            if name.startswith("mean_test"):
                np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name], atol=1e-9)
        assert hasattr(ours, "best_index_") == hasattr(theirs, "best_index_")
        assert hasattr(ours, "best_estimator_") == hasattr(theirs, "best_estimator_")


def test_numbers() -> None:
    X, y = make_regression(120, 4, noise=3.0, random_state=0)
    y = y / y.std()
    grid = {"C": [1.0, 10.0], "epsilon": [0.05, 0.2], "gamma": [0.05]}
    for scoring in (None, "neg_mean_absolute_error"):
        ours = SearchCV(SVR(tol=1e-6), grid, scoring=scoring).fit(X, y)
        assert ours.shared_
        theirs = GridSearchCV(SVR(tol=1e-6), grid, scoring=scoring).fit(X, y)
        assert ours.best_params_ == theirs.best_params_
        # Values in single precision about the function, and an answer to 1e-6.
        np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-4)


@pytest.mark.parametrize(
    ("estimator", "grid", "options"),
    [
        (SVC(), {"C": [0.1, 1.0]}, {}),
        (SVC(gamma=0.1), {"class_weight": ["balanced", None]}, {}),
        (SVC(gamma=0.1), {"C": [0.1, 1.0]}, {"scoring": make_scorer(zero_one_loss, greater_is_better=False)}),
        (SVC(gamma=0.1), {"C": [0.1, 1.0]}, {"return_train_score": True}),
        (KernelRidge(), {"alpha": [0.1, 1.0]}, {}),
        (Ridge(), {"alpha": [0.1, 1.0]}, {}),
    ],
)
def test_all_else_is_done_by_grid_search(estimator: Any, grid: Any, options: Any) -> None:
    X, y = SETS["wine"]
    ours = SearchCV(estimator, grid, **options).fit(X, y)
    assert not ours.shared_
    compare(ours, GridSearchCV(estimator, grid, **options).fit(X, y))


def test_what_is_refused_is_refused_by_grid_search() -> None:
    X, y = SETS["iris"]
    with pytest.raises(ValueError, match="not a valid scoring|scoring"):
        SearchCV(SVC(gamma=1.0), {"C": [1.0]}, scoring="tree").fit(X, y)
    with pytest.raises(ValueError, match="Invalid parameter"):
        SearchCV(SVC(gamma=1.0), {"D": [1.0]}).fit(X, y)
    with pytest.raises(ValueError, match="'C' parameter"):
        SearchCV(SVC(gamma=1.0), {"C": [-1.0]}).fit(X, y)
