// Verifies a log of one file with orrery.wasm, and moves to its ticks, backwards.
// usage: node verify_log.mjs MODULE LOG
import { readFileSync } from "node:fs";
import { load } from "./core.mjs";

const page = load(process.argv[2]);
const bytes = readFileSync(process.argv[3]);
const { code, handle, why } =
  page.make("orrery_log_from_bytes", page.place(bytes), BigInt(bytes.length));
if (code !== 0) throw new Error(why);
const at = page.placeStruct(32);
while (page.core.orrery_log_verify(handle, 100, 0, at, 0) === 0);
const view = page.view();
const diverged = view.getUint32(at + 4, true) !== 0;
const first = Number(view.getBigUint64(at + 8, true));
const ticks = Number(view.getBigUint64(at + 16, true));
const world = page.core.malloc(4);
const hashes = {};
for (let tick = diverged ? first - 1 : ticks; tick >= 0; --tick) {
  const code = page.core.orrery_log_seek(handle, BigInt(tick), 0, world);
  if (code !== 0) throw new Error(`tick ${tick}`);
  hashes[tick] = page.worldInfo(page.view().getUint32(world, true)).hash;
}
console.log(JSON.stringify({ first_divergent_tick: diverged ? first : null, ticks, hashes }));
