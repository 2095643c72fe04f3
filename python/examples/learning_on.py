"""Rows that come in pieces: `partial_fit`, and the share of mistakes before each piece is learnt from."""

import gzip
import pickle

import numpy as np
from sklearn.datasets import load_svmlight_file

from mercer import LinearSVC, PegasosClassifier

with gzip.open("data/mushrooms.libsvm.gz") as file:
    rows, labels = load_svmlight_file(file)
order = np.random.default_rng(0).permutation(len(labels))
rows, labels = rows[order], labels[order]

model = PegasosClassifier(alpha=1e-5)
for first in range(0, len(labels), 1000):
    piece = slice(first, first + 1000)
    before = "-" if first == 0 else f"{1 - model.score(rows[piece], labels[piece]):.4f}"
    model.partial_fit(rows[piece], labels[piece], classes=np.unique(labels))
    print(f"{first:5} rows learnt from, mistakes in the next 1000: {before}")

# The pieces are the whole, to the bit, and a pickle goes on where it was.
whole = PegasosClassifier(alpha=1e-5).partial_fit(rows, labels, classes=np.unique(labels))
assert np.array_equal(whole.coef_, model.coef_)
again = pickle.loads(pickle.dumps(model)).partial_fit(rows[:1], labels[:1])
assert np.array_equal(again.coef_, model.partial_fit(rows[:1], labels[:1]).coef_)

exact = LinearSVC(loss="hinge", C=1e5 / len(labels)).fit(rows, labels)
print("one pass", model.score(rows, labels), " exact", exact.score(rows, labels))
