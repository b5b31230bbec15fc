// Writes numbers for people. No number is shown as -0, unless only its sign differs from another.

// Returns the number with some digits after the point.
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

// Returns the number with at most six digits.
export const short = (value: number): string => String(Number(value.toPrecision(6)));

// Returns the number with at most three digits.
export const rough = (value: number): string => String(Number(value.toPrecision(3)));

// Returns the shortest text that reads back to the same number.
export const exact = (value: number): string => String(value);

// Returns the texts of two numbers that differ in at least one bit. Only here zeros have signs.
export function exactPair(a: number, b: number): [string, string] {
  const signed = (value: number) => Object.is(value, -0) ? "-0" : exact(value);
  return a === b ? [signed(a), signed(b)] : [exact(a), exact(b)];
}
