// Tests the page in Chromium with a real server.
// usage: node page.mjs SERVER TOOL [PAGE]: paths of orreryd, orrery and the page
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DIST, bodyAt, browser, installed, open, pageTest, scrub, serve, server, serveTests, shown,
         text, until } from "./support.mjs";

const BALL = 36;
const GOLDEN = new URL("../../golden/logs/", import.meta.url);
const [, , serverPath, tool, built = DIST] = process.argv;
serveTests(serverPath, built);

// Writes the log of the session into a file, and runs the tool on it.
async function replay(tick) {
  const file = join(installed.folder, "fetched.orrery");
  const answer = await fetch(`${server.url}/v1/log`);
  writeFileSync(file, new Uint8Array(await answer.arrayBuffer()));
  const args = ["replay", file, "--at", String(tick), "--bodies", "--json"];
  return JSON.parse(execFileSync(tool, args, { maxBuffer: 1 << 26 }));
}

pageTest("the bodies of the live session are shown and move", async (page) => {
  const first = await page.evaluate(() => window.orrery.shown.pose(5).position);
  await until(page, (first) => Math.hypot(...window.orrery.shown.pose(5).position
    .map((x, i) => x - first[i])) > 1e-4, first);
  assert.match(await text(page, "state", /^live/), /^live, client \d+, play$/);
  await text(page, "stats", /[1-9]\d* equal/);  // states compared with the server
});

pageTest("a grab moves the body under the pointer, on all pages", async (page) => {
  const other = await shown(await open(browser, server.url));
  const { x, y, position } = await bodyAt(page, BALL);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await until(page, (ball) => window.orrery.selected === ball, BALL);
  await page.mouse.move(x + 20, y - 90, { steps: 4 });
  const isHigher = ([ball, height]) => window.orrery.shown.pose(ball).position[1] > height + 0.7;
  for (const each of [page, other]) await until(each, isHigher, [BALL, position[1]]);
  assert.equal(await page.locator("#bodies option:checked").textContent(), "ball");
  await page.mouse.up();
  await until(page, ([ball, height]) => window.orrery.shown.pose(ball).position[1] < height + 0.3,
              [BALL, position[1]]);  // it falls
  await other.close();
});

pageTest("other ways of motion can be chosen while it runs", async (page) => {
  for (const mode of ["0", "1", "3"]) {
    await page.locator("#mode").selectOption(mode);
    const tick = await page.evaluate(() => window.orrery.timeline.tick);
    await until(page, (tick) => window.orrery.timeline.tick > tick + 20, tick);
  }
});

