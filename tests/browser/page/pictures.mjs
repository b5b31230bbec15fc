// Makes the pictures of README.md: the page of a server with bots, in Chromium.
// usage: node pictures.mjs SERVER TOOL [PAGE]: the paths of orreryd, of orrery, of the built
// page. It writes pictures/live.webp and pictures/verified.webp.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DIST, browse, install, scrub, serve, text } from "./support.mjs";

const RIGID = 0;  // kind of a body that is free
const FIRST_TICK = 240;  // the bots have thrown bodies by then
const BYTES_MAX = 100_000;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [, , serverPath, tool, built = DIST] = process.argv;

// Turns shadows off while the picture changes, because software draws them slowly.
const setLow = (page, low) => page.evaluate((low) => window.orrery.stage.setLow(low), low);

// Writes a picture of the page, with shadows.
async function take(page, name) {
  await setLow(page, false);
  await page.evaluate(() => new Promise((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  const bytes = Buffer.from(data, "base64");
  assert.ok(bytes.length < BYTES_MAX, `${name} has ${bytes.length} bytes`);
  writeFileSync(here(`../../../client/web/pictures/${name}.webp`), bytes);
  console.log(`${name}.webp: ${bytes.length} bytes`);
}

// Looks at the bodies from nearer than the page does.
const lookCloser = (page) => page.evaluate(() => {
  const { stage, shown } = window.orrery;
  const { low, high, radius, floor } = shown.bounds();
  const at = (part) => low.map((x, i) => x + part * (high[i] - x));
  stage.look({ low: at(0.2), high: at(0.8), radius: 0.6 * radius, floor },
             document.getElementById("panel"));
});

const tickIsAfter = (page, tick) =>
  page.waitForFunction((tick) => window.orrery.timeline.tick > tick, tick);

// Selects the large body that is nearest to the middle of the free part of the picture.
const selectNearest = (page) => page.evaluate((RIGID) => {
  const { stage, shown } = window.orrery;
  const { clientWidth, clientHeight } = stage.canvas;
  const away = (id) => {
    const place = stage.project(shown.pose(id).position);
    const { kind, mass } = shown.body(id);
    return place && kind === RIGID && mass >= 2
      ? Math.hypot(place[0] - 0.4 * clientWidth, place[1] - 0.55 * clientHeight) : Infinity;
  };
  const ids = Array.from({ length: shown.count }, (_, i) => shown.id(i));
  window.orrery.select(ids.sort((a, b) => away(a) - away(b))[0]);
}, RIGID);

// Shows the live session.
async function takeLive(page) {
  await tickIsAfter(page, FIRST_TICK);
  await lookCloser(page);
  await selectNearest(page);
  await text(page, "numbers", /0x[0-9a-f]{16}/);
  await take(page, "live");
}

// Shows a moment of the log after Verify.
async function takeVerified(page) {
  await setLow(page, true);
  await page.locator("#verify").click();
  await text(page, "verdict", /^Verified: all/);
  await scrub(page, FIRST_TICK / 2);
  await selectNearest(page);
  await text(page, "numbers", /0x[0-9a-f]{16}/);
  await take(page, "verified");
}

mkdirSync(here("../../../client/web/pictures"), { recursive: true });
const installed = install(serverPath, built);
const server = await serve(installed.folder);
const bots = spawn(tool, ["bot", server.address, "--count", "4", "--seconds", "600"],
                   { stdio: "ignore" });
const browser = await browse();
try {
  const page = await browser.newPage({ viewport: { width: 1140, height: 690 },
                                       deviceScaleFactor: 1.5, colorScheme: "light" });
  page.setDefaultTimeout(120_000);
  await page.goto(server.url);
  await page.waitForFunction(() => window.orrery?.shown.count > 0);
  await setLow(page, true);
  await takeLive(page);
  await takeVerified(page);
} finally {
  bots.kill();
  await browser.close();
  await server.stop();
  installed.remove();
}
