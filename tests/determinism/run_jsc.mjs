// Runs a WebAssembly program in JavaScriptCore's shell: jsc run_jsc.mjs -- PROGRAM [ARGUMENT ...]
import { run } from "./wasi.mjs";

const [program, ...args] = globalThis.arguments;
const { code, out, err } = await run(readFile(program, "binary"), [program, ...args]);
print(out);
if (err) printErr(err);
if (code !== 0) quit(code);
