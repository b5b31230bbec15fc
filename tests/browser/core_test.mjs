// Tests orrery.wasm in node: worlds with golden hashes, logs, errors, and faults.
// usage: node core_test.mjs MODULE
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "./core.mjs";

const MODULE = process.argv[2];
const GOLDEN = new URL("../golden/", import.meta.url);
const LOG = readFileSync(new URL("logs/rules-20-format-8.orrery", GOLDEN));
const END = 1, BAD_LOG = -9, BAD_TOKEN = -17;

const golden = new Map(readFileSync(new URL("hashes.txt", GOLDEN), "utf8").split("\n")
  .filter((line) => line && !line.startsWith("#")).map((line) => line.split(" "))
  .map(([scene, tick, hash]) => [`${scene} ${tick}`, hash]));

// Opens a log of the bytes.
function open(page, bytes) {
  return page.make("orrery_log_from_bytes", page.place(bytes), BigInt(bytes.length));
}

// Replays a log to its end. Returns {code, diverged, tick, ticks, verified}.
function verify(page, log) {
  const at = page.placeStruct(32);
  let code;
  do code = page.core.orrery_log_verify(log, 100, 0, at, 0); while (code === 0);
  const view = page.view();
  return { code, diverged: view.getUint32(at + 4, true), tick: view.getBigUint64(at + 8, true),
           ticks: view.getBigUint64(at + 16, true), verified: view.getBigUint64(at + 24, true) };
}

for (const [scene, tick] of [["playground", 100], ["cubes", 100], ["ragdolls:9", 100],
                             ["boxes:100", 100], ["free:1000", 100], ["solar", 1000]]) {
  test(`${scene} has the golden hash of tick ${tick}`, () => {
    const page = load(MODULE);
    const { code, handle } = page.make("orrery_world_from_name", page.placeText(scene));
    assert.equal(code, 0);
    page.step(handle, tick);
    const expected = golden.get(`${scene} ${tick}`);
    assert.ok(expected);
    assert.deepEqual(page.worldInfo(handle), { tick: BigInt(tick), hash: expected });
  });
}

test("a log verifies", () => {
  const page = load(MODULE);
  const { code, handle } = open(page, LOG);
  assert.equal(code, 0);
  assert.deepEqual(verify(page, handle),
                   { code: END, diverged: 0, tick: 0n, ticks: 620n, verified: 620n });
});

test("a log moves to any tick, and back", () => {
  const page = load(MODULE);
  const { handle } = open(page, LOG);
  const place = page.core.malloc(4);
  const hashes = [600n, 5n, 600n].map((tick) => {
    assert.equal(page.core.orrery_log_seek(handle, tick, 0, place), 0);
    return page.worldInfo(page.view().getUint32(place, true));
  });
  assert.equal(hashes[1].tick, 5n);
  assert.deepEqual(hashes[0], hashes[2]);
  assert.notEqual(hashes[0].hash, hashes[1].hash);
});

test("a flipped bit is damage", () => {
  const page = load(MODULE);
  const bytes = Uint8Array.from(LOG);
  bytes[bytes.length >> 1] ^= 1;
  const { code, handle } = open(page, bytes);
  assert.equal(code, 0);  // up to the damage
  assert.ok(verify(page, handle).ticks < 620n);
});

test("a packed log says how to unpack it", () => {
  const page = load(MODULE);
  const packed = readFileSync(new URL("logs/rules-20-format-8-packed.orrery", GOLDEN));
  const { code, handle, why } = open(page, packed);
  assert.equal(code, BAD_LOG);
  assert.equal(handle, 0);
  assert.match(why, /it is packed; unpack it with: orrery log export/);
});

test("a size that no memory has is refused", () => {
  const page = load(MODULE);
  for (const size of [1n << 31n, 1n << 32n, (1n << 64n) - 1n]) {
    const { code, handle } = page.make("orrery_log_from_bytes", page.place(LOG), size);
    assert.notEqual(code, 0);
    assert.equal(handle, 0);
  }
});

test("text that is no scene gets one sentence", () => {
  const page = load(MODULE);
  const { code, why } = page.make("orrery_world_from_name", page.placeText("nonsense:1"));
  assert.notEqual(code, 0);
  assert.match(why, /^there is no such built-in scene/);
});

