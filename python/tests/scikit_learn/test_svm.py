"""`sklearn.svm.tests.test_svm` of the installed scikit-learn, with our classes."""

from .replace import load

globals().update(load("sklearn.svm.tests.test_svm"))
