// Plots energy and momentum under the time line, and shows their values at the tick.
import type { Frame, LogFacts, Point } from "../messages";
import type { Totals } from "../world";
import { element, fillList, setText } from "./dom";
import { colourOf, penOf, placeOf, tickAt, visible } from "./line_scale";
import { rough, short } from "./numbers";

const TOP = 16, BOTTOM = 5;
const FLAT = 1e-9;  // a smaller relative change is drawn as none

// Names ticks: all of a few, or the number of them.
function some(ticks: number[]): string {
  if (ticks.length > 4) return `${ticks.length} ticks from ${ticks[0]} to ${ticks.at(-1)}`;
  return `tick${ticks.length > 1 ? "s" : ""} ${ticks.join(", ")}`;
}

type Quantity = "energy" | "momentum";

export class Plot {
  private readonly canvas = element<HTMLCanvasElement>("sums");
  private readonly cursor = element("cursor");
  private points: Point[][] = [[], []];  // of each log
  private last = 0;
  private sparse = false;  // points are of checkpoints only
  private tick = 0;
  private units = { energy: "", momentum: "", angular: "" };
  private totals: (Totals | null)[] = [];

  constructor(seek: (tick: number, dragging: boolean) => void) {
    const at = ({ clientX }: PointerEvent) => tickAt(
      clientX - this.canvas.getBoundingClientRect().left, this.last, this.canvas.clientWidth);
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.canvas.setPointerCapture(event.pointerId);
      seek(at(event), true);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (this.canvas.hasPointerCapture(event.pointerId)) seek(at(event), true);
    });
    this.canvas.addEventListener("lostpointercapture", (event) => seek(at(event), false));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  // Shows an empty plot for a log, or hides it.
  open(log: LogFacts | null): void {
    element("history").hidden = log === null;
    this.last = log?.last ?? 0;
    this.sparse = log?.otherRules ?? false;
    const inSi = log?.inSi ?? true;
    this.points = [[], []];
    this.note("");
    this.totals = [];
    this.units = inSi ? { energy: " J", momentum: " kg m/s", angular: " kg m²/s" }
      : { energy: "", momentum: "", angular: "" };
    fillList(element("totals"), []);
    this.draw();
  }

  // `done`: these are the last points of the log.
  add(points: Point[], second: boolean, done: boolean): void {
    this.points[Number(second)].push(...points);
    this.draw();
    if (!done || !this.sparse || second) return;
    const ticks = this.points[0].map(({ tick }) => tick);
    this.note(ticks.length > 0 ? `Other rules: only the states of ${some(ticks)} can be read`
      : "Other rules: no state of this log can be read, so it has no energy and momentum");
  }

  private note(text: string): void {
    setText(element("sums-note"), text);
    element("sums-note").hidden = text === "";
    element("sums").parentElement!.hidden = text !== "" && this.points[0].length === 0;
  }

  // Shows the tick and the sums of a frame.
  show(frame: Frame): void {
    this.tick = frame.tick;
    this.placeCursor();
    const megabytes = (bytes: number) => Math.ceil(bytes / (1 << 20));
    const { bytes, bytesMax } = frame.memory ?? { bytes: 0, bytesMax: 0 };
    setText(element("memory"), `Memory ${megabytes(bytes)} of ${megabytes(bytesMax)} MB`);
    if (!frame.totals && !frame.second?.totals) return;
    this.totals = [frame, frame.second].map((side, i) => side?.totals ?? this.totals[i] ?? null);
    const row = (value: (totals: Totals) => number, unit: string) =>
      this.totals.filter((totals) => totals !== null).map((totals) => short(value(totals)))
        .join(" and ") + unit;
    const { energy, momentum, angular } = this.units;
    fillList(element("totals"), [
      ["Energy", row((totals) => totals.energy, energy)],
      ["Momentum", row((totals) => Math.hypot(...totals.momentum), momentum)],
      ["Angular momentum", row((totals) => Math.hypot(...totals.angular_momentum), angular)],
    ], true);
  }

  private placeCursor(): void {
    const x = placeOf(this.tick, this.last, this.canvas.clientWidth);
    this.cursor.style.transform = `translateX(${x}px)`;
  }

  private draw(): void {
    if (this.canvas.clientWidth === 0) return;
    const pen = penOf(this.canvas);
    pen.font = "11px system-ui, sans-serif";
    this.curve(pen, "energy", "left");
    this.curve(pen, "momentum", "right");
    this.placeCursor();
  }

  // Draws a quantity of both logs with its range.
  private curve(pen: CanvasRenderingContext2D, name: Quantity, side: "left" | "right"): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    let low = Infinity, high = -Infinity;
    for (const points of this.points) {
      for (const point of points) {
        low = Math.min(low, point[name]);
        high = Math.max(high, point[name]);
      }
    }
    if (low > high) return;
    const range = high - low > FLAT * Math.max(Math.abs(low), Math.abs(high)) ? high - low : 0;
    const y = (value: number) => range === 0 ? height / 2
      : TOP + (high - value) / range * (height - TOP - BOTTOM);
    pen.strokeStyle = pen.fillStyle = colourOf(`--${name}`);
    pen.lineWidth = 1.5;
    this.points.forEach((points, second) => {
      pen.setLineDash(second ? [4, 3] : []);
      pen.beginPath();
      const places = points.map((point): [number, number] =>
        [placeOf(point.tick, this.last, width), y(point[name])]);
      for (const place of visible(places)) pen.lineTo(...place);
      pen.stroke();
      for (const [left, top] of this.sparse ? places : []) pen.fillRect(left - 2, top - 2, 4, 4);
    });
    const unit = this.units[name];
    pen.textAlign = side;
    const digits = rough(low) === rough(high) ? short : rough;
    const text = digits(low) === digits(high) ? digits(high) : `${digits(low)} to ${digits(high)}`;
    pen.fillText(`${name} ${text}${unit}`, side === "left" ? 8 : width - 8, 11);
  }
}
