// The time line: the tick, marks of events, playback, and the result of Verify.
import type { Frame, HistoryPart, LogEvent, LogFacts, Verified } from "../messages";
import { addOptions, element, setText } from "./dom";
import { EventList, type Row } from "./event_list";
import { eventText } from "./event_text";
import { colourOf, penOf, placeOf } from "./line_scale";
import { rough } from "./numbers";
import { Plot } from "./plot";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 10, 30, 100];
// Top and height of the marks of each kind, in pixels.
const MARKS: Record<LogEvent["kind"], [number, number]> = {
  hit: [28, 5], command: [0, 6], join: [0, 9],
};

const MARK = 1.5;  // width of a mark, in pixels

export type TimelineActions = {
  seek(tick: number, dragging: boolean): void, play(speed: number): void,
  nameOf(body: number): string,
};

export class Timeline {
  tick = 0;
  speed = 0;  // of the opened log
  private readonly range = element<HTMLInputElement>("time");
  private readonly speeds = element<HTMLSelectElement>("speed");
  private readonly marks = element<HTMLCanvasElement>("marks");
  private readonly list: EventList;
  private readonly plot: Plot;
  private rows: Row[] = [];
  private hitsEnd: number | null = null;
  private log: LogFacts | null = null;
  private verified: Verified | null = null;
  private verifyStart: { ms: number, ticks: number } | null = null;  // when it was asked for
  private difference: number | null = null;  // first tick in which two logs differ
  private dragging = false;
  private tickRate = 60;

