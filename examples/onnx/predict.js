// Predicts with the file of examples/onnx by ONNX Runtime and compares with what Go says:
//
//	node predict.js [MODEL [ROWS]]
//
// ROWS is JSON, {"rows": [...]} with labels and probabilities to compare with; without them it prints the classes, or
// the targets. A row is an array of numbers or, for a model of a table, an object with a value for each column by its
// name: encode makes the numbers of it, by the card in the metadata of the file.
//
// The package onnxruntime-node is looked for here and where the tests of train/onnx have it.
"use strict";
const fs = require("fs");
const path = require("path");

async function main(model = "onnx_model.onnx", rows = "onnx_rows.json") {
  const ort = require(require.resolve("onnxruntime-node", {
    paths: [process.cwd(), __dirname, path.join(__dirname, "../../train/onnx/testdata/node")],
  }));
  const said = JSON.parse(fs.readFileSync(rows));
  if (!Array.isArray(said.rows[0])) {
    said.rows = encode(JSON.parse(metadata(fs.readFileSync(model)).bochner).columns, said.rows);
  }
  const session = await ort.InferenceSession.create(model);
  const x = new ort.Tensor("float32", Float32Array.from(said.rows.flat()), [said.rows.length, said.rows[0].length]);
  const { label, probabilities, scores } = await session.run({ x });
  if (!said.labels || !said.probabilities) {
    console.log(JSON.stringify(Array.from((label || scores).data)));
    return 0;
  }

  const other = label.data.filter((name, i) => name !== said.labels[i]).length;
  const off = said.probabilities.flat().reduce((most, p, i) => Math.max(most, Math.abs(p - probabilities.data[i])), 0);
  console.log(`${said.rows.length} rows: ${other} other classes, probabilities ${off.toExponential(1)} off`);
  return other > 0 || !(off <= 1e-5) ? 1 : 0;
}

// metadata is the texts of an ONNX file by their keys: field 14 of its message has pairs of the fields 1 and 2.
function metadata(file) {
  const fields = (bytes, each) => {
    let at = 0;
    const varint = () => {
      let v = 0;
      for (let unit = 1; ; unit *= 128) {
        const b = bytes[at++];
        v += (b & 127) * unit;
        if (b < 128) return v;
      }
    };
    while (at < bytes.length) {
      const tag = varint(), kind = tag % 8;
      if (kind === 0) {
        varint();
        continue;
      }
      const size = kind === 2 ? varint() : kind === 1 ? 8 : 4;
      each((tag - kind) / 8, bytes.subarray(at, at + size));
      at += size;
    }
  };
  const found = {};
  fields(file, (field, bytes) => {
    if (field !== 14) return;
    const entry = {};
    fields(bytes, (part, text) => { entry[part] = new TextDecoder().decode(text); });
    found[entry[1]] = entry[2];
  });
  return found;
}

// encode is the numbers of rows of a table, objects with a value for each column: null or "" is missing.
function encode(columns, rows) {
  return rows.map((row) => columns.inputs.flatMap((column) => {
    if (!(column.name in row)) throw new Error(`column ${column.name} is not in a row`);
    return numbers(columns, column, row[column.name]);
  }));
}

// numbers are those of a value: one, or one for each level, then one for rare levels and one for a gap if there are
// such.
function numbers(columns, column, value) {
  const { name, kind } = column, levels = column.levels || [], text = String(value), word = text.toLowerCase();
  let out = kind === "category" ? levels.map(() => 0) : [0];
  let others = column.other ? [0] : [], gaps = column.gap ? [0] : [];
  const place = levels.findIndex((level) => level.toLowerCase() === word);
  if (value === null || value === "") {
    if (column.strict) throw new Error(`column ${name} is empty; fill the value in`);
    gaps = gaps.map(() => 1);
    if (kind === "time") out = times(column, column.fill);
    else if (kind !== "category") out = [column.fill];
    else if (column.fill >= 0) out[column.fill] = 1;
  } else if (kind === "category") {
    if (levels.includes(text)) {
      out[levels.indexOf(text)] = 1;
    } else {
      others = others.map(() => 1);
      const known = column.other && !column.rare || (column.rare || []).includes(text);
      if (columns.unknown === "error" && !known) {
        throw new Error(`column ${name} is ${text}, which is none of ${levels}`);
      }
    }
  } else if (kind === "time") { // as texts of ISO 8601
    const iso = text.replace(" ", "T"), zoned = !iso.includes("T") || /(Z|[+-]\d\d:?\d\d)$/.test(iso);
    out = times(column, Date.parse(zoned ? iso : iso + "Z") / 864e5);
  } else if (place >= 0) {
    out = [place];
  } else if (kind === "boolean" && ["false", "true", "0", "1"].includes(word)) {
    out = [word === "true" || word === "1" ? 1 : 0];
  } else if (kind === "boolean" && columns.unknown === "error") {
    throw new Error(`column ${name} is ${text}, not one of ${column.levels || [0, 1]}`);
  } else if (kind === "boolean" && levels.length > 0) {
    out = [column.fill];
  } else {
    out = [Number(value)];
  }
  if (out.some(Number.isNaN)) throw new Error(`column ${name} is ${text}, not a ${kind}`);
  return [...out, ...others, ...gaps];
}

// times is the days since 1970, and the sine and cosine of each cycle of the column.
function times(column, days) {
  const whole = Math.floor(days), year = new Date(days * 864e5).getUTCFullYear();
  const turns = { weekday: (whole + 4) % 7 / 7, yearday: (whole - Date.UTC(year, 0, 1) / 864e5) / 365.25, hour: days - whole };
  const angles = (column.cycles || []).map((cycle) => 2 * Math.PI * turns[cycle]);
  return [days, ...angles.flatMap((a) => [Math.sin(a), Math.cos(a)])];
}

if (require.main === module) {
  main(...process.argv.slice(2)).then((status) => { process.exitCode = status; }, (e) => {
    console.error(String(e.message || e));
    process.exitCode = 1;
  });
}

module.exports = { encode, metadata };
