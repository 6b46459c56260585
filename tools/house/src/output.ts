/** Writes a line to standard output. */
export const print = (line: string): boolean => process.stdout.write(`${line}\n`);

/** The message of an error, or the text of any other thrown value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Counts how often each value occurs, in the order of first occurrence. */
export function countEach<T>(all: Iterable<T>): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}
