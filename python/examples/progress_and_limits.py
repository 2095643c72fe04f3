"""What a long fit shows, how to end it, and what its answer is then worth.

A bar on standard error, a limit of time or of steps, the warning that says what to change, and the certificate of the point
reached: the gap says how far it can be from the best. Answers do not depend on the number of threads.
"""

import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mercer import SVC

HERE = Path(__file__).resolve().parent
DATA = next(folder / "data" for folder in (HERE, *HERE.parents) if (folder / "data").is_dir())
X, y = load_svmlight_file(str(DATA / "banana.libsvm.gz"))

print("A bar, by verbose=True (also for scikit-learn's callbacks, by set_callbacks):", flush=True)
model = SVC(C=100.0, gamma=1.0, verbose=True).fit(X, y)
whole = model.certificate_
print(f"{whole.stop}: objective {whole.objective:.4f}, gap {whole.gap:.2g}, {whole.iterations} steps\n")

for limit in ({"max_iter": 5000}, {"max_iter": 15_000}, {"time_limit": 0.01}):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", ConvergenceWarning)
        early = SVC(C=100.0, gamma=1.0, **limit).fit(X, y)
    found = early.certificate_
    print(f"{limit}: {found.stop}, objective {found.objective:.1f}, gap {found.gap:.2g}, score {early.score(X, y):.3f}")
    for warning in said:
        print(f"  {warning.category.__name__}: {warning.message}")

alone = SVC(C=100.0, gamma=1.0, n_threads=1).fit(X, y)
with threadpool_limits(2):
    two = SVC(C=100.0, gamma=1.0).fit(X, y)
print("\nsame bits on one thread and on two:", np.array_equal(alone.dual_coef_.toarray(), two.dual_coef_.toarray()))
