// The problems and methods of the laboratory, and the ranges of their sliders.
import { FREE_BODY, isRotation } from "./rotation";

export type Parameter = { key: string, value: number };
export type Problem = { name: string, equation: string, about: string, parameters: Parameter[] };
export type Method = {
  name: string, title: string, order: number, energy: string, source: string,
  equalSteps: boolean,  // it refuses random steps
  rotates: boolean,  // it is a method for free bodies, and for no other problem
  limit: number,  // largest stable h w on an oscillator; 0: none is, NaN: unknown
};
export type Catalogue = { problems: Problem[], methods: Method[] };

// Reads the text of lab_catalogue(). `takeAll` returns the numbers of lab_catalogue_numbers().
export function readCatalogue(text: string, takeAll: (count: number) => Float64Array): Catalogue {
  const lines = text.trimEnd().split("\n").map((line) => line.split("\t"));
  const problems = lines.filter(([kind]) => kind === "problem");
  const methods = lines.filter(([kind]) => kind === "method" || kind === "rotation");
  const keysOf = (line: string[]) => line[4].split(" ");
  const count = problems.reduce((sum, line) => sum + keysOf(line).length, 0);
  const limits = methods.filter(([kind]) => kind === "method").length;
  const numbers = takeAll(count + limits);
  let at = 0;
  return {
    problems: [...problems.map((line) => ({
      name: line[1], equation: line[2], about: line[3],
      parameters: keysOf(line).map((key) => ({ key, value: numbers[at++] })),
    })), FREE_BODY],
    methods: methods.map(([kind, name, title, order, energy, source, steps]) => ({
      name, title: title || name.replaceAll("-", " "), order: Number(order), energy, source,
      equalSteps: steps === "equal", rotates: kind === "rotation",
      limit: kind === "rotation" ? NaN : numbers[at++],
    })),
  };
}

// Returns the methods for a problem.
export function methodsFor({ methods }: Catalogue, problem: string): Method[] {
  return methods.filter(({ rotates }) => rotates === isRotation(problem));
}

// Returns the parameters that have a slider. The frequency of the oscillator follows from k and m,
// and the laboratory takes either.
export function slidersOf({ name, parameters }: Problem, methods: string[]): Parameter[] {
  const own = parameters.filter(({ key }) => !(name === "oscillator" && key === "omega"));
  const newmark = [{ key: "beta", value: 0.25 }, { key: "gamma", value: 0.5 }];
  return methods.includes("newmark") ? [...own, ...newmark] : own;
}

const LABELS: Record<string, string> = {
  k: "stiffness k [N/m]", k1: "stiffness k1 [N/m]", k2: "stiffness k2 [N/m]",
  b: "damping b [N s/m]", m: "mass m [kg]", g: "acceleration g [m/s²]",
  omega: "frequency ω [rad/s]",
  x0: "start x0 [m]", v0: "start v0 [m/s]", e: "eccentricity e", n: "masses n",
  kept: "speed kept in a bounce",
  i1: "inertia I1 [kg m²]", i2: "inertia I2 [kg m²]", i3: "inertia I3 [kg m²]",
  w1: "spin w1 [rad/s]", w2: "spin w2 [rad/s]", w3: "spin w3 [rad/s]",
  rolling: "rolling resistance [1/s]", beta: "Newmark β", gamma: "Newmark γ",
};

export function labelOf(key: string): string { return LABELS[key] ?? key; }

// Returns the range of a slider, which always includes `value`.
export function rangeOf(key: string, usual: number, value: number): [low: number, high: number] {
  const size = Math.max(2 * Math.abs(usual), 1);
  const [low, high] = key === "e" || key === "kept" ? [0, 0.95]
    : key === "n" ? [1, 32]
    : key === "beta" || key === "gamma" || key === "rolling" ? [0, 1]
    : key === "m" || key === "omega" || key.startsWith("i") ? [0.1, 10]
    : key.startsWith("k") ? [0.1, Math.max(30, size)]
    : key === "b" ? [0, Math.max(5, size)]
    : key === "g" ? [-20, 20] : [-size, size];
  return [Math.min(low, value), Math.max(high, value)];
}
