#!/usr/bin/env python3
"""Predicts with the file of examples/onnx by ONNX Runtime and compares with what Go says.

    predict.py [MODEL [ROWS]]
"""
import json, sys
import numpy as np
import onnxruntime


def main(model="onnx_model.onnx", rows="onnx_rows.json"):
    with open(rows) as f:
        said = json.load(f)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    x = np.array(said["rows"], np.float32)
    label, probabilities = session.run(["label", "probabilities"], {"x": x})
    other = int((np.array(label) != np.array(said["labels"])).sum())
    off = float(np.abs(probabilities - np.array(said["probabilities"])).max())
    card = json.loads(session.get_modelmeta().custom_metadata_map["bochner"])
    print(f"{len(x)} rows: {other} other classes, probabilities {off:.1e} off; the map is {card['spec']['map']}")
    return other > 0 or not off <= 1e-5


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
