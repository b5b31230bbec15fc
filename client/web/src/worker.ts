// The worker of the page: it has the module, the live session and the opened log.
import { Code, Core, CoreError, CoreFault } from "./core";
import { Jobs } from "./jobs";
import type { ToPage, ToWorker } from "./messages";
import { Recording } from "./recording";
import { ServerLog } from "./server_log";
import { Session } from "./session";

const STATUS_MS = 250;

let ready: Promise<void>;  // resolves when the module is loaded
let core: Core;
let session: Session;
let serverLog: ServerLog;
let recording: Recording | null = null;
let opening: Promise<void> | null = null;  // of the log of the server
let firstTick: number | null = null;  // to show when it is open
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

async function start(wasm: string, server: string): Promise<void> {
  core = await Core.load(wasm);
  serverLog = new ServerLog(server);
  session = new Session(core, server, (scene) => {
    if (!recording) post({ kind: "scene", scene });
  }, fail);
  setInterval(showStatus, STATUS_MS);
}

function showStatus(): void {
  try {
    post({ kind: "status", status: session.status() });
  } catch (error) {
    fail(error);
  }
}

// Opens a log in place of the live session.
function open(bytes: Uint8Array, name: string, tick: number | null): void {
  const opened = new Recording(core, bytes, name, fail);
  close();
  recording = opened;
  recording.selected = selected;
  post({ kind: "scene", scene: recording.scene() });
  post({ kind: "log", log: recording.facts() });
  recording.seek(tick ?? 0, false);
  jobs.start("track", recording.collect());
}

function close(): void {
  jobs.stopAll();
  recording?.destroy();
  recording = null;
}

function openFile(name: string, bytes: Uint8Array): void {
  try {
    open(bytes, name, 0);
  } catch (error) {
    if (!(error instanceof CoreError)) throw error;
    throw new CoreError(error.code, `${name}: ${error.message}`);
  }
}

function openFetched(bytes: Uint8Array): void {
  open(bytes, "", firstTick);
  const { segments } = serverLog;
  if (segments === 1) return;
  fail(new Error(`the log of this session has ${segments} files; the page shows the first one`));
}

// Opens the log of the server, unless a log is open.
async function review(tick: number | null): Promise<void> {
  if (recording) return;
  firstTick = tick ?? firstTick;
  opening ??= serverLog.fetch((part) => post({ kind: "loading", part }))
    .then((bytes) => openFetched(bytes))
    .finally(() => { opening = firstTick = null; });
  return opening;
}

function live(): void {
  close();
  session.showScene();
  post({ kind: "log", log: null });
}

function startJob(name: string, job: Iterator<void> | undefined): void {
  if (job) jobs.start(name, job);
}

async function handle(message: ToWorker): Promise<void> {
  if (message.kind === "start") {
    ready = start(message.wasm, message.server);
    return ready;
  }
  await ready;
  switch (message.kind) {
    case "frame": {
      const frame = (recording ?? session).frame();
      return post({ kind: "frame", frame }, frame.rows ? [frame.rows] : []);
    }
    case "mode": session.mode = message.mode; return;
    case "command": return session.command(message.command);
    case "select":
      selected = session.selected = message.body;
      if (recording) recording.selected = selected;
      return;
    case "pick": {
      const pick = (recording ?? session).pick(message.origin, message.along);
      return post({ kind: "picked", ticket: message.ticket, pick });
    }
    case "file": return openFile(message.name, new Uint8Array(message.bytes));
    case "review": return review(message.tick);
    case "seek": return recording?.seek(message.tick, message.dragging);
    case "play": return recording?.play(message.speed);
    case "live": return live();
    case "verify":
      await review(null);
      return startJob("verify", recording?.verify((verified) =>
        post({ kind: "verified", verified })));
    case "break": {
      const { body, field, bit } = message;
      await review(null);
      return startJob("break", recording?.break({ body, field, bit }, (broken) =>
        post({ kind: "broken", broken })));
    }
  }
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => { handle(data).catch(fail); };
