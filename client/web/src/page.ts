// The page: connects the worker, the picture and the controls.
import { Group } from "three";
import { filmLogs, filmTick } from "./film/film";
import type { ClientCommand } from "./client";
import type { Frame, LogFacts, LogFiles, Parting, Pick, Rights, Scene, SceneBody, Status, ToPage,
              ToWorker } from "./messages";
import { Admission, takeToken } from "./ui/admission";
import { showParting } from "./ui/break_panel";
import { Controls } from "./ui/controls";
import { element, setText } from "./ui/dom";
import { Game } from "./ui/game";
import { endHint, showHint } from "./ui/hint";
import { linkText, readLink } from "./ui/link";
import { showProblem } from "./ui/notice";
import { rough } from "./ui/numbers";
import { whyNot } from "./ui/permission";
import { Selection } from "./ui/selection";
import { showNames, showState, showStats } from "./ui/stats";
import { Timeline } from "./ui/timeline";
import type { Vec } from "./vec";
import { Bodies } from "./view/bodies";
import { Ghost } from "./view/ghost";
import { Grab } from "./view/grab";
import { Labels } from "./view/labels";
import { Shown } from "./view/shown";
import { Stage } from "./view/stage";

export class Page {
  readonly stage = new Stage(element<HTMLCanvasElement>("view"),
                             matchMedia("(prefers-color-scheme: dark)").matches);
  readonly bodies = new Bodies();
  private readonly otherBodies = new Bodies();  // of a second log
  readonly ghost = new Ghost();
  private readonly world = new Group().add(this.bodies.group, this.ghost.bodies.group);
  private ghostly = false;  // the person wants to see the ghost
  readonly labels = new Labels(this.stage, element("labels"));
  private readonly selection = new Selection((body) => this.select(body));
  readonly timeline = new Timeline({
    seek: (tick, dragging) => this.seek(tick, dragging),
    play: (speed) => this.play(speed),
    nameOf: (body) => this.bodyNames[body] || `body ${body}`,
  });
  private readonly grab = new Grab(this.stage, {
    worlds: () => this.worlds,
    whyNot: (body, rights) => this.whyNot(body, rights),
    refuse: showProblem,
    select: (body) => this.select(body),
    command: (command) => this.give(command),
    findExact: (near, origin, along) => this.findExact(near, origin, along),
  });
  readonly game = new Game({
    own: () => this.driven,
    forward: () => this.stage.forward(),
    command: (command) => this.give(command),
    refuse: showProblem,
  });
  private readonly admission = new Admission((token) => this.bring(token));
  private readonly start = readLink(location.hash);
  private readonly tickets = new Map<number, (pick: Pick) => void>();
  shown = new Shown();
  otherShown: Shown | null = null;
  private status: Status | null = null;
  log: LogFacts | null = null;
  private sceneName = "";
  private bodyNames: string[] = [];  // of the scene
  private unnamed: [Parting, boolean] | null = null;  // shown before the first frame had its body
  selected: number | null = null;
  private rights: Rights | null = null;  // to command the selected body
  private waits = false;  // for a frame of the worker
  private framed = false;  // the camera looks at the scene
  private goal: number | null = null;  // tick that was asked for and is not shown yet
  private ticket = 0;
  private linkIsOld = false;  // the address of the page names another moment
  private autoplay = false;  // plays when the log is open
  private readonly costs: number[] = [];  // of newest frames, in ms

  // The worker runs. `token` was in the address, or is null.
  constructor(private readonly worker: Worker, token: ArrayBuffer | null) {
    new Controls(this);
    this.stage.show([this.world]);
    this.select(this.start.body);
    this.timeline.open(null);
    if (window.orreryFilm) this.openFilm();
    this.worker.onmessage = ({ data }: MessageEvent<ToPage>) => this.receive(data);
    const brought = takeToken() ?? token;
    if (brought) this.bring(brought);
    addEventListener("hashchange", () => this.openLink());
    requestAnimationFrame(() => this.draw());
  }

  // Opens the log of the film at the linked tick, or plays it.
  private openFilm(): void {
    const tick = this.start.tick ?? filmTick();
    this.start.tick = null;
    this.autoplay = tick === null && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    const report = document.querySelector<HTMLDetailsElement>("#report details");
    if (report) report.open = matchMedia("(min-width: 800px)").matches;
    const logs = filmLogs();
    if (logs.length > 0) this.open(logs, tick ?? 0);
    else showProblem("this film has no log. Make one with: orrery film LOG -o film.html", true);
  }

  // Opens one or two logs in place of the live session or of other logs.
  open(logs: LogFiles[], tick: number): void {
    this.goal = tick;
    this.send({ kind: "open", logs, tick }, logs.flatMap(({ parts }) => parts));
  }

