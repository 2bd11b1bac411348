// The tab with the points: what the reader sets goes to learn.worker.js, and what it answers is drawn.

const colours = [[0, 101, 163], [184, 74, 0], [0, 113, 79]]; // of the classes, as in style.css
const names = ["A", "B", "C"];
const step = 0.03; // of the arrow keys, as a share of the square
const byId = (id) => document.getElementById(id);
const still = matchMedia("(prefers-reduced-motion: reduce)");

export async function startPoints() {
  const panels = { frozen: byId("frozen"), tuned: byId("tuned") };
  const form = byId("controls"), status = byId("status");
  const worker = new Worker("learn.worker.js");
  const cursor = { x: 0.5, y: 0.5, shown: false };
  let points = [], id = 0; // of what was asked last
  let asked = {}, drawn = {}, last = null, stopped = true;

  const task = () => form.elements.task.value;
  const paint = () => {
    for (const [name, canvas] of Object.entries(panels)) {
      drawPanel(canvas, points, drawn[name], cursor);
    }
  };

  // learn sends the points off; fresh: the tuned features begin as they were drawn.
  const learn = (fresh) => {
    id++;
    asked = { at: performance.now(), fresh };
    if (points.length < 3) {
      stop("Set three points or more" + (task() === "classes" ? ", of two classes or more." : "."));
      return;
    }
    paint();
    worker.postMessage({
      id, seed: 1, fresh: fresh || stopped,
      x: Float64Array.from(points, (p) => p.x), y: Float64Array.from(points, (p) => p.y),
      class: task() === "classes" ? Float64Array.from(points, (p) => p.class) : null,
      features: Number(form.elements.features.value), sigma: Number(form.elements.sigma.value),
    });
    stopped = false;
  };

  // stop shows the points alone, and why.
  const stop = (why) => {
    stopped = true;
    drawn = {};
    byId("frozen-said").textContent = byId("tuned-said").textContent = "";
    status.textContent = why;
    paint();
  };

  worker.onmessage = ({ data }) => {
    if (data.ready) {
      asked.at = performance.now(); // loading is no learning
    } else if (data.error && data.id === undefined) {
      globalThis.problem(data.error);
    } else if (data.id !== id || points.length < 3) {
      return; // of points that are gone
    } else if (data.error) {
      stop(`${data.error.replace(/^\w+: /, "").replace(/: [^:]*$/, "")}.`);
    } else if (data.done) {
      put("tuned", last);
      status.textContent = `${points.length} points. Frozen: ${score(drawn.frozen)}, drawn after ${asked.frozen} ms. Tuned: ${score(last)}, ` +
        `first drawn after ${asked.tuned} ms; ${last.evaluations} evaluations in all.`;
    } else if (data.frozen) {
      put("frozen", data.frozen);
      asked.frozen = Math.round(performance.now() - asked.at);
      if (asked.fresh || !drawn.tuned) {
        put("tuned", data.frozen); // nothing has moved yet
      }
    } else {
      last = data.tuned;
      if (!still.matches || !asked.tuned) { // without motion: the first and the last one
        put("tuned", last);
      }
      asked.tuned ??= Math.round(performance.now() - asked.at);
    }
  };
  const put = (name, what) => {
    drawn[name] = what;
    byId(`${name}-said`).textContent = score(what);
    drawPanel(panels[name], points, what, cursor);
  };
  worker.onerror = () => globalThis.problem("learn.worker.js could not start. Build the page again: go run ./examples/browser -build FOLDER");

  const add = (x, y) => {
    points.push({ x, y, class: Number(form.elements.class.value) });
    learn(false);
  };
  for (const canvas of Object.values(panels)) {
    canvas.addEventListener("pointerdown", (e) => {
      if (e.button === 0) {
        const r = canvas.getBoundingClientRect();
        cursor.shown = false;
        add((e.clientX - r.left) / r.width, 1 - (e.clientY - r.top) / r.height);
      }
    });
    canvas.addEventListener("keydown", (e) => {
      const move = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[e.key];
      if (move) {
        cursor.x = Math.min(Math.max(cursor.x + step * move[0], 0), 1);
        cursor.y = Math.min(Math.max(cursor.y + step * move[1], 0), 1);
      } else if (e.key !== " " && e.key !== "Backspace") {
        return;
      }
      e.preventDefault();
      cursor.shown = true;
      if (e.key === " ") {
        add(cursor.x, cursor.y);
      } else if (e.key === "Backspace") {
        points.pop();
        learn(false);
      } else {
        paint();
      }
    });
  }
  form.addEventListener("submit", (e) => e.preventDefault());
  form.addEventListener("change", (e) => {
    if (e.target.name === "task") {
      points = example(task());
      drawn = {};
      setTask();
    }
    if (e.target.name !== "class") {
      learn(true);
    }
  });
  const setTask = () => {
    const classes = task() === "classes";
    byId("pick").hidden = !classes;
    form.elements.features.value = classes ? "32" : "24";
    form.elements.sigma.value = classes ? "0.3" : "0.07";
    byId("legend").textContent = classes ? "The colour is the class that is most probable, paler where that is less sure." :
      "The line is the mean of the posterior; nine new points in ten are in the band about it.";
  };
  byId("example").addEventListener("click", () => {
    points = example(task());
    learn(true);
  });
  byId("again").addEventListener("click", () => learn(true));
  byId("empty").addEventListener("click", () => {
    points = [];
    learn(true);
  });
  setTask();
  points = example(task());
  learn(true);
}

