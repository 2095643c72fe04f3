"""`sklearn.decomposition.tests.test_kernel_pca` of the installed scikit-learn, with our classes."""

from .replace import load

globals().update(load("sklearn.decomposition.tests.test_kernel_pca"))
