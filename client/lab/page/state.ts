// The whole state of the lab page, as a link: #problem=oscillator&methods=rk4&dt=0.1&time=20
import { type Catalogue, methodsFor, type Problem } from "./catalogue";

export const CURVES_MAX = 4;
export const STEPS_MAX = 20_000;
export const DT_MIN = 1e-6;

// Several values of one number: of "dt", or of a parameter of the problem.
export type Vary = { key: string, values: number[] };

export type LabState = {
  preset: string | null, answered: boolean,
  problem: string, methods: string[],
  vary: Vary | null,  // curves for several values of one number, with the first method
  settings: Record<string, number>,  // parameters that differ from the problem
  dt: number, time: number,  // in seconds
  seed: number | null,  // of random steps
  from: number, to: number,  // the times that are shown; to = 0: all
  coordinate: number,  // the mass or axis that is shown
  velocity: number,  // 1: the diagram over time has the velocity too
  over: string,  // abscissa of the errors: "work" (force evaluations) or "dt"
  step: number, stepMethod: number,  // the step with the shown numbers, and its method
};

export const START: LabState = {
  preset: null, answered: true, problem: "oscillator", methods: ["semi-implicit-euler"],
  vary: null, settings: {}, dt: 0.1, time: 20, seed: null, from: 0, to: 0, coordinate: 0,
  velocity: 0, over: "work", step: 0, stepMethod: 0,
};

// The number of steps that cover the time: at least 1, at most STEPS_MAX.
export function stepsOf({ dt, time }: { dt: number, time: number }): number {
  return Math.min(Math.max(Math.ceil(time / dt - 1e-9), 1), STEPS_MAX);
}

export function curveCount({ vary, methods }: LabState): number {
  return vary ? vary.values.length : methods.length;
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
  add("vary", state.vary && `${state.vary.key}:${state.vary.values.join(",")}`, null);
  for (const key of ["seed", "from", "to", "coordinate", "velocity", "over", "step",
                     "stepMethod"] as const) {
    add(key, state[key], START[key]);
  }
  return `#${fields.map(([key, value]) => `${key}=${encodeURI(value)}`).join("&")}`;
}

// The state of a link, and a sentence for each field that is wrong.
export type LinkRead = { state: LabState, faults: string[] };

// Reads a link. Fields that are missing or wrong get the value of `usual`.
export function readLink(hash: string, catalogue: Catalogue, usual: LabState = START): LinkRead {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const faults: string[] = [];
  const number = (key: keyof LabState, low: number, high: number, isWhole = false) => {
    const text = fields.get(key), value = Number(text);
    if (text === null) return usual[key] as number;
    if (text.trim() !== "" && value >= low && value <= high &&
        (!isWhole || Number.isInteger(value))) return value;
    faults.push(`${key}=${text} is not a ${isWhole ? "whole " : ""}number from ${low} to ${high}`);
    return usual[key] as number;
  };
  for (const key of fields.keys()) {
    if (key !== "set" && !(key in START)) faults.push(`${key} is no field`);
  }
  const named = fields.get("problem");
  const found = catalogue.problems.find(({ name }) => name === (named ?? usual.problem));
  if (!found) faults.push(`problem=${named} is unknown`);
  const problem = found ?? catalogue.problems.find(({ name }) => name === usual.problem)!;
  const settings = readSettings(fields.get("set"), problem, faults);
  const state: LabState = {
    preset: fields.get("preset"), answered: fields.get("answered") === "1" || !fields.has("preset"),
    problem: problem.name,
    methods: readMethods(fields.get("methods"), catalogue, problem, usual, faults),
    settings: settings ?? (named === null ? usual.settings : {}),
    dt: number("dt", DT_MIN, 100), time: number("time", 1e-3, 1e5),
    seed: fields.has("seed") ? number("seed", 0, 2 ** 32 - 1, true) : usual.seed,
    from: number("from", 0, 1e5), to: number("to", 0, 1e5),
    vary: readVary(fields.get("vary"), problem, faults) ?? (named === null ? usual.vary : null),
    coordinate: number("coordinate", 0, 255, true), velocity: number("velocity", 0, 1, true),
    over: fields.get("over") ?? usual.over, step: number("step", 0, STEPS_MAX, true),
    stepMethod: number("stepMethod", 0, CURVES_MAX - 1, true),
  };
  if (!["work", "dt"].includes(state.over)) {
    faults.push(`over=${state.over} is neither work nor dt`);
    state.over = START.over;
  }
  if (state.vary) state.methods = state.methods.slice(0, 1);
  state.stepMethod = Math.min(state.stepMethod, curveCount(state) - 1);
  const dt = Math.min(state.dt, ...state.vary?.key === "dt" ? state.vary.values : []);
  if (state.time / dt > STEPS_MAX) {
    faults.push(`time=${state.time} has more than ${STEPS_MAX} steps of dt=${dt}`);
    state.time = dt * STEPS_MAX;
  }
  return { state, faults };
}

function readMethods(text: string | null, catalogue: Catalogue, problem: Problem,
                     usual: LabState, faults: string[]): string[] {
  const methods = methodsFor(catalogue, problem.name);
  const isKnown = (name: string) => methods.some((method) => method.name === name);
  const without = usual.methods.every(isKnown) ? usual.methods : [methods[0].name];
  if (text === null) return without;
  const names = [...new Set(text.split(","))];
  faults.push(...names.filter((name) => !isKnown(name)).map((name) => `method ${name} is unknown`));
  const known = names.filter(isKnown);
  if (known.length > CURVES_MAX) faults.push(`more than ${CURVES_MAX} methods`);
  return known.length > 0 ? known.slice(0, CURVES_MAX) : without;
}

function readSettings(text: string | null, problem: Problem,
                      faults: string[]): Record<string, number> | null {
  if (text === null) return null;
  const settings: Record<string, number> = {};
  for (const pair of text.split(",")) {
    const [key, value] = pair.split(":");
    const isKnown = ["beta", "gamma"].includes(key) ||
      problem.parameters.some((parameter) => parameter.key === key);
    if (isKnown && value && Number.isFinite(Number(value))) settings[key] = Number(value);
    else faults.push(`set=${pair} is no parameter of ${problem.name} with a number`);
  }
  return settings;
}

// Reads the values of a text such as "0, 0.2, 2". Returns null if one is no finite number, or if
// there are too many.
export function readValues(text: string): number[] | null {
  const values = text.split(",").map((part) => part.trim() === "" ? NaN : Number(part));
  return values.length <= CURVES_MAX && values.every(Number.isFinite) ? values : null;
}

function readVary(text: string | null, problem: Problem, faults: string[]): Vary | null {
  if (text === null) return null;
  const [key, list = ""] = text.split(":");
  const values = readValues(list);
  const isKnown = key === "dt" || problem.parameters.some((parameter) => parameter.key === key);
  if (isKnown && values && (key !== "dt" || values.every((dt) => dt >= DT_MIN))) {
    return { key, values };
  }
  faults.push(`vary=${text} is not dt or a parameter of ${problem.name} with up to ` +
              `${CURVES_MAX} numbers`);
  return null;
}
