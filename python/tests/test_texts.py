"""Texts as inputs: every estimator takes them with a kernel on texts, and says so where they do not go together."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import get_tags

import mercer
from mercer import errors, kernels

from .estimators import CLASSES, WITH_KERNELS, of_kernel

NAMES = sorted(WITH_KERNELS)
SPECTRUM = "spectrum(p=2)"


def sample(count: int = 40) -> list[str]:
    """Words of two alphabets that share some letters, of many lengths, with letters of several bytes."""
    random = np.random.default_rng(8)
    alphabets = ["abcdä", "cdefß"]
    return ["".join(random.choice(list(alphabets[i % 2]), size=random.integers(4, 15))) for i in range(count)]


TEXTS, NEW = sample(), sample(60)[40:]
SIDE = np.arange(40) % 2


def gram(first: list[str], second: list[str], p: int = 2) -> np.ndarray:
    """Σ count · count over words of p letters, one pair after the other."""
    words = lambda text: Counter(text[i : i + p] for i in range(len(text) - p + 1))  # noqa: E731
    one, other = [words(text) for text in first], [words(text) for text in second]
    return np.array([[float(sum(a[u] * b[u] for u in a)) for b in other] for a in one])


def target(name: str):
    """What `fit` takes beside texts."""
    estimator = CLASSES[name]()
    if name == "KernelCCA":
        return [text[::-1] for text in TEXTS]
    if is_classifier(estimator):
        return np.where(SIDE, "one", "other")
    return np.array([float(len(text)) for text in TEXTS]) if is_regressor(estimator) or name == "RelevantDimension" else None


def answers(model, x) -> dict[str, np.ndarray]:
    if isinstance(model, mercer.KernelSOM):
        # Distances need k(x, x), which kernel values of other rows do not tell.
        return {"predict": model.predict(x)}
    found = {m: np.asarray(getattr(model, m)(x)) for m in ("predict", "decision_function", "transform") if hasattr(model, m)}
    return found or {"noise_": np.asarray(model.noise_), "denoised_": model.denoised_}


@pytest.mark.parametrize("name", NAMES)
def test_texts_are_fitted_as_their_kernel_values(name):
    """The same estimator of values written out, one pair after the other, to 1e-6."""
    model = of_kernel(name, SPECTRUM).fit(TEXTS, target(name))
    if name == "KernelCCA":
        assert model.correlations_[0] > 0.9 and model.transform(NEW).shape == (20, 2)
        return
    values = of_kernel(name, "precomputed").fit(gram(TEXTS, TEXTS), target(name))
    # A sphere needs k(x, x), which only the values of training rows tell.
    rows = TEXTS if name in ("SVDD", "KernelKMeans") else NEW
    ours, theirs = answers(model, rows), answers(values, gram(rows, TEXTS))
    assert ours.keys() == theirs.keys()
    for method, found in ours.items():
        if found.dtype.kind == "f":
            scale = np.abs(theirs[method]).max()
            np.testing.assert_allclose(found, theirs[method], rtol=0, atol=1e-6 * scale, err_msg=method)
        else:
            assert np.array_equal(found, theirs[method]), method


@pytest.mark.parametrize("name", NAMES)
def test_the_form_of_a_list_of_texts_does_not_matter(name):
    """A list, a tuple, arrays of two types and a column of a frame are the same texts."""
    y = target(name)
    expected = answers(of_kernel(name, SPECTRUM).fit(TEXTS, y), NEW)
    for form in (tuple, np.array, lambda texts: np.array(texts, dtype=object), pd.Series):
        found = answers(of_kernel(name, SPECTRUM).fit(form(TEXTS), y), form(NEW))
        assert all(np.array_equal(found[method], expected[method]) for method in expected)


@pytest.mark.parametrize("name", NAMES)
def test_models_of_texts_are_copied_and_written(name, tmp_path):
    """By clone, by pickle, and by a model file, which holds the texts."""
    y = target(name)
    model = of_kernel(name, kernels.normalized(kernels.PSpectrum(2))).fit(TEXTS, y)
    expected = answers(model, NEW)
    copies = [clone(model).fit(TEXTS, y), pickle.loads(pickle.dumps(model))]
    if name != "RelevantDimension":
        mercer.save(model, tmp_path / "model")
        copies.append(mercer.load(tmp_path / "model"))
    for copy in copies:
        found = answers(copy, NEW)
        assert all(np.array_equal(found[method], expected[method]) for method in expected)


def test_support_vectors_are_texts():
    """Those that the indices name; nothing is said of features."""
    model = mercer.SVC(kernel=SPECTRUM).fit(TEXTS, SIDE)
    assert model.support_vectors_.tolist() == [TEXTS[i] for i in model.support_]
    assert model.shape_fit_ == (40,) and not hasattr(model, "n_features_in_")
    assert model.score(TEXTS, SIDE) == 1.0
    with pytest.raises(AttributeError, match="linear"):
        model.coef_  # noqa: B018


def test_searches_and_scores_go_over_texts():
    """Rows of a list are chosen as rows of an array are."""
    assert cross_val_score(mercer.SVC(kernel=SPECTRUM), TEXTS, SIDE, cv=4).mean() > 0.8
    grid = {"kernel": ["spectrum(p=1)", kernels.PSpectrum(2), 0.5 * kernels.PSpectrum(3) + 1], "C": [0.1, 1.0]}
    search = GridSearchCV(mercer.SVC(), grid, cv=4).fit(TEXTS, SIDE)
    assert search.best_score_ > 0.8
    assert search.predict(NEW).shape == (20,)
    weights = np.linspace(0.5, 2.0, 40)
    assert mercer.SVC(kernel=SPECTRUM).fit(TEXTS, SIDE, sample_weight=weights).predict(NEW).shape == (20,)


def test_tags_say_what_is_taken():
    texts, vectors = get_tags(mercer.SVC(kernel=SPECTRUM)).input_tags, get_tags(mercer.SVC()).input_tags
    assert texts.string and texts.one_d_array and not texts.two_d_array and not texts.sparse
    assert not vectors.string and not vectors.one_d_array and vectors.two_d_array and vectors.sparse


@pytest.mark.parametrize("name", NAMES)
def test_texts_and_vectors_are_not_mixed(name):
    """With errors that name the kernel and what it compares."""
    x = np.ones((40, 3))
    with pytest.raises(ValueError, match="X are texts, and the kernel 'rbf' compares vectors"):
        of_kernel(name, "rbf").fit(TEXTS, target(name))
    with pytest.raises(ValueError, match=r"'spectrum\(p=2\)' compares texts.*shape \(40, 3\)"):
        of_kernel(name, SPECTRUM).fit(x, target(name))
    with pytest.raises(ValueError, match="compares texts"):
        of_kernel(name, SPECTRUM).fit([*TEXTS[:-1], 3.0], target(name))
    with pytest.raises(ValueError, match="compares texts"):
        of_kernel(name, SPECTRUM).fit([], target(name))
    if name != "RelevantDimension":
        fitted = of_kernel(name, SPECTRUM).fit(TEXTS, target(name))
        with pytest.raises(ValueError, match="compares texts"):
            answers(fitted, x)


@pytest.mark.parametrize("name", [name for name in NAMES if target(name) is not None])
def test_as_many_targets_as_texts(name):
    with pytest.raises(ValueError, match="inconsistent"):
        of_kernel(name, SPECTRUM).fit(TEXTS, target(name)[:-1])
    with pytest.raises(ValueError, match="y"):
        of_kernel(name, SPECTRUM).fit(TEXTS, None)


def test_the_best_of_several_kernels_on_texts():
    model = mercer.RelevantDimension(kernel=["spectrum(p=1)", SPECTRUM]).fit(TEXTS, SIDE)
    assert str(model.kernel_) in ("spectrum(p=1)", SPECTRUM) and len(model.trials_) == 2


def test_two_views_are_of_one_space():
    with pytest.raises(NotImplementedError, match="texts.*vectors|vectors.*texts"):
        mercer.KernelCCA(kernel=SPECTRUM, kernel_y="linear").fit(TEXTS, np.ones((40, 2)))


def test_pre_images_of_texts_do_not_exist():
    with pytest.raises(ValueError, match="kernel on texts"):
        mercer.KernelPCA(kernel=SPECTRUM, fit_inverse_transform=True).fit(TEXTS)
    with pytest.raises(NotImplementedError, match="pre-images.*texts"):
        mercer.KernelPCA(2, kernel=SPECTRUM).fit(TEXTS).denoise(TEXTS)


def test_kernels_on_texts_are_expressions():
    """Values are those written out; the algebra keeps to one space, constants but for it."""
    k = kernels.PSpectrum(2)
    assert np.array_equal(k(TEXTS, NEW), gram(TEXTS, NEW))
    assert k("abab", "ab") == 2.0 and np.array_equal(k.diag(TEXTS), np.diag(gram(TEXTS, TEXTS)))
    both = 0.5 * k + kernels.normalized(kernels.PSpectrum(3)) ** 2 + kernels.Constant(2)
    three = gram(TEXTS, TEXTS, 3)
    norm = np.sqrt(np.outer(np.diag(three), np.diag(three)))
    np.testing.assert_allclose(both(TEXTS), 0.5 * gram(TEXTS, TEXTS) + (three / norm) ** 2 + 2.0, rtol=1e-12)
    assert kernels.parse(str(both)) == both == pickle.loads(pickle.dumps(both))
    assert both.definite == "psd" and kernels.check(k, TEXTS).verdict == "psd"
    assert kernels.spectrum(k, TEXTS).eigenfunctions(NEW).shape == (20, 10)


def test_kernels_of_two_spaces_are_not_joined():
    k, rbf = kernels.PSpectrum(2), kernels.RBF(1.0)
    for join in (lambda: k + rbf, lambda: rbf * k):
        with pytest.raises(errors.UnsupportedError, match="texts.*vectors|vectors.*texts"):
            join()
    with pytest.raises(errors.UnsupportedError, match="feature maps of texts"):
        k @ kernels.columns(1)
    for kernel, x in ((k, np.ones((2, 2))), (rbf, TEXTS)):
        with pytest.raises(errors.UnsupportedError, match="a kernel on (texts|vectors) at points that are (texts|vectors)"):
            kernel(x)
    with pytest.raises(errors.UnsupportedError, match="points that are vectors"):
        kernels.spectrum(k, TEXTS).eigenfunctions(np.ones((2, 2)))
    with pytest.raises(ValueError, match="vectors are needed"):
        kernels.median_gamma(TEXTS)
