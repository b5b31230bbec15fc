// Calls the functions of lab.wasm, and turns their texts and numbers into objects.
import { type Catalogue, readCatalogue } from "./catalogue";
import { isRotation, readRotation, ROTATION_NUMBERS, type RotationReport, valuesOf }
  from "./rotation";

// Problem, method and steps of one run.
export type Choice = {
  problem: string, method: string, settings: Record<string, number>,
  dt: number, steps: number, seed: number | null,
};

// The states of a run, and times of an exact motion. Each row has `width` numbers; a row of a state
// has its positions first, then its velocities.
export type Rows = { times: Float64Array, states: Float64Array, energy: Float64Array };

type Size = { max: number, rms: number, final: number };

// The numbers of `orrery lab run --json`, with the same names. NaN means null.
export type MotionReport = {
  time: number, final: { x: number[], v: number[] }, exact: { x: number[], v: number[] },
  error: Size, state_error: Size,
  energy_ratio: { last: number, mean: number, min: number, max: number },
  phase_error: number, evaluations: number, blew_up_at: number,
};

export type Report = MotionReport | RotationReport;

// A choice that the laboratory refuses. Its message is the sentence of the library.
export class LabError extends Error {}

export class LabModule {
  readonly catalogue: Catalogue;
  dimension = 1;
  private rotates = false;
  private readonly settings: number;  // address of the values of settings
  private readonly vectors: number;  // address of a position, followed by a velocity

  constructor(private readonly exports: Record<string, any>) {
    exports._initialize();
    this.settings = exports.malloc(8 * 16);
    this.vectors = exports.malloc(8 * 2 * 256);
    const text = this.textAt(this.call("lab_catalogue"));
    const numbers = this.call("lab_catalogue_numbers");
    this.catalogue = readCatalogue(text, (count) => this.numbersAt(numbers, count));
  }

  // Compiles the module while it arrives.
  static async load(url: string): Promise<LabModule> {
    const { instance } = await WebAssembly.instantiateStreaming(fetch(url), {});
    return new LabModule(instance.exports);
  }

  // Chooses the run of the other functions. Throws a LabError if the laboratory refuses it.
  choose({ problem, method, settings, dt, steps, seed }: Choice): void {
    this.rotates = isRotation(problem);
    const values = this.rotates ? valuesOf(settings) : Object.values(settings);
    new Float64Array(this.exports.memory.buffer, this.settings, values.length).set(values);
    const texts = (this.rotates ? [method] : [method, problem, Object.keys(settings).join(" ")])
      .map((text) => this.place(text));
    if (this.rotates) this.call("lab_choose_rotation", ...texts, this.settings);
    else this.check(this.call("lab_choose", ...texts, this.settings));
    texts.forEach((at) => this.exports.free(at));
    this.check(this.call("lab_set_steps", dt, steps, seed === null ? 0 : 1, seed ?? 0));
    this.dimension = this.numbersAt(this.call("lab_facts"), 1)[0];
  }

  // Returns the start and the state after each step, until the run blows up.
  observe(): Rows {
    const count = this.call("lab_observe");
    return this.rows(this.call("lab_rows"), count, true);
  }

  // Returns the exact motion at `count` times.
  exact(from: number, to: number, count: number): Rows {
    return this.rows(this.call("lab_exact", from, to, count), count, false);
  }

  report(): Report {
    const at = this.call("lab_report");
    return this.rotates ? readRotation(this.numbersAt(at, ROTATION_NUMBERS)) : this.motion(at);
  }

  private motion(address: number): MotionReport {
    const n = this.dimension;
    const all = this.numbersAt(address, 1 + 4 * n + 13);
    let at = 0;
    const next = () => all[at++];
    const list = () => [...all.subarray(at, at += n)];
    const size = () => ({ max: next(), rms: next(), final: next() });
    return {
      time: next(), final: { x: list(), v: list() }, exact: { x: list(), v: list() },
      error: size(), state_error: size(),
      energy_ratio: { last: next(), mean: next(), min: next(), max: next() },
      phase_error: next(), evaluations: next(), blew_up_at: next(),
    };
  }

  // Returns the final error of x and v together after equal steps, and the force evaluations.
  // `extended` computes with as many digits as `orrery lab order`, and slowly.
  work(dt: number, steps: number, extended: boolean): [error: number, evaluations: number] {
    const at = this.call("lab_work", dt, steps, extended ? 1 : 0);
    const [error, evaluations] = this.numbersAt(at, 2);
    return [error, evaluations];
  }

  // Returns the stiffness and the drag of the problem, per unit mass.
  rates(): [stiffness: number, drag: number] {
    const [, stiffness, drag] = this.numbersAt(this.call("lab_facts"), 3);
    return [stiffness, drag];
  }

  acceleration(t: number, x: number[], v: number[]): number[] {
    new Float64Array(this.exports.memory.buffer, this.vectors, 2 * x.length).set([...x, ...v]);
    const at = this.call("lab_acceleration", t, this.vectors, this.vectors + 8 * x.length);
    return [...this.numbersAt(at, x.length)];
  }

  private rows(at: number, count: number, hasEnergy: boolean): Rows {
    const head = hasEnergy ? 2 : 1, width = 2 * this.dimension, stride = head + width;
    const all = new Float64Array(this.exports.memory.buffer, at, count * stride);
    const times = new Float64Array(count), energy = new Float64Array(hasEnergy ? count : 0);
    const states = new Float64Array(count * width);
    for (let i = 0; i < count; ++i) {
      times[i] = all[i * stride];
      if (hasEnergy) energy[i] = all[i * stride + 1];
      states.set(all.subarray(i * stride + head, (i + 1) * stride), i * width);
    }
    return { times, states, energy };
  }

  private call(name: string, ...args: number[]): number {
    try {
      return this.exports[name](...args);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError)) throw error;
      throw new Error(this.textAt(this.exports.orrery_fault()) || error.message);
    }
  }

  private check(code: number): void {
    if (code < 0) throw new LabError(this.textAt(this.call("lab_error")));
  }

  private numbersAt(at: number, count: number): Float64Array {
    return new Float64Array(this.exports.memory.buffer, at, count).slice();
  }

  private textAt(at: number): string {
    const bytes = new Uint8Array(this.exports.memory.buffer);
    return new TextDecoder().decode(bytes.slice(at, bytes.indexOf(0, at)));
  }

  private place(text: string): number {
    const bytes = new TextEncoder().encode(`${text}\0`);
    const at = this.exports.malloc(bytes.length);
    new Uint8Array(this.exports.memory.buffer).set(bytes, at);
    return at;
  }
}
