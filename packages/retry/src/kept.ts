/** How many attempts of one operation are kept: without a limit of time there may be any number of them. */
export const mostKept = 200;

/** With one more at the end: where that is too many, without the oldest but for the first, which tells how it began. */
export const kept = <T>(list: readonly T[], newest: T): readonly T[] =>
  list.length < mostKept ? [...list, newest] : [...list.slice(0, 1), ...list.slice(2), newest];
