// Computes the curves at once, and the errors in short slices after them.
import { choicesOf, type NamedChoice, orderTime } from "./command";
import { type Choice, LabError, type LabModule, type Report, type Rows } from "./module";
import { isRotation } from "./rotation";
import { type LabState } from "./state";

export type Run = NamedChoice & {
  rows: Rows | null,
  rate: number,  // frequency of the springs, in rad/s
  error: string,  // why the laboratory refuses the run
  report: Report | null,  // null while it is being measured
  work: Work,
};

// Final errors of runs with 16, 32, ... equal steps.
export type Work = { dts: number[], evaluations: number[], errors: number[] };

const WORK_STEPS = Array.from({ length: 11 }, (_, i) => 16 << i);
const PAUSE_MS = 80;  // without a change, before the measurements begin

// Measures a choice over its own time, or over the time of `orrery lab order`. Leaves out errors
// that
// are 0 or above 1e6. A free body has no exact motion, so it has no errors.
export function workOf(module: LabModule, choice: Choice, over: string): Work {
  const work: Work = { dts: [], evaluations: [], errors: [] };
  if (isRotation(choice.problem)) return work;
  const span = over === "dt" ? orderTime(choice.problem) : choice.dt * choice.steps;
  module.choose({ ...choice, seed: null });
  for (const steps of WORK_STEPS) {
    const [error, evaluations] = module.work(span / steps, steps, over === "dt");
    if (!(error > 0) || error > 1e6) continue;
    work.dts.push(span / steps);
    work.evaluations.push(evaluations);
    work.errors.push(error);
  }
  return work;
}

export class Runs {
  runs: Run[] = [];
  exact: Rows[] = [];  // one for each problem that the runs have
  private exactKey = "";
  private timer = 0;

  // `measured` is called after each slice.
  constructor(private readonly module: LabModule, private readonly measured: () => void) {}

  get dimension(): number { return this.module.dimension; }

  // Runs all curves, and starts the measurements.
  compute(state: LabState): void {
    this.runs = choicesOf(state).map((named) => this.run(named));
    this.findExact(state);
    clearTimeout(this.timer);
    const jobs = this.runs.flatMap((run) => run.rows ? this.jobsOf(run, state) : []);
    const next = () => {
      const job = jobs.shift();
      if (!job) return;
      job();
      this.measured();
      this.timer = window.setTimeout(next);
    };
    this.timer = window.setTimeout(next, PAUSE_MS);
  }

  // Chooses a run in the module, and returns it.
  select(index: number): Run {
    const run = this.runs[index];
    if (run.rows) this.module.choose(run.choice);
    return run;
  }

  private run(named: NamedChoice): Run {
    const run: Run = { ...named, rows: null, rate: 0, error: "", report: null,
                       work: { dts: [], evaluations: [], errors: [] } };
    try {
      this.module.choose(run.choice);
      run.rows = this.module.observe();
      run.rate = Math.sqrt(Math.max(this.module.rates()[0], 0));
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      run.error = error.message;
    }
    return run;
  }

  // The exact motions over the shown times. They do not depend on dt or the methods, so they are
  // kept.
  private findExact({ problem, time, from, to }: LabState): void {
    const ran = isRotation(problem) ? []
      : this.runs.filter(({ rows }) => rows).map(({ choice }) => choice);
    const choices = new Map<string, Choice>(
      ran.map((choice) => [JSON.stringify(choice.settings), choice]));
    const key = JSON.stringify([problem, time, from, to, ...choices.keys()]);
    if (key === this.exactKey) return;
    this.exact = [...choices.values()].map((choice) => {
      this.module.choose(choice);
      const count = this.module.dimension > 2 ? 150
        : problem === "kepler" || problem === "pendulum" ? 700 : 1500;
      return this.module.exact(from, to || time, count);
    });
    this.exactKey = key;
  }

  private jobsOf(run: Run, { over }: LabState): (() => void)[] {
    const measure = () => {
      this.module.choose(run.choice);
      run.report = this.module.report();
    };
    return [measure, () => { run.work = workOf(this.module, run.choice, over); }];
  }
}
