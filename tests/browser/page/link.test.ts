// Tests links to a moment, and the address of the server of a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { linkText, readLink, serverOf } from "../../../client/web/src/ui/link";

test("a link keeps its moment", () => {
  for (const moment of [{ tick: 12, body: 7 }, { tick: 0, body: null }, { tick: null, body: 0 },
                        { tick: null, body: null }]) {
    assert.deepEqual(readLink(linkText(moment)), moment);
  }
});

test("the server is the folder of the page, at any depth", () => {
  for (const [page, server] of [
    ["http://127.0.0.1:4780/", "http://127.0.0.1:4780"],
    ["http://127.0.0.1:4780/#t=1&body=2", "http://127.0.0.1:4780"],
    ["https://game.example/orrery/", "https://game.example/orrery"],
    ["https://game.example/orrery/index.html?a=/b#token=/c", "https://game.example/orrery"],
    ["https://game.example/a/b/lab.html", "https://game.example/a/b"],
  ]) {
    assert.equal(serverOf(page), server, page);
  }
});
