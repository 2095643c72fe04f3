"""Kernels are expressions: add them, multiply them, let them see some columns, search over them.

Builds kernels from parts, asks whether they are valid without looking at data, checks one that may not be, and lets a grid
search choose between expressions. The same objects work in scikit-learn's own estimators.
"""

import pickle

import sklearn.svm
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC
from mercer.kernels import RBF, Laplace, Linear, Poly, Tanh, check, columns, median_gamma, normalized, parse

X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)

gamma = median_gamma(X)
kernel = RBF(gamma) @ columns(range(1, 7)) + 0.5 * Laplace(gamma) @ columns(range(7, 14))
print(kernel)
print("positive semi-definite by construction:", kernel.definite)
print("parameters:", kernel.parameters)
assert parse(str(kernel)) == kernel == pickle.loads(pickle.dumps(kernel))

print("\nThe sigmoid is not always a kernel; a check on data finds a witness:")
print(check(Tanh(1.0, -1.0), X))

candidates = [Linear(), RBF(gamma), kernel, normalized(Poly(2, coef0=1.0)), RBF(gamma) * (1.0 + Linear())]
search = GridSearchCV(SVC(), {"kernel": candidates, "C": [0.1, 1.0, 10.0]}).fit(X, y)
print("\nOf five kernels and three prices the best is")
print(f"{search.best_params_['kernel']}, C = {search.best_params_['C']:g}: {search.best_score_:.3f}")

theirs = make_pipeline(StandardScaler(), sklearn.svm.SVC(kernel=kernel)).fit(X, y)
print(f"The same object in scikit-learn's SVC: {theirs.score(X, y):.3f}")
