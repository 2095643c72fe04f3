"""The fits of one program, asked for one by one: `python sweep_fit.py PROGRAM` reads a JSON object a line and answers with one.

A question has `case` (the fields of `sweep_cases.Case`) and `check`; the answer has `seconds` of the fit alone, the data in memory
in the form of the program, and where it is to be checked `value`: what the fit has minimised, by definition and in double
precision (`judged`). A fit that fails is answered with `error`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import warnings

MODULES = {"sklearn": "sklearn.svm", "sklearnex": "sklearnex.svm", "mercer": "mercer"}
PROGRAMS = (
    "mercer",
    "sklearn-dense",
    "sklearn-csr",
    *(f"sklearnex-{t}-{layout}" for t in ("f32", "f64") for layout in ("dense", "csr")),
)
# Beyond this many bytes rows are not spread out into dense ones.
MOST_DENSE = 1 << 30
# Rows with fewer entries than this share of the columns are handed to mercer as CSR, others as dense ones.
SPARSE = 0.3
MOST_SUPPORT = 20_000
CACHE_MB = 2000


def estimator(program: str, case):
    """The estimator of a program; None where it has none."""
    family = program.split("-")[0]
    kernel = {"kernel": case.kernel, "gamma": case.gamma}
    svm = importlib.import_module(MODULES[family])
    common = {**kernel, "tol": 1e-3, "cache_size": 200 if family == "sklearnex" else CACHE_MB}
    if case.machine == "svc":
        return svm.SVC(C=case.c, **common)
    if case.machine == "nu-svc":
        return svm.NuSVC(nu=case.nu, **common)
    if case.machine == "svr":
        return svm.SVR(C=case.c, epsilon=case.epsilon, **common)
    if family == "sklearnex":
        return None
    if case.machine == "one-class":
        return svm.OneClassSVM(nu=case.nu, **common)
    if case.machine == "ridge":
        home = svm if family == "mercer" else importlib.import_module("sklearn.kernel_ridge")
        return home.KernelRidge(alpha=case.alpha, **kernel)
    home = svm if family == "mercer" else importlib.import_module("sklearn.decomposition")
    return home.KernelPCA(n_components=case.components, **kernel)


def form(program: str, x):
    """The rows as the program gets them; None where that is not possible."""
    import numpy as np

    words = program.split("-")
    if words[0] == "mercer":
        dense = x.nnz >= SPARSE * x.shape[0] * x.shape[1]
    else:
        dense = "dense" in words
    if dense and 8 * x.shape[0] * x.shape[1] > MOST_DENSE:
        return None
    x = x.astype(np.float32 if "f32" in words else np.float64)
    return x.toarray() if dense else x


def product(case, x, y):
    """Kernel values of some rows with others, in double precision."""
    import numpy as np

    inner = (x @ y.T).toarray()
    if case.kernel == "linear":
        return inner
    square = lambda z: np.asarray(z.multiply(z).sum(axis=1)).ravel()
    return np.exp(-case.gamma * np.maximum(square(x)[:, None] + square(y)[None, :] - 2.0 * inner, 0.0))


def judged(case, machine, x, y) -> float | None:
    """What the answer amounts to, lower being better: the dual objective, or of linear algebra an error."""
    import numpy as np
    import oracle

    if case.machine == "ridge":
        found = np.asarray(machine.dual_coef_).ravel()
        left = sum(
            float(((product(case, x[rows], x) @ found + case.alpha * found[rows] - y[rows]) ** 2).sum())
            for rows in (slice(start, start + 1024) for start in range(0, x.shape[0], 1024))
        )
        return 1.0 + (left / float(y @ y)) ** 0.5
    if case.machine == "kpca":
        return -float(np.sum(machine.eigenvalues_))
    support = np.asarray(machine.support_)
    if len(support) > MOST_SUPPORT:
        return None
    dual = machine.dual_coef_
    dual = np.asarray(dual.toarray() if hasattr(dual, "toarray") else dual, dtype=np.float64)
    classifies = case.machine in ("svc", "nu-svc")
    per_class = np.asarray(machine.n_support_) if classifies else np.array([len(support), 0])
    own, b = x[support], oracle.pair_coefficients(dual, per_class)
    square = 0.0
    for start in range(0, len(support), 1024):
        rows = slice(start, start + 1024)
        square += float((b[rows] * (product(case, own[rows], own) @ b)).sum())
    total = float(np.abs(b).sum())
    if case.machine == "svc":
        return 0.5 * square - total
    if case.machine == "svr":
        return 0.5 * square + case.epsilon * total - float(y[support] @ b.sum(axis=1))
    # The machines with ν come with their coefficients divided by one number or another.
    return 0.5 * square / total**2


def main() -> None:
    """Answers questions until there are no more."""
    program = sys.argv[1]
    threads = int(sys.argv[2])
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    warnings.filterwarnings("ignore")
    import sweep_cases

    held: tuple = ("", None, None, None)
    for line in sys.stdin:
        question = json.loads(line)
        case = sweep_cases.Case(**question["case"])
        try:
            if held[0] != case.data:
                x, y = sweep_cases.load(case.data)
                held = (case.data, x, y, form(program, x))
            _, x, y, given = held
            machine = estimator(program, case)
            if machine is None or given is None:
                answer = {"error": "none"}
            else:
                start = time.perf_counter()
                machine.fit(given, y)
                answer = {"seconds": time.perf_counter() - start}
                if question["check"]:
                    answer["value"] = judged(case, machine, x, y)
        except Exception as problem:  # of whatever kind: it is the answer
            answer = {"error": f"{type(problem).__name__}: {problem}"[:200]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
