"""Pictures: what is drawn, where, and what is refused."""

import builtins
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import kernels, plot

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

X, Y = make_moons(60, noise=0.2, random_state=0)
IRIS, SPECIES = load_iris(return_X_y=True)
FEW = 20


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def surface(model, rows=X, y=Y, **options):
    return plot.decision_surface(model, rows, y, grid=options.pop("grid", FEW), **options)


def labels(ax):
    legend = ax.get_legend()
    return [] if legend is None else [text.get_text() for text in legend.get_texts()]


def drawn(ax, label):
    """The points of the collection with this label."""
    return next(found.get_offsets().data for found in ax.collections if found.get_label() == label)


def lines(ax):
    """Levels of the lines drawn."""
    return [list(found.levels) for found in ax.collections if hasattr(found, "levels") and not found.filled]


def test_two_classes_have_a_border_margins_and_rings():
    model = mercer.SVC(C=10.0).fit(X, Y)
    ax = surface(model)
    assert lines(ax) == [[0.0], [-1.0, 1.0]]
    assert labels(ax) == ["0", "1", "support vectors"]
    np.testing.assert_array_equal(drawn(ax, "support vectors"), model.support_vectors_)
    np.testing.assert_array_equal(drawn(ax, "1"), X[Y == 1])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x0", "x1")
    shown = np.array([ax.get_xlim(), ax.get_ylim()])
    assert (shown[:, 0] < X.min(axis=0)).all() and (shown[:, 1] > X.max(axis=0)).all()
    np.testing.assert_allclose(np.diff(shown).ravel(), 1.16 * np.ptp(X, axis=0))


def test_what_is_drawn_can_be_left_out():
    ax = surface(mercer.SVC().fit(X, Y), margins=False, support=False, legend=False)
    assert lines(ax) == [[0.0]]
    assert ax.get_legend() is None
    assert [found.get_label() for found in ax.collections if found.get_label() == "support vectors"] == []


def test_margins_of_one_against_rest_are_those_of_the_pair():
    pair, rest = mercer.SVC(C=10.0).fit(X, Y), mercer.OneVsRestSVC(C=10.0).fit(X, Y)
    values = [surface(model).images[0].get_array() for model in (pair, rest)]
    np.testing.assert_allclose(*values, atol=1e-6)


@pytest.mark.parametrize("model", [mercer.KernelFisher(), mercer.KernelSoftmax()], ids=str)
def test_machines_without_a_margin_have_none(model):
    assert lines(surface(model.fit(X, Y))) == [[0.0]]


