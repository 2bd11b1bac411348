"""The left column of train/from_python.md: the pipelines of scikit-learn, and their accuracy on the test rows.

    python3 examples/sklearn/compare.py data
"""

import sys

import numpy as np
from sklearn.datasets import load_svmlight_files
from sklearn.kernel_approximation import AdditiveChi2Sampler, Nystroem, RBFSampler, SkewedChi2Sampler
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import LinearSVC


def read(name):
    paths = [f"{sys.argv[1]}/{name}/{name}.{part}.libsvm.gz" for part in ("train", "test")]
    x, y, x2, y2 = load_svmlight_files(paths)
    return x.toarray(), y, x2.toarray(), y2


letter, digits = read("letter"), read("optdigits")
gamma = 1 / (2 * 2.5**2)
for name, rows, model in [
    ("RBFSampler 512, ridge", letter,
     lambda s: (StandardScaler(), RBFSampler(gamma=gamma, n_components=512, random_state=s), RidgeClassifier(alpha=.016))),
    ("Nystroem 512, ridge", letter,
     lambda s: (StandardScaler(), Nystroem(gamma=gamma, n_components=512, random_state=s), RidgeClassifier(alpha=.016))),
    ("RBFSampler 256, logistic", digits,
     lambda s: (StandardScaler(), RBFSampler(gamma="scale", n_components=256, random_state=s),
                LogisticRegression(C=10, max_iter=1000))),
    ("AdditiveChi2Sampler, linear SVM", digits,
     lambda s: (Normalizer("l1"), AdditiveChi2Sampler(sample_steps=2), LinearSVC(C=1, dual=False))),
    ("SkewedChi2Sampler 1024, ridge", digits,
     lambda s: (Normalizer("l1"), SkewedChi2Sampler(skewedness=.03, n_components=1024, random_state=s),
                RidgeClassifier(alpha=.0038))),
]:
    x, y, x2, y2 = rows
    scores = [make_pipeline(*model(s)).fit(x, y).score(x2, y2) for s in (1, 2, 3)]
    print(f"{name:32} {np.mean(scores):.4f}", flush=True)
