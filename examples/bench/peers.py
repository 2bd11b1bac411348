"""Times scikit-learn, numpy, VLFeat, torch, scipy and pandas where `go test -bench` timed our maps, fits and readers.

Reads the output of `go test -bench` on stdin and prints lines of the same names and numbers. The argument is the folder
of the files to read. Threads and kernels of OpenBLAS are chosen by the environment. What numpy, scipy and VLFeat compute
has all its memory reused; scikit-learn allocates its output, as its users do. A peer that is not installed has no line.
"""
import ctypes
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.sparse import _sparsetools
from sklearn.kernel_approximation import AdditiveChi2Sampler, RBFSampler

try:
    from threadpoolctl import threadpool_info
except ImportError:
    threadpool_info = list


def blas():
    """The BLAS that numpy uses, with its choice of kernels."""
    for lib in threadpool_info():
        if lib.get("user_api") == "blas":
            return "%s %s %s" % (lib.get("internal_api"), lib.get("version"), lib.get("architecture"))
    return "unknown"


def rbf_sampler(x, features, rng):
    sampler = RBFSampler(gamma=0.5 / x.shape[1], n_components=features, random_state=0).fit(x[:4])
    if sampler.transform(x[:1]).dtype != x.dtype:
        sys.exit("this scikit-learn turns float32 into float64; install 1.1 or later")
    return lambda: sampler.transform(x)


def laplace(x, features, rng):
    w = -rng.exponential(1 / x.shape[1], (x.shape[1], features)).astype(x.dtype)
    p = np.empty((x.shape[0], features), x.dtype)
    scale = x.dtype.type(features**-0.5)

    def call():
        np.matmul(x, w, out=p)
        np.exp(p, out=p)
        np.multiply(p, scale, out=p)

    return call


def csr(x, features, rng):
    """sqrt(2/m) cos(xW + b) of rows with 1 % of their entries. The product is what csr_matrix @ ndarray calls, into memory kept."""
    n, d = x.shape
    k = max(1, d // 100)
    columns = np.concatenate([np.sort(rng.choice(d, k, replace=False)) for _ in range(n)]).astype(np.int32)
    rows, values = np.arange(0, n * k + 1, k, dtype=np.int32), rng.random(n * k, dtype=x.dtype)
    w = (rng.standard_normal((d, features)) * d**-0.5).astype(x.dtype)
    b = rng.random(features).astype(x.dtype)
    p = np.empty((n, features), x.dtype)
    scale = x.dtype.type((2 / features) ** 0.5)

    def call():
        p.fill(0)
        _sparsetools.csr_matvecs(n, d, features, rows, columns, values, w.ravel(), p.ravel())
        np.add(p, b, out=p)
        np.cos(p, out=p)
        np.multiply(p, scale, out=p)

    return call


def gradient(x, features, rng):
    """Forward and backward of sqrt(2/m) cos(xW + b): three products, a cosine and a sine."""
    d, t = x.shape[1], x.dtype
    w = (rng.standard_normal((d, features)) * d**-0.5).astype(t)
    b = rng.random(features).astype(t)
    dz = rng.random((x.shape[0], features)).astype(t)
    p, z = np.empty_like(dz), np.empty_like(dz)
    dx, dw, db = np.empty_like(x), np.empty_like(w), np.empty_like(b)
    scale = t.type((2 / features) ** 0.5)

    def call():
        np.matmul(x, w, out=p)
        np.add(p, b, out=p)
        np.cos(p, out=z)
        np.multiply(z, scale, out=z)
        np.sin(p, out=p)
        np.multiply(p, -scale, out=p)
        np.multiply(p, dz, out=p)
        np.matmul(p, w.T, out=dx)
        np.matmul(x.T, p, out=dw)
        np.sum(p, axis=0, out=db)

    return call


def additive_chi2(x, features, rng):
    """Two steps are a homogeneous map of order 1: the square root, a cosine and a sine of each column."""
    sampler = AdditiveChi2Sampler(sample_steps=2).fit(x[:4])
    return lambda: sampler.transform(x)


# VLFeat maps a number a call, so a loop around it is compiled: Python's own would take a hundred times as long as the map.
LOOP = """
#include <vl/homkermap.h>
void loop_f(const float *x, float *y, long n) { LOOP(f) }
void loop_d(const double *x, double *y, long n) { LOOP(d) }
"""
LOOP_BODY = (
    "VlHomogeneousKernelMap *m = vl_homogeneouskernelmap_new(VlHomogeneousKernelIntersection, 1, 1, -1, "
    "VlHomogeneousKernelMapWindowRectangular); "
    "for (long i = 0; i < n; i++) vl_homogeneouskernelmap_evaluate_##T(m, y + 3 * i, 1, x[i]); vl_homogeneouskernelmap_delete(m);"
)


def homkermap(x, features, rng):
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "loop.c"), os.path.join(folder, "loop.so")
        with open(source, "w") as f:
            f.write("#define LOOP(T) %s\n%s" % (LOOP_BODY, LOOP))
        try:
            subprocess.run(["cc", "-O3", "-shared", "-fPIC", source, "-o", library, "-lvl", "-lm"], check=True, capture_output=True)
            loops = ctypes.CDLL(library)
        except (OSError, subprocess.CalledProcessError):
            return None
    y = np.empty((x.shape[0], 3 * x.shape[1]), x.dtype)
    loop = loops.loop_f if x.dtype == np.float32 else loops.loop_d
    return lambda: loop(ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(y.ctypes.data), ctypes.c_long(x.size))