@pytest.mark.parametrize(
    "model",
    [
        mercer.SVC(),
        mercer.NuSVC(nu=0.3),
        mercer.OneVsRestSVC(),
        mercer.CrammerSingerSVC(),
        mercer.WestonWatkinsSVC(),
        mercer.KernelSoftmax(),
        mercer.KernelFisher(),
        mercer.LocalSVC(n_cells=1),
        LogisticRegression(),
        KNeighborsClassifier(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_several_classes_have_regions(model):
    rows = IRIS[:, 2:]
    names = np.array(["setosa", "versicolor", "virginica"])[SPECIES]
    ax = surface(model.fit(rows, names), rows, names)
    regions = [found for found in ax.collections if hasattr(found, "levels") and found.filled]
    assert len(regions) == 3
    assert labels(ax)[:3] == ["setosa", "versicolor", "virginica"]


@pytest.mark.parametrize("model", [mercer.OneClassSVM(nu=0.2), mercer.SVDD(nu=0.2)], ids=lambda m: type(m).__name__)
def test_one_class_has_a_border_with_rows_inside_and_outside(model):
    ax = surface(model.fit(X), y=None)
    assert lines(ax) == [[0.0]]
    assert labels(ax) == ["inside", "outside", "support vectors"]
    np.testing.assert_array_equal(drawn(ax, "outside"), X[model.predict(X) < 0])


@pytest.mark.parametrize("model", [mercer.SVR(), mercer.NuSVR(), mercer.KernelRidge(kernel="rbf")], ids=str)
def test_a_regression_has_values_and_a_colour_bar(model):
    target = X[:, 0] * X[:, 1]
    ax = surface(model.fit(X, target), y=target)
    points = next(found for found in ax.collections if found.get_array() is not None and len(found.get_array()) == len(X))
    np.testing.assert_array_equal(points.get_array(), target)
    assert len(ax.figure.axes) == 2
    assert lines(ax) == []


@pytest.mark.parametrize("model", [mercer.SVR(epsilon=0.2), mercer.NuSVR(), mercer.KernelRidge(kernel="rbf")], ids=str)
def test_a_regression_of_one_column_is_a_curve(model):
    column, target = X[:, :1], np.sin(X[:, 0])
    ax = surface(model.fit(column, target), column, target)
    across, values = ax.lines[0].get_data()
    np.testing.assert_allclose(values, model.predict(across[:, None]), atol=1e-6)
    np.testing.assert_array_equal(drawn(ax, "data"), np.column_stack([column, target]))
    if hasattr(model, "support_"):
        zone = getattr(model, "epsilon_", getattr(model, "epsilon", None))
        assert labels(ax) == [f"zone ±{zone:.2g}", type(model).__name__, "data", "support vectors"]
        np.testing.assert_array_equal(drawn(ax, "support vectors")[:, 1], target[model.support_])
    else:
        assert labels(ax) == ["KernelRidge", "data"]


class Recorder(mercer.SVC):
    """Keeps what it is asked."""

    def decision_function(self, X):
        self.asked = np.asarray(X)
        return super().decision_function(X)


def test_other_columns_are_at_their_mean():
    two = SPECIES > 0
    model = Recorder().fit(IRIS, two)
    ax = surface(model, IRIS, two, features=(2, 0))
    assert model.asked.shape == (FEW * FEW, 4)
    np.testing.assert_allclose(model.asked[:, [1, 3]], np.tile(IRIS[:, [1, 3]].mean(axis=0), (FEW * FEW, 1)))
    np.testing.assert_allclose(model.asked[[0, -1]][:, 2], ax.get_xlim())
    np.testing.assert_allclose(model.asked[[0, -1]][:, 0], ax.get_ylim())
    np.testing.assert_array_equal(drawn(ax, "support vectors"), model.support_vectors_[:, [2, 0]])


def test_columns_of_a_frame_name_the_axes_and_nobody_warns():
    frame = pd.DataFrame(IRIS, columns=["a", "b", "c", "d"])
    model = mercer.SVC().fit(frame, SPECIES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = surface(model, frame, SPECIES, features=("c", "d"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("c", "d")


def test_sparse_rows_are_drawn():
    model = mercer.SVC().fit(sparse.csr_matrix(X), Y)
    ax = surface(model, sparse.csr_matrix(X))
    np.testing.assert_allclose(drawn(ax, "support vectors"), model.support_vectors_.toarray())


def test_a_pipeline_rings_rows_of_its_training_data():
    model = make_pipeline(StandardScaler(), mercer.SVC()).fit(10.0 * X, Y)
    np.testing.assert_array_equal(drawn(surface(model, 10.0 * X), "support vectors"), 10.0 * X[model[-1].support_])
    assert "support vectors" not in labels(surface(model, 10.0 * X[:30], Y[:30]))


def test_a_search_is_drawn_by_its_best():
    model = GridSearchCV(mercer.SVC(), {"C": [1.0, 10.0]}, cv=2).fit(X, Y)
    assert lines(surface(model)) == [[0.0], [-1.0, 1.0]]


def test_axes_given_are_drawn_into():
    _, ax = plt.subplots()
    assert surface(mercer.SVC().fit(X, Y), ax=ax) is ax
    assert plot.components(X, Y, ax=ax) is ax
    assert plot.spectrum(mercer.KernelPCA().fit(X), ax=ax) is ax


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": (0, 2)}, "column 2 of 2"),
        ({"features": (1, 1)}, "two different columns"),
        ({"features": ("x0", "z")}, "no column 'z'; there are x0, x1"),
        ({"grid": 1}, "grid = 1: must be 2 or more"),
        ({"y": [1, 2]}, "y has 2 values, X has 60 rows"),
        ({"rows": X[:, :1]}, "two or more columns"),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        surface(mercer.SVC().fit(X, Y), **options)


def test_what_has_no_plane_is_refused():
    with pytest.raises(ValueError, match="precomputed"):
        surface(mercer.SVC(kernel="precomputed").fit(X @ X.T, Y))
    with pytest.raises(ValueError, match="several labels"):
        surface(mercer.OneVsRestSVC().fit(X, np.column_stack([Y, 1 - Y])))
    with pytest.raises(ValueError, match="2 targets"):
        surface(mercer.KernelRidge().fit(X, X), y=None)
    with pytest.raises(TypeError, match="KernelPCA is no classifier"):
        surface(mercer.KernelPCA().fit(X))
    with pytest.raises(NotFittedError):
        surface(mercer.SVC())


def test_components_of_kernel_pca_are_those_of_its_training_data():
    model = mercer.KernelPCA(3, kernel="rbf").fit(IRIS)
    ax = plot.components(model, SPECIES, axes=(0, 2))
    np.testing.assert_allclose(drawn(ax, "1"), model.transform(IRIS)[SPECIES == 1][:, [0, 2]], atol=1e-9)
    share = model.explained_variance_ratio_
    assert ax.get_xlabel() == f"component 1 ({100 * share[0]:.0f} % of variance)"
    assert ax.get_ylabel() == f"component 3 ({100 * share[2]:.0f} % of variance)"
    assert labels(ax) == ["0", "1", "2"]


def test_components_of_fisher_say_what_is_between_the_classes():
    model = mercer.KernelFisher().fit(IRIS, SPECIES)
    ax = plot.components(model, SPECIES, X=IRIS)
    np.testing.assert_array_equal(drawn(ax, "2"), model.transform(IRIS)[SPECIES == 2])
    assert ax.get_xlabel().endswith("% between classes)")


def test_one_component_is_a_histogram():
    ax = plot.components(mercer.KernelFisher().fit(X, Y), Y, X=X)
    assert sum(bar.get_height() for bar in ax.patches) == len(X)
    assert labels(ax) == ["0", "1"]


def test_both_views_are_drawn_over_each_other():
    model = mercer.KernelCCA(2).fit(X, X**2)
    ax = plot.components(model, X=(X, X**2), axes=(1, 0))
    first, second = model.transform(X, X**2)
    np.testing.assert_array_equal(ax.collections[0].get_offsets().data, np.column_stack([first[:, 1], second[:, 1]]))
    assert ax.get_ylabel() == f"second view (correlation {model.correlations_[1]:.2f})"
    assert "correlation" in plot.components(model, X=X).get_xlabel()


def test_numbers_colour_components_by_a_bar():
    ax = plot.components(X, X[:, 0])
    np.testing.assert_array_equal(ax.collections[0].get_array(), X[:, 0])
    assert len(ax.figure.axes) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot.components(mercer.KernelFisher().fit(X, Y)), "give X"),
        (lambda: plot.components(X, axes=(0, 2)), "two of the 2 components, from 0"),
        (lambda: plot.components(X, Y[:3]), "y has 3 values, there are 60 rows"),
        (lambda: plot.components([1.0, 2.0]), r"shape \(2,\)"),
        (lambda: plot.spectrum(mercer.KernelPCA().fit(X), n_components=0), "n_components = 0"),
    ],
)
def test_bad_components_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_scree_has_a_bar_a_component_and_the_share_so_far():
    model = mercer.KernelPCA(6, kernel="rbf").fit(IRIS)
    ax = plot.spectrum(model, n_components=4)
    np.testing.assert_allclose([bar.get_height() for bar in ax.patches], model.eigenvalues_[:4])
    shares = ax.figure.axes[1].lines[0].get_ydata()
    np.testing.assert_allclose(shares, np.cumsum(model.explained_variance_ratio_[:4]))


def test_relevant_dimensions_have_a_cut_and_a_level():
    model = mercer.RelevantDimension(gamma=1.0).fit(X, Y)
    ax = plot.spectrum(model)
    assert labels(ax)[2] == f"dimension {model.dimension_}"
    np.testing.assert_allclose(drawn(ax, "relevant")[:, 1], np.abs(model.coefficients_[0, : model.dimension_]))
    assert ax.lines[0].get_xdata()[0] == model.dimension_ + 0.5
    level = float(np.sqrt(np.mean(model.coefficients_[0, model.dimension_ :] ** 2)))
    assert labels(ax)[3] == f"noise level {level:.2g}"


def test_negative_eigenvalues_are_marked():
    found = kernels.check(kernels.Tanh(1, -1), X)
    ax = plot.spectrum(found)
    negative = found.spectrum.eigenvalues[found.spectrum.eigenvalues < 0.0]
    np.testing.assert_allclose(drawn(ax, "negative")[:, 1], -negative)
    assert ax.get_yscale() == "log"
    assert labels(plot.spectrum(kernels.spectrum(kernels.RBF(1), X[:4]))) == ["positive"]


def test_what_has_no_spectrum_is_refused():
    with pytest.raises(TypeError, match="SVC has no spectrum"):
        plot.spectrum(mercer.SVC().fit(X, Y))
    with pytest.raises(NotFittedError):
        plot.spectrum(mercer.RelevantDimension())


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    whole = builtins.__import__

    def without(name, *rest, **options):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return whole(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"mercer\[plot\]"):
        plot.components(X)


@pytest.mark.parametrize("grid", ["rectangular", "hexagonal"])
def test_a_map_has_a_cell_for_each_unit(grid):
    model = mercer.KernelSOM(4, 6, grid=grid).fit(IRIS)
    ax = plot.som_map(model)
    (cells,) = [found for found in ax.collections if len(found.get_paths()) == 24]
    np.testing.assert_array_equal(cells.get_array(), model.u_matrix_.ravel())
    # No two cells overlap: their areas add up to that of all places nearest to a unit.
    corners = np.array([path.vertices[:-1] for path in cells.get_paths()])
    x, y = corners[..., 0], corners[..., 1]
    areas = 0.5 * np.abs((x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1)).sum(axis=1))
    np.testing.assert_allclose(areas, 1.0 if grid == "rectangular" else np.sqrt(0.75))
    np.testing.assert_array_equal(plot.som_map(model, "hits").collections[0].get_array(), model.hits_.ravel())
    plane = plot.som_map(model, 2, X=IRIS, texts=range(24), legend=False)
    np.testing.assert_allclose(plane.collections[0].get_array(), model.dual_coef_ @ IRIS[model.support_, 2])
    assert [text.get_text() for text in plane.texts] == [str(unit) for unit in range(24)]
    assert plane.get_title(loc="left") == "x2"


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda model: plot.som_map(model, "size"), "size"),
        (lambda model: plot.som_map(model, 1), "give X"),
        (lambda model: plot.som_map(model, 9, X=IRIS), "features"),
        (lambda model: plot.som_map(model, 1, X=IRIS[:9]), "9 rows"),
        (lambda model: plot.som_map(model, [1.0, 2.0]), "2 values"),
        (lambda model: plot.som_map(model, texts=["a"]), "1 texts"),
    ],
)
def test_what_a_map_does_not_have_is_refused(call, what):
    model = mercer.KernelSOM(3, 3).fit(IRIS)
    with pytest.raises(ValueError, match=what):
        call(model)


