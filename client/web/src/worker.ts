// The worker of the page: it has the module, the live session and the opened log.
import { comparePasses } from "./compare";
import { Code, Core, CoreError, CoreFault } from "./core";
import { Jobs } from "./jobs";
import type { LogFiles, ToPage, ToWorker } from "./messages";
import { Recording } from "./recording";
import { ServerLog } from "./server_log";
import { Session } from "./session";

const STATUS_MS = 250;

let ready: Promise<void>;  // resolves when the module is loaded
let core: Core;
let session: Session | null = null;  // a film has none
let serverLog: ServerLog | null = null;
let recording: Recording | null = null;
let second: Recording | null = null;  // a second log, at the same tick
let opening: Promise<void> | null = null;  // of the log of the server
let firstTick: number | null = null;  // to show when it is open
let choice = 0;  // number of the newest choice of a person: a log, or the live session
let selected: number | null = null;
const jobs = new Jobs(fail);

function post(message: ToPage, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer });
}

// Shows an error to the person. After a fault the module cannot be used.
function fail(error: unknown): void {
  const fatal = error instanceof CoreFault;
  post({ kind: "problem", text: sentence(error), fatal });
  if (fatal) self.close();
}

function sentence(error: unknown): string {
  if (error instanceof CoreFault) return `the physics module failed: ${error.message}`;
  if (error instanceof CoreError && error.code === Code.OTHER_RULES) {
    return `this log needs another version of the page: ${error.message}`;
  }
  return error instanceof Error ? error.message : String(error);
}

async function start(module: string | ArrayBuffer, server: string | null,
                     waits: boolean): Promise<void> {
  post({ kind: "started" });
  core = await Core.load(module);
  if (server === null) return;
  serverLog = new ServerLog(server);
  session = new Session(core, server, waits, (scene) => {
    if (!recording) post({ kind: "scene", scene, second: null });
  }, (texts) => post({ kind: "notices", texts }), fail);
  setInterval(showStatus, STATUS_MS);
}

function showStatus(): void {
  try {
    post({ kind: "status", status: session!.status() });
  } catch (error) {
    fail(error);
  }
}

// Opens a log in place of the live session, and a second log if there is one.
function open(opened: Recording, other: Recording | null, tick: number): void {
  close();
  recording = opened;
  second = other;
  for (const each of [recording, second]) if (each) each.selected = selected;
  post({ kind: "scene", scene: recording.scene, second: second && second.scene });
  post({ kind: "log", log: recording.facts(second) });
  recording.seek(tick, false);
  const passes = [opened, other].filter((log) => log !== null).map((log, i) =>
    log.collect((part) => post({ kind: "history", second: i > 0, part })));
  jobs.start("history", other ? comparePasses(passes, (parting, ticks, unknown) =>
    post({ kind: "compared", parting, ticks, unknown })) : passes[0]);
}

// Prepares the exact state of the shown tick, and its neighbourhood.
function settle(): void {
  if (recording) jobs.start("settle", recording.settle(showFrame));
}

function close(): void {
  jobs.stopAll();
  recording?.destroy();
  second?.destroy();
  recording = second = null;
}

function openFiles(logs: LogFiles[], tick: number): void {
  choose();
  const opened: Recording[] = [];
  try {
    for (const log of logs) opened.push(openFile(log));
  } catch (error) {
    for (const each of opened) each.destroy();
    throw error;
  }
  open(opened[0], opened[1] ?? null, tick);
}

function openFile({ name, parts }: LogFiles): Recording {
  try {
    return new Recording(core, parts.map((part) => new Uint8Array(part)), name, fail);
  } catch (error) {
    if (!(error instanceof CoreError)) throw error;
    throw new CoreError(error.code, `${name}: ${error.message}`);
  }
}

// Sends the newest frame, if the page has something to show.
function showFrame(): void {
  const frame = (recording ?? session)?.frame();
  if (!frame) return;
  if (second) {
    frame.second = second.follow(frame);
    frame.memory!.bytes += second.memory.bytes;
    frame.memory!.bytesMax += second.memory.bytesMax;
  }
  const rows = [frame.rows, frame.second?.rows, frame.ghost?.rows].filter((each) =>
    each instanceof ArrayBuffer);
  post({ kind: "frame", frame }, rows);
}

// Ignores a log that is still on its way.
function choose(): void {
  ++choice;
  opening = firstTick = null;
}

// Opens the log of the server, unless a log is open.
async function review(tick: number | null): Promise<void> {
  if (recording || !serverLog) return;
  firstTick = tick ?? firstTick;
  opening ??= fetchLog(serverLog, choice);
  return opening;
}

// Fetches and opens the log of the server, unless the person makes another choice meanwhile.
async function fetchLog(log: ServerLog, chosen: number): Promise<void> {
  try {
    const segments = await log.fetch((part) => {
      if (chosen === choice) post({ kind: "loading", part });
    });
    if (chosen === choice) open(new Recording(core, segments, "", fail), null, firstTick ?? 0);
  } catch (error) {
    if (chosen === choice) throw error;
  } finally {
    if (chosen === choice) opening = firstTick = null;
  }
}

function live(): void {
  if (!session) return;
  choose();
  close();
  session.showScene();
  post({ kind: "log", log: null });
}

// Starts a job of the opened log. Without one, it opens the log of the server before.
async function startJob(name: string, job: (log: Recording) => Iterator<void>): Promise<void> {
  const chosen = choice;
  await review(null);
  if (recording && chosen === choice) jobs.start(name, job(recording));
}

async function handle(message: ToWorker): Promise<void> {
  if (message.kind === "start") {
    ready = start(message.module, message.server, message.waits);
    return ready;
  }
  await ready;
  switch (message.kind) {
    case "token": return session?.bring(new Uint8Array(message.token));
    case "frame": return showFrame();
    case "mode":
      if (session) session.mode = message.mode;
      return;
    case "ghost":
      if (session) session.ghost = message.on;
      return;
    case "command": return session?.command(message.command);
    case "select":
      selected = message.body;
      for (const each of [session, recording, second]) if (each) each.selected = selected;
      return;
    case "pick": {
      const { ticket, near, origin, along } = message;
      const pick = (recording ?? session)?.pick(near, origin, along) ?? near;
      return post({ kind: "picked", ticket, pick });
    }
    case "open": return openFiles(message.logs, message.tick);
    case "review": return review(message.tick);
    case "seek":
      recording?.seek(message.tick, message.dragging);
      return settle();
    case "play":
      recording?.play(message.speed);
      return settle();
    case "live": return live();
    case "verify":
      return startJob("verify", (log) => log.verify((verified) =>
        post({ kind: "verified", verified })));
    case "break": {
      const { body, field, bit } = message;
      return startJob("break", (log) => log.break({ body, field, bit }, (parting) =>
        post({ kind: "broken", parting })));
    }
  }
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => { handle(data).catch(fail); };
