"""Kernel machines for scikit-learn users: exact, certified, fast."""

from mercer import kernels
from mercer._certificate import Certificate
from mercer._mercer import __version__
from mercer.multiclass import CrammerSingerSVC, KernelSoftmax, OneVsRestSVC, WestonWatkinsSVC
from mercer.svm import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM

__all__ = ["Certificate", "CrammerSingerSVC", "KernelSoftmax", "OneVsRestSVC", "WestonWatkinsSVC", "NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVDD", "SVR", "__version__", "kernels"]
