// Tests the page in Chromium over TLS, with nginx and the example of server/OPERATING.md.
// usage: node proxy.mjs SERVER TOOL [PAGE]: paths of orreryd, orrery and the page
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { DIST, browse, install, open, serve, shown, text } from "./support.mjs";

const NAME = "game.example";
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [, , serverPath, tool, built = DIST] = process.argv;
let installed, browser, server, proxy, port, key;

// Returns a port that was free.
async function freePort() {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  const { port } = holder.address();
  holder.close();
  await once(holder, "close");
  return port;
}

// Replaces a text that must be there.
function changed(text, from, to) {
  assert.ok(text.includes(from), from);
  return text.replaceAll(from, to);
}

// Starts nginx with the example, with other ports and files only.
async function startProxy(folder) {
  const run = join(folder, "nginx");
  mkdirSync(run);
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                           "-subj", `/CN=${NAME}`, "-keyout", join(run, "a.key"),
                           "-out", join(run, "a.pem")], { stdio: "ignore" });
  let example = /```nginx\n(.*?)```/s.exec(readFileSync(here("../../../server/OPERATING.md"),
                                                        "utf8"))[1];
  example = changed(example, "listen 443 ssl", `listen 127.0.0.1:${port} ssl`);
  example = changed(example, "http://127.0.0.1:4780", server.url);
  example = changed(example, "/etc/ssl/game.example.", join(run, "a."));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${run}/${name};`).join("\n");
  writeFileSync(join(run, "nginx.conf"),
                `daemon off;\npid ${run}/pid;\nevents {}\n` +
                `http {\naccess_log off;\n${temporary}\n${example}\n}\n`);
  const child = spawn("nginx", ["-p", run, "-e", join(run, "errors"), "-c",
                                join(run, "nginx.conf")], { stdio: "inherit" });
  for (;;) {
    assert.equal(child.exitCode, null, "nginx ended");
    if (await ask("/healthz").then(() => true, () => false)) return child;
  }
}

// Asks through the proxy. Resolves to the status of the answer.
function ask(path, headers = {}) {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, rejectUnauthorized: false,
                            headers: { Host: `${NAME}:${port}`, ...headers } });
    asked.on("response", (answer) => { answer.resume(); resolve(answer.statusCode); });
    asked.on("upgrade", (answer, socket) => { socket.destroy(); resolve(answer.statusCode); });
    asked.on("error", reject);
    asked.end();
  });
}

before(async () => {
  installed = install(serverPath, built);
  key = join(installed.folder, "orrery.key");
  writeFileSync(key, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
  server = await serve(installed.folder, { args: ["--key-file", key] });
  port = await freePort();
  proxy = await startProxy(installed.folder);
  browser = await browse([`--host-resolver-rules=MAP ${NAME} 127.0.0.1`,
                          "--ignore-certificate-errors"]);
});
after(async () => {
  await browser?.close();
  if (proxy?.exitCode === null) {
    proxy.kill();
    await once(proxy, "exit");
  }
  await server?.stop();
  installed?.remove();
});

test("only the name of the proxy is an own origin", async () => {
  const upgrade = (origin) => ask("/v1/ws", {
    Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", Origin: origin });
  assert.equal(await ask("/v1/session"), 200);
  assert.equal(await upgrade(`https://${NAME}:${port}`), 101);
  assert.equal(await upgrade("https://evil.example"), 403);
  assert.equal(await upgrade(server.url), 403);
});

test("a link opens the live session over TLS", async () => {
  const file = join(installed.folder, "a.token");
  execFileSync(tool, ["token", "--key-file", key, "--server", server.address, "--role", "watch",
                      "--out", file]);
  const token = readFileSync(file).toString("base64url");
  const page = await shown(await open(browser, `https://${NAME}:${port}/#token=${token}`));
  assert.match(await text(page, "state", /^live/), /, watch, account [1-9]\d*$/);
  await text(page, "stats", /[1-9]\d* equal/);  // states compared with the server
  assert.equal(page.url(), `https://${NAME}:${port}/`);
  assert.deepEqual(page.faults, []);
});
