// Learns points by live.wasm, beside the page. A message is a problem, {id, x, y, class, features, sigma, seed,
// fresh}; the answers are {ready} once, {id, frozen}, {id, tuned} after each step of tuning, and at the end {id,
// done}; or {error}. A new problem ends the one before. Tuned features go on from where they are, or, fresh, from
// the frozen ones.
"use strict";
importScripts("wasm_exec.js");

const side = 64; // of the grid of a surface
const level = 0.9; // of the band
const steps = [4, 12, 12, 12, 12, 12, 12]; // of tuning, in evaluations: short to be drawn soon, then long to get far

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
  postMessage({ ready: true });
}

// said throws what Go returned as an error.
function said(result) {
  if (result?.error) {
    throw new Error(result.error);
  }
  return result;
}

// draw fits a head and says what to draw.
function draw(problem, tuned) {
  return { ...said(problem.class ? bochner.surface(tuned, side) : bochner.band(tuned, side * 4, level)), side };
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
  said(bochner.set(problem));
  postMessage({ id, frozen: draw(problem, false) });
  for (const step of steps) {
    await new Promise((resolve) => setTimeout(resolve)); // and hear of new problems
    if (id !== latest) {
      return;
    }
    const { gain, evaluations } = said(bochner.tune(step));
    postMessage({ id, tuned: { ...draw(problem, true), evaluations } });
    if (gain < 1e-3 && step === steps[steps.length - 1]) {
      break; // a long step brought next to nothing
    }
  }
  postMessage({ id, done: true });
}
