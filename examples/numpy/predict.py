#!/usr/bin/env python3
"""Predicts with a model file of this library, by numpy alone.

    predict.py MODEL ...               compares with the scores of the rows that are in the notes of the test files
    predict.py -rows ROWS.json MODEL   prints the scores of rows, or of sets of rows, as JSON; - is standard input

Rows are arrays of numbers or, for a model of a table, objects with a value for each column by its name.

The documentation of the Go package layers lists the tensors and the formula of every map. The checksum of the file
is not looked at.
"""
import argparse, datetime, functools, itertools, json, math, sys
import numpy as np

LEFT_OUT = {  # the forms that it does not know, and why
    "SaveSpec": "the file lacks the tensors of the map, which Go's random numbers draw again",
    "matern of any nu": "but for 0.5, 1.5 and 2.5 it is a Bessel function, which numpy lacks",
    "tuned homogeneous of order 2 or more": "the file lacks the period from which the harmonics follow",
}


class Unknown(Exception):
    """A form of model that is not covered."""


def read(path):
    """The tensors of a safetensors file, by name, and its metadata."""
    with open(path, "rb") as f:
        data = f.read()
    start, tensors = 8 + int.from_bytes(data[:8], "little"), {}
    header = json.loads(data[8:start])
    meta = header.pop("__metadata__")
    for name, t in header.items():
        begin, end = t["data_offsets"]
        cells = np.frombuffer(data[start + begin:start + end], {"F64": "<f8", "F32": "<f4"}[t["dtype"]])
        tensors[name] = cells.reshape(t["shape"]).astype(float)
    return tensors, meta


def encode(columns, rows):
    """The numbers of rows of a table, objects with a value for each column: null or "" is missing."""
    return [[v for column in columns["inputs"] for v in numbers(columns, column, row[column["name"]])] for row in rows]


def numbers(columns, column, value):
    """The numbers of a value: one, or one for each level, then one for rare levels and one for a gap if there are such.

    A time is its days since 1970, and the sine and cosine of each of its cycles."""
    name, kind, levels = column["name"], column["kind"], column.get("levels") or []
    out = [0.0] * (len(levels) if kind == "category" else 1)
    others, gaps = [0.0] * bool(column.get("other")), [0.0] * bool(column.get("gap"))
    if value is None or value == "":
        if column.get("strict"):
            raise ValueError(f"column {name} is empty; fill the value in")
        gaps, fill = [1.0] * len(gaps), column["fill"]
        if kind == "time":
            out = times(column, fill)
        elif kind != "category":
            out[0] = fill
        elif fill >= 0:
            out[int(fill)] = 1.0
    elif kind == "category":
        if str(value) in levels:
            out[levels.index(str(value))] = 1.0
        else:
            others, rare = [1.0] * len(others), column.get("rare")
            known = others and rare is None or str(value) in (rare or [])
            if columns["unknown"] == "error" and not known:
                raise ValueError(f"column {name} is {value!r}, which is none of {levels}")
    elif kind == "time":  # as texts of ISO 8601
        at = datetime.datetime.fromisoformat(str(value))
        at = at if at.tzinfo else at.replace(tzinfo=datetime.timezone.utc)
        out = times(column, at.timestamp() / 86400)
    elif str(value).lower() in [l.lower() for l in levels]:
        out[0] = float([l.lower() for l in levels].index(str(value).lower()))
    elif kind == "boolean" and str(value).lower() in ("false", "true", "0", "1", "0.0", "1.0"):
        out[0] = float(str(value).lower() in ("true", "1", "1.0"))
    elif kind == "boolean" and columns["unknown"] == "error":
        raise ValueError(f"column {name} is {value!r}, not one of {levels or ['0', '1']}")
    elif kind == "boolean" and levels:
        out[0] = column["fill"]
    else:
        out[0] = float(value)
    return out + others + gaps


def times(column, days):
    out, at = [days], datetime.datetime(1970, 1, 1) + datetime.timedelta(days=days)
    turns = {"weekday": (math.floor(days) + 4) % 7 / 7, "yearday": (at.timetuple().tm_yday - 1) / 365.25, "hour": days % 1}
    for cycle in column.get("cycles", []):
        out += [math.sin(2 * math.pi * turns[cycle]), math.cos(2 * math.pi * turns[cycle])]
    return out


