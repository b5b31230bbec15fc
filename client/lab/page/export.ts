// Saves the curves as CSV, and the diagrams as one PNG.
import { styleColour } from "./chart";
import type { Charts } from "./charts";
import { csvOf } from "./command";
import type { Runs } from "./runs";

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveCsv(runs: Runs, name: string): void {
  const done = runs.runs.flatMap(({ label, choice, rows }) =>
    rows ? [{ label, choice, rows }] : []);
  if (done.length > 0) save(new Blob([csvOf(done)], { type: "text/csv" }), `${name}.csv`);
}

// Draws the four diagrams in two rows, with their titles and a legend.
export function savePng(charts: Charts, runs: Runs, name: string, colours: string[]): void {
  const parts = charts.all.filter(({ canvas }) => canvas);
  const scale = devicePixelRatio;
  const width = Math.max(...parts.map(({ canvas }) => canvas!.width));
  const height = Math.max(...parts.map(({ canvas }) => canvas!.height));
  const head = 30 * scale, legend = 34 * scale;
  const sheet = document.createElement("canvas");
  sheet.width = 2 * width;
  sheet.height = legend + 2 * (height + head);
  const context = sheet.getContext("2d")!;
  context.fillStyle = styleColour("--paper");
  context.fillRect(0, 0, sheet.width, sheet.height);
  context.font = `${14 * scale}px system-ui, sans-serif`;
  let x = 12 * scale;
  const named: [string, string][] = [["exact", styleColour("--exact")],
                                     ...runs.runs.map(({ label }, i): [string, string] =>
                                       [label, colours[i]])];
  for (const [label, colour] of named) {
    context.fillStyle = colour;
    context.fillRect(x, 18 * scale, 22 * scale, 3 * scale);
    context.fillStyle = styleColour("--text");
    context.fillText(label, x + 28 * scale, 24 * scale);
    x += 28 * scale + context.measureText(label).width + 20 * scale;
  }
  parts.forEach(({ canvas, title }, i) => {
    const [left, top] = [(i % 2) * width, legend + Math.floor(i / 2) * (height + head)];
    context.fillStyle = styleColour("--text");
    context.fillText(title, left + 12 * scale, top + 20 * scale);
    context.drawImage(canvas!, left, top + head);
  });
  sheet.toBlob((blob) => { if (blob) save(blob, `${name}.png`); });
}
