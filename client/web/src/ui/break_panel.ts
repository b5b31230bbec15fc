// Shows how two worlds part: after a bit was flipped, or from the first difference of two logs.
import type { Parting } from "../messages";
import { element, setText } from "./dom";
import { exactPair } from "./numbers";

const LEFT = 58, RIGHT = 8, TOP = 8, BOTTOM = 22;

// Shows the progress. `name` is the name of the body that differs first. `ofLogs` is true for two
// logs. `unit` is " m", or empty if the scene has its own units.
export function showParting(parting: Parting, name: string, ofLogs: boolean, unit: string): void {
  element("broken").hidden = false;
  setText(element("broken-title"), ofLogs ? "Two sessions" : "Break the session");
  element("broken-again").hidden = ofLogs;
  const { points, tick, first } = parting;
  const start = ofLogs || !first ? differenceText(tick, first, name)
    : flipText(tick, first, name, element<HTMLInputElement>("bit").value);
  setText(element("broken-text"), `${start}. After ${points.length - 1} ticks ` +
          `${describe(points[points.length - 1], unit)}.` +
          (ofLogs ? "" : " Press Play to see them part."));
  plot(element<HTMLCanvasElement>("plot"), points);
}

function differenceText(tick: number, first: Parting["first"], name: string): string {
  if (!first) return `The first difference: tick ${tick}`;
  const [a, b] = exactPair(first.a, first.b);
  return `The first difference: tick ${tick}, ${name}, ${first.field}: ${a} in a, ${b} in b`;
}

function flipText(tick: number, first: NonNullable<Parting["first"]>, name: string,
                  bit: string): string {
  const [a, b] = exactPair(first.a, first.b);
  return `Bit ${bit} of ${first.field} of ${name} was flipped in tick ${tick}: ${a} became ${b}`;
}

function describe({ distance, bodies }: Parting["points"][0], unit: string): string {
  const differ = `${bodies} ${bodies === 1 ? "body differs" : "bodies differ"}`;
  if (distance === 0) return `the positions are equal, and ${differ}`;
  return `the worlds are up to ${distance.toPrecision(3)}${unit} apart, and ${differ}`;
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
