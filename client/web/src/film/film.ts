// Finds the parts of a film: the page in one file, with its logs.
import type { LogFiles } from "../messages";

// The parts that are unpacked before the page runs.
export type Film = { worker: string, module: ArrayBuffer };

declare global {
  interface Window { orreryFilm?: Film }
}

const blocks = (name: string): NodeListOf<HTMLElement> =>
  document.querySelectorAll<HTMLElement>(`script[type="application/x-orrery-${name}"]`);

// Returns the text of a block of the file. Throws if there is none.
export function textOf(name: string): string {
  const [found] = blocks(name);
  if (!found) throw new Error(`the file has no ${name}`);
  return found.textContent!;
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);  // Uint8Array.from() takes twenty times as long
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

// Returns the tick that the film asks to show, or null.
export function filmTick(): number | null {
  const { tick } = blocks("log")[0]?.dataset ?? {};
  return tick === undefined ? null : Number(tick);
}

// Returns the logs of the film, in the order of the file. Throws an Error with a sentence for the
// person if a block is damaged.
export function filmLogs(): LogFiles[] {
  const logs: LogFiles[] = [];
  for (const { dataset, textContent } of blocks("log")) {
    const log = logs[Number(dataset.log)] ??= { name: dataset.name!, parts: [] };
    try {
      log.parts.push(fromBase64(textContent!).buffer);
    } catch {
      throw new Error("the log in this file is damaged");
    }
  }
  return logs;
}
