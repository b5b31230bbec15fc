// Compares numbers of the lab page with the JSON of `orrery lab run`.

// Returns the largest difference of two objects of numbers, relative to numbers above 1, and its
// path. Only the fields of `got` count. NaN is
// null, an object of NaN may be null, and a list of one number is a number.
export function difference(got, wanted, path = "") {
  if (Array.isArray(got) && got.length === 1 && !Array.isArray(wanted)) {
    return difference(got[0], wanted, path);
  }
  if (typeof got === "object") {
    const parts = Object.keys(got).map((key) =>
      difference(got[key], wanted === null ? null : wanted?.[key], `${path}.${key}`));
    return parts.reduce((a, b) => (b.difference > a.difference ? b : a),
                        { difference: 0, path });
  }
  if (wanted === null || typeof wanted !== "number") {
    return { difference: wanted === null && Number.isNaN(got) ? 0 : Infinity, path };
  }
  const size = Math.abs(got - wanted) / Math.max(1, Math.abs(wanted));
  return { difference: Number.isNaN(size) ? Infinity : size, path };
}
