// Learns points by live.wasm, beside the page. A message is a problem, {id, x, y, class, features, sigma, seed, fresh}; the
// answers are {id, ready}, {id, frozen} and, once before the first step of tuning and once after each, {id, tuned}, and at
// the end {id, done}; or {error}. A new problem ends the one before.
"use strict";
importScripts("wasm_exec.js");

const side = 64; // of the grid of a surface
const level = 0.9; // of the band
const steps = [4, 12, 12, 12, 12, 12, 12]; // of tuning, in evaluations: the first soon, the later ones better for being long

let latest = 0, waiting = null;
const ready = start();
ready.catch((e) => postMessage({ error: e.message }));

async function start() {
  const response = await fetch("live.wasm").catch(() => ({}));
  if (!response.ok) {
    throw new Error("live.wasm is missing. Build the page again: go run ./examples/browser -build FOLDER");
  }
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), go.importObject);
  await new Promise((resolve) => {
    globalThis.bochnerReady = resolve;
    go.run(instance);
  });
}

// said throws what Go returned as an error.
function said(result) {
  if (result?.error) {
    throw new Error(result.error);
  }
  return result;
}

// draw fits a head and says what to draw, and the milliseconds of that and of what went before.
function draw(problem, tuned, from) {
  const drawn = problem.class ? said(bochner.surface(tuned, side)) : said(bochner.band(tuned, side * 4, level));
  return { ...drawn, side, ms: performance.now() - from };
}

onmessage = async ({ data }) => {
  latest = data.id;
  waiting = { ...data, fresh: data.fresh || waiting?.fresh === true };
  await ready;
  if (data.id !== latest) {
    return;
  }
  const problem = waiting;
  waiting = null;
  try {
    await learn(problem);
  } catch (e) {
    postMessage({ id: problem.id, error: e.message });
  }
};

async function learn(problem) {
  const { id } = problem;
  let from = performance.now();
  said(bochner.set(problem));
  postMessage({ id, frozen: draw(problem, false, from) });
  if (problem.fresh) {
    postMessage({ id, tuned: { ...draw(problem, true, performance.now()), evaluations: 0 } });
  }
  for (const step of steps) {
    await new Promise((resolve) => setTimeout(resolve));
    if (id !== latest) {
      return;
    }
    from = performance.now();
    const { gain, evaluations } = said(bochner.tune(step));
    postMessage({ id, tuned: { ...draw(problem, true, from), evaluations } });
    if (gain < 1e-3 && step === steps[steps.length - 1]) {
      break; // a long step brought next to nothing
    }
  }
  postMessage({ id, done: true });
}