  send(message: ToWorker, transfer: Transferable[] = []): void {
    this.worker.postMessage(message, transfer);
  }

  private give(command: ClientCommand): void {
    endHint();
    this.send({ kind: "command", command });
  }

  private bring(token: ArrayBuffer): void { this.send({ kind: "token", token }, [token]); }

  // Shows ghosts, or no more.
  setGhost(on: boolean): void {
    this.ghostly = on;
    element<HTMLInputElement>("ghost").checked = on;
    this.send({ kind: "ghost", on });
    this.showWorlds();
    this.renew();
  }

  private receive(message: ToPage): void {
    switch (message.kind) {
      case "scene": return this.showScene(message.scene, message.second);
      case "status": return this.showStatus(message.status);
      case "frame": return this.showFrame(message.frame);
      case "log": return this.showLog(message.log);
      case "loading": {
        const percent = Math.floor(100 * message.part);
        return this.timeline.showVerdict("", `Loading the log: ${percent} %`);
      }
      case "notices": return this.game.showNotices(message.texts);
      case "history": return this.timeline.addHistory(message.part, message.second);
      case "verified": return this.timeline.showVerified(message.verified);
      case "broken": return this.showParting(message.parting, false);
      case "compared":
        if (message.parting) return this.showParting(message.parting, true);
        return this.timeline.showCompared(message.ticks, message.unknown);
      case "problem": return this.showProblem(message.text, message.fatal);
      case "picked":
        this.tickets.get(message.ticket)?.(message.pick);
        this.tickets.delete(message.ticket);
    }
  }

  private showParting(parting: Parting, ofLogs: boolean): void {
    const body = parting.first?.body ?? 0;
    const index = this.shown.find(body);
    this.unnamed = this.shown.count === 0 ? [parting, ofLogs] : null;
    showParting(parting, index < 0 ? `body ${body}` : this.shown.name(index), ofLogs,
                 this.unit);
    if (ofLogs) this.timeline.showDifference(parting.tick);
  }

  // The unit of lengths.
  private get unit(): string { return this.log?.inSi ? " m" : ""; }

  // The worlds side by side.
  private get worlds(): Shown[] {
    return this.otherShown && !this.ghostly ? [this.shown, this.otherShown] : [this.shown];
  }

  // --- messages of the worker ---

  private showScene(scene: Scene, second: Scene | null): void {
    this.framed &&= scene.name === this.sceneName;
    this.sceneName = scene.name;
    this.bodyNames = scene.bodies.map(({ name }) => name);
    this.unnamed = null;
    this.shown = new Shown(scene.bodies, scene.links);
    this.otherShown = second && new Shown(second.bodies, second.links);
    this.bodies.load(scene);
    if (second) this.otherBodies.load(second);
    this.ghost.load(second ?? scene);
    this.showWorlds();
    this.game.showScene(scene);
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
    showHint(status, this.log === null);
    this.game.show(status, this.log);
    this.admission.show(status, this.log);
  }

  private showLog(log: LogFacts | null): void {
    this.log = log;
    if (this.goal !== null) this.goal = log && Math.min(this.goal, log.last);
    this.timeline.open(log);
    showState(this.status, log);
    showHint(this.status, log === null);
    this.game.show(this.status, log);
    this.admission.show(this.status, log);
    element("broken").hidden = true;
    showNames(log);
    if (log?.otherRules) {
      showProblem("this log was made with other rules of physics. Only states of checkpoints " +
                  "can be shown, and it cannot be verified");
    } else if (log?.fault) {
      showProblem(`this log can be read up to tick ${log.last}: ${log.fault}`);
    }
    this.linkIsOld = true;
    if (this.autoplay && log && !log.otherRules) this.timeline.toggle();
    this.autoplay = false;
  }

  private showFrame(frame: Frame): void {
    this.waits = false;
    if (frame.live !== (this.log === null)) return;  // sent before a log was opened or closed
    const start = performance.now();
    if (frame.tick === this.goal) this.goal = null;
    this.timeline.show(frame, this.goal);
    if (this.linkIsOld) this.writeLink();
    if (frame.rows) {
      this.shown.update(frame.rows);
      this.bodies.draw(frame.rows);
      if (this.unnamed) this.showParting(...this.unnamed);
      if (!this.framed) this.lookAtAll();
    }
    if (frame.second?.rows) {
      this.otherShown?.update(frame.second.rows);
      this.otherBodies.draw(frame.second.rows);
    }
    this.showGhost(frame);
    if (frame.values) {
      this.game.showValues(frame.values);
      this.bodies.paint(frame.values);
    }
    this.rights = frame.selected?.rights ?? null;
    this.selection.show(frame, this.shown, this.selected);
    this.costs.push(performance.now() - start);
    if (this.costs.length > 300) this.costs.shift();
  }

