// The tab with the digits: strokes -> picture -> ONNX Runtime -> bars.
import { picture, side } from "./picture.js";

const pen = 1.3; // the radius of the pen in the picture, in pixels: in the middle of what the model has seen
const step = 0.04; // of the arrow keys, as a share of the paper

const byId = (id) => document.getElementById(id);

// load fetches a file of the page, or says what is missing.
async function load(name, as) {
  const r = await fetch(name).catch(() => ({}));
  if (!r.ok) {
    throw new Error(`${name} is missing. Build the page again: go run ./examples/browser -build FOLDER`);
  }
  return r[as]();
}

export async function startDigits() {
  const paper = byId("paper"), seen = byId("seen"), answer = byId("answer");
  const strokes = [];
  const bars = makeBars(byId("bars"));
  let session, ort, drawn = 0;

  const show = (p, told) => {
    const best = p.indexOf(Math.max(...p));
    bars.forEach(({ row, bar, text }, digit) => {
      row.classList.toggle("most", p.length > 0 && digit === best);
      bar.style.width = `${100 * (p[digit] || 0)}%`;
      text.textContent = p.length > 0 ? `${(100 * p[digit]).toFixed(1)} %` : "";
    });
    if (told) {
      answer.textContent = p.length > 0 ? `This is a ${best}: ${(100 * p[best]).toFixed(1)} %` : "Draw a digit";
    }
  };

  // recognise answers for the strokes; told: a screen reader hears it too.
  const recognise = async (told) => {
    const turn = ++drawn;
    drawPaper(paper, strokes, cursor);
    const pixels = picture(strokes, pen);
    drawSeen(seen, pixels);
    if (!session) {
      return;
    }
    if (strokes.length === 0) {
      show([], told);
      return;
    }
    const start = performance.now();
    const { probabilities } = await session.run({ x: new ort.Tensor("float32", pixels, [1, side * side]) });
    if (turn === drawn) {
      show([...probabilities.data], told);
      answer.dataset.ms = (performance.now() - start).toFixed(1);
    }
  };

  // The pen, by pointer or by keys.
  const cursor = { x: 0.5, y: 0.3, down: false, shown: false };
  const at = (e) => {
    const r = paper.getBoundingClientRect();
    return [(e.clientX - r.left) / r.width, (e.clientY - r.top) / r.height];
  };
  let pointer = null;
  paper.addEventListener("pointerdown", (e) => {
    if (e.button === 0 && pointer === null) {
      pointer = e.pointerId;
      paper.setPointerCapture(pointer);
      Object.assign(cursor, { down: false, shown: false });
      strokes.push([at(e)]);
      recognise(false);
    }
  });
  paper.addEventListener("pointermove", (e) => {
    if (e.pointerId === pointer) {
      strokes[strokes.length - 1].push(...(e.getCoalescedEvents?.() ?? []).concat(e).map(at));
      recognise(false);
    }
  });
  for (const end of ["pointerup", "pointercancel"]) {
    paper.addEventListener(end, (e) => {
      if (e.pointerId === pointer) {
        pointer = null;
        recognise(true);
      }
    });
  }
  const clear = () => {
    strokes.length = 0;
    cursor.down = false;
    recognise(true);
  };
  const undo = () => {
    strokes.pop();
    cursor.down = false;
    recognise(true);
  };
  paper.addEventListener("keydown", (e) => {
    const move = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[e.key];
    if (move) {
      cursor.x = Math.min(Math.max(cursor.x + step * move[0], 0), 1);
      cursor.y = Math.min(Math.max(cursor.y + step * move[1], 0), 1);
      if (cursor.down) {
        strokes[strokes.length - 1].push([cursor.x, cursor.y]);
      }
    } else if (e.key === " ") {
      cursor.down = !cursor.down;
      if (cursor.down) {
        strokes.push([[cursor.x, cursor.y]]);
      }
    } else if (e.key === "Delete") {
      clear();
    } else if (e.key === "Backspace") {
      undo();
    } else {
      return;
    }
    e.preventDefault();
    cursor.shown = true;
    recognise(e.key === " " && !cursor.down);
  });
  byId("clear").addEventListener("click", clear);
  byId("undo").addEventListener("click", undo);
  drawPaper(paper, strokes, cursor);
  drawSeen(seen, picture([], pen));

  const [runtime, model, about] = await Promise.all([
    import("./ort.wasm.bundle.min.mjs").catch(() => {
      throw new Error("ort.wasm.bundle.min.mjs, the ONNX Runtime, is missing. Build the page again: go run ./examples/browser -build FOLDER");
    }),
    load("model.onnx", "arrayBuffer"),
    load("about.json", "json"),
  ]);
  ort = runtime;
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = { wasm: new URL("ort-wasm-simd-threaded.wasm", location.href).href };
  try {
    session = await ort.InferenceSession.create(model);
  } catch (e) {
    throw new Error(`The model cannot be loaded: ${e.message}`);
  }
  const ready = performance.now();
  byId("digits").dataset.ready = ready.toFixed(0);
  byId("about").textContent = `${about.features} random Fourier features of the Gaussian kernel under a softmax head, learned from ${about.rows} rows of ` +
    `${about.digits}; ${(100 * about.accuracy).toFixed(1)} % of ${about.test} others are right. Probabilities are calibrated. Trained by bochner ${about.version}, run by ONNX Runtime in ` +
    `WebAssembly; ready ${(ready / 1000).toFixed(1)} s after the page was opened.`;
  await recognise(true);
}

function makeBars(list) {
  return Array.from({ length: 10 }, (_, digit) => {
    const row = document.createElement("li");
    const name = document.createElement("span"), track = document.createElement("span"), bar = document.createElement("span"), text = document.createElement("span");
    name.textContent = String(digit);
    track.className = "track";
    bar.className = "bar";
    track.append(bar);
    row.append(name, track, text);
    list.append(row);
    return { row, bar, text };
  });
}

function drawPaper(canvas, strokes, cursor) {
  const c = canvas.getContext("2d"), w = canvas.width;
  c.clearRect(0, 0, w, w);
  c.lineWidth = w / 16;
  c.lineCap = c.lineJoin = "round";
  c.strokeStyle = "#1d2126";
  for (const line of strokes) {
    c.beginPath();
    c.moveTo(line[0][0] * w, line[0][1] * w);
    line.forEach(([x, y]) => c.lineTo(x * w, y * w));
    c.stroke();
  }
  if (cursor.shown) {
    c.lineWidth = 4;
    c.strokeStyle = cursor.down ? "#b84a00" : "#0b5394";
    c.beginPath();
    c.arc(cursor.x * w, cursor.y * w, w / 28, 0, 2 * Math.PI);
    c.stroke();
  }
}

function drawSeen(canvas, pixels) {
  const c = canvas.getContext("2d"), image = c.createImageData(side, side);
  pixels.forEach((v, i) => image.data.set([255 - 226 * v, 255 - 222 * v, 255 - 217 * v, 255], 4 * i));
  c.putImageData(image, 0, 0);
}
