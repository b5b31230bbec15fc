// Shows the values of a session: a score board, and a table. Shows the notices of its rules.
import type { Value } from "../messages";
import { isPaint } from "../view/bodies";
import { element, fillList } from "./dom";

const BOARD = "hud/";
const NOTICE_MS = 8000;
const NOTICES_MAX = 4;

// Shows values with the key hud/NAME as a score board, and the others in a table. Those with the
// key color/ID colour bodies instead.
export function showValues(values: Value[]): void {
  const board = values.filter(({ key }) => key.startsWith(BOARD));
  fillList(element("hud"), board.map(({ key, text }) => [key.slice(BOARD.length), text]), true);
  element("hud").hidden = board.length === 0;
  const others = values.filter((each) => !each.key.startsWith(BOARD) && !isPaint(each));
  element("value-rows").replaceChildren(...others.map(({ key, text }) => {
    const row = document.createElement("tr");
    const name = document.createElement("th");
    name.scope = "row";
    name.textContent = key;
    row.append(name);
    row.insertCell().textContent = text;
    return row;
  }));
  element("values-toggle").hidden = others.length === 0;
  if (others.length === 0) setValuesOpen(false);
}

// Shows or hides the table.
export function setValuesOpen(open: boolean): void {
  element("values").hidden = !open;
  element("values-toggle").setAttribute("aria-expanded", String(open));
}

// Shows notices for some seconds.
export function showNotices(texts: string[]): void {
  const list = element("told");
  for (const text of texts.slice(-NOTICES_MAX)) {
    const line = document.createElement("p");
    line.textContent = text;
    list.append(line);
    setTimeout(() => line.remove(), NOTICE_MS);
  }
  while (list.children.length > NOTICES_MAX) list.firstElementChild!.remove();
}