  constructor(private readonly actions: TimelineActions) {
    this.list = new EventList((tick) => this.actions.seek(tick, false));
    this.plot = new Plot((tick, dragging) => this.actions.seek(tick, dragging));
    addOptions(this.speeds, SPEEDS.map((speed) => [String(speed), `${speed} ×`]));
    this.speeds.value = "1";
    this.speeds.addEventListener("change", () => this.applySpeed());
    this.range.addEventListener("input", () => {
      this.dragging = true;
      this.actions.seek(this.range.valueAsNumber, true);
    });
    for (const end of ["change", "pointerup", "pointercancel", "blur"]) {
      this.range.addEventListener(end, () => this.release());
    }
    new ResizeObserver(() => this.draw()).observe(this.marks);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  // Ends a drag. A browser reports no change if the thumb is released where it was taken.
  private release(): void {
    if (!this.dragging) return;
    this.dragging = false;
    this.actions.seek(this.range.valueAsNumber, false);
  }

  // Shows another log, or the live session.
  open(log: LogFacts | null): void {
    this.log = log;
    this.verified = this.verifyStart = null;
    this.difference = null;
    this.speed = 0;
    this.hitsEnd = null;
    this.rows = [];
    this.listRows();
    this.plot.open(log);
    element("stats").hidden = log !== null;
    element("events-toggle").hidden = log === null;
    if (!log && !element("happened").hidden) this.list.toggle();
    element("live").hidden = !log;
    this.speeds.disabled = !log;
    element<HTMLSelectElement>("mode").disabled = log !== null;
    if (log) this.tickRate = log.tickRate;
    if (log) this.range.max = String(log.last);
    this.showVerdict("", "");
    this.showPlay();
    this.draw();
  }

  // Takes events, energy and momentum of a log.
  addHistory({ events, points, hitsEnd, done }: HistoryPart, second: boolean): void {
    this.plot.add(points, second, done);
    this.hitsEnd ??= hitsEnd;
    if (events.length === 0) return;
    this.rows.push(...this.rowsOf(events, second));
    this.listRows();
    this.draw();
  }

  private rowsOf(events: LogEvent[], second: boolean): Row[] {
    const name = this.log?.second === null ? "" : second ? "b: " : "a: ";
    const unit = this.log?.inSi ? " m/s" : "";
    return events.map((event) => ({
      event, text: name + eventText(event, (body) => this.actions.nameOf(body), unit) }));
  }

  private listRows(): void {
    this.rows.sort((one, other) => one.event.tick - other.event.tick);
    this.list.set(this.rows, this.hitsEnd);
  }

  toggleEvents(): void { this.list.toggle(); }

  setTickRate(rate: number): void { this.tickRate = rate; }

  // Shows the tick of a frame. The thumb stays at the tick that was asked for, if there is one.
  show(frame: Frame, asked: number | null): void {
    this.tick = frame.tick;
    if (!frame.live && frame.speed !== this.speed) {
      this.speed = frame.speed;
      this.showPlay();
    }
    const tick = Math.round(frame.tick);
    if (frame.live) this.range.max = String(tick);
    if (!this.dragging) this.range.value = String(asked ?? tick);
    const text = `tick ${tick}, ${(tick / this.tickRate).toFixed(2)} s`;
    setText(element("tick"), text);
    this.range.setAttribute("aria-valuetext", text);
    if (frame.live) return;
    this.plot.show(frame);
    this.list.show(asked ?? tick);
  }

  play(speed: number): void {
    this.speed = speed;
    this.showPlay();
    this.actions.play(speed);
  }

  // Chooses a speed of the list by its place, if there is one.
  choose(place: number): void {
    if (!this.log || !(place in SPEEDS)) return;
    this.speeds.value = String(SPEEDS[place]);
    this.applySpeed();
  }

  private applySpeed(): void {
    if (this.speed !== 0) this.play(Math.sign(this.speed) * Number(this.speeds.value));
  }

  toggle(): void { this.play(this.speed === 0 ? Number(this.speeds.value) : 0); }

  // Plays in a direction, twice as fast if it does already.
  faster(direction: number): void {
    const speed = this.speed * direction > 0 ? 2 * this.speed : direction;
    this.play(Math.sign(speed) * Math.min(Math.abs(speed), SPEEDS.at(-1)!));
  }

  private showPlay(): void {
    const plays = !this.log || this.speed !== 0;
    const button = element("play");
    setText(button, plays ? "Pause" : "Play");
    button.setAttribute("aria-pressed", String(plays));
  }

  showVerified(verified: Verified): void {
    this.verifyStart ??= { ms: performance.now(), ticks: verified.ticks };
    this.verified = verified;
    const { ticks, last, done, divergent, fault } = verified;
    const seconds = (performance.now() - this.verifyStart.ms) / 1000;
    const rate = (ticks - this.verifyStart.ticks) / this.tickRate / seconds;
    const speed = seconds > 0.1 ? `, ${rough(rate)} × real time` : "";
    if (!done) this.showVerdict("", `Verifying: ${ticks} of ${last} ticks${speed}`);
    else if (divergent !== null) this.showVerdict("bad", `Differs at tick ${divergent}`);
    else if (ticks < last || fault) this.showVerdict("bad", fault || `${ticks} of ${last} ticks`);
    else this.showVerdict("good", `Verified: all ${ticks} ticks replay to the same bits${speed}`);
    this.draw();
  }

  // Shows that two logs have equal states for some ticks, and why no more could be compared.
  showCompared(ticks: number, unknown: string): void {
    this.showVerdict(unknown ? "bad" : "good", `a and b are equal for ${ticks} ticks` +
                     (unknown && `. The next is unknown: ${unknown}`));
    this.mark(unknown ? ticks + 1 : null);
  }

  // Marks the first tick in which two logs differ.
  showDifference(tick: number): void {
    if (this.difference !== tick) this.showVerdict("bad", `a and b differ from tick ${tick} on`);
    this.mark(tick);
  }

  private mark(difference: number | null): void {
    this.difference = difference;
    this.draw();
  }

  showVerdict(kind: string, text: string): void {
    const verdict = element("verdict");
    verdict.dataset.kind = kind;
    setText(verdict, text);
  }

  // Removes the progress of work that failed. A result stays.
  endProgress(): void {
    if (!element("verdict").dataset.kind) this.showVerdict("", "");
  }

  // Draws the marks and the progress of Verify.
  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.marks;
    const pen = penOf(this.marks);
    if (!this.log || this.log.last === 0) return;
    const x = (tick: number) => placeOf(tick, this.log!.last, width);
    for (const [kind, [top, size]] of Object.entries(MARKS)) {
      pen.fillStyle = colourOf(`--${kind}`);
      let covered = 0;  // up to here
      for (const { event } of this.rows) {
        const left = x(event.tick);
        if (event.kind !== kind || left < covered) continue;
        pen.fillRect(left, top, MARK, size);
        covered = left + 1;
      }
    }
    pen.fillStyle = colourOf("--good");
    if (this.verified) pen.fillRect(x(0), height - 4, x(this.verified.ticks) - x(0), 4);
    pen.fillStyle = colourOf("--bad");
    for (const tick of [this.verified?.divergent ?? null, this.difference]) {
      if (tick !== null) pen.fillRect(x(tick) - 1, 0, 3, height);
    }
  }
}
