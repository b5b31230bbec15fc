// Builds the page and the lab page: HTML, scripts, styles, icon and wasm modules, compressed, in
// one folder. Also builds the film, which is the page in one file.
// usage: node build.mjs [--wasm FILE] [--lab FILE] [--out FOLDER]. Without a lab page: --lab ""
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { filmOf } from "./film.mjs";
import "./structs.mjs";
import { smallThree } from "./three.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { values } = parseArgs({ options: {
  wasm: { type: "string", default: here("../../build/lib/orrery.wasm") },
  lab: { type: "string", default: here("../../build/lib/lab.wasm") },
  out: { type: "string", default: here("dist") },
} });

rmSync(values.out, { recursive: true, force: true });
mkdirSync(values.out, { recursive: true });

// Writes a compressed file, and returns its name. A hash of the content in the name lets browsers
// keep the file for ever. The format is gzip. Its packer zopfli needs seconds, and saves 4 % of the
// bytes.
function write(name, bytes, hashed = true) {
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  const full = hashed ? name.replace(".", `-${hash}.`) : name;
  writeFileSync(`${values.out}/${full}`, bytes);
  execFileSync("zopfli", [`${values.out}/${full}`]);
  rmSync(`${values.out}/${full}`);
  console.log(`${full}: ${bytes.length} bytes, ${packed(full).length} by gzip`);
  return full;
}

const packed = (name) => readFileSync(`${values.out}/${name}.gz`);

// Bundles a script with its imports. `define` replaces names by constants.
async function script(entry, define = {}) {
  const { outputFiles } = await build({
    entryPoints: [here(entry)], bundle: true, minify: true, write: false, format: "iife",
    target: "es2022", legalComments: "none", define, plugins: [smallThree],
    nodePaths: [here("node_modules")],
  });
  return outputFiles[0].contents;
}

const wasm = write("orrery.wasm", readFileSync(values.wasm));
const worker = write("worker.js", await script("src/worker.ts"));
const files = { WASM_FILE: JSON.stringify(wasm), WORKER_FILE: JSON.stringify(worker) };
const page = write("page.js", await script("src/main.ts", files));
const styleText = readFileSync(here("src/style.css"));
const style = write("style.css", styleText);
const iconText = readFileSync(here("src/icon.svg"));
const icon = write("icon.svg", iconText);
const source = readFileSync(here("src/index.html"), "utf8");
const html = values.lab ? source : source.replace(/ *<a href="lab.html">.*\n/, "");
write("index.html", Buffer.from(html.replace("style.css", style).replace("page.js", page)
  .replace("icon.svg", icon)), false);
const start = Buffer.from(await script("src/film/start.ts")).toString().trim();
const film = filmOf({ html: source, style: styleText, icon: iconText, page: packed(page),
                      worker: packed(worker), module: packed(wasm), start });
writeFileSync(`${values.out}/film.html`, film);
console.log(`film.html: ${film.length} bytes`);

if (values.lab) {
  const labFiles = { LAB_FILE: JSON.stringify(write("lab.wasm", readFileSync(values.lab))) };
  const lab = write("lab.js", await script("../lab/page/lab.ts", labFiles));
  const labStyle = write("lab.css", Buffer.concat(
    ["node_modules/uplot/dist/uPlot.min.css", "../lab/page/lab.css"].map((path) =>
      readFileSync(here(path)))));
  write("lab.html", Buffer.from(readFileSync(here("../lab/page/lab.html"), "utf8")
    .replace("lab.css", labStyle).replace("lab.js", lab).replace("icon.svg", icon)), false);
}
