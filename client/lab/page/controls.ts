// The fields of the page: problem, methods, sliders, random steps.
import { addOptions, element } from "../../web/src/ui/dom";
import { type Catalogue, labelOf, methodsFor, rangeOf, slidersOf } from "./catalogue";
import { short } from "./expression";
import { isRotation } from "./rotation";
import { CURVES_MAX, type LabState, STEPS_MAX } from "./state";
import { VaryFields } from "./vary";

type Change = (patch: Partial<LabState>) => void;

const SLIDER_STEPS = 1000;
const DT_LOW = 1e-3, DT_HIGH = 4;

// A slider, and a field for exact numbers.
class NumberField {
  readonly row = document.createElement("div");
  private readonly slider = document.createElement("input");
  private readonly field = document.createElement("input");

  constructor(readonly key: string, label: string, private range: [number, number],
              private readonly logarithmic: boolean, private readonly whole: boolean,
              change: (value: number) => void) {
    const name = document.createElement("label");
    name.htmlFor = `slide-${key}`;
    name.textContent = label;
    Object.assign(this.slider, { type: "range", id: `slide-${key}`, min: "0",
                                 max: String(SLIDER_STEPS), step: "1" });
    Object.assign(this.field, { type: "number", id: `field-${key}`, step: "any" });
    this.field.setAttribute("aria-label", `${label}, exact`);
    this.slider.addEventListener("input", () => {
      const value = this.valueAt(Number(this.slider.value) / SLIDER_STEPS);
      this.field.value = String(value);
      change(value);
    });
    this.field.addEventListener("change", () => {
      if (this.field.value.trim() !== "") change(Number(this.field.value));
    });
    this.row.className = "number";
    this.row.append(name, this.slider, this.field);
  }

  show(value: number, range: [number, number]): void {
    this.range = range;
    if (document.activeElement !== this.field) this.field.value = String(value);
    if (document.activeElement === this.slider &&
        this.valueAt(Number(this.slider.value) / SLIDER_STEPS) === value) return;
    const [low, high] = this.range;
    const part = this.logarithmic ? Math.log(value / low) / Math.log(high / low)
      : (value - low) / (high - low);
    this.slider.value = String(Math.round(part * SLIDER_STEPS));
    this.slider.setAttribute("aria-valuetext", short(value));
  }

  // Returns a number with so few digits that links and commands are short. Each step of the slider
  // still changes it.
  private valueAt(part: number): number {
    const [low, high] = this.range;
    const value = this.logarithmic ? low * (high / low) ** part : low + (high - low) * part;
    if (this.whole) return Math.round(value);
    const digits = Math.max(0, 4 - Math.ceil(Math.log10(high - low)));
    return this.logarithmic ? Number(value.toPrecision(4)) : Number(value.toFixed(digits));
  }
}

export class LabControls {
  private fields = new Map<string, NumberField>();
  private made = "";  // the problem and methods that the fields were made for
  private coordinatesOf = "";  // the problem of which coordinates can be chosen
  private state!: LabState;
  private readonly vary: VaryFields;

  constructor(private readonly catalogue: Catalogue, private readonly change: Change) {
    this.vary = new VaryFields(change);
    const problem = element<HTMLSelectElement>("problem");
    addOptions(problem, catalogue.problems.map(({ name, about }) => [name, `${name}: ${about}`]));
    problem.addEventListener("change", () => this.chooseProblem(problem.value));
    const random = element<HTMLInputElement>("random"), seed = element<HTMLInputElement>("seed");
    const changeSeed = () => change({ seed: random.checked ? Number(seed.value) || 0 : null });
    random.addEventListener("change", changeSeed);
    seed.addEventListener("change", changeSeed);
    const coordinate = element<HTMLSelectElement>("coordinate");
    coordinate.addEventListener("change", () => change({ coordinate: Number(coordinate.value) }));
    const velocity = element<HTMLInputElement>("velocity");
    velocity.addEventListener("change", () => change({ velocity: Number(velocity.checked) }));
    const over = element<HTMLSelectElement>("over");
    over.addEventListener("change", () => change({ over: over.value }));
  }

  show(state: LabState, dimension: number): void {
    this.state = state;
    const problem = this.catalogue.problems.find(({ name }) => name === state.problem)!;
    element<HTMLSelectElement>("problem").value = state.problem;
    element("equation").textContent = problem.equation;
    this.showMethods(state);
    this.vary.show(state, slidersOf(problem, state.methods));
    const key = `${state.problem} ${slidersOf(problem, state.methods).length}`;
    if (key !== this.made) this.makeFields();
    this.made = key;
    const { dt, time } = state;
    this.fields.get("dt")!.show(dt, [Math.min(DT_LOW, dt), Math.max(DT_HIGH, dt)]);
    this.fields.get("time")!.show(time, [Math.min(1, time), Math.max(300, time)]);
    for (const { key, value } of slidersOf(problem, state.methods)) {
      const now = state.settings[key] ?? value;
      this.fields.get(key)!.show(now, rangeOf(key, value, now));
    }
    for (const { key, row } of this.fields.values()) row.hidden = key === state.vary?.key;
    this.showSteps(state, dimension);
  }

