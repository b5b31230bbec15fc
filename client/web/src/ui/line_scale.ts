// Places ticks along the time line.

const THUMB = 8;  // half the width of the thumb of a range, in pixels

// Returns the distance of a tick from the left edge, in pixels.
export const placeOf = (tick: number, last: number, width: number): number =>
  THUMB + tick / Math.max(last, 1) * (width - 2 * THUMB);

// Returns the tick at a distance from the left edge.
export function tickAt(x: number, last: number, width: number): number {
  const tick = Math.round((x - THUMB) / (width - 2 * THUMB) * last);
  return Math.min(Math.max(tick, 0), last);
}

// Returns the places of a curve that show on the screen: the lowest and the highest one of each
// column of pixels. `places` are x and y in pixels, in the order of x.
export function visible(places: [number, number][]): [number, number][] {
  const kept: [number, number][] = [];
  for (let start = 0, end = 0; start < places.length; start = end) {
    let low = start, high = start;
    const column = Math.floor(places[start][0]);
    for (; end < places.length && Math.floor(places[end][0]) === column; ++end) {
      if (places[end][1] < places[low][1]) low = end;
      if (places[end][1] > places[high][1]) high = end;
    }
    kept.push(places[Math.min(low, high)]);
    if (low !== high) kept.push(places[Math.max(low, high)]);
  }
  return kept;
}

// Fits the pixels of a canvas to the screen, and returns its empty pen. The pen draws with the
// processor. Else this thread waits for the graphics card, which software may stand in for: a
// long log then held up the page for more than a minute on a busy machine.
export function penOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  const pen = canvas.getContext("2d", { willReadFrequently: true })!;
  pen.scale(devicePixelRatio, devicePixelRatio);
  return pen;
}

// Returns the colour of a custom property of the styles.
export const colourOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