def under(tensors, prefix):
    return {name[len(prefix):]: t for name, t in tensors.items() if name.startswith(prefix)}


def predict(tensors, meta, rows):
    """The scores of rows [n, d], or of n sets of rows: the scaler, the map, the head."""
    card = json.loads(meta["bochner"])
    if not card["drawn"] and card["spec"]["map"] != "linear":
        raise Unknown("SaveSpec")
    if isinstance(rows[0], dict):
        rows = encode(card["columns"], rows)
    scale = lambda rows: scaled(np.array(rows, float), card["scaler"], under(tensors, "scaler."))
    x, of = ([scale(s) for s in rows], sets) if np.ndim(rows[0][0]) else (scale(rows), features)
    scores = of(x, card["spec"], under(tensors, "map.")) @ tensors["head.W"] + tensors["head.b"]
    if card["head"] == "softmax":
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        scores /= scores.sum(axis=1, keepdims=True)
    return scores


def scaled(x, scalers, state):
    """The rows by each of several lists of scalers, side by side."""
    lists, places = [chain.split(",") for chain in scalers.split("|")], itertools.count()
    return np.hstack([by_list(x, [(step, under(state, f"{next(places)}.{step}.")) for step in steps]) for steps in lists])


def by_list(x, steps):
    for step, s in steps:
        if step in ("standard", "auto"):
            x = (x - s["mean"]) / s["scale"]
        elif step in ("minmax", "cube"):
            width = s["max"] - s["min"]
            x = np.where(width > 0, (x - s["min"]) / np.where(width > 0, width, 1), 0)
            x = np.clip(x, 0, 1) if step == "cube" else x
        elif step == "robust":
            x = (x - s["median"]) / s["width"]
            x = x / np.hypot(1, x / 3)
        elif step.startswith("quantile"):
            knots, scores = (s[name].reshape(x.shape[1], -1) for name in ("knots", "scores"))
            x = np.stack([np.interp(*column) for column in zip(x.T, knots, scores)], axis=1)
        elif step in ("l1", "l2"):
            x = normalised(x, step)
    return x


def normalised(x, norm):
    length = np.linalg.norm(x, int(norm[1]), axis=1, keepdims=True)
    return x / np.where(length > 0, length, 1)


def features(x, spec, t):
    """The features of rows x by the map, or the tree of layers, of a spec with the tensors t."""
    kind, p = spec["map"], dict(spec["params"] or {}, columns=spec["features"])
    if kind == "sequential":
        for part, name in parts(spec):
            x = features(x, part, under(t, name + "."))
        return x
    if kind in ("concat", "product"):
        of, whole = parts(spec), {"from": 0, "to": x.shape[1], "weights": 1}
        lists = [[float(v) for v in p[k].split(":")] if p[k] else [whole[k]] * len(of) for k in whole]
        blocks = [np.sqrt(w) * features(x[:, int(a):int(b)], part, under(t, name + "."))
                  for (part, name), a, b, w in zip(of, *lists)]
        return np.hstack(blocks) if kind == "concat" else functools.reduce(
            lambda z, y: (z[:, :, None] * y[:, None, :]).reshape(len(x), z.shape[1] * y.shape[1]), blocks)
    if kind in SIGNATURES:
        return homogeneous(x, t, kind, p)
    if kind.removeprefix("exp-") in SIGNATURES:
        if "root_kappa" not in t:  # the frequencies are those of x itself
            return fourier(x, t)
        return fourier(homogeneous(x, t, kind.removeprefix("exp-"), p), t)
    for names, of in MAPS.items():
        if kind in names.split():
            return of(x, t, p)
    raise Unknown(kind)


