// Carries the live session: the WebSocket, the client in the module, tokens and reconnects.
import { Client, Failure, Mode, Phase, type ClientCommand } from "./client";
import type { Core } from "./core";
import { describeScene } from "./describe";
import type { Frame, Pick, Scene, Status, Value } from "./messages";
import { Owned } from "./owned";
import { hex, numbersOf, pickIn } from "./recording";
import { Values } from "./values";
import { CommandKind, type World } from "./world";

const UPDATE_MS = 8;
const RATE_MS = 500;  // over which the data rate is measured
const VALUES_MS = 100;  // between two looks at the values
const RETRY_MS = 250;  // first wait before the next WebSocket. It doubles up to RETRY_MS_MAX
const RETRY_MS_MAX = 4000;

export class Session {
  mode = Mode.FOLLOW;
  selected: number | null = null;
  ghost = false;  // frames of other modes have the exact bodies too
  private readonly client: Client;
  private world: World | null = null;
  private socket: WebSocket | null = null;
  private retryMs = RETRY_MS;
  private retryTimer = 0;
  private token: Uint8Array | null = null;  // that a person brought, not yet used
  private needsToken = false;  // the server gives none, so a person must bring one
  private asksToken: boolean;
  private isOutdated = false;  // the server has another version, so this page cannot connect
  private refusal = "";  // why there is no token
  private closure = "";  // why the last WebSocket ended
  private epoch = 0n;  // of the scene that the page has
  private target: ClientCommand | null = null;  // newest move, not yet sent
  private movedAt = 0;
  private rate = { at: 0, bytes: 0, kbit: 0 };
  private values = new Values();
  private valuesAt = 0;
  private readonly owned = new Owned();

  // `server` is the address of the page, without a slash at its end. `waits`: the person brings a
  // token, so the server is not asked for one. `show` receives each new scene, and `tell` the
  // notices of the rules.
  constructor(core: Core, private readonly server: string, waits: boolean,
              private readonly show: (scene: Scene) => void,
              private readonly tell: (texts: string[]) => void,
              private readonly fail: (error: unknown) => void) {
    this.client = new Client(core);
    this.asksToken = waits;
    this.open();
    setInterval(() => this.guard(() => this.update()), UPDATE_MS);
  }

