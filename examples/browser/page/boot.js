// Says on the page what would keep it from working. It is no module: a browser does not load modules from a file.
"use strict";

function problem(text) {
  const p = document.getElementById("problem");
  if (p.hidden) { // the first says why the others follow
    p.textContent = text;
    p.hidden = false;
  }
}

if (location.protocol === "file:") {
  problem("A browser does not let a page that is opened as a file load its model. Serve this folder, for instance by: " +
    "go run ./examples/browser -build FOLDER -serve 127.0.0.1:8080");
} else if (typeof WebAssembly !== "object") {
  problem("This browser does not run WebAssembly, which the model and the learning need. Use a current browser, or allow WebAssembly in its settings.");
}
