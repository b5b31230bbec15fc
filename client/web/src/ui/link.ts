// Reads and writes links to a moment: #t=1234&body=7

export type Moment = { tick: number | null, body: number | null };

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function readLink(hash: string): Moment {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  return { tick: whole(fields.get("t")), body: whole(fields.get("body")) };
}

export function linkText({ tick, body }: Moment): string {
  const fields = [tick === null ? "" : `t=${tick}`, body === null ? "" : `body=${body}`];
  const text = fields.filter((field) => field !== "").join("&");
  return text ? `#${text}` : "";
}
