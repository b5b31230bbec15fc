// Says why a person may not move a body.
import type { LogFacts, Rights, SceneBody, Status } from "../messages";
import { moves } from "../view/shown";
import { Control } from "../world";

const WATCH = 0, ADMIN = 2;

// Returns the reason as a sentence, or null if the person may move the body. A film has no status.
// `rights` are the present ones, or null if they are not known.
export function whyNot(body: SceneBody, rights: Rights | null, status: Status | null,
                       log: LogFacts | null): string | null {
  const name = body.name || "this body";
  if (log) {
    return "a log cannot be changed" +
      (status ? ". Return to the live session to move bodies" : "");
  }
  if (!status?.connected) return "the page is not connected, so you cannot move bodies";
  if (status.role === WATCH) {
    return "you cannot move bodies, because your token has the role watch";
  }
  if (!moves(body)) return `nothing moves ${name}: it is fixed, or keeps its velocity`;
  if (status.role === ADMIN) return null;
  if ((rights ?? body).control === Control.NOBODY) {
    return `you cannot move ${name}: only an admin may do it`;
  }
  const isTheirs = rights?.control === Control.OWNER &&
    rights.owner !== (status.account || BigInt(status.client));
  return isTheirs ? `you cannot move ${name}: it belongs to ` +
    (rights.owner === 0n ? "nobody" : "another player") : null;
}
