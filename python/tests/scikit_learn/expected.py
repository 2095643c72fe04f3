"""The tests of scikit-learn that our classes do not pass: `file::test[parameters]` -> the reason in one sentence.

Applied strictly: an entry that passes is a failure, and so is one that names no test.
"""

from __future__ import annotations

_PROBABILITY = (
    "probability= is no deprecated parameter here: its folds are seeded, and it gives the same probabilities each time."
)

EXPECTED: dict[str, str] = {
    "test_kernel_pca.py::test_precomputed_kernel_not_psd[randomized]": (
        "The two largest eigenvalues are found whatever eigen_solver says; a solver that takes them by modulus and so meets"
        " a negative one is not imitated."
    ),
    "test_svm.py::test_svr_errors": (
        "A kernel function that gives one value for two rows is refused by fit already, not only by predict."
    ),
    "test_svm.py::test_svc_ovr_tie_breaking[42-SVC]": (
        "Far from all rows every pair decides by exactly 0, for which predict and decision_function vote alike here."
    ),
    "test_svm.py::test_svc_ovr_tie_breaking[42-NuSVC]": (
        "The answer for a unit matrix is exactly symmetric, so that no rounding makes predict differ from decision_function"
        " where ties are not broken."
    ),
    "test_svm.py::test_linearsvc_parameters[42-False-l2-hinge]": (
        "The hinge is solved without its dual too: dual=False is Newton's method on the primal."
    ),
    "test_svm.py::test_linear_svm_convergence_warnings[42]": (
        "Two steps of Newton's method are enough here, so that there is nothing to warn of."
    ),
    "test_svm.py::test_probability_raises_futurewarning[True-SVC-SVC]": _PROBABILITY,
    "test_svm.py::test_probability_raises_futurewarning[True-NuSVC-NuSVC]": _PROBABILITY,
    "test_svm.py::test_probability_raises_futurewarning[False-SVC-SVC]": _PROBABILITY,
    "test_svm.py::test_probability_raises_futurewarning[False-NuSVC-NuSVC]": _PROBABILITY,
    "test_svm.py::test_svc_nusvc_probA_probB_deprecated[SVC]": _PROBABILITY,
    "test_svm.py::test_svc_nusvc_probA_probB_deprecated[NuSVC]": _PROBABILITY,
}
