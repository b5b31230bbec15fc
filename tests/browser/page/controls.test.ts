// Tests links, keys, pushes and jobs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Jobs } from "../../../client/web/src/jobs";
import type { LogFacts, SceneBody, Status } from "../../../client/web/src/messages";
import { logsOf } from "../../../client/web/src/ui/files";
import { KEY_NAMES } from "../../../client/web/src/ui/keys";
import { linkText, readLink } from "../../../client/web/src/ui/link";
import { exact, exactPair, fixed } from "../../../client/web/src/ui/numbers";
import { whyNot } from "../../../client/web/src/ui/permission";
import { pushForce } from "../../../client/web/src/view/push";
import { unexpected } from "./support";

test("a link that was written is read again", () => {
  for (const moment of [{ tick: 0, body: 7 }, { tick: 1234, body: null },
                        { tick: null, body: null }]) {
    assert.deepEqual(readLink(linkText(moment)), moment);
  }
});

test("a link with other text is a link to nothing", () => {
  for (const text of ["", "#", "#t=", "#t=-1", "#t=1e3", "#body=x", "#t=99999999999999999999"]) {
    assert.deepEqual(readLink(text), { tick: null, body: null }, text);
  }
  assert.deepEqual(readLink("#t=5&other=1"), { tick: 5, body: null });
});

test("the files of logs are put in order", () => {
  const names = (...files: string[]) => logsOf(files.map((name) => ({ name })))
    ?.map((log) => log.map((file) => file?.name)) ?? null;
  assert.deepEqual(names("a.txt"), [["a.txt"]]);
  assert.deepEqual(names("a.0002", "a", "a.0001"), [["a", "a.0001", "a.0002"]]);
  assert.deepEqual(names("a.0002", "a"), [["a", undefined, "a.0002"]]);
  assert.deepEqual(names("b", "a"), [["b"], ["a"]]);
  assert.deepEqual(names("bb.0001", "a", "bb"), [["a"], ["bb", "bb.0001"]]);
  assert.deepEqual(names("a.0001", "b.0001"), [["a.0001"], ["b.0001"]]);
  assert.deepEqual(names("a", "a.1"), [["a"], ["a.1"]]);
  assert.equal(names("a", "b", "c"), null);
  assert.equal(names("a.0001", "b.0001", "a.0002"), null);
});

test("no key has two actions", () => {
  assert.equal(new Set(KEY_NAMES).size, KEY_NAMES.length);
});

test("a push is as seen from the camera", () => {
  assert.deepEqual(pushForce(new Set(), [0, -1, -1], 2), [0, 0, 0]);
  const [x, y, z] = pushForce(new Set(["forward"]), [0, -1, -1], 2);
  assert.ok(x === 0 && y === 0 && z < 0);
  assert.ok(pushForce(new Set(["right"]), [0, 0, -1], 2)[0] > 0);
  assert.ok(pushForce(new Set(["up"]), [0, 0, -1], 2)[1] > 0);
});

test("numbers have no sign at zero, unless only the sign differs", () => {
  assert.deepEqual([-0.04, -0, 0.04, -0.06].map((x) => fixed(x, 1)), ["0.0", "0.0", "0.0", "-0.1"]);
  assert.equal(exact(-0), "0");
  assert.deepEqual(exactPair(0, -0), ["0", "-0"]);
  assert.deepEqual(exactPair(-0, 1.5), ["0", "1.5"]);
});

test("a person learns why a body cannot be moved", () => {
  const ball = { kind: 0, control: 1, name: "ball" } as SceneBody;
  const status = { connected: true, role: 1 } as Status;
  assert.equal(whyNot(ball, null, status, null), null);
  assert.match(whyNot(ball, null, { ...status, role: 0 }, null)!, /role watch/);
  assert.match(whyNot(ball, null, { ...status, connected: false }, null)!, /not connected/);
  assert.match(whyNot({ ...ball, kind: 2 }, null, status, null)!, /fixed/);
  const guarded = { ...ball, control: 0 };
  assert.match(whyNot(guarded, null, status, null)!, /ball.*admin/);
  assert.equal(whyNot(guarded, null, { ...status, role: 2 }, null), null);
  assert.match(whyNot(ball, null, status, {} as LogFacts)!, /^a log.*Return to the live session/);
  assert.equal(whyNot(ball, null, null, {} as LogFacts), "a log cannot be changed");  // a film
});

// Closes the channel of jobs, which would keep this program running.
function close(jobs: Jobs): void {
  (jobs as unknown as { wake: MessageChannel }).wake.port1.close();
}

test("jobs take turns, end, and report errors", async () => {
  const order: string[] = [];
  const failed = new Promise((resolve) => {
    const jobs = new Jobs((error) => {
      close(jobs);
      resolve(error);
    });
    jobs.start("long", function* () {
      for (const end = performance.now() + 30; performance.now() < end;) yield;
      order.push("long");
    }());
    jobs.start("short", function* () { order.push("short"); }());
    jobs.start("wrong", function* () {
      for (const end = performance.now() + 60; performance.now() < end;) yield;
      throw new Error("wrong");
    }());
  });
  assert.equal((await failed as Error).message, "wrong");
  assert.deepEqual(order, ["short", "long"]);
});

test("a job that is replaced cleans up", () => {
  const jobs = new Jobs(unexpected);
  let cleaned = 0;
  const job = function* () { try { yield; yield; } finally { ++cleaned; } };
  const first = job();
  first.next();
  jobs.start("a", first);
  jobs.start("a", job());
  assert.equal(cleaned, 1);
  jobs.stopAll();
  close(jobs);
});

test("jobs that were stopped leave no second loop", () => {
  const jobs = new Jobs(unexpected);
  const { wake } = jobs as unknown as { wake: MessageChannel };
  let messages = 0;
  const post = wake.port2.postMessage.bind(wake.port2);
  wake.port2.postMessage = () => { ++messages; post(null); };
  const endless = function* () { for (;;) yield; };
  for (let i = 0; i < 5; ++i) {
    jobs.start("a", endless());
    jobs.stopAll();
  }
  jobs.start("a", endless());
  assert.equal(messages, 1);
  jobs.stopAll();
  close(jobs);
});
