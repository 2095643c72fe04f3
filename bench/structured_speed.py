"""Kernels on texts and graphs: time and memory of whole Grams beside peers. Run by `cargo xtask structured speed`.

Normalised Grams in double precision, one thread each, the shortest of three runs. mercer by the example `gram`, which has the data in
memory; peers in this process, the data in the form that they want. `growth` is what mercer's process grew by while it made the Gram, over
the size of the Gram. Values are compared by `structured values`, not here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

import structured_peer
from place import EXAMPLES, ROOT, SHARED
from structured_data import WORK, graphs, texts
from table import table

RUNS = 3
SMS, SITES = "strings/sms_spam.tsv.gz", "strings/celegans_acceptor.tsv.gz"
#: Sites for strkernel.
FEW = 500
#: Texts for the scalar loop, and the parameters of its kernel.
SCALAR, LENGTH, DECAY = 200, 4, 0.5


def ours(kernel: str, data: Path) -> tuple[float, float]:
    """Seconds, and the growth of the process over the size of the Gram."""
    def once() -> tuple[float, float]:
        done = subprocess.run([EXAMPLES / "gram", kernel, data], check=True, capture_output=True, text=True)
        words = done.stdout.split()
        return float(words[words.index("gram") + 1]), float(words[words.index("growth") + 1])

    runs = [once() for _ in range(RUNS)]
    return min(run[0] for run in runs), max(run[1] for run in runs)


def timed(work: Callable[[], object]) -> float:
    best = np.inf
    for _ in range(RUNS):
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            work()
        best = min(best, time.perf_counter() - began)
    return best


def compiled_seconds(name: str, kernel: str) -> float:
    """Seconds of graphkernels, not a number where it fails: its graphlets of five nodes read memory that is not theirs."""
    try:
        return min(structured_peer.run(name, kernel)[0] for _ in range(RUNS))
    except subprocess.CalledProcessError:
        return float("nan")


def first(data: str, count: int) -> Path:
    """The first texts of a file, as a file."""
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / f"first-{count}.tsv"
    path.write_text("".join(f"0\t{text}\n" for text in texts(data)[:count]))
    return path


def spectrum(points: list[str], p: int) -> np.ndarray:
    """The fastest way there is without a package for it: scikit-learn's counts and a sparse product."""
    from sklearn.feature_extraction.text import CountVectorizer

    counts = CountVectorizer(analyzer=lambda text: [text[i : i + p] for i in range(len(text) - p + 1)])
    x = counts.fit_transform(points).astype(np.float64)
    norms = np.sqrt(np.asarray(x.multiply(x).sum(1)).ravel())
    dense = (x @ x.T).toarray()
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    dense *= scale[:, None]
    dense *= scale
    return dense


def mismatches(points: list[str]) -> np.ndarray:
    """strkernel's (5, 1)-mismatch kernel. It numbers the letters of each text by themselves; all of A, C, G and T are in each."""
    from strkernel.mismatch_kernel import MismatchKernel, preprocess

    return MismatchKernel(l=4, k=5, m=1).get_kernel(preprocess(points)).kernel


def aligned(points: list[str]) -> np.ndarray:
    """string-kernels' runs of equal letters: a weighted degree kernel of all lengths."""
    from stringkernels.kernels import string_kernel

    letters = np.array([list(text) for text in points])
    dense = string_kernel(normalize=False, n_jobs=1)(letters, letters).astype(np.float64)
    root = np.sqrt(np.diag(dense))
    return dense / root / root[:, None]


