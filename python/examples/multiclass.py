"""More than two classes in five ways.

Pairs that vote (SVC), each class against the rest, all classes in one programme (Crammer and Singer, Weston and Watkins), and
kernel logistic regression, whose probabilities come with the fit. Saves multiclass.png.
"""

import time

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from mercer import SVC, CrammerSingerSVC, KernelFisher, KernelSoftmax, OneVsRestSVC, WestonWatkinsSVC, plot

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16.0, y, random_state=0)

machines = [
    SVC(C=2.0, probability=True),
    OneVsRestSVC(C=2.0),
    CrammerSingerSVC(C=2.0),
    WestonWatkinsSVC(C=2.0),
    KernelSoftmax(C=2.0),
]
for machine in machines:
    started = time.perf_counter()
    machine.fit(X_train, y_train)
    line = f"{type(machine).__name__:17} test {machine.score(X_test, y_test):.4f}"
    line += f", {len(machine.support_):4} support vectors, {machine.certificate_.stop}"
    if hasattr(machine, "predict_proba"):
        line += f", log loss {log_loss(y_test, machine.predict_proba(X_test)):.4f}"
    print(f"{line}, {time.perf_counter() - started:.2f} s")

fisher = KernelFisher(mu=0.1).fit(X_train, y_train)
figure, axes = plt.subplots(1, 2, figsize=(13.0, 5.5), layout="constrained")
plot.components(fisher, y_train, X=X_train, ax=axes[0], legend=False)
axes[0].set_title("two axes of the Fisher discriminant", loc="left")
plot.components(fisher, y_test, X=X_test, ax=axes[1])
axes[1].set_title("the same on new rows", loc="left")
figure.savefig("multiclass.png", dpi=100)
print("multiclass.png")