def test_a_map_is_of_a_map():
    with pytest.raises(TypeError, match="no self-organising map"):
        plot.som_map(mercer.KernelPCA().fit(IRIS))


def test_margins_are_signed_decisions():
    model = mercer.SVC(C=10.0).fit(X, Y)
    ax = plot.margins(model, X, Y, bins=10)
    own = np.where(Y == 1, 1.0, -1.0) * model.decision_function(X)
    assert ax.get_title() == f"{(own <= 0).sum()} of {len(Y)} rows on the wrong side"
    assert sum(bar.get_height() for bar in ax.patches) == len(Y)


def test_the_curve_of_hits_ends_in_both_corners_and_tells_its_area():
    ax = plot.roc(mercer.SVC().fit(IRIS, SPECIES), IRIS, SPECIES)
    assert len(ax.lines) == 4
    for line in ax.lines[:3]:
        across, up = line.get_data()
        assert (across[0], up[0], across[-1], up[-1]) == (0.0, 0.0, 1.0, 1.0)
        area = float(np.sum(np.diff(across) * (up[1:] + up[:-1]) / 2.0))
        assert line.get_label().endswith(f"area {area:.3f}")


def test_calibration_lies_on_the_shares_of_rows():
    model = mercer.SVC(C=10.0, probability=True, random_state=0).fit(X, Y)
    ax = plot.calibration(model, X, Y, bins=2)
    said = model.predict_proba(X)[:, 1]
    shares = [Y[part].mean() for part in (said < 0.5, said >= 0.5)]
    np.testing.assert_allclose(ax.lines[0].get_data()[1], shares)


