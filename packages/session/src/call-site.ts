/** Where the program called: taken cheaply, read only when it is to be told. */
export interface CallSite {
  /** `at createUser (file:///app/users.js:12:5)` */
  toString(): string;
}

const deepest = 30;

/** The stack of the caller, as far as the host has stacks. */
export const takeCallSite = (): CallSite => {
  const host = Error as { stackTraceLimit?: number };
  const limit = host.stackTraceLimit;
  host.stackTraceLimit = deepest;
  const taken = new Error();
  if (limit !== undefined) host.stackTraceLimit = limit;
  return { toString: () => firstOutside(taken.stack ?? '') };
};

/**
 * The first line of a stack that lies outside the packages of this driver. Its own lines are those from under a folder
 * `@tessera`, and those from packages beside the one that the first line is from. Where all is one file, nobody can tell:
 * then it is the outermost line.
 */
export const firstOutside = (stack: string): string => {
  const lines = stack.split('\n').filter(line => /^\s*at /.test(line));
  const own = folderOf(lines[0] ?? '');
  const isOwn = (line: string): boolean => line.includes('/@tessera/') || (own !== undefined && folderOf(line) === own);
  const outside = isOwn(lines[0] ?? '') ? lines.find(line => !isOwn(line)) : undefined;
  return (outside ?? lines.at(-1) ?? 'at an unknown place').trim();
};

/** `file:///app/packages/` of `at take (file:///app/packages/session/src/call-site.ts:1:1)` */
const folderOf = (line: string): string | undefined =>
  /(?<folder>(?:file:\/\/)?\/[^()]*\/)[^/]+\/(?:src|dist)\/[^/]+:\d+:\d+\)?$/.exec(line)?.groups?.['folder'];
