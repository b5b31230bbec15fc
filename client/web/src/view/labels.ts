// Shows the names of bodies next to them: of the selected one, and of those of the player.
import { moves, type Shown } from "./shown";
import type { Stage } from "./stage";

const LABELS_MAX = 60;

export class Labels {
  all = false;  // names all bodies that move, not only the selected one
  private readonly pool: HTMLElement[] = [];

  constructor(private readonly stage: Stage, private readonly layer: HTMLElement) {}

  draw(worlds: Shown[], selected: number | null, owned: number[]): void {
    let used = 0;
    worlds.forEach((shown, world) => {
      for (let i = 0; i < shown.count && used < LABELS_MAX; ++i) {
        const id = shown.id(i);
        const isOwn = owned.includes(id);
        if (id !== selected && !isOwn && !(this.all && moves(shown.describe(i)))) continue;
        const at = this.stage.project(shown.position(i), world);
        if (at) this.place(used++, isOwn ? `${shown.name(i)} (you)` : shown.name(i), at);
      }
    });
    this.pool.slice(used).forEach((label) => { label.hidden = true; });
  }

  private place(index: number, text: string, [x, y]: [number, number]): void {
    const label = this.pool[index] ??= this.layer.appendChild(document.createElement("span"));
    label.hidden = false;
    if (label.textContent !== text) label.textContent = text;
    label.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  }
}
