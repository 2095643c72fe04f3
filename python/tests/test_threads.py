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
def test_one_thread_and_two_give_the_same_bits(name):
    """`n_threads` is a matter of time only."""
    x = np.vstack([points() + shift for shift in range(6)])
    y = targets(name, x)
    one, two = (fitted(name, x, y, n_threads=threads) for threads in (1, 2))
    assert_same_bits(answers(one, x), answers(two, x))


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
