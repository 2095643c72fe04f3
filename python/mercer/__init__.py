"""Kernel machines for scikit-learn users: exact, certified, fast."""

from mercer._mercer import __version__

__all__ = ["__version__"]
