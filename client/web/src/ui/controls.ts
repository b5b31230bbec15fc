// Connects buttons, fields, keys and dropped files with the page.
import { FIELDS } from "../image";
import type { Page } from "../page";
import { pushForce } from "../view/push";
import { CommandKind, Control } from "../world";
import { addOptions, element } from "./dom";
import { Keys } from "./keys";
import { showProblem } from "./notice";

const FILE_BYTES_MAX = 512 * 2 ** 20;

function onChange(id: string, work: (input: HTMLInputElement) => void): void {
  const input = element<HTMLInputElement>(id);
  input.addEventListener("change", () => work(input));
}

function onClick(id: string, work: () => void): void {
  element(id).addEventListener("click", work);
}

export class Controls {
  private readonly keys = new Keys({
    toggle: () => this.toggle(),
    pause: () => this.pause(),
    step: (ticks) => this.step(ticks),
    faster: (direction) => { if (this.page.log) this.page.timeline.faster(direction); },
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
    onChange("low", ({ checked }) => page.stage.setLow(checked));
    onChange("file", ({ files }) => { this.openFile(files?.[0]); });
    onClick("play", () => this.toggle());
    onClick("back", () => this.step(-1));
    onClick("forward", () => this.step(1));
    onClick("live", () => page.send({ kind: "live" }));
    onClick("verify", () => this.verify());
    onClick("break", () => this.breakSession());
    onClick("again", () => this.breakSession());
    onClick("broken-close", () => { element("broken").hidden = true; });
    onClick("link", () => { this.copyLink(); });
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

  // Pushes the selected body where the keys say, as seen from the camera.
  private push(): void {
    const { selected, shown, log, stage } = this.page;
    const body = selected === null ? null : shown.body(selected);
    if (!body || log || body.control === Control.NOBODY) return;
    const first = pushForce(this.keys.pushed, stage.forward(), body.mass);
    this.page.send({ kind: "command",
                     command: { kind: CommandKind.THRUST, subject: selected!, first } });
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
    if (!page.log) this.step(0);
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

  private async openFile(file: File | undefined): Promise<void> {
    if (!file) return;
    if (file.size > FILE_BYTES_MAX) {
      return showProblem(`${file.name} has ${Math.round(file.size / 2 ** 20)} MiB; ` +
                         `the page opens logs of at most ${FILE_BYTES_MAX / 2 ** 20} MiB`);
    }
    const bytes = await file.arrayBuffer();
    this.page.send({ kind: "file", name: file.name, bytes }, [bytes]);
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
      this.openFile(event.dataTransfer?.files[0]);
    });
  }
}
