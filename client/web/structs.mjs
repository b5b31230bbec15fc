// Writes generated/structs.ts: the fields of the structs of orrery.h.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const TYPES = { uint8_t: "u8", uint16_t: "u16", uint32_t: "u32", int32_t: "i32", uint64_t: "tick",
                float: "f32", double: "f64", char: "char" };
// Hashes and identities need all 64 bits. Other integers fit a number of JavaScript.
const WIDE = /hash$|^(account|owner|epoch)$/;

const here = (path) => new URL(path, import.meta.url);
const header = readFileSync(here("../api/orrery.h"), "utf8").replace(/\/\/.*/g, "");
const structs = header.matchAll(/typedef struct orrery_(\w+) \{([^}]*)\}/g);
const lines = [...structs].map(([, name, body]) => {
  const fields = [...body.matchAll(/(\w+) (\w+)(?:\[(\d+)\])?;/g)].slice(1);  // without the size
  return `  ${name}: { ` + fields.map(([, type, field, count]) => {
    const kind = type === "uint64_t" && WIDE.test(field) ? "u64" : TYPES[type];
    return `${field}: ` + (count ? `["${kind}", ${count}]` : `"${kind}"`);
  }).join(", ") + " },\n";
});
mkdirSync(here("generated"), { recursive: true });
writeFileSync(here("generated/structs.ts"),
              `export const FIELDS = {\n${lines.join("")}} as const;\n`);
