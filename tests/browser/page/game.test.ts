// Tests the keys, the values and the permissions of games.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ClientCommand } from "../../../client/web/src/client";
import { describeScene } from "../../../client/web/src/describe";
import { STRUCTS, textOf } from "../../../client/web/src/layout";
import { Log } from "../../../client/web/src/log";
import type { SceneBody, SceneKey, Status } from "../../../client/web/src/messages";
import { Owned } from "../../../client/web/src/owned";
import { GameKeys } from "../../../client/web/src/ui/game_keys";
import { whyNot } from "../../../client/web/src/ui/permission";
import { Values } from "../../../client/web/src/values";
import { seenAs } from "../../../client/web/src/view/push";
import { CommandKind, Control, World, type Command } from "../../../client/web/src/world";
import { loadCore, root } from "./support";

const core = loadCore();

// Returns the world of a scene file at tick 0.
function worldOf(path: string): World {
  const folder = mkdtempSync(join(tmpdir(), "orrery-game-"));
  try {
    const log = join(folder, "a.orrery");
    execFileSync(process.env.ORRERY_TOOL!, ["run", root(path), "--ticks", "1", "--log", log]);
    return World.fromScene(core, new Log(core, [new Uint8Array(readFileSync(log))]).scene());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const soccer = worldOf("server/examples/soccer.json");

const command = (values: Partial<Command>): Command => {
  const at = core.struct(STRUCTS.command, values);
  return STRUCTS.command.read(core.view, at);
};

// Returns keys whose commands are kept in `given`. The player looks along -z, and drives body 4.
function keysOf(keys: SceneKey[], own: number | null = 4) {
  const given: ClientCommand[] = [], refused: string[] = [];
  const game = new GameKeys(keys, { own: () => own, forward: () => [0, -0.6, -0.8],
                                    command: (each) => given.push(each),
                                    refuse: (why) => refused.push(why) });
  const last = () => given.at(-1)!;
  return { game, given, refused, last };
}

test("the keys of a scene reach the page", () => {
  const { keys } = describeScene(soccer);
  assert.deepEqual(keys.map(({ name }) => name), ["w", "a", "s", "d", "space"]);
  assert.deepEqual(keys.map(({ label }) => label), ["ahead", "left", "back", "right", "kick"]);
  const [ahead, , , , kick] = keys;
  assert.ok(ahead.own && ahead.pressed.kind === CommandKind.THRUST);
  assert.deepEqual(ahead.pressed.first, [0, 0, -280]);
  assert.deepEqual(ahead.released!.first.map(Math.abs), [0, 0, 0]);
  assert.ok(!kick.own && kick.released === null);
  assert.equal(textOf(kick.pressed.bytes.subarray(0, kick.pressed.bytes_size)), "kick");
});

test("forces of held keys are added, and end with the keys", () => {
  const { game, given, last } = keysOf(describeScene(soccer).keys);
  game.press("w");
  assert.deepEqual([last().subject, last().first], [4, [0, 0, -280]]);
  game.press("w");  // a key that repeats
  assert.equal(given.length, 1);
  game.press("d");
  assert.deepEqual(last().first, [280, 0, -280]);
  game.release("w");
  assert.deepEqual(last().first!.map((x) => x + 0), [280, 0, 0]);
  game.releaseAll();
  assert.deepEqual(last().first, [0, 0, 0]);
  assert.equal(given.length, 4);
  game.release("d");  // it is not held
  game.press("x");  // no key of the scene
  assert.equal(given.length, 4);
});

test("a vector turns with the eyes of the player, and only about the vertical axis", () => {
  assert.deepEqual(seenAs([1, 2, 3], [0, -5, -1]).map((x) => x + 0), [1, 2, 3]);
  assert.deepEqual(seenAs([0, 0, -1], [1, -1, 0]).map((x) => x + 0), [1, 0, 0]);
  assert.deepEqual(seenAs([1, 0, 0], [1, -1, 0]).map((x) => x + 0), [0, 0, 1]);
});

test("a player without a body is told so", () => {
  const { game, given, refused } = keysOf(describeScene(soccer).keys, null);
  game.press("w");
  assert.deepEqual([given.length, refused.length], [0, 1]);
  game.press("space");  // a message needs no body
  assert.equal(given.length, 1);
});

const drive = (name: string, subject: number, kind: number, first: number[],
               released: number[] | null): SceneKey => ({
  name, label: name, own: false, pressed: command({ kind, subject, first }),
  released: released && command({ kind, subject, first: released }) });

test("a key drives several motors, and speeds of held keys are added", () => {
  const motor = (name: string, joint: number, speed: number) =>
    drive(name, joint, CommandKind.SET_MOTOR, [speed, 50, 0], [0, 50, 0]);
  const { game, given, last } = keysOf([motor("w", 0, 8), motor("w", 1, 8), motor("a", 0, -3),
                                        motor("a", 1, 3)]);
  game.press("w");
  assert.deepEqual(given.map(({ subject }) => subject), [0, 1]);
  game.press("a");
  assert.deepEqual(given.slice(2).map(({ first }) => first), [[5, 50, 0], [11, 50, 0]]);
  game.release("w");
  game.release("a");
  assert.deepEqual(last().first, [0, 50, 0]);  // the motor brakes
});

test("a joint keeps the target of the key that was pressed last", () => {
  const target = (name: string, position: number, released: number | null) =>
    drive(name, 2, CommandKind.SET_TARGET, [position, 3, 1],
          released === null ? null : [released, 3, 1]);
  const { game, given, last } = keysOf([target("a", -1, 0), target("d", 1, 0),
                                        target("o", 2, null)]);
  game.press("a");
  game.press("d");
  assert.equal(last().first![0], 1);
  game.release("d");
  assert.equal(last().first![0], -1);  // a is still held
  game.release("a");
  assert.equal(last().first![0], 0);
  game.press("o");
  game.release("o");
  assert.equal(last().first![0], 2);  // it stays
  assert.equal(given.length, 5);
});

const JOIN = (client: number) => command({ kind: CommandKind.JOIN, subject: client, role: 1 });
const control = (subject: number, account: bigint) =>
  command({ kind: CommandKind.SET_CONTROL, subject, control: Control.OWNER, account });

test("bodies that rules give are owned, and are not when they are taken", () => {
  const owned = new Owned();
  assert.deepEqual(owned.find(soccer, 3n), []);
  soccer.step([JOIN(3), { ...control(6, 3n), sequence: 1 }]);
  assert.deepEqual(owned.find(soccer, 3n), [6]);
  const status = { connected: true, role: 1, account: 0n, client: 3 } as Status;
  const may = (id: number, as = status) =>
    whyNot({ kind: 1, control: 2, name: "red" } as SceneBody, soccer.rights(id), as, null);
  assert.equal(may(6), null);
  assert.match(may(6, { ...status, client: 4 })!, /another player/);
  assert.match(may(6, { ...status, account: 9n })!, /another player/);
  assert.match(may(5)!, /belongs to nobody/);
  assert.equal(may(5, { ...status, role: 2 }), null);
  soccer.step([{ ...control(6, 0n), sequence: 2 }]);
  assert.deepEqual(owned.find(soccer, 3n), []);
});

test("values are read when they change, also if they are no text", () => {
  const values = new Values();
  assert.equal(values.read(soccer), null);
  let sequence = 10;
  const set = (key: string, bytes: Uint8Array) => {
    const name = new TextEncoder().encode(key);
    soccer.step([command({ kind: CommandKind.SET_VALUE, sequence: ++sequence, key: name,
                           key_size: name.length, bytes, bytes_size: bytes.length })]);
  };
  set("hud/score", new TextEncoder().encode("1:0"));
  assert.deepEqual(values.read(soccer), [{ key: "hud/score", text: "1:0" }]);
  assert.equal(values.read(soccer), null);
  set("a", new Uint8Array([255, 254]));
  assert.deepEqual(values.read(soccer), [{ key: "a", text: "(2 bytes)" },
                                         { key: "hud/score", text: "1:0" }]);
  set("hud/score", new Uint8Array());
  set("a", new Uint8Array());
  assert.deepEqual(values.read(soccer), []);
});
