// Starts a film: unpacks the script, the worker and the module of the page, and runs the script.
import { element } from "../ui/dom";
import { showProblem } from "../ui/notice";
import { fromBase64, textOf, type Film } from "./film";

async function unpack(name: string): Promise<ArrayBuffer> {
  const packed = new Blob([fromBase64(textOf(name))]).stream();
  return new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function script(name: string): Promise<string> {
  return URL.createObjectURL(new Blob([await unpack(name)], { type: "text/javascript" }));
}

async function start(): Promise<void> {
  element("state").textContent = "Opening";
  const film: Film = { worker: await script("worker"), module: await unpack("module") };
  Object.assign(window, { orreryFilm: film });
  const page = document.createElement("script");
  page.src = await script("page");
  document.body.append(page);
}

if (typeof DecompressionStream === "undefined") {
  showProblem("this browser is too old for this file. Use a browser from 2023 or later", true);
} else {
  start().catch(() => showProblem("this file is damaged", true));
}
