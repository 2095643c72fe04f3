"""How much memory a fit of the Python package takes: `python python_memory.py [--rows N] [--columns D] [--cache-mb M]`.

100,000 rows of 50 columns in f32, two classes. In a process of its own: the resident size before the data exist, and
the largest resident size during the fit. Their difference may be the data, one copy of them and the cache that was
asked for, and a fifth more: (2 × data + cache) × 1.2. The exit code is 1 where it is more.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
from pathlib import Path

from peers import MODULES
from table import table

MEGABYTE = 1e6
SLACK = 1.2


def resident(field: str) -> int:
    """Bytes, of `VmRSS` (now) or `VmHWM` (the largest so far)."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(f"{field}:"))


def forget_peak() -> None:
    """The largest resident size starts again from the present one."""
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def fit(options: argparse.Namespace) -> dict:
    """One fit, in this process."""
    import numpy as np
    import scipy.sparse  # noqa: F401  as everybody who fits has it

    machine = importlib.import_module(MODULES[options.module]).SVC(C=1.0, gamma=1.0 / options.columns)
    machine.set_params(cache_size=options.cache_mb)
    before = resident("VmRSS")
    random = np.random.default_rng(1)
    x = random.standard_normal((options.rows, options.columns), dtype=np.float32)
    y = (x[:, : options.columns // 5].sum(axis=1) > 0).astype(np.int32)
    # One label in fifty is wrong.
    y[::50] ^= 1
    forget_peak()
    start = time.perf_counter()
    machine.fit(x, y)
    return {
        "fit_seconds": time.perf_counter() - start,
        "before": before,
        "peak": resident("VmHWM"),
        "data": x.nbytes + y.nbytes,
        "support_vectors": int(sum(machine.n_support_)),
    }


def main() -> int:
    """Runs the fit in a process of its own and judges it."""
    parser = argparse.ArgumentParser(description="peak memory of one fit of SVC from NumPy arrays in f32")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--cache-mb", type=float, default=100.0, help="cache_size of the machine (default 100)")
    parser.add_argument("--module", choices=MODULES, default="mercer", help="whose SVC (default mercer)")
    parser.add_argument("--python", type=Path, default=sys.executable, help="the interpreter that has the package")
    parser.add_argument("--here", action="store_true", help="fit in this process and print figures as JSON")
    options = parser.parse_args()
    if options.here:
        print(json.dumps(fit(options)))
        return 0
    words = [f"--rows={options.rows}", f"--columns={options.columns}", f"--cache-mb={options.cache_mb}"]
    command = [options.python, __file__, "--here", f"--module={options.module}", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        return 1
    found = json.loads(done.stdout.splitlines()[-1])
    cache = options.cache_mb * 2**20
    used, allowed = found["peak"] - found["before"], (2 * found["data"] + cache) * SLACK
    figures = {
        "before the data": found["before"],
        "largest during the fit": found["peak"],
        "difference": used,
        "data": found["data"],
        "cache asked for": cache,
        "allowed: (2 × data + cache) × 1.2": allowed,
    }
    rows = [[name, f"{size / MEGABYTE:.1f}"] for name, size in figures.items()]
    print(f"{options.module}.SVC, {options.rows} x {options.columns} in f32")
    print(table(["", "MB"], rows))
    print(f"  {found['fit_seconds']:.1f} s, {found['support_vectors']} support vectors")
    if used > allowed:
        print(f"FAILED {used / allowed:.2f} times what is allowed")
    return int(used > allowed)


if __name__ == "__main__":
    sys.exit(main())