const TO_SERVER = Uint8Array.from({ length: 32 }, (_, i) => 0x40 + i);
const TO_CLIENT = Uint8Array.from({ length: 32 }, (_, i) => 0x80 + i);

// Returns a connect token of netcode 1.02 (schema/wire.md 3) for 127.0.0.1:4780.
function connectToken() {
  const bytes = new Uint8Array(2048), view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode("NETCODE 1.02"));
  view.setBigUint64(13, 0x59524552524fn, true);  // protocol id
  view.setBigUint64(21, 1000n, true);            // created
  view.setBigUint64(29, 2000n, true);            // expires
  view.setUint32(1085, 5, true);                 // timeout in seconds
  view.setUint32(1089, 1, true);                 // addresses
  bytes.set([1, 127, 0, 0, 1], 1093);            // IPv4
  view.setUint16(1098, 4780, true);
  bytes.set(TO_SERVER, 1100);
  bytes.set(TO_CLIENT, 1132);
  return bytes;
}

// Returns a challenge with a tag (schema/wire.md 15.1).
function challenge(tag) {
  const bytes = new Uint8Array(1 + 8 + 308 + 16).fill(7);
  bytes.set([8 << 4 | 2, 0, 0, 0, 0, 0, 0, 0, 0x40]);
  bytes.set(tag, bytes.length - 16);
  return bytes;
}

test("a client answers a challenge, and both prove their keys", () => {
  const page = load(MODULE);
  page.core.orrery_page_set(1500n, 42n);
  const { code, handle } = page.make("orrery_client_create", 0);
  assert.equal(code, 0);
  const to = page.placeStruct(24), datagram = page.core.malloc(1232), size = page.core.malloc(4);
  const send = () => page.core.orrery_client_poll_send(handle, to, datagram, 1232, size);
  assert.equal(send(), END);
  const wrong = page.place(new Uint8Array(2048));
  assert.equal(page.core.orrery_client_connect(handle, wrong, 2048, 0n), BAD_TOKEN);
  const token = page.place(connectToken());
  assert.equal(page.core.orrery_client_connect(handle, token, 2048, 0n), 0);
  assert.equal(page.core.orrery_client_update(handle, 0n, 0n), 0);
  assert.equal(send(), 0);
  assert.equal(page.view().getUint32(size, true), 1078);  // a request
  assert.equal(page.view().getUint16(to + 4, true), 4780);
  const answer = (tag, now) => {
    const packet = challenge(tag), at = page.place(packet);
    assert.equal(page.core.orrery_client_receive(handle, to, at, packet.length, now), 0);
    assert.equal(page.core.orrery_client_update(handle, now, now), 0);
    assert.equal(send(), 0);
    const bytes = page.view().getUint32(size, true);
    return new Uint8Array(page.view().buffer.slice(datagram, datagram + bytes));
  };
  const wrong_tags = [new Uint8Array(16), TO_SERVER.slice(0, 16), TO_CLIENT.slice(16)];
  wrong_tags.forEach((tag, i) => {  // the client repeats its request
    assert.equal(answer(tag, BigInt(i + 1) * 200_000_000n)[0], 0);
    assert.equal(send(), END);
  });
  const response = answer(TO_CLIENT.slice(0, 16), 1_000_000_000n);
  assert.equal(response[0] & 15, 3);
  assert.deepEqual(response.slice(-16 - 308, -16), new Uint8Array(308).fill(7));
  assert.deepEqual(response.slice(-16), TO_SERVER.slice(0, 16));
  page.core.orrery_client_destroy(handle);
});

test("memory that runs out is a trap with a reason", () => {
  const page = load(MODULE);
  assert.equal(page.text(page.core.orrery_fault()), "");
  const name = page.placeText("free:10000");
  for (const size of [1 << 26, 1 << 16]) while (page.core.malloc(size) !== 0);
  assert.throws(() => page.make("orrery_world_from_name", name), WebAssembly.RuntimeError);
  assert.equal(page.text(page.core.orrery_fault()), "memory ran out");
});
