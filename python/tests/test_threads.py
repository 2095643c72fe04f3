"""Threads: the same bits on any number of them, limits are honoured, others may run, Ctrl-C ends a fit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import mercer

from .estimators import CLASSES, PROVING
from .samples import answers, assert_same_bits, fitted, points, targets

PARENT = Path(__file__).resolve().parent.parent
ENVIRONMENT = os.environ | ({"PYTHONPATH": str(PARENT)} if PROVING else {})
SOURCE = "tests.estimators" if PROVING else "mercer"


def noise(rows: int, columns: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Labels that nothing explains: every row becomes a support vector, so that a fit takes long."""
    random = np.random.default_rng(11)
    return random.normal(size=(rows, columns)), random.integers(0, 2, rows)


@pytest.mark.parametrize("name", CLASSES)
def test_any_number_of_threads_gives_the_same_bits(name):
    """`n_threads` is a matter of time only."""
    x = np.vstack([points() + shift for shift in range(6)])
    y = targets(name, x)
    one = answers(fitted(name, x, y, n_threads=1), x)
    for threads in (2, 3, 8):
        assert_same_bits(one, answers(fitted(name, x, y, n_threads=threads), x))


def test_one_thread_and_two_give_the_same_coefficients():
    """On a problem large enough to be split."""
    x, y = noise(4000)
    one, two = (fitted("SVC", x, y, n_threads=threads) for threads in (1, 2))
    assert np.array_equal(one.support_, two.support_)
    assert np.array_equal(one.dual_coef_, two.dual_coef_)
    assert np.array_equal(one.intercept_, two.intercept_)


def ours() -> list[dict]:
    """What threadpoolctl knows about this library."""
    return [pool for pool in threadpool_info() if pool["internal_api"] == "mercer"]


def test_threadpoolctl_sees_and_limits_our_threads():
    """One entry, with the limit inside the context and the former number after it."""
    before = ours()
    assert len(before) == 1
    with threadpool_limits(1):
        assert [pool["num_threads"] for pool in ours()] == [1]
    assert ours() == before


def test_a_limit_of_threadpoolctl_is_honoured():
    """Inside the context a fit takes no more processor time than one thread can."""
    x, y = noise(12_000)
    with threadpool_limits(1):
        wall, processor = time.perf_counter(), time.process_time()
        fitted("SVC", x, y)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
    assert wall > 0.2, "too short to tell"
    # Reading the two clocks and starting up account for the rest.
    assert processor < 1.1 * wall


def test_other_threads_run_during_a_fit():
    """The interpreter's lock is released: a thread that wakes a thousand times a second does so."""
    x, y = noise(12_000)
    woken, over = 0, threading.Event()

    def wake() -> None:
        nonlocal woken
        while not over.is_set():
            time.sleep(0.001)
            woken += 1

    other = threading.Thread(target=wake)
    other.start()
    start = time.perf_counter()
    fitted("SVC", x, y)
    seconds, counted = time.perf_counter() - start, woken
    over.set()
    other.join()
    assert seconds > 0.2, "too short to tell"
    # A tenth of what an idle machine would show; with the lock held it would be a handful.
    assert counted > 100 * seconds


def test_two_fits_in_two_threads_do_not_disturb_each_other():
    """Each gives what it gives alone."""
    x, y = noise(1500)
    alone = answers(fitted("SVC", x, y), x)
    found: list[dict] = []
    fits = [threading.Thread(target=lambda: found.append(answers(fitted("SVC", x, y), x))) for _ in range(2)]
    for each in fits:
        each.start()
    for each in fits:
        each.join()
    for each in found:
        assert_same_bits(alone, each)


@pytest.mark.skipif(PROVING, reason="the bits of scikit-learn's answers depend on the other rows")
@pytest.mark.parametrize("name", [name for name in CLASSES if name != "RelevantDimension"])
def test_one_row_has_the_bits_of_many(name):
    """Also when it is predicted again, which takes another way than the first time."""
    x = points()
    model = fitted(name, x, targets(name, x))
    many = answers(model, x)
    for _ in range(2):
        one = answers(model, x[7:8])
        assert_same_bits({key: values[7:8] for key, values in many.items()}, one)


