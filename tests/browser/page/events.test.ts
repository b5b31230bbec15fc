// Tests the texts of events.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventText } from "../../../client/web/src/ui/event_text";
import { CommandKind } from "../../../client/web/src/world";

test("each kind of command has a text of its own", () => {
  const texts = Object.values(CommandKind).filter((kind) => kind !== CommandKind.MOVE)
    .map((command) => eventText({ kind: "command", tick: 1, command, client: 0, subject: 1, role: 1,
                                  account: 5n, key: "", text: "" }, (id) => `body ${id}`, ""));
  assert.equal(new Set(texts).size, texts.length);
  for (const text of texts) assert.doesNotMatch(text, /of kind/);
});

test("a parameter that the page does not know is named as one", () => {
  const text = eventText({ kind: "command", tick: 1, command: CommandKind.SET_PARAMETER, client: 2,
                           subject: 99, role: 0, account: 0n, key: "", text: "" }, String, "");
  assert.equal(text, "client 2 sets a parameter");
});
