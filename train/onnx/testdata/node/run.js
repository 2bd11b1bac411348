// Runs the cases of a folder by ONNX Runtime and prints, as JSON, how far each output is from what is wanted.
//
//	node run.js FOLDER [web]
//
// A case is a folder with model.onnx, case.json and the files that case.json names: {"input": TENSOR, "outputs":
// [TENSOR, ...]} with TENSOR = {"name", "type": "float32" | "float64" | "int64" | "string", "shape", "file"}. Numbers are
// little endian, texts JSON. With "web" the runtime is that of browsers, in WebAssembly.
"use strict";
const fs = require("fs");
const path = require("path");
const web = process.argv[3] === "web";
const ort = require(web ? "onnxruntime-web" : "onnxruntime-node");
if (web) {
  ort.env.wasm.numThreads = 1;
}

const arrays = { float32: Float32Array, float64: Float64Array, int64: BigInt64Array };

function read(folder, t) {
  const bytes = fs.readFileSync(path.join(folder, t.file));
  if (t.type === "string") {
    return JSON.parse(bytes.toString());
  }
  return new arrays[t.type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function compare(got, want, shape, wanted) {
  if (got.length !== want.length || shape.join() !== wanted.join()) {
    return { error: `shape [${shape}], want [${wanted}]` };
  }
  let off = 0, largest = 0;
  for (let i = 0; i < want.length; i++) {
    if (typeof want[i] === "string") {
      off += got[i] === want[i] ? 0 : 1;
      continue;
    }
    const w = Number(want[i]), d = Math.abs(Number(got[i]) - w);
    off = d <= off ? off : d; // and so NaN where there is one
    largest = Math.max(largest, Math.abs(w));
  }
  return { off: Number.isNaN(off) ? "NaN" : off, largest };
}

async function run(folder) {
  const c = JSON.parse(fs.readFileSync(path.join(folder, "case.json")));
  const session = await ort.InferenceSession.create(web ? fs.readFileSync(path.join(folder, "model.onnx")) : path.join(folder, "model.onnx"));
  const x = new ort.Tensor(c.input.type, read(folder, c.input), c.input.shape);
  const outs = await session.run({ [c.input.name]: x });
  const result = {};
  for (const t of c.outputs) {
    result[t.name] = t.name in outs ? compare(outs[t.name].data, read(folder, t), outs[t.name].dims, t.shape) : { error: "there is no such output" };
  }
  await session.release();
  return result;
}

(async () => {
  const root = process.argv[2], results = {};
  for (const name of fs.readdirSync(root).sort()) {
    if (!fs.existsSync(path.join(root, name, "case.json"))) {
      continue;
    }
    try {
      results[name] = await run(path.join(root, name));
    } catch (e) {
      results[name] = { error: String(e.message || e) };
    }
  }
  process.stdout.write(JSON.stringify(results) + "\n");
})();
