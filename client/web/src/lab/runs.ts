// Computes the curves at once, and the errors in short slices after them.
import { choiceOf } from "./command";
import { type Choice, LabError, type LabModule, type Report, type Rows } from "./module";
import { type LabState, stepsOf } from "./state";

export type Run = {
  method: string, choice: Choice, rows: Rows | null,
  error: string,  // why the laboratory refuses the method
  report: Report | null,  // null while it is being measured
  work: { evaluations: number[], errors: number[] },
};

const WORK_STEPS = Array.from({ length: 11 }, (_, i) => 16 << i);
const PAUSE_MS = 80;  // without a change, before the measurements begin

export class Runs {
  runs: Run[] = [];
  exact: Rows | null = null;
  private exactKey = "";
  private timer = 0;

  // `measured` is called after each slice.
  constructor(private readonly module: LabModule, private readonly measured: () => void) {}

  get dimension(): number { return this.module.dimension; }

  // Runs all methods, and starts the measurements.
  compute(state: LabState): void {
    this.runs = state.methods.map((method) => this.run(state, method));
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

  // Chooses the run of a method in the module, and returns it.
  select(index: number): Run {
    const run = this.runs[index];
    if (run.rows) this.module.choose(run.choice);
    return run;
  }

  private run(state: LabState, method: string): Run {
    const run: Run = { method, choice: choiceOf(state, method), rows: null, error: "",
                       report: null, work: { evaluations: [], errors: [] } };
    try {
      this.module.choose(run.choice);
      run.rows = this.module.observe();
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      run.error = error.message;
    }
    return run;
  }

  // The exact motion over the shown times. It does not depend on dt or the methods, so it is kept.
  private findExact(state: LabState): void {
    const { problem, settings, time, from, to } = state;
    const key = JSON.stringify([problem, settings, time, from, to]);
    const run = this.runs.find(({ rows }) => rows);
    if (!run || key === this.exactKey) return;
    this.module.choose(run.choice);
    const count = this.module.dimension > 2 ? 150
      : problem === "kepler" || problem === "pendulum" ? 700 : 1500;
    this.exact = this.module.exact(from, to || time, count);
    this.exactKey = key;
  }

  private jobsOf(run: Run, state: LabState): (() => void)[] {
    const measure = () => {
      this.module.choose(run.choice);
      run.report = this.module.report();
    };
    const compare = () => {
      this.module.choose({ ...run.choice, seed: null });
      const span = run.choice.dt * stepsOf(state);
      for (const steps of WORK_STEPS) {
        const [error, evaluations] = this.module.work(span / steps, steps, false);
        if (!(error > 0) || error > 1e6) continue;
        run.work.evaluations.push(evaluations);
        run.work.errors.push(error);
      }
    };
    return [measure, compare];
  }
}
