"""What the package offers."""

import re

import mercer

EXPECTED = [
    "SVC",
    "NuSVC",
    "SVR",
    "NuSVR",
    "OneClassSVM",
    "SVDD",
    "CrammerSingerSVC",
    "WestonWatkinsSVC",
    "KernelSoftmax",
    "KernelRidge",
    "KernelPCA",
    "KernelFisher",
    "KernelCCA",
    "KernelSOM",
    "RelevantDimension",
]


def test_all_names_exist() -> None:
    assert [name for name in mercer.__all__ if not hasattr(mercer, name)] == []
    assert len(set(mercer.__all__)) == len(mercer.__all__)


def test_every_estimator_is_there() -> None:
    assert [name for name in EXPECTED if name not in mercer.__all__] == []


def test_version_is_three_numbers() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", mercer.__version__)
