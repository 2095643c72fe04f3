"""Change the import, keep the code.

The same search over the same pipeline with scikit-learn's SVC and with ours: same parameters found, same predictions. What
is new is the certificate: how far the answer can be from the best there is, and why the solver stopped.
"""

import time

import sklearn.svm
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

found = {}
for library in (sklearn.svm, mercer):
    pipeline = make_pipeline(StandardScaler(), library.SVC())
    grid = {"svc__C": [0.1, 1.0, 10.0, 100.0], "svc__gamma": [0.001, 0.01, 0.1]}
    started = time.perf_counter()
    search = GridSearchCV(pipeline, grid).fit(X_train, y_train)
    seconds = time.perf_counter() - started
    found[library.__name__] = search
    print(f"{library.__name__:12} {search.best_params_}, test {search.score(X_test, y_test):.3f}, {seconds:.2f} s")

theirs, ours = (search.predict(X_test) for search in found.values())
print(f"{(theirs == ours).sum()} of {len(ours)} predictions agree")

machine = found["mercer"].best_estimator_[-1]
print(f"{len(machine.support_)} support vectors, offset {machine.intercept_[0]:.4f}")
print(machine.certificate_)
