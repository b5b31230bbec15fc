// Tests the lab page in Chromium with a real server.
//
// usage: node lab.mjs SERVER TOOL [PAGE]: paths of orreryd, orrery and the page
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { difference } from "./lab_difference.mjs";
import { DIST, browser, open, server, serveTests, text } from "./support.mjs";

const LIMIT = 1e-12;
const [, , serverPath, tool, built = DIST] = process.argv;
serveTests(serverPath, built);

// Runs a test with the lab page of an address.
function labTest(name, hash, work) {
  test(name, async () => {
    const page = await open(browser, `${server.url}/lab.html${hash}`);
    try {
      await measured(page);
      await work(page);
      assert.deepEqual(page.faults, []);
    } finally {
      await page.close();
    }
  });
}

// Waits until all errors are measured.
function measured(page) {
  return page.waitForFunction(() =>
    window.lab?.runs.runs.every(({ rows, report }) => !rows || report));
}

// Returns the numbers of a table with all digits: a list for each line.
function numbersOf(page, id) {
  return page.locator(`#${id} tr`).evaluateAll((lines) => lines.slice(1).map((line) =>
    [...line.querySelectorAll("data")].map((data) => Number(data.value))));
}

// Runs the commands that the page shows. Returns the results in their order.
async function shownCommands(page) {
  const lines = (await page.locator("#command-text").textContent()).split("\n");
  return lines.map((line) => {
    const [name, ...args] = line.split(" ");
    assert.equal(name, "orrery");
    return JSON.parse(spawnSync(tool, args, { encoding: "utf8" }).stdout);
  });
}

async function shownCommand(page) {
  return (await shownCommands(page))[0];
}

// Returns the numbers of `orrery lab` that a line of the table of errors has.
function reportOf(line, wanted) {
  if ("flips" in wanted) {
    const [energy_ratio, energy_error, momentum_ratio, momentum_error, direction_error, flips,
           exact_flips, first_flip] = line;
    return { energy_ratio, energy_error, momentum_ratio, momentum_error, direction_error, flips,
             exact_flips, first_flip };
  }
  const [max, rms, final, last, min, largest, phase_error, evaluations] = line;
  return { error: { max, rms, final }, energy_ratio: { last, min, max: largest }, phase_error,
           evaluations };
}

// Compares all numbers of the tables with the commands that the page shows.
async function compareAll(page, name) {
  const lines = await numbersOf(page, "reports");
  const rest = await shownCommands(page);
  const wanted = rest.splice(0, lines.length);
  lines.forEach((line, i) => {
    const found = difference(reportOf(line, wanted[i]), wanted[i]);
    assert.ok(found.difference <= LIMIT, `${name}: ${found.path} differs by ${found.difference}`);
  });
  if (rest.length === 0) return;
  // The other commands are of the errors over the step.
  const points = rest.flatMap((order) => order.points);
  const rows = await numbersOf(page, "curve-work");
  const near = rows.map(([dt, , error]) => points.some((point) =>
    Math.abs(point.dt - dt) <= LIMIT && Math.abs(point.error - error) <= LIMIT) || error < 1e-13);
  assert.ok(near.length >= 10 && near.every(Boolean), `${name}: errors over the step`);
}

// Returns the largest difference between the tables and the result of a command.
async function tableDifference(page, wanted) {
  const [report] = await numbersOf(page, "reports");
  const [max, rms, final, last, min, largest, phase, evaluations] = report;
  const [, x, v, ratio] = (await numbersOf(page, "curve-times")).at(-1);
  const got = { error: { max, rms, final }, energy_ratio: { last, min, max: largest },
                phase_error: phase, evaluations, final: { x, v } };
  assert.ok(Math.abs(ratio - last) <= LIMIT);
  return difference(got, wanted).difference;
}

