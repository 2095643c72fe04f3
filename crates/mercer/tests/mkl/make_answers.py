"""Objectives of multiple kernel learning by scipy's SLSQP, on small problems made by formulas that the test has too.

    python make_answers.py > answers.json

Maximise yᵀβ − ½ ‖S‖_q, S_m = βᵀK_mβ, with 0 ≤ yᵢβᵢ ≤ C and Σβ = 0, where 1/p + 1/q = 1 and p is the norm of the weights; for p = 1 the largest S_m, as t
with the constraints S_m ≤ t.
"""

import json

import numpy as np
from scipy.optimize import minimize


def problem(seed, n=30):
    i = np.arange(n)
    x = np.stack([np.sin(1.7 * i + seed) * 2, np.cos(2.3 * i * (1 + seed))], axis=1)
    y = np.where(x[:, 0] * x[:, 1] + 0.5 * np.sin(5.0 * i) + 0.3 * x[:, 0] > 0, 1.0, -1.0)
    squares = ((x[:, None] - x[None]) ** 2).sum(-1)
    return y, [np.exp(-squares), np.exp(-0.1 * squares), x @ x.T]


def solve(y, kernels, c, p):
    n = len(y)
    bounds = [(0, c) if s > 0 else (-c, 0) for s in y]
    equal = {"type": "eq", "fun": lambda z: z[:n].sum(), "jac": lambda z: np.r_[np.ones(n), np.zeros(len(z) - n)]}
    options = {"maxiter": 3000, "ftol": 1e-13}
    if p == 1:
        under = [
            {"type": "ineq", "fun": lambda z, K=K: z[n] - z[:n] @ K @ z[:n], "jac": lambda z, K=K: np.r_[-2 * K @ z[:n], 1.0]}
            for K in kernels
        ]
        start = np.zeros(n + 1)
        found = minimize(
            lambda z: 0.5 * z[n] - y @ z[:n], start, jac=lambda z: np.r_[-y, 0.5], bounds=[*bounds, (0, None)],
            constraints=[equal, *under], method="SLSQP", options=options,
        )
        return -found.fun, found.success
    q = p / (p - 1)

    def value(b):
        S = np.array([b @ K @ b for K in kernels])
        norm = (S**q).sum() ** (1 / q)
        slope = sum((s / norm) ** (q - 1) * (K @ b) for s, K in zip(S, kernels)) if norm > 0 else 0 * b
        return 0.5 * norm - y @ b, slope - y

    found = minimize(value, 1e-3 * y * (y != 0) - 1e-3 * y.mean(), jac=True, bounds=bounds, constraints=[equal], method="SLSQP", options=options)
    return -found.fun, found.success


rows = []
for seed in range(3):
    y, kernels = problem(seed)
    for c in (0.5, 10.0):
        for p in (1.0, 1.5, 2.0):
            objective, success = solve(y, kernels, c, p)
            rows.append({"seed": seed, "c": c, "p": p, "objective": objective, "success": bool(success)})
print(json.dumps(rows, indent=1))
