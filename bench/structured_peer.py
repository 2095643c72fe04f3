"""graphkernels, a peer in C++ that needs an old NumPy: run by an interpreter of its own, which `MERCER_GRAPHKERNELS` names.

    structured_peer.py DATA KERNEL OUT      writes the Gram and prints the seconds; KERNEL is wl, graphlet3, graphlet4 or graphlet5
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np

PYTHON = os.environ.get("MERCER_GRAPHKERNELS", "")


def run(name: str, kernel: str) -> tuple[float, np.ndarray]:
    """Seconds and the Gram."""
    from structured_data import WORK

    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / f"graphkernels-{name}-{kernel}.npy"
    done = subprocess.run([PYTHON, __file__, name, kernel, path], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1]), np.load(path)


def main(name: str, kernel: str, path: str) -> None:
    import graphkernels.kernels as peer
    import igraph

    from structured_data import graphs

    def converted(edges: dict, nodes: dict, _: dict) -> object:
        number = {node: i for i, node in enumerate(nodes)}
        graph = igraph.Graph(n=len(nodes), edges=[(number[a], number[b]) for a, b in edges if a < b])
        # 0 is what it fills up lists of neighbours with, so labels begin with 1.
        graph.vs["label"] = [label + 1 for label in nodes.values()]
        graph.es["label"] = [1] * graph.ecount()
        return graph

    points = [converted(*graph) for graph in graphs(name)]
    began = time.perf_counter()
    if kernel == "wl":
        values = peer.CalculateWLKernel(points, 5)
    else:
        values = peer.CalculateConnectedGraphletKernel(points, int(kernel[-1]))
    seconds = time.perf_counter() - began
    np.save(path, np.asarray(values, dtype=np.float64))
    print(seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])
