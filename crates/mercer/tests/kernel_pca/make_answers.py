#!/usr/bin/env python3
"""Writes answers.json: scikit-learn's KernelPCA on data/iris_scale for every kernel that it shares with mercer.

    python make_answers.py ../../../../data/iris_scale.libsvm.gz > answers.json

The model is fitted on all rows but every fifth, which are transformed. Rows of equal features are kept once: of equal
rows scikit-learn and mercer agree, but the file stays small. `metric` is for callables; scikit-learn's own answers are
those of the dense solver. The pre-images are `inverse_transform`'s, on centred columns.
"""

import json
import sys

import numpy as np
import sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import chi2_kernel, laplacian_kernel

COMPONENTS = 4

CASES = [
    ("linear", "linear", {}),
    ("poly(degree=3, gamma=0.5, coef0=1)", "poly", {"degree": 3, "gamma": 0.5, "coef0": 1.0}),
    ("poly(degree=2, gamma=1, coef0=0)", "poly", {"degree": 2, "gamma": 1.0, "coef0": 0.0}),
    ("rbf(gamma=0.7)", "rbf", {"gamma": 0.7}),
    ("rbf(gamma=20)", "rbf", {"gamma": 20.0}),
    ("tanh(gamma=0.01, coef0=0.1)", "sigmoid", {"gamma": 0.01, "coef0": 0.1}),
    ("cosine", "cosine", {}),
    ("laplace(gamma=0.3)", "laplacian", {"gamma": 0.3}),
    ("gaussian(metric=chi2, sigma=1)", "chi2", {"gamma": 0.5}),
]


def answer(text, x, new, kernel, settings):
    callable_kernels = {"laplacian": laplacian_kernel, "chi2": chi2_kernel}
    if kernel in callable_kernels:
        function = callable_kernels[kernel]
        gram = function(x, gamma=settings["gamma"])
        rows = function(new, x, gamma=settings["gamma"])
        model = KernelPCA(COMPONENTS, kernel="precomputed", eigen_solver="dense")
        model.fit(gram)
        projected = model.transform(rows)
    else:
        model = KernelPCA(COMPONENTS, kernel=kernel, eigen_solver="dense", **settings)
        model.fit(x)
        projected = model.transform(new)
    return {"kernel": text, "eigenvalues": model.eigenvalues_.tolist(), "projections": projected.ravel().tolist()}


def main():
    x, _ = load_svmlight_file(sys.argv[1])
    x = x.toarray()
    fifth = np.arange(len(x)) % 5 == 0
    train, new = x[~fifth], x[fifth]
    # chi2 is for features that are not negative: they are moved by 1.
    shift = {"chi2": 1.0}
    cases = [
        {"shift": shift.get(kernel, 0.0)}
        | answer(text, train + shift.get(kernel, 0.0), new + shift.get(kernel, 0.0), kernel, settings)
        for text, kernel, settings in CASES
    ]
    centred = train - train.mean(0)
    back = KernelPCA(3, kernel="rbf", gamma=0.7, fit_inverse_transform=True, alpha=0.1, eigen_solver="dense")
    back.fit(centred)
    images = back.inverse_transform(back.transform(new))
    json.dump(
        {
            "scikit-learn": sklearn.__version__,
            "components": COMPONENTS,
            "cases": cases,
            "back": {"kernel": "rbf(gamma=0.7)", "components": 3, "lambda": 0.1, "points": images.ravel().tolist()},
        },
        sys.stdout,
    )
    print()


main()
