// Alters the messages of recorded sessions, and gives them to clients in orrery.wasm. No message
// traps the module or makes it show a number that is not finite. Memory is bounded. Every client
// says why its connection ended.
// usage: node altered_messages.mjs SERVER MODULE [SEED [RUNS]]
//        node altered_messages.mjs SERVER MODULE --plant: damages memory; the checks must notice
// A failed run writes its recordings to a file, which takes the place of SERVER to repeat it.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { record, PlayedClient } from "./recorded_session.mjs";

const OPTIONS = [["follow", "events"], ["events"], ["plain", "events"]];
const RUNS = 300;
const RARITIES = [2, 8, 32, 128];  // datagrams for each one that is altered
const SEAL_BYTES = 16;
const HEADER_BYTES = 16;  // of the text of a message, before its kind
const QUIET_STEPS = 40;   // without messages, after a session
const QUIET_STEP_NS = 250_000_000n;
const MEMORY_SLACK = 64 << 20;  // bytes beyond the true sessions: for a scene with more room

// SplitMix32.
function generator(seed) {
  let state = seed >>> 0;
  return (end) => {
    state = state + 0x9e3779b9 >>> 0;
    let x = state;
    x = Math.imul(x ^ x >>> 16, 0x85ebca6b);
    x = Math.imul(x ^ x >>> 13, 0xc2b2ae35);
    return ((x ^ x >>> 16) >>> 0) % end;
  };
}

// Ways to alter the text of a packet. Each changes it, or returns another one. `texts` are the
// texts of all recordings.
const WAYS = {
  bits(below, text) {
    for (let i = below(4); i >= 0; --i) text[below(text.length)] ^= 1 << below(8);
    return text;
  },
  cut: (below, text) => text.subarray(0, below(text.length)),
  longer(below, text) {
    const more = Uint8Array.from({ length: 1 + below(64) }, () => below(256));
    return Uint8Array.from([...text, ...more]);
  },
  swapped: (below, text, texts) => texts[below(texts.length)],
  kind(below, text) {
    text[Math.min(HEADER_BYTES, text.length - 1)] = below(16);
    return text;
  },
  range(below, text) {
    const from = below(text.length);
    return text.fill(below(2) * 255, from, from + 1 + below(16));
  },
  number(below, text) {
    const words = [0xffffffff, 0x7fffffff, 0x80000000, 0x7ff80000, 0x7fefffff, 0xffff, 1 << 20];
    const at = below(Math.max(1, text.length - 4));
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, words[below(words.length)], true);
    text.set(bytes.subarray(0, text.length - at), at);
    return text;
  },
};

// Returns the text of a sealed packet, or null if it is none, or empty.
function textOf(datagram) {
  const start = 1 + (datagram[0] >> 4);
  const end = datagram.length - SEAL_BYTES;
  return start > 1 && start < end ? datagram.subarray(start, end) : null;
}

class Liar {
  counts = Object.fromEntries([...Object.keys(WAYS), "repeated", "overtaken", "lost"]
    .map((name) => [name, 0]));

  constructor(seed, steps, texts) {
    this.below = generator(seed);
    this.texts = texts;
    this.rarity = RARITIES[this.below(RARITIES.length)];
    this.truths = this.below(steps);  // steps in which it does not lie
  }

  // Returns the datagrams with some altered, sent twice, left out or in another order.
  tamper(datagrams) {
    if (--this.truths >= 0) return datagrams;
    const out = [];
    for (const datagram of datagrams) {
      if (this.below(this.rarity) !== 0) {
        out.push(datagram);
        continue;
      }
      const names = Object.keys(this.counts);
      const name = names[this.below(names.length)];
      ++this.counts[name];
      if (name === "lost") continue;
      if (name === "repeated") out.push(datagram, datagram);
      else if (name === "overtaken") out.splice(Math.max(0, out.length - 1), 0, datagram);
      else out.push(this.alter(datagram, name));
    }
    return out;
  }

  alter(datagram, name) {
    const text = textOf(datagram);
    if (!text) return datagram;
    const changed = WAYS[name](this.below, Uint8Array.from(text), this.texts);
    const start = datagram.subarray(0, 1 + (datagram[0] >> 4));
    return Uint8Array.from([...start, ...changed, ...datagram.subarray(-SEAL_BYTES)]);
  }
}