def speed(chosen: Sequence[str]) -> None:
    import grakel

    rows: list[list[str]] = []

    def add(what: str, kernel: str, data: str | Path, *peers: tuple[str, Callable[[], float], float]) -> None:
        """A line for each peer: its name, what times it, and how many times faster mercer must be."""
        if chosen and not any(word in what for word in chosen):
            return
        mine, growth = ours(f"normalized({kernel})", SHARED / data)
        for peer, seconds, factor in peers or ((("–"), lambda: float("nan"), float("nan")),):
            theirs = seconds()
            rows.append([what, f"{mine:.4f}", f"{growth:.2f}", peer, f"{theirs:.3f}", f"{theirs / mine:.1f}×", f"{factor:g}×"])
            print(*rows[-1], flush=True)

    for name in ("MUTAG", "PTC", "ENZYMES", "NCI1"):
        of, folder = graphs(name), f"graphs/{name}"

        def peer(kernel: object, factor: float) -> tuple[str, Callable[[], float], float]:
            return "GraKeL", lambda: timed(lambda: kernel.fit_transform(of)), factor  # type: ignore[attr-defined]

        def compiled(kernel: str, factor: float) -> list[tuple[str, Callable[[], float], float]]:
            if not structured_peer.PYTHON:
                return []
            return [("graphkernels", lambda: compiled_seconds(name, kernel), factor)]

        wl = grakel.WeisfeilerLehman(n_iter=5, base_graph_kernel=grakel.VertexHistogram, normalize=True)
        add(f"wl h=5, {name}", "wl(h=5)", folder, *compiled("wl", 3.0), peer(wl, 3.0))
        add(f"shortest path, {name}", "path", folder, peer(grakel.ShortestPath(normalize=True, with_labels=True), 10.0))
        add(f"vertices, {name}", "vertices", folder, peer(grakel.VertexHistogram(normalize=True), 1.0))
        if name in ("MUTAG", "PTC"):
            add(f"walk, {name}", "walk", folder, peer(grakel.RandomWalk(normalize=True, lamda=0.01), 30.0))
            add(f"walk, labels, {name}", "walk(labels=nodes)", folder, peer(grakel.RandomWalkLabeled(normalize=True, lamda=0.01), 30.0))
        if name == "MUTAG":
            add(f"graphlets k=5, {name}", "graphlet(k=5)", folder, *compiled("graphlet5", 1.0),
                peer(grakel.GraphletSampling(normalize=True, k=5), 20.0))
    for data, p in ((SMS, 4), (SITES, 5)):
        points = texts(data)
        add(f"spectrum p={p}, {Path(data).name}", f"spectrum(p={p})", data, ("CountVectorizer", lambda: timed(lambda: spectrum(points, p)), 3.0))
    sites = texts(SITES)
    add(f"degree(d=20), {Path(SITES).name}", "degree(d=20)", SITES, ("string-kernels", lambda: timed(lambda: aligned(sites)), 5.0))
    few = first(SITES, FEW)
    add(f"mismatch(p=5, m=1), {FEW} sites", "mismatch(p=5, m=1, alphabet=4)", few,
        ("strkernel", lambda: timed(lambda: mismatches(sites[:FEW])), 50.0))
    add(f"mismatch(p=5, m=1), {Path(SITES).name}", "mismatch(p=5, m=1, alphabet=4)", SITES)
    print(table(["Gram", "mercer s", "growth", "peer", "peer s", "ratio", "wanted"], rows))
    if not chosen or "subsequence" in chosen:
        subsequences()


def subsequences() -> None:
    """Pairs × length² per second, beside a scalar loop in C; and that the values are the same."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        print("subsequence: no C compiler")
        return
    WORK.mkdir(parents=True, exist_ok=True)
    program, lines, data = WORK / "subsequence", WORK / "subsequence.txt", WORK / "subsequence.tsv"
    subprocess.run([compiler, "-O3", "-march=native", "-o", program, ROOT / "bench" / "subsequence.c", "-lm"], check=True)
    points = [text for text in texts(SMS) if text.isascii() and 20 < len(text) < 1000][:SCALAR]
    lines.write_text("".join(f"{text}\n" for text in points))
    data.write_text("".join(f"0\t{text}\n" for text in points))

    def scalar() -> list[float]:
        with lines.open() as file:
            done = subprocess.run([program, str(LENGTH), str(DECAY)], check=True, capture_output=True, text=True, stdin=file)
        return [float(word) for word in done.stdout.split()]

    runs = [scalar() for _ in range(RUNS)]
    kernel = f"normalized(subsequence(p={LENGTH}, lambda={DECAY}))"
    mine, growth = ours(kernel, data)
    theirs, work, total = min(runs)
    from structured_data import gram

    off = abs(np.tril(gram(kernel, data)).sum() / total - 1.0)
    print(table(
        ["subsequences", "pairs × length² per second", "growth", "seconds", "sum of values, relative difference"],
        [["mercer", f"{work / mine:.3g}", f"{growth:.2f}", f"{mine:.3f}", f"{off:.0e}"],
         ["scalar C", f"{work / theirs:.3g}", "–", f"{theirs:.3f}", "–"]],
    ))