MAPS = {
    "linear": lambda x, t, p: x,
    "gaussian laplacian matern cauchy rational-quadratic spectral-mixture srf": lambda x, t, p: fourier(x, t),
    "additive-gaussian": lambda x, t, p: column_waves(x, weights(t)).reshape(len(x), -1) / np.sqrt(t["W"].shape[1]),
    "softmax": lambda x, t, p: np.exp(x @ weights(t) - ((x * t["scale"] * bandwidth(t))**2).sum(axis=1, keepdims=True)
                                      / 2) / np.sqrt(t["W"].shape[1]),
    "skewed-chi2 skewed-intersection":
        lambda x, t, p: fourier(np.log(x + (t["c"] if "c" in t else np.log1p(np.exp(t["raw_c"])))), t),
    "exp-semigroup": lambda x, t, p: semigroup(x, t, np.sqrt),
    "reciprocal-semigroup": lambda x, t, p: semigroup(x, t, np.log1p),
    "arc-cosine": lambda x, t, p: units(x @ weights(t), p["order"]),
    "ntk": lambda x, t, p: tangents(*np.split(x @ weights(t), 2, axis=1)),
    "sphere-polynomial delta-gaussian": lambda x, t, p: two_signs(x, t),
    "random-maclaurin": lambda x, t, p: maclaurin(x, t),
    "random-binning": lambda x, t, p: binned(x, t, p["columns"]),
    "tensor-sketch": lambda x, t, p: tensor_sketch(x, t, 2 / p["a"]**2, p["columns"]),
    "add-kpca": lambda x, t, p: table(x, t, p["gamma"] / 2, True),
    "maji-berg": lambda x, t, p: table(x, t, 1, False),
    "nystrom": lambda x, t, p: kernel(x, t["landmarks"], p["kernel"], p) @ t["projection"],
    "dense": lambda x, t, p: ACTIVATIONS[p["activation"]](x @ t["W"] + t["b"]),
    "periodic": lambda x, t, p: periodic(x, t, ACTIVATIONS[p["activation"]]),
    "normalise": lambda x, t, p: normalised(x, p["norm"]),
}
ACTIVATIONS = {"linear": lambda v: v, "relu": lambda v: np.maximum(v, 0), "tanh": np.tanh,
               "sigmoid": lambda v: 1 / (1 + np.exp(-v)), "softplus": lambda v: np.logaddexp(0, v)}


def parts(spec):
    """The parts of a tree with the names of their layers, which come from their place where they have none."""
    of = []
    for i, p in enumerate(spec["parts"]):
        p = dict(p, name=p["name"] or "_".join(filter(None, (spec["name"], str(i), p["map"]))))
        of.append((p, "-".join(name for _, name in parts(p)) if p.get("parts") else p["name"]))
    return of


def fourier(x, t):
    p = x @ ((t["W"] if "W" in t else structured(t, x.shape[1])) * bandwidth(t)[:, None])
    return np.sqrt(2 / p.shape[1]) * np.cos(p + t["b"]) if "b" in t else pairs(p)


def pairs(p):
    return np.hstack([np.cos(p), np.sin(p)]) / np.sqrt(p.shape[1])


def column_waves(x, w):
    """The cosines and sines of each column by itself, [n, d, 2k]."""
    p = x[:, :, None] * w
    return np.concatenate([np.cos(p), np.sin(p)], axis=2)


def periodic(x, t, f):
    waves = column_waves(x, t["W"])
    blocks = t["A"].reshape(x.shape[1], waves.shape[2], -1)
    return np.hstack([x, f(np.einsum("ndk,dke->nde", waves, blocks) + t["b"]).reshape(len(x), -1)])


def weights(t):
    return t["W"] * bandwidth(t)[:, None]


def units(p, order):
    return np.sqrt(2 / p.shape[1]) * np.where(p > 0, p**order, 0)


def tangents(p, q):
    return np.sqrt(2 / p.shape[1]) * np.where(np.tile(p > 0, 2), np.hstack([p, q]), 0)


def bandwidth(t):
    return np.exp(-t.get("log_bandwidth", np.zeros(1)))


def structured(t, d):
    p, h = t["signs"].shape[1], np.ones((1, 1))
    while len(h) < p:
        h = np.kron([[1, 1], [1, -1]], h)
    blocks = [(h * d3) @ (h * d2) @ (h * d1) for d1, d2, d3 in t["signs"].reshape(-1, 3, p)]
    return np.vstack(blocks)[:len(t["norms"])].T[:d] * t["norms"] / p**1.5


