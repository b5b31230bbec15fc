// A segment that was fetched. Its tag names its bytes, which only grow.
type Fetched = { bytes: Uint8Array<ArrayBuffer>, tag: string };

const NOTHING: Fetched = { bytes: new Uint8Array(0), tag: "" };

export class ServerLog {
  private readonly segments: Fetched[] = [];

  constructor(private readonly server: string) {}

  // Returns the durable bytes of all segments. A segment that is missing is empty. `progress`
  // receives the part that has arrived.
  async fetch(progress: (part: number) => void): Promise<Uint8Array[]> {
    const session = await (await this.ask("/v1/session")).json();
    const count = session.log_segment + 1;
    for (let i = 0; i < count; ++i) {
      const known = this.segments[i] ?? NOTHING;
      this.segments[i] = await this.update(i, known, (part) => progress((i + part) / count));
    }
    return this.segments.slice(0, count).map(({ bytes }) => bytes);
  }

  // Fetches the bytes of a segment that are not known yet.
  private async update(number: number, known: Fetched,
                       progress: (part: number) => void): Promise<Fetched> {
    const headers: Record<string, string> = known.bytes.length === 0 ? {}
      : { Range: `bytes=${known.bytes.length}-`, "If-Range": known.tag };
    const answer = await this.ask(number === 0 ? "/v1/log" : `/v1/log/${number}`, { headers });
    if (answer.status === 416) return known;
    if (answer.status === 404 && number > 0) return NOTHING;
    if (!answer.ok || !answer.body) throw new Error(await reason(answer));
    const before = answer.status === 206 ? known.bytes : NOTHING.bytes;
    const bytes = await joined(before, answer, progress);
    return { bytes, tag: answer.headers.get("ETag") ?? "" };
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
