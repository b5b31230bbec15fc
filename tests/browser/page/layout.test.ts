// Tests the layouts of structs: their names, sizes, and reads after writes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { STRUCTS } from "../../../client/web/src/layout";
import { loadCore, root } from "./support";

test("every struct of the header has a layout", () => {
  const header = readFileSync(root("client/api/orrery.h"), "utf8");
  const names = [...header.matchAll(/^} orrery_(\w+);/gm)].map(([, name]) => name);
  assert.deepEqual(Object.keys(STRUCTS), names);
  assert.equal(STRUCTS.versions.offsets.log_format, 24);
});

test("sizes are those of the library, which refuses others", () => {
  const core = loadCore();
  const at = core.slot("test", 4096);
  core.view.setUint32(at, STRUCTS.versions.size - 4, true);
  assert.ok(core.run("orrery_version", at) < 0);
  core.view.setUint32(at, STRUCTS.versions.size, true);
  assert.equal(core.run("orrery_version", at), 0);
});

test("values that were written are read again", () => {
  const view = new DataView(new ArrayBuffer(512));
  const values = { kind: 3, client: 2, sequence: 1, subject: 0xffffffff, role: -1,
                   first: [1, 2, 3], second: [-1.5, 0, 0.25], account: 2n ** 63n + 5n,
                   control: 2, ticks: 7, third: [4, 5, 6], orientation: [0, 0, 0, 1], key_size: 3,
                   bytes_size: 4, key: new Uint8Array(64).fill(107),
                   bytes: new Uint8Array(256), category: 5, mask: 0xfffffff0 };
  STRUCTS.command.write(view, 8, values);
  assert.deepEqual(STRUCTS.command.read(view, 8), values);
  assert.equal(view.getUint32(8, true), 424);
});
