"""`sklearn.tests.test_kernel_ridge` of the installed scikit-learn, with our classes."""

from .replace import load

globals().update(load("sklearn.tests.test_kernel_ridge"))
