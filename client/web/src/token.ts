// Finds connect tokens in links and texts.

export const TOKEN_BYTES = 2048;
const VERSION = "NETCODE 1.02\0";  // first bytes of a token

// Splits the fragment of an address into the text of its token and the rest.
export function splitToken(hash: string): { token: string | null, rest: string } {
  const fields = hash.replace(/^#/, "").split("&");
  const isToken = (field: string) => field.startsWith("token=");
  const rest = fields.filter((field) => field !== "" && !isToken(field)).join("&");
  return { token: fields.find(isToken)?.slice("token=".length) ?? null, rest: rest && `#${rest}` };
}

// Returns the token in a text: a link with a token, or the token itself, as base64 with either
// alphabet. Throws an Error if there is none.
export function tokenIn(text: string): Uint8Array<ArrayBuffer> {
  const { token } = splitToken(text.slice(text.indexOf("#") + 1).trim());
  const code = (token ?? text).trim().replaceAll("-", "+").replaceAll("_", "/");
  let bytes: string;
  try {
    bytes = atob(code);
  } catch {
    throw new Error("this is not a token or a link with one. Copy the whole link");
  }
  return checkedToken(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

// Returns bytes that have the size and the beginning of a token. Throws an Error for others.
export function checkedToken(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (bytes.length !== TOKEN_BYTES) {
    throw new Error(`a token has ${TOKEN_BYTES} bytes, not ${bytes.length}. Copy the whole link`);
  }
  if ([...VERSION].some((byte, i) => bytes[i] !== byte.charCodeAt(0))) {
    throw new Error("this is not a token of netcode 1.02");
  }
  return bytes;
}