// Checks that the true messages give the datagrams that the client sent, and returns its memory.
function checkTruth(module, { options, token, steps }) {
  const client = new PlayedClient(module, options);
  client.connect(token);
  let bodies = 0;
  for (const step of steps) {
    const sent = client.step(step);
    if (step.sent) assert.deepEqual(sent, step.sent);
    bodies = Math.max(bodies, client.read(step.now, 0));
  }
  assert.equal(bodies, 45, `${options}: the playground was not shown`);
  if (options.includes("follow")) assert.ok(client.ticksChecked() > 30);
  checkEnd(client, steps.at(-1).now);
  return client.memoryBytes;
}

// Falls silent. The client must then say why it has no connection.
function checkEnd(client, last) {
  for (let i = 1n; i <= QUIET_STEPS; ++i) {
    client.step({ now: last + i * QUIET_STEP_NS, datagrams: [], pushes: false });
  }
  const { isConnected, problem } = client.state();
  assert.ok(!isConnected, "it is connected without a server");
  assert.notEqual(problem, "", "it does not say why its connection ended");
  return problem;
}

// Runs a session with altered messages. `damage` is called after each step.
function lie(module, { options, token, steps }, liar, memoryMax, damage) {
  const client = new PlayedClient(module, options);
  client.connect(token);
  const modes = options.includes("follow") ? 4 : 3;
  steps.forEach((step, i) => {
    client.step({ ...step, datagrams: liar.tamper(step.datagrams) });
    damage?.(client);
    client.read(step.now, i % modes);
    assert.ok(client.memoryBytes <= memoryMax, `${client.memoryBytes} bytes of memory`);
  });
  const problem = checkEnd(client, steps.at(-1).now);
  return { problem, memoryBytes: client.memoryBytes };
}

// Overwrites the memory of the client with ones.
function overwrite(client) {
  new Uint8Array(client.page.core.memory.buffer).fill(255, client.handle, client.handle + 4096);
}

// Recordings as text, and back.
const text = (recordings) => JSON.stringify(recordings, (_, value) =>
  typeof value === "bigint" ? `ns ${value}`
    : value instanceof Uint8Array ? `base64 ${Buffer.from(value).toString("base64")}` : value);
const parse = (json) => JSON.parse(json, (_, value) =>
  typeof value !== "string" ? value : value.startsWith("ns ") ? BigInt(value.slice(3))
    : value.startsWith("base64 ") ? Uint8Array.from(Buffer.from(value.slice(7), "base64")) : value);

const [, , server, path, first = "1", runs = String(RUNS)] = process.argv;
const planted = first === "--plant";
const module = new WebAssembly.Module(readFileSync(path));
const recordings = server.endsWith(".json") ? parse(readFileSync(server, "utf8"))
  : await record(server, module, OPTIONS);
const memory = Math.max(...recordings.map((each) => checkTruth(module, each)));
const texts = recordings.flatMap(({ steps }) => steps.flatMap(({ datagrams }) => datagrams))
  .map(textOf).filter((text) => text);
const seed = planted ? 1 : Number(first);
const counts = {}, problems = {};
let most = 0;
for (let i = seed; i < seed + Number(runs); ++i) {
  const recording = recordings[i % recordings.length];
  const liar = new Liar(i, recording.steps.length, texts);
  let end;
  try {
    end = lie(module, recording, liar, memory + MEMORY_SLACK, planted ? overwrite : null);
  } catch (error) {
    const file = join(tmpdir(), `altered-messages-${i}.json`);
    if (!planted) writeFileSync(file, text(recordings));
    console.log(`seed ${i}, ${recording.options}: BROKEN: ${error.message}
to repeat it: node altered_messages.mjs ${file} ${path} ${i} 1`);
    process.exit(1);
  }
  for (const name in liar.counts) counts[name] = (counts[name] ?? 0) + liar.counts[name];
  problems[end.problem] = (problems[end.problem] ?? 0) + 1;
  most = Math.max(most, end.memoryBytes);
}
console.log(`seeds ${seed} to ${seed + Number(runs) - 1}`);
console.log("altered:", counts, "\nends:", problems);
console.log(`memory: ${most} bytes at most, ${memory} in the true sessions`);
assert.ok(Object.values(counts).every((count) => count > 0), "some way was never used");
