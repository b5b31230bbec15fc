// Takes tokens from the address of the page, and asks the person for one.
import type { LogFacts, Status } from "../messages";
import { checkedToken, splitToken, tokenIn } from "../token";
import { element, setText } from "./dom";
import { serverOf } from "./link";
import { showProblem } from "./notice";

// Returns the token in the address of the page, or null. It removes the token from the address, so
// that nobody copies it or reads it there.
export function takeToken(): ArrayBuffer | null {
  const { token, rest } = splitToken(location.hash);
  if (token === null) return null;
  history.replaceState(null, "", location.pathname + location.search + rest);
  return checked(() => tokenIn(token));
}

// Returns the token that `read` returns. It shows an error of `read`, and returns null.
function checked(read: () => Uint8Array<ArrayBuffer>): ArrayBuffer | null {
  try {
    return read().buffer;
  } catch (error) {
    showProblem((error as Error).message);
    return null;
  }
}

export class Admission {
  private readonly form = element<HTMLFormElement>("admission");
  private readonly field = element<HTMLInputElement>("token");
  private readonly file = element<HTMLInputElement>("token-file");

  constructor(private readonly connect: (token: ArrayBuffer) => void) {
    element("token-link").textContent =
      `echo "${serverOf(location.href)}/#token=$(basenc --base64url -w0 a.token)"`;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.field.value;
      this.give(checked(() => tokenIn(text)));
    });
    this.file.addEventListener("change", () => { this.giveFile(); });
  }

  private async giveFile(): Promise<void> {
    const bytes = await this.file.files?.[0]?.arrayBuffer();
    this.file.value = "";
    if (bytes) this.give(checked(() => checkedToken(new Uint8Array(bytes))));
  }

  private give(token: ArrayBuffer | null): void {
    this.field.value = "";
    if (token) this.connect(token);
  }

  // Shows the form while the live session needs a token.
  show(status: Status | null, log: LogFacts | null): void {
    const hidden = log !== null || !status?.needsToken;
    if (!hidden) setText(element("admission-why"), `Not connected: ${status.problem}.`);
    if (this.form.hidden === hidden) return;
    this.form.hidden = hidden;
    if (hidden) this.field.value = "";
    else this.field.focus();
  }
}
