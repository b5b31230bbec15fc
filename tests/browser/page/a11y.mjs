// Tests in Chromium that the time line works for everybody: by keyboard, with little motion, in
// colours that are easy to read, and on a small screen.
// usage: node a11y.mjs SERVER TOOL [PAGE]: paths of orreryd, orrery and the page
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { before, test } from "node:test";
import { DIST, browser, installed, open, pageTest, server, serveTests, shown, text,
         until } from "./support.mjs";

const CONTRAST = 4.5;
const CONTROLS = ["time", "back", "play", "forward", "speed", "live", "verify", "break",
                  "events-toggle", "link"];
const [, , serverPath, tool, built = DIST] = process.argv;
serveTests(serverPath, built);
before(() => {
  execFileSync(tool, ["run", "playground", "--ticks", "300", "--log",
                      join(installed.folder, "a.orrery")], { stdio: "ignore" });
});

// Opens a log with its events, and waits until all of it was collected.
async function openLog(page) {
  await page.locator("#file").setInputFiles(join(installed.folder, "a.orrery"));
  await text(page, "state", /^log a.orrery$/);
  await until(page, () => window.orrery.timeline.plot.points[0].at(-1)?.tick === 300);
  await page.locator("#events-toggle").click();
}

// Runs a test with a page that has the settings of a person.
function settingsTest(name, settings, work) {
  test(name, async () => {
    const page = await open(browser, "about:blank");
    try {
      await page.emulateMedia(settings);
      await page.goto(server.url);
      await shown(page);
      await openLog(page);
      await work(page);
    } finally {
      await page.close();
    }
  });
}

const focused = (page) => page.evaluate(() => document.activeElement.id);

// Presses Tab until an element has focus. Returns the elements on the way.
async function tabTo(page, id) {
  const seen = [];
  while (seen.at(-1) !== id) {
    assert.ok(seen.length < 60, `no way to ${id}: ${seen}`);
    await page.keyboard.press("Tab");
    seen.push(await focused(page));
  }
  return seen;
}

pageTest("all of the time line works by keyboard", async (page) => {
  await page.locator("#view").focus();
  await page.keyboard.press("Space");
  await text(page, "state", /^log of this session/);
  await until(page, () => window.orrery.timeline.rows.length > 1);
  const seen = await tabTo(page, "link");
  assert.deepEqual(CONTROLS.filter((id) => !seen.includes(id)), []);
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outline);
  assert.match(outline, /solid 3px$/);
  await tabTo(page, "events-toggle");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#events-toggle").getAttribute("aria-expanded"), "true");
  await tabTo(page, "events");
  await page.keyboard.press("Home");
  const { tick } = await page.evaluate(() => window.orrery.timeline.rows[0].event);
  await text(page, "tick", new RegExp(`^tick ${tick},`));
  const marked = () => page.locator("#events").inputValue();
  for (const value of ["1", "2"]) {  // rows of one tick too
    await page.keyboard.press("ArrowDown");
    await page.waitForTimeout(150);
    assert.equal(await marked(), value);
  }
  await tabTo(page, "time");
  assert.match(await page.locator("#time").getAttribute("aria-valuetext"), /^tick \d+, .* s$/);
  await page.keyboard.press("Home");
  await text(page, "tick", /^tick 0,/);
  await page.keyboard.press("PageUp");
  await until(page, () => window.orrery.timeline.tick > 0);
  assert.match(page.url(), /#t=[1-9]/);
});

pageTest("every control of the page has a name", async (page) => {
  await openLog(page);
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, select, input, canvas[role]")].filter((each) =>
      !(each.getAttribute("aria-label") || each.labels?.[0]?.textContent.trim() ||
        each.textContent.trim() && each.matches("button"))).map(({ id, outerHTML }) =>
      id || outerHTML));
  assert.deepEqual(nameless, []);
});

const still = { reducedMotion: "reduce" };
settingsTest("with reduced motion nothing moves by itself", still, async (page) => {
  assert.equal(await page.evaluate(() => window.orrery.stage.controls.enableDamping), false);
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => window.orrery.timeline.tick), 0);
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
});

// Returns the texts with too little contrast. Colours of the page are partly transparent, so each
// is painted over white and over black.
const faint = (page) => page.evaluate((least) => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const paint = (colours) => {
    for (const colour of colours) {
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
    }
    const [red, green, blue] = [...pen.getImageData(0, 0, 1, 1).data].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (colour, layers) => Math.min(...["#fff", "#000"].map((base) => {
    const [dark, light] = [paint([base, ...layers]), paint([base, ...layers, colour])]
      .sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }));
  const layersOf = (each) => each
    ? [...layersOf(each.parentElement), getComputedStyle(each).backgroundColor] : [];
  const texts = [...document.querySelectorAll("body *")].filter((each) =>
    each.checkVisibility({ visibilityProperty: true }) && !each.matches(":disabled, :disabled *") &&
    [...each.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim()));
  const measured = texts.map((each) => ({
    name: each.id || each.textContent.trim(),
    value: contrast(getComputedStyle(each).color, layersOf(each)) }));
  const footer = layersOf(document.querySelector("footer"));
  for (const name of ["join", "command", "hit", "energy", "momentum", "good", "bad"]) {
    const colour = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
    measured.push({ name, value: contrast(colour, footer) });
  }
  return { count: texts.length, faint: measured.filter(({ value }) => value < least)
    .map(({ name, value }) => `${name}: ${value.toFixed(2)}`) };
}, CONTRAST);

for (const colorScheme of ["light", "dark"]) {
  const name = `texts and marks are easy to read in ${colorScheme} colours`;
  settingsTest(name, { colorScheme }, async (page) => {
    await page.locator("#bodies").selectOption("36");
    await page.locator("#help").click();
    await page.locator("#verify").click();
    await text(page, "verdict", /^Verified/);
    const found = await faint(page);
    assert.ok(found.count > 60, `${found.count}`);
    assert.deepEqual(found.faint, []);
    await page.evaluate(() => document.documentElement.style.setProperty("--quiet", "#888"));
    assert.notDeepEqual((await faint(page)).faint, []);  // control
  });
}

settingsTest("a screen of 360 pixels shows everything", {}, async (page) => {
  await page.setViewportSize({ width: 360, height: 640 });
  const { outside, small, wide, view } = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll("button, select, input, dd, output, .button")]
      .filter((each) => each.checkVisibility() && !each.matches(".button input, option"))
      .map((each) => ({ name: each.id || each.textContent, box: each.getBoundingClientRect(),
                        control: each.matches("footer button, footer select") }));
    return {
      outside: boxes.filter(({ box }) => box.left < 0 || box.right > innerWidth ||
                                         box.top < 0 || box.bottom > innerHeight)
        .map(({ name }) => name),
      small: boxes.filter(({ box, control }) => control && Math.min(box.width, box.height) < 24)
        .map(({ name }) => name),
      wide: document.documentElement.scrollWidth, view: window.orrery.stage.canvas.clientHeight,
    };
  });
  assert.deepEqual({ outside, small, wide }, { outside: [], small: [], wide: 360 });
  assert.ok(view > 200, `the picture is ${view} pixels high`);
});
