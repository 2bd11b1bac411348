// The tabs. What a tab needs is loaded when it is first shown.
import { startDigits } from "./digits.js";
import { startPoints } from "./points.js";

const tabs = [...document.querySelectorAll("[role=tab]")];
const starts = { digits: startDigits, points: startPoints };

function show(tab) {
  for (const t of tabs) {
    const on = t === tab, id = t.getAttribute("aria-controls");
    t.setAttribute("aria-selected", String(on));
    t.tabIndex = on ? 0 : -1;
    document.getElementById(id).hidden = !on;
    if (on && starts[id]) {
      const start = starts[id];
      delete starts[id];
      start().catch((e) => globalThis.problem(e.message));
    }
  }
}

const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
tabs.forEach((tab, i) => {
  tab.addEventListener("click", () => show(tab));
  tab.addEventListener("keydown", (e) => {
    let to = { Home: 0, End: tabs.length - 1 }[e.key];
    if (e.key in moves) {
      to = (i + moves[e.key] + tabs.length) % tabs.length;
    }
    if (to !== undefined) {
      e.preventDefault();
      tabs[to].focus();
      show(tabs[to]);
    }
  });
});
show(tabs[location.hash === "#points" ? 1 : 0]);
