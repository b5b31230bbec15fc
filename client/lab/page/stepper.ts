// Steps forward and back, and shows the numbers of one step in the formula.
import { addOptions, element } from "../../web/src/ui/dom";
import { short } from "./expression";
import type { LabModule } from "./module";
import type { Runs } from "./runs";
import type { LabState } from "./state";
import { stepNumbers } from "./step_numbers";

// Returns a name with its index below it: x0 becomes x₀, and xp x₋₁.
export function nameOf(name: string): string {
  const indices: Record<string, string> = { p: "₋₁", q: "₋₂", r: "₋₃", e: "ₑ", m: "ₘ", s: "ₛ",
                                            0: "₀", 1: "₁", 2: "₂" };
  if (name.length === 1 || !/^[xvath]\w$/.test(name)) return name;
  return name[0] + (indices[name[1]] ?? name[1]);
}

function pretty(text: string): string {
  return text.replace(/\b[a-z]\w*/g, (name) => nameOf(name));
}

export class Stepper {
  private last = 0;

  constructor(private readonly module: LabModule,
              private readonly change: (patch: Partial<LabState>) => void) {
    const range = element<HTMLInputElement>("step");
    range.addEventListener("input", () => this.go(Number(range.value)));
    element("first").addEventListener("click", () => this.go(0));
    element("last").addEventListener("click", () => this.go(this.last));
    element("back").addEventListener("click", () => this.move(-1));
    element("forward").addEventListener("click", () => this.move(1));
    const select = element<HTMLSelectElement>("step-method");
    select.addEventListener("change", () => change({ stepMethod: Number(select.value) }));
  }

  private step = 0;

  go(step: number): void { this.change({ step: Math.min(Math.max(step, 0), this.last) }); }
  move(steps: number): void { this.go(this.step + steps); }
  toLast(): void { this.go(this.last); }

  show(state: LabState, runs: Runs): void {
    const index = Math.min(state.stepMethod, runs.runs.length - 1);
    const { rows, choice, error } = runs.select(index);
    this.last = Math.max(0, ...runs.runs.map((run) => (run.rows?.times.length ?? 0) - 2));
    this.step = Math.min(state.step, this.last);
    const range = element<HTMLInputElement>("step");
    range.max = String(this.last);
    range.value = String(this.step);
    this.showRuns(runs, index);
    for (const id of ["first", "back"]) element<HTMLButtonElement>(id).disabled = this.step === 0;
    for (const id of ["forward", "last"]) {
      element<HTMLButtonElement>(id).disabled = this.step === this.last;
    }
    const times = rows && this.step + 1 < rows.times.length
      ? `, t = ${short(rows.times[this.step])} to ${short(rows.times[this.step + 1])} s` : "";
    element("step-text").textContent = `step ${this.step + 1} of ${this.last + 1}${times}`;
    range.setAttribute("aria-valuetext", element("step-text").textContent!);
    const hidden = !state.answered;
    const numbers = rows && !hidden
      ? stepNumbers(this.module, choice, rows, this.step, state.coordinate) : null;
    this.fill(numbers?.lines.map(({ name, formula, numbers, value }) =>
      [`${nameOf(name)} =`, pretty(formula), `= ${pretty(numbers)}`, `= ${value}`]) ?? []);
    element("step-note").textContent = hidden ? "Answer the question first." : error ||
      (numbers ? numbers.note : this.whyNot(rows !== null && this.step + 1 >= rows.times.length));
  }

  private whyNot(ended: boolean): string {
    return ended ? "The run of this method blew up before this step."
      : "This page has no formula of this method on this problem. The table below has its errors.";
  }

  private showRuns({ runs }: Runs, index: number): void {
    const select = element<HTMLSelectElement>("step-method");
    const labels = runs.map(({ label }) => label);
    if ([...select.options].map(({ text }) => text).join() !== labels.join()) {
      select.replaceChildren();
      addOptions(select, labels.map((label, i) => [String(i), label]));
    }
    select.value = String(index);
    element("lines").className = `curve-${index + 1}`;
  }

  // Keeps the rows if their number stays, so that nothing moves while a person steps.
  private fill(lines: string[][]): void {
    const body = element("lines").querySelector("tbody")!;
    if (body.rows.length !== lines.length) {
      body.replaceChildren(...lines.map(() => {
        const row = document.createElement("tr");
        row.append(document.createElement("th"),
                   ...[0, 1, 2].map(() => document.createElement("td")));
        return row;
      }));
    }
    lines.forEach((cells, i) => cells.forEach((text, j) => {
      body.rows[i].cells[j].textContent = text;
    }));
  }
}
