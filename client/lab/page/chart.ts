// One diagram: curves with any abscissas, drawn by uPlot.
import uPlot from "uplot";

export type Curve = {
  label: string, colour: string, dash: number[], width: number,
  xs: ArrayLike<number>, ys: ArrayLike<number>,
  dots: boolean,  // marks each point
};
export type Axis = { label: string, logarithmic?: boolean, range?: [number, number] };
export type Mark = { x: number, y: number, colour: string };  // filled dot: the present step
export type ChartData = {
  curves: Curve[], x: Axis, y: Axis,
  marks: Mark[],
  empty: string,  // a sentence if there is nothing to draw
};

const DOTS_MAX = 70;  // more would hide the line
const MARGIN = 0.04;

// Returns the smallest and largest finite values, with a margin.
function rangeOf(axis: Axis, values: ArrayLike<number>[]): [number, number] {
  if (axis.range) return axis.range;
  let low = Infinity, high = -Infinity;
  for (const list of values) {
    for (let i = 0; i < list.length; ++i) {
      const value = list[i];
      if (!Number.isFinite(value) || axis.logarithmic && value <= 0) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) return axis.logarithmic ? [1e-3, 1] : [0, 1];
  if (axis.logarithmic) return [low / 1.5, high * 1.5];
  // A range that is only rounding gets numbers that differ on the axis.
  const pad = Math.max((high - low) * MARGIN, Math.abs(high) * 1e-6, 1e-12);
  return [low - pad, high + pad];
}

// Returns the colour of a custom property of the styles.
export function styleColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Returns the numbers on a logarithmic axis that get a line: powers of ten, at most about six.
function powersOf(low: number, high: number): number[] {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
  const each = Math.max(1, Math.ceil((last - first + 1) / 6));
  const powers: number[] = [];
  for (let power = first; power <= last; power += each) powers.push(10 ** power);
  return powers;
}

// Prints a number on an axis.
function tickText(value: number | null, logarithmic: boolean): string {
  if (value === null) return "";
  if (logarithmic) return `1e${Math.round(Math.log10(value))}`;
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return String(Number(value.toPrecision(4)));
  return String(Number(value.toFixed(9)));
}

export class Chart {
  private plot: uPlot | null = null;
  private data: ChartData | null = null;

  // `pick` is called with the abscissa under the pointer, while a button is down.
  constructor(readonly host: HTMLElement, readonly title: string,
              private readonly pick: ((x: number) => void) | null) {
    new ResizeObserver(() => this.resize()).observe(host);
    host.addEventListener("pointerdown", (event) => this.point(event));
    host.addEventListener("pointermove", (event) => this.point(event));
  }

  get canvas(): HTMLCanvasElement | null { return this.plot?.ctx.canvas ?? null; }

  draw(data: ChartData): void {
    const old = this.data;
    this.data = data;
    const remakes = !this.plot || !old || old.curves.length !== data.curves.length ||
      old.x.label !== data.x.label || old.y.label !== data.y.label ||
      data.curves.some((curve, i) => curve.colour !== old.curves[i].colour ||
                                     curve.dash.join() !== old.curves[i].dash.join());
    const isEmpty = data.curves.every(({ xs }) => xs.length === 0);
    this.host.dataset.empty = isEmpty ? data.empty : "";
    if (remakes || isEmpty) this.make();
    this.plot?.setData(this.columns() as unknown as uPlot.AlignedData);
  }

  // Makes the diagram again, with the present colours.
  make(): void {
    this.plot?.destroy();
    this.plot = null;
    if (!this.data || this.host.clientWidth === 0) return;
    if (this.data.curves.every(({ xs }) => xs.length === 0)) return;
    const { x, y, curves } = this.data;
    const range = (axis: "x" | "y") => (): [number, number] => rangeOf(
      this.data![axis], this.data!.curves.map(({ xs, ys }) => axis === "x" ? xs : ys));
    const scale = (axis: "x" | "y") => ({
      time: false, auto: true, range: range(axis), distr: this.data![axis].logarithmic ? 3 : 1,
    });
    const logarithms = {
      splits: (_: uPlot, __: number, low: number, high: number) => powersOf(low, high),
      filter: (_: uPlot, splits: number[]) => splits,
    };
    // A side is as wide as its longest number.
    const width = (_: uPlot, texts: string[] | null) =>
      Math.max(46, 7 * Math.max(0, ...(texts ?? []).map((text) => text.length)) + 22);
    const axis = ({ label, logarithmic = false }: Axis, isSide: boolean): uPlot.Axis => ({
      label, labelSize: 22, size: isSide ? width : 34, gap: 4,
      stroke: styleColour("--text"), font: "12px system-ui, sans-serif",
      labelFont: "12px system-ui, sans-serif",
      grid: { stroke: styleColour("--grid"), width: 1 }, ticks: { stroke: styleColour("--grid") },
      ...logarithmic ? logarithms : {},
      values: (_, splits) => splits.map((value) => tickText(value, logarithmic)),
    });
    const options = {
      mode: 2, ...this.size(), legend: { show: false }, cursor: { show: false },
      scales: { x: scale("x"), y: scale("y") },
      axes: [axis(x, false), axis(y, true)],
      series: [{}, ...curves.map((curve) => ({
        label: curve.label, stroke: curve.colour, width: curve.width, dash: curve.dash,
        facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }],
        paths: (plot: uPlot, index: number) => this.path(plot, this.data!.curves[index - 1]),
        points: { show: false },
      }))],
      hooks: { draw: [(plot: uPlot) => this.dot(plot), (plot: uPlot) => this.mark(plot)] },
    };
    this.plot = new uPlot(options as unknown as uPlot.Options,
                          this.columns() as unknown as uPlot.AlignedData, this.host);
  }

  private columns(): unknown[] {
    return [null, ...this.data!.curves.map(({ xs, ys }) => [xs, ys])];
  }

  private size(): { width: number, height: number } {
    return { width: this.host.clientWidth, height: this.host.clientHeight };
  }

  private resize(): void {
    if (!this.plot) this.make();
    else this.plot.setSize(this.size());
  }

  private path(plot: uPlot, { xs, ys }: Curve): uPlot.Series.Paths {
    const stroke = new Path2D();
    const clip = new Path2D();
    const { left, top, width, height } = plot.bbox;
    clip.rect(left, top, width, height);
    let connected = false;
    for (let i = 0; i < xs.length; ++i) {
      const x = plot.valToPos(xs[i], "x", true), y = plot.valToPos(ys[i], "y", true);
      // Browsers draw no line to a point that is very far away.
      if (!(Math.abs(x) < 1e6 && Math.abs(y) < 1e6)) {
        connected = false;
        continue;
      }
      if (connected) stroke.lineTo(x, y);
      else stroke.moveTo(x, y);
      connected = true;
    }
    return { stroke, fill: null, clip, flags: 2 } as unknown as uPlot.Series.Paths;
  }

  // Draws the points of short curves.
  private dot(plot: uPlot): void {
    const { left, top, width, height } = plot.bbox;
    for (const { xs, ys, dots, colour } of this.data!.curves) {
      if (!dots || xs.length > DOTS_MAX) continue;
      plot.ctx.fillStyle = colour;
      for (let i = 0; i < xs.length; ++i) {
        const x = plot.valToPos(xs[i], "x", true), y = plot.valToPos(ys[i], "y", true);
        if (!(x >= left && x <= left + width && y >= top && y <= top + height)) continue;
        plot.ctx.beginPath();
        plot.ctx.arc(x, y, 2.4 * devicePixelRatio, 0, 7);
        plot.ctx.fill();
      }
    }
  }

  // Draws the present step.
  private mark(plot: uPlot): void {
    const { left, top, width, height } = plot.bbox;
    plot.ctx.setLineDash([]);  // the last curve left its dashes
    for (const { x, y, colour } of this.data!.marks) {
      const [px, py] = [plot.valToPos(x, "x", true), plot.valToPos(y, "y", true)];
      if (px < left || px > left + width || py < top || py > top + height) continue;
      plot.ctx.beginPath();
      plot.ctx.arc(px, py, 5 * devicePixelRatio, 0, 7);
      plot.ctx.fillStyle = colour;
      plot.ctx.fill();
      plot.ctx.lineWidth = 2 * devicePixelRatio;
      plot.ctx.strokeStyle = styleColour("--panel");
      plot.ctx.stroke();
    }
  }

  private point(event: PointerEvent): void {
    if (!this.pick || !this.plot || (event.buttons & 1) === 0) return;
    const box = this.plot.over.getBoundingClientRect();
    const x = event.clientX - box.left;
    if (x >= 0 && x <= box.width) this.pick(this.plot.posToVal(x, "x"));
  }
}
