// Predicts with the file of examples/onnx by ONNX Runtime and compares with what Go says:
//
//	node predict.js [MODEL [ROWS]]
//
// The package onnxruntime-node is looked for here and where the tests of train/onnx have it.
"use strict";
const fs = require("fs");
const path = require("path");
const ort = require(require.resolve("onnxruntime-node", {
  paths: [process.cwd(), __dirname, path.join(__dirname, "../../train/onnx/testdata/node")],
}));

async function main(model = "onnx_model.onnx", rows = "onnx_rows.json") {
  const said = JSON.parse(fs.readFileSync(rows));
  const session = await ort.InferenceSession.create(model);
  const x = new ort.Tensor("float32", Float32Array.from(said.rows.flat()), [said.rows.length, said.rows[0].length]);
  const { label, probabilities } = await session.run({ x });

  const other = label.data.filter((name, i) => name !== said.labels[i]).length;
  const off = said.probabilities.flat().reduce((most, p, i) => Math.max(most, Math.abs(p - probabilities.data[i])), 0);
  console.log(`${said.rows.length} rows: ${other} other classes, probabilities ${off.toExponential(1)} off`);
  return other > 0 || !(off <= 1e-5) ? 1 : 0;
}

main(...process.argv.slice(2)).then((status) => { process.exitCode = status; }, (e) => {
  console.error(String(e.message || e));
  process.exitCode = 1;
});
