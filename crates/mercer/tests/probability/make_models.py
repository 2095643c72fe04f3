"""Makes the folder `models` beside this file with LIBSVM 3.37 (pip: libsvm-official).

    python make_models.py DATA

DATA is the folder of the repository's data sets, unpacked. For each NAME.model there is NAME.out: what `svm-predict
-b 1` writes for every fifth row of the training set, but with 17 digits where it has 6: a line of names, then a label
and its probabilities a line; of a regression the values alone. They are those of the model as LIBSVM reads it back.
"""

import sys
from ctypes import c_double, c_int
from pathlib import Path

from libsvm.svm import gen_svm_nodearray, libsvm, svm_parameter, svm_problem
from libsvm.svmutil import svm_load_model, svm_read_problem, svm_save_model, svm_train

MODELS = {
    "heart": ("heart_scale", "-s 0 -t 2 -g 0.1 -c 2 -b 1"),
    "glass": ("glass_scale", "-s 0 -t 2 -g 0.5 -c 8 -b 1"),
    "iris_nu": ("iris_scale", "-s 1 -n 0.2 -t 2 -g 0.5 -b 1"),
    "wine_one_class": ("wine_scale", "-s 2 -n 0.2 -t 2 -g 0.1 -b 1"),
    "iris_svr": ("iris_scale", "-s 3 -p 0.1 -c 2 -t 2 -g 0.5 -b 1"),
}
STEP = 5


def names(model):
    if libsvm.svm_get_svm_type(model) == 2:
        return "label normal outlier"
    labels = (c_int * libsvm.svm_get_nr_class(model))()
    libsvm.svm_get_labels(model, labels)
    return " ".join(["labels", *map(str, labels)])


def lines(model, points):
    regression = libsvm.svm_get_svm_type(model) > 2
    if not regression:
        yield names(model)
    for point in points[::STEP]:
        node, _ = gen_svm_nodearray(point)
        if regression:
            yield f"{libsvm.svm_predict(model, node):.17g}"
            continue
        found = (c_double * libsvm.svm_get_nr_class(model))()
        label = libsvm.svm_predict_probability(model, node, found)
        yield " ".join([f"{label:g}", *(f"{value:.17g}" for value in found)])


def main():
    folder = Path(__file__).parent / "models"
    for name, (data, options) in MODELS.items():
        labels, points = svm_read_problem(f"{sys.argv[1]}/{data}.libsvm")
        path = str(folder / f"{name}.model")
        svm_save_model(path, svm_train(svm_problem(labels, points), svm_parameter(options + " -q")))
        text = "".join(line + "\n" for line in lines(svm_load_model(path), points))
        (folder / f"{name}.out").write_text(text, encoding="ascii")


main()