def semigroup(x, t, f):
    """Laplace features, the same in the length √k(x, x), or Fourier features of a map Ψ in that length (way=levy)."""
    damp = lambda s: np.exp(-f(2 * s * x).sum(axis=1, keepdims=True) / 2)  # √k(x, x)
    if "W" in t and len(t["W"]) != x.shape[1]:
        s = t["scale"] if "scale" in t else np.exp(t["log_scale"])
        psi = homogeneous(s * x, t, "levy", {"gamma": .5}) if "root_kappa" in t else log_waves(s * x, len(t["W"]))
        return damp(s) * fourier(psi, t)
    p = x @ ((t["W"] if "W" in t else np.exp(t["log_W"])) * bandwidth(t)[:, None])
    if "scale" in t:
        return damp(t["scale"] * bandwidth(t)) * normalised(np.exp(p.min(axis=1, keepdims=True) - p), "l2")
    return np.exp(-p) / np.sqrt(p.shape[1])


def log_waves(x, columns):
    order = columns // x.shape[1] // 2
    n = np.arange(1, 2 * order)
    omega, vectors = np.linalg.eigh(np.diag(np.sqrt(n * (n + 1)) / 2, -1))  # of which the lower triangle counts
    a, u = np.abs(vectors[0]) / omega / np.sqrt(2), np.log1p(2 * x)[:, :, None] * omega
    return np.stack([a * (np.cos(u) - 1), a * np.sin(u)], axis=-1)[:, :, order:].reshape(len(x), -1)


SIGNATURES = {  # 𝒦 of k(x, y) = Σ (xy)^(γ/2) 𝒦(ln y - ln x), homogeneous-gaussian with σ = 1
    "hellinger": lambda u: np.ones_like(u),
    "chi2": lambda u: 1 / np.cosh(u / 2),
    "intersection": lambda u: np.exp(-np.abs(u) / 2),
    "jensen-shannon": lambda u: sum(np.exp(v / 2) * np.log2(1 + np.exp(-v)) for v in (u, -u)) / 2,
    "homogeneous-gaussian": lambda u: np.exp(-u**2 / 2),
    "levy": lambda u: 2 * np.cosh(u / 4) - np.sqrt(2 * np.cosh(u / 2)),
}


def homogeneous(x, t, kind, p):
    v, r = np.abs(x), t["root_kappa"]
    u = (t["L"] if "L" in t else np.exp(t["log_L"])) * np.log(np.where(v > 0, v, 1))
    waves = [g(f * u) * root * np.sqrt(2) for f, root in zip(harmonics(len(r) - 1, t, kind, p), r[1:])
             for g in (np.cos, np.sin)]
    z = np.stack([np.full_like(v, r[0])] + waves, axis=-1) * (v ** (p["gamma"] / 2))[:, :, None]
    sign = np.sign(x)[:, :, None]
    if p.get("negative") == "split":
        return np.concatenate([z * (sign > 0), z * (sign < 0)], axis=-1).reshape(len(x), -1)
    return (z * sign).reshape(len(x), -1)


def width(kind, p):
    """What divides the argument of the signature."""
    return p["sigma"] if kind == "homogeneous-gaussian" else 1


def harmonics(n, t, kind, p):
    """The f_j: 1, 2, ..., without those whose sample of the spectrum is not above 0, which few are."""
    if n < 2 or kind == "intersection" or p.get("window") == "uniform":
        return range(1, n + 1)
    if "L" not in t:
        raise Unknown("tuned homogeneous of order 2 or more")
    u, f = (np.arange(20000) + .5) / 20000 * np.pi, []  # L times half a period
    for j in itertools.count(1):
        if (SIGNATURES[kind](u / t["L"] / width(kind, p)) * np.cos(j * u)).sum() > 0 or j >= 3 * (len(f) + 1):
            f.append(j)
        if len(f) == n:
            return f