labTest("a slider moved by keys changes the tables to the numbers of orrery lab",
        "#problem=oscillator&methods=semi-implicit-euler&dt=0.1&time=20", async (page) => {
  await page.locator("#curves summary").focus();
  await page.keyboard.press("Enter");
  await page.locator("#curve-times data").first().waitFor();
  const before = await numbersOf(page, "curve-times");
  assert.ok(await tableDifference(page, await shownCommand(page)) <= LIMIT);
  for (const [slider, key] of [["dt", "ArrowRight"], ["k", "PageUp"], ["x0", "ArrowLeft"]]) {
    const old = await shownCommand(page);
    await page.locator(`#slide-${slider}`).focus();
    await page.keyboard.press(key);
    await measured(page);
    const wanted = await shownCommand(page);
    assert.ok(await tableDifference(page, wanted) <= LIMIT, slider);
    // A planted wrong number and the numbers before are seen.
    const planted = { ...wanted, final: { ...wanted.final, v: wanted.final.v + 1e-11 } };
    assert.ok(await tableDifference(page, planted) > LIMIT);
    assert.ok(await tableDifference(page, old) > LIMIT);
  }
  assert.notDeepEqual(await numbersOf(page, "curve-times"), before);
});

labTest("each figure asks, answers, and has the numbers of orrery lab", "", async (page) => {
  const names = await page.locator("#preset option").evaluateAll((options) =>
    options.map(({ value }) => value).filter(Boolean));
  assert.ok(names.length >= 30);
  await page.locator("#curves summary").click();
  for (const name of names) {
    await page.locator("#preset").selectOption(name);
    assert.match(await page.locator("#ask").textContent(), /\?$/);
    assert.equal(await page.locator("#answer").textContent(), "", name);
    assert.equal(await page.locator("#lines tr").count(), 0, name);
    await page.getByRole("button", { name: "Show the answer" }).click();
    assert.match(await page.locator("#answer").textContent(), /\.$/);
    assert.match(await page.locator("#look").textContent(), /\.$/);
    await measured(page);
    await page.waitForFunction(() => !document.getElementById("reports").textContent.includes("…"));
    await page.waitForFunction((name) => location.hash.includes(`preset=${name}&answered=1`), name);
    await compareAll(page, name);
  }
});

labTest("the whole state is in the address", "#preset=spirals", async (page) => {
  await page.getByRole("button", { name: "semi-implicit Euler" }).click();
  await text(page, "answer", /^Not quite\. Explicit Euler multiplies/);
  await page.locator("#step").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await text(page, "step-text", /^step 3 of 120/);
  await page.keyboard.press("ArrowLeft");
  await text(page, "step-text", /^step 2 of 120, t = 0\.1 to 0\.2 s/);
  await text(page, "lines", /x₁ =x₀ \+ h · v₀= 1 \+ 0\.1 · \(−0\.1\)= 0\.99/);
  await page.waitForFunction(() => /step=1(&|$)/.test(location.hash));
  const state = await page.evaluate(() => window.lab.state);
  await page.reload();
  await measured(page);
  assert.deepEqual(await page.evaluate(() => window.lab.state), state);
});

labTest("a wrong address gets a sentence, and usual values",
        "#problem=nothing&methods=rk9,rk4&dt=-1", async (page) => {
  await text(page, "problem-text", /problem=nothing is unknown; method rk9 is unknown; dt=-1 is/);
  assert.deepEqual(await page.evaluate(() => window.lab.state.methods), ["rk4"]);
  await page.locator("#slide-dt").focus();
  await page.keyboard.press("ArrowRight");
  await text(page, "problem-text", /^$/);
});

labTest("a value that the laboratory refuses gets its sentence",
        "#problem=oscillator&methods=rk4&set=m:-1", async (page) => {
  await text(page, "problem-text", /--set m: must be/);
});

