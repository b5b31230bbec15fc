// Tests in Chromium that the page of a real server shows bodies that move, and verifies their log.
// usage: node smoke.mjs SERVER [PAGE]: the paths of orreryd and of the built page
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DIST, browser, open, server, serveTests, shown, text } from "./support.mjs";

const [, , serverPath, built = DIST] = process.argv;
const SCRIPT_BYTES_MAX = 155_000;
serveTests(serverPath, built);

test("the scripts are small", () => {
  const scripts = readdirSync(built).filter((name) => /^(page|worker)-.*\.gz$/.test(name));
  const sizes = scripts.map((name) => statSync(join(built, name)).size);
  assert.equal(sizes.length, 2);
  assert.ok(sizes[0] + sizes[1] <= SCRIPT_BYTES_MAX, `${scripts}: ${sizes}`);
});

test("bodies move, and Verify passes", async () => {
  const page = await shown(await open(browser, server.url));
  const first = await page.evaluate(() => window.orrery.shown.pose(5).position);
  await page.waitForFunction((first) => Math.hypot(...window.orrery.shown.pose(5).position
    .map((x, i) => x - first[i])) > 1e-4, first);
  await text(page, "stats", /[1-9]\d* equal/);  // states compared with the server
  await page.locator("#verify").click();
  await text(page, "verdict", /^Verified: all [1-9]\d* ticks replay to the same bits/);
  assert.deepEqual(page.faults, []);
});
