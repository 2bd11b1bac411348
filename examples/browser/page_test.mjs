// Tests the page in Chromium, as a reader uses it:
//
//	npm ci --ignore-scripts --prefix train/onnx/testdata/node
//	go run ./examples/browser -build page
//	node examples/browser/page_test.mjs page [PICTURES]
//
// It exits with 1 where something is wrong, and puts pictures of the tabs in the folder PICTURES. CHROMIUM names
// the browser.
import assert from "node:assert/strict";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const here = import.meta.dirname;
const { chromium } = createRequire(path.join(here, "../../train/onnx/testdata/node/package.json"))("playwright-core");
const [folder, pictures] = process.argv.slice(2);
const browserPath = process.env.CHROMIUM || "/usr/bin/chromium";
const limit = 480_000; // of everything; a page waits at most so long for one thing:
const patience = 90_000;

// Digits as a hand draws them, in a square of 100, stroke by stroke. The program that makes digits does not know them.
const hand = [
  [[60, 12], [42, 13], [29, 28], [25, 50], [29, 72], [43, 86], [60, 84], [72, 67], [75, 46], [70, 24], [58, 12]],
  [[40, 28], [50, 14], [51, 50], [50, 86]],
  [[28, 30], [34, 17], [50, 11], [66, 17], [69, 32], [60, 48], [44, 65], [29, 84], [50, 84], [73, 83]],
  [[30, 18], [46, 11], [63, 17], [66, 31], [57, 44], [43, 48], [60, 52], [70, 64], [66, 80], [49, 88], [30, 81]],
  [[[36, 12], [31, 34], [27, 55], [50, 54], [76, 52]], [[61, 34], [60, 60], [59, 88]]],
  [[70, 13], [36, 14], [33, 44], [50, 39], [66, 47], [70, 65], [60, 82], [44, 87], [28, 81]],
  [[62, 12], [44, 26], [32, 48], [29, 68], [38, 85], [56, 87], [68, 76], [66, 61], [53, 54], [38, 60], [30, 71]],
  [[27, 16], [50, 15], [73, 14], [62, 38], [51, 62], [43, 87]],
  [[66, 22], [52, 12], [36, 18], [35, 32], [50, 45], [65, 58], [69, 74], [57, 87], [40, 86], [31, 73], [38, 58], [54, 44], [66, 30], [66, 20]],
  [[68, 28], [56, 13], [38, 17], [31, 33], [40, 47], [56, 46], [68, 28], [68, 50], [65, 70], [62, 88]],
].map((digit) => (Array.isArray(digit[0][0]) ? digit : [digit]));