def torch_or_none():
    """torch on as many threads as the BLAS, or None."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    return torch


def autograd(x, features, rng):
    """The same by torch's own differentiation."""
    torch = torch_or_none()
    if torch is None:
        return None
    d, t = x.shape[1], x.dtype
    w = torch.from_numpy((rng.standard_normal((d, features)) * d**-0.5).astype(t)).requires_grad_()
    b = torch.from_numpy(rng.random(features).astype(t)).requires_grad_()
    xs = torch.from_numpy(x).clone().requires_grad_()
    dz = torch.from_numpy(rng.random((x.shape[0], features)).astype(t))
    scale = (2 / features) ** 0.5

    def call():
        xs.grad = w.grad = b.grad = None
        (scale * torch.cos(torch.addmm(b, xs, w))).backward(dz)

    return call


def periodic(x, functions, rng):
    """Forward and backward of a periodic layer by torch's own differentiation, for its parameters."""
    torch = torch_or_none()
    if torch is None:
        return None
    (n, d), width, k = x.shape, functions // x.shape[1], 2 * functions // x.shape[1]
    drawn = lambda scale, *shape: torch.from_numpy((rng.standard_normal(shape) * scale).astype(x.dtype)).requires_grad_()
    w, a, b = drawn(0.6 * np.pi, d, k), drawn((2 * k) ** -0.5, d, 2 * k, width), drawn(0, d, width)
    xs, dz = torch.from_numpy(x), torch.from_numpy(rng.random((n, d + functions)).astype(x.dtype))

    def call():
        w.grad = a.grad = b.grad = None
        p = xs[:, :, None] * w
        h = torch.einsum("ndk,dke->nde", torch.cat([torch.cos(p), torch.sin(p)], 2), a) + b
        torch.cat([xs, torch.relu(h).flatten(1)], 1).backward(dz)

    return call


def csv(path):
    import pandas

    return lambda: pandas.read_csv(path, engine="c")


def round_trip(path):
    """Correctly rounded, as ours is."""
    import pandas

    return lambda: pandas.read_csv(path, engine="c", float_precision="round_trip")


def libsvm(path):
    import sklearn.datasets

    return lambda: sklearn.datasets.load_svmlight_file(path)


def problem(folder, keys):
    """Standardised rows in the element type of the benchmark, and their classes."""
    labels = np.fromfile(os.path.join(folder, "labels"), np.int64)
    return np.fromfile(os.path.join(folder, "x")).reshape(len(labels), -1).astype(keys["type"]), labels


