"""Kernel machines for scikit-learn users: exact, certified, fast."""

from mercer import errors, kernels
from mercer._certificate import Certificate
from mercer._mercer import __version__
from mercer.kernel_ridge import KernelRidge
from mercer.multiclass import CrammerSingerSVC, KernelSoftmax, LocalSVC, OneVsRestSVC, WestonWatkinsSVC
from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM

__all__ = [
    "SVC",
    "SVDD",
    "SVR",
    "Certificate",
    "CrammerSingerSVC",
    "KernelRidge",
    "KernelSoftmax",
    "LocalSVC",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OneVsRestSVC",
    "WestonWatkinsSVC",
    "__version__",
    "errors",
    "kernels",
]
