"""Models in files that cannot run code, and in LIBSVM's text.

A model file holds any estimator of the package, with its certificate, and is checked as it is read; the program `mercer` and the
Rust library read the same file. LIBSVM's text holds what LIBSVM has, for its own programs.
"""

import pickle
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

import mercer
from mercer.kernels import RBF

HERE = Path(__file__).resolve().parent
DATA = next(folder / "data" for folder in (HERE, *HERE.parents) if (folder / "data").is_dir())
X, y = load_svmlight_file(str(DATA / "heart_scale.libsvm.gz"))
X = X.toarray()

model = mercer.SVC(kernel=RBF(0.5), C=10.0).fit(X, y)

mercer.save(model, "heart.mercer")
again = mercer.load("heart.mercer")
print(f"heart.mercer: {Path('heart.mercer').stat().st_size} bytes, a pickle {len(pickle.dumps(model))}")
print("same decisions, to the bit:", np.array_equal(again.decision_function(X), model.decision_function(X)))
print(again.certificate_)

mercer.to_libsvm(model, "heart.model")
theirs = mercer.from_libsvm("heart.model")
print("\nLIBSVM's text begins")
print("".join(Path("heart.model").read_text().splitlines(keepends=True)[:6]), end="")
agree = np.mean(theirs.predict(X).astype(float) == y) == np.mean(model.predict(X) == y)
print("read back, it is right as often:", agree)