def ridge(z, labels, s, chosen):
    from sklearn.linear_model import Ridge, RidgeCV

    y, n = np.where(labels[:, None] == np.arange(labels.max() + 1), 1, -1).astype(z.dtype), len(z)
    if chosen:
        return RidgeCV([10.0**k * n * s for k in range(-9, 0)]).fit(z, y)
    return Ridge(1e-6 * n * s, solver="cholesky").fit(z, y)


def softmax(z, labels, s, _):
    """Newton's method by conjugate gradients or lbfgs, whichever is named by SOLVER, to 1e-6 of the objective."""
    from sklearn.linear_model import LogisticRegression

    c = 1 / (1e-6 * len(z) * s)
    m = LogisticRegression(C=c, multi_class="multinomial", solver=os.environ.get("SOLVER", "lbfgs"), max_iter=10000,
                           tol=float(os.environ.get("TOL", "1e-3"))).fit(z, labels)
    p = m.decision_function(z).astype(float)
    p -= p.max(1, keepdims=True)
    return (np.log(np.exp(p).sum(1)) - p[np.arange(len(p)), labels]).sum() + 0.5 / c * (m.coef_**2).sum()


def svm(z, labels, s, _):
    """LIBLINEAR's solver 2, as scikit-learn has it."""
    from sklearn.svm import LinearSVC

    c = 1 / (2e-6 * len(z) * s)
    m = LinearSVC(C=c, dual=False, tol=0.01, intercept_scaling=s**0.5, max_iter=10000).fit(z, labels)
    y = np.where(labels[:, None] == np.arange(labels.max() + 1), 1, -1)
    loss = np.maximum(0, 1 - y * m.decision_function(z)) ** 2
    return 0.5 * ((m.coef_**2).sum() + (m.intercept_**2).sum() / s) + c * loss.sum()


HEADS = {"ridge": ridge, "softmax": softmax, "svm": svm}


