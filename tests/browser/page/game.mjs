// Tests in Chromium that two people play a game of rules in Python with keys, buttons and messages.
// usage: node game.mjs FOLDER_OF_LIBRARIES [PAGE]: the folder lib of the build, and the page
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { DIST, bodyAt, browse, open, shown, text, until } from "./support.mjs";

const [, , libraries, built = DIST] = process.argv;
const root = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const BALL = 1;
let folder, env, browser, game;

// Installs the libraries and the page in a folder. The library finds the page there.
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "orrery-game-"));
  mkdirSync(join(folder, "lib"));
  for (const name of ["liborrery.so.0.2", "liborrery-server.so.0.2"]) {
    cpSync(join(libraries, name), join(folder, "lib", name), { dereference: true });
  }
  cpSync(built, join(folder, "share/orrery/web"), { recursive: true });
  env = { ...process.env, PYTHONPATH: root("client/python"),
          ORRERY_LIBRARY: join(folder, "lib/liborrery.so.0.2"),
          ORRERY_SERVER_LIBRARY: join(folder, "lib/liborrery-server.so.0.2") };
  browser = await browse();
  game = await play();
});

after(async () => {
  await browser?.close();
  await game?.stop();
  rmSync(folder, { recursive: true });
});

// Starts soccer. Resolves to its addresses when it is ready.
function play() {
  const child = spawn("/usr/bin/python3", ["-B", root("server/examples/soccer.py"), "600",
    "--scene", root("server/examples/soccer.json"), "--listen", "127.0.0.1:0", "--web",
    "127.0.0.1:0", "--log", join(folder, "a.orrery")], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "", errors = "";
  child.stderr.on("data", (data) => { errors += data; });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const stop = () => { child.kill("SIGINT"); return ended; };
  return new Promise((resolve, reject) => {
    child.stdout.on("data", (data) => {
      said += data;
      if (!/^ready$/m.test(said)) return;
      resolve({ address: /^udp (\S+)$/m.exec(said)[1], url: /^web (\S+)$/m.exec(said)[1], stop });
    });
    child.on("exit", (code) => reject(new Error(`soccer.py ended with ${code}: ${errors}`)));
  });
}

// Gives commands of an admin, in Python.
function admin(code) {
  const program = `import sys, orrery
with orrery.Client(sys.argv[1], admin=True) as client:
    while client.info["phase"] != orrery.CONNECTED: client.update(wait=1 / 60)
${code.replace(/^/gm, "    ")}
    for _ in range(30): client.update(wait=1 / 60)`;
  const done = spawnSync("/usr/bin/python3", ["-B", "-c", program, game.address],
                         { env, encoding: "utf8" });
  assert.equal(done.status, 0, done.stderr);
}

// Runs a test with pages of players.
function playTest(name, players, work) {
  test(name, async () => {
    const pages = [];
    try {
      for (let i = 0; i < players; ++i) pages.push(await joinGame());
      await work(...pages);
      for (const { faults } of pages) assert.deepEqual(faults, []);
    } finally {
      for (const page of pages) await page.close();
    }
  });
}

// Opens the page of a player, and waits until the rules gave it a body.
async function joinGame() {
  const page = await open(browser, game.url);
  await page.waitForFunction(() => window.orrery?.status?.owned.length === 1);
  await text(page, "told", /You are (red|blue), body \d\./);  // it is shown for some seconds
  await shown(page);
  page.own = await page.evaluate(() => window.orrery.status.owned[0]);
  await page.locator("#view").focus();
  return page;
}

const place = (page, id) => page.evaluate((id) => window.orrery.shown.pose(id).position, id);

// Waits until a body moved along the sight of the camera (sign 1), or against it (-1).
const moved = (page, body, from, sign) => until(page, ([body, from, sign]) => {
  const [x, , z] = window.orrery.shown.pose(body).position.map((each, i) => each - from[i]);
  const [ahead, , deep] = window.orrery.stage.forward();
  return sign * (x * ahead + z * deep) > 0.4;
}, [body, from, sign]);

playTest("two people get bodies of two teams, and see score and clock", 2, async (...pages) => {
  assert.deepEqual(pages.map(({ own }) => own).sort(), [4, 5]);
  for (const page of pages) {
    await text(page, "hud", /^clock\d+:\d\dscore\d+:\d+$/);
    await until(page, () => [...document.querySelectorAll("#labels span")].some((label) =>
      !label.hidden && label.textContent.endsWith(" (you)")));
  }
});

playTest("keys and buttons move the own body, as the person sees it", 1, async (page) => {
  const start = await place(page, page.own);
  await page.keyboard.down("w");
  await moved(page, page.own, start, 1);
  await page.keyboard.up("w");
  await page.keyboard.press("Space");  // a kick, and no pause
  const ahead = await place(page, page.own);
  const back = await page.locator("#pad button", { hasText: "back" }).boundingBox();
  await page.mouse.move(back.x + 5, back.y + 5);
  await page.mouse.down();
  await moved(page, page.own, ahead, -1);
  await page.mouse.up();
  await until(page, () => !document.querySelector("#pad .held"));
  await until(page, (own) => {  // it stops: the release has ended the force
    const at = window.orrery.shown.pose(own).position;
    const before = window.placeForTest ?? at;
    window.placeForTest = at;
    return Math.hypot(...at.map((x, i) => x - before[i])) < 1e-3 && before !== at;
  }, page.own);
  await page.locator("#pad button", { hasText: "ahead" }).focus();
  const from = await place(page, page.own);
  await page.keyboard.down("Enter");
  await moved(page, page.own, from, 1);
  await page.keyboard.up("Enter");
  assert.match(await page.locator("#state").textContent(), /^live/);
});

playTest("a finger on a button moves the own body", 1, async (page) => {
  const from = await place(page, page.own);
  const { x, y } = await page.locator("#pad button", { hasText: "ahead" }).boundingBox();
  const touch = await page.context().newCDPSession(page);
  const send = (type, touchPoints) => touch.send("Input.dispatchTouchEvent", { type, touchPoints });
  await send("touchStart", [{ x: x + 8, y: y + 8 }]);
  await moved(page, page.own, from, 1);
  await send("touchEnd", []);
  await until(page, () => !document.querySelector("#pad .held"));
});

playTest("a person drags the own body, and learns why another stays", 1, async (page) => {
  const drag = async (body) => {
    const { x, y } = await bodyAt(page, body);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await until(page, (body) => window.orrery.selected === body, body);
    await page.mouse.move(x + 40, y, { steps: 5 });
  };
  await drag(page.own === 4 ? 6 : 4);
  await text(page, "notice", /^You cannot move (red|blue) \d: it belongs to nobody\.$/);
  await page.mouse.up();
  await until(page, () => document.getElementById("notice").hidden);  // it covers bodies
  const from = await place(page, page.own);
  await drag(page.own);
  await until(page, ([own, from]) => Math.hypot(...window.orrery.shown.pose(own).position
    .map((x, i) => x - from[i])) > 0.3, [page.own, from]);
  await page.mouse.up();
  await text(page, "numbers", /may grabits owner, \d+/);
});

// Holds the keys that run to a place. Returns true if it is near.
async function runTo(page, target, near) {
  const wanted = await page.evaluate(([own, target, near]) => {
    const [x, , z] = window.orrery.shown.pose(own).position.map((each, i) => target[i] - each);
    if (Math.hypot(x, z) < near) return null;
    const [ahead, , deep] = window.orrery.stage.forward();
    const length = Math.hypot(ahead, deep);
    const far = (x * ahead + z * deep) / length, right = (z * ahead - x * deep) / length;
    const less = Math.max(Math.abs(far), Math.abs(right)) / 3;
    return { w: far > less, s: far < -less, d: right > less, a: right < -less };
  }, [page.own, target, near]);
  for (const key of "wasd") await page.keyboard[wanted?.[key] ? "down" : "up"](key);
  return wanted === null;
}

playTest("a goal is shot with keys, and everybody sees it", 2, async (page, other) => {
  const side = page.own % 2 === 0 ? 1 : -1;  // where the own team wants the ball
  const score = async () => /score(\d+):(\d+)$/.exec(await page.locator("#hud").textContent());
  const [before] = await score();
  const end = Date.now() + 150_000;
  while ((await score())[0] === before) {
    assert.ok(Date.now() < end, "no goal");
    const ball = await place(page, BALL), own = await place(page, page.own);
    const behind = (ball[0] - own[0]) * side > 0.4 && Math.abs(ball[2] - own[2]) < 1.2;
    const aim = Math.hypot(14 - side * ball[0], ball[2]);
    const goal = [side * (14 - side * ball[0]) / aim, 0, -ball[2] / aim];
    if (behind) {
      await runTo(page, ball.map((x, i) => x + goal[i]), 0.1);
      const isNear = Math.hypot(ball[0] - own[0], ball[2] - own[2]) < 1.3;
      if (isNear) await page.keyboard.press("Space");
    } else {
      const past = (own[0] - ball[0]) * side > -0.6 ? Math.sign(own[2] - ball[2] || 1) * 1.6 : 0;
      await runTo(page, [ball[0] - side * 1.5, 0, ball[2] + past], 0.3);
    }
    await page.waitForTimeout(40);
  }
  for (const each of [page, other]) await text(each, "told", /Goal for (red|blue)!/);
  const [, red, blue] = await score();
  await text(other, "hud", new RegExp(`score${red}:${blue}`));
});

playTest("a value gives a body another colour", 1, async (page) => {
  const colorOf = () => page.evaluate((id) => {
    for (const { owners, count, mesh } of window.orrery.bodies.kinds.values()) {
      const index = owners.subarray(0, count).indexOf(2 * id);
      if (index >= 0) return [...mesh.instanceColor.array.slice(3 * index, 3 * index + 3)];
    }
    return null;
  }, BALL);
  const before = await colorOf();
  admin(`client.command(orrery.SET_VALUE, key="color/${BALL}", text="#00ff00")
client.command(orrery.SET_VALUE, key="color/7x", text="#00ff00")
client.command(orrery.SET_VALUE, key="color/99999", text="green")`);
  await until(page, () =>
    document.getElementById("value-rows").textContent.includes("color/99999"));
  await page.waitForTimeout(200);
  assert.deepEqual(await colorOf(), [0, 1, 0]);
  assert.equal(await page.locator("#value-rows").textContent(), "color/7x#00ff00color/99999green");
  admin(`client.command(orrery.SET_VALUE, key="color/${BALL}")
client.command(orrery.SET_VALUE, key="color/7x")
client.command(orrery.SET_VALUE, key="color/99999")`);
  await until(page, () => document.getElementById("values-toggle").hidden);
  await page.waitForTimeout(200);
  assert.deepEqual(await colorOf(), before);
});

playTest("messages reach the rules, and other values are in a table", 1, async (page) => {
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "message");
  await page.keyboard.type("w a s d kick");  // letters move nobody
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#message").inputValue(), "");
  await page.locator("#message").fill("ä".repeat(129));
  await page.keyboard.press("Enter");
  await text(page, "notice", /^A message has at most 256 bytes, not 258\.$/);
  await page.keyboard.press("Escape");
  admin(`client.command(orrery.SET_VALUE, key="round", text="semi-final")
client.command(orrery.SET_VALUE, key="raw", text=b"\\xff\\x00")
client.command(orrery.TELL, 0, text="Play fair.")`);
  await text(page, "told", /Play fair\./);
  await page.locator("#values-toggle").click();
  await text(page, "value-rows", /raw\(2 bytes\)roundsemi-final/);
  assert.ok(!(await page.locator("#hud").textContent()).includes("semi-final"));
  admin(`client.command(orrery.SET_VALUE, key="round")
client.command(orrery.SET_VALUE, key="raw")`);
  await until(page, () => document.getElementById("values-toggle").hidden);
  assert.ok(await page.locator("#values").isHidden());
  const log = Buffer.from(await (await fetch(`${game.url}/v1/log`)).arrayBuffer());
  await page.locator("#file").setInputFiles(
    { name: "a.orrery", mimeType: "application/octet-stream", buffer: log });
  await text(page, "state", /^log a.orrery/);
  await until(page, () => window.orrery.timeline.rows.some(({ text }) =>
    text.endsWith(' says "w a s d kick"')));
  assert.ok(await page.locator("#game").isHidden());  // a log is not played
  await page.locator("#live").click();
  await text(page, "hud", /score/);
});