const score = (d) => (d.probabilities ? `${(100 * d.accuracy).toFixed(1)} % right` : `RMS error ${d.rmse.toFixed(3)}`);

// example has 500 points on the arms of a spiral, or 150 on a chirp with a gap.
function example(task) {
  const random = generator(7), normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  if (task === "classes") {
    return Array.from({ length: 500 }, (_, i) => {
      const c = i % 3, t = Math.sqrt(random()), a = 2 * Math.PI * (1.1 * t + c / 3) + 0.16 * normal();
      return { x: 0.5 + 0.46 * t * Math.cos(a), y: 0.5 + 0.46 * t * Math.sin(a), class: c };
    });
  }
  return Array.from({ length: 150 }, () => {
    let x = random();
    if (x > 0.44 && x < 0.51) {
      x *= 0.7;
    }
    return { x, y: 0.5 + 0.3 * Math.sin(8 * x + 22 * x * x) + 0.04 * normal(), class: 0 };
  });
}

// generator makes numbers from 0 to 1, the same each time: mulberry32.
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function drawPanel(canvas, points, drawn, cursor) {
  const c = canvas.getContext("2d"), w = canvas.width;
  c.clearRect(0, 0, w, w);
  if (drawn?.probabilities) {
    drawSurface(c, w, drawn);
  } else if (drawn?.mean) {
    drawBand(c, w, drawn);
  }
  for (const p of points) {
    drawPoint(c, p.x * w, (1 - p.y) * w, drawn?.mean ? -1 : p.class);
  }
  if (cursor.shown) {
    const x = cursor.x * w, y = (1 - cursor.y) * w;
    c.strokeStyle = "#1d2126";
    c.lineWidth = 3;
    c.beginPath();
    c.moveTo(x - 16, y);
    c.lineTo(x + 16, y);
    c.moveTo(x, y - 16);
    c.lineTo(x, y + 16);
    c.stroke();
  }
}

// drawSurface mixes the colours of the classes by their probabilities, which it interpolates between the cells of
// the grid, and draws a line where the most probable class changes.
function drawSurface(c, w, { probabilities: p, classes, side }) {
  const n = w / 2, image = new ImageData(n, n), best = new Uint8Array(n * n), row = new Float64Array(classes);
  for (let i = 0; i < n; i++) {
    const v = Math.min(Math.max(((i + 0.5) * side) / n - 0.5, 0), side - 1), r = Math.min(Math.floor(v), side - 2), a = v - r;
    for (let j = 0; j < n; j++) {
      const u = Math.min(Math.max(((j + 0.5) * side) / n - 0.5, 0), side - 1), q = Math.min(Math.floor(u), side - 2), b = u - q;
      const at = classes * (r * side + q), below = at + classes * side;
      let most = 0;
      for (let k = 0; k < classes; k++) {
        row[k] = (1 - a) * ((1 - b) * p[at + k] + b * p[at + classes + k]) + a * ((1 - b) * p[below + k] + b * p[below + classes + k]);
        most = row[k] > row[most] ? k : most;
      }
      const o = i * n + j, edge = (i > 0 && best[o - n] !== most) || (j > 0 && best[o - 1] !== most);
      best[o] = most;
      const sure = (row[most] * classes - 1) / (classes - 1), strength = edge ? 1 : 0.08 + 0.34 * sure;
      for (let k = 0; k < 3; k++) {
        image.data[4 * o + k] = edge ? 70 : 255 - strength * (255 - colours[most][k]);
      }
      image.data[4 * o + 3] = 255;
    }
  }
  const small = new OffscreenCanvas(n, n);
  small.getContext("2d").putImageData(image, 0, 0);
  c.drawImage(small, 0, 0, w, w);
}

function drawBand(c, w, { mean, lower, upper }) {
  const n = mean.length, x = (i) => ((i + 0.5) / n) * w, y = (v) => (1 - v) * w;
  c.fillStyle = "#cfe3f3";
  c.beginPath();
  upper.forEach((v, i) => c.lineTo(x(i), y(v)));
  for (let i = n - 1; i >= 0; i--) {
    c.lineTo(x(i), y(lower[i]));
  }
  c.fill();
  c.strokeStyle = "#0065a3";
  c.lineWidth = 4;
  c.beginPath();
  mean.forEach((v, i) => c.lineTo(x(i), y(v)));
  c.stroke();
}

// drawPoint marks a point by the colour and the shape of its class; -1 is none.
function drawPoint(c, x, y, k) {
  c.beginPath();
  if (k === 1) {
    c.rect(x - 6, y - 6, 12, 12);
  } else if (k === 2) {
    c.moveTo(x, y - 8);
    c.lineTo(x + 8, y + 6);
    c.lineTo(x - 8, y + 6);
    c.closePath();
  } else {
    c.arc(x, y, k < 0 ? 5 : 6.5, 0, 2 * Math.PI);
  }
  c.fillStyle = k < 0 ? "#1d2126" : `rgb(${colours[k]})`;
  c.fill();
  c.lineWidth = 2;
  c.strokeStyle = "#ffffff";
  c.stroke();
}
