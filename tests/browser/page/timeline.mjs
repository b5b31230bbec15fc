// Tests in Chromium the time line of logs: scrubbing, playback, and the order of opened logs.
// usage: node timeline.mjs SERVER TOOL [PAGE]: paths of orreryd, orrery and the page
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { before } from "node:test";
import { DIST, bodyAt, browser, installed, pageTest, scrub, server, serveTests, text,
         until } from "./support.mjs";

const BALL = 36;
const TICKS = 600;
const MB = 1 << 20;
const [, , serverPath, tool, built = DIST] = process.argv;
serveTests(serverPath, built);

const file = (name) => join(installed.folder, name);
before(() => {
  execFileSync(tool, ["run", "playground", "--ticks", String(TICKS), "--log", file("a.orrery")],
               { stdio: "ignore" });
  execFileSync(tool, ["fork", file("a.orrery"), "--at", "100", "--set", "gravity=0,-5,0", "-o",
                      file("b.orrery")], { stdio: "ignore" });
  execFileSync(tool, ["run", "boxes:1000", "--ticks", "120", "--log", file("boxes.orrery")],
               { stdio: "ignore" });
});

// Opens logs as a person chooses their files.
async function choose(page, ...names) {
  await page.locator("#file").setInputFiles(names.map(file));
  await text(page, "state", new RegExp(`^log ${names[0]}$`));
}

// Returns the place of a tick on the screen.
async function placeOf(page, tick) {
  const { x, y, width, height } = await page.locator("#time").boundingBox();
  return [x + 8 + tick / TICKS * (width - 16), y + height / 2];
}

const thumb = (page) => page.locator("#time").inputValue().then(Number);

pageTest("a log that was chosen stays, if that of the session arrives later", async (page) => {
  await until(page, () => window.orrery.timeline.tick > 30);
  let go, asked, answer;
  const held = new Promise((resolve) => { go = resolve; });
  const asks = new Promise((resolve) => { asked = resolve; });
  const answered = new Promise((resolve) => { answer = resolve; });
  await page.context().route("**/v1/log", async (route) => {
    asked();
    await held;
    await route.fulfill({ response: await route.fetch() });
    answer();
  });
  await page.locator("#view").press("Space");
  await asks;
  await choose(page, "a.orrery");
  go();
  await answered;
  await page.waitForTimeout(300);
  assert.equal(await page.locator("#state").textContent(), "log a.orrery");
  await text(page, "tick", /^tick 0,/);
});

pageTest("a drag that ends where it began ends", async (page) => {
  await choose(page, "a.orrery");
  await scrub(page, 300);
  await page.mouse.move(...await placeOf(page, 300));
  await page.mouse.down();
  await page.mouse.move(...await placeOf(page, 401), { steps: 5 });
  await until(page, () => window.orrery.timeline.tick > 350);
  await page.mouse.move(...await placeOf(page, 300), { steps: 5 });
  await page.mouse.up();
  await page.keyboard.press("Home");
  await text(page, "tick", /^tick 0,/);
  assert.equal(await thumb(page), 0);
});

pageTest("the thumb stays where it was released until its tick is shown", async (page) => {
  await until(page, () => window.orrery.timeline.tick > 120);
  await page.evaluate(() => {
    const range = document.getElementById("time");
    window.seen = new Set();
    const watch = () => { window.seen.add(range.value); requestAnimationFrame(watch); };
    range.value = "50";
    range.dispatchEvent(new Event("input"));
    range.dispatchEvent(new Event("change"));
    watch();
  });
  await text(page, "tick", /^tick 50,/);
  assert.deepEqual(await page.evaluate(() => [...window.seen]), ["50"]);
});

// Returns the selected row of the list of events, as its text.
const row = (page) => page.locator("#events").evaluate((list) =>
  list.selectedOptions[0]?.textContent ?? "");

