// Runs the unit tests of the page: bundles each test, and gives it to node's test runner.
// usage: node run.mjs [MODULE [LAB [TOOL]]]: paths of orrery.wasm, lab.wasm and orrery
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import "../../../client/web/structs.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const page = join(here, "../../../client/web");
const { buildSync } = createRequire(join(page, "package.json"))("esbuild");
const module = resolve(process.argv[2] ?? join(here, "../../../build/lib/orrery.wasm"));
const lab = resolve(process.argv[3] ?? join(here, "../../../build/lib/lab.wasm"));
const tool = resolve(process.argv[4] ?? join(here, "../../../build/bin/orrery"));
const tests = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
const out = mkdtempSync(join(here, ".built-"));
try {
  buildSync({ entryPoints: tests.map((name) => join(here, name)), bundle: true, outdir: out,
              platform: "node", format: "esm", outExtension: { ".js": ".mjs" },
              logLevel: "error", nodePaths: [join(page, "node_modules")] });
  const files = readdirSync(out).map((name) => join(out, name));
  const env = { ...process.env, ORRERY_WASM: module, ORRERY_LAB: lab, ORRERY_TOOL: tool,
                ORRERY_ROOT: join(here, "../../..") };
  process.exitCode = spawnSync(process.execPath, ["--test", ...files],
                               { stdio: "inherit", env }).status ?? 1;
} finally {
  rmSync(out, { recursive: true });
}
