// Finds the logs among files, by their names: a.orrery, a.orrery.0001, a.orrery.0002.

type Named = { name: string };

// Returns one or two logs: the files of each by number of the segment. Returns null if there are
// more. A file with another name is a log of one segment.
export function logsOf<F extends Named>(files: F[]): (F | undefined)[][] | null {
  const logs = new Map<string, F[]>();
  for (const file of [...files].sort((a, b) => a.name.length - b.name.length)) {
    const [, stem, digits] = /^(.*)\.(\d{4})$/.exec(file.name) ?? [];
    const known = stem === undefined ? undefined : logs.get(stem);
    if (known) known[Number(digits)] = file;
    else logs.set(file.name, [file]);
  }
  return logs.size > 2 ? null : [...logs.values()].map((log) => Array.from(log));
}
