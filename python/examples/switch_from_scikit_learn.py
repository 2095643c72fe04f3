"""Change the import, keep the code.

The same search over the same pipeline with scikit-learn's SVC and with ours, on the astroparticle data of LIBSVM's guide: same
parameters found, same predictions. What is new is the certificate: how far the answer can be from the best there is, and why
the solver stopped. Times are for some thousand rows; on a few hundred scikit-learn's search can be the faster one.
"""

import time
from pathlib import Path

import sklearn.svm
from sklearn.datasets import load_svmlight_files
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import mercer

HERE = Path(__file__).resolve().parent
DATA = next(folder / "data" for folder in (HERE, *HERE.parents) if (folder / "data").is_dir())
files = [str(DATA / name) for name in ("svmguide1.libsvm.gz", "svmguide1.t.libsvm.gz")]
X_train, y_train, X_test, y_test = load_svmlight_files(files)
X_train, X_test = X_train.toarray(), X_test.toarray()

found = {}
for library in (sklearn.svm, mercer):
    pipeline = make_pipeline(MinMaxScaler((-1.0, 1.0)), library.SVC())
    grid = {"svc__C": [0.5, 2.0, 8.0], "svc__gamma": [0.5, 2.0, 8.0]}
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
