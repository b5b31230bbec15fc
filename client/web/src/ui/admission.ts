// Takes tokens from the address of the page, and asks the person for one.
import type { LogFacts, Status } from "../messages";
import { checkedToken, splitToken, tokenIn } from "../token";
import { element, setText } from "./dom";
import { showProblem } from "./notice";

// Returns the text of the token in the address of the page, or null. It removes the token from the
// address, so that nobody copies it or reads it there.
export function takeToken(): string | null {
  const { token, rest } = splitToken(location.hash);
  if (token !== null) history.replaceState(null, "", location.pathname + location.search + rest);
  return token;
}

export class Admission {
  private readonly form = element<HTMLFormElement>("admission");
  private readonly field = element<HTMLInputElement>("token");
  private readonly file = element<HTMLInputElement>("token-file");

  constructor(private readonly connect: (token: ArrayBuffer) => void) {
    element("token-link").textContent =
      `echo "${location.origin}/#token=$(basenc --base64url -w0 a.token)"`;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.give(this.field.value);
    });
    this.file.addEventListener("change", () => { this.giveFile(); });
  }

  // Connects with the token in a text.
  give(text: string): void { this.use(() => tokenIn(text)); }

  private async giveFile(): Promise<void> {
    const bytes = await this.file.files?.[0]?.arrayBuffer();
    this.file.value = "";
    if (bytes) this.use(() => checkedToken(new Uint8Array(bytes)));
  }

  private use(token: () => Uint8Array<ArrayBuffer>): void {
    this.field.value = "";
    try {
      this.connect(token().buffer);
    } catch (error) {
      showProblem((error as Error).message);
    }
  }

  // Shows the form while the live session needs a token.
  show(status: Status | null, log: LogFacts | null): void {
    const hidden = log !== null || !status?.needsToken;
    if (!hidden) setText(element("admission-why"), `Not connected: ${status.problem}.`);
    if (this.form.hidden === hidden) return;
    this.form.hidden = hidden;
    if (!hidden) this.field.focus();
  }
}
