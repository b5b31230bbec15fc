// Lets a person play: keys and buttons of the scene, values, notices and messages.
import type { LogFacts, Scene, Status, Value } from "../messages";
import { CommandKind } from "../world";
import { element } from "./dom";
import { GameKeys, type GameRules } from "./game_keys";
import { setValuesOpen, showNotices, showValues } from "./hud";
import { isTaken } from "./keys";

const WATCH = 0;
const BYTES_MAX = 256;  // of a message
const CLICK_MS = 150;  // for which a click without a pointer holds a key
const NAMES = new Map([[" ", "space"], ["ArrowUp", "up"], ["ArrowDown", "down"],
                       ["ArrowLeft", "left"], ["ArrowRight", "right"]]);
const SIGNS = new Map([["space", "Space"], ["up", "↑"], ["down", "↓"], ["left", "←"],
                       ["right", "→"]]);

export class Game {
  private keys: GameKeys;
  private plays = false;  // the person is in a live session, and may give commands
  private hasRules = false;  // values or notices came, so that somebody may read messages
  private readonly codes = new Map<string, string>();  // names of the keys that are down
  private readonly pad = element("pad");
  private readonly say = element<HTMLFormElement>("say");
  private readonly message = element<HTMLInputElement>("message");

  constructor(private readonly rules: GameRules) {
    this.keys = new GameKeys([], rules);
    addEventListener("keydown", (event) => this.down(event), { capture: true });
    addEventListener("keyup", (event) => this.up(event), { capture: true });
    addEventListener("blur", () => this.releaseAll());
    this.say.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.message.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.message.blur();
    });
    element("values-toggle").addEventListener("click", () =>
      setValuesOpen(element("values").hidden));
  }

  // True if the scene maps keys. Then other keys push no body.
  get hasKeys(): boolean { return this.keys.buttons.length > 0; }

  showScene(scene: Scene): void {
    this.releaseAll();
    this.keys = new GameKeys(scene.keys, this.rules);
    this.pad.replaceChildren(...this.keys.buttons.map(({ name, label }) =>
      this.button(name, label)));
    showValues([]);
    this.hasRules = this.hasKeys;
    this.showControls();
  }

  showValues(values: Value[]): void {
    showValues(values);
    this.hasRules ||= values.length > 0;
    this.showControls();
  }

  showNotices(texts: string[]): void {
    showNotices(texts);
    this.hasRules = true;
    this.showControls();
  }

  // Shows the keys and the field for messages while the person may use them.
  show(status: Status | null, log: LogFacts | null): void {
    this.plays = log === null && status !== null && status.connected && status.role !== WATCH;
    if (!this.plays) this.releaseAll();
    this.showControls();
  }

  private showControls(): void {
    element("game").hidden = !this.plays || !this.hasRules;
    this.pad.hidden = !this.hasKeys;
  }

  private button(name: string, label: string): HTMLButtonElement {
    const button = document.createElement("button");
    const sign = document.createElement("kbd");
    sign.textContent = SIGNS.get(name) ?? name.toUpperCase();
    button.type = "button";
    button.append(sign);
    if (label !== name) button.append(` ${label}`);
    const press = (on: boolean) => {
      button.classList.toggle("held", on);
      if (on) this.keys.press(name);
      else this.keys.release(name);
    };
    button.addEventListener("pointerdown", (event) => {
      button.setPointerCapture(event.pointerId);
      press(true);
    });
    for (const end of ["lostpointercapture", "blur"]) {
      button.addEventListener(end, () => press(false));
    }
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    const isClick = ({ key }: KeyboardEvent) => key === "Enter" || key === " ";
    button.addEventListener("keydown", (event) => {
      if (!isClick(event)) return;
      event.preventDefault();  // no click follows
      press(true);
    });
    button.addEventListener("keyup", (event) => { if (isClick(event)) press(false); });
    button.addEventListener("click", ({ detail }) => {
      if (detail !== 0) return;  // of a pointer, which has pressed it already
      press(true);
      setTimeout(() => press(false), CLICK_MS);
    });
    return button;
  }

  private down(event: KeyboardEvent): void {
    if (!this.plays || event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const name = NAMES.get(key) ?? key;
    if (this.keys.has(name)) {
      this.codes.set(event.code, name);
      this.keys.press(name);
    } else if (key === "Enter" && this.hasRules && !(event.target as Element).matches?.("button")) {
      this.message.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();  // the key has no other meaning
  }

  private up(event: KeyboardEvent): void {
    const name = this.codes.get(event.code);
    if (name === undefined) return;
    this.codes.delete(event.code);
    this.keys.release(name);
  }

  private releaseAll(): void {
    this.codes.clear();
    this.keys.releaseAll();
  }

  private send(): void {
    const bytes = new TextEncoder().encode(this.message.value.trim());
    if (bytes.length === 0) return;
    if (bytes.length > BYTES_MAX) {
      return this.rules.refuse(`a message has at most ${BYTES_MAX} bytes, not ${bytes.length}`);
    }
    this.message.value = "";
    this.rules.command({ kind: CommandKind.MESSAGE, bytes, bytes_size: bytes.length });
  }
}
