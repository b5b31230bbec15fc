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

// Fits the pixels of a canvas to the screen, and returns its empty pen.
export function penOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  const pen = canvas.getContext("2d")!;
  pen.scale(devicePixelRatio, devicePixelRatio);
  return pen;
}

// Returns the colour of a custom property of the styles.
export const colourOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
