// Tests films in Chromium: files that show and verify a session without a server.
// usage: node film.mjs TOOL: the path of orrery, installed with the built page
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { browse, open, scrub, shown, text } from "./support.mjs";

const GOLDEN = fileURLToPath(new URL("../../golden/logs/", import.meta.url));
const TICKS = 400;
const [, , tool] = process.argv;
let browser, folder, log;

const orrery = (...words) => execFileSync(tool, words, { cwd: folder, encoding: "utf8",
                                                         stdio: ["ignore", "pipe", "ignore"] });

// Makes a film. Returns its address.
function film(...words) {
  orrery("film", ...words, "-o", "film.html");
  return pathToFileURL(join(folder, "film.html")).href;
}

// Opens a film. Nothing may be asked of a network.
async function play(address) {
  const asked = [];
  const page = await open(browser, address, undefined, (request) => asked.push(request.url()));
  await shown(page);
  assert.deepEqual(asked.filter((url) => !/^(file|blob|data):/.test(url)), []);
  return page;
}

async function end(page) {
  assert.deepEqual(page.faults, []);
  await page.close();
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "orrery-film-"));
  log = "session.orrery";
  orrery("run", "playground", "--ticks", String(TICKS), "--log", log);
  browser = await browse();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

test("a film plays, and verifies to the end", async () => {
  const page = await play(film(log));
  await text(page, "state", /^log session\.orrery$/);
  await page.waitForFunction(() => window.orrery.timeline.tick > 20);  // it plays by itself
  await page.locator("#verify").click();
  await text(page, "verdict", new RegExp(`^Verified: all ${TICKS} ticks replay to the same bits`));
  await end(page);
});

test("a scrub in a film shows the state that the tool prints", async () => {
  const page = await play(`${film(log)}#t=100&body=36`);
  await text(page, "tick", /^tick 100,/);
  await text(page, "play", /^Play$/);
  for (const tick of [100, 333, 12]) {
    await scrub(page, tick);
    const { hash } = JSON.parse(orrery("replay", log, "--at", String(tick), "--json"));
    await text(page, "numbers", new RegExp(hash));
  }
  await end(page);
});

// Each piece of a log that arrives draws the time line again.
test("the time line of a long film draws no more than the screen can show", async () => {
  orrery("run", "playground", "--ticks", "36000", "--log", "long.orrery");
  const page = await play(film("long.orrery"));
  await page.waitForFunction(() => window.orrery.timeline.plot.points[0].at(-1)?.tick > 35_900,
                             undefined, { timeout: 120_000 });
  const { drawn, width, inSoftware } = await page.evaluate(() => {
    const { timeline, log } = window.orrery;
    const drawn = { fillRect: 0, lineTo: 0 };
    for (const name of Object.keys(drawn)) {
      CanvasRenderingContext2D.prototype[name] = () => { ++drawn[name]; };
    }
    const events = Array.from({ length: 50_000 }, (_, i) =>
      ({ kind: "hit", tick: Math.floor(i * log.last / 50_000), a: 1, b: 2, speed: 1 }));
    timeline.addHistory({ events, points: [], hitsEnd: null, done: true }, false);
    const canvases = ["marks", "sums"].map((id) => document.getElementById(id));
    return { drawn, width: canvases[0].clientWidth, inSoftware: canvases.map((canvas) =>
      canvas.getContext("2d").getContextAttributes().willReadFrequently) };
  });
  for (const [name, count] of Object.entries(drawn)) {
    assert.ok(count > width / 2 && count < 5 * width, `${count} calls of ${name}`);
  }
  assert.deepEqual(inSoftware, [true, true]);
  await end(page);
});

test("a film has all files of its log", async () => {
  const names = readdirSync(GOLDEN).filter((name) => /^rules-\d+-.*-packed.orrery$/.test(name));
  const newest = names.sort((a, b) => parseInt(a.slice(6)) - parseInt(b.slice(6))).at(-1);
  const page = await play(film(join(GOLDEN, newest)));
  const { ticks } = JSON.parse(orrery("verify", join(GOLDEN, newest), "--json"));
  await page.locator("#verify").click();
  await text(page, "verdict", new RegExp(`^Verified: all ${ticks} ticks `));
  await end(page);
});

// Opens the report on the session and another log. Returns the page.
async function reportOn(other) {
  const { status } = spawnSync(tool, ["diff", log, other, "--report", "report.html"],
                               { cwd: folder });
  assert.equal(status, 1);
  const page = await play(pathToFileURL(join(folder, "report.html")).href);
  await text(page, "tick", /^tick 199,/);
  assert.match(await page.frameLocator("#report iframe").locator("h1").textContent(),
               /^Divergence at tick 200$/);
  await text(page, "name-a", new RegExp(`^a: ${log}$`));
  await text(page, "name-b", new RegExp(`^b: ${other}$`));
  return page;
}

test("a report shows two sessions and names the first difference", async () => {
  orrery("fork", log, "--at", "199", "--set", "gravity=0,-9,0", "-o", "fork.orrery");
  const page = await reportOn("fork.orrery");
  await text(page, "verdict", /^a and b differ from tick 200 on$/);
  await text(page, "broken-text",
             /^The first difference: tick 200, chain 0, position\.x: .*After \d+ ticks /);
  await end(page);
});

// The report of the test before, with elements that try to run. Code in the frame, however it came
// there, cannot reach the film.
test("a hostile report reaches nothing", async () => {
  const path = join(folder, "report.html");
  const whole = readFileSync(path, "utf8");
  const reach = "top.reached = true";
  const hostile = `<script>${reach}</script><img src=x onerror='${reach}'><svg onload='${reach}'>` +
    `<iframe srcdoc='<script>top.${reach}</script>'></iframe>`;
  writeFileSync(path, whole.replace(' srcdoc="', ` srcdoc="${hostile}`));
  const page = await open(browser, pathToFileURL(path).href);
  await shown(page);
  const frame = await page.locator("#report iframe").elementHandle();
  assert.equal(await frame.getAttribute("sandbox"), "");
  const content = await frame.contentFrame();
  await content.locator("h1").waitFor({ state: "attached" });
  assert.equal(await content.evaluate(() => {
    try {
      return top.document.title;
    } catch (error) {
      return error.name;
    }
  }), "SecurityError");
  assert.equal(await page.evaluate(() => window.reached), undefined);
  await page.close();
});

test("a report shows a log that differs from its replay", async () => {
  orrery("run", "playground", "--ticks", String(TICKS), "--log", "broken.orrery",
         "--break", "ulp@200:36.velocity.x");
  const page = await reportOn("broken.orrery");
  await text(page, "verdict", /^a and b are equal for 199 ticks\. The next is unknown: b: /);
  await end(page);
});

test("a film with a damaged log says so", async () => {
  const address = film(log);
  const path = fileURLToPath(address);
  const whole = readFileSync(path, "utf8");
  const damaged = whole.replace(/(<script type="application\/x-orrery-log"[^>]*>)./, "$1!");
  assert.notEqual(damaged, whole);
  writeFileSync(path, damaged);
  const page = await open(browser, address);
  await text(page, "notice", /^The log in this file is damaged\.$/);
  await page.close();
});

test("a film without a log says so", async () => {
  const installed = join(tool, "../../share/orrery/web/film.html");
  const page = await open(browser, pathToFileURL(installed).href);
  await text(page, "notice", /^This film has no log\. /);
  await end(page);
});
