// Measures the ticks of a scene in orrery.wasm in node.
//
//   node scene_speed.mjs MODULE SCENE TICKS ROUNDS
//
// Prints the CPU seconds of the thread in the fastest round, and the state hash after it.
import { readFileSync } from "node:fs";
import { load } from "../../browser/core.mjs";

const [path, scene, ticks, rounds] = process.argv.slice(2);
const WARM_UP = 10;

// Returns the CPU time of this thread in nanoseconds. The compiler of the engine has other threads.
function cpu() {
  return Number(readFileSync("/proc/thread-self/schedstat", "ascii").split(" ")[0]);
}

const page = load(path);
let best = Infinity, hash = "";
for (let round = 0; round < Number(rounds); ++round) {
  const { code, handle, why } = page.make("orrery_world_from_name", page.placeText(scene));
  if (code !== 0) throw new Error(why);
  page.step(handle, WARM_UP);
  const start = cpu();
  page.step(handle, Number(ticks));
  best = Math.min(best, cpu() - start);
  hash = page.worldInfo(handle).hash;
  page.core.orrery_world_destroy(handle);
}
console.log((best / 1e9).toFixed(9), hash);
