// The messages between the page and its worker, and the data in them.
import type { ClientCommand } from "./client";
import type { Body, Part } from "./world";

// A body of the scene. Each shown body is one of these or a copy of one.
export type SceneBody = Body & { shapes: Part[] };

export type Scene = { name: string, tickRate: number, tickTime: number, bodies: SceneBody[] };

// Facts about the live session. `problem` says why the client is not connected.
export type Status = {
  connected: boolean, problem: string, client: number, role: number, tick: number,
  roundTripMs: number, jitterMs: number, lossPercent: number, kbitPerSecond: number,
  leadTicks: number, ticksChecked: number, diverged: number | null,
};

// A log that was opened. Marks are ticks with commands. The kind `join` includes leaves.
export type LogFacts = {
  name: string, last: number, tickRate: number, fault: string, otherRules: boolean,
  marks: { tick: number, kind: MarkKind }[],
};
export type MarkKind = "join" | "grab" | "other";

// The bodies at a moment. `rows` is null if there is nothing new to draw.
export type Frame = {
  tick: number, rows: ArrayBuffer | null, exact: boolean, live: boolean, speed: number,
  hash: string, selected: { id: number, numbers: Float64Array } | null,
};

export type Verified = {
  ticks: number, last: number, done: boolean, divergent: number | null, fault: string,
};

// Two worlds that part: the distance is the largest of all bodies, in the scene's unit.
export type Broken = {
  tick: number, body: number, field: string, before: number, after: number,
  points: { tick: number, distance: number, bodies: number }[], done: boolean,
};

export type Pick = { body: number, point: number[] };

export type ToWorker =
  | { kind: "start", wasm: string, server: string }
  | { kind: "frame" }
  | { kind: "mode", mode: number }
  | { kind: "command", command: ClientCommand }
  | { kind: "select", body: number | null }
  | { kind: "pick", ticket: number, origin: number[], along: number[] }
  | { kind: "file", name: string, bytes: ArrayBuffer }
  | { kind: "review", tick: number | null }
  | { kind: "seek", tick: number, dragging: boolean }
  | { kind: "play", speed: number }
  | { kind: "live" }
  | { kind: "verify" }
  | { kind: "break", body: number, field: string, bit: number };

export type ToPage =
  | { kind: "scene", scene: Scene }
  | { kind: "status", status: Status }
  | { kind: "frame", frame: Frame }
  | { kind: "picked", ticket: number, pick: Pick | null }
  | { kind: "log", log: LogFacts | null }
  | { kind: "loading", part: number }
  | { kind: "verified", verified: Verified }
  | { kind: "broken", broken: Broken }
  | { kind: "problem", text: string, fatal: boolean };
