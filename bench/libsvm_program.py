"""LIBSVM's `svm-train` and `svm-predict` over its own library and Python module (see `libsvm_build.py`).

    python libsvm_program.py svm-train [options] TRAIN MODEL
    python libsvm_program.py svm-predict [-b 1] TEST MODEL OUT

Options, defaults, output lines and model file are LIBSVM's: its module parses, its library prints and writes.
"""

from __future__ import annotations

import sys
from ctypes import c_double

import libsvm_build

sys.path.insert(0, str(libsvm_build.python_path()))

from libsvm import svm, svmutil  # noqa: E402  (the path comes first)


def train(options: list[str], data: str, model_file: str) -> None:
    """Trains and writes the model."""
    labels, rows = svmutil.svm_read_problem(data, return_scipy=True)
    svmutil.svm_save_model(model_file, svmutil.svm_train(labels, rows, " ".join(options)))


def lines(model, points: list, probability: bool) -> tuple[list[float], list[str]]:
    """Predictions, and the lines that `svm-predict` writes of them; of a regression `-b 1` changes none."""
    machine = svm.libsvm.svm_get_svm_type(model)
    if not probability or machine in (svm.svm_forms.EPSILON_SVR, svm.svm_forms.NU_SVR):
        found = [svm.libsvm.svm_predict(model, point) for point in points]
        return found, [f"{label:.17g}\n" for label in found]
    classes = model.get_labels() if machine != svm.svm_forms.ONE_CLASS else ["normal", "outlier"]
    names = "labels" if machine != svm.svm_forms.ONE_CLASS else "label"
    found, text = [], [" ".join([names, *map(str, classes)]) + "\n"]
    estimates = (c_double * len(classes))()
    for point in points:
        found.append(svm.libsvm.svm_predict_probability(model, point, estimates))
        text.append(" ".join(f"{value:g}" for value in [found[-1], *estimates]) + "\n")
    return found, text


def predict(data: str, model_file: str, out: str, probability: bool = False) -> None:
    """Predicts, writes one label or value a line and prints how good they are."""
    labels, rows = svmutil.svm_read_problem(data, return_scipy=True)
    model = svmutil.svm_load_model(model_file)
    problem = svm.svm_problem(labels, rows)
    found, text = lines(model, [problem.x[i] for i in range(len(labels))], probability)
    with open(out, "w", encoding="ascii") as file:
        file.writelines(text)
    if svm.libsvm.svm_get_svm_type(model) in (svm.svm_forms.EPSILON_SVR, svm.svm_forms.NU_SVR):
        _, error, correlation = svmutil.evaluations(labels, found)
        print(f"Mean squared error = {error:g} (regression)")
        print(f"Squared correlation coefficient = {correlation:g} (regression)")
        return
    correct = sum(a == b for a, b in zip(found, labels, strict=True))
    print(f"Accuracy = {100 * correct / len(labels):g}% ({correct}/{len(labels)}) (classification)")


if __name__ == "__main__":
    name, *words = sys.argv[1:]
    if name == "svm-train":
        train(words[:-2], words[-2], words[-1])
    elif name == "svm-predict":
        predict(*words[-3:], probability=words[:-3] == ["-b", "1"])
    else:
        sys.exit(f"no program {name}")
