// test/controls.test.ts
import assert from "node:assert/strict";
import { test } from "node:test";

// src/jobs.ts
var SLICE_MS = 8;
var Jobs = class {
  // `fail` takes the errors of jobs.
  constructor(fail) {
    this.fail = fail;
    this.wake.port1.onmessage = () => this.slice();
  }
  fail;
  jobs = /* @__PURE__ */ new Map();
  wake = new MessageChannel();
  // Starts a job. It replaces a job of the same name. The job yields often.
  start(name, job) {
    const idle = this.jobs.size === 0;
    this.jobs.get(name)?.return?.();
    this.jobs.set(name, job);
    if (idle) this.wake.port2.postMessage(null);
  }
  stopAll() {
    for (const job of this.jobs.values()) job.return?.();
    this.jobs.clear();
  }
  // Continues a job for a while. The jobs take turns.
  slice() {
    const [entry] = this.jobs;
    if (!entry) return;
    const [name, job] = entry;
    this.jobs.delete(name);
    try {
      if (!runUntil(job, performance.now() + SLICE_MS)) this.jobs.set(name, job);
    } catch (error) {
      this.fail(error);
    }
    if (this.jobs.size > 0) this.wake.port2.postMessage(null);
  }
};
function runUntil(job, end) {
  while (!job.next().done) if (performance.now() >= end) return false;
  return true;
}

// src/ui/keys.ts
var PUSH_KEYS = /* @__PURE__ */ new Map([
  ["w", "forward"],
  ["s", "back"],
  ["a", "left"],
  ["d", "right"],
  ["e", "up"],
  ["q", "down"]
]);
var KEYS = [
  [[" "], (a) => a.toggle()],
  [["k"], (a) => a.pause()],
  [["ArrowLeft", ","], (a) => a.step(-1)],
  [["ArrowRight", "."], (a) => a.step(1)],
  [["j"], (a) => a.faster(-1)],
  [["l"], (a) => a.faster(1)],
  [["Home"], (a) => a.first()],
  [["End"], (a) => a.last()],
  [["f"], (a) => a.follow()],
  [["Escape"], (a) => a.unselect()]
];
var KEY_NAMES = [...KEYS.flatMap(([keys]) => keys), ...PUSH_KEYS.keys()];

// src/ui/link.ts
function whole(text) {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
function readLink(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  return { tick: whole(fields.get("t")), body: whole(fields.get("body")) };
}
function linkText({ tick, body }) {
  const fields = [tick === null ? "" : `t=${tick}`, body === null ? "" : `body=${body}`];
  const text = fields.filter((field) => field !== "").join("&");
  return text ? `#${text}` : "";
}

// src/view/push.ts
var ACCELERATION = 15;
var UP_ACCELERATION = 30;
function pushForce(directions, forward, mass) {
  const pull = (plus, minus) => Number(directions.has(plus)) - Number(directions.has(minus));
  const ahead = pull("forward", "back"), right = pull("right", "left");
  const length = Math.hypot(forward[0], forward[2]) || 1;
  const x = forward[0] / length, z = forward[2] / length;
  return [
    mass * ACCELERATION * (ahead * x - right * z),
    mass * UP_ACCELERATION * pull("up", "down"),
    mass * ACCELERATION * (ahead * z + right * x)
  ];
}

// test/controls.test.ts
test("a link that was written is read again", () => {
  for (const moment of [
    { tick: 0, body: 7 },
    { tick: 1234, body: null },
    { tick: null, body: null }
  ]) {
    assert.deepEqual(readLink(linkText(moment)), moment);
  }
});
test("a link with other text is a link to nothing", () => {
  for (const text of ["", "#", "#t=", "#t=-1", "#t=1e3", "#body=x", "#t=99999999999999999999"]) {
    assert.deepEqual(readLink(text), { tick: null, body: null }, text);
  }
  assert.deepEqual(readLink("#t=5&other=1"), { tick: 5, body: null });
});
test("no key has two actions", () => {
  assert.equal(new Set(KEY_NAMES).size, KEY_NAMES.length);
});
test("a push is as seen from the camera", () => {
  assert.deepEqual(pushForce(/* @__PURE__ */ new Set(), [0, -1, -1], 2), [0, 0, 0]);
  const [x, y, z] = pushForce(/* @__PURE__ */ new Set(["forward"]), [0, -1, -1], 2);
  assert.ok(x === 0 && y === 0 && z < 0);
  assert.ok(pushForce(/* @__PURE__ */ new Set(["right"]), [0, 0, -1], 2)[0] > 0);
  assert.ok(pushForce(/* @__PURE__ */ new Set(["up"]), [0, 0, -1], 2)[1] > 0);
});
test("jobs take turns, end, and report errors", async () => {
  const order = [];
  const failed = new Promise((resolve) => {
    const jobs = new Jobs(resolve);
    jobs.start("long", (function* () {
      for (const end = performance.now() + 30; performance.now() < end; ) yield;
      order.push("long");
    })());
    jobs.start("short", (function* () {
      order.push("short");
    })());
    jobs.start("wrong", (function* () {
      for (const end = performance.now() + 60; performance.now() < end; ) yield;
      throw new Error("wrong");
    })());
  });
  assert.equal((await failed).message, "wrong");
  assert.deepEqual(order, ["short", "long"]);
});
test("a job that is replaced cleans up", () => {
  const jobs = new Jobs(assert.fail);
  let cleaned = 0;
  const job = function* () {
    try {
      yield;
      yield;
    } finally {
      ++cleaned;
    }
  };
  const first = job();
  first.next();
  jobs.start("a", first);
  jobs.start("a", job());
  assert.equal(cleaned, 1);
  jobs.stopAll();
});
