// Runs a WebAssembly program in node: node run_node.mjs PROGRAM [ARGUMENT ...]
import { readFile } from "node:fs/promises";
import { run } from "./wasi.mjs";

const [program, ...args] = process.argv.slice(2);
const { code, out, err } = await run(await readFile(program), [program, ...args]);
process.stdout.write(out);
process.stderr.write(err);
process.exitCode = code;
