"""How many components of a kernel matter, and how much of the labels is noise, before any machine is fitted.

The labels, written in the eigenvectors of the Gram matrix, are large up to the relevant dimension and flat noise beyond. The
estimate also chooses the width of a kernel. Saves relevant_dimension.png.
"""

from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_svmlight_file

from mercer import SVC, KernelPCA, RelevantDimension, plot
from mercer.kernels import RBF, median_gamma

HERE = Path(__file__).resolve().parent
DATA = next(folder / "data" for folder in (HERE, *HERE.parents) if (folder / "data").is_dir())


def read(name):
    """Rows and labels of a file."""
    rows, labels = load_svmlight_file(str(DATA / name))
    return rows.toarray(), labels


X, y = read("ripley.libsvm.gz")
X_test, y_test = read("ripley.t.libsvm.gz")

gamma = median_gamma(X)
widths = [RBF(gamma * 2.0**power) for power in range(-4, 7)]
model = RelevantDimension(kernel=widths).fit(X, y)
print(f"of {len(widths)} widths the best is {model.kernel_}")
print(f"{model.dimension_} of {len(X)} dimensions matter; about {model.noise_:.1%} of the labels are noise")

machine = SVC(kernel=model.kernel_).fit(X, y)
print(f"errors of an SVC with this kernel on new rows: {1.0 - machine.score(X_test, y_test):.1%}")

figure, axes = plt.subplots(1, 2, figsize=(12.0, 4.5), layout="constrained")
plot.spectrum(model, n_components=60, ax=axes[0]).set_title("the labels in the eigenvectors", loc="left")
scree = KernelPCA(15, kernel=model.kernel_).fit(X)
plot.spectrum(scree, ax=axes[1]).set_title("the spectrum of the kernel", loc="left")
figure.savefig("relevant_dimension.png", dpi=100)
print("relevant_dimension.png")