pageTest("a scrub shows the state that the tool prints", async (page) => {
  await until(page, () => window.orrery.timeline.tick > 200);
  await page.locator("#bodies").selectOption(String(BALL));
  await scrub(page, 150);
  const expected = await replay(150);
  const ball = expected.bodies.find(({ id }) => id === BALL);
  await text(page, "numbers", new RegExp(expected.hash));
  const numbers = await page.locator("#numbers dd").allTextContents();
  const places = [...ball.position, ...ball.orientation, ...ball.velocity,
                  ...ball.angular_velocity].map(Number);
  assert.deepEqual(numbers.slice(4, 17).map(Number), places);
  assert.match(page.url(), /#t=150&body=36$/);
  await scrub(page, 151);
  const later = await page.locator("#numbers").textContent();
  assert.ok(!later.includes(expected.hash));  // control
});

pageTest("Verify passes, Break names the body and the field", async (page) => {
  await until(page, () => window.orrery.timeline.tick > 300);
  await page.locator("#verify").click();
  await text(page, "verdict", /^Verified: all \d{3,} ticks replay to the same bits/);
  await page.locator("#bodies").selectOption(String(BALL));
  await scrub(page, 100);
  await page.locator("#field").evaluate((field) => { field.value = "position.x"; });
  await page.locator("#break").click();
  await text(page, "broken-text",
             /^Bit 20 of position.x of ball was flipped in tick 100: \S+ became /);
  await text(page, "broken-text", /After 600 ticks the worlds are up to \S+ m apart/);
});

pageTest("keys alone play, step and return to the live session", async (page) => {
  await until(page, () => window.orrery.timeline.tick > 120);
  await page.locator("#view").focus();
  await page.keyboard.press("Space");
  await text(page, "state", /^log of this session/);
  await page.keyboard.press("Home");
  await text(page, "tick", /^tick 0,/);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press(".");
  await text(page, "tick", /^tick 2,/);
  await page.keyboard.press("ArrowLeft");
  await text(page, "tick", /^tick 1,/);
  await page.keyboard.press("l");
  await until(page, () => window.orrery.timeline.tick > 20);
  await page.keyboard.press("k");
  await text(page, "play", /^Play$/);
  const tick = await page.evaluate(() => window.orrery.timeline.tick);
  assert.match(page.url(), new RegExp(`#t=\\d+$`), `${tick}`);
  await page.keyboard.press("End");
  await page.keyboard.press("End");
  await text(page, "state", /^live/);
});

pageTest("a key pushes the selected body", async (page) => {
  await page.locator("#bodies").selectOption(String(BALL));
  const { position } = await bodyAt(page, BALL);
  await page.locator("#view").focus();
  await page.keyboard.down("e");
  await until(page, ([ball, height]) => window.orrery.shown.pose(ball).position[1] > height + 0.5,
              [BALL, position[1]]);
  await page.keyboard.up("e");
  await until(page, ([ball, height]) => window.orrery.shown.pose(ball).position[1] < height + 0.3,
              [BALL, position[1]]);
});

test("a link to a moment opens paused", async () => {
  const first = await shown(await open(browser, server.url));
  await until(first, () => window.orrery.timeline.tick > 100);
  await first.close();
  const page = await shown(await open(browser, `${server.url}/#t=77&body=5`));
  await text(page, "tick", /^tick 77,/);
  await text(page, "play", /^Play$/);
  assert.equal(await page.evaluate(() => window.orrery.selected), 5);
  await text(page, "numbers", /0x[0-9a-f]{16}/);
  assert.equal(await page.evaluate(() => window.orrery.timeline.tick), 77);
  assert.match(page.url(), /#t=77&body=5$/);
  await page.close();
});

pageTest("a moment in the address is shown", async (page) => {
  await until(page, () => window.orrery.timeline.tick > 60);
  await page.evaluate(() => { location.hash = "#t=33&body=2"; });
  await text(page, "tick", /^tick 33,/);
  assert.equal(await page.evaluate(() => window.orrery.selected), 2);
});

pageTest("a finger grabs a body", async (page) => {
  const { x, y, position } = await bodyAt(page, BALL);
  const touch = await page.context().newCDPSession(page);
  const send = (type, points) => touch.send("Input.dispatchTouchEvent", {
    type, touchPoints: points.map(([x, y]) => ({ x, y })) });
  await send("touchStart", [[x, y]]);
  await until(page, (ball) => window.orrery.selected === ball, BALL);
  await send("touchMove", [[x, y - 60]]);
  await until(page, ([ball, height]) => window.orrery.shown.pose(ball).position[1] > height + 0.4,
              [BALL, position[1]]);
  await send("touchEnd", []);
});

pageTest("files are opened, and others get a sentence", async (page) => {
  const bytes = Buffer.from(await (await fetch(`${server.url}/v1/log`)).arrayBuffer());
  const give = (name, buffer) =>
    page.locator("#file").setInputFiles({ name, mimeType: "application/octet-stream", buffer });
  await give("notes.txt", Buffer.from("no log"));
  await text(page, "notice", /^notes.txt: the log .*\.$/);
  assert.match(await page.locator("#state").textContent(), /^live/);
  await give("session.orrery", bytes);
  await text(page, "state", /^log session.orrery/);
  await give("old.orrery", readFileSync(new URL("rules-6-format-4.orrery", GOLDEN)));
  await text(page, "notice", /^This log was made with other rules of physics\. /);
  await text(page, "sums-note", /^Other rules: only the states of ticks 0, 600 can be read$/);
  assert.ok(await page.locator("#sums").isVisible());
  await scrub(page, 600);
  const damaged = Buffer.from(bytes);
  damaged[bytes.length >> 1] ^= 1;
  await give("damaged.orrery", damaged);
  await text(page, "notice", /^This log can be read up to tick \d+: /);
  await page.locator("#verify").click();
  await until(page, () => document.getElementById("verdict").dataset.kind === "bad");
});

test("a page that was hidden shows the present at once", async () => {
  const page = await shown(await open(browser, server.url, () => {
    const ask = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (draw) =>
      window.hiddenForTest ? (window.heldDraw = draw) : ask(draw);
  }));
  await page.evaluate(() => { window.hiddenForTest = true; });
  await until(page, () => window.heldDraw);
  const before = await page.evaluate(() => window.orrery.timeline.tick);
  await until(page, (before) => window.orrery.status.tick > before + 180, before);
  const tick = await page.evaluate(() => new Promise((resolve) => {
    const { timeline } = window.orrery;
    const show = timeline.show.bind(timeline);
    timeline.show = (frame) => { show(frame); resolve(frame.tick); };
    window.hiddenForTest = false;
    window.heldDraw();
  }));
  assert.ok(tick > before + 170, `${before} to ${tick}`);
  await page.close();
});

test("the page connects again when the server is started again", async (t) => {
  const first = await serve(installed.folder, { scene: "tumble" });
  t.after(first.stop);
  const page = await shown(await open(browser, first.url));
  await text(page, "scene", /^tumble$/);
  const isDurable = async () => (await (await fetch("v1/session")).json()).durable_tick >= 10;
  await until(page, isDurable);
  await scrub(page, 10);
  await page.locator("#live").click();
  await text(page, "state", /^live/);
  await first.stop();
  await text(page, "state", /^not connected: /);
  const web = first.url.replace("http://", "");
  const second = await serve(installed.folder, { scene: "chain", web });
  t.after(second.stop);
  await text(page, "state", /^live/);
  await text(page, "scene", /^chain$/);
  await until(page, () => window.orrery.shown.count > 10);
  await until(page, isDurable);
  await scrub(page, 10);  // in the log of the new session
  assert.equal(await page.locator("#scene").textContent(), "chain");
  await page.close();
});

for (const [missing, words, disable] of [
  ["WebGL", /no WebGL 2/, () => { HTMLCanvasElement.prototype.getContext = () => null; }],
  ["SIMD", /no WebAssembly with SIMD/, () => { WebAssembly.validate = () => false; }],
]) {
  test(`a browser without ${missing} gets a sentence`, async () => {
    const page = await open(browser, server.url, disable);
    await text(page, "notice", words);
    await page.close();
  });
}
