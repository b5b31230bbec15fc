// Shows errors to the person, as one sentence each.
import { element } from "./dom";

const SHOWN_MS = 8000;
let timer = 0;

// Shows a problem: for some seconds, or for ever.
export function showProblem(text: string, stays = false): void {
  const notice = element("notice");
  const start = /^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() : text.charAt(0);
  const end = /[.?!]$/.test(text) ? "" : ".";
  notice.textContent = start + text.slice(1) + end;
  notice.hidden = false;
  clearTimeout(timer);
  if (!stays) timer = window.setTimeout(() => { notice.hidden = true; }, SHOWN_MS);
}

// Returns why this browser cannot run the module, or null.
export function missingFeature(): string | null {
  // A module with one function that uses an instruction of SIMD.
  const simd = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10,
                               10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);
  if (typeof WebAssembly !== "object" || !WebAssembly.validate(simd)) {
    return "this browser has no WebAssembly with SIMD. Use a browser from 2023 or later";
  }
  return null;
}