def test_a_gram_matrix_is_ordered_by_class():
    kernel = kernels.parse("rbf(gamma=0.5)")
    ax = plot.gram(kernel, X, Y)
    order = np.argsort(Y, kind="stable")
    np.testing.assert_array_equal(ax.images[0].get_array(), kernel(X)[np.ix_(order, order)])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["0", "1"]


def test_basis_functions_make_their_kernel():
    for text in ("linear @ monomials(degree=4)", "3*linear @ gaussians(count=5)", "linear @ sigmoids(count=4, width=0.3)"):
        upper, lower = plot.kernel(text, low=-2.0, high=1.0)
        basis = np.array([line.get_data()[1] for line in upper.lines])
        across, values = lower.lines[0].get_data()
        at_zero = np.array([np.interp(0.0, across, one) for one in basis])
        # Between nodes 0.015 apart the functions are straight to 1e-3 of their sum.
        np.testing.assert_allclose(at_zero @ basis, values, atol=5e-3 * np.abs(values).max())
    assert len(plot.kernel("rbf(gamma=1)")) == 1


def test_contours_are_the_components():
    model = mercer.KernelPCA(3, kernel="rbf", gamma=2.0).fit(X)
    axes = plot.contours(model, X, n_components=2, grid=9)
    assert [ax.get_title(loc="left") for ax in axes] == [f"{k + 1}: eigenvalue {model.eigenvalues_[k]:.4g}" for k in (0, 1)]