labTest("CSV and PNG are saved", "#problem=kepler&methods=rk4,pefrl&dt=0.05&time=7",
        async (page) => {
  const save = async (id) => {
    const [file] = await Promise.all([page.waitForEvent("download"),
                                      page.locator(`#${id}`).click()]);
    return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
  };
  const csv = await save("csv"), png = await save("png");
  assert.equal(csv.name, "orrery-lab-kepler.csv");
  const last = csv.bytes.toString().split("\n").find((line) => line.startsWith("rk4,140,"));
  const [, , , x1, x2] = last.split(",").map(Number);
  const { final } = await shownCommand(page);
  assert.ok(difference({ x: [x1, x2] }, final).difference <= LIMIT);
  assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(png.bytes.readUInt32BE(16) > 400 && png.bytes.length > 10_000);
});

// Returns the lowest contrast of a text with its background, and the text. Colours are read from a
// canvas, so that all their forms count.
function lowestContrast(page) {
  return page.evaluate(() => {
    const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const paint = (colours) => {
      context.clearRect(0, 0, 1, 1);
      for (const colour of colours) {
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
      }
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const luminance = (rgb) => rgb.map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
      .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    let lowest = { contrast: Infinity, text: "" };
    for (const each of document.querySelectorAll("body *")) {
      const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      if (!own && !each.matches("input") || !each.checkVisibility()) continue;
      const behind = [];
      for (let at = each; at; at = at.parentElement) {
        behind.unshift(getComputedStyle(at).backgroundColor);
      }
      const style = getComputedStyle(each);
      const [a, b] = [luminance(paint(behind)), luminance(paint([...behind, style.color]))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) * Number(style.opacity);
      if (contrast < lowest.contrast) lowest = { contrast, text: each.outerHTML.slice(0, 100) };
    }
    return lowest;
  });
}

test("all texts have a contrast of 4.5 in light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(browser, `${server.url}/lab.html#preset=orders&answered=1`);
    await page.emulateMedia({ colorScheme });
    await page.locator("#help").click();
    await page.locator("#curves summary").click();
    await measured(page);
    await page.mouse.move(0, 0);
    const { contrast, text } = await lowestContrast(page);
    assert.ok(contrast >= 4.5, `${colorScheme}: ${contrast} of ${text}`);
    await page.locator("#command-text").evaluate((text) => { text.style.color = "#777"; });
    assert.ok((await lowestContrast(page)).contrast < 4.5, "a grey text is seen");
    await page.close();
  }
});

test("all is reached by the Tab key, and each stop shows where it is", async () => {
  const page = await open(browser, `${server.url}/lab.html#preset=damping-ratios`);
  await measured(page);
  const reached = new Set();
  for (let i = 0; i < 80; ++i) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const focused = document.activeElement;
      return focused === document.body ? null
        : { name: focused.id || focused.textContent,
            outline: getComputedStyle(focused).outlineStyle };
    });
    if (!stop || reached.has(stop.name)) break;
    assert.notEqual(stop.outline, "none", stop.name);
    reached.add(stop.name);
  }
  for (const name of ["preset", "link", "csv", "png", "Show the answer", "problem", "vary",
                      "vary-values", "method-0", "slide-dt", "slide-k", "velocity", "over", "step",
                      "step-method", "copy"]) {
    assert.ok(reached.has(name), `${name} of ${[...reached]}`);
  }
  await page.close();
});

test("the page fits a phone, with its four diagrams in light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(browser, `${server.url}/lab.html#problem=damped&methods=rk4&dt=0.1`);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width: 360, height: 740 });
    await measured(page);
    await page.waitForFunction(() => document.querySelectorAll(".chart canvas").length === 4);
    await page.waitForFunction(() => document.documentElement.scrollWidth <= 360);
    const running = await page.evaluate(() => document.getAnimations().length);
    assert.equal(running, 0);
    assert.deepEqual(page.faults, []);
    await page.close();
  }
});

test("the page of the session links to the laboratory", async () => {
  const page = await open(browser, server.url);
  await page.getByRole("link", { name: "Integration lab" }).click();
  await text(page, "ask", /Which spiral grows/);
  await page.close();
});
