"""Makes the model files of this folder with LIBSVM 3.37 (pip: libsvm-official).

    python make.py iris_scale

For each model NAME.model there is NAME.values: a line per point with LIBSVM's decision values (one per pair of
classes, or the one of a machine without classes, 17 digits), then the point as index:value. The values are those of
the model as LIBSVM reads it back. Regression takes the numbers of the classes for targets.
"""

import sys
from ctypes import c_double

from libsvm.svm import gen_svm_nodearray, libsvm, svm_parameter, svm_problem
from libsvm.svmutil import svm_load_model, svm_read_problem, svm_save_model, svm_train

MODELS = {
    "linear": "-t 0 -c 10",
    "polynomial": "-t 1 -d 3 -g 1 -r 0.5 -c 1",
    "rbf": "-t 2 -g 0.5 -c 2",
    "sigmoid": "-t 3 -g 0.1 -r -0.5 -c 5",
    "probability": "-t 2 -g 0.5 -c 2 -b 1",
    "nu": "-s 1 -n 0.2 -t 2 -g 0.5",
    "one_class": "-s 2 -n 0.3 -t 2 -g 0.5 -b 1",
    "epsilon_svr": "-s 3 -p 0.1 -c 2 -t 2 -g 0.5",
    "nu_svr": "-s 4 -n 0.4 -c 2 -t 1 -d 2 -g 0.5 -r 1 -b 1",
}


def make(name, options, labels, points, precomputed=False):
    problem = svm_problem(labels, points, isKernel=precomputed)
    svm_save_model(f"{name}.model", svm_train(problem, svm_parameter(options + " -q")))
    model = svm_load_model(f"{name}.model")
    # svm_predict gives the decision values of nu-SVC a buffer for one pair only.
    decision = (c_double * (3 if libsvm.svm_get_svm_type(model) < 2 else 1))()
    with open(f"{name}.values", "w", encoding="ascii") as out:
        for point in points[::15]:
            node, _ = gen_svm_nodearray(point, isKernel=precomputed)
            libsvm.svm_predict_values(model, node, decision)
            row = [f"{value:.17g}" for value in decision]
            row += [f"{index}:{value:.17g}" for index, value in sorted(point.items())]
            out.write(" ".join(row) + "\n")


def main():
    labels, points = svm_read_problem(sys.argv[1])
    for name, options in MODELS.items():
        make(name, options, labels, points)
    labels, points = labels[::5], points[::5]
    gram = [
        {0: i + 1, **{j + 1: sum(v * y.get(k, 0.0) for k, v in x.items()) for j, y in enumerate(points)}}
        for i, x in enumerate(points)
    ]
    make("precomputed", "-t 4 -c 10", labels, gram, precomputed=True)


main()
