// Shows how two worlds part: after a bit was flipped, or from the first difference of two logs.
import type { Parting } from "../messages";
import { element, setText } from "./dom";
import { exactPair } from "./numbers";

const LEFT = 58, RIGHT = 8, TOP = 8, BOTTOM = 22;

// Shows the progress. `name` is the name of the body that differs first. `ofLogs` is true for two
// logs.
export function showParting(parting: Parting, name: string, ofLogs: boolean): void {
  element("broken").hidden = false;
  setText(element("broken-title"), ofLogs ? "Two sessions" : "Break the session");
  element("broken-again").hidden = ofLogs;
  const { points, tick, first } = parting;
  const last = points[points.length - 1];
  const [a, b] = first ? exactPair(first.a, first.b) : ["", ""];
  const values = !first ? "" : ofLogs ? `: ${a} in a, ${b} in b` : `: ${a} became ${b}`;
  const where = first ? `, ${name}, ${first.field}` : "";
  setText(element("broken-text"), `The first difference: tick ${tick}${where}${values}. ` +
          `After ${points.length - 1} ticks ${describe(last)}.` +
          (ofLogs ? "" : " Press Play to see them part."));
  plot(element<HTMLCanvasElement>("plot"), points);
}

function describe({ distance, bodies }: Parting["points"][0]): string {
  const differ = `${bodies} ${bodies === 1 ? "body differs" : "bodies differ"}`;
  if (distance === 0) return `the positions are equal, and ${differ}`;
  return `the worlds are ${distance.toPrecision(3)} apart, and ${differ}`;
}

// Plots the distance on a logarithmic scale.
function plot(canvas: HTMLCanvasElement, points: Parting["points"]): void {
  const pen = canvas.getContext("2d")!;
  const { width, height } = canvas;
  const style = getComputedStyle(canvas);
  const logs = points.map(({ distance }) => Math.log10(distance));
  const finite = logs.filter(Number.isFinite);
  const low = Math.floor(Math.min(-1, ...finite)), high = Math.ceil(Math.max(low + 1, ...finite));
  const x = (i: number) => LEFT + i / Math.max(1, points.length - 1) * (width - LEFT - RIGHT);
  const y = (log: number) => TOP + (high - log) / (high - low) * (height - TOP - BOTTOM);
  pen.clearRect(0, 0, width, height);
  pen.font = "12px system-ui, sans-serif";
  pen.fillStyle = pen.strokeStyle = style.color;
  pen.globalAlpha = 0.25;
  const step = Math.max(1, Math.ceil((high - low) / 5));
  for (let log = high; log >= low; log -= step) pen.fillRect(LEFT, y(log), width - LEFT - RIGHT, 1);
  pen.globalAlpha = 1;
  for (let log = high; log >= low; log -= step) pen.fillText(`1e${log}`, 4, y(log) + 4);
  pen.fillText(`tick ${points[0].tick}`, LEFT, height - 6);
  const end = `${points[points.length - 1].tick}`;
  pen.fillText(end, width - RIGHT - pen.measureText(end).width, height - 6);
  pen.strokeStyle = "#d55e00";
  pen.lineWidth = 2;
  pen.beginPath();
  logs.forEach((log, i) => { if (Number.isFinite(log)) pen.lineTo(x(i), y(log)); });
  pen.stroke();
}
