// Loads the wasm module and files of the repository, and makes random numbers, for tests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { InstancedMesh } from "three";
import { Core } from "../../../client/web/src/core";
import type { Bodies } from "../../../client/web/src/view/bodies";

export const root = (path: string): string => join(process.env.ORRERY_ROOT!, path);

export function loadCore(): Core {
  const module = new WebAssembly.Module(readFileSync(process.env.ORRERY_WASM!));
  return new Core(new WebAssembly.Instance(module, {}).exports);
}

// Returns the meshes of drawn bodies.
export const meshesOf = ({ group }: Bodies): InstancedMesh[] =>
  group.children.filter((child) => child instanceof InstancedMesh);

// Takes errors and results that a test does not expect.
export function unexpected(value: unknown): never { assert.fail(String(value)); }

// The golden log of the rules of the module.
export function goldenLog(core: Core): Uint8Array {
  const path = `tests/golden/logs/rules-${core.versions.rules}-format-8.orrery`;
  return new Uint8Array(readFileSync(root(path)));
}

// Returns a generator of numbers from 0 to 1. Tests print its seed.
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x9e3779b9 >>> 0;
    return ((state ^ state >>> 13) >>> 0) / 2 ** 32;
  };
}
