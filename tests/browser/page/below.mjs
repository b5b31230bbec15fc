// Tests the page in Chromium with reverse proxies: below a path, and with another Host.
// usage: node below.mjs SERVER TOOL [PAGE]: paths of orreryd, orrery and the page
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { DIST, browse, install, open, scrub, serve, shown, text } from "./support.mjs";

const [, , serverPath, tool, built = DIST] = process.argv;
let installed, browser, server;

before(async () => {
  installed = install(serverPath, built);
  browser = await browse();
  server = await serve(installed.folder);
});
after(async () => {
  await browser?.close();
  await server?.stop();
  installed?.remove();
});

// Starts a reverse proxy below a path. `host` is the Host header that the server gets, or undefined
// for the browser's. Without `upgrades`, it passes an upgrade as any other request. Returns
// the address of the page.
async function proxy(target, { path, host, upgrades = true }) {
  const { hostname, port } = new URL(target);
  const sockets = new Set();
  const pass = (from) => {
    const headers = { ...from.headers, ...(host && { host }) };
    if (!upgrades) delete headers.upgrade;
    return request({ hostname, port, method: from.method, headers,
                     path: from.url.startsWith(path) ? from.url.slice(path.length - 1) : "/none" });
  };
  const relay = createServer((from, to) => {
    const asked = pass(from);
    asked.on("response", (answer) => {
      to.writeHead(answer.statusCode, answer.headers);
      answer.pipe(to);
    });
    asked.on("error", () => to.destroy());
    from.pipe(asked);
  });
  relay.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  relay.on("upgrade", (from, socket) => {
    const asked = pass(from);
    const say = (answer) => {
      const lines = answer.rawHeaders.map((word, i) => word + (i % 2 === 0 ? ": " : "\r\n"));
      socket.write(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n` +
                   `${lines.join("")}\r\n`);
    };
    asked.on("upgrade", (answer, upstream, head) => {
      say(answer);
      socket.write(head);
      upstream.pipe(socket).pipe(upstream);
      upstream.on("error", () => socket.destroy());
      socket.on("close", () => upstream.destroy());
    });
    asked.on("response", (answer) => { say(answer); answer.pipe(socket); });
    asked.on("error", () => socket.destroy());
    asked.end();
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  const url = `http://localhost:${relay.address().port}${path}`;
  return { url, stop: () => { for (const each of sockets) each.destroy(); relay.close(); } };
}

// Opens the page through a proxy, and runs `work` on it.
async function behind(target, options, work) {
  const relay = await proxy(target, options);
  const page = await open(browser, relay.url);
  try {
    await page.waitForFunction(() => window.orrery);
    await work(page, relay.url);
  } finally {
    await page.close();
    relay.stop();
  }
}

test("a page below a path is live, scrubs, and writes links with its path", async () => {
  await behind(server.url, { path: "/games/orrery/" }, async (page, url) => {
    await shown(page);
    assert.match(await text(page, "state", /^live/), /, play$/);
    await page.waitForFunction(() => window.orrery.timeline.tick > 60);
    await scrub(page, 33);
    await text(page, "numbers", /0x[0-9a-f]{16}|^$/);
    assert.equal(page.url().split("#")[0], url);
    await page.screenshot({ path: join(installed.folder, "below.png") });
    assert.deepEqual(page.faults, []);
  });
});

test("the lab page below a path finds its module", async () => {
  const relay = await proxy(server.url, { path: "/orrery/" });
  const page = await open(browser, `${relay.url}lab.html`);
  await page.waitForFunction(() => document.querySelector("canvas"));
  assert.deepEqual(page.faults, []);
  await page.close();
  relay.stop();
});

test("a link with a token names the path", async () => {
  const key = join(installed.folder, "orrery.key");
  writeFileSync(key, `${"42".repeat(32)}\n`, { mode: 0o600 });
  const keyed = await serve(installed.folder, { args: ["--key-file", key] });
  await behind(keyed.url, { path: "/orrery/" }, async (page, url) => {
    await text(page, "admission-why", /^Not connected: this server admits only clients that/);
    const line = await page.locator("#token-link").textContent();
    assert.ok(line.startsWith(`echo "${url}#token=`), line);
    const token = join(installed.folder, "a.token");
    execFileSync(tool, ["token", "--key-file", key, "--server", keyed.address, "--out", token,
                        "--role", "watch"]);
    const link = execFileSync("sh", ["-c", line],
                              { cwd: installed.folder, encoding: "utf8" }).trim();
    await page.evaluate((link) => { location.href = link; }, link);
    assert.match(await text(page, "state", /^live/), /, watch, account [1-9]\d*$/);
    assert.equal(page.url(), url);
  });
  await keyed.stop();
});

test("behind a proxy that rewrites Host, the page says which option helps", async () => {
  const host = new URL(server.url).host;
  await behind(server.url, { path: "/", host }, async (page) => {
    const said = await text(page, "state", /refused/);
    assert.match(said, /^not connected: the WebSocket was refused: foreign origin: /);
    assert.match(said, /a proxy must pass the Host header, or give orreryd --web-hosts/);
    await page.screenshot({ path: join(installed.folder, "refused.png") });
  });
});

test("with that option, the page works behind a proxy that rewrites Host", async () => {
  const hosted = await serve(installed.folder, { args: ["--web-hosts", "localhost"] });
  await behind(hosted.url, { path: "/orrery/", host: new URL(hosted.url).host }, async (page) => {
    await shown(page);
    assert.match(await text(page, "state", /^live/), /, play$/);
    assert.deepEqual(page.faults, []);
  });
  await hosted.stop();
});

test("behind a proxy that passes no upgrades, the page says so", async () => {
  await behind(server.url, { path: "/orrery/", upgrades: false }, async (page) => {
    await text(page, "state", /^not connected: .* a proxy must pass the headers Upgrade and Conn/);
  });
});
