"""One fit of one peer in a process of its own: `python peers.py PEER TRAIN [TEST] --machine M --c C …`.

The last line of standard output is a JSON object:

| field             | meaning |
|-------------------|---------|
| `fit_seconds`     | the training call alone, data in memory in the form the peer wants |
| `peak_bytes`      | the largest resident size of the process up to the end of the fit |
| `support_vectors` | how many |
| `objective`       | by `oracle.py`; with `--check` |
| `accuracy`        | share of the test rows that get their label; of classifiers, with a test part |
| `predict_rows`, `predict_seconds` | the prediction call alone |
| `convert_seconds` | the part of the training call spent on the form of the data, where the program says so |

Peers: `libsvm`; `sklearn-dense`, `sklearn-csr`; `sklearnex-{f32,f64}-{dense,csr}` with scikit-learn's default cache
of 200 MB, and the same with `-2000` for a cache of 2000 MB. LIBSVM and scikit-learn get 2000 MB. `thundersvm` is its
CPU library of 2019, the newest on PyPI, dense: its sparse binding misreads its input (every row a support vector of
heart, `bad_alloc` on ijcnn1). Only the library's call is timed, not the copies that its Python class makes around it.

`mercer-{f32,f64}-{dense,csr}` is mercer's own Python package, which `python.py` compares; its class is scikit-learn's.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path

NAMES = (
    "libsvm",
    "sklearn-dense",
    "sklearn-csr",
    *(
        f"sklearnex-{t}-{layout}{cache}"
        for t in ("f32", "f64")
        for layout in ("dense", "csr")
        for cache in ("", "-2000")
    ),
    "thundersvm",
)
PACKAGE = tuple(f"mercer-{t}-{layout}" for layout in ("dense", "csr") for t in ("f32", "f64"))
# The modules that have classes with scikit-learn's names.
MODULES = {"sklearn": "sklearn.svm", "sklearnex": "sklearnex.svm", "mercer": "mercer"}
# LIBSVM's number of each machine.
MACHINES = {"svc": 0, "nu-svc": 1, "one-class": 2, "svr": 3}
TOLERANCE = 1e-3
LARGE_CACHE_MB = 2000
# Prediction without a test part is timed on this many training rows.
ROWS_WITHOUT_TEST = 10_000


@dataclass
class Task:
    """What is to be done."""

    peer: str
    train: Path
    test: Path | None
    machine: str
    c: float
    gamma: float
    nu: float
    epsilon: float
    threads: int
    check: bool

    @property
    def classifies(self) -> bool:
        return self.machine in ("svc", "nu-svc")


def has(peer: str, machine: str) -> bool:
    """Whether a peer has a machine. scikit-learn-intelex has no one-class machine; ThunderSVM's others are not wired."""
    return machine == "svc" or not (peer == "thundersvm" or machine == "one-class" and peer.startswith("sklearnex"))


