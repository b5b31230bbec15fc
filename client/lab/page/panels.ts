// The question of a preset, the legend, the table of errors, and the commands.
import { element } from "../../web/src/ui/dom";
import { type Catalogue, methodsFor } from "./catalogue";
import { commandOf, orderCommandOf } from "./command";
import { short } from "./expression";
import { type Preset, PRESETS } from "./presets";
import { isRotation } from "./rotation";
import type { Runs } from "./runs";
import { type LabState } from "./state";

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
    return [...preset.choices, "Show the answer"].map((text, i) => {
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

// Shows the name of each curve, with its hω and the stability limit of its method.
export function showLegend(runs: Runs, catalogue: Catalogue): void {
  const items = runs.runs.map(({ label, choice, error, rows, rate }, i) => {
    const found = methodsFor(catalogue, choice.problem).find(({ name }) => name === choice.method)!;
    const product = choice.dt * rate;
    const order = found.order > 0 ? `order ${found.order}` : "";
    const limit = !(rate > 0 && found.limit < Infinity) ? ""
      : found.limit === 0 ? "no stable step without damping" : `limit ${short(found.limit, 3)}`;
    const now = rate > 0 ? `hω = ${short(product, 3)}` : "";
    const blewUp = rows && rows.times.length <= choice.steps ? " It blew up." : "";
    const facts = [label, order, now, limit].filter(Boolean).join(", ");
    const item = legendItem(`curve-${i + 1}`, error ? `${label}: ${error}` : `${facts}.${blewUp}`);
    item.title = [found.energy && `energy ${found.energy}`, found.source].filter(Boolean)
      .join("; ");
    if (product > found.limit && found.limit > 0) item.dataset.kind = "bad";
    return item;
  });
  const exact = runs.exact.length > 0 ? [legendItem("exact", "exact")] : [];
  element("legend").replaceChildren(...exact, ...items);
}

function legendItem(className: string, text: string): HTMLElement {
  const item = document.createElement("li");
  const line = document.createElement("i");
  line.setAttribute("aria-hidden", "true");
  item.className = className;
  item.append(line, text);
  return item;
}

// Shows the commands of the runs, and of the errors over the step if these are shown.
export function showCommands(state: LabState, runs: Runs): void {
  const choices = runs.runs.filter(({ rows }) => rows).map(({ choice }) => choice);
  const hasOrders = state.over === "dt" && state.vary?.key !== "dt" && !isRotation(state.problem);
  const orders = hasOrders ? choices.map(orderCommandOf) : [];
  element("command-text").textContent = [...choices.map(commandOf), ...orders].join("\n");
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
