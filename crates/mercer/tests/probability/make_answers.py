"""Probabilities of scikit-learn, LIBSVM and numpy, stored: writes `answers.json` beside this file.

    python crates/mercer/tests/probability/make_answers.py

Needs `libsvm-official`, `numpy` and `scikit-learn`. `{"sklearn": VERSION, "libsvm": VERSION, LIST: [CASE, ...], ...}`:

| list       | a case |
|------------|--------|
| `sigmoid`  | `decisions`, `positive` (0 or 1), `weights` (or null); `a`, `b` of scikit-learn's `_sigmoid_calibration` (L-BFGS to a gradient of 1e-6) |
| `isotonic` | `decisions`, `targets`, `weights` (or null); `thresholds`, `values` and the `predictions` at `queries` of `IsotonicRegression(out_of_bounds="clip")` |
| `coupling` | a LIBSVM model with `-b 1` of a file of `data/`: its sigmoids `a`, `b` for each pair, the `decisions` of every 17th row and LIBSVM's `probabilities` for them |
| `density`  | a LIBSVM one-class model with `-b 1`: `file`, `kernel`, `nu`; the `decisions` of all rows, the `marks`, and LIBSVM's `probabilities` |
| `noise`    | `residuals` and `sigma`: numpy's mean of their size without those beyond 5 sqrt(2) times that mean |
| `svr`      | `file`, `kernel`, `c`, `epsilon`; `sigma` of LIBSVM with `-b 1`, for its own draw of folds |
| `svc`      | `file`, `kernel`, `c`; LIBSVM's `probabilities` with `-b 1` of every 7th row, classes in the order `labels`, for its own draw of folds |

Drawn numbers are rounded to few digits, so that the text is short and exact.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from libsvm import svm, svmutil
from sklearn.calibration import _sigmoid_calibration
from sklearn.isotonic import IsotonicRegression

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from data_sets import read  # noqa: E402

RANDOM = np.random.default_rng(4)


def drawn(n: int, slope: float, shift: float, digits: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Decisions and classes that follow a sigmoid."""
    f = np.round(RANDOM.normal(0.0, 1.5, n), digits)
    return f, (RANDOM.random(n) < 1 / (1 + np.exp(-(slope * f + shift)))).astype(int)


def sigmoids() -> list[dict]:
    """Overlapping, separable, rare, weighted, large and backward decisions."""
    cases = []

    def case(name, f, y, weights=None):
        a, b = _sigmoid_calibration(f, y, weights)
        stored = None if weights is None else weights.tolist()
        cases.append({"name": name, "decisions": f.tolist(), "positive": y.tolist(), "weights": stored, "a": float(a), "b": float(b)})

    case("overlapping", *drawn(80, 1.2, 0.3))
    case("steep", *drawn(80, 6.0, -1.0))
    f, _ = drawn(60, 1.0, 0.0)
    case("separable", f, (f > 0.2).astype(int))
    case("rare", *drawn(120, 1.5, -3.0))
    f, y = drawn(70, 1.5, 0.0)
    case("weighted", f, y, np.round(RANDOM.uniform(0.2, 3.0, len(f)), 2))
    f, y = drawn(60, 2.0, 0.5)
    case("large", f * 1000, y)
    case("backward", *drawn(60, -1.0, 0.4))
    case("one class", np.round(RANDOM.normal(0, 1, 12), 3), np.ones(12, dtype=int))
    case("few", np.array([-1.0, 0.5, 0.25, 2.0]), np.array([0, 1, 0, 1]))
    return cases


def isotonics() -> list[dict]:
    """Classes and numbers as targets, with and without ties and weights."""
    cases = []

    def case(name, f, t, weights=None):
        t = np.asarray(t, dtype=float)
        fitted = IsotonicRegression(out_of_bounds="clip").fit(f, t, sample_weight=weights)
        queries = np.round(np.linspace(f.min() - 1, f.max() + 1, 60), 3)
        cases.append(
            {
                "name": name,
                "decisions": f.tolist(),
                "targets": t.tolist(),
                "weights": None if weights is None else weights.tolist(),
                "thresholds": fitted.X_thresholds_.tolist(),
                "values": fitted.y_thresholds_.tolist(),
                "queries": queries.tolist(),
                "predictions": fitted.predict(queries).tolist(),
            }
        )

    case("classes", *drawn(80, 1.2, 0.3))
    case("ties", *drawn(80, 1.2, 0.3, digits=0))
    f, y = drawn(80, 1.5, 0.0, digits=1)
    case("ties and weights", f, y, np.round(RANDOM.uniform(0.0, 3.0, len(f)), 1))
    f, _ = drawn(60, 1.0, 0.0)
    case("numbers", f, np.round(np.tanh(f) + RANDOM.normal(0, 0.4, len(f)), 3))
    case("falling", f, -f)
    case("rising", f, f)
    case("constant", np.full(7, 1.5), np.array([0, 1, 1, 0, 0, 1, 0]))
    return cases


