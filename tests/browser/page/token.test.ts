// Tests how tokens are found in links and texts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { splitToken, tokenIn } from "../../../client/web/src/token";
import { randomNumbers } from "./support";

// Returns the version of a token, and random bytes.
function someToken(seed: number): Buffer {
  const random = randomNumbers(seed);
  const rest = Array.from({ length: 2048 - 13 }, () => Math.floor(256 * random()));
  return Buffer.concat([Buffer.from("NETCODE 1.02\0"), Buffer.from(rest)]);
}

test("a token is found in a link, and as base64 of both alphabets", () => {
  const token = someToken(1);
  const base64 = token.toString("base64"), url = token.toString("base64url");
  assert.ok(/[+/]/.test(base64) && /[-_]/.test(url));  // the alphabets differ in this token
  for (const text of [base64, url, `${url}=`, ` ${url}\n`, `#token=${url}`, `#t=7&token=${base64}`,
                      `https://game.example/#token=${url}=&body=2`]) {
    assert.deepEqual(Buffer.from(tokenIn(text)), token, text.slice(0, 40));
  }
});

test("other texts get a sentence", () => {
  const token = someToken(2);
  const cases: [string, RegExp][] = [
    ["", /2048 bytes, not 0/], ["no token", /2048 bytes, not 5/], ["https://game.example/", /link/],
    [token.toString("base64url").slice(0, 400), /2048 bytes, not 300/],
    [Buffer.alloc(2048).toString("base64url"), /netcode/],
  ];
  for (const [text, words] of cases) assert.throws(() => tokenIn(text), words, text.slice(0, 40));
});

test("the rest of an address has no token", () => {
  assert.deepEqual(splitToken("#token=abc"), { token: "abc", rest: "" });
  assert.deepEqual(splitToken("#t=5&token=abc=&body=1"), { token: "abc=", rest: "#t=5&body=1" });
  assert.deepEqual(splitToken("#token="), { token: "", rest: "" });
  assert.deepEqual(splitToken("#token=a&token=b"), { token: "a", rest: "" });
  for (const hash of ["", "#t=5&body=1", "#nottoken=5"]) {
    assert.deepEqual(splitToken(hash), { token: null, rest: hash });
  }
});
