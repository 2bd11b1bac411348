# XGBoost on rows in files, for main.go: five settings, early stopping on a fifth, the best one again on all rows.
import sys

import numpy as np
import xgboost as xgb

folder, dims, classes, seed, cores = sys.argv[1], *map(int, sys.argv[2:])
part = lambda name, kind: np.fromfile(f"{folder}/{name}.{kind}")
x, y = part("train", "x").reshape(-1, dims), part("train", "y")
test = xgb.DMatrix(part("test", "x").reshape(-1, dims))
order = np.random.default_rng(seed).permutation(len(y))
held, kept = order[: len(y) // 5], order[len(y) // 5 :]
pair = [xgb.DMatrix(x[i], y[i]) for i in (kept, held)]
loss = {"objective": "reg:squarederror", "eval_metric": "rmse"}
if classes == 2:
    loss = {"objective": "binary:logistic", "eval_metric": "logloss"}
elif classes:
    loss = {"objective": "multi:softprob", "eval_metric": "mlogloss", "num_class": classes}
best = (np.inf,)
for eta, depth, child, rows, columns in ((0.1, 6, 1, 1, 1), (0.05, 8, 1, 0.8, 0.8), (0.05, 10, 5, 0.8, 0.6), (0.1, 4, 1, 0.8, 1), (0.03, 6, 3, 0.7, 0.7)):
    o = dict(loss, eta=eta, max_depth=depth, min_child_weight=child, subsample=rows, colsample_bytree=columns, seed=seed, nthread=cores, tree_method="hist")
    m = xgb.train(o, pair[0], 3000, [(pair[1], "held")], early_stopping_rounds=50, verbose_eval=False)
    if m.best_score < best[0]:
        best = (m.best_score, o, m.best_iteration + 1)
p = xgb.train(best[1], xgb.DMatrix(x, y), best[2]).predict(test)
y = part("test", "y")
if not classes:
    print(float(np.sqrt(np.mean((p - y) ** 2))))
else:
    print(float(np.mean((p > 0.5 if classes == 2 else p.argmax(1)) == y)))