  private guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }

  private open(): void {
    const socket = new WebSocket(this.server.replace(/^http/, "ws") + "/v1/ws");
    let opened = false;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      opened = true;
      this.retryMs = RETRY_MS;
    };
    socket.onmessage = ({ data }) => this.guard(() => {
      this.client.receive(new Uint8Array(data));
      this.update();
    });
    socket.onclose = ({ code, reason }) => this.guard(() => {
      this.closure = reason && `the server closed the WebSocket: ${reason} (code ${code})`;
      if (!opened) this.findClosure();
      this.reopen();
    });
    this.socket = socket;
  }

  // Finds out why the server refused a WebSocket. A browser does not tell its page, but a POST is
  // refused for the same reason: it has the same Host and Origin.
  private async findClosure(): Promise<void> {
    try {
      const answer = await fetch(`${this.server}/v1/ws`, { method: "POST", cache: "no-store" });
      const isText = answer.headers.get("Content-Type")?.startsWith("text/plain");
      const why = isText ? (await answer.text()).trim() : `${answer.status} ${answer.statusText}`;
      this.closure = `the WebSocket was refused: ${why}`;
    } catch {
      this.closure = "";  // the server does not answer
    }
  }

  private reopen(): void {
    this.socket = null;
    if (this.client.info().phase === Phase.CONNECTING) this.client.disconnect();
    else this.client.lose();
    if (this.isOutdated) return;
    if (this.needsToken && this.client.info().phase !== Phase.RECONNECTING) return;
    this.retryTimer = self.setTimeout(() => this.open(), this.retryMs);
    this.retryMs = Math.min(2 * this.retryMs, RETRY_MS_MAX);
  }

  private get isOpen(): boolean { return this.socket?.readyState === WebSocket.OPEN; }

  // Does nothing without a WebSocket. The client would take its silence for the server's silence.
  private update(): void {
    if (!this.isOpen) return;
    this.client.update((datagram) => { if (this.isOpen) this.socket!.send(datagram); });
    const info = this.client.info();
    if (info.failure === Failure.OTHER_VERSION && info.phase === Phase.ENDED) return this.giveUp();
    if (this.isOpen && this.isLost()) this.getToken();
    if (info.has_scene && info.epoch !== this.epoch) this.takeScene(info.epoch);
    const notices = this.client.notices();
    if (notices.length > 0) this.tell(notices);
    this.sendMove(info.tick_rate);
  }

  // Stops: the server was replaced by one of another version, and would refuse this page again.
  private giveUp(): void {
    this.isOutdated = true;
    this.socket?.close();
    const { problem } = this.client.info();
    throw new Error(`this page is of another version than the server: ${problem}. Reload the page`);
  }

  private isLost(): boolean {
    const { phase, wants_token } = this.client.info();
    return phase === Phase.IDLE || phase === Phase.ENDED || wants_token !== 0;
  }

  // Connects with a token that a person brought. It replaces the present connection.
  bring(token: Uint8Array): void {
    this.token = token;
    this.needsToken = this.asksToken = this.isOutdated = false;
    if (!this.isLost()) this.client.disconnect();
    if (this.socket) return;
    clearTimeout(this.retryTimer);
    this.open();
  }

  // Connects with the token that a person brought, or with one of the server.
  private getToken(): void {
    const { token } = this;
    this.token = null;
    if (token) this.client.connect(token);
    else if (!this.asksToken) this.askToken();
  }

  private async askToken(): Promise<void> {
    this.asksToken = true;
    try {
      const answer = await fetch(`${this.server}/v1/token?role=play`, { cache: "no-store" });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if (this.isLost() && !this.token) this.takeAnswer(answer, bytes);
    } catch (error) {
      if (!(error instanceof TypeError)) this.fail(error);  // a TypeError: the network failed
    }
    setTimeout(() => { this.asksToken = false; }, this.refusal ? RETRY_MS_MAX : RETRY_MS);
  }

  // Connects with the token of the server. A server with a key file gives none.
  private takeAnswer(answer: Response, bytes: Uint8Array): void {
    this.needsToken = answer.status === 403;
    this.refusal = answer.ok || this.needsToken ? ""
      : `the server gave no token: ${new TextDecoder().decode(bytes)}`;
    if (answer.ok) this.client.connect(bytes);
    // A client that comes back may still use its ticket, over this WebSocket.
    const returns = this.client.info().phase === Phase.RECONNECTING;
    if (this.needsToken && !returns) this.socket?.close();
  }

  private takeScene(epoch: bigint): void {
    const world = this.client.scene();
    if (!world) return;
    this.epoch = epoch;
    this.values = new Values();
    this.show(describeScene(world));
  }

  // Makes the next update show the scene again, for a page that showed the scene of a log.
  showScene(): void {
    this.epoch = 0n;
  }

  command(command: ClientCommand): void {
    if (command.kind === CommandKind.MOVE) {
      this.target = command;
    } else {
      this.target = null;
      this.client.command(command);
    }
  }

  // Sends the newest move, at most once in a tick.
  private sendMove(tickRate: number): void {
    const now = performance.now();
    if (!this.target || now - this.movedAt < 1000 / tickRate) return;
    if (!this.client.command(this.target)) return;
    this.movedAt = now;
    this.target = null;
  }

  frame(): Frame {
    this.update();
    this.world = this.client.world();
    const { tick, rows } = this.client.frame(this.mode);
    const exact = this.mode === Mode.FOLLOW && this.world !== null;
    return { tick, rows: rows.byteLength > 0 ? rows : null, exact, live: true, speed: 1,
             ghost: this.ghost && !exact && this.world ? { rows: this.world.rows() } : null,
             memory: null, values: this.newValues(),
             second: null, totals: null, hash: exact ? hex(this.world!.info().hash) : "",
             selected: this.world && numbersOf(this.world, this.selected) };
  }

  private newValues(): Value[] | null {
    const now = performance.now();
    if (!this.world || now - this.valuesAt < VALUES_MS) return null;
    this.valuesAt = now;
    return this.values.read(this.world);
  }

  // Finds a body in the followed world. Other modes show other poses, so the page must find it.
  pick(near: Pick, origin: number[], along: number[]): Pick {
    const { world } = this;
    if (!world) return near;
    return pickIn(world, near, this.mode === Mode.FOLLOW ? world.cast(origin, along) : null);
  }

  status(): Status {
    const info = this.client.info();
    const stats = this.client.stats();
    const connected = info.phase === Phase.CONNECTED;
    const needsToken = this.needsToken && this.isLost();
    const owner = info.account || BigInt(info.client);
    const problem = connected ? "" : this.refusal || info.problem ||
      (needsToken ? "this server admits only clients that bring a token"
        : this.isOpen ? "connecting" : this.closure || "the server does not answer");
    return {
      connected, problem, needsToken, client: info.client, role: info.role,
      account: info.account,
      tick: this.client.world()?.info().tick ?? 0, roundTripMs: 1e3 * stats.round_trip,
      jitterMs: 1e3 * stats.jitter, lossPercent: 100 * stats.loss,
      kbitPerSecond: this.kbit(stats.bytes_received), leadTicks: stats.command_slack,
      ticksChecked: stats.ticks_checked, refused: stats.refused,
      diverged: stats.diverged ? stats.first_divergent_tick : null,
      owned: connected && this.world ? this.owned.find(this.world, owner) : [],
    };
  }

  private kbit(bytes: number): number {
    const now = performance.now();
    const passed = now - this.rate.at;
    if (passed > RATE_MS) {
      this.rate = { at: now, bytes, kbit: 8 * (bytes - this.rate.bytes) / passed };
    }
    return this.rate.kbit;
  }
}
