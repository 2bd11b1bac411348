"""Times the readers of pandas and scikit-learn: one JSON array of {"lib", "version", "reader", "ms": [...]} on stdout.

Arguments: a file, csv or libsvm, and the number of runs. What was read is dropped before the next run.
"""
import json
import sys
import time


def csv(path):
    import pandas

    return "pandas", pandas.__version__, {
        "read_csv": lambda: pandas.read_csv(path, engine="c"),
        "read_csv, round_trip": lambda: pandas.read_csv(path, engine="c", float_precision="round_trip"),
    }


def libsvm(path):
    import sklearn.datasets

    return "scikit-learn", sklearn.__version__, {"load_svmlight_file": lambda: sklearn.datasets.load_svmlight_file(path)}


def main():
    lib, version, readers = {"csv": csv, "libsvm": libsvm}[sys.argv[2]](sys.argv[1])
    found = []
    for name, read in readers.items():
        times = []
        for _ in range(int(sys.argv[3]) + 1):
            start = time.perf_counter()
            kept = read()
            times.append((time.perf_counter() - start) * 1e3)
            del kept
        found.append({"lib": lib, "version": version, "reader": name, "ms": times[1:]})  # the first warmed up
    print(json.dumps(found))


main()
