// Starts servers with the built page, and pages in Chromium, for tests.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

// The packages of the page.
const packages = createRequire(new URL("../../../client/web/package.json", import.meta.url));
const { chromium } = packages("playwright-core");

// The built page.
export const DIST = fileURLToPath(new URL("../../../client/web/dist", import.meta.url));

// Installs a server and the page in a temporary folder, as `cmake --install` does.
export function install(server, page) {
  const folder = mkdtempSync(join(tmpdir(), "orrery-page-"));
  mkdirSync(join(folder, "bin"));
  cpSync(server, join(folder, "bin/orreryd"));
  cpSync(page, join(folder, "share/orrery/web"), { recursive: true });
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

// Starts a server. Resolves to its addresses and log when it is ready.
export function serve(folder, { scene = "playground", web = "127.0.0.1:0", args = [] } = {}) {
  const log = join(mkdtempSync(join(folder, "log-")), "session.orrery");
  const child = spawn(join(folder, "bin/orreryd"),
                      ["--scene", scene, "--listen", "127.0.0.1:0", "--web", web, "--log", log,
                       ...args],
                      { stdio: ["ignore", "pipe", "pipe"] });
  let said = "", errors = "";
  child.stderr.on("data", (data) => { errors += data; });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const stop = () => { child.kill("SIGTERM"); return ended; };
  return new Promise((resolve, reject) => {
    child.stdout.on("data", (data) => {
      said += data;
      const find = (name) => new RegExp(`^${name} (\\S+)$`, "m").exec(said)?.[1];
      if (!/^ready$/m.test(said)) return;
      resolve({ url: find("web"), address: find("udp"), log, stop });
    });
    child.on("exit", (code) => reject(new Error(`orreryd ended with ${code}: ${errors}`)));
  });
}

// The installation, the browser and the server of a file of tests that calls serveTests().
export let installed, browser, server;

export function serveTests(serverPath, page) {
  before(async () => {
    installed = install(serverPath, page);
    browser = await browse();
    server = await serve(installed.folder);
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    installed?.remove();
  });
}

// Starts Chromium. `more` are further arguments.
export function browse(more = []) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
           "--enable-unsafe-swiftshader", ...more],  // draws without a graphics card
  });
}

// Opens the page. Errors of the page are collected in `page.faults`. `before` runs in the page
// before its scripts. `request` takes each request of the page.
export async function open(browser, url, before, request = () => {}) {
  const page = await browser.newPage({ viewport: { width: 760, height: 560 } });
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(error.stack));
  page.on("console", (message) => {
    if (message.type() === "error") page.faults.push(message.text());
  });
  page.on("request", request);
  if (before) await page.addInitScript(before);
  await page.goto(url);
  return page;
}

// Waits until bodies are shown, and switches to low quality.
export async function shown(page) {
  await page.waitForFunction(() => window.orrery?.shown.count > 0);
  await page.locator("#low").check();  // software draws slowly
  return page;
}

// Runs a test with a page that shows bodies.
export function pageTest(name, work) {
  test(name, async () => {
    const page = await shown(await open(browser, server.url));
    try {
      await work(page);
      assert.deepEqual(page.faults, []);
    } finally {
      await page.close();
    }
  });
}

// Waits until a condition that runs in the page is true.
export const until = (page, condition, argument) =>
  page.waitForFunction(condition, argument, { polling: 50 });

// Returns the position of a body in the world, and on the screen.
export function bodyAt(page, id) {
  return page.evaluate((id) => {
    const { shown, stage } = window.orrery;
    const { position } = shown.pose(id);
    const box = stage.canvas.getBoundingClientRect();
    const [x, y] = stage.project(position);
    return { position, x: x + box.left, y: y + box.top };
  }, id);
}

// Waits until the text of an element matches.
export async function text(page, id, pattern) {
  await page.waitForFunction(([id, source]) =>
    new RegExp(source).test(document.getElementById(id).textContent), [id, pattern.source]);
  return page.locator(`#${id}`).textContent();
}

// Moves the time line, as a person drags it and lets go.
export async function scrub(page, tick) {
  await page.locator("#time").evaluate((range, tick) => {
    range.value = String(tick);
    range.dispatchEvent(new Event("input"));
    range.dispatchEvent(new Event("change"));
  }, tick);
  await text(page, "tick", new RegExp(`^tick ${tick},`));
}
