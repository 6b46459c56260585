/** The number of characters that are quoted before and after the first difference. */
const [before, behind] = [20, 60];

const quote = (text: string, at: number): string => text.slice(Math.max(0, at - before), at + behind);

/** Describes the first difference between two texts, with an excerpt of each. */
export const difference = (ours: string, theirs: string): string => {
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  return `at character ${at}, Tessera has «${quote(ours, at)}», the official driver «${quote(theirs, at)}»`;
};
