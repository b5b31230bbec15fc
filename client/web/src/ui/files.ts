// Puts the files of a log in order, by their names: a.orrery, a.orrery.0001, a.orrery.0002.

// Returns the files by number of the segment, or null if the names are not names of one log. A
// single file is segment 0, whatever its name.
export function inOrder<F extends { name: string }>(files: F[]): (F | undefined)[] | null {
  if (files.length === 1) return [...files];
  const first = files.reduce((a, b) => a.name.length < b.name.length ? a : b);
  const segments: (F | undefined)[] = [];
  for (const file of files) {
    const rest = file.name.slice(first.name.length);
    const number = file === first ? 0 : Number(/^\.(\d{4,9})$/.exec(rest)?.[1]);
    if (!file.name.startsWith(first.name) || !(number < 1e5) || segments[number]) return null;
    segments[number] = file;
  }
  return Array.from(segments);
}
