"""Clusters of rows, texts, graphs or sets."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from mercer._native import Assigning, warn
from mercer._parameters import COUNT, FLAG, NON_NEGATIVE, RULES, declared, parameter

__all__ = ["KernelKMeans", "SpectralClustering"]

#: The columns of a gap curve.
_GAP = ("clusters", "dispersion", "reference", "gap", "spread")

#: The affinity that is no kernel.
_NEIGHBORS = "nearest_neighbors"


@declared
class Clustering(ClusterMixin, Assigning):
    """An estimator of clusters.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row.
    inertia_ : float
        The sum of the squared distances of rows from the centres of their clusters.
    n_iter_ : int
        Iterations of the run of k-means that was best.
    """

    n_clusters: int = parameter(default=8, kw_only=False, setting="clusters", rule=COUNT)
    n_init: int = parameter(default=10, setting="restarts", rule=COUNT)
    max_iter: int = parameter(default=300, setting="max-iterations", rule=COUNT)
    random_state: Any = parameter(default=None, doc="What starts are drawn by; None is the same each time.")

    _supervised = False

    def _settings(self, points: Any) -> dict[str, Any]:
        return super()._settings(points) | {"seed": self._seed()}

    def _found(self, X: Any) -> None:
        super()._found(X)
        quality = self._model.quality()
        self.inertia_, self.n_iter_ = quality["inertia"], int(quality["iterations"])
        self.labels_ = self._of_all_rows(X, np.asarray(self._model.facts()["labels"], dtype=np.int32))
        if X is not None and not quality["converged"]:
            text = f"Points still moved after max_iter={self.max_iter} iterations. Consider increasing it."
            warn(text, ConvergenceWarning)

    def _nearest(self, points: Any) -> Any:
        return super()._nearest(points).astype(np.int32)

    def _summary(self) -> str:
        return f"inertia {self.inertia_:g}"


@declared
class KernelKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clustering):
    """K-means in the feature space of a kernel.

    Lloyd's iteration, by inner products alone: each row goes to the cluster whose mean in feature space is nearest. Exact,
    from several starts; by batches of rows where `batch_size` says so. A cluster that loses its last row takes the one that
    is farthest from its centre. With the linear kernel it is :class:`sklearn.cluster.KMeans`, to the label from the same
    start.

    Attributes
    ----------
    silhouette_ : float or None
        The mean silhouette in feature space; None of more than 4,096 rows, or where rows were looked at in batches.
    simplified_silhouette_ : float
        The same with distances from centres in place of mean distances from rows.
    gap_ : ndarray of shape (n_tried, 5)
        The gap curve, where it has chosen the number of clusters: for each number tried that number k, ln W(k) of the inertia W, its mean
        over sets of rows without clusters, the gap between the two, and its spread s. The number chosen is the least k whose gap is at
        least that of k + 1 less its spread.

    See Also
    --------
    SpectralClustering : Clusters of any shape that little connects.

    Notes
    -----
    The normalised cut of a graph with affinities A and degrees D is the case ``kernel="precomputed"``,
    X = D⁻¹AD⁻¹ + σD⁻¹ and ``sample_weight`` = d.

    >>> X = [[-2.0], [-1.9], [0.0], [0.1], [5.0], [5.2]]
    >>> model = KernelKMeans(n_clusters=3, gamma=0.5).fit(X)
    >>> len(set(model.labels_[::2])), bool((model.labels_[::2] == model.labels_[1::2]).all())
    (3, True)
    >>> bool(model.predict([[4.0]])[0] == model.labels_[5])
    True
    """

    init: Any = parameter(
        default="k-means++", rule=[StrOptions({"k-means++", "random"}), "array-like"],
        kind='{"k-means++", "random"} or array-like',
        doc="How the first centres are drawn; or where a single run begins: a cluster for each row, or the index of a row"
        " for each cluster, or with the linear kernel an array of centres of shape (n_clusters, n_features).",
    )
    n_clusters: Any = parameter(
        default=8, kw_only=False, setting="clusters", rule=[*COUNT, StrOptions({"auto"})], kind='int or "auto"',
        doc='Number of clusters; "auto" for as many as the gap curve chooses, at most `max_clusters`.',
    )
    max_clusters: int = parameter(default=10, setting="most-clusters", rule=COUNT)
    n_references: int = parameter(default=10, setting="references", rule=COUNT)
    batch_size: int | None = parameter(default=None, setting="batch", rule=[*COUNT, None])

    _method = "k-means"

    def _training_points(self, X: Any, weights: Any) -> Any:
        kernel, points = super()._training_points(X, weights)
        self._given = None if isinstance(self.init, str) else self._start(X, str(kernel))
        return kernel, points

    def _start(self, X: Any, kernel: str) -> list[int]:
        """The start as clusters of rows, or indices of rows."""
        init = np.asarray(self.init)
        if init.ndim == 1 and np.issubdtype(init.dtype, np.integer):
            if (init < 0).any():
                raise ValueError("init: clusters and indices of rows count from 0")
            return [int(number) for number in init]
        if init.ndim != 2 or init.shape[0] != self.n_clusters:
            raise ValueError("init: must be whole numbers, or an array of shape (n_clusters, n_features)")
        if kernel != "linear":
            raise ValueError(f"init: centres of the kernel {kernel} are points of feature space; give rows, or clusters")
        return [int(label) for label in pairwise_distances_argmin(X, init.astype(np.float64))]

    def _settings(self, points: Any) -> dict[str, Any]:
        start = "random" if isinstance(self.init, str) and self.init == "random" else "plus-plus"
        return super()._settings(points) | {"start": start, "initial": self._given}

    def _found(self, X: Any) -> None:
        super()._found(X)
        facts = self._model.facts()
        self.silhouette_, self.simplified_silhouette_ = facts["silhouette"], facts["simplified_silhouette"]
        self._n_features_out = int(facts["clusters"])
        self.__dict__.pop("gap_", None)
        curve = self._model.found().get("gap")
        if curve is not None:
            self.gap_ = np.array([[at[name] for name in _GAP] for at in curve])
        self.__dict__.pop("_given", None)

    def predict(self, X: Any) -> Any:
        """Find the nearest centre in feature space.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The cluster of each row.
        """
        return self._nearest(self._points(X))

    def transform(self, X: Any) -> Any:
        """Measure distances from the centres in feature space.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters)
            A column for each cluster.
        """
        return self._distances(self._checked_rows(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Negative inertia of rows about the centres.

        Parameters
        ----------
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight for each row.

        Returns
        -------
        score : float
            Minus the sum of squared distances from the nearest centre.
        """
        squares = self.transform(X).min(axis=1) ** 2
        return float(-squares.sum() if sample_weight is None else -squares @ np.asarray(sample_weight, dtype=np.float64))