def trained(x: np.ndarray, y: np.ndarray, options: str):
    """A LIBSVM model and the problem it points into."""
    problem = svm.svm_problem(y, x)
    return problem, svmutil.svm_train(problem, svm.svm_parameter(options + " -b 1 -e 1e-6 -q"))


def answers(model, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Decisions and probabilities."""
    _, _, decisions = svmutil.svm_predict([], x, model, "-q")
    _, _, probabilities = svmutil.svm_predict([], x, model, "-b 1 -q")
    return np.array(decisions), np.array(probabilities)


def couplings() -> list[dict]:
    """Three, six and eleven classes."""
    cases = []
    for name, options in {"iris_scale": "-g 0.25 -c 1", "glass_scale": "-g 0.5 -c 10", "vowel.scale": "-g 0.5 -c 10"}.items():
        x, y = read(name)
        _, model = trained(x, y, options)
        classes = model.nr_class
        pairs = classes * (classes - 1) // 2
        decisions, probabilities = answers(model, x[::17])
        cases.append(
            {
                "file": f"{name}.libsvm.gz",
                "classes": classes,
                "a": model.probA[:pairs],
                "b": model.probB[:pairs],
                "decisions": decisions.tolist(),
                "probabilities": probabilities.tolist(),
            }
        )
    return cases


def densities() -> list[dict]:
    """One-class models, which draw nothing."""
    cases = []
    for name, gamma, nu in (("heart_scale", 0.08, 0.1), ("heart_scale", 0.08, 0.5), ("wine_scale", 0.1, 0.3), ("glass_scale", 0.5, 0.2)):
        x, y = read(name)
        _, model = trained(x, y, f"-s 2 -t 2 -g {gamma!r} -n {nu!r}")
        decisions, probabilities = answers(model, x)
        cases.append(
            {
                "file": f"{name}.libsvm.gz",
                "kernel": f"rbf(gamma={gamma!r})",
                "nu": nu,
                "decisions": decisions[:, 0].tolist(),
                "marks": model.prob_density_marks[:10],
                "probabilities": probabilities[:, 0].tolist(),
            }
        )
    return cases


def noises() -> list[dict]:
    """Laplacian residuals, with outliers and without."""
    cases = []
    for outliers in (0, 1, 7):
        z = RANDOM.laplace(0.0, 0.8, 150)
        z[:outliers] = RANDOM.normal(0.0, 40.0, outliers)
        z = np.round(z, 3)
        size = np.abs(z)
        kept = size[size <= 5 * np.sqrt(2 * size.mean() ** 2)]
        cases.append({"residuals": z.tolist(), "sigma": float(kept.mean())})
    return cases


def svrs() -> list[dict]:
    """Regressions on the labels of files."""
    cases = []
    for name, gamma, c, epsilon in (("heart_scale", 0.08, 1.0, 0.1), ("wine_scale", 0.1, 1.0, 0.1), ("ripley", 4.0, 1.0, 0.1)):
        x, y = read(name)
        _, model = trained(x, y, f"-s 3 -t 2 -g {gamma!r} -c {c!r} -p {epsilon!r}")
        cases.append({"file": f"{name}.libsvm.gz", "kernel": f"rbf(gamma={gamma!r})", "c": c, "epsilon": epsilon, "sigma": model.probA[0]})
    return cases


def svcs() -> list[dict]:
    """Classifiers of two and more classes."""
    cases = []
    for name, gamma, c in (("heart_scale", 0.08, 1.0), ("ripley", 4.0, 1.0), ("iris_scale", 0.25, 1.0), ("wine_scale", 0.1, 1.0)):
        x, y = read(name)
        _, model = trained(x, y, f"-t 2 -g {gamma!r} -c {c!r}")
        _, probabilities = answers(model, x[::7])
        cases.append(
            {
                "file": f"{name}.libsvm.gz",
                "kernel": f"rbf(gamma={gamma!r})",
                "c": c,
                "labels": [str(label) for label in model.get_labels()],
                "probabilities": np.round(probabilities, 6).tolist(),
            }
        )
    return cases


def main() -> None:
    """Writes the file."""
    lists = {"sigmoid": sigmoids, "isotonic": isotonics, "coupling": couplings, "density": densities, "noise": noises, "svr": svrs, "svc": svcs}
    parts = [f'"sklearn":"{version("scikit-learn")}","libsvm":"{version("libsvm-official")}"']
    for name, cases in lists.items():
        lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases())
        parts.append(f'"{name}":[\n{lines}\n]')
    text = "{" + ",\n".join(parts) + "}\n"
    (HERE / "answers.json").write_text(text)
    print(len(text), "bytes")


if __name__ == "__main__":
    main()