pageTest("a row of the events shows its tick, and a tick its row", async (page) => {
  await choose(page, "a.orrery");
  await until(page, () => window.orrery.timeline.rows.some(({ event }) => event.kind === "hit"));
  await page.locator("#events-toggle").click();
  const ticks = await page.evaluate(() =>
    window.orrery.timeline.rows.map(({ event }) => event.tick));
  const after = ticks.find((tick, i) => i > 0 && ticks[i - 1] < tick);  // begins another tick
  const option = page.locator("#events option", { hasText: new RegExp(`^${after} `) }).first();
  await page.locator("#events").selectOption(await option.getAttribute("value"));
  await text(page, "tick", new RegExp(`^tick ${after},`));
  assert.match(page.url(), new RegExp(`#t=${after}`));
  assert.match(await row(page), new RegExp(`^${after} .* hits .* m/s$`));
  await scrub(page, ticks[0]);
  assert.match(await row(page), new RegExp(`^${ticks[0]} `));
  await scrub(page, after);
  assert.match(await row(page), new RegExp(`^${after} `));
  await page.locator("#happened input[value=hit]").uncheck();
  await text(page, "events-note", /^0 events$/);
});

pageTest("the sums at the end of a log are those that the tool prints", async (page) => {
  await choose(page, "a.orrery");
  await scrub(page, TICKS);
  const { drift: { last } } = JSON.parse(execFileSync(tool, ["log", "info", file("a.orrery"),
                                                             "--json"]));
  const six = (value) => String(Number(value.toPrecision(6)));
  assert.deepEqual(await page.locator("#totals dd").allTextContents(),
                   [`${six(last.energy)} J`, `${six(Math.hypot(...last.momentum))} kg m/s`,
                    `${six(Math.hypot(...last.angular_momentum))} kg m²/s`]);
});

pageTest("the plot has the cursor at the tick, and a click on it shows a tick", async (page) => {
  await choose(page, "a.orrery");
  await until(page, (ticks) => window.orrery.timeline.plot.points[0].at(-1)?.tick === ticks, TICKS);
  const box = await page.locator("#sums").boundingBox();
  await page.mouse.click(box.x + 8 + (box.width - 16) / 2, box.y + 30);
  await text(page, "tick", new RegExp(`^tick ${TICKS / 2},`));
  const cursor = await page.locator("#cursor").boundingBox();
  assert.ok(Math.abs(cursor.x - (box.x + box.width / 2)) < 1.5, `${cursor.x}`);
  const drawn = await page.locator("#sums").evaluate((canvas) =>
    canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((x) => x));
  assert.ok(drawn);
});

// The poses of each fourth tick are kept, with a position and an orientation in 28 to 64 bytes a
// body. Images of each eighth tick have velocities and contacts too: 100 bytes to 1 kB a body.
pageTest("the memory of a log grows with bodies and ticks, and Verify needs none", async (page) => {
  await page.evaluate(() => {
    const figure = document.getElementById("memory");
    window.figures = [];
    new MutationObserver(() => window.figures.push(figure.textContent))
      .observe(figure, { childList: true, characterData: true, subtree: true });
  });
  await choose(page, "boxes.orrery");
  await until(page, () => window.orrery.timeline.plot.points[0].at(-1)?.tick === 120);
  await page.locator("#verify").click();
  await text(page, "verdict", /^Verified/);
  const figures = await page.evaluate(() => window.figures.map((each) =>
    /^Memory (\d+) of (\d+) MB$/.exec(each).slice(1).map(Number)));
  assert.ok(figures.every(([, most]) => most === 64 + 128), `${figures}`);
  const used = figures.map(([bytes]) => bytes);
  assert.deepEqual(used, [...used].sort((a, b) => a - b));
  const [bodies, poses, images] = [1000, 1 + 120 / 4, 120 / 8];
  assert.ok(used[0] < used.at(-1), `${used}`);
  assert.ok(used.at(-1) > bodies * (28 * poses + 100 * images) / MB, `${used}`);
  assert.ok(used.at(-1) < bodies * (64 * poses + 1000 * (images + 1)) / MB, `${used}`);
  await choose(page, "a.orrery", "b.orrery");
  await text(page, "memory", /^Memory \d+ of 384 MB$/);
});

pageTest("digits choose the speed of playback", async (page) => {
  await choose(page, "a.orrery");
  await page.locator("#view").focus();
  await page.keyboard.press("2");
  assert.equal(await page.locator("#speed").inputValue(), "0.25");
  await page.keyboard.press("Space");
  await until(page, () => window.orrery.timeline.speed === 0.25);
  await page.keyboard.press("7");
  await until(page, () => window.orrery.timeline.speed === 10);
  await until(page, () => window.orrery.timeline.tick === 600);
  await text(page, "play", /^Play$/);
});