for (const [width, height] of [[360, 640], [1280, 720]]) {
  playTest(`a screen of ${width} pixels shows all of the game`, 1, async (page) => {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(300);
    const found = await page.evaluate(() => {
      const parts = [...document.querySelectorAll("#pad button, #say input, #say button, #hud dd")];
      const boxes = parts.map((each) => ({ name: each.id || each.textContent,
                                           box: each.getBoundingClientRect(),
                                           touch: each.matches("#pad button") }));
      const nameless = [...document.querySelectorAll("#game button, #game input")].filter((each) =>
        !(each.labels?.[0]?.textContent.trim() || each.textContent.trim()));
      return {
        count: boxes.length, nameless: nameless.length,
        outside: boxes.filter(({ box }) => box.left < 0 || box.right > innerWidth || box.top < 0 ||
                                           box.bottom > innerHeight).map(({ name }) => name),
        small: boxes.filter(({ box, touch }) => touch && Math.min(box.width, box.height) < 36)
          .map(({ name }) => name),
        wide: document.documentElement.scrollWidth, view: window.orrery.stage.canvas.clientHeight,
      };
    });
    const { view, count, ...rest } = found;
    assert.deepEqual(rest, { nameless: 0, outside: [], small: [], wide: width });
    assert.ok(view > 200 && count >= 9, `${view} pixels, ${count} parts`);
  });
}
