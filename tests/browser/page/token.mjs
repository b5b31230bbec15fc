// Tests in Chromium how the page of a server with a key file gets tokens.
// usage: node token.mjs SERVER TOOL [PAGE]: paths of orreryd, orrery and the page
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { DIST, bodyAt, browse, install, open, serve, text, until } from "./support.mjs";

const BALL = 36;
const VERSION = "NETCODE 1.02\0";
const [, , serverPath, tool, built = DIST] = process.argv;
let installed, browser, server, folder;
const heard = [];  // the bytes of each connection of the browser
const links = new Set();  // the sockets of its connections

before(async () => {
  installed = install(serverPath, built);
  browser = await browse();
  folder = mkdtempSync(join(installed.folder, "key-"));
  const key = join(folder, "orrery.key");
  writeFileSync(key, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
  server = await serve(installed.folder, { args: ["--key-file", key, "--token-life", "600"] });
  server.url = await listened(new URL(server.url));
});
after(async () => {
  await browser?.close();
  await server?.stop();
  installed?.remove();
});

// Relays connections to the server, and keeps the bytes of the browser. Returns the address of the
// relay.
async function listened({ hostname, port }) {
  const relay = createServer((from) => {
    const to = connect(port, hostname);
    const bytes = [];
    heard.push(bytes);
    links.add(from);
    from.on("close", () => links.delete(from));
    from.on("data", (data) => bytes.push(data));
    for (const [a, b] of [[from, to], [to, from]]) {
      a.pipe(b);
      a.on("error", () => b.destroy());
    }
  }).listen(0, "127.0.0.1");
  relay.unref();
  await once(relay, "listening");
  return `http://127.0.0.1:${relay.address().port}`;
}

let made = 0;

// Runs a command line that makes a token, in the folder with the key. Returns the token.
function run(line) {
  const name = `${++made}.token`;
  const command = line.replace("ADDR:PORT", server.address).replace("a.token", name);
  execFileSync("sh", ["-c", command], {
    cwd: folder, env: { ...process.env, PATH: `${dirname(tool)}:${process.env.PATH}` } });
  return { name, bytes: readFileSync(join(folder, name)) };
}

const tokenFor = (role) => run("orrery token --key-file orrery.key --server ADDR:PORT " +
                               `--role ${role} --out a.token`).bytes;
const linkWith = (token) => `${server.url}/#token=${token.toString("base64url")}`;
const hashOf = (page) => page.evaluate(() => location.hash);

// Opens an address. The answer 403 to the question for a token of development mode is no fault.
async function visit(url) {
  const page = await open(browser, url);
  await page.waitForFunction(() => window.orrery);
  await page.locator("#low").check();  // software draws slowly
  page.close403 = () => {
    assert.deepEqual(page.faults.filter((fault) => !/status of 403/.test(fault)), []);
    return page.close();
  };
  return page;
}

// Returns the first message of the newest WebSocket, as the browser sent it.
function firstMessage() {
  const sent = heard.map((parts) => Buffer.concat(parts)).findLast((bytes) =>
    bytes.includes("GET /v1/ws"));
  const frame = sent.subarray(sent.indexOf("\r\n\r\n") + 4);
  assert.equal(frame[0], 0x82);  // a whole binary message
  assert.equal(frame[1], 0x80 | 126);  // masked, with two bytes of size
  const size = frame.readUInt16BE(2), mask = frame.subarray(4, 8);
  return frame.subarray(8, 8 + size).map((byte, i) => byte ^ mask[i % 4]);
}

test("a link with a token for watching admits, and its token stays in the page", async () => {
  const token = tokenFor("watch");
  heard.length = 0;
  const page = await visit(`${linkWith(token)}&body=5`);
  assert.match(await text(page, "state", /^live/), /^live, client \d+, watch, account [1-9]\d*$/);
  assert.equal(await hashOf(page), "#body=5");
  assert.equal(await page.evaluate(() => window.orrery.selected), 5);
  const message = firstMessage();
  const sealed = token.subarray(13 + 8 + 8 + 8 + 24, 13 + 8 + 8 + 8 + 24 + 1024);
  assert.ok(message[0] === 0 && message.includes(VERSION) && message.includes(sealed));
  const sent = heard.flat().map((data) => data.toString("latin1")).join();
  assert.ok(sent.includes("GET / HTTP/1.1"));
  for (const code of ["base64", "base64url"]) {
    assert.ok(!sent.includes(token.toString(code).slice(60, 100)), code);
  }
  assert.ok(!sent.includes("token="));
  assert.ok(await page.locator("#admission").isHidden());
  await page.close403();
});

test("a page that watches says why a body does not follow the pointer", async () => {
  const page = await visit(linkWith(tokenFor("watch")));
  await text(page, "state", /^live/);
  await until(page, (ball) => window.orrery.shown.pose(ball), BALL);
  const { x, y } = await bodyAt(page, BALL);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await until(page, (ball) => window.orrery.selected === ball, BALL);
  await page.mouse.move(x + 30, y, { steps: 3 });
  await text(page, "notice",
             /^You cannot move bodies, because your token has the role watch\.$/);
  await page.mouse.up();
  await page.locator("#view").press("w");
  await text(page, "notice", /role watch/);
  await page.close403();
});

test("a browser that cannot draw does not use up its token", async () => {
  const link = linkWith(tokenFor("watch"));
  const blind = await open(browser, link, () => {
    HTMLCanvasElement.prototype.getContext = () => {  // fails slowly, as a graphics driver can
      for (const end = performance.now() + 1500; performance.now() < end;);
      return null;
    };
  });
  await text(blind, "notice", /no WebGL 2/);
  assert.equal(await hashOf(blind), "");
  await blind.close();
  const page = await visit(link);
  assert.match(await text(page, "state", /^live/), /, watch, account [1-9]\d*$/);
  await page.close403();
});

test("without a token a form says how to make one, and takes its link", async () => {
  const page = await visit(server.url);
  await text(page, "admission-why", /^Not connected: this server admits only clients that bring/);
  assert.ok(await page.locator("#admission").isVisible());
  const { name } = run(await page.locator("#token-command").textContent());
  const line = (await page.locator("#token-link").textContent()).replace("a.token", name);
  const link = execFileSync("sh", ["-c", line], { cwd: folder, encoding: "utf8" }).trim();
  assert.ok(link.startsWith(`${server.url}/#token=`));
  await page.locator("#token").fill("half a token");
  await page.getByRole("button", { name: "Connect" }).click();
  await text(page, "notice", /^A token has 2048 bytes, not 7\. Copy the whole link\.$/);
  assert.ok(await page.locator("#admission").isVisible());
  await page.locator("#token").fill(link);
  await page.keyboard.press("Enter");
  assert.match(await text(page, "state", /^live/), /, watch, account [1-9]\d*$/);
  assert.ok(await page.locator("#admission").isHidden());
  assert.equal(await page.locator("#token").inputValue(), "");
  await page.close403();
});

test("a token file admits", async () => {
  const page = await visit(server.url);
  await page.locator("#admission").waitFor();
  const give = (buffer) => page.locator("#token-file").setInputFiles(
    { name: "a.token", mimeType: "application/octet-stream", buffer });
  await give(Buffer.from("no token"));
  await text(page, "notice", /^A token has 2048 bytes, not 8\./);
  await give(tokenFor("play"));
  assert.match(await text(page, "state", /^live/), /, play, account [1-9]\d*$/);
  await page.close403();
});

test("a link that was used says so, and another one helps", async () => {
  const link = linkWith(tokenFor("watch"));
  const first = await visit(link);
  await text(first, "state", /^live/);
  const page = await visit(link);
  await text(page, "admission-why", /used before/);
  assert.equal(await hashOf(page), "");
  await page.evaluate((link) => { location.href = link; }, linkWith(tokenFor("play")));
  assert.match(await text(page, "state", /^live/), /, play, account [1-9]\d*$/);
  assert.equal(await hashOf(page), "");
  await page.close403();
  await first.close403();
});

test("a link in the address of a connected page replaces its connection", async () => {
  const page = await visit(linkWith(tokenFor("watch")));
  await text(page, "state", /^live, client \d+, watch, account [1-9]\d*$/);
  await page.evaluate((link) => { location.href = link; }, linkWith(tokenFor("play")));
  await text(page, "state", /^live, client \d+, play, account [1-9]\d*$/);
  await page.close403();
});

test("a page whose connections were cut returns to its session without another token", async () => {
  const page = await visit(linkWith(tokenFor("play")));
  const before = await text(page, "state", /^live, client \d+, play, account [1-9]\d*$/);
  const webSockets = () => heard.filter((parts) =>
    Buffer.concat(parts).includes("GET /v1/ws")).length;
  for (const times of [1, 2]) {  // each connection brings another ticket
    const made = webSockets();
    for (const link of links) link.destroy();
    const cut = Date.now();
    while (webSockets() === made) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await text(page, "state", /^live/), before, `cut ${times}`);
    assert.ok(Date.now() - cut < 5000, `${Date.now() - cut} ms`);
    const tick = await page.evaluate(() => window.orrery.timeline.tick);
    await until(page, (tick) => window.orrery.timeline.tick > tick + 30, tick);
  }
  assert.ok(await page.locator("#admission").isHidden());
  await page.close403();
});