def _kernel(estimator: Any) -> Any:
    """The kernel that an affinity is, or that neighbors are nearest by."""
    return "linear" if _is_of_neighbors(estimator.affinity) else estimator.affinity


def _is_of_neighbors(affinity: Any) -> bool:
    return isinstance(affinity, str) and affinity == _NEIGHBORS


def _extends(estimator: Any) -> bool:
    """Whether new rows have affinities."""
    if _is_of_neighbors(estimator.affinity) or estimator.neighbors_only:
        raise AttributeError("a graph of neighbors has the training rows alone")
    return True


@declared
class SpectralClustering(Clustering):
    """Clusters of a graph of affinities, cut where little weight crosses.

    The leading eigenvectors of the normalised graph solve a relaxed normalised cut; k-means clusters the rows by their
    entries. With scikit-learn's names and clusters; besides, affinities may be any kernel on texts, graphs or sets, and new
    rows are predicted where affinities are kernel values.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_clusters)
        The rows by their entries in the leading eigenvectors.
    eigenvalues_ : ndarray of shape (n_clusters,)
        Eigenvalues of the normalised affinities, descending: as many are 1 as the graph has components.
    affinity_matrix_ : ndarray of shape (n_samples, n_samples)
        Affinities, where they were given or are a function's.

    See Also
    --------
    KernelKMeans : Clusters about their means in feature space.

    >>> X = [[0.0], [0.1], [0.3], [4.0], [4.1], [4.3]]
    >>> model = SpectralClustering(n_clusters=2).fit(X)
    >>> bool(model.labels_[0] == model.labels_[2] != model.labels_[3] == model.labels_[5])
    True
    >>> bool(model.predict([[3.9]])[0] == model.labels_[3])
    True
    """

    affinity: Any = parameter(
        default="rbf", rule=RULES["kernel"], kind='{"nearest_neighbors", "precomputed"}, str, Kernel or callable',
        doc="A name of :func:`sklearn.metrics.pairwise.pairwise_kernels` that goes with `gamma`, `degree` and `coef0`; a"
        ' kernel of :mod:`mercer.kernels`, or its text, such as ``"spectrum(p=3)"`` where X are texts; "precomputed" where X'
        ' are affinities; a function of two rows; none may be negative. "nearest_neighbors" joins each row to its'
        " `n_neighbors` nearest ones.",
    )
    gamma: float | str | None = parameter(
        default=1.0, doc='The coefficient of "rbf", "poly", "sigmoid", "laplacian" and "chi2".', rule=[*RULES["gamma"], None]
    )
    n_neighbors: int = parameter(
        default=10, rule=COUNT, doc="Nearest rows that a row is joined to in a graph of neighbors, itself among them."
    )
    neighbors_only: bool = parameter(
        default=False, rule=FLAG,
        doc="Whether rows are joined to their `n_neighbors` nearest ones alone, by the distance of the kernel in `affinity`.",
    )
    degree: float = parameter(default=3, rule=NON_NEGATIVE)
    coef0: float = parameter(default=1)
    kernel_params: dict[str, Any] | None = parameter(
        default=None, doc="Keywords for an affinity that is a function.", rule=[dict, None]
    )
    # The affinity is the kernel: no parameter of its own.
    kernel: ClassVar[Any] = property(_kernel)  # type: ignore[misc]

    _method = "spectral"
    _rowwise = True

    def _settings(self, points: Any) -> dict[str, Any]:
        joined = _is_of_neighbors(self.affinity) or self.neighbors_only
        return super()._settings(points) | {"neighbors": self.n_neighbors if joined else None}

    def fit(self, X: Any, y: Any = None) -> Any:
        """Find clusters of rows.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return super().fit(X, y)

    def _found(self, X: Any) -> None:
        super()._found(X)
        self.embedding_ = self._model.own_components()
        self.eigenvalues_ = self._model.facts()["eigenvalues"]
        self.__dict__.pop("affinity_matrix_", None)
        if X is not None and self._input == "values":
            self.affinity_matrix_ = X
        elif X is not None and self._input == "function":
            self.affinity_matrix_ = self._values(X, X)

    @available_if(_extends)
    def predict(self, X: Any) -> Any:
        """Extend the eigenvectors to new rows, and find the nearest centre.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The cluster of each row.
        """
        return self._nearest(self._points(X))
