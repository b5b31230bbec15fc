// Shows the list of bodies and all numbers of the selected one.
import type { Frame, Rights, Side } from "../messages";
import type { Shown } from "../view/shown";
import { Control } from "../world";
import { element, fillList } from "./dom";
import { exact, exactPair, short } from "./numbers";

const LISTED_MAX = 2000;
const LIST_MS = 1000;  // between updates of the list
const KINDS = ["rigid", "point", "fixed", "kinematic"];
const CONTROLS = ["nobody", "anyone", "its owner"];
const ROWS: [string, number, number][] = [["position", 0, 3], ["orientation", 3, 4],
                                          ["velocity", 7, 3], ["spin", 10, 3]];

function mayGrab({ control, owner }: Rights): string {
  return CONTROLS[control] + (control === Control.OWNER && owner !== 0n ? `, ${owner}` : "");
}

export class Selection {
  private readonly list = element<HTMLSelectElement>("bodies");
  private readonly panel = this.list.closest("aside")!;
  private listedAt = 0;
  private listed = "";

  constructor(private readonly choose: (body: number | null) => void) {
    this.list.addEventListener("change", () => {
      this.choose(this.list.value === "" ? null : Number(this.list.value));
    });
  }

  // Updates the list of bodies now and then.
  refresh(shown: Shown, selected: number | null): void {
    const now = performance.now();
    if (now - this.listedAt < LIST_MS) return;
    this.listedAt = now;
    const count = Math.min(shown.count, LISTED_MAX);
    const ids = Array.from({ length: count }, (_, i) => shown.id(i));
    const names = ids.map((_, i) => shown.name(i));
    if (names.join() === this.listed) return;
    this.listed = names.join();
    this.list.replaceChildren(new Option("none", ""),
                              ...ids.map((id, i) => new Option(names[i], String(id))));
    this.mark(selected);
  }

  mark(selected: number | null): void {
    this.list.value = selected === null ? "" : String(selected);
    this.panel.classList.toggle("selected", selected !== null);
  }

  // Shows the numbers of a frame.
  show(frame: Frame, shown: Shown, selected: number | null): void {
    const body = selected === null ? null : shown.body(selected);
    if (selected === null || !body) return fillList(element("numbers"), []);
    const rows: [string, string][] = [
      ["id", String(selected)], ["kind", KINDS[body.kind]], ["mass", short(body.mass)],
      ["may grab", mayGrab(frame.selected?.rights ?? body)]];
    const numbersOf = (side: Side | null) =>
      side?.selected?.id === selected ? side.selected.numbers : null;
    const numbers = numbersOf(frame), others = numbersOf(frame.second);
    for (const [name, at, count] of numbers ? ROWS : []) {
      [..."xyzw"].slice(0, count).forEach((axis, i) => {
        const [a, b] = [numbers![at + i], others?.[at + i]];
        const differs = b !== undefined && !Object.is(a, b);
        const texts = differs ? exactPair(a, b) : [exact(a)];
        texts.forEach((text, row) => rows.push([
          row > 0 ? "in b" : i === 0 ? `${name} ${axis}` : axis, text]));
      });
    }
    if (frame.hash) rows.push(["state hash", frame.hash]);
    if (frame.second?.hash) rows.push(["in b", frame.second.hash]);
    fillList(element("numbers"), rows);
  }
}