  // Keeps the methods if they fit the problem.
  private chooseProblem(problem: string): void {
    const fitting = methodsFor(this.catalogue, problem).map(({ name }) => name);
    const kept = this.state.methods.filter((name) => fitting.includes(name));
    this.change({ problem, methods: kept.length > 0 ? kept : [fitting[0]], settings: {}, vary: null,
                  coordinate: 0, step: 0, stepMethod: 0, from: 0, to: 0 });
  }

  private showSteps({ seed, coordinate, problem, velocity, over }: LabState,
                    dimension: number): void {
    element<HTMLInputElement>("velocity").checked = velocity === 1;
    element<HTMLSelectElement>("over").value = over;
    element<HTMLInputElement>("random").checked = seed !== null;
    element("random-label").hidden = isRotation(problem);
    element("seed-label").hidden = seed === null || isRotation(problem);
    if (seed !== null) element<HTMLInputElement>("seed").value = String(seed);
    const select = element<HTMLSelectElement>("coordinate");
    element("coordinate-label").hidden = dimension === 1;
    if (this.coordinatesOf !== problem || select.options.length !== dimension) {
      this.coordinatesOf = problem;
      const names = problem === "kepler" ? ["x", "y"] : null;
      const each = isRotation(problem) ? "spin about axis" : "mass";
      select.replaceChildren();
      addOptions(select, Array.from({ length: dimension },
                                    (_, i) => [String(i), names?.[i] ?? `${each} ${i + 1}`]));
    }
    select.value = String(Math.min(coordinate, dimension - 1));
  }

  private showMethods({ methods, vary }: LabState): void {
    const host = element("methods");
    host.querySelectorAll(".method").forEach((row) => row.remove());
    methods.forEach((method, i) => host.append(this.methodRow(method, i, methods)));
    if (vary || methods.length >= CURVES_MAX) return;
    const add = document.createElement("button");
    Object.assign(add, { type: "button", textContent: "Add a method", className: "method" });
    add.addEventListener("click", () => {
      const free = methodsFor(this.catalogue, this.state.problem)
        .find(({ name }) => !methods.includes(name))!;
      this.change({ methods: [...methods, free.name] });
      element(`method-${methods.length}`).focus();
    });
    host.append(add);
  }

  private methodRow(method: string, index: number, methods: string[]): HTMLElement {
    const row = document.createElement("div");
    row.className = `method curve-${index + 1}`;
    const select = document.createElement("select");
    select.id = `method-${index}`;
    select.setAttribute("aria-label", `Method ${index + 1}`);
    addOptions(select, methodsFor(this.catalogue, this.state.problem)
      .filter(({ name }) => name === method || !methods.includes(name))
      .map(({ name, title }) => [name, title]));
    select.value = method;
    select.addEventListener("change", () => {
      this.change({ methods: methods.map((old, i) => i === index ? select.value : old) });
      element(`method-${index}`).focus();
    });
    row.append(select);
    if (methods.length > 1) {
      const remove = document.createElement("button");
      Object.assign(remove, { type: "button", textContent: "×", title: "Remove this method" });
      remove.setAttribute("aria-label", `Remove method ${index + 1}`);
      remove.addEventListener("click", () => {
        this.change({ methods: methods.filter((_, i) => i !== index), stepMethod: 0 });
        element("method-0").focus();
      });
      row.append(remove);
    }
    return row;
  }

  private makeFields(): void {
    const host = element("sliders");
    host.querySelectorAll(".number").forEach((row) => row.remove());
    this.fields = new Map();
    const problem = this.catalogue.problems.find(({ name }) => name === this.state.problem)!;
    const add = (key: string, label: string, range: [number, number], logarithmic: boolean,
                 change: (value: number) => void) => {
      const field = new NumberField(key, label, range, logarithmic, key === "n", change);
      this.fields.set(key, field);
      host.append(field.row);
    };
    add("dt", "step dt [s]", [DT_LOW, DT_HIGH], true, (dt) => {
      if (dt > 0) this.change({ dt: Math.max(dt, this.state.time / STEPS_MAX) });
    });
    add("time", "duration [s]", [1, 300], true, (time) => {
      if (!(time > 0)) return;
      this.change({ time: Math.min(time, this.state.dt * STEPS_MAX), from: 0, to: 0 });
    });
    const order = ["k", "k1", "k2", "b"];  // stiffness and damping come first
    const rank = (key: string) => (order.indexOf(key) + 1 || order.length + 1);
    const rest = slidersOf(problem, this.state.methods)
      .sort((a, b) => rank(a.key) - rank(b.key));
    for (const { key, value } of rest) {
      add(key, labelOf(key), rangeOf(key, value, value), false, (now) => {
        const settings = { ...this.state.settings, [key]: now };
        if (now === value) delete settings[key];
        this.change({ settings });
      });
    }
  }
}
