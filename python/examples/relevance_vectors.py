"""Few vectors, and how sure the prediction is: relevance vector machines beside support vector machines."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import RVC, RVR, SVC, SVR

# Numbers: the mean and its deviation.
random = np.random.default_rng(0)
x = np.linspace(-10, 10, 100)[:, None]
y = np.sinc(x.ravel() / np.pi) + 0.1 * random.standard_normal(100)
relevance, support = RVR(gamma=0.1).fit(x, y), SVR(gamma=0.1, C=10).fit(x, y)
mean, deviation = relevance.predict(x, return_std=True)
inside = np.mean(np.abs(y - mean) < 2 * deviation)
print(f"sinc: {len(relevance.relevance_)} relevance vectors, {len(support.support_)} support vectors")
print(f"noise {np.sqrt(relevance.noise_):.3f}, {100 * inside:.0f} % of the targets within twice the deviation")

# Classes: probabilities without a second fit.
X, classes = load_breast_cancer(return_X_y=True)
train, test, train_classes, test_classes = train_test_split(X, classes, random_state=0)
for model in (RVC(gamma=0.01), SVC(gamma=0.01, probability=True)):
    fitted = make_pipeline(StandardScaler(), model).fit(train, train_classes)
    own = fitted[-1]
    loss = log_loss(test_classes, fitted.predict_proba(test))
    accuracy = fitted.score(test, test_classes)
    print(f"{type(own).__name__}: {len(own.support_)} vectors, accuracy {accuracy:.3f}, log loss {loss:.3f}")
