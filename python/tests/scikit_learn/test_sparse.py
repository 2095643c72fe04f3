"""`sklearn.svm.tests.test_sparse` of the installed scikit-learn, with our classes."""

from .replace import load

globals().update(load("sklearn.svm.tests.test_sparse"))
