"""Wrote the pickles of this folder and what they answer, with the package as it was before estimators were declared.

Kept so that it is known what they are; `tests/test_earlier.py` reads them.
"""

import pickle
from pathlib import Path

import numpy as np

import mercer
from mercer import kernels

HERE = Path(__file__).resolve().parent
METHODS = ("predict", "decision_function", "predict_proba", "transform", "score_samples")

X = np.round(np.random.default_rng(0).normal(size=(24, 3)) * 64) / 64
TWO = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, "yes", "no")
THREE = np.digitize(X[:, 0], [-0.5, 0.5])
NUMBER = X[:, 0] - X[:, 1]
MODELS = {
    "SVC": mercer.SVC(C=2.0).fit(X, THREE),
    "SVC_probability": mercer.SVC(probability=True).fit(X, TWO),
    "SVC_callable": mercer.SVC(kernel="precomputed").fit(X @ X.T, THREE),
    "NuSVC": mercer.NuSVC(nu=0.2).fit(X, TWO),
    "SVR": mercer.SVR(kernel=kernels.RBF(0.5) + 1).fit(X, NUMBER),
    "NuSVR": mercer.NuSVR().fit(X, NUMBER),
    "OneClassSVM": mercer.OneClassSVM(nu=0.2).fit(X),
    "SVDD": mercer.SVDD(nu=0.2).fit(X),
    "OneVsRestSVC": mercer.OneVsRestSVC().fit(X, THREE),
    "OneVsRestSVC_labels": mercer.OneVsRestSVC().fit(X, np.c_[X[:, 0] > 0, X[:, 1] > 0].astype(int)),
    "CrammerSingerSVC": mercer.CrammerSingerSVC().fit(X, THREE),
    "WestonWatkinsSVC": mercer.WestonWatkinsSVC().fit(X, THREE),
    "KernelSoftmax": mercer.KernelSoftmax().fit(X, THREE),
    "LocalSVC": mercer.LocalSVC(n_cells=2).fit(X, THREE),
    "KernelFisher": mercer.KernelFisher(alpha=0.01).fit(X, TWO),
    "KernelRidge": mercer.KernelRidge(kernel="rbf").fit(X, X[:, :2]),
    "KernelPCA": mercer.KernelPCA(2, kernel="rbf", fit_inverse_transform=True).fit(X),
    "KernelCCA": mercer.KernelCCA(1).fit(X[:, :2], X[:, 2:]),
    "RelevantDimension": mercer.RelevantDimension().fit(X, NUMBER),
}


def rows(name: str) -> np.ndarray:
    """What a model is asked about."""
    return X @ X.T if name == "SVC_callable" else X[:, :2] if name == "KernelCCA" else X


if __name__ == "__main__":
    answers = {}
    for name, model in MODELS.items():
        (HERE / f"{name}.pickle").write_bytes(pickle.dumps(model, protocol=4))
        for method in METHODS:
            if hasattr(model, method):
                answers[f"{name}.{method}"] = np.asarray(getattr(model, method)(rows(name)))
    answers["RelevantDimension.denoised_"] = MODELS["RelevantDimension"].denoised_
    np.savez_compressed(HERE / "answers.npz", X=X, **answers)
