"""Kernel machines for scikit-learn users: exact, certified, fast."""

from mercer import kernels
from mercer._mercer import __version__

__all__ = ["__version__", "kernels"]
