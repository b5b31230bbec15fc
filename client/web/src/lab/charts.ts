// The four diagrams: position in time, phase portrait, energy, work and precision.
import { element } from "../ui/dom";
import { Chart, type Curve, styleColour } from "./chart";
import type { Rows } from "./module";
import type { Run, Runs } from "./runs";
import type { LabState } from "./state";

// The look of each method. The dashes tell curves apart without their colours.
const DASHES = [[], [9, 4], [3, 3], [12, 3, 3, 3]];

export function colourOf(index: number): string { return styleColour(`--curve-${index + 1}`); }

type Series = { times: Float64Array, energy: Float64Array, x: Float64Array, v: Float64Array,
                y: Float64Array };

// Returns the shown times of rows: position, velocity and second position of one coordinate.
function seriesOf(rows: Rows, state: LabState): Series {
  const width = rows.states.length / Math.max(rows.times.length, 1);
  const dimension = width / 2, shown = Math.min(state.coordinate, dimension - 1);
  const last = state.to || Infinity;
  let low = 0, high = rows.times.length;
  while (low < high && rows.times[low] < state.from) ++low;
  while (high > low && rows.times[high - 1] > last) --high;
  const column = (at: number) =>
    Float64Array.from({ length: high - low }, (_, i) => rows.states[(low + i) * width + at]);
  return { times: rows.times.slice(low, high), energy: rows.energy.slice(low, high),
           x: column(shown), v: column(dimension + shown), y: column(Math.min(1, dimension - 1)) };
}

export class Charts {
  private readonly time: Chart;
  private readonly phase: Chart;
  private readonly energy: Chart;
  private readonly work: Chart;

  // `pick` is called with a time that a person points at.
  constructor(pick: (time: number) => void) {
    this.time = new Chart(element("chart-time"), "Position in time", pick);
    this.phase = new Chart(element("chart-phase"), "Phase portrait", null);
    this.energy = new Chart(element("chart-energy"), "Energy", pick);
    this.work = new Chart(element("chart-work"), "Work and precision", null);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
  }

  get all(): Chart[] { return [this.time, this.phase, this.energy, this.work]; }
  private readonly recolours: (() => void)[] = [];
  onRecolour(action: () => void): void { this.recolours.push(action); }

  draw(state: LabState, runs: Runs): void {
    const exact = runs.exact && runs.runs.some(({ rows }) => rows) ? seriesOf(runs.exact, state)
      : null;
    const shown = state.answered ? runs.runs : [];
    const series = shown.map(({ rows }) => rows && seriesOf(rows, state));
    const isOrbit = state.problem === "kepler";
    const phase = ({ x, v, y }: Series) => isOrbit ? [x, y] : [x, v];
    const unit = state.problem === "pendulum" ? "rad" : "m";
    const curves = (pick: (s: Series) => ArrayLike<number>[], withExact: boolean): Curve[] => {
      const own = series.map((each, i): Curve => {
        const [xs, ys] = each ? pick(each) : [[], []];
        return { ...this.lookOf(shown[i], i), xs, ys, dots: true };
      });
      if (!withExact || !exact) return own;
      const [xs, ys] = pick(exact);
      return [{ label: "exact", colour: styleColour("--exact"), dash: [], width: 3.5, xs, ys,
                dots: false }, ...own];
    };
    const marks = (pick: (s: Series) => ArrayLike<number>[]) => shown.flatMap(({ rows }, i) => {
      if (!rows) return [];
      const row = Math.min(state.step + 1, rows.times.length - 1);
      const one = seriesOf({ ...rows, times: rows.times.slice(row, row + 1),
                             energy: rows.energy.slice(row, row + 1),
                             states: rows.states.slice(row * 2 * runs.dimension,
                                                       (row + 1) * 2 * runs.dimension) }, state);
      const [[x], [y]] = pick(one).map((values) => Array.from(values));
      return x === undefined ? [] : [{ x, y, colour: colourOf(i) }];
    });
    const inTime = (s: Series) => [s.times, s.x];
    const energyOf = (s: Series) => [s.times, s.energy];
    this.time.draw({ curves: curves(inTime, true), x: { label: "time t [s]" },
                     y: { label: `position x [${unit}]` }, marks: marks(inTime), empty: "" });
    this.phase.draw({ curves: curves(phase, true), marks: marks(phase), empty: "",
                      x: { label: isOrbit ? "x [m]" : `position x [${unit}]` },
                      y: { label: isOrbit ? "y [m]" : `velocity v [${unit}/s]` } });
    element("phase-title").textContent = isOrbit ? "Orbit" : "Phase portrait";
    const energies = curves(energyOf, false).map((curve) =>
      Array.from(curve.ys).some((value) => !Number.isNaN(value)) ? curve
        : { ...curve, xs: [], ys: [] });
    this.energy.draw({
      curves: energies, x: { label: "time t [s]" }, y: { label: "energy E/E0" },
      marks: energies.some(({ xs }) => xs.length > 0) ? marks(energyOf) : [],
      empty: state.answered ? "The force depends on time, or the energy at the start is 0." : "" });
    this.drawWork(shown, state);
  }

  private drawWork(shown: Run[], state: LabState): void {
    if (shown.some(({ rows, report }) => rows && !report)) return;  // keeps the picture meanwhile
    const curves = shown.map((run, i): Curve => ({
      ...this.lookOf(run, i), xs: run.work.evaluations, ys: run.work.errors, dots: true }));
    const marks = shown.flatMap(({ report }, i) => report && report.state_error.final > 0
      ? [{ x: report.evaluations, y: report.state_error.final, colour: colourOf(i) }] : []);
    this.work.draw({
      curves, marks, x: { label: "force evaluations", logarithmic: true },
      y: { label: "final error of x and v", logarithmic: true },
      empty: state.answered ? "Measuring, or without any error." : "" });
  }

  private lookOf(run: Run, index: number): Pick<Curve, "label" | "colour" | "dash" | "width"> {
    return { label: run.method, colour: colourOf(index), dash: DASHES[index], width: 1.6 };
  }

  private recolour(): void {
    this.recolours.forEach((action) => action());
    this.all.forEach((chart) => chart.make());
  }
}
