"""How the estimators behave among others: copies, files, searches, pipelines, routing, frames, callbacks, warnings."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import has_fit_parameter

from .estimators import CLASSES, PROVING
from .samples import ROWS, answers, assert_same_bits, fitted, points, targets

NAMES = tuple(CLASSES)
WEIGHTED = [name for name in NAMES if has_fit_parameter(CLASSES[name](), "sample_weight")]
ITERATIVE = [name for name in NAMES if "max_iter" in CLASSES[name]().get_params() and name != "KernelPCA"]
# Only the stand-ins of `estimators.py` are not installed anywhere.
PARENT = Path(__file__).resolve().parent.parent
ENVIRONMENT = os.environ | ({"PYTHONPATH": str(PARENT)} if PROVING else {})


@pytest.mark.parametrize("name", NAMES)
def test_a_clone_is_unfitted_and_has_the_same_parameters(name):
    """Nothing of a fit goes along, and the clone fits to the same bits."""
    x = points()
    y = targets(name, x)
    model = fitted(name, x, y)
    copy = clone(model)
    assert not [attribute for attribute in vars(copy) if attribute.endswith("_")]
    assert copy.get_params() == model.get_params()
    assert_same_bits(answers(model, x), answers(copy.fit(x, y), x))


class Watching(pickle.Unpickler):
    """Remembers what a pickle names."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self.named: set[tuple[str, str]] = set()

    def find_class(self, module: str, name: str):
        self.named.add((module, name))
        return super().find_class(module, name)


@pytest.mark.parametrize("name", NAMES)
def test_a_pickle_names_no_code_of_ours_but_the_class(name):
    """Beside the class there are only arrays and plain values, and the answers are the same to the bit."""
    x = points()
    model = fitted(name, x, targets(name, x))
    reader = Watching(pickle.dumps(model))
    loaded = reader.load()
    home = type(model).__module__
    ours = {(module, found) for module, found in reader.named if module.split(".")[0] == home.split(".")[0]}
    assert ours == {(home, name)}
    assert_same_bits(answers(model, x), answers(loaded, x))


FRESH = """
import hashlib, pickle, sys
import numpy as np
with open(sys.argv[1], "rb") as file:
    model = pickle.load(file)
x = np.load(sys.argv[2])
for method in ("predict", "decision_function", "transform"):
    if hasattr(model, method):
        values = np.asarray(getattr(model, method)(x))
        print(method, hashlib.sha256(values.tobytes()).hexdigest())
for name in ("dimension_", "noise_", "denoised_"):
    if hasattr(model, name) and not hasattr(model, "predict"):
        print(name, hashlib.sha256(np.asarray(getattr(model, name)).tobytes()).hexdigest())
"""


@pytest.mark.parametrize("name", NAMES)
def test_a_pickle_loads_in_a_fresh_process(name, tmp_path):
    """A process that has imported nothing answers with the same bits."""
    x = points()
    model = fitted(name, x, targets(name, x))
    (tmp_path / "model").write_bytes(pickle.dumps(model))
    np.save(tmp_path / "x.npy", x)
    command = [sys.executable, "-c", FRESH, tmp_path / "model", tmp_path / "x.npy"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    digests = {method: hashlib.sha256(values.tobytes()).hexdigest() for method, values in answers(model, x).items()}
    assert dict(line.split() for line in done.stdout.splitlines()) == digests


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_a_search_over_two_workers_finds_what_one_finds(backend, monkeypatch):
    """Processes or threads: the scores of all candidates are the same to the bit."""
    for variable, value in ENVIRONMENT.items():
        monkeypatch.setenv(variable, value)
    x = points()
    grid = {"C": [0.1, 1.0, 10.0], "gamma": ["scale", 0.5]}
    alone = GridSearchCV(CLASSES["SVC"](), grid, cv=3).fit(x, targets("SVC", x))
    with joblib.parallel_config(backend):
        together = GridSearchCV(CLASSES["SVC"](), grid, cv=3, n_jobs=2).fit(x, targets("SVC", x))
    assert together.best_params_ == alone.best_params_
    for split in range(3):
        key = f"split{split}_test_score"
        assert np.array_equal(alone.cv_results_[key], together.cv_results_[key])
    assert_same_bits(answers(alone.best_estimator_, x), answers(together.best_estimator_, x))


def test_a_search_over_precomputed_kernels_cuts_rows_and_columns():
    """Cross-validation knows that the matrix is square."""
    x = points()
    gram = np.exp(-0.5 * ((x[:, None] - x[None]) ** 2).sum(axis=2))
    grid = {"C": [0.1, 1.0]}
    by_gram = GridSearchCV(CLASSES["SVC"](kernel="precomputed"), grid, cv=3).fit(gram, targets("SVC", x))
    by_rows = GridSearchCV(CLASSES["SVC"](gamma=0.5), grid, cv=3).fit(x, targets("SVC", x))
    assert np.array_equal(by_gram.cv_results_["mean_test_score"], by_rows.cv_results_["mean_test_score"])


@pytest.mark.parametrize("name", NAMES)
def test_a_pipeline_is_its_steps(name):
    """Scaling inside a pipeline and before it are the same."""
    x = points()
    y = targets(name, x)
    scaled = StandardScaler().fit_transform(x)
    chain = make_pipeline(StandardScaler(), CLASSES[name]()).fit(x, y)
    assert_same_bits(answers(fitted(name, scaled, y), scaled.copy()), answers(chain, x))


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_are_routed_through_a_pipeline(name):
    """With metadata routing `sample_weight` reaches the step that asks for it, and only that."""
    x = points()
    y = targets(name, x)
    weights = np.random.default_rng(3).uniform(0.5, 2.0, ROWS)
    scaled = StandardScaler().fit_transform(x)
    with sklearn.config_context(enable_metadata_routing=True):
        asks = CLASSES[name]().set_fit_request(sample_weight=True)
        chain = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asks)
        chain.fit(x, y, sample_weight=weights)
    direct = CLASSES[name]().fit(scaled, y, sample_weight=weights)
    assert_same_bits(answers(direct, scaled.copy()), answers(chain, x))


