// The page: connects the worker, the picture and the controls.
import { CommandKind, Control } from "./world";
import { FIELDS } from "./image";
import type { Frame, LogFacts, Pick, Scene, Status, ToPage, ToWorker } from "./messages";
import { showBroken } from "./ui/break_panel";
import { addOptions, element } from "./ui/dom";
import { Keys } from "./ui/keys";
import { linkText, readLink } from "./ui/link";
import { missingFeature, showProblem } from "./ui/notice";
import { Selection } from "./ui/selection";
import { showState, showStats } from "./ui/stats";
import { Timeline } from "./ui/timeline";
import { Bodies } from "./view/bodies";
import { Grab } from "./view/grab";
import { Labels, nameOf } from "./view/labels";
import type { Vec } from "./view/rays";
import { Shown } from "./view/shown";
import { Stage } from "./view/stage";

declare const WASM_FILE: string;
declare const WORKER_FILE: string;

const PUSH = 15;  // acceleration of a body that the keys push
const FILE_BYTES_MAX = 512 * 2 ** 20;

class Page {
  private readonly worker = new Worker(WORKER_FILE);
  private readonly stage = new Stage(element<HTMLCanvasElement>("view"),
                                     matchMedia("(prefers-color-scheme: dark)").matches);
  private readonly bodies = new Bodies();
  private readonly labels = new Labels(this.stage, element("labels"));
  private readonly selection = new Selection((body) => this.select(body));
  private readonly timeline = new Timeline({
    seek: (tick, dragging) => this.seek(tick, dragging),
    play: (speed) => this.play(speed),
  });
  private readonly grab = new Grab(this.stage, {
    shown: () => this.shown,
    mayGrab: () => !this.log && this.status?.connected === true,
    select: (body) => this.select(body),
    command: (command) => this.send({ kind: "command", command }),
    findExact: (origin, along) => this.findExact(origin, along),
  });
  private readonly keys: Keys;
  private readonly start = readLink(location.hash);
  private readonly tickets = new Map<number, (pick: Pick | null) => void>();
  private shown = new Shown();
  private status: Status | null = null;
  private log: LogFacts | null = null;
  private sceneName = "";
  private selected: number | null = null;
  private waits = false;  // for a frame of the worker
  private framed = false;  // the camera looks at the scene
  private ticket = 0;
  private readonly costs: number[] = [];  // of newest frames, in ms

  constructor() {
    this.stage.scene.add(this.bodies.group);
    this.keys = new Keys({
      toggle: () => this.toggle(),
      pause: () => this.pause(),
      step: (ticks) => this.seek(Math.round(this.timeline.tick) + ticks, false),
      faster: (direction) => { if (this.log) this.timeline.faster(direction); },
      first: () => this.seek(0, false),
      last: () => this.last(),
      follow: () => element<HTMLInputElement>("follow").click(),
      unselect: () => this.select(null),
      push: () => this.push(),
    });
    this.listen();
    this.select(this.start.body);
    this.timeline.open(null);
    const wasm = new URL(WASM_FILE, location.href).href;
    this.send({ kind: "start", wasm, server: location.origin });
    this.worker.onmessage = ({ data }: MessageEvent<ToPage>) => this.receive(data);
    this.worker.onerror = (event) => showProblem(`the worker failed: ${event.message}`, true);
    requestAnimationFrame(() => this.draw());
  }

  private send(message: ToWorker, transfer: Transferable[] = []): void {
    this.worker.postMessage(message, transfer);
  }

  private receive(message: ToPage): void {
    switch (message.kind) {
      case "scene": return this.showScene(message.scene);
      case "status": return this.showStatus(message.status);
      case "frame": return this.showFrame(message.frame);
      case "log": return this.showLog(message.log);
      case "loading": {
        const percent = Math.floor(100 * message.part);
        return this.timeline.showVerdict("", `Loading the log: ${percent} %`);
      }
      case "verified": return this.timeline.showVerified(message.verified);
      case "broken": return showBroken(message.broken, nameOf(this.shown, message.broken.body));
      case "problem": return this.showProblem(message.text, message.fatal);
      case "picked":
        this.tickets.get(message.ticket)?.(message.pick);
        this.tickets.delete(message.ticket);
    }
  }

  // --- what the worker sends ---

