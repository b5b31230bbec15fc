// A client of the module: datagrams in and out, frames, commands and figures.
import { Code, Core, CoreError } from "./core";
import { STRUCTS, textOf, type Of } from "./layout";
import { TOKEN_BYTES } from "./token";
import { readRows, World, type Command } from "./world";

export type ClientInfo = Of<typeof STRUCTS.client_info>;
export type ClientStats = Of<typeof STRUCTS.client_stats>;
export type ClientCommand = Pick<Command, "kind"> & Partial<Command>;

export const Phase = { IDLE: 0, CONNECTING: 1, CONNECTED: 2, RECONNECTING: 3, ENDED: 4 };
export const Failure = { OTHER_VERSION: 4 };
export const Mode = { INTERPOLATE: 0, VERLET: 1, PUBLISHED_VERLET: 2, FOLLOW: 3 };

const DATAGRAM_BYTES = 1232;
const NOTICES = 16;  // that are read at once

// Returns the time for calls of the module: nanoseconds since this worker began.
const now = (): bigint => BigInt(Math.round(performance.now() * 1e6));

export class Client {
  private readonly handle: number;
  private readonly server: number;  // address of the server, as the module gave it

  // Makes a client that follows the session.
  constructor(private readonly core: Core) {
    const options = core.struct(STRUCTS.client_options, { follow: 1 });
    this.handle = core.make("orrery_client_create", options);
    this.server = core.structs(STRUCTS.address, [{}], "server");
  }

  // Connects with a token, which admits once.
  connect(token: Uint8Array): void {
    if (token.length !== TOKEN_BYTES) {
      throw new CoreError(Code.NOT_READY, `a token has ${TOKEN_BYTES} bytes, not ${token.length}`);
    }
    const random = crypto.getRandomValues(new BigUint64Array(1))[0];
    this.core.run("orrery_page_set", BigInt(Math.floor(Date.now() / 1000)), random);
    this.core.call("orrery_client_connect", this.handle, this.core.place("token", token),
                   TOKEN_BYTES, now());
  }

  disconnect(): void { this.core.call("orrery_client_disconnect", this.handle, now()); }

  // Says that the WebSocket was closed. The client returns with the ticket of the server.
  lose(): void { this.core.run("orrery_page_lost", this.handle, now()); }

  // Takes a datagram that arrived.
  receive(datagram: Uint8Array): void {
    const at = this.core.place("datagram", datagram);
    this.core.call("orrery_client_receive", this.handle, this.server, at, datagram.length, now());
  }

  // Does all that is due, and sends the datagrams that result.
  update(send: (datagram: Uint8Array) => void): void {
    this.core.call("orrery_client_update", this.handle, now(), 0n);
    const at = this.core.slot("outgoing", DATAGRAM_BYTES);
    const size = this.core.slot("size", 8);
    for (;;) {
      const code = this.core.call("orrery_client_poll_send", this.handle, this.server, at,
                                  DATAGRAM_BYTES, size);
      if (code === Code.END) return;
      send(this.core.bytes.slice(at, at + this.core.view.getUint32(size, true)));
    }
  }

  info(): ClientInfo {
    return this.core.get(STRUCTS.client_info, "orrery_get_client_info", this.handle);
  }

  stats(): ClientStats {
    return this.core.get(STRUCTS.client_stats, "orrery_get_client_stats", this.handle);
  }

  // Queues a command. Returns false if too many commands wait, or the client is not connected.
  command(command: ClientCommand): boolean {
    const at = this.core.struct(STRUCTS.command, command);
    const code = this.core.run("orrery_client_command", this.handle, at, now());
    if (code === Code.BUSY || code === Code.NOT_READY) return false;
    this.core.check(this.handle, code);
    return true;
  }

  // Returns the notices of the rules that arrived since the last call.
  notices(): string[] {
    const texts: string[] = [];
    const count = this.core.slot("count", 4);
    for (;;) {
      const at = this.core.structs(STRUCTS.notice, Array(NOTICES).fill({}), "notices");
      const code = this.core.call("orrery_client_notices", this.handle, at, NOTICES, count);
      if (code === Code.END) return texts;
      for (let i = 0; i < this.core.view.getUint32(count, true); ++i) {
        const notice = STRUCTS.notice.read(this.core.view, at + i * STRUCTS.notice.size);
        texts.push(textOf(notice.bytes.subarray(0, notice.bytes_size)));
      }
    }
  }

  // Returns the shown tick, and the rows that the page draws.
  frame(mode: number): { tick: number, rows: ArrayBuffer } {
    const { bodies, tick } = this.core.get(STRUCTS.frame, "orrery_client_frame", this.handle,
                                           now(), mode);
    return { tick, rows: readRows(this.core, "orrery_client_read", bodies, this.handle) };
  }

  // Returns a world with the scene of the server, or null if it has not arrived.
  scene(): World | null { return this.worldOf("orrery_client_scene"); }

  // Returns the followed world, or null if no state has arrived.
  world(): World | null { return this.worldOf("orrery_client_world"); }

  private worldOf(name: string): World | null {
    const out = this.core.slot("world", 4);
    const code = this.core.run(name, this.handle, out);
    if (code === Code.NOT_READY) return null;
    this.core.check(this.handle, code);
    return new World(this.core, this.core.view.getUint32(out, true));
  }
}
