// Records the session of a client in orrery.wasm with a real server, and plays it again.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "./core.mjs";

const END = 1, NOT_READY = -18;
const CONNECTED = 2;
const IMPULSE = 2;
const POSE = 1 | 2 | 256;  // position and orientation, in binary64
const POSE_BYTES = 7 * 8;
const DATAGRAM_BYTES = 1232;  // the largest that a client sends
const EVENTS = 64;
const SIZES = { options: 48, address: 24, info: 384, stats: 160, frame: 16, command: 424,
                event: 80 };
const STEP_MS = 16;
const STEPS = 150;  // with the server, which then stops

// A client in an instance of the module. The same calls at the same times give the same datagrams.
export class PlayedClient {
  // `options` has the fields of orrery_client_options that are 1.
  constructor(module, options) {
    this.page = load(module);
    const { core, placeStruct, view } = this.page;
    core.orrery_page_set(1_700_000_000n, 42n);
    const at = placeStruct(SIZES.options);
    const fields = { follow: 4, events: 8, plain: 20 };
    for (const name of options) view().setUint32(at + fields[name], 1, true);
    this.handle = this.page.make("orrery_client_create", at).handle;
    this.incoming = core.malloc(2 * DATAGRAM_BYTES);
    this.outgoing = core.malloc(DATAGRAM_BYTES);
    this.size = core.malloc(8);
    for (const name of ["address", "info", "stats", "frame", "command"]) {
      this[name] = placeStruct(SIZES[name]);
    }
    this.events = core.malloc(EVENTS * SIZES.event);
    this.rows = { at: 0, bodies: 0 };
  }

  call(name, ...args) {
    const code = this.page.core[name](this.handle, ...args);
    assert.ok(code >= 0, `${name} returned ${code}`);
    return code;
  }

  // Starts to connect. The clock of the client shows the time at which the token was made.
  connect(token) {
    const created = new DataView(token.buffer, token.byteOffset).getBigUint64(21, true);
    this.page.core.orrery_page_set(created, 42n);
    this.call("orrery_client_connect", this.page.place(token), token.length, 0n);
  }

  // Takes datagrams, does all that is due, and returns the datagrams to send.
  step({ now, datagrams, pushes }) {
    const { core } = this.page;
    for (const datagram of datagrams) {
      new Uint8Array(core.memory.buffer).set(datagram, this.incoming);
      this.call("orrery_client_receive", this.address, this.incoming, datagram.length, now);
    }
    if (pushes) this.push(now);
    this.call("orrery_client_update", now, 0n);
    const sent = [];
    const next = () => this.call("orrery_client_poll_send", this.address, this.outgoing,
                                 DATAGRAM_BYTES, this.size);
    while (next() !== END) {
      const size = this.page.view().getUint32(this.size, true);
      sent.push(new Uint8Array(core.memory.buffer).slice(this.outgoing, this.outgoing + size));
    }
    return sent;
  }

  // Gives a body an impulse, if the client is connected.
  push(now) {
    const view = this.page.view();
    view.setUint32(this.command + 4, IMPULSE, true);
    view.setUint32(this.command + 16, 36, true);  // a ball of the playground
    view.setFloat32(this.command + 28, 0.5, true);
    this.page.core.orrery_client_command(this.handle, this.command, now);
  }

  // Reads the frame of a mode, and the events. All numbers must be finite. Returns the number of
  // bodies.
  read(now, mode) {
    const { core } = this.page;
    this.call("orrery_client_frame", now, mode, this.frame);
    const bodies = this.page.view().getUint32(this.frame + 4, true);
    if (bodies > this.rows.bodies) this.rows = { at: core.malloc(bodies * POSE_BYTES), bodies };
    this.call("orrery_client_read", POSE, this.rows.at, POSE_BYTES, bodies);
    const rows = new Float64Array(core.memory.buffer, this.rows.at, 7 * bodies);
    assert.ok(rows.every(Number.isFinite), "a pose is not finite");
    while (this.readEvents() > 0);
    return bodies;
  }

  // Returns the number of events that it read, 0 at the end.
  readEvents() {
    const view = this.page.view();
    for (let i = 0; i < EVENTS; ++i) {
      view.setUint32(this.events + i * SIZES.event, SIZES.event, true);
    }
    const code = this.call("orrery_client_events", this.events, EVENTS, this.size, this.outgoing);
    if (code === END) return 0;
    const found = this.page.view().getUint32(this.size, true);
    for (let i = 0; i < found; ++i) {
      const speed = this.page.view().getFloat64(this.events + i * SIZES.event + 24, true);
      assert.ok(Number.isFinite(speed), "the speed of an event is not finite");
    }
    return found;
  }

