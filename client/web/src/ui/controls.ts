// Connects buttons, fields, keys and dropped files with the page.
import { FIELDS } from "../world";
import type { Page } from "../page";
import { pushForce } from "../view/push";
import { CommandKind } from "../world";
import { addOptions, element } from "./dom";
import { logsOf } from "./files";
import { Keys } from "./keys";
import { showProblem } from "./notice";

const FILE_BYTES_MAX = 512 * 2 ** 20;
const BREAK_TICKS = 300;  // from the fault to the end of the log

function onChange(id: string, work: (input: HTMLInputElement) => void): void {
  const input = element<HTMLInputElement>(id);
  input.addEventListener("change", () => work(input));
}

function onClick(id: string, work: () => void): void {
  element(id).addEventListener("click", work);
}

export class Controls {
  private chosen = 0;  // number of the newest choice of files
  private readonly keys = new Keys({
    toggle: () => this.toggle(),
    pause: () => this.pause(),
    step: (ticks) => this.step(ticks),
    faster: (direction) => { if (this.page.log) this.page.timeline.faster(direction); },
    speed: (place) => this.page.timeline.choose(place),
    first: () => this.page.seek(0, false),
    last: () => this.last(),
    follow: () => element("follow").click(),
    viewAll: () => this.page.lookAtAll(),
    unselect: () => this.page.select(null),
    push: () => this.push(),
  });

  constructor(private readonly page: Page) {
    addOptions(element<HTMLSelectElement>("field"), FIELDS.map((name) => [name, name]));
    onChange("mode", ({ value }) => page.send({ kind: "mode", mode: Number(value) }));
    onChange("names", ({ checked }) => { page.labels.all = checked; });
    onChange("ghost", ({ checked }) => page.setGhost(checked));
    onChange("low", ({ checked }) => page.stage.setLow(checked));
    onChange("file", ({ files }) => { this.openFiles([...files ?? []]); });
    onClick("play", () => this.toggle());
    onClick("back", () => this.step(-1));
    onClick("forward", () => this.step(1));
    onClick("live", () => page.send({ kind: "live" }));
    onClick("verify", () => this.verify());
    onClick("break", () => this.breakSession());
    onClick("again", () => this.breakSession());
    onClick("broken-close", () => { element("broken").hidden = true; });
    onClick("link", () => { this.copyLink(); });
    onClick("events-toggle", () => page.timeline.toggleEvents());
    onClick("help", () => this.toggleHelp());
    this.listenToDrops();
  }

  private toggleHelp(): void {
    const keys = element("keys");
    keys.hidden = !keys.hidden;
    element("help").setAttribute("aria-expanded", String(!keys.hidden));
  }

  private toggle(): void {
    if (this.page.log) this.page.timeline.toggle();
    else this.pause();
  }

  // Stops playback. In the live session, this opens its log at the shown tick.
  private pause(): void {
    if (this.page.log) this.page.timeline.play(0);
    else this.step(0);
  }

  private step(ticks: number): void {
    this.page.seek(this.page.tick + ticks, false);
  }

  // Verifies the log. In the live session, it opens the log at the present tick.
  private verify(): void {
    if (!this.page.log) this.step(0);
    this.page.send({ kind: "verify" });
  }

  private last(): void {
    const { log, tick } = this.page;
    if (log && tick < log.last) this.page.seek(log.last, false);
    else this.page.send({ kind: "live" });
  }

  // Pushes the body of the person where the keys say, as seen from the camera. A scene that maps
  // keys has its own.
  private push(): void {
    const { driven, shown, stage } = this.page;
    const body = driven === null ? null : shown.body(driven);
    if (!body || this.page.game.hasKeys) return;
    const why = this.page.whyNot(body, this.page.rightsOf(driven!));
    if (why !== null) return this.keys.pushed.size > 0 ? showProblem(why) : undefined;
    const first = pushForce(this.keys.pushed, stage.forward(), body.mass);
    this.page.send({ kind: "command",
                     command: { kind: CommandKind.THRUST, subject: driven!, first } });
  }

  // Breaks the selected body, or else the first that moves.
  private breakSession(): void {
    const { page } = this;
    const body = page.selected ?? page.shown.firstMoving();
    if (body === null) return showProblem("this scene has no body that moves");
    page.select(body);
    const bit = element<HTMLInputElement>("bit").valueAsNumber;
    if (!(bit >= 0 && bit <= 51)) return showProblem("the bit is a number from 0 to 51");
    const field = element<HTMLSelectElement>("field").value;
    if (!page.log) this.step(page.sceneHas(body) ? -BREAK_TICKS : 0);
    page.setGhost(true);
    page.send({ kind: "break", body, field, bit: Math.floor(bit) });
  }

  private async copyLink(): Promise<void> {
    if (!this.page.log) this.pause();
    const { href } = location;
    try {
      await navigator.clipboard.writeText(href);
      this.page.timeline.showVerdict("", "Link copied");
    } catch {
      prompt("Copy this link", href);  // without https, pages cannot write to the clipboard
    }
  }

  // Opens the files of one log, or of two logs.
  private async openFiles(files: File[]): Promise<void> {
    if (files.length === 0) return;
    const size = files.reduce((sum, file) => sum + file.size, 0);
    const [{ name }] = files;
    if (size > FILE_BYTES_MAX) {
      return showProblem(`${name} has ${Math.round(size / 2 ** 20)} MiB; ` +
                         `the page opens logs of at most ${FILE_BYTES_MAX / 2 ** 20} MiB`);
    }
    const logs = logsOf(files);
    if (!logs) {
      return showProblem("the page shows at most two logs. The files of one log are named " +
                         "like a.orrery, a.orrery.0001, a.orrery.0002");
    }
    const chosen = ++this.chosen;
    const read = await Promise.all(logs.map(async (segments) => ({
      name: segments[0]!.name,
      parts: await Promise.all(segments.map((file) => file?.arrayBuffer() ?? new ArrayBuffer(0))),
    })));
    if (chosen === this.chosen) this.page.open(read, 0);  // a small file may overtake a large one
  }

  private listenToDrops(): void {
    const hint = element("drop");
    addEventListener("dragover", (event) => {
      event.preventDefault();
      hint.hidden = false;
    });
    addEventListener("dragleave", (event) => { if (!event.relatedTarget) hint.hidden = true; });
    addEventListener("drop", (event) => {
      event.preventDefault();
      hint.hidden = true;
      this.openFiles([...event.dataTransfer?.files ?? []]);
    });
  }
}
