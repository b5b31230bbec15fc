// The commands of `orrery lab` and the tables that belong to a state of the page.
import type { Choice, Rows } from "./module";
import { isRotation, valuesOf } from "./rotation";
import { type LabState, stepsOf } from "./state";

// Returns the run of a method of the state. beta and gamma belong to the method newmark.
export function choiceOf(state: LabState, method: string): Choice {
  const own = ([key]: [string, number]) =>
    method === "newmark" || key !== "beta" && key !== "gamma";
  const seed = isRotation(state.problem) ? null : state.seed;
  return { problem: state.problem, method, dt: state.dt, steps: stepsOf(state), seed,
           settings: Object.fromEntries(Object.entries(state.settings).filter(own)) };
}

// A run and its name in the legend.
export type NamedChoice = { label: string, choice: Choice };

// Returns the run of each method, or of the first method with each value of the varied number.
export function choicesOf(state: LabState): NamedChoice[] {
  const { vary, methods } = state;
  if (!vary) return methods.map((method) => ({ label: method, choice: choiceOf(state, method) }));
  return vary.values.map((value) => {
    const varied = vary.key === "dt" ? { ...state, dt: value }
      : { ...state, settings: { ...state.settings, [vary.key]: value } };
    return { label: `${vary.key} = ${value}`, choice: choiceOf(varied, methods[0]) };
  });
}

// Returns the command that gives the numbers of a choice.
export function commandOf({ problem, method, settings, dt, steps, seed }: Choice): string {
  if (isRotation(problem)) {
    const values = valuesOf(settings);
    return ["orrery lab rotate --method", method, "--inertia", values.slice(0, 3).join(),
            "--omega", values.slice(3, 6).join(), "--dt", dt, "--steps", steps,
            ...values[6] === 0 ? [] : ["--rolling", values[6]], "--json"].join(" ");
  }
  return ["orrery lab run --method", method, "--problem", problem, "--dt", dt, "--steps", steps,
          ...settingsOf(settings), ...seed === null ? [] : ["--random-dt", seed],
          "--json"].join(" ");
}

// Returns the command that gives the errors over the step, which span orderTime().
export function orderCommandOf({ problem, method, settings }: Choice): string {
  return ["orrery lab order --method", method, "--problem", problem, ...settingsOf(settings),
          "--json"].join(" ");
}

// Returns the time over which `orrery lab order` runs a problem, in seconds.
export function orderTime(problem: string): number { return problem === "kepler" ? 7 : 10; }

function settingsOf(settings: Record<string, number>): string[] {
  const pairs = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  return pairs.length > 0 ? ["--set", ...pairs] : [];
}

// Returns the table of all runs: a row for each state, with all digits. Lines that start with #
// name the commands.
export function csvOf(runs: (NamedChoice & { rows: Rows })[]): string {
  const lines = runs.map(({ choice }) => `# ${commandOf(choice)}`);
  const width = Math.max(...runs.map(({ rows }) => rows.states.length / rows.times.length)) / 2;
  const names = (letter: string) =>
    Array.from({ length: width }, (_, i) => width === 1 ? letter : `${letter}${i + 1}`);
  lines.push(["curve", "step", "t", ...names("x"), ...names("v"), "energy_ratio"].join(","));
  for (const { label, rows } of runs) {
    rows.times.forEach((time, i) => {
      const state = rows.states.subarray(2 * width * i, 2 * width * (i + 1));
      const energy = Number.isNaN(rows.energy[i]) ? "" : rows.energy[i];
      lines.push([label, i, time, ...state, energy].join(","));
    });
  }
  return `${lines.join("\n")}\n`;
}
