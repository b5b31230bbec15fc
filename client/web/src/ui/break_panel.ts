// Shows how two worlds part after a bit was flipped.
import type { Broken } from "../messages";
import { element, setText } from "./dom";

const LEFT = 58, RIGHT = 8, TOP = 8, BOTTOM = 22;

// Shows the progress. `name` is the name of the body.
export function showBroken(broken: Broken, name: string): void {
  element("broken").hidden = false;
  const { points, tick, field, before, after } = broken;
  const last = points[points.length - 1];
  const far = last.distance === 0 ? "the positions are equal"
    : `the worlds are ${last.distance.toPrecision(3)} apart, and ${last.bodies} ` +
      `${last.bodies === 1 ? "body differs" : "bodies differ"}`;
  setText(element("broken-text"),
          `The first difference: tick ${tick}, ${name}, ${field}: ${before} became ${after}. ` +
          `After ${points.length - 1} ticks ${far}.`);
  plot(element<HTMLCanvasElement>("plot"), points);
}

// Plots the distance on a logarithmic scale.
function plot(canvas: HTMLCanvasElement, points: Broken["points"]): void {
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
