// Fetches the log of the running session, and later only its new bytes.

export class ServerLog {
  segments = 1;  // of the log. The module reads only the first
  private bytes = new Uint8Array(0);
  private tag = "";

  constructor(private readonly server: string) {}

  // Returns the durable bytes of the first segment. `progress` receives the part that has arrived.
  async fetch(progress: (part: number) => void): Promise<Uint8Array> {
    const session = await (await this.ask("/v1/session")).json();
    this.segments = session.log_segment + 1;
    const headers: Record<string, string> = this.bytes.length === 0 ? {}
      : { Range: `bytes=${this.bytes.length}-`, "If-Range": this.tag };
    const answer = await this.ask("/v1/log", { headers });
    if (answer.status === 416) return this.bytes;
    if (!answer.ok || !answer.body) throw new Error(await reason(answer));
    this.tag = answer.headers.get("ETag") ?? "";
    const known = answer.status === 206 ? this.bytes : new Uint8Array(0);
    this.bytes = await joined(known, answer, progress);
    return this.bytes;
  }

  private async ask(path: string, options: RequestInit = {}): Promise<Response> {
    try {
      return await fetch(this.server + path, options);
    } catch {
      throw new Error("the log cannot be read, because the server does not answer");
    }
  }
}

async function reason(answer: Response): Promise<string> {
  if (answer.status === 403) return "this server does not give its log to pages";
  return `the server has no log for this page: ${await answer.text()}`;
}

// Appends the body of an answer to the bytes.
async function joined(known: Uint8Array, answer: Response, progress: (part: number) => void) {
  const bytes = new Uint8Array(known.length + Number(answer.headers.get("Content-Length")));
  bytes.set(known);
  let at = known.length;
  const reader = answer.body!.getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    bytes.set(chunk.value, at);
    at += chunk.value.length;
    progress(at / bytes.length);
  }
  if (at !== bytes.length) throw new Error("the log of the server was cut on its way");
  return bytes;
}
