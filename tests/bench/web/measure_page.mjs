// Measures the page in Chromium with a real server: loading, Verify, scrubbing, frames and bytes.
// usage: node measure_page.mjs [--build FOLDER] [--minutes N] [--only NAME,NAME]
//
// Prints a Markdown table with a goal for each figure. --minutes: length of the session that is
// scrubbed (default 10). --only: load, size, follow, film, verify, scrub, frame. Times of pictures
// leave out the drawing itself, which is software here.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { browse, install, open, serve, text } from "../../browser/page/support.mjs";
import { dragTo, measureFrames, restAt, secondsOf, timeVerify, watchFrames, withoutDrawing,
         workerSeconds, workerTimes } from "./page_probes.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { values: options } = parseArgs({ options: {
  build: { type: "string", default: here("../../../build") },
  minutes: { type: "string", default: "10" },
  only: { type: "string", default: "load,size,follow,film,verify,scrub,frame" },
} });
const dist = here("../../../client/web/dist");
const tool = join(options.build, "bin/orrery");
const RING_MS = 12_000;  // in which the page collects images around a place
const BOTS = 8, TURNS = 3, MINUTE = 60, TICK_RATE = 60;

const orrery = (...words) => execFileSync(tool, words, { stdio: ["ignore", "pipe", "ignore"],
                                                         cwd: folder, maxBuffer: 1 << 28 });
const installation = install(join(options.build, "bin/orreryd"), dist);
const { folder } = installation;
const browser = await browse();

// Returns the value at a part of the sorted values: 0.5 is the median.
const quantile = (values, part) =>
  [...values].sort((a, b) => a - b)[Math.round(part * (values.length - 1))];

function row(name, measured, goal) { console.log(`| ${name} | ${measured} | ${goal} |`); }

const ms = (values) => `${quantile(values, 0.5).toFixed(1)} ms, 95 %: ` +
  `${quantile(values, 0.95).toFixed(1)}, most ${Math.max(...values).toFixed(1)}`;

// Records a session of playground with bots, and calls `meanwhile` with the server. Returns the
// path of the log.
async function record(seconds, meanwhile = () => {}) {
  const server = await serve(folder);
  const bots = spawn(tool, ["bot", server.address, "--count", String(BOTS), "--seconds",
                            String(seconds)], { stdio: "ignore" });
  const ended = once(bots, "exit");
  await meanwhile(server);
  await ended;
  await server.stop();
  return server.log;
}

function run(scene, ticks) {
  const path = join(folder, `${scene.replace(":", "-")}-${ticks}.orrery`);
  orrery("run", scene, "--ticks", String(ticks), "--log", path);
  return path;
}

// Opens a log in a page, and waits until the pass over it is done.
async function openLog(page, path) {
  await page.locator("#file").setInputFiles(path);
  await page.waitForFunction((name) => window.orrery.log?.name === name, basename(path));
  await page.waitForFunction(() => {
    const { plot, log } = window.orrery.timeline;
    return plot.points[0].at(-1)?.tick > log.last - 64;
  }, undefined, { timeout: 0, polling: 500 });
}

// Opens a page, and calls `work` with it.
async function withPage(server, work, before) {
  const page = await open(browser, server.url, before);
  try {
    await page.waitForFunction(() => window.orrery?.shown.count > 0);
    return await work(page);
  } finally {
    await page.close();
  }
}

// --- the figures ---

