"""Kernel machines for scikit-learn users: exact, certified, fast."""

from mercer import _threads, errors, kernels, plot
from mercer._bounds import Bound, Bounds, PairBounds, bounds
from mercer._certificate import Certificate
from mercer._files import from_libsvm, load, save, to_libsvm
from mercer._graphs import Graph
from mercer._mercer import __version__
from mercer._verify import Verification, verify
from mercer.bayes import RVC, RVR
from mercer.classification import SVC, NuSVC
from mercer.cluster import KernelKMeans, SpectralClustering
from mercer.cross_decomposition import KernelCCA
from mercer.decomposition import KernelPCA
from mercer.detection import SVDD, OneClassSVM
from mercer.discriminant import KernelFisher
from mercer.kernel_ridge import KernelRidge
from mercer.linear import LinearOneClassSVM, LinearSVC, LinearSVR, LogisticRegression, PegasosClassifier, linear_path
from mercer.multiclass import CrammerSingerSVC, KernelSoftmax, LocalSVC, OneVsRestSVC, WestonWatkinsSVC
from mercer.network import RBFNetworkClassifier, RBFNetworkRegressor
from mercer.online import KernelPerceptron
from mercer.regression import SVR, NuSVR
from mercer.relevance import RelevantDimension
from mercer.selection import SearchCV
from mercer.som import KernelSOM

__all__ = [
    "RVC", "RVR", "SVC", "SVDD", "SVR", "Bound", "Bounds", "Certificate", "CrammerSingerSVC", "Graph", "KernelCCA", "KernelFisher",
    "KernelKMeans", "KernelPCA", "KernelPerceptron", "KernelRidge", "KernelSOM", "KernelSoftmax", "LinearOneClassSVM",
    "LinearSVC", "LinearSVR", "LocalSVC", "LogisticRegression", "NuSVC", "NuSVR", "OneClassSVM", "OneVsRestSVC", "PairBounds", "PegasosClassifier",
    "RBFNetworkClassifier", "RBFNetworkRegressor", "RelevantDimension", "SearchCV",
    "SpectralClustering", "Verification", "WestonWatkinsSVC", "__version__", "bounds", "errors", "from_libsvm", "kernels", "linear_path", "load", "plot",
    "save", "to_libsvm", "verify",
]
