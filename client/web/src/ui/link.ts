// Reads and writes links to a moment: #t=1234&body=7. Finds the server of the page.

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

// Returns the address of the server of a page: its folder, which may be below a path, without the
// slash at the end.
export function serverOf(page: string): string {
  return new URL(".", page).href.replace(/\/$/, "");
}
