// Times what the page does: from inside the page, and by the CPU time of its threads.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;  // of the times in /proc

// Returns the CPU time of each worker of a page, by its thread.
export function workerTimes() {
  const ticks = new Map();
  for (const process of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      for (const thread of readdirSync(`/proc/${process}/task`)) {
        const text = readFileSync(`/proc/${process}/task/${thread}/stat`, "utf8");
        if (!text.includes("(DedicatedWorker)")) continue;
        const numbers = text.slice(text.lastIndexOf(")") + 2).split(" ");
        ticks.set(thread, Number(numbers[11]) + Number(numbers[12]));
      }
    } catch (error) {
      if (error.code !== "ENOENT" && error.code !== "ESRCH") throw error;  // it has ended
    }
  }
  return ticks;
}

// Returns the CPU seconds of all workers since `before`, a result of workerTimes(). A worker that
// has ended does not count.
export function workerSeconds(before) {
  let ticks = 0;
  for (const [thread, now] of workerTimes()) ticks += now - (before.get(thread) ?? 0);
  return ticks / TICKS_PER_SECOND;
}

// Runs a program. Returns its CPU seconds.
export function secondsOf(...command) {
  const said = execFileSync("bash", ["-c", '"$@" > /dev/null && times', "bash", ...command],
                            { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [, children] = said.trim().split("\n");
  return children.split(" ").map((each) => /^(\d+)m([\d.]+)s$/.exec(each))
    .reduce((sum, [, minutes, seconds]) => sum + 60 * minutes + Number(seconds), 0);
}

// Makes the page draw nothing: software draws slowly, and takes the processors from the worker.
export const withoutDrawing = (page) =>
  page.evaluate(() => { window.orrery.stage.draw = () => {}; });

// Returns the time of Verify of the opened log in ms.
export const timeVerify = (page) => page.evaluate(() => new Promise((resolve, reject) => {
  const verdict = document.getElementById("verdict");
  window.orrery.timeline.showVerdict("", "");
  const start = performance.now();
  const watch = new MutationObserver(() => {
    if (!verdict.dataset.kind) return;
    watch.disconnect();
    if (verdict.dataset.kind === "good") resolve(performance.now() - start);
    else reject(new Error(verdict.textContent));
  });
  watch.observe(verdict, { attributes: true });
  document.getElementById("verify").click();
}));

// Lets the functions below wait for a frame.
export const watchFrames = (page) => page.evaluate(() => {
  const show = window.orrery.showFrame.bind(window.orrery);
  window.orrery.showFrame = (frame) => {
    show(frame);
    if (window.awaited?.(frame)) window.arrived();
  };
  // Moves the thumb. Returns the ms until a frame that is wanted was shown.
  window.moveTo = (tick, event, wanted) => new Promise((resolve) => {
    const range = document.getElementById("time");
    range.value = String(tick);
    const start = performance.now();
    window.awaited = wanted;
    window.arrived = () => {
      window.awaited = null;
      resolve(performance.now() - start);
    };
    range.dispatchEvent(new Event(event));
  });
});

// Drags the thumb to a tick. Returns the ms until its poses were shown.
export const dragTo = (page, tick) => page.evaluate((tick) =>
  window.moveTo(tick, "input", (frame) => Math.abs(frame.tick - tick) <= 16), tick);

// Releases the thumb at a tick. Returns the ms until its exact state was shown.
export const restAt = (page, tick) => page.evaluate((tick) =>
  window.moveTo(tick, "change", (frame) => frame.exact && frame.tick === tick), tick);

// Plays the opened log. Returns the ms of script of each frame that has new poses: of the message
// that brings them, and of the next call that draws.
export const measureFrames = (page) => page.evaluate(() => new Promise((resolve) => {
  const FRAMES = 200, SKIPPED = 30;
  const { worker, timeline } = window.orrery;
  const receive = worker.onmessage;
  const script = [];
  let message = null;
  worker.onmessage = (event) => {
    const start = performance.now();
    receive(event);
    if (event.data.frame?.rows) message = performance.now() - start;
  };
  // The page draws at the end of its call of each frame: what came before is timed by itself.
  const draw = window.orrery.draw.bind(window.orrery);
  window.orrery.draw = () => {
    const start = performance.now();
    draw();
    if (message === null) return;
    script.push(message + performance.now() - start);
    message = null;
    if (timeline.speed === 0) timeline.play(1);  // again from the start
    if (script.length < FRAMES + SKIPPED) return;
    window.orrery.draw = () => {};
    resolve({ script: script.slice(SKIPPED), frames: FRAMES });
  };
  timeline.play(1);
}));
