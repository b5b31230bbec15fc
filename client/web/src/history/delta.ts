// Stores an image as its difference from another one, which is short if most words are equal.

let scratch = new Uint32Array(0);

// Returns the bytes as words. The last word is filled with zeros.
export function wordsOf(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(Math.ceil(bytes.length / 4));
  new Uint8Array(words.buffer).set(bytes);
  return words;
}

// Returns a mask of the words that differ, and then these words. REQUIRES: equal lengths.
export function difference(base: Uint32Array, image: Uint32Array): Uint32Array {
  const masks = Math.ceil(image.length / 32);
  if (scratch.length < masks + image.length) scratch = new Uint32Array(masks + image.length);
  let end = masks;
  for (let m = 0, i = 0; m < masks; ++m) {
    const stop = Math.min(i + 32, image.length);
    let mask = 0;
    for (let bit = 1; i < stop; ++i, bit <<= 1) {
      const word = base[i] ^ image[i];
      if (word === 0) continue;
      mask |= bit;
      scratch[end++] = word;
    }
    scratch[m] = mask;
  }
  return scratch.slice(0, end);
}

// Returns the image with a difference from `base`.
export function restored(base: Uint32Array, delta: Uint32Array): Uint32Array {
  const image = base.slice();
  const masks = Math.ceil(image.length / 32);
  for (let m = 0, next = masks; m < masks; ++m) {
    for (let mask = delta[m]; mask !== 0; mask &= mask - 1) {
      image[32 * m + 31 - Math.clz32(mask & -mask)] ^= delta[next++];
    }
  }
  return image;
}
