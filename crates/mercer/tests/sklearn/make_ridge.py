"""scikit-learn's KernelRidge, stored: writes `ridge.json` beside this file (`cargo xtask answers`).

{"scikit-learn": VERSION, "cases": [CASE, ...]}. A CASE has the kernel in mercer's text form, what is
added to all features (`shift`), lambda, the weights (or none) and
`dual_coef`, a row for each of the first ROWS rows of data/heart_scale.libsvm.gz, a column for each target: the label, and the sum of its
row's features. `predictions` are for the next 20 rows.
"""

import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.kernel_ridge import KernelRidge

ROWS = 80
HERE = Path(__file__).parent
KERNELS = {
    "linear": {"kernel": "linear"},
    "poly(degree=3, gamma=0.1, coef0=1)": {"kernel": "poly", "degree": 3, "gamma": 0.1, "coef0": 1},
    "rbf(gamma=0.08)": {"kernel": "rbf", "gamma": 0.08},
    "rbf(gamma=2)": {"kernel": "rbf", "gamma": 2},
    "laplace(gamma=0.1)": {"kernel": "laplacian", "gamma": 0.1},
    "cosine": {"kernel": "cosine"},
    "tanh(gamma=0.01, coef0=0.1)": {"kernel": "sigmoid", "gamma": 0.01, "coef0": 0.1},
    "gaussian(metric=chi2, sigma=1)": {"kernel": "chi2", "gamma": 0.5},
}

# What the features are moved by: chi2 is for features that are not negative.
SHIFT = {"gaussian(metric=chi2, sigma=1)": 1.0}

x, labels = load_svmlight_file(str(HERE / "../../../../data/heart_scale.libsvm.gz"), n_features=13)
x = x.toarray()
y = np.stack([labels, x.sum(axis=1)], axis=1)
weights = 0.5 + np.arange(ROWS) % 4
cases = []
for text, options in KERNELS.items():
    moved = x + SHIFT.get(text, 0.0)
    for alpha in (1.0, 0.01):
        for sample_weight in (None, weights):
            machine = KernelRidge(alpha=alpha, **options).fit(moved[:ROWS], y[:ROWS], sample_weight=sample_weight)
            cases.append({
                "kernel": text,
                "shift": SHIFT.get(text, 0.0),
                "lambda": alpha,
                "weights": None if sample_weight is None else list(weights),
                "dual_coef": machine.dual_coef_.tolist(),
                "predictions": machine.predict(moved[ROWS : ROWS + 20]).tolist(),
            })
answers = {"scikit-learn": sklearn.__version__, "cases": cases}
(HERE / "ridge.json").write_text(json.dumps(answers, separators=(",", ":")) + "\n")
