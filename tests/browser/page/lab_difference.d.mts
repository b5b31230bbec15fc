// The types of lab_difference.mjs.
export function difference(got: unknown, wanted: unknown):
  { difference: number, path: string };
