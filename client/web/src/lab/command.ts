// The commands of `orrery lab` and the tables that belong to a state of the page.
import type { Choice, Report, Rows } from "./module";
import { type LabState, stepsOf } from "./state";

// Returns the run of a method of the state. beta and gamma belong to the method newmark.
export function choiceOf(state: LabState, method: string): Choice {
  const own = ([key]: [string, number]) =>
    method === "newmark" || key !== "beta" && key !== "gamma";
  return { problem: state.problem, method, dt: state.dt, steps: stepsOf(state), seed: state.seed,
           settings: Object.fromEntries(Object.entries(state.settings).filter(own)) };
}

// Returns the command that gives the numbers of a choice.
export function commandOf({ problem, method, settings, dt, steps, seed }: Choice): string {
  const pairs = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  return ["orrery lab run --method", method, "--problem", problem, "--dt", dt, "--steps", steps,
          ...pairs.length > 0 ? ["--set", ...pairs] : [],
          ...seed === null ? [] : ["--random-dt", seed], "--json"].join(" ");
}

// Returns the table of all runs: a row for each state, with all digits. Lines that start with #
// name the commands.
export function csvOf(runs: { choice: Choice, rows: Rows, report: Report | null }[]): string {
  const lines = runs.map(({ choice }) => `# ${commandOf(choice)}`);
  const width = Math.max(...runs.map(({ rows }) => rows.states.length / rows.times.length)) / 2;
  const names = (letter: string) =>
    Array.from({ length: width }, (_, i) => width === 1 ? letter : `${letter}${i + 1}`);
  lines.push(["method", "step", "t", ...names("x"), ...names("v"), "energy_ratio"].join(","));
  for (const { choice, rows } of runs) {
    rows.times.forEach((time, i) => {
      const state = rows.states.subarray(2 * width * i, 2 * width * (i + 1));
      const energy = Number.isNaN(rows.energy[i]) ? "" : rows.energy[i];
      lines.push([choice.method, i, time, ...state, energy].join(","));
    });
  }
  return `${lines.join("\n")}\n`;
}
