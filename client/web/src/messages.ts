// The messages between the page and its worker, and the data in them. A film has no server.
import type { ClientCommand } from "./client";
import type { Vec } from "./vec";
import type { Body, Command, Part, Totals } from "./world";

// A body of the scene. Each shown body is one of these or a copy of one.
export type SceneBody = Body & { shapes: Part[] };

// A line between points of two bodies, in body coordinates. If `b` is null, `atB` is a point of the
// world.
export type Link = { a: number, b: number | null, atA: Vec, atB: Vec };

// A key that the scene maps to a command. `name` is a character, or "space", "up", "down", "left"
// or "right". `own`: the subject of its commands is the body that the player owns. The force of a
// command is as the player sees it: x to the right, y up, z to the player.
export type SceneKey = { name: string, label: string, own: boolean, pressed: Command,
                         released: Command | null };

// `inSi` is true if the units are of SI.
export type Scene = { name: string, tickRate: number, tickTime: number, inSi: boolean,
                      bodies: SceneBody[], links: Link[], keys: SceneKey[] };

// A value of the session.
export type Value = { key: string, text: string };

// The clients that may command a body now.
export type Rights = { control: number, owner: bigint };

// Facts about the live session. `problem` says why the client is not connected. `needsToken`: the
// person must bring a token.
export type Status = {
  connected: boolean, problem: string, needsToken: boolean, client: number, role: number,
  account: bigint,  // 0: tokens of this server name no accounts
  tick: number,
  roundTripMs: number, jitterMs: number, lossPercent: number, kbitPerSecond: number,
  leadTicks: number, ticksChecked: number, refused: number, diverged: number | null,
  owned: number[],  // ids of bodies that belong to this client
};

// The bytes of a log: its files, in order. A missing file is empty.
export type LogFiles = { name: string, parts: ArrayBuffer[] };

// A log that was opened. `second` names a second log, if one is open. `inSi` is true if its units
// are of SI.
export type LogFacts = {
  name: string, second: string | null, last: number, tickRate: number, fault: string,
  otherRules: boolean, inSi: boolean,
};

// A command of a tick, but no new target of a grab. The kind `join` includes leaves.
export type CommandEvent = {
  kind: "join" | "command", tick: number, command: number, client: number, subject: number,
  role: number, account: bigint,
  key: string, text: string,  // of a value, a message or a tell; otherwise empty
};
export type HitEvent = { kind: "hit", tick: number, a: number, b: number, speed: number };
export type LogEvent = CommandEvent | HitEvent;

// The energy and the size of the momentum after a tick.
export type Point = { tick: number, energy: number, momentum: number };

// The events and points since the last part. `hitsEnd` is the tick in which the list of hits became
// full, if this part reached it. `done`: it is the last part.
export type HistoryPart = { events: LogEvent[], points: Point[], hitsEnd: number | null,
                            done: boolean };

// The bodies of a world. `rows` and `totals` are null if there is nothing new to show. Without an
// exact state, `hash` is empty and `selected` is null. The live session has no totals.
export type Side = {
  rows: ArrayBuffer | null, totals: Totals | null, hash: string,
  selected: { id: number, numbers: Float64Array, rights: Rights } | null,
};

// The bodies at a moment, and the bodies of a second log. `ghost` has the bodies of another world
// at this moment: of the broken one, or of the exact one if the live session shows other poses.
// Its `rows` are null if they did not change. The live session has no `memory`. `values` are null
// if they did not change.
export type Frame = Side & {
  values: Value[] | null,
  tick: number, exact: boolean, live: boolean, speed: number, second: Side | null,
  ghost: { rows: ArrayBuffer | null } | null, memory: Memory | null,
};

// The bytes of the poses and images of opened logs.
export type Memory = { bytes: number, bytesMax: number };

export type Verified = {
  ticks: number, last: number, done: boolean, divergent: number | null, fault: string,
};

// Two worlds that part, from the first tick that differs. The distance is the largest of all
// bodies, in the scene's unit. `first` is the first number that differs, if it was found.
export type Parting = {
  tick: number, first: { body: number, field: string, a: number, b: number } | null,
  points: { tick: number, distance: number, bodies: number }[], done: boolean,
};

// A point of a body. `rights` are null if the page does not know them.
export type Pick = { body: number, point: number[], rights: Rights | null };

export type ToWorker =
  | { kind: "start", module: string | ArrayBuffer, server: string | null,
      waits: boolean }  // for a token of the person
  | { kind: "token", token: ArrayBuffer }
  | { kind: "frame" }
  | { kind: "mode", mode: number }
  | { kind: "ghost", on: boolean }
  | { kind: "command", command: ClientCommand }
  | { kind: "select", body: number | null }
  | { kind: "pick", ticket: number, near: Pick, origin: number[], along: number[] }
  | { kind: "open", logs: LogFiles[], tick: number }
  | { kind: "review", tick: number | null }
  | { kind: "seek", tick: number, dragging: boolean }
  | { kind: "play", speed: number }
  | { kind: "live" }
  | { kind: "verify" }
  | { kind: "break", body: number, field: string, bit: number };

export type ToPage =
  | { kind: "started" }  // always the first
  | { kind: "scene", scene: Scene, second: Scene | null }
  | { kind: "status", status: Status }
  | { kind: "frame", frame: Frame }
  | { kind: "picked", ticket: number, pick: Pick }
  | { kind: "notices", texts: string[] }
  | { kind: "log", log: LogFacts | null }
  | { kind: "loading", part: number }
  | { kind: "history", second: boolean, part: HistoryPart }
  | { kind: "verified", verified: Verified }
  | { kind: "broken", parting: Parting }
  | { kind: "compared", parting: Parting | null, ticks: number, unknown: string }
  | { kind: "problem", text: string, fatal: boolean };