def test_a_sweep_leaves_out_what_cannot_be():
    few = np.r_[np.flatnonzero(Y == 0), np.flatnonzero(Y == 1)[:10]]
    axes = plot.nu_sweep(X[few], Y[few], nus=[0.3, 0.9], grid=9)
    assert len(axes) == 1


def test_the_gap_lies_above_the_distance_of_the_objective():
    ax = plot.path(mercer.SVC(C=10.0), X, Y)
    gap, distance = (np.asarray(line.get_data()[1], dtype=float) for line in ax.lines[:2])
    both = np.isfinite(gap) & np.isfinite(distance)
    assert both.sum() >= 3
    # The last objective is within the last gap of the best.
    assert (distance[both] <= gap[both] * (1.0 + 1e-9)).all()


def test_a_search_is_a_table_with_its_best_marked():
    found = GridSearchCV(mercer.SVC(), {"C": [0.1, 1.0], "gamma": [0.01, 0.1, 1.0]}, cv=3).fit(X, Y)
    ax = plot.search(found)
    table = np.asarray(ax.images[0].get_array())
    np.testing.assert_allclose(table.T.ravel(), found.cv_results_["mean_test_score"])
    mark = ax.patches[0]
    assert table[int(mark.get_y() + 0.5), int(mark.get_x() + 0.5)] == found.best_score_


