// Runs the unit tests of the page: bundles each test, and gives it to node's test runner.
// usage: node test/run.mjs [MODULE [LAB [TOOL]]]: paths of orrery.wasm, lab.wasm and orrery
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import "../structs.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const module = resolve(process.argv[2] ?? join(here, "../../../build/lib/orrery.wasm"));
const lab = resolve(process.argv[3] ?? join(here, "../../../build/lib/lab.wasm"));
const tool = resolve(process.argv[4] ?? join(here, "../../../build/bin/orrery"));
const tests = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
const out = mkdtempSync(join(here, ".built-"));
try {
  buildSync({ entryPoints: tests.map((name) => join(here, name)), bundle: true, outdir: out,
              platform: "node", format: "esm", outExtension: { ".js": ".mjs" },
              logLevel: "error" });
  const files = readdirSync(out).map((name) => join(out, name));
  const env = { ...process.env, ORRERY_WASM: module, ORRERY_LAB: lab, ORRERY_TOOL: tool,
                ORRERY_ROOT: join(here, "../../..") };
  process.exitCode = spawnSync(process.execPath, ["--test", ...files],
                               { stdio: "inherit", env }).status ?? 1;
} finally {
  rmSync(out, { recursive: true });
}
