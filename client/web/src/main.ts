// Starts the page and its worker.
import type { ToWorker } from "./messages";
import { Page } from "./page";
import { takeToken } from "./ui/admission";
import { serverOf } from "./ui/link";
import { missingFeature, showProblem } from "./ui/notice";

declare const WASM_FILE: string;
declare const WORKER_FILE: string;

// Starts the worker, and makes the page when it runs: WebGL keeps this thread busy, and would hold
// the worker back. A token is sent after that, because it admits once: a browser without WebGL does
// not use it up.
function start(token: ArrayBuffer | null): void {
  const film = window.orreryFilm;
  const worker = new Worker(film?.worker ?? WORKER_FILE);
  worker.onerror = (event) => showProblem(
    `the worker failed: ${event.message || "it could not be loaded"}`, true);
  worker.onmessage = () => {
    try {
      Object.assign(window, { orrery: new Page(worker, token) });  // the name is for tests
    } catch (error) {
      worker.terminate();
      showProblem((error as Error).message, true);
      throw error;
    }
  };
  const module = film?.module ?? new URL(WASM_FILE, location.href).href;
  const server = film ? null : serverOf(location.href);
  const message: ToWorker = { kind: "start", module, server, waits: token !== null };
  worker.postMessage(message, film ? [film.module] : []);
}

const token = takeToken();  // at once, also if nothing can be shown
const missing = missingFeature();
if (missing) showProblem(missing, true);
else start(token);
