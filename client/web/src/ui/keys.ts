// Maps keys to actions. While a field that takes text or arrows has focus, only Escape acts.

export type Actions = {
  toggle(): void, step(ticks: number): void, faster(direction: number): void, pause(): void,
  speed(place: number): void, first(): void, last(): void, follow(): void, viewAll(): void,
  unselect(): void, push(): void,
};

const PUSH_KEYS = new Map([["w", "forward"], ["s", "back"], ["a", "left"], ["d", "right"],
                           ["e", "up"], ["q", "down"]]);

// The keys of actions. No key has two.
const KEYS: [string[], (actions: Actions) => void][] = [
  [[" "], (a) => a.toggle()],
  [["k"], (a) => a.pause()],
  [["ArrowLeft", ","], (a) => a.step(-1)],
  [["ArrowRight", "."], (a) => a.step(1)],
  [["j"], (a) => a.faster(-1)],
  [["l"], (a) => a.faster(1)],
  ...[..."123456789"].map((digit, place): [string[], (actions: Actions) => void] =>
    [[digit], (a) => a.speed(place)]),
  [["Home"], (a) => a.first()],
  [["End"], (a) => a.last()],
  [["f"], (a) => a.follow()],
  [["v"], (a) => a.viewAll()],
  [["Escape"], (a) => a.unselect()],
];
export const KEY_NAMES = [...KEYS.flatMap(([keys]) => keys), ...PUSH_KEYS.keys()];

export class Keys {
  readonly pushed = new Set<string>();  // directions

  constructor(private readonly actions: Actions) {
    addEventListener("keydown", (event) => this.down(event));
    addEventListener("keyup", (event) => this.change(event.key.toLowerCase(), false));
    addEventListener("blur", () => this.release());
  }

  private down(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (PUSH_KEYS.has(key)) return this.change(key, true);
    const found = KEYS.find(([keys]) => keys.includes(key));
    if (!found) return;
    event.preventDefault();
    found[1](this.actions);
  }

  private change(key: string, down: boolean): void {
    const direction = PUSH_KEYS.get(key);
    if (!direction || this.pushed.has(direction) === down) return;
    if (down) this.pushed.add(direction);
    else this.pushed.delete(direction);
    this.actions.push();
  }

  private release(): void {
    if (this.pushed.size === 0) return;
    this.pushed.clear();
    this.actions.push();
  }
}

// Returns true if the element with focus uses the key itself. The time line leaves all keys to
// this table.
export function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.id === "time") return false;
  if (target.matches("select, input[type=number], input[type=text]")) return key !== "Escape";
  return key === " " && target.matches("button, input, label");
}
