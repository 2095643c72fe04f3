"""The cases: a data set, a machine and its parameters (RBF kernel, tolerance 1e-3 everywhere)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One training problem: C or ν, whichever `machine` has. `fastest`: the peers that `--quick` runs."""

    name: str
    data: str
    c: float
    gamma: float
    fastest: tuple[str, str] = ("sklearnex-f32-dense", "sklearnex-f32-dense-2000")
    machine: str = "svc"
    nu: float = 0.0
    epsilon: float = 0.0

    @property
    def parameters(self) -> str:
        """For people."""
        own = {
            "svc": f"C = {self.c:g}",
            "nu-svc": f"ν = {self.nu:g}",
            "svr": f"C = {self.c:g}, ε = {self.epsilon:g}",
            "one-class": f"ν = {self.nu:g}",
        }
        return f"{self.machine}, {own[self.machine]}, γ = {self.gamma:.6g}"


CASES = (
    Case("a9a", "a9a", 1.0, 1 / 123, ("sklearnex-f32-dense", "sklearnex-f32-csr")),
    Case("a9a-c10", "a9a", 10.0, 1 / 123, ("sklearnex-f32-dense", "sklearnex-f32-csr")),
    Case("a9a-c100", "a9a", 100.0, 0.005, ("sklearnex-f32-dense", "sklearnex-f32-csr")),
    Case("ijcnn1", "ijcnn1", 10.0, 1.0),
    Case("ijcnn1-c32", "ijcnn1", 32.0, 2.0),
    Case("w8a", "w8a", 8.0, 0.05),
    Case("letter", "letter", 16.0, 4.0, ("sklearnex-f32-dense", "libsvm")),
    Case("mnist10k", "mnist10k", 10.0, 0.02),
    Case("mnist60k", "mnist60k", 10.0, 0.02),
    Case("cov50k", "cov50k", 10.0, 1.0),
    Case("skin", "skin", 10.0, 10.0),
    Case("skin-c1000", "skin", 1000.0, 10.0),
    Case("cadata-svr", "cadata", 10.0, 0.5, machine="svr", epsilon=0.1),
    Case("ijcnn1-nu", "ijcnn1", 1.0, 1.0, machine="nu-svc", nu=0.1),
    Case("ijcnn1-one-class", "ijcnn1", 1.0, 1.0, ("libsvm", "sklearn-csr"), machine="one-class", nu=0.1),
)

# Small enough for a first look at whether everything runs; not part of the benchmark unless asked for by name.
EXTRA = (Case("heart", "heart", 1.0, 1 / 13),)

QUICK = ("a9a", "ijcnn1", "letter", "mnist10k")
READ = "read"