def steps(x, labels, features, tune):
    """Two epochs of Adam on batches of 256 rows, in torch, eager."""
    torch = torch_or_none()
    if torch is None:
        return None
    rng, (n, d), classes = np.random.default_rng(1), x.shape, labels.max() + 1
    w = torch.from_numpy((rng.standard_normal((d, features // 2)) / 2.83).astype(x.dtype))
    log = torch.zeros((), dtype=w.dtype)
    a, b = (torch.zeros(shape, dtype=w.dtype, requires_grad=True) for shape in ((features, classes), (classes,)))
    learned = [a, b] + {"none": [], "bandwidth": [log], "all": [w]}[tune]
    for p in learned:
        p.requires_grad_()
    xs, ys, scale = torch.from_numpy(x), torch.from_numpy(labels), (2 / features) ** 0.5
    optimiser = torch.optim.Adam(learned)

    def call():
        for _ in range(2):
            order = torch.randperm(n)
            for i in range(0, n, 256):
                part = order[i : i + 256]
                optimiser.zero_grad(set_to_none=True)
                p = xs[part] @ (w * torch.exp(log) if tune == "bandwidth" else w)
                z = scale * torch.cat([torch.cos(p), torch.sin(p)], 1)
                torch.nn.functional.cross_entropy(torch.addmm(b, z, a), ys[part]).backward()
                optimiser.step()

    return call


def predict(x, labels, features, n):
    """Random Fourier features and a linear model in scikit-learn."""
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    y = np.where(labels[:, None] == np.arange(labels.max() + 1), 1, -1).astype(x.dtype)
    m = make_pipeline(RBFSampler(gamma=1 / x.shape[1], n_components=features, random_state=0), Ridge()).fit(x[:4096], y[:4096])
    return lambda: m.predict(x[:n])


def sparse(folder, keys):
    """Maps of sparse rows by scikit-learn, and Ridge on them by SOLVER: sparse_cg, or cholesky of dense features."""
    from scipy.sparse import csr_matrix, issparse
    from sklearn.linear_model import Ridge

    read = lambda name, dtype: np.fromfile(os.path.join(folder, name), dtype)
    labels, features = read("labels", np.int64), int(keys["features"])
    x = csr_matrix((read("values", float).astype(keys["type"]), read("columns", np.int32), read("pointers", np.int64)))
    y, n = np.where(labels[:, None] == np.arange(labels.max() + 1), 1, -1).astype(keys["type"]), len(labels)
    transform = {"gaussian": RBFSampler(gamma=0.005, n_components=features, random_state=0).fit(x[:4]).transform,
                 "chi2": AdditiveChi2Sampler(sample_steps=2).fit(x[:4]).transform, "linear": lambda x: x}[keys["map"]]
    if keys["what"] == "forward":
        return lambda: transform(x)
    solver = os.environ.get("SOLVER", "sparse_cg")

    def call():
        z = transform(x)
        square, mean = (z.multiply(z) if issparse(z) else z * z).sum(), z.mean(0)
        alpha = 1e-3 * (square - n * np.asarray(np.multiply(mean, mean)).sum())
        if issparse(z) and solver == "sparse_cg":
            return Ridge(alpha, solver="sparse_cg", tol=1e-6).fit(z, y)
        return Ridge(alpha, solver="cholesky").fit(z.toarray() if issparse(z) else z, y)

    return call


PEERS = {"gaussian": rbf_sampler, "phase": rbf_sampler, "structured": rbf_sampler, "laplace": laplace, "gradient": gradient,
         "autograd": autograd, "periodic": periodic, "sparse": csr, "chi2": additive_chi2, "intersection": homkermap}


def measure(name, call):
    call()  # warms up
    start, times = time.perf_counter(), 0
    while times < 3 or time.perf_counter() - start < 1:
        kept = call()
        objective = "\t%.6g objective" % kept if isinstance(kept, float) else ""
        del kept
        times += 1
    print("%s\t%d\t%.0f ns/op%s" % (name, times, (time.perf_counter() - start) / times * 1e9, objective), flush=True)


def main():
    print("lib: peer\nblas: %s" % blas())
    for line in sys.stdin:
        line = re.match(r"(Benchmark\S+)\s", line)
        if not line:
            continue
        name = line[1]
        keys = dict(part.split("=", 1) for part in name.split("/")[1:])
        if "shape" in keys and keys["map"] in PEERS:
            n, d, features = map(int, keys["shape"].split("x"))
            rng = np.random.default_rng(1)
            call = PEERS[keys["map"]](rng.random((n, d), dtype=keys["type"]), features, rng)
            if call is not None:
                measure(name, call)
        elif name.startswith("BenchmarkFit"):
            x, labels = problem(sys.argv[1], keys)
            z = np.fromfile(os.path.join(sys.argv[1], keys["features"] + "." + keys["type"])).reshape(len(x), -1).astype(keys["type"])
            s = float(((z - z.mean(0)) ** 2).sum() / len(z))
            measure(name, lambda: HEADS[keys["head"]](z, labels, s, keys["lambda"] == "chosen"))
        elif name.startswith("BenchmarkSparse"):
            measure(name, sparse(sys.argv[1], keys))
        elif name.startswith("BenchmarkSteps"):
            call = steps(*problem(sys.argv[1], keys), int(keys["features"]), keys["tune"])
            if call is not None:
                measure(name, call)
        elif name.startswith("BenchmarkPredict"):
            measure(name, predict(*problem(sys.argv[1], keys), int(keys["features"]), int(keys["rows"])))
        elif "file" in keys:
            path = os.path.join(sys.argv[1], "%s.%s.%s" % (keys["rows"], keys["digits"], keys["file"]))
            measure(name, {"csv": csv, "libsvm": libsvm}[keys["file"]](path))
            if keys["file"] == "csv":
                measure(name.replace("file=csv", "file=csv,correctly-rounded"), round_trip(path))


main()