const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json" };
const server = http.createServer((request, response) => {
  const name = new URL(request.url, "http://page").pathname.slice(1) || "index.html";
  const file = path.join(folder, path.basename(name));
  if (!fs.existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": types[path.extname(file)] || "application/octet-stream" });
  fs.createReadStream(file).pipe(response);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath: browserPath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
const watch = setTimeout(() => {
  console.error(`not done after ${limit / 1000} s`);
  browser.close().finally(() => process.exit(1));
}, limit);

// open is a new page, whose errors and requests are kept.
async function open(hash = "", options = {}, before = async () => {}) {
  const context = await browser.newContext({ viewport: { width: 1000, height: 860 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const heard = { errors: [], elsewhere: [] };
  page.on("console", (m) => m.type() === "error" && heard.errors.push(m.text()));
  page.on("pageerror", (e) => heard.errors.push(String(e)));
  page.on("request", (r) => !r.url().startsWith(origin) && !r.url().startsWith("data:") && heard.elsewhere.push(r.url()));
  await before(page);
  await page.goto(hash.startsWith("file:") ? hash : `${origin}/${hash}`);
  const close = async () => {
    assert.deepEqual(heard, { errors: [], elsewhere: [] });
    await context.close();
  };
  return { page, context, close };
}

// draw moves the mouse along a digit.
async function draw(page, digit) {
  const box = await page.locator("#paper").boundingBox();
  const at = ([x, y]) => [box.x + (x / 100) * box.width, box.y + (y / 100) * box.height];
  for (const line of digit) {
    await page.mouse.move(...at(line[0]));
    await page.mouse.down();
    for (const p of line.slice(1)) {
      await page.mouse.move(...at(p), { steps: 3 });
    }
    await page.mouse.up();
  }
}

const text = (page, id) => page.locator(id).textContent();
const heard = (page, words) => page.waitForFunction((w) => document.getElementById("answer").textContent.startsWith(w), words);
const numbers = (s) => s.match(/\d+(\.\d+)?/g).map(Number);

// lowContrast lists the texts of a page whose contrast with what is behind them is below 4.5, by WCAG 2's formula.
const lowContrast = (page) => page.evaluate(() => {
  const channels = (s) => s.match(/[\d.]+/g).map(Number);
  const luminance = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = channels(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) {
        return c;
      }
    }
    return [255, 255, 255];
  };
  const low = [];
  let looked = 0;
  for (const e of document.body.querySelectorAll("*")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== "");
    if (!own || e.getClientRects().length === 0) {
      continue;
    }
    looked++;
    const [a, b] = [luminance(channels(getComputedStyle(e).color)), luminance(behind(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) {
      low.push(`${e.tagName} ${e.textContent.trim().slice(0, 30)}: ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
    }
  }
  return { low, looked };
});

async function readable(page) {
  const { low, looked } = await lowContrast(page);
  assert.ok(looked > 10, `${looked} texts`);
  assert.deepEqual(low, []);
}

// fits wants nothing to be wider than the window.
async function fits(page) {
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= window, `the page is ${wide} wide in a window of ${window}`);
}

async function picture(page, name) {
  if (pictures) {
    await page.mouse.move(1, 1);
    await page.locator("body").screenshot({ path: path.join(pictures, name) });
  }
}

const tests = {
  async "ten digits are drawn and recognised"() {
    const { page, close } = await open();
    await heard(page, "Draw a digit");
    console.log(`   model ready ${await page.locator("#digits").getAttribute("data-ready")} ms after the page was opened`);
    for (const [d, digit] of hand.entries()) {
      await draw(page, digit);
      await heard(page, "This is a").catch(() => {});
      const bars = (await page.locator("#bars li > span:last-child").allTextContents()).map((s) => numbers(s)[0]);
      assert.match(await text(page, "#answer"), new RegExp(`^This is a ${d}: `), `the digit ${d}: ${bars}`);
      assert.equal(bars.length, 10);
      assert.ok(Math.abs(bars.reduce((a, b) => a + b) - 100) < 0.6, `${bars}`);
      assert.equal(bars.indexOf(Math.max(...bars)), d);
      console.log(`   ${await text(page, "#answer")}, ${await page.locator("#answer").getAttribute("data-ms")} ms`);
      if (d === 3) {
        await readable(page);
        await picture(page, "digits.png");
      }
      await page.getByRole("button", { name: "Clear" }).click();
      await heard(page, "Draw a digit");
    }
    await draw(page, hand[7]);
    await heard(page, "This is a 7");
    await page.getByRole("button", { name: "Undo stroke" }).click();
    await heard(page, "Draw a digit");
    await close();
  },

  async "keys do all that the mouse does"() {
    const { page, close } = await open();
    await heard(page, "Draw a digit");
    await page.getByRole("application", { name: "Drawing area for a digit" }).focus();
    await page.keyboard.press("Space");
    for (let i = 0; i < 10; i++) {
      await page.keyboard.press("ArrowDown");
    }
    await page.keyboard.press("Space");
    await heard(page, "This is a 1");
    await page.keyboard.press("Delete");
    await heard(page, "Draw a digit");

    const tabs = page.getByRole("tab");
    await tabs.first().focus();
    await page.keyboard.press("ArrowRight");
    assert.deepEqual(await tabs.evaluateAll((all) => all.map((t) => [t.getAttribute("aria-selected"), t.tabIndex, t === document.activeElement])),
      [["false", -1, false], ["true", 0, true]]);
    assert.equal(await page.getByRole("tabpanel").getAttribute("id"), "points");
    await page.keyboard.press("Home");
    assert.equal(await page.getByRole("tabpanel").getAttribute("id"), "digits");
    await page.keyboard.press("ArrowLeft");
    await done(page, 500);
    await page.locator("#tuned").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Space");
    await done(page, 501);
    await page.keyboard.press("Backspace");
    await done(page, 500);
    await close();
  },

  async "points are learned, frozen and tuned"() {
    const { page, close } = await open("#points");
    const started = Date.now();
    const [frozen, tuned] = await done(page, 500);
    console.log(`   ${await text(page, "#status")} ${Date.now() - started} ms after the page was opened`);
    assert.ok(tuned > frozen && tuned > 93, `${frozen} % and ${tuned} %`);
    await readable(page);
    await page.locator("#frozen").click({ position: { x: 30, y: 30 } });
    console.log(`   after a click: ${await done(page, 501)} % right, ${await text(page, "#status")}`);
    await picture(page, "points.png");
    for (const id of ["frozen", "tuned"]) {
      const [colours, coloured] = await page.locator(`#${id}`).evaluate((c) => {
        const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, seen = {};
        let coloured = 0;
        for (let i = 0; i < d.length; i += 4) {
          const key = [d[i], d[i + 1], d[i + 2]].join();
          seen[key] = (seen[key] || 0) + 1;
          coloured += key !== "255,255,255";
        }
        return [["0,101,163", "184,74,0", "0,113,79"].map((k) => seen[k] || 0), coloured / (d.length / 4)];
      });
      assert.ok(colours.every((n) => n > 1000), `${id}: pixels of the points: ${colours}`);
      assert.ok(coloured > 0.8, `${id}: ${coloured} of the surface has a colour`);
    }

    await page.getByRole("radio", { name: "a curve with its band" }).check();
    const [drawn, moved] = await done(page, 150);
    console.log(`   ${await text(page, "#status")}`);
    assert.ok(moved < drawn, `errors ${drawn} and ${moved}`);
    assert.ok(await page.locator("#tuned").evaluate((c) => {
      const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
      let band = 0;
      for (let i = 0; i < d.length; i += 4) {
        band += d[i] === 207 && d[i + 1] === 227 && d[i + 2] === 243;
      }
      return band > 1000;
    }), "no band");
    await readable(page);
    await picture(page, "curve.png");

    await page.getByRole("combobox", { name: /^Features/ }).selectOption("8");
    const [, few] = await done(page, 150);
    assert.ok(few >= moved, `8 features: ${few}, 24: ${moved}`);
    await page.getByRole("button", { name: "Remove all" }).click();
    await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("Set three points"));
    await page.getByRole("radio", { name: "classes", exact: true }).check();
    await page.getByRole("button", { name: "Remove all" }).click();
    for (const x of [50, 100, 150]) {
      await page.locator("#tuned").click({ position: { x, y: 100 } });
    }
    await page.waitForFunction(() => document.getElementById("status").textContent.startsWith("all points are of one class"));
    await page.getByRole("radio", { name: "B", exact: true }).check();
    await page.locator("#tuned").click({ position: { x: 200, y: 200 } });
    await done(page, 4);
    await close();
  },

  async "a telephone, and less motion"() {
    const { page, close } = await open("", { viewport: { width: 360, height: 740 }, reducedMotion: "reduce", hasTouch: true });
    await heard(page, "Draw a digit");
    await fits(page);
    assert.equal(await page.locator(".bar").first().evaluate((b) => getComputedStyle(b).transitionDuration), "0s");
    await page.getByRole("tab", { name: "Features that learn" }).tap();
    const [frozen, tuned] = await done(page, 500);
    assert.ok(tuned > frozen);
    await fits(page);
    await readable(page);
    await close();
  },

  async "what keeps the page from working is said"() {
    for (const [name, hash, words] of [
      ["model.onnx", "", /^model\.onnx is missing\. Build the page again/],
      ["ort.wasm.bundle.min.mjs", "", /^ort\.wasm\.bundle\.min\.mjs, the ONNX Runtime, is missing/],
      ["ort-wasm-simd-threaded.wasm", "", /^The model cannot be loaded: /],
      ["live.wasm", "#points", /^live\.wasm is missing\. Build the page again/],
      ["learn.worker.js", "#points", /^learn\.worker\.js could not start/],
    ]) {
      await trouble(words, hash, (page) => page.route(`**/${name}`, (route) => route.fulfill({ status: 404, body: "" })));
    }
    await trouble(/^This browser does not run WebAssembly/, "", (page) => page.addInitScript(() => delete globalThis.WebAssembly));
    await trouble(/^A browser does not let a page that is opened as a file/, pathToFileURL(path.resolve(folder, "index.html")).href);
  },
};

// trouble opens a page that cannot work, and wants it to say why.
async function trouble(words, hash, before) {
  const { page, context } = await open(hash, {}, before);
  await page.locator("#problem").waitFor();
  assert.match(await text(page, "#problem"), words);
  await context.close();
}

// done waits until so many points are learned, and returns what is said of frozen and of tuned features.
async function done(page, points) {
  await page.waitForFunction((n) => document.getElementById("status").textContent.startsWith(`${n} points. `), points);
  const [, , frozen, tuned] = (await text(page, "#status")).match(/^(\d+) points\. Frozen: \D*([\d.]+).*Tuned: \D*([\d.]+)/).map(Number);
  return [frozen, tuned];
}

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  const from = Date.now();
  try {
    await test();
    console.log(`ok ${name}, ${((Date.now() - from) / 1000).toFixed(1)} s`);
  } catch (e) {
    failed++;
    console.error(`FAILED ${name}: ${e.stack}`);
  }
}
clearTimeout(watch);
await browser.close();
server.close();
process.exitCode = failed > 0 ? 1 : 0;