FORK = """
import os, signal
import numpy as np
import scipy.sparse as sp
from {source} import SVC
random = np.random.default_rng(11)
x, y = random.normal(size=(3000, 30)) * (random.random((3000, 30)) < 0.2), random.integers(0, 2, 3000)
for form in (np.asarray, np.asfortranarray, sp.csr_matrix):
    rows = form(x)
    before = SVC().fit(rows, y).predict(rows)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        model = SVC().fit(form(x), y)
        model.predict(rows[:1])
        os._exit(0 if (model.predict(rows) == before).all() else 1)
    print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_works_by_itself():
    """None of its parent's threads are there; it must not wait for one."""
    command = [sys.executable, "-c", FORK.format(source=SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, env=ENVIRONMENT)
    assert done.stdout.split() == ["0", "0", "0"]


WORKERS = """
import multiprocessing, sys
import joblib
import numpy as np
from {source} import SVC, KernelPCA, KernelRidge

def work(seed):
    random = np.random.default_rng(seed)
    x, y = random.normal(size=(400, 5)), random.integers(0, 2, 400)
    model, ridge, pca = SVC().fit(x, y), KernelRidge().fit(x, y), KernelPCA(2).fit(x)
    return [model.predict(x[:1])[0], model.predict(x).sum(), ridge.predict(x).sum(), abs(pca.transform(x)).sum()]

if __name__ == "__main__":
    here = [work(seed) for seed in range(4)]
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, pool.map(work, range(4)) == here)
    for backend in ("loky", "multiprocessing", "threading"):
        calls = (joblib.delayed(work)(seed) for seed in range(4))
        print(backend, joblib.Parallel(2, backend=backend)(calls) == here)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_processes_and_threads_of_every_kind_give_the_same_answers(tmp_path):
    """After the parent has worked itself, so that its threads are there and its children's are not."""
    script = tmp_path / "work.py"
    script.write_text(WORKERS.format(source=SOURCE))
    command = [sys.executable, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, env=ENVIRONMENT)
    kinds = ("fork", "spawn", "loky", "multiprocessing", "threading")
    assert done.stdout.split() == [word for kind in kinds for word in (kind, "True")], done.stderr


THREADS = """
import pathlib
import numpy as np
from {source} import SVC
random = np.random.default_rng(1)
x, y = random.normal(size=(200, 5)), random.integers(0, 2, 200)
tasks = pathlib.Path("/proc/self/task")
names = lambda: [(task / "comm").read_text().strip() for task in tasks.iterdir()]
count = lambda: sum(name.startswith("mercer") for name in names())
others = len(names())
for threads in range(1, 41):
    SVC(n_threads=threads).fit(x, y).predict(x)
import time
time.sleep(1)
print(count(), len(names()) - count() - others)
"""


@pytest.mark.skipif(PROVING or not Path("/proc/self/task").exists(), reason="no list of threads")
def test_pools_that_are_not_used_end_and_all_threads_are_ours():
    """Of forty numbers of threads the last one's are left, and none of a pool that is not ours."""
    command = [sys.executable, "-c", THREADS.format(source=SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, env=ENVIRONMENT)
    ours, strange = map(int, done.stdout.split())
    # Those of the passes over the data are as many as there are processors, or as the environment says.
    assert 40 <= ours <= 40 + mercer._mercer.num_threads()
    assert strange == 0


@pytest.mark.skipif(PROVING, reason="a parameter of ours")
def test_threads_without_bound_are_refused():
    """A number that no computer has; and where the environment says one, it is cut down."""
    x, y = noise(40)
    for threads in (0, -2, 1025, 1_000_000, 2**70):
        with pytest.raises(ValueError, match="n_threads"):
            fitted("SVC", x, y, n_threads=threads)
    command = [sys.executable, "-c", "import mercer; print(mercer._mercer.num_threads())"]
    told = ENVIRONMENT | {"MERCER_NUM_THREADS": "1000000"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=told)
    assert done.stdout.split() == ["1024"]


@pytest.mark.skipif(PROVING, reason="our way to borrow memory")
def test_memory_that_is_lent_cannot_be_freed_meanwhile():
    """`resize` is refused, of the array and of the one that it is a view of; after the loan it is not."""
    whole = np.ones((30, 4))
    rows = whole[10:]
    for lent in (whole, rows):
        points = mercer._mercer.Points.dense(lent)
        for array in (whole, rows):
            with pytest.raises(ValueError, match="cannot resize"):
                array.resize((1, 1), refcheck=False)
        del points
    del rows, lent, array
    whole.resize((1, 1), refcheck=False)


@pytest.mark.skipif(PROVING, reason="our way to borrow memory")
def test_writing_into_lent_memory_spoils_no_more_than_the_answer():
    """Another thread changes the values, zeros among them, during the fits: each ends, or is refused for what it read."""
    x, y = noise(2500, 30)
    over = threading.Event()

    def write() -> None:
        random = np.random.default_rng(3)
        while not over.is_set():
            x[:] = random.normal(size=x.shape) * (random.random(x.shape) < 0.25)

    other = threading.Thread(target=write)
    other.start()
    try:
        for _ in range(5):
            try:
                assert len(mercer.SVC(max_iter=2000).fit(x, y).predict(x)) == len(x)
            except (ValueError, RuntimeError, ArithmeticError):
                pass
    finally:
        over.set()
        other.join()


LONG = """
import sys, time
import numpy as np
from {source} import {name}
random = np.random.default_rng(11)
x, y = random.normal(size=(60_000, 30)), random.integers(0, 2, 60_000)
model = {name}({parameters})
print("fitting", flush=True)
try:
    model.fit(x, y)
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
few = {name}().fit(x[:200], y[:200])
print("predicted", len(few.predict(x[:10])), flush=True)
"""
# A limit for an idle machine would be one second.
PATIENCE = 3.0


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to another process")
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("SVC", "C=100.0, gamma=0.1, tol=1e-8"),
        ("SVR", "C=100.0, gamma=0.1, tol=1e-8, epsilon=0.0"),
        ("OneClassSVM", "nu=0.5, gamma=0.1, tol=1e-8"),
    ],
)
def test_ctrl_c_ends_a_fit(name, parameters):
    """KeyboardInterrupt is raised soon after the signal, and the same process fits again."""
    script = LONG.format(source=SOURCE, name=name, parameters=parameters)
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        # So that a fit that cannot be interrupted does not hold up the tests.
        end = threading.Timer(60.0, run.kill)
        end.start()
        try:
            assert run.stdout.readline() == "fitting\n", run.stderr.read()
            time.sleep(1.0)
            assert run.poll() is None
            run.send_signal(signal.SIGINT)
            start = time.perf_counter()
            answer = run.stdout.readline()
            seconds = time.perf_counter() - start
            assert answer == "interrupted\n", f"{answer!r}: {run.stderr.read()}"
            assert seconds < PATIENCE
            assert run.stdout.readline() == "predicted 10\n", run.stderr.read()
            assert run.wait(timeout=60) == 0
        finally:
            end.cancel()
            run.kill()
