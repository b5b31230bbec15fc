// Tests that a page of another version says so once, and does not connect again.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Client, Failure, Phase } from "../../../client/web/src/client";
import { Session } from "../../../client/web/src/session";
import { loadCore, unexpected } from "./support";

const timers: NodeJS.Timeout[] = [];
const every = globalThis.setInterval;

// What a session uses of a worker. Each WebSocket opens at once.
let sockets = 0, tokens = 0;
Object.assign(globalThis, {
  self: globalThis,
  setInterval: (work: () => void, ms: number) => {
    timers.push(every(work, ms));
    return timers.at(-1);
  },
  fetch: async () => {
    ++tokens;
    return new Response(new Uint8Array(2048), { status: 200 });
  },
  WebSocket: class {
    static OPEN = 1;
    readyState = 0;
    onopen = () => {};
    onclose = (_: { code: number, reason: string }) => {};
    constructor() {
      ++sockets;
      setTimeout(() => {
        this.readyState = 1;
        this.onopen();
      });
    }
    send(): void {}
    close(): void {
      this.readyState = 3;
      setTimeout(() => this.onclose({ code: 1000, reason: "" }));
    }
  },
});
after(() => timers.forEach((timer) => clearInterval(timer)));

const pause = (ms: number) => new Promise((resolve) => { setTimeout(resolve, ms); });

test("a page of another version says so once and stops", async () => {
  const failures: string[] = [];
  const { info } = Client.prototype;
  let refused = false;  // each token is refused from here on
  let ended = false;
  Client.prototype.connect = () => { ended = refused; };
  Client.prototype.info = function (this: Client) {
    return { ...info.call(this), phase: ended ? Phase.ENDED : Phase.IDLE,
             failure: ended ? Failure.OTHER_VERSION : 0,
             problem: ended ? "the server has another protocol" : "" };
  };
  const session = new Session(loadCore(), "http://127.0.0.1:1", false, unexpected, unexpected,
                              (error) => failures.push((error as Error).message));
  await pause(700);
  assert.ok(tokens >= 2, `${tokens}`);  // control: without a refusal it asks again and again
  refused = true;
  await pause(500);
  [sockets, tokens] = [0, 0];
  await pause(900);
  assert.deepEqual([sockets, tokens], [0, 0]);
  assert.equal(failures.length, 1);
  assert.match(failures[0], /another version.*another protocol\. Reload the page$/);
  assert.match(session.status().problem, /another protocol/);
});
