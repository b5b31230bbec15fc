// The fields for a comparison: of methods, or of several values of one number.
import { addOptions, element } from "../../web/src/ui/dom";
import { labelOf, type Parameter } from "./catalogue";
import { CURVES_MAX, DT_MIN, type LabState, readValues, STEPS_MAX } from "./state";

const WRONG = `Up to ${CURVES_MAX} numbers, with commas between them`;

// Returns values to begin with: the present one is among them, unless others show more.
function firstValues(key: string, now: number): number[] {
  if (key === "dt") return [now, now / 2, now / 4];
  if (key === "e") return [0, 0.3, 0.6, 0.9];
  if (key === "n") return [1, 2, 4, 8];
  return now === 0 ? [0, 1, 2] : [now / 2, now, 2 * now];
}

export class VaryFields {
  private readonly select = element<HTMLSelectElement>("vary");
  private readonly field = element<HTMLInputElement>("vary-values");
  private made = "";
  private state!: LabState;
  private parameters: Parameter[] = [];

  constructor(private readonly change: (patch: Partial<LabState>) => void) {
    this.select.addEventListener("change", () => this.choose(this.select.value));
    this.field.addEventListener("input", () => this.field.setCustomValidity(""));
    this.field.addEventListener("change", () => this.read());
  }

  // `parameters` are the numbers that have a slider.
  show(state: LabState, parameters: Parameter[]): void {
    this.state = state;
    this.parameters = parameters.filter(({ key }) => key !== "beta" && key !== "gamma");
    const keys = this.parameters.map(({ key }) => key);
    if (this.made !== keys.join()) {
      this.made = keys.join();
      this.select.replaceChildren();
      addOptions(this.select, [["", "methods"], ["dt", "values of the step dt"],
                               ...keys.map((key): [string, string] =>
                                 [key, `values of ${labelOf(key)}`])]);
    }
    this.select.value = state.vary?.key ?? "";
    element("vary-label").hidden = !state.vary;
    if (state.vary && document.activeElement !== this.field) {
      this.field.value = state.vary.values.join(", ");
      this.field.setCustomValidity("");
    }
  }

  private choose(key: string): void {
    if (key === "") return this.change({ vary: null, stepMethod: 0 });
    const { dt, settings, methods } = this.state;
    const usual = this.parameters.find((each) => each.key === key)?.value ?? 0;
    const values = firstValues(key, key === "dt" ? dt : settings[key] ?? usual);
    this.change({ vary: { key, values: this.allowed(key, values) }, methods: methods.slice(0, 1),
                  stepMethod: 0 });
  }

  private read(): void {
    const values = readValues(this.field.value);
    const { key } = this.state.vary!;
    if (values) return this.change({ vary: { key, values: this.allowed(key, values) },
                                     stepMethod: 0 });
    this.field.setCustomValidity(WRONG);
    this.field.reportValidity();
  }

  // Makes steps so long that a run has at most STEPS_MAX of them.
  private allowed(key: string, values: number[]): number[] {
    return key !== "dt" ? values
      : values.map((dt) => Math.max(dt, DT_MIN, this.state.time / STEPS_MAX));
  }
}