def two_signs(x, t):
    roots = t["roots"] if "roots" in t else np.exp(t["log_roots"])
    p = x @ (t["U"] * bandwidth(t)[:, None])
    p = np.tile(p, len(t["norms"]) // p.shape[1]) * t["norms"]
    return np.hstack([root * pairs(q) for root, q in zip(roots, np.split(p, len(roots), axis=1))])


def maclaurin(x, t):
    factors = (x @ t["W"]).reshape(len(x), -1, len(t["degrees"]))
    used = np.arange(factors.shape[1])[:, None] < t["degrees"]
    return np.where(used, factors, 1).prod(axis=1) * t["scales"] / np.sqrt(len(t["degrees"]))


def binned(x, t, m):
    grids = len(t["rates"])
    scaled = np.clip(x[:, None, :].astype(float) * t["rates"], -2.**52, 2.**52)
    cells = np.floor(scaled - t["offsets"]) % 2**13
    place = ((cells * t["hash"][:, 1:]).sum(axis=2) + t["hash"][:, 0]) % 2**24 * (2 * m // grids) // 2**24
    z = np.zeros((len(x), grids, m // grids))
    np.put_along_axis(z, (place // 2).astype(int)[:, :, None], (1 - 2 * (place % 2))[:, :, None] / np.sqrt(grids), axis=2)
    return z.reshape(len(x), m)


def tensor_sketch(x, t, slope, m):
    x = np.hstack([np.sqrt(slope) * x, np.full((len(x), 1), np.sqrt(max(0, 1 - slope)))])
    sketches = [np.fft.rfft((x * s) @ np.eye(m)[b]) for b, s in zip(t["buckets"].astype(int), t["signs"])]
    return np.fft.irfft(np.prod(sketches, axis=0), m)


def table(x, t, power, rise):
    """Numbers linear in u = sign(x)|x|^power between knots; beyond them constant, or in proportion to u (rise)."""
    columns = []
    for u, knots, numbers in zip((np.sign(x) * np.abs(x)**power).T, t["knots"], t["table"]):
        end = np.clip(u, knots[0], knots[-1])
        beyond = np.maximum(u / np.where(end == 0, 1, end), 0) * (end != 0) if rise else 1
        z = np.stack([np.interp(u, knots, c) for c in numbers.reshape(len(knots), -1).T], axis=1)
        columns.append(z * np.where(u == end, 1, beyond)[:, None])
    return np.hstack(columns)


def kernel(x, y, kind, p):
    """The matrix of k(x_i, y_j)."""
    a, b, of = x[:, None], y[None], kind.removeprefix("exp-")
    if kind in KERNELS:
        return KERNELS[kind](a, b, p)
    k = lambda a, b: additive(a, b, of, p)
    return k(a, b) if of == kind else np.exp(-(k(a, a) + k(b, b) - 2 * k(a, b)) / 2 / p["sigma"]**2)


def additive(a, b, kind, p):
    sign = np.sign(a) * np.sign(b)
    a, b = (np.abs(np.where(sign, v, 1)) for v in (a, b))
    terms = (a * b)**(p["gamma"] / 2) * SIGNATURES[kind](np.log(b / a) / width(kind, p))
    return (terms * (sign > 0 if p["negative"] == "split" else sign)).sum(axis=-1)


def matern(r, nu):
    s = np.sqrt(2 * nu) * r
    if nu not in (.5, 1.5, 2.5):
        raise Unknown("matern of any nu")
    return np.exp(-s) * {.5: 1, 1.5: 1 + s, 2.5: 1 + s + s**2 / 3}[nu]


def skewed(kind):
    return lambda a, b, p: SIGNATURES[kind](np.log((a + p["c"]) / (b + p["c"]))).prod(axis=-1)


KERNELS = {
    "linear": lambda a, b, p: (a * b).sum(axis=-1),
    "gaussian": lambda a, b, p: np.exp(-((a - b)**2).sum(axis=-1) / 2 / p["sigma"]**2),
    "additive-gaussian": lambda a, b, p: np.exp(-((a - b) / p["sigma"])**2 / 2).sum(axis=-1),
    "softmax": lambda a, b, p: np.exp((a * b).sum(axis=-1) / p["sigma"]**2),
    "laplacian": lambda a, b, p: np.exp(-np.abs(a - b).sum(axis=-1) / p["sigma"]),
    "cauchy": lambda a, b, p: (1 / (1 + ((a - b) / p["sigma"])**2)).prod(axis=-1),
    "rational-quadratic": lambda a, b, p: (1 + ((a - b)**2).sum(axis=-1) / 2 / p["alpha"] / p["ell"]**2)**-p["alpha"],
    "matern": lambda a, b, p: matern(np.sqrt(((a - b)**2).sum(axis=-1)) / p["ell"], p["nu"]),
    "exp-semigroup": lambda a, b, p: np.exp(-p["beta"] * np.sqrt(a + b).sum(axis=-1)),
    "reciprocal-semigroup": lambda a, b, p: (1 / (1 + (a + b) / p["lambda"])).prod(axis=-1),
    "skewed-chi2": skewed("chi2"),
    "skewed-intersection": skewed("intersection"),
}


def sets(bags, spec, t):
    """The features of sets of samples: Fourier features of the means of features, or of densities on a basis."""
    p, axes = spec["params"], spec["dims"]
    if spec["map"] == "mean-map":
        inner = dict(spec, map="nystrom" if p["landmarks"] else p["kernel"])
        return fourier(np.array([features(s, inner, under(t, "inner.")).mean(axis=0) for s in bags]), t)
    points = p["points"] if p["points"] != "auto" else {2: 48, 3: 20}.get(axes, 128)
    grid = (np.arange(points) + .5) / points
    if spec["map"] == "hdd-tv" and "lambda" not in t:  # the frequencies are those of the values
        return fourier(np.array([np.hstack(densities(s, t, grid)) for s in bags]), t)
    phi = basis(grid, axes if axes <= 3 else 1, p)
    a = [np.hstack([w @ phi for q in densities(s, t, grid) for w in waves(q, t)]) for s in bags]
    return fourier(np.array(a), t)


def densities(s, t, grid):
    """The density estimate of samples s at the points of the grid, or of their projections, one by one."""
    if "directions" in t:
        s = s @ t["directions"] + t["shift"]
    each, k = [], np.arange(-40, 41, 2)
    for v, h in zip(s.T[:, :, None], t["kde_bandwidth"]):
        images = np.hstack([v + k, k - v])[:, :, None]  # in mirrors at 0 and 1
        each.append(np.exp(-((grid - images) / h)**2 / 2).sum(axis=1) / h / np.sqrt(2 * np.pi))
    if "directions" in t:
        return [k.mean(axis=0) for k in each]
    joint = functools.reduce(lambda a, b: (a[:, :, None] * b[:, None]).reshape(len(s), -1), each)
    return [joint.mean(axis=0)]


def basis(grid, axes, p):
    """Φ [V, B]: products of functions of the axes whose degrees sum to no more than the last one's, over V."""
    k = np.arange(p["functions"])
    degree, unit = (k, np.pi) if p["basis"] == "cosine" else ((k + 1) // 2, 2 * np.pi)
    angle = unit * degree * grid[:, None]
    sine = (p["basis"] == "fourier") & (k % 2 == 0)
    f = np.where(k == 0, 1, np.sqrt(2) * np.where(sine, np.sin(angle), np.cos(angle))).T
    columns = [functools.reduce(np.kron, [f[i] for i in index]) for index in itertools.product(k, repeat=axes)
               if sum(degree[i] for i in index) <= degree[-1]]
    return np.stack(columns, axis=1) / len(grid)**axes


def waves(q, t):
    """The functions of a density q that go on the basis: q, or r √q cos(λ ln q) and r √q sin(λ ln q) of each λ."""
    if "lambda" not in t:
        return [q]
    u = np.log(np.where(q > 0, q, 1))
    both = [r * np.sqrt(q) * f(l * u) for l, r in zip(t["lambda"], t["root_weight"]) for f in (np.cos, np.sin)]
    return both[:1] if list(t["lambda"]) == [0] else both


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("-rows")
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    left_out, bad = {}, False
    for path in args.models:
        tensors, meta = read(path)
        try:
            if args.rows:
                with sys.stdin if args.rows == "-" else open(args.rows) as f:
                    print(json.dumps(predict(tensors, meta, json.load(f)).tolist()))
                continue
            if "test.rows" not in meta:
                sys.exit(f"{path}: its notes have no rows to compare with; give rows by -rows")
            got = predict(tensors, meta, json.loads(meta.get("test.table") or meta["test.rows"])).ravel()
        except Unknown as form:
            left_out.setdefault(str(form), []).append(path)
            continue
        want = np.array(json.loads(meta["test.scores"]))
        off = np.abs(got - want).max() / np.abs(want).max()
        wrong = not off <= (1e-4 if json.loads(meta["bochner"])["spec"]["dtype"] == "float32" else 1e-9)
        print(f"{path}: {off:.1e} off" + ", too far" * wrong)
        bad = bad or wrong
    for form, paths in left_out.items():
        print(f"{form}: {len(paths)} left out, {LEFT_OUT.get(form, 'and not on the list: ' + ' '.join(paths))}")
    return bad or bool(args.rows and left_out) or not left_out.keys() <= LEFT_OUT.keys()


if __name__ == "__main__":
    sys.exit(main())
