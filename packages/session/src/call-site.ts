/** The place in the program from which the driver was called. Recording is cheap; the text is computed by `toString`. */
export interface CallSite {
  /** Returns a line such as `at createUser (file:///app/users.js:12:5)`. */
  toString(): string;
}

/** The number of stack frames to record. */
const deepest = 30;

/** Records the call site of the current call. */
export const takeCallSite = (): CallSite => {
  const host = Error as { stackTraceLimit?: number };
  const limit = host.stackTraceLimit;
  host.stackTraceLimit = deepest;
  const taken = new Error();
  if (limit !== undefined) host.stackTraceLimit = limit;
  return { toString: () => firstOutside(taken.stack ?? '') };
};

/**
 * Returns the first line of a stack that is outside of this driver. Lines of the driver are under a folder `@tessera`, or in a
 * package beside the package of the first line. In a program bundled into one file they cannot be recognized; then returns the
 * outermost line.
 */
export const firstOutside = (stack: string): string => {
  const lines = stack.split('\n').filter(line => /^\s*at /.test(line));
  const own = folderOf(lines[0] ?? '');
  const isOwn = (line: string): boolean => line.includes('/@tessera/') || (own !== undefined && folderOf(line) === own);
  const outside = isOwn(lines[0] ?? '') ? lines.find(line => !isOwn(line)) : undefined;
  return (outside ?? lines.at(-1) ?? 'at an unknown place').trim();
};

/** Returns `file:///app/packages/` for `at take (file:///app/packages/session/src/call-site.ts:1:1)`. */
const folderOf = (line: string): string | undefined =>
  /(?<folder>(?:file:\/\/)?\/[^()]*\/)[^/]+\/(?:src|dist)\/[^/]+:\d+:\d+\)?$/.exec(line)?.groups?.['folder'];
