"""Texts, graphs and sets for the benchmark of structured kernels, and mercer's Grams of them."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import numpy as np

from place import MERCER, SHARED, TARGET

WORK = TARGET / "bench-structured"

#: A graph as GraKeL wants it: edges in both directions, labels of nodes, labels of edges.
Graph = list[dict]


def gram(kernel: str, data: str | Path, *, keep: bool = False) -> np.ndarray:
    """Values by the program; with `keep` from the file of an earlier run, if there is one."""
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / ("".join(c if c.isalnum() else "_" for c in f"{data}-{kernel}") + ".npy")
    if not (keep and path.exists()):
        subprocess.run([MERCER, "kernel", "gram", "--quiet", kernel, SHARED / data, path], check=True)
    return np.load(path)


def labels(data: str) -> np.ndarray:
    path = SHARED / data
    if data.startswith("graphs"):
        with gzip.open(path / f"{path.name}_graph_labels.txt.gz", "rt") as file:
            return np.array([line.strip() for line in file])
    with gzip.open(path, "rt") as file:
        if not data.startswith("bags"):
            return np.array([line.split("\t", 1)[0] for line in file if line.strip()])
        found = {line.split()[1]: line.split()[0] for line in file if line.strip()}
    return np.array(list(found.values()))


def texts(data: str) -> list[str]:
    with gzip.open(SHARED / data, "rt") as file:
        return [line.rstrip("\r\n").split("\t", 1)[1] for line in file if line.strip()]


def graphs(name: str) -> list[Graph]:
    """The graphs of a TU folder; an edge without a label has 0."""
    folder = SHARED / "graphs" / name

    def lines(part: str) -> list[str] | None:
        path = folder / f"{name}_{part}.txt.gz"
        if not path.exists():
            return None
        with gzip.open(path, "rt") as file:
            return file.read().split("\n")[:-1]

    place = [int(line) - 1 for line in lines("graph_indicator") or ()]
    found: list[Graph] = [[{}, {}, {}] for _ in range(max(place) + 1)]
    for node, (graph, label) in enumerate(zip(place, lines("node_labels") or (), strict=True)):
        found[graph][1][node] = int(label)
    edges = lines("A") or []
    for line, label in zip(edges, lines("edge_labels") or ["0"] * len(edges), strict=True):
        a, b = (int(word) - 1 for word in line.split(","))
        found[place[a]][0][a, b] = 1.0
        found[place[a]][2][a, b] = int(label)
    return found


def without_node_labels(name: str, all_graphs: list[Graph]) -> Path:
    """The graphs as a file of JSON lines, with labels of edges alone."""
    WORK.mkdir(parents=True, exist_ok=True)
    path = WORK / f"{name}-edges.jsonl"
    with path.open("w") as file:
        for edges, nodes, kinds in all_graphs:
            number = {node: i for i, node in enumerate(nodes)}
            kept = [[number[a], number[b], str(kinds[a, b])] for a, b in edges if a < b]
            file.write(json.dumps({"label": "0", "nodes": len(nodes), "edges": kept}) + "\n")
    return path
