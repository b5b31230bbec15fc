// Shows the state and the figures of the connection.
import type { LogFacts, Status } from "../messages";
import { element, fillList, setText } from "./dom";
import { fixed } from "./numbers";

const ROLES = ["watch", "play", "admin"];

export function showStats(status: Status): void {
  const checked = status.diverged === null ? `${status.ticksChecked} equal`
    : `differs at tick ${status.diverged}`;
  fillList(element("stats"), [
    ["Round trip", `${fixed(status.roundTripMs, 1)} ms`],
    ["Jitter", `${fixed(status.jitterMs, 1)} ms`],
    ["Loss", `${fixed(status.lossPercent, 1)} %`],
    ["Received", `${fixed(status.kbitPerSecond, 1)} kbit/s`],
    ["Command lead", `${fixed(status.leadTicks, 1)} ticks`],
    ["Commands refused", `${status.refused}`],
    ["Server tick", `${status.tick}`],
    ["Ticks checked", checked],
  ], true);
}

// Shows the names of two logs, each over its bodies.
export function showNames(log: LogFacts | null): void {
  const names = [`a: ${log?.name}`, `b: ${log?.second}`];
  ["name-a", "name-b"].forEach((id, i) => {
    element(id).hidden = !log || log.second === null;
    setText(element(id), names[i]);
  });
}

// Names the account, so that nobody plays with the link of another.
const liveText = ({ connected, client, role, account, problem }: Status): string => {
  if (!connected) return `not connected: ${problem}`;
  return `live, client ${client}, ${ROLES[role]}${account ? `, account ${account}` : ""}`;
};

// Says whether the page shows the live session, a log, or nothing.
export function showState(status: Status | null, log: LogFacts | null): void {
  const state = element("state");
  if (log || status) state.dataset.kind = log ? "log" : status!.connected ? "live" : "lost";
  if (log) setText(state, `log ${log.name || "of this session"}`);
  else if (status) setText(state, liveText(status));
}
