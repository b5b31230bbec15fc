// Says why a person may not move a body.
import type { LogFacts, SceneBody, Status } from "../messages";
import { moves } from "../view/shown";
import { Control } from "../world";

const WATCH = 0, ADMIN = 2;

// Returns the reason as a sentence, or null if the person may move the body. A film has no status.
export function whyNot(body: SceneBody, status: Status | null,
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
  if (body.control === Control.NOBODY && status.role < ADMIN) {
    return `you cannot move ${name}: its scene lets only an admin do it`;
  }
  return null;
}