  // Returns whether the client is connected, and why not.
  state() {
    this.call("orrery_get_client_info", this.info);
    const phase = this.page.view().getInt32(this.info + 4, true);
    return { isConnected: phase === CONNECTED, problem: this.page.text(this.info + 120) };
  }

  // Returns the ticks that a follower has compared.
  ticksChecked() {
    this.call("orrery_get_client_stats", this.stats);
    return Number(this.page.view().getBigUint64(this.stats + 120, true));
  }

  get memoryBytes() { return this.page.core.memory.buffer.byteLength; }
}

// Starts a server, and resolves to its process and the port of its web side.
function serve(program, folder) {
  const child = spawn(program, ["--scene", "playground", "--listen", "127.0.0.1:0", "--web",
                                "127.0.0.1:0", "--log", join(folder, "session.orrery")],
                      { stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`orreryd ended with ${code}`)));
    child.stdout.on("data", (data) => {
      said += data;
      if (/^ready$/m.test(said)) resolve({ child, port: Number(/^web .*:(\d+)/m.exec(said)[1]) });
    });
  });
}

async function fetchToken(port) {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/token?role=play`);
  assert.equal(answer.status, 200);
  return new Uint8Array(await answer.arrayBuffer());
}

// A WebSocket for binary messages of less than 64 KiB. Its masks are zero.
class Socket {
  received = [];  // the messages that nobody has taken

  static open(port) {
    const asked = request({ port, host: "127.0.0.1", path: "/v1/ws", headers: {
      "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==" } });
    asked.end();
    return new Promise((resolve, reject) => {
      asked.on("error", reject);
      asked.on("response", ({ statusCode }) => reject(new Error(`refused with ${statusCode}`)));
      asked.on("upgrade", (_, stream, head) => resolve(new Socket(stream, head)));
    });
  }

  constructor(stream, head) {
    this.stream = stream;
    this.bytes = head;
    this.closed = new Promise((resolve) => stream.on("close", resolve));
    stream.on("error", () => {});  // a server that stops
    stream.on("data", (data) => {
      this.bytes = Buffer.concat([this.bytes, data]);
      while (this.takeFrame());
    });
  }

  takeFrame() {
    const { bytes } = this;
    const start = bytes[1] === 126 ? 4 : 2;
    if (bytes.length < start) return false;
    const end = start + (start === 4 ? bytes.readUInt16BE(2) : bytes[1]);
    if (bytes.length < end) return false;
    if ((bytes[0] & 15) === 2) this.received.push(Uint8Array.from(bytes.subarray(start, end)));
    this.bytes = bytes.subarray(end);
    return true;
  }

  send(data) {
    const size = data.length < 126 ? [data.length] : [126, data.length >> 8, data.length & 255];
    size[0] |= 128;
    this.stream.write(Buffer.concat([Buffer.from([0x82, ...size, 0, 0, 0, 0]), data]));
  }
}

// Records sessions of clients with these options, all with one server, which stops at the end. A
// recording has the options, the token and the steps of the client.
export async function record(program, module, optionSets) {
  const folder = mkdtempSync(join(tmpdir(), "orrery-recorded-"));
  const { child, port } = await serve(program, folder);
  const stop = () => child.kill("SIGTERM");
  try {
    return await Promise.all(optionSets.map((options) => recordOne(port, module, options, stop)));
  } finally {
    stop();
    rmSync(folder, { recursive: true });
  }
}

async function recordOne(port, module, options, stop) {
  const token = await fetchToken(port);
  const socket = await Socket.open(port);
  const client = new PlayedClient(module, options);
  client.connect(token);
  const steps = [];
  const start = performance.now();
  const timer = setInterval(() => {
    const now = BigInt(Math.round((performance.now() - start) * 1e6));
    const datagrams = socket.received.splice(0);
    const step = { now, datagrams, pushes: steps.length % 8 === 0 };
    step.sent = client.step(step);
    steps.push(step);
    for (const datagram of step.sent) socket.send(datagram);
    if (steps.length === STEPS) stop();
  }, STEP_MS);
  await socket.closed;
  clearInterval(timer);
  steps.push({ now: steps.at(-1).now + 1n, datagrams: socket.received.splice(0), pushes: false });
  return { options, token, steps };
}
