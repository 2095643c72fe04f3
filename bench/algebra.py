"""The cases that are linear algebra: kernel ridge and kernel PCA beside scikit-learn's, with equal answers.

RBF kernel with γ = 1/50 on 10,000 points of 50 standard normal features (`cargo xtask bench --case ridge,kpca`). A peer's answer
is written to a file by the process that made it; afterwards every answer is judged in double precision by the definition:
the relative residual of the ridge system, and ‖K̃v − λv‖/λ₁ of each component with the tenth eigenvalue. Started with a name, this
file is one fit of that peer.
"""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from pathlib import Path
from statistics import median

import numpy as np

import measure
from place import MERCER, PREPARED
from table import number, table

ROWS, FEATURES, COMPONENTS, LAMBDA = 10_000, 50, 10, 1.0
GAMMA = 1 / FEATURES
PEERS = {
    "ridge": ("sklearn-ridge",),
    "kpca": ("sklearn-kpca-arpack", "sklearn-kpca-randomized"),
}
# Relative residuals above this are no answer; the randomised solver's are.
RESIDUAL = 1e-6
CHUNK = 1000


def prepare() -> tuple[Path, Path]:
    """The points and the targets, as NPY files."""
    PREPARED.mkdir(parents=True, exist_ok=True)
    points, targets = PREPARED / "algebra.npy", PREPARED / "algebra-targets.npy"
    if not targets.exists():
        draws = np.random.default_rng(0)
        np.save(points, draws.standard_normal((ROWS, FEATURES)))
        np.save(targets, draws.standard_normal(ROWS))
    return points, targets


def fit_peer(name: str) -> None:
    """One fit; prints time and memory as JSON and leaves the answer in a file."""
    import resource

    from sklearn.decomposition import KernelPCA
    from sklearn.kernel_ridge import KernelRidge

    x, y = (np.load(path) for path in prepare())
    kernel = {"kernel": "rbf", "gamma": GAMMA}
    if name == "sklearn-ridge":
        machine = KernelRidge(alpha=LAMBDA, **kernel)
        started = time.perf_counter()
        answer = machine.fit(x, y).dual_coef_
    else:
        solver = name.rsplit("-", 1)[1]
        machine = KernelPCA(COMPONENTS, eigen_solver=solver, random_state=0, **kernel)
        started = time.perf_counter()
        machine.fit(x)
        answer = np.vstack([machine.eigenvalues_, machine.eigenvectors_])
    seconds = time.perf_counter() - started
    np.save(PREPARED / f"{name}.npy", answer)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"fit_seconds": seconds, "peak_bytes": peak}))


def fit_mercer(case: str, options: Namespace) -> measure.Run:
    """One fit of mercer."""
    points, targets = prepare()
    own = {
        "ridge": ["--lambda", repr(LAMBDA), "--no-offset", "--labels", targets],
        "kpca": ["--components", COMPONENTS, "--label", "none"],
    }
    kernel = ["--kernel", f"rbf(gamma={GAMMA!r})", "--threads", options.threads, "--json"]
    command = [MERCER, "train", "--method", case, *own[case], *kernel, points, PREPARED / f"{case}.mercer"]
    return measure.execute("mercer", command, options.timeout, options.threads)


def coefficients(model: Path) -> np.ndarray:
    """The tensor of that name in a model file."""
    data = model.read_bytes()
    length = int.from_bytes(data[:8], "little")
    tensor = json.loads(data[8 : 8 + length])["coefficients"]
    begin, end = (8 + length + offset for offset in tensor["data_offsets"])
    return np.frombuffer(data[begin:end], "<f8").reshape(tensor["shape"])


def products(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Kv for the columns of v, by the definition of the kernel."""
    squares = (x * x).sum(axis=1)
    blocks = []
    for first in range(0, len(x), CHUNK):
        part = slice(first, first + CHUNK)
        distances = squares[part, None] + squares - 2 * x[part] @ x.T
        blocks.append(np.exp(-GAMMA * np.maximum(distances, 0)) @ v)
    return np.vstack(blocks)


def judge(case: str, program: str, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """The relative residual of an answer, and the number that it is shown by: ‖α‖ or the last eigenvalue."""
    ours = program == "mercer"
    if case == "ridge":
        answer = coefficients(PREPARED / "ridge.mercer")[:, 0] if ours else np.load(PREPARED / f"{program}.npy")
        left = products(x, answer[:, None])[:, 0] + LAMBDA * answer - y
        return float(np.linalg.norm(left) / np.linalg.norm(y)), float(np.linalg.norm(answer))
    if ours:
        # α with λ(α·α) = 1, so that projections are Kα.
        vectors = coefficients(PREPARED / "kpca.mercer")
        values = 1 / (vectors * vectors).sum(axis=0)
        vectors = vectors * np.sqrt(values)
    else:
        values, vectors = np.split(np.load(PREPARED / f"{program}.npy"), [1])
        values = values[0]
    centred = vectors - vectors.mean(axis=0)
    images = products(x, centred)
    images -= images.mean(axis=0)
    residual = np.linalg.norm(images - values * vectors, axis=0).max() / values[0]
    return float(residual), float(values[-1])


def run(case: str, options: Namespace) -> tuple[str, list[str]]:
    """The table of a case, and what failed."""
    points, targets = prepare()
    x, y = np.load(points), np.load(targets)
    programs = [*PEERS[case]] + ([] if options.peers_only else ["mercer"])
    runs: dict[str, list[dict]] = {name: [] for name in programs}
    failures = []
    for _ in range(options.repeat):
        for name in programs:
            if name == "mercer":
                found = fit_mercer(case, options)
            else:
                command = [sys.executable, __file__, name]
                found = measure.execute(name, command, options.timeout, options.threads)
            print(f"    {name:24} {found.error or format(found.result['fit_seconds'], '.3f') + ' s'}", flush=True)
            if found.error:
                failures.append(f"{case}: {name}: {found.error}")
            else:
                runs[name].append(found.result)
    rows = []
    middle = {name: median(r["fit_seconds"] for r in found) for name, found in runs.items() if found}
    ours = middle.get("mercer")
    memory = {name: max(r["peak_bytes"] for r in found) / 2**20 for name, found in runs.items() if found}
    for name, seconds in middle.items():
        residual, value = judge(case, name, x, y)
        if name == "mercer" and residual > RESIDUAL:
            failures.append(f"{case}: mercer's residual is {residual:.1e}")
        exact = "" if residual <= RESIDUAL else " ≠"
        rows.append([
            name,
            format(seconds, ".3f"),
            format(memory[name], ".0f"),
            f"{residual:.1e}{exact}",
            format(value, ".9g"),
            number(ours and seconds / ours, ".2f"),
            number("mercer" in memory and memory["mercer"] / memory[name], ".0%"),
        ])
    shown = "‖α‖" if case == "ridge" else f"eigenvalue {COMPONENTS}"
    header = ["program", "fit s", "peak MB", "residual", shown, "× mercer", "mercer's memory"]
    return table(header, rows), failures


if __name__ == "__main__":
    fit_peer(sys.argv[1])