  private showScene(scene: Scene): void {
    this.framed &&= scene.name === this.sceneName;
    this.sceneName = scene.name;
    this.shown = new Shown(scene.bodies);
    this.bodies.load(scene);
    this.timeline.setTickRate(scene.tickRate);
    element("scene").textContent = scene.name;
    document.title = `${scene.name} - Orrery`;
    this.waits = false;
    const { tick } = this.start;
    if (tick !== null) this.send({ kind: "review", tick });
    this.start.tick = null;
  }

  private showStatus(status: Status): void {
    this.status = status;
    showStats(status);
    showState(status, this.log);
  }

  private showLog(log: LogFacts | null): void {
    this.log = log;
    this.timeline.open(log);
    if (this.status) showState(this.status, log);
    element("broken").hidden = true;
    if (log?.otherRules) {
      showProblem("this log was made with other rules of physics. Only states of checkpoints " +
                  "can be shown, and it cannot be verified");
    } else if (log?.fault) {
      showProblem(`this log can be read up to tick ${log.last}: ${log.fault}`);
    }
    this.writeLink();
  }

  private showFrame(frame: Frame): void {
    this.waits = false;
    if (frame.live !== (this.log === null)) return;  // it was sent before the log was opened
    const start = performance.now();
    this.timeline.show(frame);
    if (frame.rows) {
      this.shown.update(frame.rows);
      this.bodies.draw(frame.rows);
      if (!this.framed) this.lookAtAll();
    }
    this.selection.show(frame, this.shown, this.selected);
    this.costs.push(performance.now() - start);
    if (this.costs.length > 300) this.costs.shift();
  }

  private showProblem(text: string, fatal: boolean): void {
    showProblem(fatal ? `${text}. Reload the page to continue` : text, fatal);
    this.timeline.showVerdict("", "");
  }

  private lookAtAll(): void {
    const { center, radius, floor } = this.shown.bounds();
    this.stage.look(center, radius, floor);
    this.framed = true;
    performance.mark("orrery-shown");
  }

  // --- each frame of the screen ---

  private draw(): void {
    requestAnimationFrame(() => this.draw());
    if (!this.waits && this.sceneName) {
      this.waits = true;
      this.send({ kind: "frame" });
    }
    const start = performance.now();
    const pose = this.selected === null ? null : this.shown.pose(this.selected);
    if (pose && element<HTMLInputElement>("follow").checked) this.stage.follow(pose.position);
    this.grab.draw();
    this.labels.draw(this.shown, this.selected);
    this.selection.refresh(this.shown, this.selected);
    if (this.costs.length > 0) this.costs[this.costs.length - 1] += performance.now() - start;
    this.stage.draw();
  }

  // --- what a person does ---

  private select(body: number | null): void {
    if (body === this.selected) return;
    this.selected = this.bodies.selected = body;
    this.selection.mark(body);
    this.send({ kind: "select", body });
    if (this.log && this.timeline.speed === 0) {
      this.send({ kind: "seek", tick: Math.round(this.timeline.tick), dragging: false });
      this.writeLink();
    }
  }

  private findExact(origin: Vec, along: Vec): Promise<Pick | null> {
    const ticket = ++this.ticket;
    this.send({ kind: "pick", ticket, origin, along });
    return new Promise((resolve) => this.tickets.set(ticket, resolve));
  }

  private seek(tick: number, dragging: boolean): void {
    if (this.log) {
      this.send({ kind: "seek", tick, dragging });
      if (this.timeline.speed !== 0) this.timeline.play(0);
    } else if (!dragging) {
      this.send({ kind: "review", tick });
    }
    if (this.log && !dragging) this.writeLink(Math.min(Math.max(tick, 0), this.log.last));
  }

  private play(speed: number): void {
    this.send({ kind: "play", speed });
    if (speed === 0) this.writeLink();
  }

  private toggle(): void {
    if (this.log) this.timeline.toggle();
    else this.pause();
  }

  private pause(): void {
    if (this.log) this.timeline.play(0);
    else this.seek(Math.round(this.timeline.tick), false);
  }

  private last(): void {
    if (this.log && this.timeline.tick < this.log.last) this.seek(this.log.last, false);
    else this.live();
  }

  private live(): void { this.send({ kind: "live" }); }