pageTest("two logs share the list, the plot and the cursor", async (page) => {
  await choose(page, "a.orrery", "b.orrery");
  await until(page, () => window.orrery.timeline.plot.points.every((points) => points.length > 9));
  await scrub(page, 200);
  assert.match(await page.locator("#totals dd").first().textContent(), / and .* J$/);
  await page.locator("#events-toggle").click();
  assert.match(await row(page), /^\d+ +[ab]: /);
});

// Returns the picture on the canvas.
const picture = (page) => page.evaluate(() => {
  window.orrery.stage.draw();
  return window.orrery.stage.canvas.toDataURL();
});

pageTest("a second log is next to the first, or a ghost over it", async (page) => {
  await choose(page, "a.orrery", "b.orrery");
  await scrub(page, 300);
  const beside = await picture(page);
  await page.locator("#ghost").check();
  await text(page, "apart", /^up to [\d.]+ m apart$/);
  const over = await picture(page);
  assert.notEqual(over, beside);
  const ghosts = await page.evaluate(() => window.orrery.ghost.count);
  assert.ok(ghosts > 0);
  for (const name of ["ghost.bodies", "bodies"]) {  // both are seen
    const hidden = await page.evaluate((name) => {
      const { group } = name.split(".").reduce((object, key) => object[key], window.orrery);
      group.visible = false;
      window.orrery.stage.draw();
      const shown = window.orrery.stage.canvas.toDataURL();
      group.visible = true;
      return shown;
    }, name);
    assert.notEqual(hidden, over, name);
  }
  await scrub(page, 100);  // before they part
  await text(page, "apart", /^up to 0 m apart$/);
  assert.equal(await page.evaluate(() => window.orrery.ghost.count), 0);
  await page.locator("#ghost").uncheck();
  await text(page, "apart", /^$/);
});

pageTest("Break draws the broken world as a ghost", async (page) => {
  await choose(page, "a.orrery");
  await page.locator("#bodies").selectOption(String(BALL));
  await scrub(page, 100);
  await page.locator("#bit").evaluate((bit) => { bit.value = "51"; });
  await page.locator("#field").evaluate((field) => { field.value = "position.x"; });
  await page.locator("#break").click();
  await text(page, "broken-text", /After 600 ticks the worlds are .* Press Play/);
  assert.ok(await page.locator("#ghost").isChecked());
  await scrub(page, 400);
  await text(page, "apart", /^up to \S+ m apart$/);
  assert.ok(await page.evaluate(() => window.orrery.ghost.apart > 0.01));
  await scrub(page, 99);  // before the fault
  await text(page, "apart", /^$/);
});

pageTest("the exact world is a ghost over the shown one", async (page) => {
  await page.locator("#ghost").check();
  await page.locator("#mode").selectOption("0");
  await text(page, "apart", / apart$/);
  await page.locator("#mode").selectOption("3");
  await text(page, "apart", /^$/);  // the shown state is exact
});

pageTest("a long verdict does not part the buttons", async (page) => {
  await page.setViewportSize({ width: 980, height: 640 });
  await choose(page, "a.orrery");
  await page.locator("#verify").click();
  await text(page, "verdict", /^Verified/);
  const tops = await Promise.all(["play", "verify", "link"].map(async (id) =>
    (await page.locator(`#${id}`).boundingBox()).y));
  assert.deepEqual(tops, [tops[0], tops[0], tops[0]]);
});

pageTest("a drag of a body in a log says why it stays", async (page) => {
  await choose(page, "a.orrery");
  await page.locator("#low").check();
  await until(page, (ball) => window.orrery.shown.pose(ball), BALL);
  const { x, y } = await bodyAt(page, BALL);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await until(page, (ball) => window.orrery.selected === ball, BALL);
  assert.ok(await page.locator("#notice").isHidden());
  await page.mouse.move(x + 30, y, { steps: 3 });
  await text(page, "notice",
             /^A log cannot be changed\. Return to the live session to move bodies\.$/);
  await page.mouse.up();
});
