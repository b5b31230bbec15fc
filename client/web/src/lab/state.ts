// The whole state of the lab page, as a link: #problem=oscillator&methods=rk4&dt=0.1&time=20
import type { Catalogue } from "./catalogue";

export const METHODS_MAX = 4;
export const STEPS_MAX = 20_000;

export type LabState = {
  preset: string | null, answered: boolean,
  problem: string, methods: string[],
  settings: Record<string, number>,  // parameters that differ from those of the problem
  dt: number, time: number,  // in seconds
  seed: number | null,  // of random steps
  from: number, to: number,  // the times that are shown; to = 0: all
  coordinate: number,  // the mass or axis that is shown
  step: number, stepMethod: number,  // the step whose numbers are shown, and of which method
};

export const START: LabState = {
  preset: null, answered: true, problem: "oscillator", methods: ["semi-implicit-euler"],
  settings: {}, dt: 0.1, time: 20, seed: null, from: 0, to: 0, coordinate: 0, step: 0,
  stepMethod: 0,
};

// The number of steps that cover the time: at least 1, at most STEPS_MAX.
export function stepsOf({ dt, time }: { dt: number, time: number }): number {
  return Math.min(Math.max(Math.ceil(time / dt - 1e-9), 1), STEPS_MAX);
}

export function linkOf(state: LabState): string {
  const fields: [string, string][] = [];
  const add = (key: string, value: string | number | null, usual: string | number | null) => {
    if (value !== usual && value !== null) fields.push([key, String(value)]);
  };
  add("preset", state.preset, null);
  add("answered", state.answered ? 1 : 0, state.preset ? 0 : 1);
  fields.push(["problem", state.problem], ["methods", state.methods.join(",")],
              ["dt", String(state.dt)], ["time", String(state.time)]);
  const settings = Object.entries(state.settings).map(([key, value]) => `${key}:${value}`);
  add("set", settings.join(","), "");
  for (const key of ["seed", "from", "to", "coordinate", "step", "stepMethod"] as const) {
    add(key, state[key], START[key]);
  }
  return `#${fields.map(([key, value]) => `${key}=${encodeURI(value)}`).join("&")}`;
}

// Reads a link. Fields that are missing or wrong get a usual value.
export function readLink(hash: string, catalogue: Catalogue): LabState {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (key: string, low: number, high: number, usual: number) => {
    const value = Number(fields.get(key) ?? NaN);
    return value >= low && value <= high ? value : usual;
  };
  const whole = (key: string, high: number) => Math.floor(number(key, 0, high, 0));
  const problem = catalogue.problems.find(({ name }) => name === fields.get("problem"));
  const known = new Set(catalogue.methods.map(({ name }) => name));
  const methods = [...new Set((fields.get("methods") ?? "").split(","))]
    .filter((name) => known.has(name)).slice(0, METHODS_MAX);
  const keys = new Set(["beta", "gamma", ...problem?.parameters.map(({ key }) => key) ?? []]);
  const pairs = (fields.get("set") ?? "").split(",").map((pair) => pair.split(":"))
    .filter(([key, value]) => keys.has(key) && value && Number.isFinite(Number(value)))
    .map(([key, value]) => [key, Number(value)]);
  return {
    preset: fields.get("preset"),
    answered: fields.get("answered") === "1" || !fields.has("preset"),
    problem: problem?.name ?? START.problem,
    methods: methods.length > 0 ? methods : START.methods,
    settings: Object.fromEntries(pairs),
    dt: number("dt", 1e-6, 100, START.dt),
    time: number("time", 1e-3, 1e5, START.time),
    seed: fields.has("seed") ? whole("seed", 2 ** 32 - 1) : null,
    from: number("from", 0, 1e5, 0),
    to: number("to", 0, 1e5, 0),
    coordinate: whole("coordinate", 255),
    step: whole("step", STEPS_MAX),
    stepMethod: Math.min(whole("stepMethod", METHODS_MAX), Math.max(methods.length - 1, 0)),
  };
}
