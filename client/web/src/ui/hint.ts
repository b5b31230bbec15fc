// Says once what a person can do with the picture and the time line.
import type { Status } from "../messages";
import { element } from "./dom";

const WATCH = 0;
let used = false;

// Shows the hint in a live session, until the person has done what it says.
export function showHint(status: Status | null, isLive: boolean): void {
  const plays = isLive && status !== null && status.connected && status.role !== WATCH;
  element("hint").hidden = used || !plays;
}

// Removes the hint: the person has thrown a body, or has moved in time.
export function endHint(): void {
  used = true;
  element("hint").hidden = true;
}