  // Writes the address of the page: of a moment, or of the live session.
  private writeLink(tick = Math.round(this.timeline.tick)): void {
    const moment = { tick: this.log ? tick : null, body: this.log ? this.selected : null };
    history.replaceState(null, "", location.pathname + linkText(moment));
  }

  // Pushes the selected body where the keys say, as seen from the camera.
  private push(): void {
    const body = this.selected === null ? null : this.shown.body(this.selected);
    if (!body || this.log || body.control === Control.NOBODY) return;
    const [x, , z] = this.stage.forward();
    const length = Math.hypot(x, z) || 1;
    const forward = [x / length, 0, z / length];
    const has = (direction: string) => Number(this.keys.pushed.has(direction));
    const ahead = has("forward") - has("back"), right = has("right") - has("left");
    const force = PUSH * body.mass;
    this.send({ kind: "command", command: {
      kind: CommandKind.THRUST, subject: this.selected!,
      first: [force * (ahead * forward[0] - right * forward[2]),
              force * 2 * (has("up") - has("down")),
              force * (ahead * forward[2] + right * forward[0])] } });
  }

  private async openFile(file: File | undefined): Promise<void> {
    if (!file) return;
    if (file.size > FILE_BYTES_MAX) {
      return showProblem(`${file.name} has ${Math.round(file.size / 2 ** 20)} MiB; ` +
                         `a page opens logs of at most ${FILE_BYTES_MAX / 2 ** 20} MiB`);
    }
    const bytes = await file.arrayBuffer();
    this.send({ kind: "file", name: file.name, bytes }, [bytes]);
  }

  private breakSession(): void {
    const body = this.selected ?? this.firstMovable();
    if (body === null) return showProblem("select a body to break");
    this.select(body);
    const bit = element<HTMLInputElement>("bit").valueAsNumber;
    if (!(bit >= 0 && bit <= 51)) return showProblem("the bit is a number from 0 to 51");
    this.send({ kind: "break", body, field: element<HTMLSelectElement>("field").value,
                bit: Math.floor(bit) });
  }

  private firstMovable(): number | null {
    for (let i = 0; i < this.shown.count; ++i) {
      const id = this.shown.id(i);
      if (this.shown.body(id)!.kind <= 1) return id;
    }
    return null;
  }

  private async copyLink(): Promise<void> {
    if (!this.log) this.pause();
    const { href } = location;
    try {
      await navigator.clipboard.writeText(href);
      this.timeline.showVerdict("", "Link copied");
    } catch {
      prompt("Copy this link", href);  // without https, pages cannot write to the clipboard
    }
  }

  private listen(): void {
    const { canvas } = this.stage;
    new ResizeObserver(() => this.stage.resize(canvas.clientWidth, canvas.clientHeight))
      .observe(canvas);
    addOptions(element<HTMLSelectElement>("field"), FIELDS.map((name) => [name, name]));
    const onChange = (id: string, work: (input: HTMLInputElement) => void) => {
      const input = element<HTMLInputElement>(id);
      input.addEventListener("change", () => work(input));
    };
    onChange("mode", ({ value }) => this.send({ kind: "mode", mode: Number(value) }));
    onChange("names", ({ checked }) => { this.labels.all = checked; });
    onChange("low", ({ checked }) => this.stage.setLow(checked));
    onChange("file", ({ files }) => { this.openFile(files?.[0]); });
    const onClick = (id: string, work: () => void) => element(id).addEventListener("click", work);
    onClick("play", () => this.toggle());
    onClick("back", () => this.seek(Math.round(this.timeline.tick) - 1, false));
    onClick("forward", () => this.seek(Math.round(this.timeline.tick) + 1, false));
    onClick("live", () => this.live());
    onClick("verify", () => this.send({ kind: "verify" }));
    onClick("break", () => this.breakSession());
    onClick("broken-close", () => { element("broken").hidden = true; });
    onClick("link", () => { this.copyLink(); });
    onClick("help", () => {
      const keys = element("keys");
      keys.hidden = !keys.hidden;
      element("help").setAttribute("aria-expanded", String(!keys.hidden));
    });
    this.listenToDrops();
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

const missing = missingFeature();
if (missing) showProblem(missing, true);
else Object.assign(window, { orrery: new Page() });  // tests look at it
