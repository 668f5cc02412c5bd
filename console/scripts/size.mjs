// Fails when the JavaScript that the first page loads is over the budget (kB, gzipped).
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET = 300;
const out = new URL("../../src/starforge/server/static/", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", out), "utf8"));
const entry = Object.values(manifest).find((chunk) => chunk.isEntry);
const files = new Set();

function collect(chunk) {
  if (files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const name of chunk.imports ?? []) collect(manifest[name]);
}

collect(entry);
let bytes = 0;
for (const file of files) bytes += gzipSync(readFileSync(new URL(file, out))).length;
const size = (bytes / 1000).toFixed(0);
console.log(
  `first load: ${size} kB of JavaScript gzipped in ${files.size} files (budget ${BUDGET})`,
);
if (bytes > BUDGET * 1000) process.exit(1);
