// Compares the layouts of structs with the C header, and a read with a write.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { STRUCTS } from "../src/layout";
import { loadCore, root } from "./support";

const TYPES: Record<string, string[]> = {
  uint8_t: ["u8"], uint16_t: ["u16"], uint32_t: ["u32"], int32_t: ["i32"],
  uint64_t: ["u64", "tick"], float: ["f32"], double: ["f64"], char: ["char"],
};

// Returns the fields of a struct of the header, without its size: [name, C type, count].
function declared(header: string, name: string): [string, string, number][] {
  const found = new RegExp(`typedef struct orrery_${name} \\{([^}]*)\\}`).exec(header);
  assert.ok(found, `the header has no orrery_${name}`);
  const fields = found[1].replace(/\/\/.*/g, "").split(";").map((line) => line.trim());
  return fields.filter((line) => line !== "").map((line) => {
    const [, type, field, count] = /^(\w+) (\w+)(?:\[(\d+)\])?$/.exec(line)!;
    return [field, type, Number(count ?? 1)] as [string, string, number];
  }).slice(1);
}

const header = readFileSync(root("client/api/orrery.h"), "utf8");

for (const [name, layout] of Object.entries(STRUCTS)) {
  test(`orrery_${name} has the fields of the header`, () => {
    const ours = Object.entries(layout.fields).map(([field, kind]) =>
      [field, ...(typeof kind === "string" ? [kind, 1] : kind)]);
    const theirs = declared(header, name);
    assert.deepEqual(ours.map(([field, , count]) => [field, count]),
                     theirs.map(([field, , count]) => [field, count]));
    ours.forEach(([field, type], i) =>
      assert.ok(TYPES[theirs[i][1]].includes(type as string), `${field} is a ${theirs[i][1]}`));
  });
}

test("sizes are those of the library, which refuses others", () => {
  const core = loadCore();
  const at = core.slot("test", 4096);
  core.view.setUint32(at, STRUCTS.versions.size - 4, true);
  assert.ok(core.run("orrery_version", at) < 0);
  core.view.setUint32(at, STRUCTS.versions.size, true);
  assert.equal(core.run("orrery_version", at), 0);
});

test("values that were written are read again", () => {
  const view = new DataView(new ArrayBuffer(256));
  const values = { kind: 3, client: 2, sequence: 1, subject: 0xffffffff, role: -1,
                   first: [1, 2, 3], second: [-1.5, 0, 0.25], account: 2n ** 63n + 5n,
                   control: 2, reserved: 0 };
  STRUCTS.command.write(view, 8, values);
  assert.deepEqual(STRUCTS.command.read(view, 8), values);
  assert.equal(view.getUint32(8, true), 64);
});