async function load() {
  const server = await serve(folder);
  const marks = { shown: [], usable: [] };
  for (let turn = 0; turn < 2 * TURNS + 1; ++turn) {
    const context = await browser.newContext();  // with an empty cache
    await withPage(server, async (page) => {
      await page.waitForFunction(() => performance.getEntriesByName("usable").length > 0);
      const at = await page.evaluate(() => ["orrery-shown", "usable"].map((name) =>
        performance.getEntriesByName(name)[0].startTime));
      marks.shown.push(at[0]);
      marks.usable.push(at[1]);
    }, () => {
      const look = () => {
        const isLive = document.getElementById("state")?.dataset.kind === "live";
        if (isLive && window.orrery?.shown.count > 0) performance.mark("usable");
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await context.close();
  }
  await server.stop();
  row("first picture of bodies after the load begins", ms(marks.shown), "600 ms");
  row("usable: live, and bodies can be grabbed", ms(marks.usable), "1500 ms");
}

async function size() {
  const bytes = (...names) => readdirSync(dist)
    .filter((file) => names.some((name) => file.startsWith(name) && file.endsWith(".gz")))
    .reduce((sum, file) => sum + statSync(join(dist, file)).size, 0);
  row("scripts of the page by gzip", `${bytes("page-", "worker-")} bytes`, "150,000");
  row("orrery.wasm by gzip", `${bytes("orrery-")} bytes`, "300,000");
}

async function film() {
  const path = join(folder, "film.html");
  orrery("film", await record(10), "-o", path);
  row("film of 10 s of playground with 8 bots", `${statSync(path).size} bytes`, "800,000");
}

let session = null;  // a log of a minute of playground with bots

// Measures the data that the page receives, in messages of the WebSocket. TCP adds to them.
async function rate(server) {
  return await withPage(server, async (page) => {
    await page.waitForTimeout(5000);  // the first state has arrived
    const rates = [];
    for (let turn = 0; turn < 20; ++turn) {
      await page.waitForTimeout(1000);
      rates.push(await page.evaluate(() => window.orrery.status.kbitPerSecond));
    }
    return `${quantile(rates, 0.5).toFixed(1)} kbit/s`;
  });
}

async function follow() {
  const server = await serve(folder);
  row("follow over WebSocket, playground without commands", await rate(server), "26 kbit/s");
  await server.stop();
  session = await record(MINUTE, async (playing) => {
    row("follow over WebSocket, 8 bots that play", await rate(playing), "");
  });
}

// Compares Verify in the page with the tool on the same log.
async function verify() {
  session ??= await record(MINUTE);
  const server = await serve(folder);
  await withPage(server, async (page) => {
    await withoutDrawing(page);
    for (const [name, path, goal] of [
      ["playground with 8 bots", session, "100 times real time; 0.4 of native"],
      ["boxes:1000", run("boxes:1000", MINUTE * TICK_RATE), "8 s for a minute; 0.4 of native"]]) {
      const waits = [];
      let seconds = 0, ours = Infinity, native = Infinity;
      for (let turn = 0; turn < TURNS; ++turn) {
        const start = workerTimes();
        await openLog(page, path);  // begins the replay that Verify reports
        seconds = await page.evaluate(() =>
          window.orrery.log.last / window.orrery.log.tickRate);
        waits.push(await timeVerify(page) / 1000);
        ours = Math.min(ours, workerSeconds(start));
        native = Math.min(native, secondsOf(tool, "verify", path));
      }
      row(`Verify of ${seconds.toFixed(0)} s of ${name}`,
          `${ours.toFixed(2)} s of CPU, ${(seconds / ours).toFixed(0)} times real time, ` +
          `${(native / ours).toFixed(2)} of native; the person waits ` +
          `${Math.min(...waits).toFixed(2)} s`, goal);
    }
  });
  await server.stop();
}

async function scrubbing() {
  const server = await serve(folder);
  const ticks = Number(options.minutes) * MINUTE * TICK_RATE;
  const path = run("boxes:1000", ticks);
  await withPage(server, async (page) => {
    await withoutDrawing(page);
    await openLog(page, path);
    await watchFrames(page);
    const moves = [], near = [], far = [], inside = [];
    let at = ticks / 2;
    for (let turn = 0; turn < 40; ++turn) {
      const isFar = turn % 4 === 0;
      const goal = isFar ? 1 + Math.floor(ticks * ((turn * 0.618) % 1))
        : Math.min(Math.max(at + (turn % 2 ? -1 : 1) * 37 * turn, 1), ticks);
      for (let step = 1; step <= 8; ++step) {
        moves.push(await dragTo(page, Math.round(at + (goal - at) * step / 8)));
      }
      (isFar ? far : near).push(await restAt(page, goal));
      at = goal;
      await page.waitForTimeout(400);
    }
    for (const part of [0.15, 0.4, 0.65, 0.9]) {
      const place = Math.floor(ticks * part);
      await dragTo(page, place);
      await restAt(page, place);
      await page.waitForTimeout(RING_MS);
      for (const away of [40, -90, 160, -230, 300, -20, 110, -290]) {
        await dragTo(page, place + away);
        inside.push(await restAt(page, place + away));
        await page.waitForTimeout(400);
      }
    }
    const log = `${options.minutes} minutes of boxes:1000`;
    row(`a move of a drag, ${log}`, ms(moves), "16 ms");
    row(`exact state after rest, up to 25 s from the last one, ${log}`, ms(near), "");
    row(`exact state after rest, anywhere, ${log}`, ms(far), "");
    row(`exact state after rest, in the images around a place, ${log}`, ms(inside), "60 ms");
  });
  await server.stop();
}

async function frame() {
  const server = await serve(folder);
  for (const [scene, goal] of [["boxes:1000", "2 ms"], ["free:10000", "6 ms"]]) {
    const path = run(scene, 20 * TICK_RATE);
    await withPage(server, async (page) => {
      await page.locator("#file").setInputFiles(path);
      await text(page, "state", /^log /);
      const { script, frames } = await measureFrames(page);
      row(`script of a frame, ${scene}, ${frames} frames`, ms(script), goal);
    }, () => {
      // Drawing is software here: the calls that draw do nothing.
      for (const name of ["drawElements", "drawArrays", "drawElementsInstanced",
                          "drawArraysInstanced"]) {
        WebGL2RenderingContext.prototype[name] = () => {};
      }
    });
  }
  await server.stop();
}

const FIGURES = { load, size, follow, film, verify, scrub: scrubbing, frame };
console.log("| figure | measured | goal |\n| --- | --- | --- |");
try {
  for (const name of options.only.split(",")) await FIGURES[name]();
} finally {
  await browser.close();
  installation.remove();
}
