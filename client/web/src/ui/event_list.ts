// Shows the events of a log as a list. A row selects its tick, and a tick its row.
import type { LogEvent } from "../messages";
import { element, setText } from "./dom";

const ROWS_MAX = 400;  // a longer list shows a part around the tick

export type Row = { event: LogEvent, text: string };

export class EventList {
  private readonly list = element<HTMLSelectElement>("events");
  private readonly panel = element("happened");
  private all: Row[] = [];
  private rows: Row[] = [];  // of the chosen kinds
  private first = -1;  // place of the first row in the list
  private tick = 0;
  private full: number | null = null;

  constructor(seek: (tick: number) => void) {
    this.list.addEventListener("change", () => seek(this.rows[Number(this.list.value)].event.tick));
    for (const box of this.boxes) box.addEventListener("change", () => this.filter());
  }

  private get boxes(): HTMLInputElement[] {
    return [...this.panel.querySelectorAll<HTMLInputElement>("input[type=checkbox]")];
  }

  // Shows other events, which ascend by tick. Hits from the tick `full` on are missing.
  set(rows: Row[], full: number | null): void {
    this.all = rows;
    this.full = full;
    this.filter();
  }

  private filter(): void {
    const kinds = this.boxes.filter(({ checked }) => checked).map(({ value }) => value);
    this.rows = this.all.filter(({ event }) => kinds.includes(event.kind));
    this.first = -1;
    this.show(this.tick);
  }

  // Opens or closes the panel.
  toggle(): void {
    this.panel.hidden = !this.panel.hidden;
    element("events-toggle").setAttribute("aria-expanded", String(!this.panel.hidden));
    this.show(this.tick);
  }

  // Marks the newest event at a tick. Of several events in a tick, the chosen one stays marked.
  show(tick: number): void {
    this.tick = tick;
    if (this.panel.hidden) return;
    const marked = this.list.value === "" || this.first < 0 ? null
      : this.rows[Number(this.list.value)];
    if (marked?.event.tick === tick) return;
    const index = this.newest(tick);
    this.fill(index);
    const value = index < 0 ? "" : String(index);
    if (this.list.value !== value) this.list.value = value;
  }

  // Returns the place of the last row at or before a tick, or -1.
  private newest(tick: number): number {
    let low = 0, high = this.rows.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (this.rows[middle].event.tick <= tick) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  // Fills the list with the rows around a place, if they are not near its middle already.
  private fill(index: number): void {
    const last = Math.max(0, this.rows.length - ROWS_MAX);
    const first = Math.min(Math.max(index - ROWS_MAX / 2, 0), last);
    if (this.first >= 0 && Math.abs(first - this.first) < ROWS_MAX / 4) return;
    this.first = first;
    this.list.replaceChildren(...this.rows.slice(first, first + ROWS_MAX).map(
      ({ event, text }, i) => new Option(`${event.tick}  ${text}`, String(first + i))));
    const count = this.rows.length;
    setText(element("events-note"),
            (count === 1 ? "1 event" : `${count} events`) +
            (this.full === null ? "" : `. Hits from tick ${this.full} on are not listed`));
  }
}
