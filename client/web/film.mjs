// Makes the film: the page in one HTML file, to which `orrery film` adds logs.
import { createHash } from "node:crypto";

const MARK = "<!-- orrery film -->\n";

const sha256 = (text) => createHash("sha256").update(text).digest("base64");

// Returns a block of data that no browser runs.
const block = (name, packed) =>
  `<script type="application/x-orrery-${name}">${packed.toString("base64")}</script>\n`;

// Returns the file. `html` is the text of index.html. `style` and `icon` are files of the page.
// `page`, `worker` and `module` are packed by gzip. `start` is the script that unpacks them. The
// content policy allows the scripts of the file, and no connection.
export function filmOf({ html, style, icon, page, worker, module, start }) {
  const policy = `default-src 'none'; script-src 'sha256-${sha256(start)}' blob: ` +
    "'wasm-unsafe-eval'; worker-src blob:; style-src 'unsafe-inline'; img-src data:; " +
    "base-uri 'none'; form-action 'none'";
  const replaced = [
    ['<meta charset="utf-8">\n', `<meta charset="utf-8">\n<meta http-equiv=` +
      `"Content-Security-Policy" content="${policy}">\n`],
    ["icon.svg", `data:image/svg+xml;base64,${icon.toString("base64")}`],
    ['<link rel="stylesheet" href="style.css">', `<style>\n${style}</style>`],
    ['<script src="page.js" defer></script>\n', ""],
    ['    <a href="lab.html">Integration lab</a>\n', ""],
    ["<body>", '<body class="film">'],
    ["<footer>", `${MARK}<footer>`],
    ["</body>", `${block("page", page)}${block("worker", worker)}${block("module", module)}` +
      `${MARK}<script>${start}</script>\n</body>`],
  ];
  return replaced.reduce((text, [old, now]) => {
    const parts = text.split(old);
    if (parts.length !== 2) throw new Error(`index.html has ${parts.length - 1} times: ${old}`);
    return parts.join(now);
  }, html);
}