def test_risk_is_the_sum_of_its_parts():
    ax = plot.risk(mercer.SVC(), X, Y, octaves=1)
    bound, capacity, inside = (np.asarray(line.get_data()[1]) for line in ax.lines[:3])
    np.testing.assert_allclose(bound, capacity + inside)


def test_denoising_shows_each_line_and_its_error():
    rows = np.random.default_rng(0).normal(size=(20, 6))
    model = mercer.KernelPCA(2, kernel="rbf", gamma=0.1).fit(rows)
    axes = plot.denoising(model, rows[:4], shape=(2, 3), clean=rows[:4])
    assert [ax.get_title(loc="left").split(",")[0] for ax in axes] == ["clean", "noisy", "denoised"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot.margins(mercer.SVC().fit(IRIS, SPECIES), IRIS, SPECIES), "two classes"),
        (lambda: plot.margins(mercer.SVC().fit(X, Y), X, Y[:3]), "3 values"),
        (lambda: plot.roc(mercer.SVC().fit(X, Y), X, np.full(len(Y), 7)), "no class 7"),
        (lambda: plot.roc(mercer.SVC().fit(X, Y), X, np.zeros(len(Y))), "nothing to tell apart"),
        (lambda: plot.calibration(mercer.SVC(probability=True).fit(X, Y), X, Y, bins=0), "bins"),
        (lambda: plot.gram("rbf(gamma=1)", X, Y[:4]), "4 values"),
        (lambda: plot.kernel(), "no kernel"),
        (lambda: plot.kernel("rbf(gamma=1)", low=1.0, high=1.0), "length"),
        (lambda: plot.contours(mercer.KernelPCA(2).fit(IRIS), IRIS), "two features"),
        (lambda: plot.nu_sweep(X, Y, nus=[]), "no ν"),
        (lambda: plot.path(mercer.SVC(), IRIS, SPECIES), "several problems"),
        (lambda: plot.path(mercer.SVC(), X, Y, ratio=1.0), "ratio"),
        (lambda: plot.search({"params": [{}], "mean_test_score": [1.0]}), "two parameters"),
        (lambda: plot.risk(mercer.SVC(), X, Y, octaves=0), "octaves"),
        (lambda: plot.denoising(mercer.KernelPCA(2, kernel="rbf").fit(X), X, shape=(8, 8)), "8 × 8"),
    ],
)
def test_bad_figures_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: plot.gram(3, X),
        lambda: plot.margins(mercer.SVR().fit(X, Y), X, Y),
        lambda: plot.contours(mercer.SVC().fit(X, Y), X),
        lambda: plot.path(mercer.KernelPCA(), X, Y),
        lambda: plot.search({}),
        lambda: plot.risk(mercer.SVR(), X, Y),
        lambda: plot.denoising(mercer.SVC().fit(X, Y), X, shape=(1, 2)),
    ],
)
def test_figures_of_something_else_are_refused(call):
    with pytest.raises(TypeError):
        call()


def test_the_books_page_of_figures_has_each_function():
    page = (Path(__file__).resolve().parents[2] / "docs" / "figures.md").read_text(encoding="utf-8")
    assert sorted(set(re.findall(r"`plot\.(\w+)\(", page))) == sorted(plot.__all__)