def test_weights_are_routed_through_a_search():
    """The refitted estimator of a search is the one fitted with weights."""
    x = points()
    y = targets("SVC", x)
    weights = np.random.default_rng(3).uniform(0.1, 10.0, ROWS)
    with sklearn.config_context(enable_metadata_routing=True):
        asks = CLASSES["SVC"]().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(asks, {"C": [1.0]}, cv=3).fit(x, y, sample_weight=weights)
    direct = CLASSES["SVC"]().fit(x, y, sample_weight=weights)
    assert_same_bits(answers(direct, x), answers(search.best_estimator_, x))
    assert not np.array_equal(answers(fitted("SVC", x, y), x)["decision_function"], direct.decision_function(x))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_kernel_pca_answers_with_frames(library):
    """`set_output` gives a frame with named columns and the numbers of the array."""
    x = points()
    plain = CLASSES["KernelPCA"](n_components=2).fit(x).transform(x)
    frame = CLASSES["KernelPCA"](n_components=2).set_output(transform=library).fit(x).transform(x)
    assert type(frame).__module__.split(".")[0] == library
    assert list(frame.columns) == ["kernelpca0", "kernelpca1"]
    assert np.array_equal(np.asarray(frame), plain)


@pytest.mark.filterwarnings("always")
@pytest.mark.parametrize("name", ITERATIVE)
def test_a_fit_that_ends_early_says_what_to_change(name):
    """A limit of one iteration gives one warning that names the limit and a way out."""
    x = np.random.default_rng(5).normal(size=(200, 6))
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1\)?.*(Consider|[Ii]ncrease)") as caught:
        model = fitted(name, x, targets(name, x), max_iter=1)
    assert len([warning for warning in caught if warning.category is ConvergenceWarning]) == 1
    # Of stochastic steps a pass has one for each row.
    assert np.all(np.asarray(model.n_iter_) == (200 if name == "PegasosClassifier" else 1))


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", [name for name in NAMES if name != "PegasosClassifier"])
def test_a_fit_that_converges_does_not_warn(name):
    """With the default limits there is nothing to say, but for stochastic steps, whose gap falls slowly by nature."""
    x = points()
    fitted(name, x, targets(name, x))


class Recorder:
    """A callback in the sense of scikit-learn 1.9 that writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def setup(self, estimator, context) -> None:
        self.told.append("setup")

    def on_fit_task_begin(self, estimator, context) -> None:
        self.told.append("begin")

    def on_fit_task_end(self, estimator, context) -> None:
        self.told.append("end")

    def teardown(self, estimator, context) -> None:
        self.told.append("teardown")


CALLED_BACK = [name for name in NAMES if hasattr(CLASSES[name], "set_callbacks")]


@pytest.mark.skipif(find_spec("sklearn.callback") is None, reason="scikit-learn has them from 1.9 on")
def test_machines_that_iterate_have_callbacks():
    """A support vector machine can be watched."""
    assert "SVC" in CALLED_BACK


@pytest.mark.parametrize("name", CALLED_BACK)
def test_callbacks_are_told_of_the_fit(name):
    """Set up once, every task that begins ends, taken down once; the answer is the same; no trace is left."""
    x = points()
    y = targets(name, x)
    recorder = Recorder()
    watched = CLASSES[name]().set_callbacks(recorder).fit(x, y)
    assert recorder.told[0] == "setup" and recorder.told[-1] == "teardown"
    assert recorder.told.count("setup") == recorder.told.count("teardown") == 1
    assert recorder.told.count("begin") == recorder.told.count("end") >= 1
    assert_same_bits(answers(fitted(name, x, y), x), answers(watched, x))
    assert not hasattr(watched, "_callback_fit_ctx")


@pytest.mark.parametrize("name", CALLED_BACK)
def test_callbacks_are_taken_down_after_a_failure(name):
    """Also where the data are refused."""
    recorder = Recorder()
    x = points()
    x[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        CLASSES[name]().set_callbacks(recorder).fit(x, targets(name, points()))
    assert recorder.told.count("setup") == recorder.told.count("teardown")


@pytest.mark.parametrize("name", CALLED_BACK)
def test_a_progress_bar_can_be_shown(name):
    """scikit-learn's own, which needs rich."""
    pytest.importorskip("rich")
    from sklearn.callback import ProgressBar

    x = points()
    CLASSES[name]().set_callbacks(ProgressBar()).fit(x, targets(name, x))