  // Draws the second log, or else the ghost of the frame, over the bodies.
  private showGhost({ rows, ghost, second }: Frame): void {
    const other = this.ghostly ? second ?? ghost : null;
    if (!other) this.ghost.hide();
    else if (rows || other.rows) {
      this.ghost.show(this.shown.poses, second ? this.otherShown!.poses : other.rows);
    }
    const { apart } = this.ghost;
    setText(element("apart"), apart === null ? "" : `up to ${rough(apart)}${this.unit} apart`);
  }

  // Shows a second log as a ghost, or next to the first one.
  private showWorlds(): void {
    const isBeside = this.otherShown !== null && !this.ghostly;
    this.stage.show(isBeside ? [this.bodies.group, this.otherBodies.group] : [this.world]);
    if (!isBeside) this.world.add(this.bodies.group);
    element("view").parentElement!.classList.toggle("overlaid", !isBeside);
  }

  private showProblem(text: string, fatal: boolean): void {
    showProblem(fatal ? `${text}. Reload the page to continue` : text, fatal);
    this.timeline.endProgress();
    this.goal = null;
  }

  // Turns the camera to the bodies that move and their supports.
  lookAtAll(): void {
    const bounds = this.shown.bounds();
    this.stage.look(bounds, element("panel"));
    for (const bodies of [this.bodies, this.otherBodies, this.ghost.bodies]) {
      bodies.fit(bounds.radius);
    }
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
    this.labels.draw(this.worlds, this.selected, this.owned);
    this.selection.refresh(this.shown, this.selected);
    if (this.costs.length > 0) this.costs[this.costs.length - 1] += performance.now() - start;
    if (this.framed || !this.sceneName) this.stage.draw();  // else the bodies have no poses yet
  }

  // --- actions ---

  select(body: number | null): void {
    if (body === this.selected) return;
    this.selected = this.bodies.selected = this.otherBodies.selected = body;
    this.selection.mark(body);
    this.send({ kind: "select", body });
    if (this.renew()) this.writeLink();
  }

  // Asks for the shown tick of a paused log again. Returns false if no log is paused.
  private renew(): boolean {
    if (!this.log || this.timeline.speed !== 0) return false;
    this.send({ kind: "seek", tick: this.tick, dragging: false });
    return true;
  }

  // Returns why the person may not move a body, or null.
  whyNot(body: SceneBody, rights: Rights | null): string | null {
    return whyNot(body, rights, this.status, this.log);
  }

  // The bodies of the person in the live session.
  private get owned(): number[] { return this.log ? [] : this.status?.owned ?? []; }

  // The body that keys move: of those that belong to the person, the selected one or the first. A
  // person without a body moves the selected one.
  get driven(): number | null {
    const { owned, selected } = this;
    return selected !== null && owned.includes(selected) ? selected : owned[0] ?? selected;
  }

  // Returns the rights to command a body that the person drives, or null if they are not known.
  rightsOf(body: number): Rights | null { return body === this.selected ? this.rights : null; }

  private findExact(near: Pick, origin: Vec, along: Vec): Promise<Pick> {
    const ticket = ++this.ticket;
    this.send({ kind: "pick", ticket, near, origin, along });
    return new Promise((resolve) => this.tickets.set(ticket, resolve));
  }

  // Returns true if the body is one of the scene, so it exists at tick 0.
  sceneHas(body: number): boolean { return body < this.bodyNames.length; }

  // The tick that is shown, or will be.
  get tick(): number { return this.goal ?? Math.round(this.timeline.tick); }

  // Shows a tick. In the live session, this opens its log.
  seek(tick: number, dragging: boolean): void {
    endHint();
    if (this.timeline.speed !== 0) this.timeline.play(0);
    this.goal = Math.min(Math.max(tick, 0), this.log?.last ?? Infinity);
    if (this.log) {
      this.send({ kind: "seek", tick: this.goal, dragging });
      if (!dragging) this.writeLink();
    } else {
      this.send({ kind: "review", tick: this.goal });
    }
  }

  private play(speed: number): void {
    this.goal = null;
    this.linkIsOld = speed === 0;
    this.send({ kind: "play", speed });
  }

  // Shows the moment, and takes the token, that a person typed into the address.
  private openLink(): void {
    const token = takeToken();
    if (token) this.bring(token);
    const { tick, body } = readLink(location.hash);
    this.select(body);
    if (tick !== null) this.seek(tick, false);
  }

  // Writes the address of the page: of a moment, or of the live session.
  private writeLink(): void {
    this.linkIsOld = false;
    const moment = { tick: this.log ? this.tick : null, body: this.log ? this.selected : null };
    history.replaceState(null, "", location.pathname + linkText(moment));
  }
}
