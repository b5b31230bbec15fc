// XXH3-64 with seed 0, for inputs of more than 240 bytes: the checksum of an image.
// The algorithm is described in https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md

const MASK = (1n << 64n) - 1n;
const P32 = [0x9E3779B1n, 0x85EBCA77n, 0xC2B2AE3Dn];
const P64 = [0x9E3779B185EBCA87n, 0xC2B2AE3D27D4EB4Fn, 0x165667B19E3779F9n, 0x85EBCA77C2B2AE63n,
             0x27D4EB2F165667C5n];
const STRIPE = 64;

const SECRET = view(Uint8Array.from(
  ("b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f" +
   "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c" +
   "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8" +
   "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364" +
   "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e" +
   "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
    .match(/../g)!.map((digits) => parseInt(digits, 16))));

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

// Adds a stripe of 64 bytes to the accumulators.
function accumulate(acc: bigint[], data: DataView, at: number, secret: number): void {
  for (let i = 0; i < 8; ++i) {
    const value = data.getBigUint64(at + 8 * i, true);
    const key = value ^ SECRET.getBigUint64(secret + 8 * i, true);
    acc[i ^ 1] = acc[i ^ 1] + value & MASK;
    acc[i] = acc[i] + (key & 0xFFFFFFFFn) * (key >> 32n) & MASK;
  }
}

function scramble(acc: bigint[], secret: number): void {
  for (let i = 0; i < 8; ++i) {
    const mixed = acc[i] ^ acc[i] >> 47n ^ SECRET.getBigUint64(secret + 8 * i, true);
    acc[i] = mixed * P32[0] & MASK;
  }
}

function avalanche(hash: bigint): bigint {
  hash = (hash ^ hash >> 37n) * 0x165667919E3779F9n & MASK;
  return hash ^ hash >> 32n;
}

// Returns the hash. REQUIRES: more than 240 bytes.
export function xxh3(bytes: Uint8Array): bigint {
  if (bytes.length <= 240) throw new RangeError("xxh3 takes more than 240 bytes");
  const data = view(bytes);
  const acc = [P32[2], P64[0], P64[1], P64[2], P64[3], P32[1], P64[4], P32[0]];
  const perBlock = (SECRET.byteLength - STRIPE) / 8;
  const stripes = Math.floor((bytes.length - 1) / STRIPE);
  for (let n = 0; n < stripes; ++n) {
    accumulate(acc, data, n * STRIPE, n % perBlock * 8);
    if (n % perBlock === perBlock - 1) scramble(acc, SECRET.byteLength - STRIPE);
  }
  accumulate(acc, data, bytes.length - STRIPE, SECRET.byteLength - STRIPE - 7);
  let sum = BigInt(bytes.length) * P64[0] & MASK;
  for (let i = 0; i < 8; i += 2) {
    const product = (acc[i] ^ SECRET.getBigUint64(11 + 8 * i, true)) *
      (acc[i + 1] ^ SECRET.getBigUint64(19 + 8 * i, true));
    sum = sum + (product & MASK ^ product >> 64n) & MASK;
  }
  return avalanche(sum);
}
