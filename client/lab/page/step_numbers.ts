// Computes one step of a method with its formula, and prints each line with its numbers.
import { type Environment, evaluate, parse, print, short, type Value } from "./expression";
import { linesOf } from "./formulas";
import type { Choice, LabModule, Rows } from "./module";

export type StepLine = { name: string, formula: string, numbers: string, value: string };
export type StepNumbers = { lines: StepLine[], note: string, environment: Environment };

// The functions of formulas, for scalars.
const FUNCTIONS: [string, (x: Value) => Value][] = [
  ["sqrt", (x) => Math.sqrt(x as number)], ["sin", (x) => Math.sin(x as number)],
  ["cos", (x) => Math.cos(x as number)],
];

// Returns the positions and velocities of a row.
export function stateOf(rows: Rows, row: number, dimension: number): { x: number[], v: number[] } {
  const at = row * 2 * dimension;
  const all = [...rows.states.subarray(at, at + 2 * dimension)];
  return { x: all.slice(0, dimension), v: all.slice(dimension) };
}

// Makes the names that the formulas use. The module must have chosen the run of `rows`.
function environmentOf(module: LabModule, { problem: name, settings, dt, seed }: Choice, rows: Rows,
                       step: number): Environment {
  const n = module.dimension;
  const environment: Environment = new Map<string, any>(FUNCTIONS);
  const problem = module.catalogue.problems.find((each) => each.name === name)!;
  for (const { key, value } of problem.parameters) {
    environment.set(key, settings[key] ?? value);
  }
  environment.set("beta", settings.beta ?? 0.25).set("gamma", settings.gamma ?? 0.5);
  environment.set("a", (t, x, v) => module.acceleration(t as number, x as number[], v as number[]));
  for (const [index, letter] of ["1", "0", "p", "q", "r"].entries()) {
    const row = step + 1 - index;
    if (row < 0) break;
    const { x, v } = stateOf(rows, row, n);
    environment.set(`x${letter}`, x).set(`v${letter}`, v).set(`t${letter}`, rows.times[row]);
  }
  const length = (row: number) =>
    seed === null ? dt : rows.times[row + 1] - rows.times[row];
  const h = length(step), hp = step > 0 ? length(step - 1) : h;
  environment.set("h", h).set("hp", hp);
  if (step > 0) environment.set("up", evaluate(parse("(x0 - xp) / hp"), environment));
  return environment;
}

// Prints the part of a value that belongs to a coordinate.
function part(value: Value, coordinate: number): string {
  return short(Array.isArray(value) ? value[Math.min(coordinate, value.length - 1)] : value);
}

// Returns the lines of step `step`, which leads from row `step` to the next, with the numbers of a
// coordinate. Returns nothing if the page has no formula of the method, or if the run has no such
// step.
export function stepNumbers(module: LabModule, choice: Choice, rows: Rows, step: number,
                            coordinate: number): StepNumbers | null {
  const [, drag] = module.rates();
  const found = linesOf(choice.method, choice.problem, step, drag !== 0);
  if (!found || step + 1 >= rows.times.length) return null;
  const environment = environmentOf(module, choice, rows, step);
  const lines = found.lines.map((line) => {
    const [name, text] = line.split(" = ");
    const node = parse(text);
    const value = evaluate(node, environment);
    const numbers = print(node, (each) => {
      const known = environment.get(each);
      return typeof known === "function" || known === undefined ? each
        : part(known, coordinate);
    });
    environment.set(name, value);
    return { name, formula: print(node, (each) => each), numbers,
             value: part(value, coordinate) };
  });
  return { lines, note: found.note, environment };
}
