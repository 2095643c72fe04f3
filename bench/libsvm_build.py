"""LIBSVM, built from the sources that its own Python package carries.

Nothing of LIBSVM is kept in this repository: the source package is downloaded by pip into `target/bench-libsvm`
and its `svm.cpp` compiled with `-O3 -march=native -fopenmp`. The result lies beside LIBSVM's own Python module,
which then loads this build and not the portable one that pip installs.

The source package has no command-line programs. `svm-train` and `svm-predict` are thin shells around the library,
which the Python module offers with the same options and output lines; `svm-scale` is a program of its own and is
taken from Debian's package `libsvm-tools` where `apt-get` is at hand, or from the path.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from place import LIBSVM

FLAGS = ["-O3", "-march=native", "-fopenmp", "-fPIC", "-shared"]


def python_path() -> Path:
    """The folder to put first on `sys.path` so that `import libsvm` finds the native build; made where missing."""
    package = LIBSVM / "libsvm"
    library = package / "clib.cp-native.so"
    if library.exists():
        return LIBSVM
    LIBSVM.mkdir(parents=True, exist_ok=True)
    download = ["pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps", "--dest", LIBSVM, "libsvm-official"]
    subprocess.run([sys.executable, "-m", *download], check=True)
    archive = next(LIBSVM.glob("libsvm*.tar.gz"))
    with tarfile.open(archive) as files:
        files.extractall(LIBSVM, filter="data")
    source = LIBSVM / archive.name.removesuffix(".tar.gz")
    shutil.copytree(source / "libsvm", package, dirs_exist_ok=True)
    compile_command = ["g++", *FLAGS, "-o", library, source / "cpp-source" / "svm.cpp"]
    print(f"    compiling LIBSVM: g++ {' '.join(FLAGS)}", flush=True)
    subprocess.run(compile_command, check=True)
    return LIBSVM


def svm_scale() -> Path | None:
    """LIBSVM's `svm-scale`: from the path, else unpacked from Debian's package; None where neither is to be had."""
    on_path = shutil.which("svm-scale")
    if on_path:
        return Path(on_path)
    unpacked = LIBSVM / "debian"
    program = unpacked / "usr" / "bin" / "svm-scale"
    if program.exists():
        return program
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return None
    unpacked.mkdir(parents=True, exist_ok=True)
    quiet = {"cwd": unpacked, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if subprocess.run(["apt-get", "download", "libsvm-tools"], **quiet).returncode != 0:
        return None
    for package in unpacked.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package.name, "."], check=True, cwd=unpacked)
    return program if program.exists() else None