def limit_threads(threads: int) -> None:
    """For every thread pool there is; before numpy and the peers are imported."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)
    # oneTBB takes as many threads as the process has cores.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def peak_bytes() -> int:
    """The largest resident size so far (Linux counts it in KiB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def timed(work):
    """The result of `work()` and its seconds."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def run_sklearn(task: Task) -> dict:
    """A machine of scikit-learn, the accelerated one of scikit-learn-intelex, or mercer's."""
    import data
    import numpy as np

    words = task.peer.split("-")
    svm = importlib.import_module(MODULES[words[0]])
    dtype = np.float32 if "f32" in words else np.float64
    cache = LARGE_CACHE_MB if words[0] == "sklearn" or words[-1] == str(LARGE_CACHE_MB) else 200

    def form(x):
        x = x.astype(dtype)
        return x.toarray() if "dense" in words else x

    rows, y = data.load(task.train)
    x = form(rows)
    name, own = {
        "svc": ("SVC", {"C": task.c}),
        "nu-svc": ("NuSVC", {"nu": task.nu}),
        "svr": ("SVR", {"C": task.c, "epsilon": task.epsilon}),
        "one-class": ("OneClassSVM", {"nu": task.nu}),
    }[task.machine]
    machine = getattr(svm, name)(gamma=task.gamma, tol=TOLERANCE, cache_size=cache, **own)
    _, seconds = timed(lambda: machine.fit(x, y))
    result = {"fit_seconds": seconds, "peak_bytes": peak_bytes(), "support_vectors": int(sum(machine.n_support_))}
    if hasattr(machine, "_seconds"):
        result["convert_seconds"] = machine._seconds["convert"]
    if task.check:
        dual = machine.dual_coef_.toarray() if hasattr(machine.dual_coef_, "toarray") else machine.dual_coef_
        result["objective"] = checked(task, rows, y, machine.support_, dual, machine.n_support_)
    rows_t, y_t = data.load(task.test) if task.test else (rows[:ROWS_WITHOUT_TEST], None)
    xt = form(rows_t)
    return result | predicted(task, lambda: machine.predict(xt), y_t, xt.shape[0])


def run_libsvm(task: Task) -> dict:
    """LIBSVM through its own Python module, on the native OpenMP build."""
    import data
    import libsvm_build
    import numpy as np

    sys.path.insert(0, str(libsvm_build.python_path()))
    from libsvm import svm

    rows, y = data.load(task.train)
    problem = svm.svm_problem(y, rows)
    options = f"-s {MACHINES[task.machine]} -t 2 -c {task.c!r} -n {task.nu or 0.5!r} -p {task.epsilon!r} "
    options += f"-g {task.gamma!r} -e {TOLERANCE!r} -m {LARGE_CACHE_MB} -q"
    parameter = svm.svm_parameter(options)
    pointer, seconds = timed(lambda: svm.libsvm.svm_train(problem, parameter))
    model = svm.toPyModel(pointer)
    result = {"fit_seconds": seconds, "peak_bytes": peak_bytes(), "support_vectors": model.l}
    classes = model.get_nr_class()
    if task.check:
        dual = np.array([model.sv_coef[row][: model.l] for row in range(classes - 1)])
        support = np.array(model.get_sv_indices()) - 1
        per_class = np.array(model.nSV[:classes] if task.classifies else [model.l, 0])
        result["objective"] = checked(task, rows, y, support, dual, per_class)
    rows_t, y_t = data.load(task.test) if task.test else (rows[:ROWS_WITHOUT_TEST], None)
    count = rows_t.shape[0]
    tests = svm.svm_problem(np.zeros(count), rows_t)
    predict = lambda: [svm.libsvm.svm_predict(model, tests.x[i]) for i in range(count)]
    return result | predicted(task, predict, y_t, count)


def run_thundersvm(task: Task) -> dict:
    """ThunderSVM's C-SVC through its Python class."""
    import data
    import numpy as np
    from thundersvm import SVC
    from thundersvm import thundersvm as library

    spent = {}

    def watched(name: str):
        call = getattr(library, name)

        def work(*words):
            result, spent[name] = timed(lambda: call(*words))
            return result

        setattr(library, name, work)

    watched("dense_model_scikit")
    watched("dense_predict")
    rows, y = data.load(task.train)
    machine = SVC(C=task.c, gamma=task.gamma, tol=TOLERANCE, n_jobs=task.threads)
    machine.fit(rows.toarray().astype(np.float32), y)
    result = {"fit_seconds": spent["dense_model_scikit"], "peak_bytes": peak_bytes(), "support_vectors": machine.n_sv}
    if task.check:
        result["objective"] = checked(task, rows, y, machine.support_, machine.dual_coef_, machine.n_support_)
    rows_t, y_t = data.load(task.test) if task.test else (rows[:ROWS_WITHOUT_TEST], None)
    xt = rows_t.toarray()
    result |= predicted(task, lambda: machine.predict(xt), y_t, xt.shape[0])
    return result | {"predict_seconds": spent["dense_predict"]}


def checked(task: Task, rows, y, support, dual, per_class) -> float:
    """The oracle's objective of the returned coefficients, with the support vectors taken from the data."""
    import numpy as np
    import oracle

    per_class = np.asarray(per_class) if task.classifies else np.array([len(support), 0])
    coefficients = oracle.pair_coefficients(np.asarray(dual, dtype=np.float64), per_class)
    return oracle.objective(rows[support].toarray(), coefficients, y[support], rows.shape[0], task)


def predicted(task: Task, work, labels, rows: int) -> dict:
    """Times a prediction call and compares with the labels where there are any."""
    import numpy as np

    found, seconds = timed(work)
    result = {"predict_rows": rows, "predict_seconds": seconds}
    if labels is not None and task.classifies:
        result["accuracy"] = float((np.asarray(found) == labels).mean())
    return result


def main() -> None:
    """Runs one task."""
    parser = argparse.ArgumentParser(description="one fit of one peer")
    parser.add_argument("peer", choices=(*NAMES, *PACKAGE))
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path, nargs="?")
    parser.add_argument("--machine", choices=MACHINES, default="svc")
    for name in ("c", "gamma", "nu", "epsilon"):
        parser.add_argument(f"--{name}", type=float, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="compute the dual objective")
    task = Task(**vars(parser.parse_args()))
    limit_threads(task.threads)
    run = {"libsvm": run_libsvm, "thundersvm": run_thundersvm}.get(task.peer, run_sklearn)
    print(json.dumps(run(task)))


if __name__ == "__main__":
    main()
