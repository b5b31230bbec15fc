// Turns the held keys of a game into commands, as its scene says.
import type { ClientCommand } from "../client";
import type { SceneKey } from "../messages";
import type { Vec } from "../vec";
import { seenAs } from "../view/push";
import { CommandKind } from "../world";

export type GameRules = {
  own(): number | null,  // the body that the player drives
  forward(): Vec,  // into the picture
  command(command: ClientCommand): void,
  refuse(why: string): void,
};

// A held key, and the body or joint that its command is for.
type Held = { key: SceneKey, subject: number };

const ADDED = [CommandKind.THRUST, CommandKind.TORQUE, CommandKind.SET_MOTOR];
const TURNED = [CommandKind.THRUST, CommandKind.TORQUE, CommandKind.IMPULSE];

export class GameKeys {
  private held: Held[] = [];  // in the order in which they were pressed

  constructor(private readonly keys: SceneKey[], private readonly rules: GameRules) {}

  // Returns the keys for buttons, each once, with its labels.
  get buttons(): { name: string, label: string }[] {
    const names = [...new Set(this.keys.map(({ name }) => name))];
    return names.map((name) => ({
      name, label: [...new Set(this.keys.filter((key) => key.name === name)
        .map(({ label }) => label))].join(", ") }));
  }

  has(name: string): boolean { return this.keys.some((key) => key.name === name); }

  press(name: string): void {
    if (this.held.some(({ key }) => key.name === name)) return;
    for (const key of this.keys.filter((each) => each.name === name)) {
      const subject = key.own ? this.rules.own() : key.pressed.subject;
      if (subject === null) return this.rules.refuse("there is no body that you may move");
      this.held.push({ key, subject });
      this.rules.command(this.sum({ key, subject }) ?? { ...this.turned(key), subject });
    }
  }

  release(name: string): void {
    const ended = this.held.filter(({ key }) => key.name === name);
    this.held = this.held.filter(({ key }) => key.name !== name);
    for (const each of ended) {
      const { key: { released, pressed }, subject } = each;
      if (!released) continue;
      const other = this.like(each).at(-1);  // the joint keeps the target of a key that is held
      const isTarget = pressed.kind === CommandKind.SET_TARGET;
      this.rules.command(this.sum(each) ?? (isTarget && other ? other.key.pressed
        : { ...released, subject }));
    }
  }

  releaseAll(): void {
    for (const { key } of [...this.held]) this.release(key.name);
  }

  // Returns the held keys with the same kind of command for the same body or joint.
  private like({ key, subject }: Held): Held[] {
    return this.held.filter((each) => each.subject === subject &&
                                      each.key.pressed.kind === key.pressed.kind);
  }

  // Returns the command with the sum of the forces, or speeds, of all held keys like this one, or
  // null if they are not added.
  private sum(of: Held): ClientCommand | null {
    const { pressed: { kind, first: [, max] } } = of.key;
    if (!ADDED.includes(kind)) return null;
    const all = this.like(of).map(({ key }) => this.turned(key).first!);
    const added = [0, 1, 2].map((i) => all.reduce((sum, first) => sum + first[i], 0));
    if (kind === CommandKind.SET_MOTOR) {
      added[1] = Math.max(...all.map((first) => first[1]), all.length > 0 ? 0 : max);
    }
    return { kind, subject: of.subject, first: added };
  }

  // Returns the command of a key, with its force turned from the eyes of the player to the world.
  private turned({ pressed }: SceneKey): ClientCommand {
    if (!TURNED.includes(pressed.kind)) return pressed;
    return { ...pressed, first: seenAs(pressed.first as Vec, this.rules.forward()) };
  }
}
