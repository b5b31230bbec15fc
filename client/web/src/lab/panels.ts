// The question of a preset, the legend, the table of errors, and the commands.
import { element } from "../ui/dom";
import type { Catalogue } from "./catalogue";
import { commandOf } from "./command";
import { short } from "./expression";
import { type Preset, PRESETS } from "./presets";
import type { Runs } from "./runs";
import { type LabState, stepsOf } from "./state";

export class QuestionPanel {
  private chosen = -1;
  private shown = "";

  constructor(open: (preset: Preset | null) => void,
              private readonly answer: () => void) {
    const select = element<HTMLSelectElement>("preset");
    for (const source of new Set(PRESETS.map((preset) => preset.source))) {
      const group = document.createElement("optgroup");
      group.label = source;
      group.append(...PRESETS.filter((preset) => preset.source === source)
        .map(({ name, title }) => new Option(title, name)));
      select.append(group);
    }
    select.addEventListener("change", () =>
      open(PRESETS.find(({ name }) => name === select.value) ?? null));
  }

  show({ preset: name, answered }: LabState): void {
    const preset = PRESETS.find((each) => each.name === name);
    element<HTMLSelectElement>("preset").value = preset?.name ?? "";
    element("question").hidden = !preset;
    if (!preset) return;
    if (this.shown !== name) {
      this.chosen = -1;
      this.shown = preset.name;
      element("source").textContent = preset.source;
      element("ask").textContent = preset.ask;
      element("choices").replaceChildren(...this.buttons(preset));
    }
    const right = this.chosen === preset.right;
    const verdict = this.chosen < 0 ? "" : right ? "Right. " : "Not quite. ";
    element("answer").textContent = answered ? verdict + preset.answer : "";
    element("look").textContent = answered ? preset.look : "";
    element("choices").querySelectorAll("button").forEach((button, i) => {
      button.disabled = answered;
      button.dataset.kind = answered && i === preset.right ? "right"
        : answered && i === this.chosen ? "wrong" : "";
      button.hidden = answered && i === preset.choices.length;
    });
  }

  private buttons(preset: Preset): HTMLButtonElement[] {
    return [...preset.choices, "Just show it"].map((text, i) => {
      const button = document.createElement("button");
      button.textContent = text;
      button.addEventListener("click", () => {
        this.chosen = i < preset.choices.length ? i : -1;
        this.answer();
      });
      return button;
    });
  }
}

// Shows the name of each curve, with the share of its stability limit.
export function showLegend(state: LabState, runs: Runs, catalogue: Catalogue, rate: number): void {
  const rows = runs.runs.map(({ method, error, rows }, i) => {
    const item = document.createElement("li");
    item.className = `curve-${i + 1}`;
    const found = catalogue.methods.find(({ name }) => name === method)!;
    const order = found.order > 0 ? `, order ${found.order}` : "";
    const blewUp = rows && rows.times.length <= stepsOf(state) ? " It blew up." : "";
    const product = state.dt * rate;
    const limit = rate > 0 && found.limit < Infinity
      ? found.limit === 0 ? ", no stable step without damping"
        : Number.isNaN(found.limit) ? "" : `, limit hω = ${short(found.limit, 3)}` : "";
    const line = document.createElement("i");
    line.setAttribute("aria-hidden", "true");
    item.append(line, error ? `${method}: ${error}` : `${method}${order}${limit}.${blewUp}`);
    item.title = [found.energy && `energy ${found.energy}`, found.source].filter(Boolean)
      .join("; ");
    if (product > found.limit && found.limit > 0) item.dataset.kind = "bad";
    return item;
  });
  const exact = document.createElement("li");
  exact.className = "exact";
  const line = document.createElement("i");
  line.setAttribute("aria-hidden", "true");
  exact.append(line, rate > 0 ? `exact; hω = ${short(state.dt * rate, 3)}` : "exact");
  element("legend").replaceChildren(exact, ...rows);
}

export function showCommands(runs: Runs): void {
  element("command-text").textContent =
    runs.runs.filter(({ rows }) => rows).map(({ choice }) => commandOf(choice)).join("\n");
}

// Copies a text. Without a secure connection browsers have no clipboard; then it is selected.
export async function copy(text: string, shown: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(shown);
    return false;
  }
}
