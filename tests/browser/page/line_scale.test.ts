// Tests which places of a curve are drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visible } from "../../../client/web/src/ui/line_scale";
import { randomNumbers } from "./support";

type Places = [number, number][];

// Returns the range of y of each column of pixels.
function ranges(places: Places): Map<number, [number, number]> {
  const found = new Map<number, [number, number]>();
  for (const [x, y] of places) {
    const [low, high] = found.get(Math.floor(x)) ?? [y, y];
    found.set(Math.floor(x), [Math.min(low, y), Math.max(high, y)]);
  }
  return found;
}

test("a dense curve keeps the range of each column of pixels", () => {
  const random = randomNumbers(5);
  const places: Places = Array.from({ length: 10_000 }, (_, i) => [8 + i * 0.07, random()]);
  const kept = visible(places);
  assert.deepEqual(ranges(kept), ranges(places));
  assert.equal(kept.length, 2 * ranges(places).size);
  assert.deepEqual(kept.map(([x]) => x), kept.map(([x]) => x).sort((a, b) => a - b));
});

test("a sparse or flat curve keeps a place of each column", () => {
  const sparse: Places = [[8, 3], [9, 1], [40, 2]];
  assert.deepEqual(visible(sparse), sparse);
  assert.deepEqual(visible([[8, 3], [8.5, 3], [9.5, 3]]), [[8, 3], [9.5, 3]]);
  assert.deepEqual(visible([]), []);
});
