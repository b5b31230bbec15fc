// The four diagrams: position in time, phase portrait, energy, work and precision.
import { element } from "../../web/src/ui/dom";
import { Chart, type Curve, type Mark, styleColour } from "./chart";
import type { Rows } from "./module";
import { isRotation } from "./rotation";
import type { Run, Runs } from "./runs";
import type { LabState } from "./state";

// The look of each method. The dashes tell curves apart without their colours.
const DASHES = [[], [9, 4], [3, 3], [12, 3, 3, 3]];
const DOTTED = [2, 5];

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

function lookOf({ label }: Run, index: number): Pick<Curve, "label" | "colour" | "dash" | "width"> {
  return { label, colour: colourOf(index), dash: DASHES[index], width: 1.6 };
}

// Returns the abscissas and the ordinates of points.
type Points = (series: Series) => ArrayLike<number>[];

// The curves and marks of one state. Before the answer of a question, only exact motions show.
class Picture {
  private readonly shown: Run[];
  private readonly exact: Series[];
  private readonly series: (Series | null)[];

  constructor(private readonly state: LabState, private readonly runs: Runs) {
    this.shown = state.answered ? runs.runs : [];
    this.exact = runs.exact.map((rows) => seriesOf(rows, state));
    this.series = this.shown.map(({ rows }) => rows && seriesOf(rows, state));
  }

  ofRuns(pick: Points): Curve[] {
    return this.series.map((each, i): Curve => {
      const [xs, ys] = each ? pick(each) : [[], []];
      return { ...lookOf(this.shown[i], i), xs, ys, dots: true };
    });
  }

  // Returns the exact curves, and above them the curves of the runs.
  curves(pick: Points): Curve[] {
    const exact = this.exact.map((each): Curve => {
      const [xs, ys] = pick(each);
      return { label: "exact", colour: styleColour("--exact"), dash: [], width: 3.5, xs, ys,
               dots: false };
    });
    return [...exact, ...this.ofRuns(pick)];
  }

  dotted(pick: Points): Curve[] {
    return this.curves(pick).map((curve) => ({ ...curve, dash: DOTTED, dots: false }));
  }

  // Returns a mark at the end of the present step of each run.
  marks(pick: Points): Mark[] {
    const { state, runs: { dimension } } = this;
    return this.shown.flatMap(({ rows }, i) => {
      if (!rows) return [];
      const row = Math.min(state.step + 1, rows.times.length - 1);
      const one = seriesOf({ times: rows.times.slice(row, row + 1),
                             energy: rows.energy.slice(row, row + 1),
                             states: rows.states.slice(row * 2 * dimension,
                                                       (row + 1) * 2 * dimension) }, state);
      const [[x], [y]] = pick(one).map((values) => Array.from(values));
      return x === undefined ? [] : [{ x, y, colour: colourOf(i) }];
    });
  }
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
    this.work = new Chart(element("chart-work"), "Error", null);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
  }

  get all(): Chart[] { return [this.time, this.phase, this.energy, this.work]; }
  private readonly recolours: (() => void)[] = [];
  onRecolour(action: () => void): void { this.recolours.push(action); }

  draw(state: LabState, runs: Runs): void {
    const picture = new Picture(state, runs);
    const isOrbit = state.problem === "kepler";
    const [quantity, unit] = isRotation(state.problem) ? ["spin x", "rad/s"]
      : state.problem === "pendulum" ? ["position x", "rad"] : ["position x", "m"];
    const inTime = ({ times, x }: Series) => [times, x];
    const speedInTime = ({ times, v }: Series) => [times, v];
    const withSpeed = state.velocity === 1;
    this.time.draw({
      curves: [...picture.curves(inTime), ...withSpeed ? picture.dotted(speedInTime) : []],
      marks: [...picture.marks(inTime), ...withSpeed ? picture.marks(speedInTime) : []], empty: "",
      x: { label: "time t [s]" },
      y: { label: `${quantity} [${unit}]` +
                  (withSpeed ? `, dotted: velocity v [${unit}/s]` : "") } });
    const inPhase = ({ x, v, y }: Series) => isOrbit ? [x, y] : [x, v];
    this.phase.draw({ curves: picture.curves(inPhase), marks: picture.marks(inPhase), empty: "",
                      x: { label: isOrbit ? "x [m]" : `${quantity} [${unit}]` },
                      y: { label: isOrbit ? "y [m]" : `velocity v [${unit}/s]` } });
    element("time-title").textContent = isRotation(state.problem) ? "Spin in time"
      : "Position in time";
    element("phase-title").textContent = isOrbit ? "Orbit" : "Phase portrait";
    this.drawEnergy(state, picture);
    this.drawErrors(state, runs);
  }

  private drawEnergy(state: LabState, picture: Picture): void {
    const pick = (s: Series) => [s.times, s.energy];
    const curves = picture.ofRuns(pick).map((curve) =>
      Array.from(curve.ys).some((value) => !Number.isNaN(value)) ? curve
        : { ...curve, xs: [], ys: [] });
    this.energy.draw({
      curves, x: { label: "time t [s]" }, y: { label: "energy E/E0" },
      marks: curves.some(({ xs }) => xs.length > 0) ? picture.marks(pick) : [],
      empty: state.answered ? "The force depends on time, or the energy at the start is 0." : "" });
  }

  private drawErrors({ answered, over, problem }: LabState, { runs }: Runs): void {
    const shown = answered ? runs : [];
    if (shown.some(({ rows, report }) => rows && !report)) return;  // keeps the picture meanwhile
    const curves = shown.map((run, i): Curve => ({
      ...lookOf(run, i), xs: over === "dt" ? run.work.dts : run.work.evaluations,
      ys: run.work.errors, dots: true }));
    const marks = shown.flatMap(({ report }, i) =>
      over === "work" && report && "error" in report && report.state_error.final > 0
        ? [{ x: report.evaluations, y: report.state_error.final, colour: colourOf(i) }] : []);
    this.work.draw({
      curves, marks, y: { label: "final error of x and v", logarithmic: true },
      x: { label: over === "dt" ? "step dt [s]" : "force evaluations", logarithmic: true },
      empty: !answered ? "" : isRotation(problem)
        ? "The page has no exact motion of a free body, and so no errors."
        : "Measuring, or without any error." });
  }

  private recolour(): void {
    this.recolours.forEach((action) => action());
    this.all.forEach((chart) => chart.make());
  }
}
